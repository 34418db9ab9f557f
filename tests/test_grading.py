"""Grading a class in which many mean no good, and again, half-way, with bad input: marks, states, and nothing lost.

One file on purpose: files are tested side by side, and some tests look for processes that a grading left running.
"""

import csv
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import nbformat
import psutil
import pytest
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash
from traitlets.config import Config

from sdpa_course.grading import command
from sdpa_course.grading.marking import STATES
from sdpa_course.homework.tasks import PROBLEM_SETS

sys.path.insert(0, str(Path(__file__).parent))
from grading_class import BWRAP, LIMITS, WHY, grade, grades, hand_in, needs_sandbox, run_command
from hostile import ALL, POINTS, exercise, make_class, solution, with_first_cell, with_softmax

ROOT = Path(__file__).parent.parent


def digests(folder):
    return {
        path: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


@pytest.fixture(scope="module")
def listener():
    """A server on this machine that notes whether anybody reached it."""
    reached = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                reached.append(connection)
                connection.close()

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1], reached


class Class:
    """The hostile class, graded once."""


@pytest.fixture(scope="module")
def graded(tmp_path_factory, listener):
    if BWRAP is None:
        pytest.fail(WHY)
    found = Class()
    found.course = tmp_path_factory.mktemp("course")
    found.expected = make_class(found.course, port=listener[0])
    before = digests(found.course / "submitted"), digests(ROOT / "solutions"), digests(ROOT / "sdpa_course")
    found.said = grade(found.course, *LIMITS)
    after = digests(found.course / "submitted"), digests(ROOT / "solutions"), digests(ROOT / "sdpa_course")
    found.unchanged = [a == b for a, b in zip(before, after, strict=True)]
    found.rows = grades(found.course)
    return found


pytestmark = needs_sandbox


def test_the_class_is_large_and_nobody_is_dropped(graded):
    assert len(graded.expected) >= 40
    assert {student for student, _ in graded.rows} == set(graded.expected)


def test_each_gets_the_marks_it_earned_and_its_state(graded):
    for student, expected in graded.expected.items():
        row = graded.rows[student, "ps03"]
        assert row["state"] in expected, (student, row["state"], row["reason"])
        assert float(row["checked by code"] or 0) == expected[row["state"]], (student, row)
        assert row["state"] in STATES
        assert len(row["reason"]) > 5


def test_nothing_of_anybody_else_was_touched(graded):
    assert graded.unchanged == [True, True, True]
    assert not list(ROOT.rglob("written_by_a_student"))
    assert not (graded.course / "written_by_a_student").exists()


def test_no_secret_came_out(graded, listener):
    for page in (graded.course / "autograded").rglob("*.ipynb"):
        for cell in nbformat.read(page, as_version=4).cells:
            assert "SECRET" not in "".join(output.get("text", "") for output in cell.get("outputs", []))
    assert not listener[1]


def test_nothing_is_left_running(graded):
    time.sleep(0.5)
    for process in psutil.process_iter(["cmdline"]):
        assert not any("left-by-a-student" in part for part in process.info["cmdline"] or ())
        assert not any("/sandbox/student.py" in part for part in process.info["cmdline"] or ())


def test_every_student_gets_feedback_that_says_why(graded):
    for student in graded.expected:
        page = (graded.course / "feedback" / student / "ps03" / "ps03.html").read_text(encoding="utf-8")
        assert graded.rows[student, "ps03"]["state"].capitalize() in page
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert 'onerror="alert' not in page
        assert 'href="javascript' not in page
    wrong = (graded.course / "feedback" / "partly" / "ps03" / "ps03.html").read_text(encoding="utf-8")
    assert "not right yet" in wrong
    assert "notebook 03, section 1" in wrong


