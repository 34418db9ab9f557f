"""Put a problem set's marks into the CSV that Moodle or Canvas exported, for Moodle or Canvas to read again."""

import argparse
import contextlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from .files import private_files, refuse_broken
from .rosters import Roster


class Mark(NamedTuple):
    """What one student has."""

    score: float
    to_be_read: int  # answers that wait for a person


def main(arguments: list[str]) -> int:
    """Run `sdpa-course marks` with these arguments."""
    parser = argparse.ArgumentParser(prog="sdpa-course marks", description=__doc__)
    parser.add_argument("export", type=Path, help="Moodle's grading worksheet, or Canvas's exported gradebook")
    parser.add_argument("--problem-set", help="such as ps03; not needed if only one was graded")
    parser.add_argument(
        "--course", type=Path, default=Path(), help="the folder with gradebook.db in it (default: here)"
    )
    parser.add_argument("--column", help="the column for the marks, if it isn't found by itself")
    parser.add_argument("--scale", action="store_true", help="convert the marks if full marks are another number there")
    parser.add_argument(
        "--unread", action="store_true", help="also for students whose answers a person must still read"
    )
    options = parser.parse_args(arguments)
    try:
        with private_files():
            say(export(options))
    except (ValueError, OSError) as problem:
        say([str(problem)], file=sys.stderr)
        return 2
    return 0


def export(options: argparse.Namespace) -> Iterable[str]:
    """Write the file, and yield what there is to know about it."""
    problem_set, full, marks = read_marks(options.course / "gradebook.db", options.problem_set)
    roster = Roster(options.export)
    column = roster.grade_column(problem_set, options.column)
    factor = scale(roster, column, problem_set, full, options.scale)
    comma = "," in roster.largest_mark(column)
    path = options.course / f"{problem_set}-for-{roster.lms}.csv"
    if path.resolve() == options.export.resolve():
        raise ValueError(f"{path} is where the result goes; give the file that {roster.lms} exported")
    written, unread, fixed, changed, unknown, seen = 0, [], [], [], [], {}
    for folder, mark in marks.items():
        student = roster.find(folder)
        if student is None:
            unknown.append(folder)
            continue
        if student.row in seen:
            raise ValueError(
                f"{folder} and {seen[student.row]} are the same row in {options.export}; remove one of them"
            )
        seen[student.row] = folder
        before, now = roster.cell(student.row, column), decimal(mark.score * factor, comma)
        if before.upper() in ("EX", "N/A"):  # excused, and not meant for this student; Canvas's words
            fixed.append(folder)
        elif mark.to_be_read and not options.unread:
            unread.append(folder)
        else:
            written += 1
            if before not in ("", "-") and number(before) != number(now):
                changed.append(f"{folder} ({before}, now {now})")
            roster.fill(student.row, column, now)
    roster.write(path)
    title = roster.header[column]
    yield f"wrote {path}, with {problem_set} for {written} of {len(roster.students)} students in its column {title}"
    yield from about(unread, "waiting for a person to read answers, so left as in your file (--unread fills them in)")
    yield from about(fixed, f"excused or not assigned in {roster.lms}, so left as they were")
    yield from about(changed, f"with another mark in {roster.lms} so far")
    yield from about(unknown, f"graded but not in {options.export}, or there twice")
    missing = [student.name or student.folder for student in roster.students if student.row not in seen]
    yield from about(missing, "without a submission, so left as in your file")


def read_marks(database: Path, problem_set: str | None) -> tuple[str, float, dict[str, Mark]]:
    """The problem set, its points, and every student's mark."""
    if not database.is_file():
        raise ValueError(f"there is no {database}; name the folder that has it with --course, or grade first")
    from sqlalchemy.exc import SQLAlchemyError

    refuse_broken(database)
    try:
        return read_gradebook(database, problem_set)
    except SQLAlchemyError as error:
        why = str(getattr(error, "orig", error)).partition("\n")[0]
        raise ValueError(f"{database} can't be read as nbgrader's gradebook ({why}); nothing was changed") from None


def read_gradebook(database: Path, problem_set: str | None) -> tuple[str, float, dict[str, Mark]]:
    """The same, of a database that can be opened."""
    from nbgrader.api import Gradebook  # takes seconds to load

    with contextlib.closing(Gradebook(f"sqlite:///{database.resolve()}", "sdpa-course")) as gradebook:
        graded = {assignment.name: assignment for assignment in gradebook.assignments if assignment.submissions}
        if problem_set is None and len(graded) != 1:
            raise ValueError(
                f"say which one with --problem-set: {', '.join(sorted(graded)) or 'nothing is graded yet'}"
            )
        name = problem_set or next(iter(graded))
        if name not in graded:
            raise ValueError(f"{name} isn't graded in {database}; graded: {', '.join(sorted(graded)) or 'nothing'}")
        marks = {
            one.student_id: Mark(
                max(0.0, one.score - (one.late_submission_penalty or 0)),
                sum(bool(grade.needs_manual_grade) for page in one.notebooks for grade in page.grades),
            )
            for one in graded[name].submissions
        }
        return name, graded[name].max_score, dict(sorted(marks.items()))


def scale(roster: Roster, column: int, problem_set: str, full: float, allowed: bool) -> float:
    """What to multiply marks with. 17 of 20 points must not arrive as 17 of 100."""
    text = roster.largest_mark(column)
    if not text:
        return 1.0
    theirs = number(text)
    if theirs is None or theirs <= 0:
        raise ValueError(f"{roster.header[column]} in {roster.path} takes no marks: its largest is {text}")
    if theirs != full and not allowed:
        raise ValueError(
            f"{problem_set} has {full:g} points, and {roster.lms} has {text}; "
            f"set it to {full:g} there and export again, or convert the marks with --scale"
        )
    return theirs / full


def number(text: str) -> float | None:
    """A number with a decimal point or a decimal comma."""
    with contextlib.suppress(ValueError):
        return float(text.replace(",", "."))
    return None


def decimal(mark: float, comma: bool) -> str:
    """A mark with at most two digits, as both systems show it, and with their kind of decimal mark."""
    text = f"{mark:.2f}".rstrip("0").rstrip(".")
    return text.replace(".", ",") if comma else text


def about(names: list[str], what: str) -> Iterable[str]:
    """One line that counts and names them, if there are any."""
    if names:
        shown = "; ".join(sorted(names)[:20]) + (" …" if len(names) > 20 else "")
        yield f"{len(names)} {what}: {shown}"


def say(sentences: Iterable[str], file=None) -> None:
    """Print them. A name from a file could otherwise move the cursor about."""
    for sentence in sentences:
        print("sdpa-course:", "".join(c if c.isprintable() else "?" for c in sentence), file=file)
