"""Marks go out in the file that Moodle or Canvas exported, and nothing else in it changes."""

import contextlib
import csv
import io
import shutil
import sqlite3
import tracemalloc

import pytest
from nbgrader.api import Gradebook

from sdpa_classroom.marks import main
from sdpa_classroom.rosters import Roster, split, value

from .lms import canvas_gradebook, moodle_worksheet, sortable_name
from .made_up_class import ABSENT, NAMES, make_class

RISKY = tuple("=+-@")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A graded class of sixty, and by student: the score, and whether a person still has to read something."""
    course = tmp_path_factory.mktemp("course")
    database = make_class(course)
    gradebook = Gradebook(f"sqlite:///{database}", "sdpa-course")
    submissions = gradebook.find_assignment("ps03").submissions
    marks = {s.student_id: (s.score, bool(s.needs_manual_grade)) for s in submissions}
    gradebook.close()
    assert len(marks) == len(NAMES) - len(ABSENT)
    assert 5 < sum(waiting for _, waiting in marks.values()) < 50
    return course, marks


@pytest.fixture
def run(graded, tmp_path, capsys):
    """Give the command this export; returns what it wrote as text, and what it said."""

    def run(text, *options, encoding="utf-8", status=0):
        export = tmp_path / "export.csv"
        export.write_bytes(text.encode(encoding))
        course = tmp_path / "course"
        course.mkdir(exist_ok=True)
        shutil.copy(graded[0] / "gradebook.db", course)
        assert main([str(export), "--course", str(course), *options]) == status
        said = capsys.readouterr()
        written = [path.read_bytes().decode(encoding) for path in course.glob("ps03-for-*.csv")]
        return (written[0] if written else ""), said.out + said.err

    return run


def cells(text, delimiter=","):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


@pytest.mark.parametrize(
    ("export", "name", "grade"),
    [(moodle_worksheet, "Username", "Grade"), (canvas_gradebook, "SIS Login ID", "ps03 (812)")],
)
def test_every_mark_is_in_its_row_and_nothing_else_changes(graded, run, export, name, grade):
    before, (after, said) = export(), run(export(), "--unread")
    header = cells(before)[0]
    column, text_columns = header.index(grade), {"Full name", "Student"}
    assert len(cells(after)) == len(cells(before))
    for old, new in zip(cells(before), cells(after), strict=True):
        student = old[header.index(name)]
        if student in graded[1]:
            assert float(new[column]) == graded[1][student][0]
        else:
            assert new[column] == old[column]
        for i in set(range(len(header))) - {column}:
            if header[i] in text_columns:
                assert new[i].removeprefix("'") == old[i]
                assert not new[i].strip().startswith(RISKY)
            else:
                assert new[i] == old[i]
    assert f"for {len(graded[1])} of" in said
    ends = "\r\n" if "\r\n" in before else "\n"
    assert after.count(ends) == before.count(ends)
    assert after.startswith(before[: before.index(ends)])


@pytest.mark.parametrize("export", [moodle_worksheet, canvas_gradebook])
def test_only_read_answers_count_unless_asked(graded, run, export):
    waiting = [name for name, (_, unread) in graded[1].items() if unread]
    after, said = run(export(grades=dict.fromkeys(waiting, "1.00")))
    header = cells(after)[0]
    column = header.index("Grade" if "Grade" in header else "ps03 (812)")
    left = {row[2] if "Grade" in header else row[3] for row in cells(after) if row[column] == "1.00"}
    assert left == set(waiting)
    assert f"{len(waiting)} waiting for a person to read answers" in said


def test_excused_stays_excused_and_changed_marks_are_named(graded, run):
    first, second, *_ = (name for name, (score, unread) in graded[1].items() if not unread and score != 1)
    after, said = run(canvas_gradebook(grades={first: "EX", second: "1.00"}))
    row = next(row for row in cells(after) if row[3] == first)
    assert row[-2] == "EX"
    assert f"1 excused or not assigned in Canvas, so left as they were: {first}" in said
    assert f"1 with another mark in Canvas so far: {second} (1.00, now " in said


def test_a_decimal_comma_and_other_encodings_stay(graded, run):
    name = next(name for name, (score, unread) in graded[1].items() if not unread and score % 1)
    score = graded[1][name][0]
    semicolons = moodle_worksheet(largest="20,00", delimiter=";")
    after, _ = run(semicolons)
    assert after.startswith("\ufeffIdentifier;")
    assert f";{score:.1f};20,00;".replace(".", ",") in next(line for line in after.splitlines() if f";{name};" in line)
    sixteen, _ = run(moodle_worksheet()[1:].replace(",", "\t"), encoding="utf-16")
    assert f"\t{score:.1f}\t20.00" in next(line for line in sixteen.splitlines() if name in line)


def test_another_scale_is_refused_or_converted(graded, run):
    _, said = run(moodle_worksheet(largest="100.00"), status=2)
    assert "ps03 has 20 points, and Moodle has 100.00" in said
    after, _ = run(moodle_worksheet(largest="100.00"), "--scale", "--unread")
    for row in cells(after)[1:]:
        if row[2] in graded[1]:
            assert float(row[5]) == 5 * graded[1][row[2]][0]


def test_whoever_is_not_in_the_file_is_named_and_never_guessed(graded, run):
    gone, *_ = graded[1]
    after, said = run(canvas_gradebook().replace(f",{gone},", ",someone.else,", 1), "--unread")
    assert "1 graded but not in" in said
    assert said.split("or there twice: ")[1].splitlines()[0] == gone
    assert next(row for row in cells(after) if row[3] == "someone.else")[-2] == ""


def test_a_full_name_counts_only_if_one_student_has_it(tmp_path):
    for names, found in ((NAMES[:30], 1), (NAMES, 0)):
        (tmp_path / "export.csv").write_text(canvas_gradebook(names), encoding="utf-8", newline="")
        student = Roster(tmp_path / "export.csv").find(sortable_name(3))
        assert (student is not None) == found


def test_another_language_needs_only_the_column(graded, run):
    text = moodle_worksheet().replace("Identifier", "Identifiant", 1).replace(",Grade,", ",Note,", 1)
    text = text.replace("Maximum Grade", "Note maximale", 1).replace("Participant", "Participant·e")
    _, said = run(text, status=2)
    assert "no column fits ps03" in said
    after, _ = run(text, "--column", "Note", "--unread")
    assert all(float(row[5]) == graded[1][row[2]][0] for row in cells(after)[1:] if row[2] in graded[1])


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", (), "is neither a grading worksheet of Moodle"),
        ("name,mark\nada,3\n", (), "is neither a grading worksheet of Moodle"),
        ('Identifier,"Full name\nParticipant 1,x\n', (), "a quotation mark in line 1 has no partner"),
        ("Identifier,Grade,Maximum Grade\nParticipant 1,,20\nParticipant 1,,20\n", (), "has two rows for 1"),
        ('Identifier,Grade,Scale\nParticipant 1,,"good, bad"\n', (), "takes no marks: its largest is good, bad"),
        ("Identifier\0", (), "is not a CSV file"),
        (canvas_gradebook(assignments=("ps03 (1)", "ps03 again (2)")), (), "more than one column fits ps03"),
        (canvas_gradebook(), ("--column", "Final Score"), "takes no marks: its largest is (read only)"),
        (canvas_gradebook(), ("--problem-set", "ps04"), "ps04 isn't graded in"),
    ],
)
def test_what_cannot_be_filled_gets_one_sentence(run, text, options, words):
    after, said = run(text, *options, status=2)
    assert not after
    assert words in said
    assert said.count("\n") == 1


def test_no_gradebook_gets_one_sentence(tmp_path, capsys):
    for make in (lambda path: None, lambda path: path.write_bytes(b"not a database, whatever its name says")):
        make(tmp_path / "gradebook.db")
        assert main([str(tmp_path / "export.csv"), "--course", str(tmp_path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "text", [moodle_worksheet(), canvas_gradebook(), 'a,"b\r\n""c""",\r\n,,\r\n\r\n"",d', "a\rb\r"]
)
def test_cells_are_those_of_the_csv_module(text, tmp_path):
    rows, ends = split(text, ",", tmp_path)
    assert "".join(",".join(row) + end for row, end in zip(rows, ends, strict=True)) == text
    theirs = [row or [""] for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))]
    assert [[value(cell) for cell in row] for row in rows] == theirs


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("create table assignment (x)", "can't be read as nbgrader's gradebook (no such column"),
        ("begin exclusive", "is in use by another program; try again when that's done"),
    ],
)
def test_a_gradebook_of_another_kind_or_in_use_gets_one_sentence(tmp_path, capsys, statement, words):
    with contextlib.closing(sqlite3.connect(tmp_path / "gradebook.db", isolation_level=None)) as database:
        database.execute("create table alembic_version (version_num)")
        database.execute(statement)
        assert main([str(tmp_path / "export.csv"), "--course", str(tmp_path)]) == 2
    assert words in capsys.readouterr().err


def test_a_cell_of_many_megabytes_takes_no_memory_to_read():
    """A student can type as much into an online text, and quotation marks are doubled."""
    text = 'a,b\n"' + '""' * 2_000_000 + '",c\n'
    tracemalloc.start()
    rows, _ = split(text, ",", "export.csv")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(rows[1][0]) == 4_000_002
    assert most < 4 * len(text)
