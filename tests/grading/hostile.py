"""A class of students to grade: honest, careless and hostile, each with the marks and the state it must get."""

import json
import os
import shutil
from pathlib import Path

import nbformat

from sdpa_classroom.marking import CRASHED, FAILURES, GRADED, OUT_OF_MEMORY, TIMED_OUT, UNREADABLE
from sdpa_classroom.submissions import printable

from . import attacks, grade_command

ROOT = Path(__file__).parents[2]
POINTS = {"softmax": 3, "softmax_large": 2, "top_weight": 2, "counterexample": 1, "mended_log_softmax": 2, "entropy": 3}
ALL = sum(POINTS.values())


def solution():
    return nbformat.read(ROOT / "solutions" / "ps03" / "ps03.ipynb", as_version=4)


def exercise():
    return nbformat.read(ROOT / "exercises" / "ps03" / "ps03.ipynb", as_version=4)


def cell(notebook, grade_id):
    return next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == grade_id)


def with_softmax(body, before="", notebook=solution):
    """The right solutions, except that softmax has this body; `before` goes above its `def`."""
    made = notebook()
    cell(made, "softmax").source = f"{before}\ndef softmax(scores):\n    {body}\n"
    return made


def with_first_cell(source, notebook=solution):
    """The right solutions, with a cell of the student's own after the imports."""
    made = notebook()
    made.cells.insert(2, nbformat.v4.new_code_cell(source))
    return made


def blank_but(source):
    """Nothing is solved, and this code tries to get marks anyway."""
    return with_first_cell(source, notebook=exercise)


def without(*grade_ids):
    made = solution()
    made.cells = [c for c in made.cells if c.metadata.get("nbgrader", {}).get("grade_id") not in grade_ids]
    return made


def duplicated():
    made = solution()
    copies = [nbformat.from_dict(c) for c in made.cells if c.metadata.get("nbgrader", {}).get("grade")]
    for copy in copies:
        copy.id = f"copy-{copy.id}"[:60]
    made.cells += copies
    return made


def edited_tests():
    made = exercise()
    for c in made.cells:
        if c.metadata.get("nbgrader", {}).get("grade_id", "").endswith("-test"):
            c.source = "print('all right')\n3.0"
    return made


def reordered():
    """The tests come before the answers."""
    made = solution()
    tests = [c for c in made.cells if c.metadata.get("nbgrader", {}).get("grade_id", "").endswith("-test")]
    made.cells = made.cells[:2] + tests + [c for c in made.cells[2:] if c not in tests]
    return made


LIAR = """
class Liar:
    shape = (3, 5)
    dtype = np.dtype(float)
    ndim = 2
    def __eq__(self, other): return True
    def __array__(self, dtype=None, copy=None): return np.zeros((3, 5))
    def __len__(self): return 3
    def __iter__(self): return iter([self] * 3)
    def __float__(self): return 1.0
    def __array_function__(self, *a, **k): return True
"""
SUBCLASS = """
class Sly(np.ndarray):
    def __eq__(self, other): return np.True_
    def __sub__(self, other): return np.zeros(3)
    def __array_ufunc__(self, *a, **k): return np.True_
"""
PATCHES = """
import builtins
np.testing.assert_allclose = lambda *a, **k: None
np.allclose = lambda *a, **k: True
np.array_equal = lambda *a, **k: True
builtins.all = lambda *a: True
builtins.any = lambda *a: False
builtins.isinstance = lambda *a: True
builtins.AssertionError = Warning
"""
PATCH_CHECKS = """
import sdpa_course.homework as h, sdpa_course.homework.answers as answers, json, sys
h.check = lambda *a, **k: 3.0
answers.ask = lambda answer, cases: [answers.Answer((np.ones(3),)) for _ in cases]
sys.modules["__main__"].answer = lambda *a: {}
"""
FIND_TASKS = """
def steal():
    from sdpa_course.homework.tasks import find_task
    return find_task("ps03.softmax").right
try:
    softmax = steal()
except Exception as error:
    print(type(error).__name__)
"""
FORGED = [{"task": name, "passed": True, "marks": 99, "points": 99, "answers": [], "done": True} for name in POINTS]
NONSENSE = b'{"done": true, "state": "graded", "score": 99}\n[[[[\n\xff\xfe\n'


