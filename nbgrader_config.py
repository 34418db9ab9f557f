"""nbgrader's settings for this course: `solutions/` is the source, `exercises/` is what students get."""

c = get_config()  # noqa: F821 (nbgrader defines it)

c.CourseDirectory.course_id = "sdpa-course"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__"]

# An exercise runs from top to bottom before it is solved: a stub does nothing, and the check says "not answered yet".
c.ClearSolutions.code_stub = {"python": "pass  # your answer here"}
c.ClearSolutions.text_stub = "Your answer here."

c.Execute.timeout = 60
