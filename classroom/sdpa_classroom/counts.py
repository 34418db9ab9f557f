"""What a class did, in numbers that name nobody: points by task, and mistakes by name.

Points come from nbgrader's database, states and mistakes from the record that the grader leaves beside each notebook.
"""

import contextlib
import json
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from statistics import fmean, quantiles
from typing import NamedTuple

from nbgrader.api import Gradebook, SubmittedAssignment
from sqlalchemy.exc import SQLAlchemyError

from sdpa_course.homework.tasks import PROBLEM_SETS, Task, tasks_of

from .marking import STATES, UNREADABLE


class Points(NamedTuple):
    """How one task went."""

    title: str
    written: bool  # read by a person, rather than checked by code
    most: float
    scores: tuple[float, ...]  # one for each answer that has been marked
    waiting: int  # answers that a person still has to read

    @property
    def mean(self) -> float:
        """The average of what's been marked."""
        return fmean(self.scores) if self.scores else 0.0

    @property
    def full(self) -> int:
        """How many got all the points."""
        return sum(score >= self.most for score in self.scores)

    @property
    def none(self) -> int:
        """How many got none."""
        return sum(score <= 0 for score in self.scores)

    @property
    def some(self) -> int:
        """How many got something in between."""
        return len(self.scores) - self.full - self.none


class Named(NamedTuple):
    """One mistake, and how many students made it."""

    name: str
    task: str
    count: int
    hint: str  # what the check told them
    read: str


class SetCounts(NamedTuple):
    """One problem set."""

    name: str
    about: str
    students: int  # in the gradebook
    states: dict[str, int]  # every notebook that was handed in; "" if there's no record of it
    points: list[Points]  # of the notebooks that could be read
    code: list[float]  # points that code gave, one number for each of these notebooks
    recorded: int  # of these notebooks, those whose mistakes were recorded
    mistakes: list[Named]
    unnamed: int  # wrong answers that match no known mistake

    @property
    def handed_in(self) -> int:
        """How many notebooks there are."""
        return sum(self.states.values())

    @property
    def readable(self) -> int:
        """How many of them could be read."""
        return self.handed_in - self.states.get(UNREADABLE, 0)

    @property
    def waiting(self) -> int:
        """Answers that a person still has to read."""
        return sum(points.waiting for points in self.points)

    @property
    def most_by_code(self) -> float:
        """The points that code can give."""
        return sum(points.most for points in self.points if not points.written)

    @property
    def quarters(self) -> list[float]:
        """A quarter, a half and three quarters of the notebooks have at most so many points by code."""
        return quantiles(self.code, n=4, method="inclusive") if len(self.code) > 1 else []


def count(database: Path, problem_set: str | None = None) -> list[SetCounts]:
    """The problem sets in a gradebook, in the course's order, or the one that's asked for."""
    with opened(database) as gradebook:
        students = len(gradebook.students)
        found = {assignment.name: assignment for assignment in gradebook.assignments if assignment.submissions}
        found = {name: found[name] for name in PROBLEM_SETS if name in found}
        if not found:
            raise ValueError(f"{database} has no submission of a problem set yet; grade some first: sdpa-course grade")
        if problem_set not in (None, *found):
            raise ValueError(f"{database} has no submission of {problem_set}, only of {', '.join(found)}")
        return [
            count_set(name, assignment.submissions, records(database.parent, name), students)
            for name, assignment in found.items()
            if problem_set in (None, name)
        ]