def write_everywhere(data, times=1):
    """Write bytes to every open file descriptor; one of them leads to the grader."""
    return f"""
import os
for _ in range({times}):
    for fd in range(3, 64):
        try:
            os.write(fd, {data!r})
        except OSError:
            pass
"""


def read_attempt(path):
    """Try to read files and print what's in them."""
    return f"""
import glob
for name in glob.glob({str(path)!r}, recursive=True):
    print("SECRET", open(name, "rb").read()[:200])
"""


def write_attempts(course):
    return f"""
import os, pathlib
for place in ({str(course)!r}, {str(ROOT)!r}, "/usr", "/etc", "/", os.path.dirname(np.__file__)):
    for name in ("gradebook.db", "submitted/right/ps03/ps03.ipynb", "written_by_a_student"):
        try:
            pathlib.Path(place, name).write_text("mine")
        except OSError:
            pass
"""


SOCKET = """
import socket
try:
    socket.create_connection(("127.0.0.1", PORT), timeout=2).sendall(b"hello")
    print("SECRET connected")
except OSError as error:
    print("refused", type(error).__name__)
"""
FORK_BOMB = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"
MANY_HOARDS = """
import os, time
for _ in range(8):
    if not os.fork():
        hoard = np.ones(40_000_000)
        time.sleep(60)
time.sleep(60)
"""
HIDDEN_MEMORY = """
import ctypes, os
kept = []
for make in (lambda: os.memfd_create("x"), lambda: ctypes.CDLL(None).shmget(0, 2**28, 0o1600)):
    try:
        kept.append(make())
    except OSError:
        kept.append(-1)
kept.append(os.system("unshare -Ur true"))
print("SECRET" if kept[0] != -1 or kept[1] != -1 or kept[2] == 0 else "refused")
"""
SPEECHLESS = """
class Speechless(Exception):
    def __str__(self): raise RuntimeError
raise Speechless
"""
THREAD = """
import atexit, os, threading, time
atexit.register(os._exit, 3)
threading.Thread(target=lambda: time.sleep(1000)).start()
"""
SCRIPT = (
    "<script>alert('SECRET')</script><img src=x onerror=alert(1)> [x](javascript:alert(2)) $e^c$ cancels\n\n"
    "> [y]: javascript:alert(3)\n\n[z][y] ![w](https://example.org/w.png)"
)
LEFT_RUNNING = """
import subprocess
for _ in range(3):
    subprocess.Popen(["/bin/sh", "-c", "exec -a left-by-a-student sleep 600"], start_new_session=True)
"""


