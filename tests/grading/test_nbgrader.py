"""The problem sets with nbgrader's own commands: made, validated and graded."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config.loader import PyFileConfigLoader

from sdpa_course.homework.tasks import PROBLEM_SETS, tasks_of

ROOT = Path(__file__).parents[2]
STUDENTS = {"perfect": "solutions", "untouched": "exercises"}  # and what they hand in
pytestmark = pytest.mark.filterwarnings("ignore")  # nbgrader's own


@pytest.fixture(scope="module")
def nbgrader(tmp_path_factory):
    """What's behind nbgrader's commands, in a course with our settings and exercises made from our solutions."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "solutions", folder / "solutions")
    config = PyFileConfigLoader(shutil.copy(ROOT / "nbgrader_config.py", folder)).load_config()
    config.CourseDirectory.root = str(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)  # it calls alembic
        api = NbGraderAPI(CourseDirectory(config=config), config=config)
        for name in PROBLEM_SETS:
            succeed(api.generate_assignment(name))
        yield api


def succeed(result):
    assert result["success"], result["error"]


@pytest.fixture
def course(nbgrader):
    return Path(nbgrader.coursedir.root)


def test_exercises_follow_from_solutions(course):
    """Nobody edits an exercise by hand, and nobody forgets `make exercises`."""
    for name in PROBLEM_SETS:
        made, stored = (folder / "exercises" / name / f"{name}.ipynb" for folder in (course, ROOT))
        assert made.read_bytes() == stored.read_bytes(), f"run make exercises: {name} has drifted"


def test_nbgrader_validates(course):
    """Everything passes in the solutions. In the exercises every graded cell fails, the empty written answers too."""

    def validate(folder):
        paths = [course / folder / name / f"{name}.ipynb" for name in PROBLEM_SETS]
        command = [sys.executable, "-m", "nbgrader", "validate", *paths]
        said = subprocess.run(command, cwd=course, check=True, capture_output=True, text=True).stdout
        return said, [nbformat.read(path, as_version=4) for path in paths]

    assert validate("solutions")[0].count("Success") == len(PROBLEM_SETS)
    said, exercises = validate("exercises")
    failing = [sum("points" in cell.metadata.get("nbgrader", {}) for cell in page.cells) for page in exercises]
    assert [int(count) for count in re.findall(r"FAILED ON (\d+) CELL", said.upper())] == failing


@pytest.mark.parametrize("name", PROBLEM_SETS)
def test_nbgrader_grades(nbgrader, course, name):
    """A perfect submission gets every point that code can give, an untouched one none."""
    points = {"perfect": sum(task.points for task in tasks_of(name).values()), "untouched": 0}
    for student, source in STUDENTS.items():
        shutil.copytree(course / source / name, course / "submitted" / student / name)
        succeed(nbgrader.autograde(name, student))
        succeed(nbgrader.generate_feedback(name, student))
        assert (course / "feedback" / student / name / f"{name}.html").stat().st_size > 10_000
    assert {row["student"]: row["score"] for row in nbgrader.get_submissions(name)} == points
