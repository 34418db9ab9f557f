"""The CSV that Moodle or Canvas exports, with a row for each student: marks go into it, and it goes back.

Moodle's is the grading worksheet of one assignment, Canvas's is the gradebook. Both are read again by programs that
compare headers and numbers letter by letter, so only the cells that are filled change, and every other byte stays.
"""

import re
import unicodedata
from pathlib import Path
from typing import NamedTuple

from .files import harmless, write_atomically
from .submissions import printable

MOODLE, CANVAS = "Moodle", "Canvas"
LARGEST = 50 * 1024**2
# What names a student's folder, the best first; the number that is in the LMS's own file names comes last.
NAMES = ("Username", "SIS Login ID", "Email address", "ID number", "SIS User ID")
# Columns that students can influence and no importer reads back.
TEXTS = {"Full name", "Email address", "Online text", "Student", "LastName", "FirstName", "Section"}


class Student(NamedTuple):
    """One row."""

    row: int
    name: str
    number: str  # what the LMS puts into the names of this student's files
    folder: str  # what we call their folder in submitted/
    handed_in: str = ""  # in Moodle's words


class Roster:
    """One of these files. It's changed in memory and written somewhere else."""

    def __init__(self, path: Path):
        self.path = path
        self.encoding, text = decode(path)
        first = text.splitlines()[0] if text.strip() else ""
        self.delimiter = max(",;\t", key=first.count)
        self.rows, self.ends = split(text, self.delimiter, path)
        self.header = [value(cell).strip() for cell in self.rows[0]] if self.rows else []
        if {"Student", "LastName"} & set(self.header[:1]) and "ID" in self.header:
            self.lms, self.identifier = CANVAS, self.header.index("ID")
        elif len(self.rows) > 1 and re.fullmatch(r"\D*\d+", self.cell(1, 0)):  # "Participant 123456", in any language
            self.lms, self.identifier = MOODLE, 0
        else:
            raise ValueError(
                f"{path} is neither a grading worksheet of Moodle (its first column reads Identifier) nor a gradebook "
                "of Canvas (Student, ID, …)"
            )
        self.students = self.read_students()
        self.by_key: dict[str, list[Student]] = {}
        for student in self.students:
            for key in self.keys(student):
                self.by_key.setdefault(key, []).append(student)

    def cell(self, row: int, column: int) -> str:
        """What a cell says; nothing if the row is too short."""
        return value(self.rows[row][column]).strip() if column < len(self.rows[row]) else ""

    def named(self, row: int, column: str) -> str:
        """What the cell in the column with this name says; nothing if there's no such column."""
        return self.cell(row, self.header.index(column)) if column in self.header else ""

    def read_students(self) -> list[Student]:
        """Everyone with a number; rows such as Canvas's "Points Possible" have none."""
        students = []
        for row in range(1, len(self.rows)):
            if number := re.fullmatch(r"\D*(\d+)", self.cell(row, self.identifier)):
                name = self.named(row, "Full name") or self.named(row, "Student")
                name = name or " ".join(filter(None, (self.named(row, "FirstName"), self.named(row, "LastName"))))
                choices = (self.named(row, column) for column in NAMES)
                folder = next((choice for choice in choices if is_plain(choice)), number[1])
                handed_in = self.named(row, "Last modified (submission)")
                students.append(Student(row, name, number[1], folder, handed_in))
        if not students:
            raise ValueError(f"{self.path} has no students in it")
        twice = repeated(student.number for student in students) + repeated(s.folder.casefold() for s in students)
        if twice:
            raise ValueError(f"{self.path} has two rows for {twice[0]}, so marks could go to the wrong one")
        return students

    def keys(self, student: Student) -> set[str]:
        """Everything in the row that could name the student's folder."""
        cells = (self.named(student.row, column) for column in NAMES)
        return {key.casefold() for key in (student.folder, student.number, student.name, *cells) if key}

    def find(self, folder: str) -> Student | None:
        """Whose folder is it? Nobody's if no row fits, or more than one."""
        fitting = self.by_key.get(folder.casefold(), [])
        return fitting[0] if len(fitting) == 1 else None

    def grade_column(self, problem_set: str, asked: str | None) -> int:
        """Where this problem set's marks go."""
        titles = [re.sub(r"\s*\(\d+\)$", "", title) for title in self.header]
        if asked:
            found = [i for i, title in enumerate(self.header) if asked in (title, titles[i])]
        elif self.lms == MOODLE:
            found = [i for i, title in enumerate(self.header) if title == "Grade"]
        else:
            found = [i for i, t in enumerate(titles) if t != self.header[i] and problem_set in t.casefold()]
        if len(found) != 1:
            why = "no column fits" if not found else "more than one column fits"
            listed = ", ".join(title for title in self.header if title)
            raise ValueError(f"{why} {asked or problem_set} in {self.path}; name it with --column: {listed}")
        return found[0]

    def largest_mark(self, column: int) -> str:
        """What the LMS takes for full marks, as it's written there."""
        if self.lms == MOODLE:  # the next column
            return self.cell(self.students[0].row, column + 1)
        rows = range(1, len(self.rows))
        return next((self.cell(row, column) for row in rows if "Points Possible" in self.cell(row, 0)), "")

    def fill(self, row: int, column: int, text: str) -> None:
        """Put a text into a cell, with quotes if the cell had some or needs some."""
        cells = self.rows[row]
        cells.extend([""] * (column + 1 - len(cells)))
        quoted = cells[column].startswith('"') or any(c in text for c in f'"\r\n{self.delimiter}')
        cells[column] = '"' + text.replace('"', '""') + '"' if quoted else text

    def write(self, path: Path) -> None:
        """Write it as it came, except that no spreadsheet runs a student's name as a formula."""
        for column in (i for i, title in enumerate(self.header) if title in TEXTS):
            for row in (student.row for student in self.students):
                text = self.cell(row, column)
                if harmless(text) != text:
                    self.fill(row, column, harmless(text))
        text = "".join(self.delimiter.join(cells) + end for cells, end in zip(self.rows, self.ends, strict=True))
        write_atomically(path, text.encode(self.encoding))


