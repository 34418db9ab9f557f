"""Generate the exercises from the solutions with nbgrader: python tools/exercises.py [folder to write to]

nbgrader records what it generates in a database. Here that's a temporary one, so that generating exercises never
touches a class's gradebook.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from sdpa_course.homework.tasks import PROBLEM_SETS

ROOT = Path(__file__).parent.parent


def make_exercises(folder: Path = ROOT / "exercises") -> None:
    """Write `folder/psNN/psNN.ipynb` for every problem set."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))  # nbgrader calls alembic
    with tempfile.TemporaryDirectory() as scratch:
        for problem_set in PROBLEM_SETS:
            subprocess.run(
                [
                    *(sys.executable, "-m", "nbgrader", "generate_assignment", problem_set, "--force"),
                    f"--CourseDirectory.release_directory={folder}",
                    f"--CourseDirectory.db_url=sqlite:///{scratch}/gradebook.db",
                    "--Application.log_level=WARN",
                ],
                cwd=ROOT,
                env={**os.environ, "PATH": path},
                check=True,
            )


if __name__ == "__main__":
    make_exercises(*(Path(name).resolve() for name in sys.argv[1:]))
