"""Homework: checks that say why an answer is wrong. `check(name, answer)` is what a student calls.

What lives where:

    tasks.py      what a task is: inputs, the right answer, the mistakes that people make
    answers.py    ask a student's function for its answers; nothing is judged here
    judging.py    compare the answers and say what went wrong; no student's code runs here
    checks.py     both together, as called from a notebook
    ps01.py …     the tasks of one problem set
"""

from .checks import check, inputs

__all__ = ["check", "inputs"]