def decode(path: Path) -> tuple[str, str]:
    """The file's encoding and text. Latin-1 as the last resort: it takes any byte and gives the same one back."""
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    first = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    if len(data) > LARGEST or (first == "utf-8" and b"\0" in data):
        raise ValueError(f"{path} is not a CSV file")
    for encoding in (first, "latin-1"):
        try:
            return encoding, data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AssertionError("Latin-1 takes any byte")


def split(text: str, delimiter: str, path: Path) -> tuple[list[list[str]], list[str]]:
    """Rows of cells exactly as they're written, and how each row ends; the csv module forgets who had quotes."""
    cell = re.compile(rf'("(?:[^"]++|"")*+"|[^{delimiter}\r\n"][^{delimiter}\r\n]*|)({delimiter}|\r\n|\n|\r|\Z)')
    rows, ends, cells, place = [], [], [], 0
    while place < len(text) or cells:
        found = cell.match(text, place)
        if not found:
            line = text.count("\n", 0, place) + 1
            raise ValueError(f"{path} is not a whole CSV file: a quotation mark in line {line} has no partner")
        cells.append(found[1])
        place = found.end()
        if found[2] != delimiter:
            rows.append(cells)
            ends.append(found[2])
            cells = []
    return rows, ends


def value(cell: str) -> str:
    """What a cell says, without its quotes and without the mark that may begin a file."""
    cell = cell.removeprefix("\ufeff")
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell


def is_plain(name: str) -> bool:
    """Can a folder have this name, on any system, and nbgrader a student?"""
    return re.fullmatch(r"[^\W_][\w.@-]*", name) is not None and printable(name) == name


def repeated(values) -> list[str]:
    """What occurs more than once."""
    seen, twice = set(), []
    for one in values:
        (twice.append if one in seen else seen.add)(one)
    return twice


def letters(name: str) -> str:
    """A name as two programs may agree on it: letters and digits, without accents, in lower case."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(c for c in plain if c.isalnum())
