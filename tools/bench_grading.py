"""Measure `sdpa-course grade` and `nbgrader autograde` on the same class, in one run. Part of `make bench`."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
STUDENTS = 40


def make_class(course: Path, students: int) -> None:
    """Write ordinary submissions of one problem set, half of them right and half untouched."""
    for number in range(students):
        folder = course / "submitted" / f"student{number:02d}" / "ps03"
        folder.mkdir(parents=True)
        shutil.copy(ROOT / ("exercises" if number % 2 else "solutions") / "ps03" / "ps03.ipynb", folder)
    shutil.copytree(ROOT / "solutions" / "ps03", course / "solutions" / "ps03")
    shutil.copy(ROOT / "nbgrader_config.py", course)


def seconds(course: Path, *command: str) -> float:
    """How long one of this environment's commands takes in the course's folder."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    start = time.perf_counter()
    subprocess.run(command, cwd=course, env={**os.environ, "PATH": path}, check=True, capture_output=True)
    return time.perf_counter() - start


def grading_times(students: int = STUDENTS) -> dict[str, float]:
    """Seconds for the whole class: ours with everything it writes, nbgrader's autograde alone and with feedback."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        for folder in (first, second):
            make_class(Path(folder), students)
        ours = seconds(Path(first), "sdpa-course", "grade")
        seconds(Path(second), "nbgrader", "generate_assignment", "ps03")
        autograde = seconds(Path(second), "nbgrader", "autograde", "ps03", "--create")
        feedback = seconds(Path(second), "nbgrader", "generate_feedback", "ps03")
    return {"ours": ours, "autograde": autograde, "autograde and feedback": autograde + feedback}


if __name__ == "__main__":
    print(grading_times(int(sys.argv[1]) if len(sys.argv) > 1 else STUDENTS))
