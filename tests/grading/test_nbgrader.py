"""The problem sets with nbgrader's own commands: made, validated and graded."""

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from sdpa_course.homework.tasks import PROBLEM_SETS, tasks_of

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def run_python(course, *arguments):
    """Run Python in the course's folder; nbgrader calls alembic by name, so that must be on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    options = {"cwd": course, "env": {**os.environ, "PATH": path}, "capture_output": True, "text": True}
    return subprocess.run([sys.executable, *arguments], check=True, **options).stdout


def nbgrader(course, *arguments):
    return run_python(course, "-m", "nbgrader", *arguments)


def nbgrader_steps(course, step, *problem_sets):
    return run_python(course, HERE / "nbgrader_steps.py", step, *problem_sets)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course folder with the repository's own configuration, and two students who hand everything in."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    shutil.copytree(ROOT / "solutions", folder / "solutions")
    nbgrader_steps(folder, "generate_assignment", *PROBLEM_SETS[1:])
    nbgrader(folder, "generate_assignment", PROBLEM_SETS[0])
    for name in PROBLEM_SETS:
        for student, source in (("perfect", ROOT / "solutions"), ("untouched", folder / "exercises")):
            shutil.copytree(source / name, folder / "submitted" / student / name)
    return folder


def test_exercises_follow_from_solutions(course):
    """Nobody edits an exercise by hand, and nobody forgets `make exercises`."""
    for name in PROBLEM_SETS:
        made, stored = (folder / "exercises" / name / f"{name}.ipynb" for folder in (course, ROOT))
        assert made.read_bytes() == stored.read_bytes(), f"run make exercises: {name} has drifted"


def test_nbgrader_validates(course):
    """All right in the solutions; in the exercises every graded cell fails, those for a person too: they are empty."""
    solutions, exercises = (
        [f"{folder}/{name}/{name}.ipynb" for name in PROBLEM_SETS] for folder in ("solutions", "exercises")
    )
    assert nbgrader(course, "validate", *solutions).count("Success") == len(PROBLEM_SETS)
    said = nbgrader(course, "validate", *exercises)
    notebooks = [nbformat.read(course / path, as_version=4) for path in exercises]
    failing = [sum("points" in cell.metadata.get("nbgrader", {}) for cell in book.cells) for book in notebooks]
    assert [int(count) for count in re.findall(r"FAILED ON (\d+) CELL", said.upper())] == failing


def test_nbgrader_grades(course):
    """A perfect submission gets all the points that code can give, an untouched one gets none."""
    first, *others = PROBLEM_SETS  # one by the commands, the others by what is behind them, in one process
    nbgrader(course, "autograde", first, "--create")
    nbgrader(course, "generate_feedback", first)
    for step in ("autograde", "generate_feedback"):
        nbgrader_steps(course, step, *others)
    nbgrader(course, "export", "--to=grades.csv")
    with (course / "grades.csv").open() as file:
        scores = {(row["assignment"], row["student_id"]): float(row["score"]) for row in csv.DictReader(file)}
    for name in PROBLEM_SETS:
        assert scores[name, "perfect"] == sum(task.points for task in tasks_of(name).values())
        assert scores[name, "untouched"] == 0
        for student in ("perfect", "untouched"):
            assert (course / "feedback" / student / name / f"{name}.html").stat().st_size > 10_000