@contextlib.contextmanager
def opened(database: Path) -> Iterator[Gradebook]:
    """nbgrader's interface to a copy of the database: what is only read shouldn't be changed or held up."""
    if not database.is_file():
        raise ValueError(f"{database} doesn't exist; name the gradebook, or the folder with gradebook.db in it")
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        copy = Path(folder) / "gradebook.db"
        try:
            # mode=rw lets SQLite roll back what a killed grader left half-written
            source = stack.enter_context(contextlib.closing(sqlite3.connect(f"{database.as_uri()}?mode=rw", uri=True)))
            source.execute("begin")
            tables = source.execute(
                "select count(*) from sqlite_master"
            ).fetchone()  # waits for a lock, but not forever
            with contextlib.closing(sqlite3.connect(copy)) as target:
                source.backup(target)
        except sqlite3.DatabaseError as error:
            busy = "locked" in str(error)
            words = (
                "is in use by another program; try again when that's done" if busy else "is not a readable gradebook"
            )
            raise ValueError(f"{database} {words} ({error})") from None
        if tables == (0,):
            raise ValueError(f"{database} is empty; grade something first: sdpa-course grade")
        try:
            gradebook = stack.enter_context(Gradebook(f"sqlite:///{copy}", ""))
            yield gradebook
        except SQLAlchemyError as error:
            why = str(getattr(error, "orig", error)).partition("\n")[0]
            raise ValueError(f"{database} can't be read as nbgrader's gradebook ({why})") from None


def records(root: Path, problem_set: str) -> dict[str, dict]:
    """By student: what the grader noted about this problem set."""
    found = {}
    for path in root.glob(f"autograded/*/{problem_set}/grading.json"):
        with contextlib.suppress(OSError, ValueError):
            note = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(note, dict) and note.get("state") in STATES:
                found[path.parts[-3]] = note
    return found


def count_set(name: str, submissions: list[SubmittedAssignment], notes: dict[str, dict], students: int) -> SetCounts:
    """Count one problem set."""
    tasks = tasks_of(name)
    states = Counter(notes.get(submission.student_id, {}).get("state", "") for submission in submissions)
    readable = [s for s in submissions if notes.get(s.student_id, {}).get("state") != UNREADABLE]
    grades = [[grade for page in submission.notebooks for grade in page.grades] for submission in readable]
    found = [notes.get(submission.student_id, {}).get("mistakes") for submission in readable]
    found = [mistakes for mistakes in found if isinstance(mistakes, dict)]
    return SetCounts(
        name,
        about=import_module(f"sdpa_course.homework.{name}").__doc__.partition(": ")[2].strip(),
        students=students,
        states={state: states[state] for state in (*STATES, "") if states[state]},
        points=points_by_task(tasks, grades),
        code=[sum(grade.auto_score or 0 for grade in one if is_code(grade)) for one in grades],
        recorded=len(found),
        mistakes=name_mistakes(tasks, found),
        unnamed=sum(
            mistake not in {known.name for known in tasks[short_name].mistakes}
            for mistakes in found
            for short_name, mistake in mistakes.items()
            if short_name in tasks
        ),
    )


def is_code(grade) -> bool:
    """Whether a grade belongs to a test cell, which code marks."""
    return grade.name.endswith("-test")


def points_by_task(tasks: dict[str, Task], grades: list[list]) -> list[Points]:
    """Every task that has points: those that code checks, in their order, then the written ones."""
    by_name = {}
    for grade in (grade for one in grades for grade in one if grade.max_score):
        by_name.setdefault(grade.name, []).append(grade)
    places = {f"{name}-test": place for place, name in enumerate(tasks)}
    made = []
    for name in sorted(by_name, key=lambda name: (places.get(name, len(places)), name)):
        task, of = tasks.get(name.removesuffix("-test")), by_name[name]
        made.append(
            Points(
                task.title if task else name,
                not is_code(of[0]),
                of[0].max_score,
                tuple(grade.score for grade in of if not grade.needs_manual_grade),
                sum(bool(grade.needs_manual_grade) for grade in of),
            )
        )
    return made


def name_mistakes(tasks: dict[str, Task], found: list[dict[str, str]]) -> list[Named]:
    """The mistakes by name, the most common first.

    Two checks of one function find the same mistake twice. It's counted once, where it comes first.
    """
    counts = Counter()
    for mistakes in found:
        first = {}
        for short_name in (short_name for short_name in tasks if mistakes.get(short_name)):
            first.setdefault((tasks[short_name].answer_name, mistakes[short_name]), short_name)
        counts.update((short_name, mistake) for (_, mistake), short_name in first.items())
    named = [
        Named(mistake.name, task.title, counts[short_name, mistake.name], mistake.hint, mistake.read or task.read)
        for short_name, task in tasks.items()
        for mistake in task.mistakes
    ]
    return sorted((each for each in named if each.count), key=lambda each: -each.count)
