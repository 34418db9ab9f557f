"""Homework checks that say why an answer is wrong. Students call `check(name, answer)`, readers `try_it`.

What lives where:

    tasks.py      what a task is: inputs, the right answer, and common mistakes
    answers.py    run a student's function and collect its answers, without judging them
    judging.py    compare the answers and say what went wrong, without running any of the student's code
    checks.py     both together, which is what a notebook calls
    progress.py   where you are in a problem set, and our solution to a task you've tried
    ps01.py …     the tasks of one problem set
    nb02.py       the exercises inside one notebook
"""

from .checks import carry_on, check, inputs, try_it
from .progress import progress, solution

__all__ = ["carry_on", "check", "inputs", "progress", "solution", "try_it"]