def test_nbgrader_sees_the_same(graded):
    """The gradebook is nbgrader's own: its export agrees, and so does what its formgrader would show."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    (graded.course / "nbgrader_config.py").write_text((ROOT / "nbgrader_config.py").read_text())
    subprocess.run(
        [sys.executable, "-m", "nbgrader", "export", "--to=theirs.csv"],
        **{"cwd": graded.course, "env": {**os.environ, "PATH": path}, "check": True, "capture_output": True},
    )
    with (graded.course / "theirs.csv").open(encoding="utf-8") as file:
        theirs = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert theirs == {student: float(row["score"]) for (student, _), row in graded.rows.items()}
    (graded.course / "submitted" / "odd-time" / "ps03" / "timestamp.txt").unlink()  # nbgrader's pages cannot stand it
    api = NbGraderAPI(CourseDirectory(root=str(graded.course)))  # what the formgrader's pages ask
    shown = {row["student"]: row for row in api.get_submissions("ps03") if row["autograded"]}
    assert {student: row["code_score"] for student, row in shown.items()} == theirs
    assert shown["right"]["needs_manual_grade"]
    assert not shown["blank"]["needs_manual_grade"]
    for student in graded.expected:
        notebook = nbformat.read(graded.course / "autograded" / student / "ps03" / "ps03.ipynb", as_version=4)
        nbformat.validate(notebook)
        ids = [c.metadata.nbgrader.grade_id for c in notebook.cells if "nbgrader" in c.metadata]
        released = [c.metadata.nbgrader.grade_id for c in exercise().cells if "nbgrader" in c.metadata]
        assert sorted(ids) == sorted(released), student


def test_a_second_run_has_nothing_to_do(graded):
    said = grade(graded.course, *LIMITS)
    assert f"0 graded now, {len(graded.expected)} unchanged" in said
    assert grades(graded.course) == graded.rows


@pytest.fixture
def small(tmp_path):
    """Six ordinary submissions."""
    for number in range(3):
        hand_in(tmp_path, f"right{number}", solution())
        hand_in(tmp_path, f"partly{number}", with_softmax("return scores"))
    return tmp_path


def gradebook_content(course):
    """What is in the gradebook, without ids and times."""
    return {key: {k: row[k] for k in row} for key, row in grades(course).items()}


def test_killed_half_way_and_run_again(small, tmp_path_factory):
    """kill -9, then the same command: the same gradebook as without the kill, and what was done is not done again."""
    whole = tmp_path_factory.mktemp("uninterrupted")
    shutil.copytree(small / "submitted", whole / "submitted")
    grade(whole)
    process = run_command(small, "--workers", "1", start_new_session=True)
    deadline = time.monotonic() + 120
    while len(list(small.glob("autograded/*/ps03/grading.json"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    done = len(list(small.glob("autograded/*/ps03/grading.json")))
    assert 2 <= done < 6
    time.sleep(1)
    assert not any("/sandbox/student.py" in " ".join(p.info["cmdline"] or ()) for p in psutil.process_iter(["cmdline"]))
    said = grade(small)
    assert f"{6 - done} graded now, {done} unchanged" in said
    assert gradebook_content(small) == gradebook_content(whole)


def test_only_what_changed_is_graded_and_a_persons_marks_are_kept(small):
    grade(small)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{small / 'gradebook.db'}", "sdpa-course") as gradebook:
        proof = gradebook.find_grade("shift-proof", "ps03", "ps03", "right0")
        proof.manual_score, proof.needs_manual_grade = 2.0, False
        gradebook.db.commit()
    hand_in(small, "right0", with_first_cell("print('a second version')"))
    assert "1 graded now, 5 unchanged" in grade(small)
    row = grades(small)["right0", "ps03"]
    assert float(row["score"]) == ALL + 2
    assert row["to be read"] == "2"  # the version that a person has read was another one
    assert "6 graded now, 0 unchanged" in grade(small, "--again")
    assert float(grades(small)["right0", "ps03"]["score"]) == ALL + 2
    os.remove(small / "gradebook.db")
    assert "6 graded now, 0 unchanged" in grade(small)


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # nbgrader's own
def test_nbgrader_releases_the_feedback(tmp_path):
    """It asks for a time and a secret beside each page; a student without them must not stop the others."""
    time_of, secret_of = "timestamp.txt", "submission_secret.txt"
    for student in ("genuine", "links", "odd"):
        hand_in(tmp_path, student, exercise())
    genuine, links, odd = (tmp_path / "submitted" / student / "ps03" for student in ("genuine", "links", "odd"))
    (genuine / time_of).write_text("2026-11-16 10:00:00.000001 UTC")
    (genuine / secret_of).write_text("a secret")
    (tmp_path / "outside").write_text("2026-01-01 00:00:00 UTC")
    (links / time_of).symlink_to(tmp_path / "outside")
    (links / secret_of).symlink_to(tmp_path / "outside")
    (odd / time_of).write_text("at noon, or so")
    (odd / secret_of).write_text("s" * 5000)
    assert "3 graded now" in grade(tmp_path)
    for place in (tmp_path / "autograded", tmp_path / "feedback"):
        assert (place / "genuine" / "ps03" / time_of).read_text() == "2026-11-16 10:00:00.000001 UTC"
        assert (place / "genuine" / "ps03" / secret_of).read_text() == "a secret"
        for folder in (place / "links" / "ps03", place / "odd" / "ps03"):
            assert (folder / time_of).read_text() == ""
            assert len((folder / secret_of).read_text()) == 128  # a new one, which nobody knows
            assert not any(path.is_symlink() for path in folder.iterdir())

    (genuine / secret_of).write_text("of the same work, sent again")
    assert "0 graded now, 3 unchanged" in grade(tmp_path)
    (tmp_path / "exchange").mkdir()
    (tmp_path / "exchange").chmod(0o777)  # nbgrader takes no other
    config = Config()
    config.CourseDirectory.root, config.CourseDirectory.course_id = str(tmp_path), "sdpa-course"
    config.CourseDirectory.assignment_id, config.Exchange.root = "ps03", str(tmp_path / "exchange")
    ExchangeReleaseFeedback(coursedir=CourseDirectory(config=config), config=config).start()
    released = {path.stem for path in (tmp_path / "exchange" / "sdpa-course" / "feedback").glob("*.html")}
    assert len(released) == 3
    assert notebook_hash(secret="of the same work, sent again", notebook_id="ps03") in released


def test_every_problem_set_can_be_graded(tmp_path):
    """A perfect submission gets all that code can give, an untouched one nothing."""
    for problem_set in PROBLEM_SETS:
        for student, folder in (("perfect", "solutions"), ("untouched", "exercises")):
            path = ROOT / folder / problem_set / f"{problem_set}.ipynb"
            hand_in(tmp_path, student, nbformat.read(path, as_version=4), problem_set)
    grade(tmp_path)
    rows = grades(tmp_path)
    for problem_set in PROBLEM_SETS:
        assert rows["perfect", problem_set]["state"] == "graded", rows["perfect", problem_set]["reason"]
        assert rows["untouched", problem_set]["state"] == "graded with failures"
        assert float(rows["untouched", problem_set]["score"]) == 0


def test_a_problem_set_that_does_not_exist(tmp_path):
    hand_in(tmp_path, "someone", solution(), "ps42")
    hand_in(tmp_path, "someone", solution())
    grade(tmp_path)
    assert grades(tmp_path)["someone", "ps42"]["reason"].startswith("there is no problem set ps42")
    assert grades(tmp_path)["someone", "ps03"]["state"] == "graded"


def refused(capsys, *arguments):
    assert command.main(["grade", *map(str, arguments)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("sdpa-course: ")
    assert said.count("\n") == 1
    return said


def test_bad_input_gets_one_sentence(tmp_path, capsys, monkeypatch):
    assert "is not a folder" in refused(capsys, tmp_path / "nowhere")
    assert "no submissions" in refused(capsys, tmp_path)
    hand_in(tmp_path, "someone", solution())
    assert "no submission is of that" in refused(capsys, tmp_path, "--student", "nobody")
    (tmp_path / "gradebook.db").write_text("this is a shopping list, and a long one: " + "milk, " * 200)
    assert "not a gradebook" in refused(capsys, tmp_path)
    assert (tmp_path / "gradebook.db").read_text().startswith("this is a shopping list")
    (tmp_path / "gradebook.db").unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    said = refused(capsys, tmp_path)
    assert "bubblewrap was not found" in said
    assert "--trust-submissions" in said
    assert not (tmp_path / "grades.csv").exists()


def test_without_a_sandbox_only_when_told_so(tmp_path):
    hand_in(tmp_path, "right", solution())
    hand_in(tmp_path, "loops", with_softmax("while True: pass"))
    grade(tmp_path, "--trust-submissions", *LIMITS)
    assert float(grades(tmp_path)["right", "ps03"]["score"]) == ALL
    assert grades(tmp_path)["loops", "ps03"]["state"] == "timed out"
    assert float(grades(tmp_path)["loops", "ps03"]["score"]) == ALL - POINTS["softmax"] - POINTS["softmax_large"]


def test_two_gradings_at_once_do_not_mix(small, capsys):
    with command.locked(small):
        assert "another grading is at work" in refused(capsys, small)
