"""Bring what was handed in to Moodle or Canvas, as one zip, into the folders that `sdpa-course grade` reads."""

import argparse
import contextlib
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from sdpa_course.homework.tasks import PROBLEM_SETS

from .archives import Archive, Handed, Refused
from .deadlines import NAME, read_rules
from .files import UNFINISHED, private_files
from .marks import about, say
from .receipts import handed_in
from .rosters import CANVAS, MOODLE, Roster, Student, letters
from .submissions import Submission, folders

NEW, REPLACED, UNCHANGED = "new", "instead of an earlier one, which is kept in replaced/", "unchanged"
MOODLES_TIMES = (  # what a date looks like in the worksheet, in British and American English
    "%A, %d %B %Y, %I:%M %p",
    "%A, %d %B %Y, %H:%M",
    "%A, %B %d, %Y, %I:%M %p",
    "%A, %B %d, %Y, %H:%M",
)


class NotTaken(Exception):
    """What a student handed in stays in the zip; the message says why."""


class Taken(NamedTuple):
    """What became of one student's notebook."""

    folder: str
    state: str
    late: bool  # in Canvas's eyes
    time: datetime | None


def main(arguments: list[str]) -> int:
    """Run `sdpa-course collect` with these arguments."""
    parser = argparse.ArgumentParser(prog="sdpa-course collect", description=__doc__)
    parser.add_argument("zip", type=Path, help="the download of all submissions")
    parser.add_argument("export", type=Path, help="Moodle's grading worksheet, or Canvas's exported gradebook")
    parser.add_argument("--problem-set", help="such as ps03; by default what the notebooks are called")
    parser.add_argument(
        "--into", type=Path, default=Path("submitted"), help="where students' folders are (default: submitted)"
    )
    options = parser.parse_args(arguments)
    if options.problem_set not in (None, *PROBLEM_SETS):
        parser.error(f"there is no problem set {options.problem_set}; expected ps01 to {PROBLEM_SETS[-1]}")
    left_out: list[str] = []
    try:
        with private_files():
            say(collect(options, left_out))
    except (ValueError, OSError) as problem:
        say([str(problem)], file=sys.stderr)
        return 2
    return int(bool(left_out))


def collect(options: argparse.Namespace, left_out: list[str]) -> Iterable[str]:
    """Write every notebook that has one owner, and yield what there is to know."""
    roster, rules = Roster(options.export), read_rules(options.into.resolve().parent)
    archive = Archive(options.zip, roster.lms)
    with contextlib.closing(archive.zip):
        files, strangers = by_student(archive)
        if not files:
            other = CANVAS if roster.lms == MOODLE else MOODLE
            raise ValueError(
                f"nothing in {options.zip} is called as {roster.lms} calls it; is it the download of all submissions, "
                f"and not from {other}?"
            )
        problem_set = options.problem_set or guess(files, options.zip)
        students = {student.number: student for student in roster.students}
        existing = existing_folders(options.into, roster)
        taken = []
        for number, handed in files.items():
            try:
                student = owner(handed, students.get(number), options.export)
                folder = own_folder(student, existing)
                data = archive.read(the_notebook(handed, problem_set).info)
                time = None if roster.lms == CANVAS else when(student, rules.zone)
                state = put(options.into, folder, problem_set, data, time)
                taken.append(Taken(folder, state, any(one.late for one in handed), time))
            except (NotTaken, Refused) as problem:
                left_out.append(f"{handed[0].name}_{number} {problem}")
    counts = Counter(one.state for one in taken)
    parts = ", ".join(f"{counts[state]} {state}" for state in (NEW, REPLACED, UNCHANGED) if counts[state])
    yield f"{problem_set} of {len(taken)} students is in {options.into} ({parts or 'nothing new'})"
    left_out += [f"{name} isn't called as {roster.lms} calls a student's file" for name in strangers]
    for sentence in left_out:
        yield f"not taken: {sentence}"
    yield from about([one.folder for one in taken if one.late], "late, says Canvas, but its zip doesn't say since when")
    yield from about(
        [one.folder for one in taken if one.time is None], f"without a known time ({why(roster, rules.zone)})"
    )


def by_student(archive: Archive) -> tuple[dict[str, list[Handed]], list[str]]:
    """The files of each student, by the student's number, and names that say nothing."""
    files: dict[str, list[Handed]] = {}
    strangers = []
    for one in archive.files():
        if isinstance(one, str):
            strangers.append(one)
        else:
            files.setdefault(one.number, []).append(one)
    return files, strangers


