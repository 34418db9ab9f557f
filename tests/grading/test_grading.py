"""Grade a class full of hostile submissions; then interrupted, repeated, and with bad input.

All in one file, because files are tested in parallel, and some of these tests look for processes left running.
"""

import compileall
import csv
import errno
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import nbformat
import psutil
import pytest
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash
from traitlets.config import Config

from sdpa_classroom import cluster, command, files, gradebook, pages, working
from sdpa_classroom.marking import GRADED, STATES
from sdpa_course.homework.tasks import PROBLEM_SETS

from .accounts import ACCOUNTS, words_for
from .grade_command import LIMITS, SANDBOX, WHY, grade, grades, hand_in, needs_sandbox, run_command
from .hostile import ALL, POINTS, ROOT, exercise, make_class, solution, with_first_cell, with_softmax

RUNNER = "sdpa_classroom.runner"


def runners():
    """The processes of this environment that run a student's code, except those of the tests that run beside these."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        line = process.info["cmdline"] or ()
        if RUNNER in line and sys.executable in line:
            above = {parent.pid for parent in process.parents()}
            if os.getpid() in above or os.getppid() not in above:
                found.append(line)
    return found


def digests(folder):
    return {
        path: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


@pytest.fixture(scope="module")
def listener():
    """A server on this machine that nobody should reach."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.fixture(scope="module", params=ACCOUNTS)
def graded(request, tmp_path_factory, listener):
    """The hostile class, graded once as root and once as an ordinary account."""
    if SANDBOX is None:
        pytest.fail(WHY)
    found = SimpleNamespace()
    found.course = tmp_path_factory.mktemp("course")
    found.expected = make_class(found.course, port=listener.getsockname()[1])
    kept = found.course / "submitted", ROOT / "solutions", ROOT / "sdpa_course", ROOT / "classroom"
    for package in kept[2:]:
        compileall.compile_dir(package, quiet=1)  # so that importing them writes nothing
    before = [digests(folder) for folder in kept]
    found.account = request.param
    grade(found.course, *LIMITS, account=found.account, env={**os.environ, "HUB_TOKEN": "SECRET"})
    found.changed = [folder for folder, files in zip(kept, before, strict=True) if digests(folder) != files]
    found.rows = {(name.removeprefix("'"), ps): row for (name, ps), row in grades(found.course).items()}
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
    assert not graded.changed
    assert not list(ROOT.rglob("written_by_a_student"))
    assert not (graded.course / "written_by_a_student").exists()


def test_no_secret_came_out(graded, listener):
    for page in (graded.course / "autograded").rglob("*.ipynb"):
        for cell in nbformat.read(page, as_version=4).cells:
            assert "SECRET" not in "".join(output.get("text", "") for output in cell.get("outputs", []))
    with pytest.raises(BlockingIOError):  # nobody is waiting for an answer
        listener.accept()


def test_nothing_is_left_running(graded):
    time.sleep(0.5)
    for process in psutil.process_iter(["cmdline"]):
        assert not any("left-by-a-student" in part for part in process.info["cmdline"] or ())
    assert not runners()


def active_parts(page):
    """What in a page would run or load something, except for MathJax."""
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: found.append((tag, dict(attributes)))
    parser.feed(page)
    for tag, attributes in found:
        runs = any(
            name.startswith("on") or "javascript:" in (value or "").lower() for name, value in attributes.items()
        )
        policy = tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
        bare = tag in {"img", "svg", "iframe", "object", "embed", "base", "link", "form", "video", "audio", "input"}
        refreshes = tag == "meta" and "http-equiv" in attributes and not policy
        fetches = not attributes.get("src", pages.MATHJAX).startswith(pages.MATHJAX) or "url(" in str(attributes)
        if runs or bare or refreshes or fetches or {"srcset", "background", "poster"} & set(attributes):
            yield tag, attributes


