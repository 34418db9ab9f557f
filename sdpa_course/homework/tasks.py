"""What a task is: inputs to try, the right answer, and common mistakes.

A task is data. It never sees a student's function, only the arrays that the function returned, so the
same task serves both the check in a notebook and the grading of a class.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .hunts import Hunt

PROBLEM_SETS = tuple(f"ps{number:02d}" for number in range(1, 13))
NOTEBOOKS = (  # those with exercises inside
    *("nb01", "nb02", "nb03", "nb04", "nb05", "nb06", "nb07", "nb08", "nb09", "nb10", "nb11", "nb12", "nba3"),
)

Case = dict[str, object]  # input name -> array or number, in the order of the function's arguments


def any_sizes(rng: np.random.Generator, count: int, least: int = 1) -> list[tuple[int, ...]]:
    """Sizes for hidden inputs: each the smallest in turn, two ordinary draws, all the smallest, and all alike."""
    draws = [rng.integers(least + 1, least + 10, size=count) for _ in range(count + 2)]
    for place, draw in enumerate(draws[:count]):
        draw[place] = least
    return [tuple(map(int, draw)) for draw in (*draws, np.full(count, least), np.full(count, rng.integers(3, 7)))]


def no_cases(rng: np.random.Generator) -> list[Case]:
    """For a task whose hidden tests try the same kind of inputs as its check."""
    return []


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
        0 for an exercise inside a notebook.
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
    hidden : callable
        Further inputs that only the hidden tests try, also `(rng) -> list of Case`: sizes drawn from the seed, and
        every corner that the task's text allows, such as one query or a width of 1. They may be square.
    answer : str
        The name of the function or number in the notebook; empty means the task's short name.
    outputs : tuple of str
        Names of the results, if there are several.
    tolerance : float
        Allowed difference, relative to the largest entry of the right answer, in float64.
    hunt : Hunt
        For a task that asks for a counterexample; then `right` gives one of many, and every mistake is a `Trap`.
    noted : tuple of str
        The course's functions that a homework answer shouldn't call; all of them, unless the text allows others.
    """

    name: str
    points: int
    asks: str
    read: str
    right: Callable
    mistakes: tuple[Mistake, ...]
    cases: Callable[[np.random.Generator], list[Case]] = one_case
    hidden: Callable[[np.random.Generator], list[Case]] = no_cases
    answer: str = ""
    outputs: tuple[str, ...] = ()
    tolerance: float = 1e-5
    hunt: "Hunt | None" = None
    noted: tuple[str, ...] = ()

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

    def draw(self, seed: int, dtype=np.float64, *, hidden: bool = False) -> list[Case]:
        """The inputs for one seed, with floats in `dtype`; with the hidden ones after them, if asked for."""
        rng = np.random.default_rng(seed)
        cases = [*self.cases(rng), *(self.hidden(rng) if hidden else ())]
        return [{name: cast(value, dtype) for name, value in case.items()} for case in cases]


def cast(value, dtype):
    """Convert an array of floats to `dtype`; leave anything else alone."""
    return value.astype(dtype) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value


def tasks_of(problem_set: str) -> dict[str, Task]:
    """The tasks of one problem set, or of the exercises inside one notebook, by short name and in their order."""
    if problem_set not in PROBLEM_SETS + NOTEBOOKS:
        raise ValueError(f"problem set: got {problem_set!r}, expected one of {', '.join(PROBLEM_SETS + NOTEBOOKS)}")
    return {task.short_name: task for task in import_module(f".{problem_set}", __package__).TASKS}


def all_tasks() -> Iterator[Task]:
    """Every task of the course."""
    for problem_set in PROBLEM_SETS + NOTEBOOKS:
        yield from tasks_of(problem_set).values()


def find_task(name: str) -> Task:
    """The task called `name`, such as "ps03.softmax"."""
    problem_set, _, short_name = name.partition(".")
    tasks = tasks_of(problem_set)
    if short_name not in tasks:
        raise ValueError(f"task: got {name!r}, expected one of {', '.join(task.name for task in tasks.values())}")
    return tasks[short_name]