def make_class(course, *, port):
    """Write submitted/ below `course`; returns, for each student, the marks it must get in each possible state."""
    expected = {}

    def hand_in(student, content, marks, *states):
        expected[student] = dict.fromkeys(states, marks)
        return grade_command.hand_in(course, student, content)

    partly = ALL - POINTS["softmax"] - POINTS["softmax_large"]
    hand_in("right", solution(), ALL, GRADED)
    hand_in("right-again", solution(), ALL, GRADED)
    hand_in("blank", exercise(), 0, FAILURES)
    hand_in("partly", with_softmax("return scores"), partly, FAILURES)
    hand_in("overflows", with_softmax("return np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)"), 11, FAILURES)
    hand_in("raises", with_softmax("raise ValueError('no')"), partly, FAILURES)
    hand_in("syntax-error", with_softmax("return ((("), partly, FAILURES)
    hand_in("uses-magics", with_first_cell("%matplotlib inline\n%timeit -n1 -r1 1 + 1\ndisplay(3)"), ALL, GRADED)
    hand_in("infinite-loop", with_softmax("while True: pass"), partly, TIMED_OUT)
    hand_in("loop-in-a-cell", with_first_cell("while True: pass"), ALL, TIMED_OUT)
    stubborn = "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass"
    hand_in("stubborn-loop", with_first_cell(stubborn), 0, TIMED_OUT)
    hand_in("memory-bomb", with_softmax("return np.ones((10**6, 10**6))"), partly, OUT_OF_MEMORY)
    hoard = "hoard = []\nwhile True:\n    hoard.append(np.empty(6_000_000))"  # untouched: no slow page faults
    hand_in("slow-memory-bomb", with_first_cell(hoard), ALL, OUT_OF_MEMORY)
    hand_in("shared-memory-bomb", with_first_cell(MANY_HOARDS), 0, OUT_OF_MEMORY)
    expected["shared-memory-bomb"][TIMED_OUT] = ALL  # on a slow machine the cell may run out of time first
    hand_in("fork-bomb", with_first_cell(FORK_BOMB), ALL, TIMED_OUT)
    hand_in("os-exit", with_softmax("import os; os._exit(0)"), 0, CRASHED)
    late = solution()
    cell(late, "entropy").source = "import os\ndef entropy(weights):\n    os._exit(0)\n"
    hand_in("os-exit-late", late, ALL - POINTS["entropy"], CRASHED)
    hand_in("sys-exit", with_first_cell("import sys\nsys.exit(0)"), ALL, GRADED)
    hand_in("exit-in-answer", with_softmax("raise SystemExit"), partly, FAILURES)
    hand_in("killed", with_first_cell("import os\nos.kill(os.getpid(), 9)"), 0, CRASHED)
    hand_in("kills-everything-else", with_first_cell("import os\nos.kill(-1, 9)"), ALL, GRADED)
    hand_in("chatter", with_first_cell("for _ in range(300):\n    print('x' * 100_000)"), ALL, GRADED)
    hand_in("flood", with_first_cell(write_everywhere(b"x" * 50_000, times=10**9)), 0, CRASHED)
    expected["flood"][TIMED_OUT] = ALL  # on a slow machine the cell may run out of time first
    hand_in("deleted-test", without("softmax-test"), ALL, GRADED)
    hand_in("deleted-all-tests", without(*(f"{name}-test" for name in POINTS)), ALL, GRADED)
    hand_in("deleted-answer", without("softmax", "shift-proof"), partly, FAILURES)
    hand_in("duplicated-tests", duplicated(), ALL, GRADED)
    hand_in("edited-tests", edited_tests(), 0, FAILURES)
    hand_in("reordered", reordered(), ALL, GRADED)
    hand_in("patches-numpy", blank_but(PATCHES), 0, FAILURES, CRASHED)
    hand_in("patches-and-right", with_first_cell("np.allclose = lambda *a: True"), ALL, GRADED)
    hand_in("patches-checks", blank_but(PATCH_CHECKS), 0, FAILURES)
    hand_in(
        "forges-answers",
        blank_but(write_everywhere("\n".join(map(json.dumps, FORGED)).encode() + b"\n" + NONSENSE)),
        0,
        FAILURES,
    )
    hand_in("imports-the-tasks", blank_but(FIND_TASKS), 0, FAILURES)
    hand_in("reads-solutions", blank_but(read_attempt(ROOT / "solutions" / "**" / "*.ipynb")), 0, FAILURES)
    hand_in("reads-tests", blank_but(read_attempt(ROOT / "sdpa_course" / "homework" / "ps*.py")), 0, FAILURES)
    hand_in("reads-gradebook", blank_but(read_attempt(course / "*.db")), 0, FAILURES)
    hand_in("reads-others", blank_but(read_attempt(course / "submitted" / "**" / "*.ipynb")), 0, FAILURES)
    hand_in("writes-outside", with_first_cell(write_attempts(course)), ALL, GRADED)
    hand_in("opens-a-socket", with_first_cell(SOCKET.replace("PORT", str(port))), ALL, GRADED)
    hand_in("leaves-running", with_first_cell(LEFT_RUNNING), ALL, GRADED)
    hand_in("liar", with_softmax("return Liar()", LIAR), partly, FAILURES)
    hand_in("sly-array", with_softmax("return np.zeros((3, 5)).view(Sly)", SUBCLASS), partly, FAILURES)
    hand_in("wrong-dtype", with_softmax("return (scores * 1j)"), partly, FAILURES)
    hand_in("strings", with_softmax("return scores.astype(str)"), partly, FAILURES)
    huge = solution()
    cell(huge, "top_weight").source = "top_weight = np.full(20_000_000, 0.787)"
    hand_in("huge-answer", huge, ALL - POINTS["top_weight"], FAILURES)
    script = exercise()
    cell(script, "shift-proof").source = SCRIPT
    script.cells += [nbformat.v4.new_markdown_cell(SCRIPT), nbformat.v4.new_raw_cell(SCRIPT)]
    script.cells.append(
        nbformat.v4.new_code_cell(f"from IPython.display import HTML, display\ndisplay(HTML({SCRIPT!r}))")
    )
    hand_in("script-in-text", script, 0, FAILURES)

    for name, source in attacks.HARMLESS.items():
        hand_in(name, with_first_cell(source), ALL, GRADED, TIMED_OUT, OUT_OF_MEMORY)
    for name, source in attacks.CHEATS.items():
        hand_in(name, blank_but(source), 0, FAILURES, CRASHED, TIMED_OUT)
    texts = exercise()
    cell(texts, "shift-proof").source = "\n\n".join(attacks.TEXTS)
    texts.cells += [nbformat.v4.new_markdown_cell(text) for text in attacks.TEXTS]
    texts.cells += [nbformat.v4.new_raw_cell(text) for text in attacks.TEXTS]
    texts.cells += [nbformat.v4.new_code_cell(f"raise ValueError({text!r})") for text in attacks.TEXTS]
    hand_in("texts", texts, 0, FAILURES)
    hand_in("<img src=x onerror=alert(1)>", exercise(), 0, FAILURES)
    hand_in("=cmd|' C calc'!A0", exercise(), 0, FAILURES)

    blank = solution()
    blank.cells.append(nbformat.v4.new_markdown_cell("\n" * 90_000 + "[" * 9_000))
    hand_in("blank-lines", blank, ALL, GRADED)
    hand_in("newlines", with_first_cell(write_everywhere(b"\n" * 1000, times=5)), ALL, GRADED)
    hand_in("hidden-memory", with_first_cell(HIDDEN_MEMORY), ALL, GRADED)
    hand_in("speechless", with_first_cell(SPEECHLESS), ALL, GRADED)
    hand_in("thread", with_first_cell(THREAD), ALL, GRADED)

    whole = nbformat.writes(solution()).encode()
    hand_in("truncated", whole[: len(whole) // 2], 0, UNREADABLE)
    hand_in("wrong-schema", json.dumps({"nbformat": 4, "cells": [{"cell_type": "code"}]}).encode(), 0, UNREADABLE)
    hand_in("list-of-nothing", b"[]", 0, UNREADABLE)
    hand_in("fifty-megabytes", b'{"cells": [' + b" " * 50 * 1024**2 + b"]}", 0, UNREADABLE)
    hand_in("deep", b"[" * 200_000, 0, UNREADABLE)
    hand_in("not-a-notebook", b"%PDF-1.7\n\xe2\xe3\xcf\xd3", 0, UNREADABLE)
    hand_in("empty", b"", 0, UNREADABLE)
    odd = hand_in("odd-name", solution(), 0, UNREADABLE)
    odd.rename(odd.with_name(os.fsdecode(b"ps03\xff.ipynb")))
    link, pipe = hand_in("link", b"", 0, UNREADABLE), hand_in("pipe", b"", 0, UNREADABLE)
    link.unlink()
    link.symlink_to(course / "submitted/right/ps03/ps03.ipynb")
    pipe.unlink()
    os.mkfifo(pipe)
    (course / "submitted" / "linked-folder").mkdir()
    (course / "submitted" / "linked-folder" / "ps03").symlink_to(course / "submitted" / "right" / "ps03")
    expected["linked-folder"] = {UNREADABLE: 0}
    odd = os.fsencode(course / "submitted") + b"/caf\xe9"
    os.makedirs(odd + b"/ps03")
    shutil.copy(ROOT / "solutions" / "ps03" / "ps03.ipynb", os.fsdecode(odd) + "/ps03/ps03.ipynb")
    expected[printable(os.fsdecode(b"caf\xe9"))] = {GRADED: ALL}
    hand_in("caf\\xe9", exercise(), 0, FAILURES)  # a name that looks like the previous one
    (course / "submitted" / "folder-for-a-notebook" / "ps03" / "ps03.ipynb").mkdir(parents=True)
    expected["folder-for-a-notebook"] = {UNREADABLE: 0}
    (course / "submitted" / "links-to-itself").mkdir()
    (course / "submitted" / "links-to-itself" / "ps03").symlink_to("ps03")
    expected["links-to-itself"] = {UNREADABLE: 0}
    hand_in("odd-time", solution(), ALL, GRADED).with_name("timestamp.txt").write_text("99999999999999999999")
    return expected
