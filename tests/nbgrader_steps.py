"""One step of nbgrader for several problem sets in one process: each command on its own takes seconds to start.

python nbgrader_steps.py autograde ps02 ps03    in a course folder with its nbgrader_config.py
"""

import sys

from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config.loader import PyFileConfigLoader

step, *problem_sets = sys.argv[1:]
config = PyFileConfigLoader("nbgrader_config.py").load_config()
directory = CourseDirectory(config=config)
api = NbGraderAPI(directory, config=config)
for name in problem_sets:
    students = ("perfect", "untouched") if step == "autograde" else (None,)
    for student in students:
        result = getattr(api, step)(name, *(student,) * (student is not None))
        if not result["success"]:
            sys.exit(f"{step} {name} {student}: {result['error']}")