def test_every_student_gets_feedback_that_says_why(graded):
    for student in graded.expected:
        page = (graded.course / "feedback" / student / "ps03" / "ps03.html").read_text(encoding="utf-8")
        assert graded.rows[student, "ps03"]["state"].capitalize() in page
        assert page.index("Content-Security-Policy") < page.index("<style")
        assert not list(active_parts(page)), student
    wrong = (graded.course / "feedback" / "partly" / "ps03" / "ps03.html").read_text(encoding="utf-8")
    assert "not right yet" in wrong
    assert 'notebook 03, section "Exponentiate, sum, divide"' in wrong


def test_nbgrader_sees_the_same(graded):
    """Its export agrees with our CSV, and so does what its formgrader would show."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    (graded.course / "nbgrader_config.py").write_text((ROOT / "nbgrader_config.py").read_text())
    subprocess.run(
        [sys.executable, "-m", "nbgrader", "export", "--to=theirs.csv"],
        **{"cwd": graded.course, "env": {**os.environ, "PATH": path}, "check": True, "capture_output": True},
    )
    with (graded.course / "theirs.csv").open(encoding="utf-8") as file:
        theirs = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert theirs == {student: float(row["score"]) for (student, _), row in graded.rows.items()}
    (graded.course / "submitted" / "odd-time" / "ps03" / "timestamp.txt").unlink()  # nbgrader's pages can't read it
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
    said = grade(graded.course, *LIMITS, account=graded.account)
    assert f"0 graded now, {len(graded.expected)} unchanged" in said
    assert list(grades(graded.course).values()) == list(graded.rows.values())


@pytest.fixture
def small(tmp_path):
    """Six ordinary submissions."""
    for number in range(3):
        hand_in(tmp_path, f"right{number}", solution())
        hand_in(tmp_path, f"partly{number}", with_softmax("return scores"))
    return tmp_path


def test_killed_half_way_and_run_again(small, tmp_path_factory):
    """After kill -9 the same command gives the same grades as an uninterrupted one, and repeats nothing."""
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
    assert not runners()
    said = grade(small)
    assert f"{6 - done} graded now, {done} unchanged" in said
    assert grades(small) == grades(whole)


def test_killed_while_writing_the_gradebook(tmp_path):
    """SQLite leaves a journal behind, which the next grading must roll back."""
    hand_in(tmp_path, "right", solution())
    grade(tmp_path)
    half_written = """
import os, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("pragma cache_size = 1")  # so that it's written before the end
database.execute("begin")
database.execute("create table half as select hex(randomblob(2000000))")
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", half_written, tmp_path / "gradebook.db"], check=True)
    assert (tmp_path / "gradebook.db-journal").stat().st_size
    assert "0 graded now, 1 unchanged" in grade(tmp_path)


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
    assert row["to be read"] == "2"  # a person read the previous version
    assert "6 graded now, 0 unchanged" in grade(small, "--again")
    assert float(grades(small)["right0", "ps03"]["score"]) == ALL + 2
    os.remove(small / "gradebook.db")
    assert "6 graded now, 0 unchanged" in grade(small)


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # nbgrader's own
def test_nbgrader_releases_the_feedback(tmp_path):
    """It wants a time and a secret beside each page; a student without them must not stop the others."""
    time_of, secret_of = "timestamp.txt", "submission_secret.txt"
    genuine, links, odd = (hand_in(tmp_path, student, exercise()).parent for student in ("genuine", "links", "odd"))
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
            assert len((folder / secret_of).read_text()) == 128  # a new one that nobody knows
            assert not any(path.is_symlink() for path in folder.iterdir())

    (genuine / secret_of).write_text("of the same work, sent again")
    assert "0 graded now, 3 unchanged" in grade(tmp_path)
    (tmp_path / "exchange").mkdir()
    (tmp_path / "exchange").chmod(0o777)  # nbgrader insists
    config = Config()
    config.CourseDirectory.root, config.CourseDirectory.course_id = str(tmp_path), "sdpa-course"
    config.CourseDirectory.assignment_id, config.Exchange.root = "ps03", str(tmp_path / "exchange")
    ExchangeReleaseFeedback(coursedir=CourseDirectory(config=config), config=config).start()
    released = {path.stem for path in (tmp_path / "exchange" / "sdpa-course" / "feedback").glob("*.html")}
    assert len(released) == 3
    assert notebook_hash(secret="of the same work, sent again", notebook_id="ps03") in released


