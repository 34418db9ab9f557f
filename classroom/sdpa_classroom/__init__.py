"""Grade a class with `sdpa-course grade`. A broken or hostile submission can't harm anything but itself.

The modules, in the order in which a submission passes through them:

    submissions.py     find what was handed in and read it, whatever it is
    sandbox.py         run a command where it sees and reaches nothing (bubblewrap)
    seccomp.py         the system calls that are refused in there
    runner.py          runs inside: executes the student's cells, sends out plain numbers
    homework_stub.py   what `from sdpa_course.homework import check` finds inside
    messages.py        numbers and arrays as plain text, in and out; never pickle
    marking.py         outside again: compares the numbers with the right ones, gives marks and a state
    pages.py           the notebook that nbgrader's formgrader shows, and the feedback page
    gradebook.py       nbgrader's database, the files in the course folder, grades.csv
    command.py         the command: workers, progress, skipping what's unchanged

Nothing that decides a mark runs in the student's process, so patching NumPy or the checks gains nothing.
"""