def guess(files: dict[str, list[Handed]], path: Path) -> str:
    """The problem set that the notebooks are named after, if they agree."""
    called = (re.match(r"ps\d\d", one.file.casefold()) for handed in files.values() for one in handed)
    found = {name[0] for name in called if name} & set(PROBLEM_SETS)
    if len(found) != 1:
        raise ValueError(
            f"{path} has {', '.join(sorted(found)) or 'no psNN.ipynb'} in it; say which with --problem-set"
        )
    return found.pop()


def existing_folders(into: Path, roster: Roster) -> dict[str, list[str]]:
    """Folders that students have already, perhaps under another of their names."""
    existing: dict[str, list[str]] = {}
    for name in folders(into) if into.is_dir() else []:
        if student := roster.find(name):
            existing.setdefault(student.number, []).append(name)
    return existing


def owner(handed: list[Handed], student: Student | None, export: Path) -> Student:
    """Whose files they are: number and name must agree with one row."""
    if student is None:
        raise NotTaken(f"isn't in {export}")
    names = {letters(one.name) for one in handed}
    if student.name and not all(letters(student.name) in name for name in names):
        raise NotTaken(f"has the number of {student.name} in {export}, but not the name")
    return student


def own_folder(student: Student, existing: dict[str, list[str]]) -> str:
    """The folder that a student has, or gets."""
    have = existing.get(student.number, [])
    if len(have) > 1:
        raise NotTaken(f"has more than one folder: {', '.join(have)}; put them together first")
    return have[0] if have else student.folder


def the_notebook(handed: list[Handed], problem_set: str) -> Handed:
    """The one notebook, or the newest of those with the right name."""
    notebooks = [one for one in handed if one.file.casefold().endswith(".ipynb")]
    if not notebooks:
        raise NotTaken(f"has no notebook in it, but {', '.join(one.file for one in handed[:3])}")
    named = [one for one in notebooks if re.match(rf"{problem_set}(?!\d)", one.file.casefold())] or notebooks
    newest = [one for one in named if one.age == max(other.age for other in named)]
    exact = [one for one in newest if one.file == f"{problem_set}.ipynb"] or newest
    if len(exact) > 1:
        raise NotTaken(f"has {len(exact)} notebooks that could be meant: {', '.join(one.file for one in exact[:3])}")
    other = re.match(r"ps\d\d(?!\d)", exact[0].file.casefold())
    if other and other[0] != problem_set:
        raise NotTaken(f"has {exact[0].file} in it, not {problem_set}")
    return exact[0]


def when(student: Student, zone) -> datetime | None:
    """When Moodle says that it was handed in, to the minute."""
    for layout in MOODLES_TIMES if zone else ():
        with contextlib.suppress(ValueError):
            return datetime.strptime(" ".join(student.handed_in.split()), layout).replace(tzinfo=zone).astimezone(UTC)
    return None


def why(roster: Roster, zone) -> str:
    """Why a time isn't known."""
    if roster.lms == CANVAS:
        return "Canvas's zip has none; timestamp.txt beside the notebook may say it"
    return "the worksheet has none in English" if zone else f"to read Moodle's, {NAME} must say time_zone"


def put(into: Path, folder: str, problem_set: str, data: bytes, time: datetime | None) -> str:
    """Write one submission as a whole. What was there before is moved, never overwritten."""
    home, stamp = into / folder, f"{time:%Y-%m-%d %H:%M:%S.%f} UTC" if time else ""
    place, old = home / problem_set, home / problem_set / f"{problem_set}.ipynb"
    if home.is_symlink() or place.is_symlink():
        raise NotTaken(f"has a link in place of a folder: {place}")
    if old.is_file() and old.read_bytes() == data:
        told = place / "timestamp.txt"
        if stamp and not told.exists():
            told.write_text(stamp, encoding="ascii")
        return UNCHANGED
    before = handed_in(Submission(folder, problem_set, old)) if time and old.is_file() else None
    if before and before > time:
        raise NotTaken(f"is older than {old}, which stays")
    home.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(dir=home, prefix=UNFINISHED))
    try:
        (new / old.name).write_bytes(data)
        if stamp:
            (new / "timestamp.txt").write_text(stamp, encoding="ascii")
        state = keep(place, into.resolve().parent / "replaced" / folder)
        os.rename(new, place)
    except BaseException:
        shutil.rmtree(new)
        raise
    return state


def keep(place: Path, away: Path) -> str:
    """Move an earlier submission out of the way."""
    if not place.exists():
        return NEW
    away.mkdir(parents=True, exist_ok=True)
    number = next(number for number in range(1, 10_000) if not (away / f"{place.name}-{number}").exists())
    os.rename(place, away / f"{place.name}-{number}")
    return REPLACED
