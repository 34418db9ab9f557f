"""nbgrader's settings for everybody on the machine of a class; the hub names their folder in JUPYTER_CONFIG_PATH.

The course's own settings (what a stub looks like) are in the nbgrader_config.py beside solutions/.
"""

import os
import pwd
import shutil
import stat
from pathlib import Path

from nbgrader.exchange.default import ExchangeCollect

c = get_config()  # noqa: F821 (nbgrader defines it)

CLASS = Path(os.environ.get("SDPA_CLASS", "/srv/sdpa-class"))
COURSE = Path.home() / "course"  # inside the home, because the formgrader opens files only there

c.CourseDirectory.course_id = "sdpa-course"
c.Exchange.root = str(CLASS / "exchange")

# A set is fetched to ~/sdpa-course/ps03/, so that its links to ../../notebooks lead to ~/notebooks.
c.Exchange.path_includes_course = True

# A notebook that was renamed is refused when it is handed in, not found missing when it is graded.
c.ExchangeSubmit.strict = True

# No script of a student's gets into a page of feedback.
c.HTMLExporter.sanitize_html = True

# Only the instructor has this folder. nbgrader stops for students if it is named and cannot be read.
if (COURSE / "solutions").is_dir():
    c.CourseDirectory.root = str(COURSE)


class Collect(ExchangeCollect):
    """Collect what a student handed in, and nothing else.

    nbgrader's own copies follow links, with the instructor's rights: a submission that is a link to the solutions would
    come back as feedback. And it takes a folder by its name, whoever made it.
    """

    def owned(self, record: dict) -> bool:
        """Does the folder belong to the student whose name it bears?"""
        path = os.path.join(self.inbound_path, record["filename"])
        try:
            owner = pwd.getpwuid(os.lstat(path).st_uid).pw_name
        except (KeyError, FileNotFoundError):
            owner = "nobody"
        if owner != record["username"]:
            self.log.warning("%s is not taken: it was made by %s", path, owner)
        return owner == record["username"]

    def init_src(self) -> None:
        """The newest submission of each student, of those that are their own."""
        super().init_src()
        self.src_records = [record for record in self.src_records if self.owned(record)]

    def _sort_by_timestamp(self, records: list) -> list:
        """A forged folder does not stand in for a student's own one, however new it says it is."""
        return super()._sort_by_timestamp([record for record in records if self.owned(record)] or records)

    def do_copy(self, src: str, dest: str, log=None) -> None:
        """Only the files that grading reads, and only if they are files."""
        os.makedirs(dest)
        name = self.coursedir.assignment_id
        for file in (f"{name}.ipynb", "timestamp.txt", "submission_secret.txt"):
            try:
                folder = os.open(src, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    source = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
                finally:
                    os.close(folder)
            except OSError as error:
                self.log.warning("%s/%s is not taken: %s", src, file, error.strerror)
                continue
            with os.fdopen(source, "rb") as reading:
                if stat.S_ISREG(os.fstat(source).st_mode):
                    with open(os.path.join(dest, file), "wb") as writing:
                        shutil.copyfileobj(reading, writing)


c.ExchangeFactory.collect = Collect
