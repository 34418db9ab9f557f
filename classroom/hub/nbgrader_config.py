"""nbgrader's settings for everybody on a class's machine; the hub puts their folder into JUPYTER_CONFIG_PATH.

The course's own settings (what a stub looks like) are in the nbgrader_config.py beside solutions/.
"""

import os
import pwd
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.exchange.default import ExchangeCollect

from sdpa_classroom.submissions import Unreadable, read_bytes

c = get_config()  # noqa: F821 (nbgrader defines it)

CLASS = Path(os.environ.get("SDPA_CLASS", "/srv/sdpa-class"))
COURSE = Path.home() / "course"  # inside the home, because the formgrader opens files only there

c.CourseDirectory.course_id = "sdpa-course"
c.Exchange.root = str(CLASS / "exchange")

# A set is fetched to ~/sdpa-course/ps03/, so that its links to ../../notebooks lead to ~/notebooks.
c.Exchange.path_includes_course = True

# A renamed notebook is refused when it's handed in, instead of being missed when it's graded.
c.ExchangeSubmit.strict = True

# No student's script gets into a feedback page, and the page loads nothing that a student chose.
c.HTMLExporter.sanitize_html = True
c.GenerateFeedback.exporter_class = "sdpa_classroom.pages.FeedbackExporter"

# Only the instructor has this folder. If it were set for students, who can't read it, nbgrader would stop.
if (COURSE / "solutions").is_dir():
    c.CourseDirectory.root = str(COURSE)


def handed_in(folder: Path, notebook: str) -> bytes:
    """When the notebook last changed, by the machine's clock, in nbgrader's words.

    nbgrader believes the timestamp.txt that the student's own account writes. What the file system notes (`ctime`)
    can't be set by a student: touching, replacing, or writing to the file makes it later, never earlier.
    """
    changed = datetime.fromtimestamp(os.lstat(folder / notebook).st_ctime, UTC)
    return changed.strftime("%Y-%m-%d %H:%M:%S.%f UTC").encode()


class Collect(ExchangeCollect):
    """Collect what a student handed in, and nothing else.

    nbgrader itself follows links with the instructor's rights, so a submission that is a link to the solutions would
    come back as feedback. It also goes by a folder's name, whoever made the folder, and by the time a student gives.
    """

    def owned(self, record: dict) -> bool:
        """Does the folder belong to the student it's named after?"""
        path = os.path.join(self.inbound_path, record["filename"])
        try:
            owner = pwd.getpwuid(os.lstat(path).st_uid).pw_name
        except (KeyError, FileNotFoundError):
            owner = "nobody"
        if owner != record["username"]:
            self.log.warning("%s is not taken: it was made by %s", path, owner)
        return owner == record["username"]

    def init_src(self) -> None:
        """The newest submission of each student that is really theirs."""
        super().init_src()
        self.src_records = [record for record in self.src_records if self.owned(record)]

    def _sort_by_timestamp(self, records: list) -> list:
        """A forged folder doesn't replace a student's own, however new it claims to be."""
        return super()._sort_by_timestamp([record for record in records if self.owned(record)] or records)

    def do_copy(self, src: str, dest: str, log=None) -> None:
        """Only the files that grading reads, no links, and nothing larger than what it accepts (holes included)."""
        os.makedirs(dest)
        name = self.coursedir.assignment_id
        for file in (f"{name}.ipynb", "submission_secret.txt"):
            try:
                data = read_bytes(Path(src, file))
                Path(dest, file).write_bytes(data)
            except Unreadable as problem:
                self.log.warning("%s/%s is not taken: %s", src, file, problem)
        try:
            Path(dest, "timestamp.txt").write_bytes(handed_in(Path(src), f"{name}.ipynb"))
        except FileNotFoundError:
            self.log.warning("%s has no notebook, so nobody knows when it was handed in", src)


c.ExchangeFactory.collect = Collect
