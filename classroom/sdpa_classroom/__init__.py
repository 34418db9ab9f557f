"""Grade a class with `sdpa-course grade`. A broken or hostile submission can't harm anything but itself.

The modules, in the order in which a submission passes through them:

    submissions.py     find what was handed in and read it, whatever it is
    sandbox.py         where a command sees and reaches nothing (bubblewrap)
    seccomp.py         the system calls that it may make there
    cgroups.py         a limit on memory that the kernel keeps, where the machine offers one
    running.py         start a process there, watch it and stop it
    runner.py          runs inside: executes the student's cells, sends out plain numbers
    homework_stub.py   what `from sdpa_course.homework import check` finds inside
    messages.py        numbers and arrays as plain text, in and out; never pickle
    marking.py         outside again: compares the numbers with the right ones, gives marks and a state
    pages.py           the notebook that nbgrader's formgrader shows, and the feedback page
    receipts.py        when it was handed in, and the secret for its feedback
    gradebook.py       nbgrader's database, the files in the course folder, grades.csv
    files.py           files that are whole and private, cells that no spreadsheet runs
    working.py         several at a time, and none of them stops the others
    cluster.py         where they're marked: this machine, or the workers of a Dask cluster
    command.py         the command: options, skipping what's unchanged, a summary

Before and afterwards, where a class hands in with Moodle or Canvas:

    rosters.py         the CSV with a row for each student that both export
    archives.py        read the zip of all submissions, which nobody should trust
    collecting.py      the command that brings it into submitted/
    deadlines.py       class.toml: deadlines, and what lateness costs
    lateness.py        apply them to what's graded
    marks.py           the command that puts the marks into the CSV

And for the whole class:

    report.py          the command that writes one page about it, and a slide
    counts.py          what's on it: points by task, mistakes by name, and nobody's own name
    charts.py          the pictures
    report_page.py     the page, from the template report.html

Nothing that decides a mark runs in the student's process, so patching NumPy or the checks gains nothing.
"""