def test_every_problem_set_can_be_graded(tmp_path):
    """A perfect submission gets every point that code can give, an untouched one none."""
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
    assert command.main(list(map(str, arguments))) == 2
    said = capsys.readouterr().err
    assert said.startswith("sdpa-course: ")
    assert said.count("\n") == 1
    return said


def test_bad_input_gets_one_sentence(tmp_path, capsys, monkeypatch):
    assert "is not a folder" in refused(capsys, tmp_path / "nowhere")
    assert "no submissions" in refused(capsys, tmp_path)
    hand_in(tmp_path, "someone", solution())
    assert "no submission matches" in refused(capsys, tmp_path, "--student", "nobody")
    (tmp_path / "gradebook.db").write_text("this is a shopping list, and a long one: " + "milk, " * 200)
    assert "not a readable gradebook" in refused(capsys, tmp_path)
    assert (tmp_path / "gradebook.db").read_text().startswith("this is a shopping list")
    (tmp_path / "gradebook.db").unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    said = refused(capsys, tmp_path)
    assert "bubblewrap was not found" in said
    assert "--trust-submissions" in said
    assert not (tmp_path / "grades.csv").exists()


def test_without_a_sandbox_only_on_request(tmp_path):
    hand_in(tmp_path, "right", solution())
    hand_in(tmp_path, "loops", with_softmax("while True: pass"))
    grade(tmp_path, "--trust-submissions", *LIMITS)
    assert float(grades(tmp_path)["right", "ps03"]["score"]) == ALL
    assert grades(tmp_path)["loops", "ps03"]["state"] == "timed out"
    assert float(grades(tmp_path)["loops", "ps03"]["score"]) == ALL - POINTS["softmax"] - POINTS["softmax_large"]


def test_two_gradings_at_once_do_not_mix(small, capsys):
    with command.locked(small):
        assert "another grading is running" in refused(capsys, small)


@pytest.mark.parametrize("account", ACCOUNTS)
@pytest.mark.parametrize("trust", [[], ["--trust-submissions"]])
def test_nobody_else_can_read_a_submission_and_a_killed_run_leaves_nothing(tmp_path, account, trust):
    hand_in(tmp_path, "slow", with_first_cell("import time\ntime.sleep(6)"))
    elsewhere = tmp_path / "temporary"
    elsewhere.mkdir()
    process = run_command(tmp_path, *trust, account=account, env={**os.environ, "TMPDIR": str(elsewhere)})
    wait_for(lambda: process.poll() is not None or (runners() and (tmp_path / ".grading").exists()))
    assert process.poll() is None, process.stdout.read()
    mine = [path for path in tmp_path.iterdir() if path.name not in ("submitted", "temporary")]
    assert {".grading", "gradebook.db"} <= {path.name for path in mine}
    assert [path for path in mine if path.stat().st_mode & 0o077] == []
    assert not list(elsewhere.iterdir())
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    wait_for(lambda: not runners())
    assert bool(trust) == bool(list((tmp_path / ".grading").iterdir()))  # the sandbox needs no file
    unfinished = tmp_path / "feedback" / "slow" / "ps03" / f"{files.UNFINISHED}x"
    unfinished.parent.mkdir(parents=True)
    unfinished.touch()
    said = grade(tmp_path, *trust, account=account)
    assert ("no control group" in said) == (not trust and (account == "ordinary" or SANDBOX.group is None))
    assert not (tmp_path / ".grading").exists()
    assert not unfinished.exists()
    assert grades(tmp_path)["slow", "ps03"]["state"] == GRADED
    assert (tmp_path / "autograded").stat().st_mode & 0o077 == 0


