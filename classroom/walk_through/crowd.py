"""Many students at once, each with a server and a kernel of their own: how long they wait and what they need."""

import json
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from answers import PROBLEM_SET, solved
from machine import ROOT, need, say
from room import Classroom
from session import Session

CHECK = "softmax-test"  # the cell that's timed


def cells() -> list[tuple[str, str]]:
    """The code of the set that students get, with right answers in it: (name of the cell, source)."""
    answers = solved()
    path = ROOT / "exercises" / PROBLEM_SET / f"{PROBLEM_SET}.ipynb"
    code = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    names = [cell["metadata"].get("nbgrader", {}).get("grade_id", "") for cell in code]
    return [(name, answers.get(name, "".join(cell["source"]))) for name, cell in zip(names, code, strict=True)]


def work(session: Session) -> tuple[float, float]:
    """From the password to a kernel that answers, and from pressing Shift + Enter to a check's words; in seconds."""
    start = time.monotonic()
    session.log_in()
    session.start_kernel()
    kernel, check = time.monotonic() - start, None
    for name, source in cells():
        start = time.monotonic()
        said = session.run(source)
        if name == CHECK:
            check = time.monotonic() - start
            need("right" in said, f"{session.name} got this for a right answer: {said!r}")
    need(check is not None, f"{PROBLEM_SET} has no cell {CHECK}")
    return kernel, check


def crowd(classroom: Classroom) -> None:
    """All of them log in at the same moment, and nobody leaves before the memory is counted."""
    sessions = [Session(classroom, name) for name in classroom.crowd]
    with ThreadPoolExecutor(len(sessions)) as pool:
        kernels, checks = zip(*pool.map(work, sessions), strict=True)
    memory = [classroom.memory(name) / 1024**2 for name in classroom.crowd]
    for session in sessions:
        session.close()
    say(f"{len(sessions)} students log in at the same moment and do {PROBLEM_SET} in kernels of their own:")
    for what, values, unit in (
        ("from the password to a kernel that answers", kernels, "s"),
        ("a check, from Shift + Enter to its words", checks, "s"),
        ("memory of a student's server and kernel", memory, "MB"),
    ):
        digits = 0 if unit == "MB" else 1
        middle, most = (f"{value:.{digits}f} {unit}" for value in (statistics.median(values), max(values)))
        say(f"    | {what}: {middle} in the middle, {most} at most")
