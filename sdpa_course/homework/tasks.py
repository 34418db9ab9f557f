"""What a task is: inputs to try, the right answer, and common mistakes.

A task is data. It never sees a student's function, only the arrays that the function returned, so the
same task serves both the check in a notebook and the grading of a class.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

import numpy as np

PROBLEM_SETS = tuple(f"ps{number:02d}" for number in range(1, 10))

Case = dict[str, object]  # input name -> array or number, in the order of the function's arguments


def one_case(rng: np.random.Generator) -> list[Case]:
    """A single case without inputs, for a task that asks for a number rather than a function."""
    return [{}]


@dataclass(frozen=True)
class Mistake:
    """A wrong answer we recognise: what it computes, and a hint that doesn't give away the right one."""

    name: str
    gives: Callable  # same inputs as the right answer
    hint: str
    read: str = ""  # where to read about this mistake; empty means the task's own `read`


@dataclass(frozen=True)
class Task:
    """One question that earns points.

    Parameters
    ----------
    name : str
        For example "ps03.softmax". The test cell's grade id is the part after the dot, with "-test".
    points : int
    asks : str
        One line: what the answer should be.
    read : str
        Where the course explains it, such as "notebook 03, section 3".
    right : callable
        The right answer as a function of the inputs: an array, a number, or a tuple of them.
    mistakes : tuple of Mistake
        If two of them give the same result, the first one is named.
    cases : callable
        `cases(rng) -> list of Case`. All sizes differ, so that a transposed array can't pass.
        Left out if the task asks for a number.
    answer : str
        The name of the function or number in the notebook; empty means the task's short name.
    outputs : tuple of str
        Names of the results, if there are several.
    tolerance : float
        Allowed difference, relative to the largest entry of the right answer, in float64.
    """

    name: str
    points: int
    asks: str
    read: str
    right: Callable
    mistakes: tuple[Mistake, ...]
    cases: Callable[[np.random.Generator], list[Case]] = one_case
    answer: str = ""
    outputs: tuple[str, ...] = ()
    tolerance: float = 1e-5

    @property
    def short_name(self) -> str:
        """The name without its problem set."""
        return self.name.partition(".")[2]

    @property
    def answer_name(self) -> str:
        """The name of the student's function or number."""
        return self.answer or self.short_name

    @property
    def title(self) -> str:
        """The task's name in messages; a second task about the same function is its second check."""
        return f"{self.answer}, second check" if self.answer else self.short_name

    @property
    def wants_number(self) -> bool:
        """Whether the answer is a value rather than a function."""
        return self.cases is one_case

    def draw(self, seed: int, dtype=np.float64) -> list[Case]:
        """The inputs for one seed, with floats in `dtype`."""
        return [
            {name: cast(value, dtype) for name, value in case.items()}
            for case in self.cases(np.random.default_rng(seed))
        ]


def cast(value, dtype):
    """Convert an array of floats to `dtype`; leave anything else alone."""
    return value.astype(dtype) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value


def tasks_of(problem_set: str) -> dict[str, Task]:
    """The tasks of one problem set by short name, in the order of the notebook."""
    if problem_set not in PROBLEM_SETS:
        raise ValueError(f"problem set: got {problem_set!r}, expected one of {', '.join(PROBLEM_SETS)}")
    return {task.short_name: task for task in import_module(f".{problem_set}", __package__).TASKS}


def all_tasks() -> Iterator[Task]:
    """Every task of the course."""
    for problem_set in PROBLEM_SETS:
        yield from tasks_of(problem_set).values()


def find_task(name: str) -> Task:
    """The task called `name`, such as "ps03.softmax"."""
    problem_set, _, short_name = name.partition(".")
    tasks = tasks_of(problem_set)
    if short_name not in tasks:
        raise ValueError(f"task: got {name!r}, expected one of {', '.join(task.name for task in tasks.values())}")
    return tasks[short_name]
