"""What a notebook calls: `check`, for students and in the hidden tests, and `try_it`, for any reader."""

from types import SimpleNamespace

import numpy as np

from .answers import ask
from .judging import CheckResult, judge, row
from .progress import remember
from .tasks import Task, find_task, tasks_of

SEEN = ((0, np.float64, False),)  # seed, type, and whether the hidden cases come too
UNSEEN = ((101, np.float64, True), (102, np.float64, True), (103, np.float32, True))
IMPORT = "(from sdpa_course.homework import inputs)"


class Marks:
    """Points earned. As the last value of a test cell, nbgrader reads them as partial credit."""

    def __init__(self, earned: float, points: int):
        self.earned, self.points = float(earned), points

    def __repr__(self) -> str:
        return str(self.earned)

    def _repr_html_(self) -> str:
        return f"{self.earned:g} of {self.points} points"


def check(name: str, answer, *, unseen: bool = False) -> Marks:
    """Try a student's answer, print the result, and return the points it earns.

    Parameters
    ----------
    name : str
        The task, such as "ps03.softmax".
    answer : callable, number or array
        The student's function, or the number asked for. None, or an empty function, counts as not answered yet.
    unseen : bool
        Try inputs that the student doesn't see, in float64 and float32, as the hidden tests do.
    """
    task = find_task(name)
    result = try_out(task, answer, UNSEEN if unseen else SEEN)
    remember(task, result)
    print(f"On other inputs, {result.message}" if unseen else result.message)
    if result.state == "wrong" and not unseen and not task.wants_number:
        print(f'  Retry     inputs("{name}", {result.case}) returns these inputs {IMPORT}')
    return Marks(task.points if result.passed else 0, task.points)


def try_it(name: str, answer) -> None:
    """Try a reader's answer to an exercise inside a notebook: the feedback of `check`, and no points.

    Parameters
    ----------
    name : str
        The exercise, such as "nb02.within_row".
    answer : callable, number or array
        The reader's answer. A stub that returns `...` or nothing counts as not answered yet, and nothing is raised.
    """
    check(name, answer)


def inputs(name: str, case: int = 0) -> tuple:
    """The inputs that `check` uses, to try by hand: `softmax(*inputs("ps03.softmax"))`."""
    cases = find_task(name).draw(*SEEN[0][:2])
    if not 0 <= case < len(cases):
        raise ValueError(f"case: got {case}, expected 0 to {len(cases) - 1}")
    return tuple(cases[case].values())


def try_out(task: Task, answer, draws=SEEN + UNSEEN) -> CheckResult:
    """The result on the first draw of inputs that the answer fails, or else on the last draw."""
    for seed, dtype, hidden in draws:
        cases = task.draw(seed, dtype, hidden=hidden)
        result = judge(task, cases, ask(answer, cases))
        if not result.passed:
            break
    return result


def carry_on(problem_set: str, answers: dict) -> SimpleNamespace:
    """The functions to go on with: yours where they pass their check, and the course's where they don't.

    Parameters
    ----------
    problem_set : str
        One whose tasks build on each other, such as "ps12".
    answers : dict
        Your functions by name: `globals()`.
    """
    functions, chosen = {task.answer_name: task for task in tasks_of(problem_set).values() if not task.wants_number}, {}
    for name, task in functions.items():
        mine = answers.get(name)
        chosen[name] = mine if try_out(task, mine, SEEN).passed else task.right
    ours = [name for name, task in functions.items() if chosen[name] is task.right]
    for whose, names in (("yours", [name for name in functions if name not in ours]), ("the course's", ours)):
        print(row(whose, ", ".join(names) or "none", width=12))
    if ours:
        print(row("", "Once yours is right, run this cell again.", width=12))
    return SimpleNamespace(**chosen)
