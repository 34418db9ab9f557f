"""Grade a class full of hostile submissions; then interrupted, repeated, and with bad input.

All in one file, because files are tested in parallel, and some of these tests look for processes left running.
"""

import compileall
import csv
import errno
import hashlib
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryFile
from types import SimpleNamespace

import nbformat
import psutil
import pyseccomp
import pytest
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash
from traitlets.config import Config

from sdpa_classroom import command, sandbox, seccomp
from sdpa_classroom.marking import STATES
from sdpa_course.homework.tasks import PROBLEM_SETS

from .grade_command import BWRAP, LIMITS, WHY, grade, grades, hand_in, needs_sandbox, run_command
from .hostile import ALL, POINTS, ROOT, exercise, make_class, solution, with_first_cell, with_softmax

RUNNER = "sdpa_classroom.runner"


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


@pytest.fixture(scope="module")
def graded(tmp_path_factory, listener):
    """The hostile class, graded once."""
    if BWRAP is None:
        pytest.fail(WHY)
    found = SimpleNamespace()
    found.course = tmp_path_factory.mktemp("course")
    found.expected = make_class(found.course, port=listener.getsockname()[1])
    kept = found.course / "submitted", ROOT / "solutions", ROOT / "sdpa_course", ROOT / "classroom"
    for package in kept[2:]:
        compileall.compile_dir(package, quiet=1)  # so that importing them writes nothing
    before = [digests(folder) for folder in kept]
    grade(found.course, *LIMITS)
    found.changed = [folder for folder, files in zip(kept, before, strict=True) if digests(folder) != files]
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
        assert RUNNER not in (process.info["cmdline"] or ())


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
    assert not any(RUNNER in (process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"]))
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


def in_sandbox(source):
    """Run Python code in the sandbox; gives its exit status and what it printed."""
    with seccomp.open_filter() as syscalls:
        command = [*sandbox.sandbox_command(BWRAP, syscalls.fileno(), sandbox.Limits()), sys.executable, "-c", source]
        result = subprocess.run(command, pass_fds=(syscalls.fileno(),), capture_output=True, text=True)
    return result.returncode, result.stdout


def test_the_kernel_refuses_every_denied_system_call():
    expected = {**dict.fromkeys((*seccomp.DENIED, "clone"), errno.EPERM), "clone3": errno.ENOSYS}
    numbers = {name: pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in expected}
    source = f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for name, number in {numbers}.items():
    libc.syscall(number, {seccomp.CLONE_NEWUSER}, 0, 0, 0, 0)
    print(name, ctypes.get_errno())
"""
    assert in_sandbox(source) == (0, "".join(f"{name} {number}\n" for name, number in expected.items()))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86-64 runs 32-bit code")
def test_32_bit_code_is_killed():
    """Under other numbers, the same system calls would pass the filter."""
    source = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("b836010000 31db cd80 c3"))  # mov eax, 310 (unshare); xor ebx, ebx; int 0x80; ret
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
"""
    assert in_sandbox(source) == (128 + signal.SIGSYS, "")


def test_no_sandbox_without_its_filter(monkeypatch):
    monkeypatch.setattr(seccomp.platform, "machine", lambda: "s390x")
    with pytest.raises(sandbox.NoSandbox, match="no system-call filter for s390x"):
        sandbox.find_sandbox()
    monkeypatch.setattr(sandbox, "open_filter", TemporaryFile)  # empty, so the kernel refuses it
    with pytest.raises(sandbox.NoSandbox, match=r"bubblewrap doesn't work here .*PR_SET_SECCOMP"):
        sandbox.find_sandbox()


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
