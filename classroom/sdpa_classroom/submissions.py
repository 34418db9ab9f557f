"""Find what was handed in and read it. Nothing in a submission is trusted, not even its name.

The layout is nbgrader's: submitted/<student>/<psNN>/psNN.ipynb
"""

import contextlib
import errno
import hashlib
import json
import os
import stat
from pathlib import Path
from typing import BinaryIO, NamedTuple

from sdpa_course import homework
from sdpa_course.homework.tasks import PROBLEM_SETS

LARGEST_FILE = 20 * 1024**2
MOST_CELLS, LONGEST_CELL = 1000, 100_000
LONGEST_NAME = 100
UNKNOWN = "(unknown)"  # the problem set of a student whose folder can't be opened
CELL_TYPES = ("code", "markdown", "raw")


class Submission(NamedTuple):
    """One problem set of one student."""

    student: str  # printable, whatever the folder is called
    problem_set: str
    path: Path


class Cell(NamedTuple):
    """What counts of a cell; its outputs and other metadata don't."""

    kind: str
    source: str
    grade_id: str


class Unreadable(Exception):
    """There's no notebook to grade; the message tells the student why."""


def find_submissions(folder: Path) -> list[Submission]:
    """Every submission below `folder`, sorted; hidden folders and loose files don't count."""
    found = []
    for student in folders(folder):
        try:
            problem_sets = folders(folder / student)
        except OSError:
            problem_sets = [UNKNOWN]
        for name in problem_sets:
            found.append(Submission(printable(student), printable(name), folder / student / name / f"{name}.ipynb"))
    return found


def students_without_submissions(folder: Path) -> list[str]:
    """Students whose folder has no submission in it."""
    found = {submission.path.parent.parent.name for submission in find_submissions(folder)}
    return [printable(student) for student in folders(folder) if student not in found]


def folders(path: Path) -> list[str]:
    """Names of the folders in `path`, links included: those are refused when they're read."""
    with os.scandir(path) as entries:
        return sorted(entry.name for entry in entries if not entry.name.startswith(".") and might_be_folder(entry))


def might_be_folder(entry: os.DirEntry) -> bool:
    """A folder, a link to one, or something that can't even be looked at."""
    try:
        return entry.is_dir()
    except OSError:
        return True


def escaped(name: str) -> str:
    """A name that can be printed: control characters and bytes that aren't UTF-8 become \\xNN."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printable(name: str) -> str:
    """A name that can be printed and stored. If it had to be changed, a hash keeps it distinct."""
    raw, text = os.fsencode(name), escaped(name)
    if os.fsencode(text) == raw and len(raw) <= LONGEST_NAME:
        return text
    return f"{text[:LONGEST_NAME]}-{hashlib.sha256(raw).hexdigest()[:8]}"


def read(submission: Submission) -> tuple[bytes, list[Cell]]:
    """The file's bytes and its cells; raises `Unreadable`."""
    if submission.problem_set == UNKNOWN:
        raise Unreadable("the student's folder can't be opened")
    if submission.problem_set not in PROBLEM_SETS:
        raise Unreadable(
            f"there is no problem set {submission.problem_set}; expected a folder named ps01 to {PROBLEM_SETS[-1]}"
        )
    data = read_bytes(submission.path)
    return data, read_cells(data)


def read_bytes(path: Path) -> bytes:
    """The bytes of a regular file that isn't too large; raises `Unreadable`."""
    return read_dated(path)[0]


def read_dated(path: Path) -> tuple[bytes, float]:
    """The same, and when that file last changed, by the machine's clock: another one may have its name by now."""
    with open_file(path) as file:
        data, size = b"", os.fstat(file.fileno()).st_size
        if size <= LARGEST_FILE:
            data = file.read(LARGEST_FILE + 1)
        changed = os.fstat(file.fileno()).st_ctime
    if max(size, len(data)) > LARGEST_FILE:  # it may have grown in the meantime
        size, limit = max(size, len(data)) / 1024**2, LARGEST_FILE // 1024**2
        raise Unreadable(
            f"the file has {size:.0f} MB, and the limit is {limit} MB; clear the outputs and save it again"
        )
    return data, changed


def open_file(path: Path) -> BinaryIO:
    """Open a regular file without following links, neither for the file nor for the two folders above it."""
    name, folder, others = escaped(path.name), None, ""
    try:
        with contextlib.ExitStack() as stack:
            for part in (path.parent.parent, path.parent.name):
                folder = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
                stack.callback(os.close, folder)
            others = ", ".join(sorted(map(escaped, os.listdir(folder)))[:5])
            descriptor = os.open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        raise Unreadable(f"{name} was not found; its folder contains {others or 'nothing'}") from None
    except OSError as error:
        is_link = error.errno in (errno.ELOOP, errno.ENOTDIR)
        raise Unreadable(f"{name} can't be opened: {'it is behind a link' if is_link else error.strerror}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Unreadable(f"{name} is not a regular file")
    return os.fdopen(descriptor, "rb")


def read_cells(data: bytes) -> list[Cell]:
    """The cells of a notebook in format 4.

    Without nbformat, which wants all of a notebook to be valid; here only three fields of each cell count.
    """
    if not data.strip():
        raise Unreadable("the file is empty")
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable("the file is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the file is incomplete or not a notebook (invalid JSON: {error})"[:200]) from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise Unreadable("the file is JSON, but not a notebook in format 4: it has no list of cells")
    if len(notebook["cells"]) > MOST_CELLS:
        raise Unreadable(f"the notebook has {len(notebook['cells'])} cells, and the limit is {MOST_CELLS}")
    return [read_cell(number, cell) for number, cell in enumerate(notebook["cells"], 1)]


def read_cell(number: int, cell) -> Cell:
    """One cell, checked."""
    source = cell.get("source") if isinstance(cell, dict) else None
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str) or cell.get("cell_type") not in CELL_TYPES:
        raise Unreadable(f"cell {number} is not a notebook cell")
    if len(source) > LONGEST_CELL:
        raise Unreadable(f"cell {number} has {len(source)} characters, and the limit is {LONGEST_CELL}")
    metadata = cell.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = marks.get("grade_id") if isinstance(marks, dict) else None
    clean = source.encode("utf-8", "replace").decode("utf-8")
    return Cell(cell["cell_type"], clean, grade_id if isinstance(grade_id, str) else "")


def digest(data: bytes, problem_set: str) -> str:
    """A hash of the submission and the tasks that grade it: the same digest means the same marks."""
    tasks = Path(homework.__file__).with_name(f"{problem_set}.py")
    return hashlib.sha256(tasks.read_bytes() + b"\0" + data).hexdigest()
