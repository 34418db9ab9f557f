"""Homework checks that say why an answer is wrong. Students call `check(name, answer)`.

What lives where:

    tasks.py      what a task is: inputs, the right answer, and common mistakes
    answers.py    run a student's function and collect its answers, without judging them
    judging.py    compare the answers and say what went wrong, without running any of the student's code
    checks.py     both together, which is what a notebook calls
    ps01.py …     the tasks of one problem set
"""

from .checks import check, inputs

__all__ = ["check", "inputs"]
