"""Grade a class: `sdpa-course grade`. One hostile or broken submission cannot break it.

What lives where, in the order in which a submission passes through:

    submissions.py   find what was handed in and read it, whatever it is
    sandbox.py       run a command that sees nothing and can harm nothing (bubblewrap)
    student.py       runs inside: executes the student's cells, hands out plain numbers
    syscalls.py      what it may not even ask the kernel for
    standin.py       what the student's `from sdpa_course.homework import check` finds inside
    messages.py      numbers and arrays as plain text, in and out; never pickle
    marking.py       compares the numbers with the right ones, outside, and gives marks and a state
    pages.py         the notebook that nbgrader's formgrader shows, the page of feedback
    gradebook.py     nbgrader's database, the files of the course folder, the CSV
    command.py       the command: workers, progress, what is already done

What decides a mark never runs in the student's process, so patching NumPy or the checks buys nothing.
"""