def test_a_grading_leaves_the_process_as_it_was(tmp_path):
    """What it writes is private, but files that the same process makes later aren't its business."""
    hand_in(tmp_path, "empty", b"")
    before = os.umask(0o022)
    try:
        assert command.main([str(tmp_path), "--trust-submissions"]) == 0
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
    assert (tmp_path / "grades.csv").stat().st_mode & 0o077 == 0


def wait_for(happened):
    """Until it happened, or three minutes have passed: a machine may be busy."""
    deadline = time.monotonic() + 180
    while not happened() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert happened()


def test_no_cell_of_the_grades_is_a_formula(tmp_path):
    for student, problem_set in (
        ("=1+1", "ps03"),
        ("@SUM(A1)", "=1+cmd|' C calc'!A0"),
        ("\tx", "-2+3"),
        (" +1", "＝1"),
    ):
        hand_in(tmp_path, student, exercise(), problem_set)
    grade(tmp_path)
    with (tmp_path / "grades.csv").open(newline="", encoding="utf-8") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert len(cells) == 60
    assert not [cell for cell in cells if cell.strip()[:1] in tuple("=+-@＝") or (cell[:1] in "\t\r\n" and cell)]


def test_a_page_that_takes_too_long_is_written_plainly_and_only_once(tmp_path, monkeypatch, capsys):
    """It still shows the student's text and counts as graded, so it doesn't delay the next run."""
    hand_in(tmp_path, "slow", solution())
    write, attempts = gradebook.Course.write, []

    def slow(self, result, *, plain=False):
        attempts.append(plain)
        time.sleep(0 if plain else 100)
        write(self, result, plain=plain)

    monkeypatch.setattr(working, "PAGE_SECONDS", 0.5)
    monkeypatch.setattr(gradebook.Course, "write", slow)
    for _ in range(2):
        assert command.main([str(tmp_path), "--trust-submissions"]) == 0
    assert attempts == [False, True]
    assert "0 graded now, 1 unchanged" in capsys.readouterr().out
    assert grades(tmp_path)["slow", "ps03"]["state"] == GRADED


def test_the_exit_code_says_when_the_grader_itself_failed(tmp_path, monkeypatch, capsys):
    hand_in(tmp_path, "right", solution())

    def fail(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device") if tmp_path.is_dir() else OSError

    monkeypatch.setattr(cluster, "mark", fail)
    assert command.main([str(tmp_path), "--trust-submissions"]) == 1
    said = capsys.readouterr().out
    assert "the grader itself failed: OSError: No space left on device" in said
    assert "the grader itself failed at right ps03 (" in said
    monkeypatch.undo()
    assert command.main([str(tmp_path), "--trust-submissions"]) == 0
    assert working.in_words(OSError()) == "OSError"


@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_full_disk_gets_one_sentence(tmp_path, account):
    hand_in(tmp_path, "right", solution())
    words = words_for(account, tmp_path)
    subprocess.run(["cp", "-a", str(tmp_path), f"{tmp_path}-kept"], check=True)
    small = ["unshare", "--mount", *(["--user", "--map-root-user"] if os.getuid() else [])]
    fill = 'mount -t tmpfs -o size=300k tmpfs "$0" && cp -a "$0-kept/." "$0" && exec "$@"'
    sdpa = [str(Path(sys.executable).with_name("sdpa-course")), "grade", str(tmp_path)]
    command_line = [*small, "/bin/sh", "-c", fill, str(tmp_path), *words, *sdpa]
    result = subprocess.run(command_line, capture_output=True, text=True)
    assert result.returncode in (1, 2), result.stderr
    said = result.stdout + result.stderr.replace(command.NO_GROUP, "")
    assert "disk" in said or "space" in said, said
    assert "None: None" not in said
    assert "Traceback" not in said
