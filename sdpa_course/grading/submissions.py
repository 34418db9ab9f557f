"""Find what was handed in and read it, whatever it is. Nothing in a submission is trusted, not even its name.

The layout is nbgrader's: submitted/<student>/<psNN>/psNN.ipynb
"""

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import NamedTuple

from ..homework.tasks import PROBLEM_SETS

LARGEST_FILE = 20 * 1024**2
MOST_CELLS, LONGEST_CELL = 1000, 100_000
LONGEST_NAME = 100
UNKNOWN = "(unknown)"  # the problem sets of a student whose folder cannot be opened
CELL_TYPES = ("code", "markdown", "raw")


class Submission(NamedTuple):
    """One problem set of one student."""

    student: str  # printable, whatever the folder's bytes are
    problem_set: str
    path: Path


class Cell(NamedTuple):
    """What counts of a cell: outputs and other metadata that came with it do not."""

    kind: str
    source: str
    grade_id: str


class Unreadable(Exception):
    """There is no notebook to grade; the message says why, to the student."""


def find(folder: Path) -> list[Submission]:
    """Every submission below `folder`, sorted; hidden folders and loose files are not submissions."""
    found = []
    for student in folders(folder):
        try:
            problem_sets = folders(folder / student)
        except OSError:
            problem_sets = [UNKNOWN]
        for name in problem_sets:
            found.append(Submission(printable(student), printable(name), folder / student / name / f"{name}.ipynb"))
    return found


def empty_handed(folder: Path) -> list[str]:
    """Students whose folder has no submission in it."""
    having = {submission.path.parent.parent.name for submission in find(folder)}
    return [printable(student) for student in folders(folder) if student not in having]


def folders(path: Path) -> list[str]:
    """Names of the folders in `path`, also of links: what those are is found out when they are read."""
    with os.scandir(path) as entries:
        return sorted(entry.name for entry in entries if not entry.name.startswith(".") and might_be_folder(entry))


def might_be_folder(entry: os.DirEntry) -> bool:
    """A folder, a link to one, or something that cannot even be looked at."""
    try:
        return entry.is_dir()
    except OSError:
        return True


def escaped(name: str) -> str:
    """A name that can be printed: bytes that are no UTF-8, and control characters, become \\xNN."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printable(name: str) -> str:
    """A name that can be printed and stored. Where something had to be changed, a hash keeps it apart from others."""
    raw, text = os.fsencode(name), escaped(name)
    if os.fsencode(text) == raw and len(raw) <= LONGEST_NAME:
        return text
    return f"{text[:LONGEST_NAME]}-{hashlib.sha256(raw).hexdigest()[:8]}"


def read(submission: Submission) -> tuple[bytes, list[Cell]]:
    """The file's bytes and its cells, or `Unreadable`."""
    if submission.problem_set == UNKNOWN:
        raise Unreadable("the student's folder cannot be opened")
    if submission.problem_set not in PROBLEM_SETS:
        raise Unreadable(f"there is no problem set {submission.problem_set}; a folder is named ps01 to ps09")
    data = read_bytes(submission.path)
    return data, read_cells(data)


def read_bytes(path: Path) -> bytes:
    """The bytes of an ordinary file that is really there: no link, no pipe, not larger than it may be."""
    name = escaped(path.name)
    try:
        for parent in (path.parent.parent, path.parent):
            if parent.is_symlink():
                raise Unreadable(f"the folder {escaped(parent.name)} is a link, not a folder")
        if path.is_symlink():
            raise Unreadable(f"{name} is a link, not a file")
        if not path.exists():
            others = ", ".join(sorted(escaped(other) for other in os.listdir(path.parent))[:5])
            raise Unreadable(f"{name} was not found; " + (f"found: {others}" if others else "the folder is empty"))
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise Unreadable(f"{name} cannot be opened: {error.strerror}") from None
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        os.close(descriptor)
        raise Unreadable(f"{name} is not an ordinary file")
    with os.fdopen(descriptor, "rb") as file:
        if facts.st_size > LARGEST_FILE:
            size, most = facts.st_size / 1024**2, LARGEST_FILE // 1024**2
            raise Unreadable(
                f"the file has {size:.0f} MB, at most {most} are read; clear the outputs and save it again"
            )
        return file.read(LARGEST_FILE + 1)


def read_cells(data: bytes) -> list[Cell]:
    """The cells of a notebook of format 4."""
    if not data.strip():
        raise Unreadable("the file is empty")
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable("the file is not text in UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the file is not whole, or not a notebook (no valid JSON: {error})"[:200]) from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise Unreadable("the file is JSON, but not a notebook of format 4: it has no list of cells")
    if len(notebook["cells"]) > MOST_CELLS:
        raise Unreadable(f"the notebook has {len(notebook['cells'])} cells, at most {MOST_CELLS} are read")
    return [read_cell(number, cell) for number, cell in enumerate(notebook["cells"], 1)]


def read_cell(number: int, cell) -> Cell:
    """One cell, checked."""
    source = cell.get("source") if isinstance(cell, dict) else None
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str) or cell.get("cell_type") not in CELL_TYPES:
        raise Unreadable(f"cell {number} is not a notebook cell")
    if len(source) > LONGEST_CELL:
        raise Unreadable(f"cell {number} has {len(source)} characters, at most {LONGEST_CELL} are read")
    metadata = cell.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = marks.get("grade_id") if isinstance(marks, dict) else None
    clean = source.encode("utf-8", "replace").decode("utf-8")
    return Cell(cell["cell_type"], clean, grade_id if isinstance(grade_id, str) else "")


def digest(data: bytes, problem_set: str) -> str:
    """Of what was handed in and of the tasks it is graded by: the same digest, the same marks."""
    tasks = Path(__file__).parent.parent / "homework" / f"{problem_set}.py"
    return hashlib.sha256(tasks.read_bytes() + b"\0" + data).hexdigest()
