"""One step of nbgrader for several problem sets in one process: each command on its own takes seconds to start.

python nbgrader_steps.py autograde ps02 ps03    in a course folder with its nbgrader_config.py
"""

import sys

from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config.loader import PyFileConfigLoader


def main(step: str, *problem_sets: str) -> None:
    config = PyFileConfigLoader("nbgrader_config.py").load_config()
    api = NbGraderAPI(CourseDirectory(config=config), config=config)
    for name in problem_sets:
        for student in [("perfect",), ("untouched",)] if step == "autograde" else [()]:
            result = getattr(api, step)(name, *student)
            if not result["success"]:
                sys.exit(f"{step} {name} {student}: {result['error']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
