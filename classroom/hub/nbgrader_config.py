"""nbgrader's settings for everybody on a class's machine; the hub puts their folder into JUPYTER_CONFIG_PATH.

The course's own settings (what a stub looks like) are in the nbgrader_config.py beside solutions/.
"""

import os
import pwd
import stat
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.exchange.default import ExchangeCollect

from sdpa_classroom.submissions import Unreadable, read_dated

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


def in_nbgraders_words(seconds: float) -> str:
    """A time as nbgrader writes it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S.%f UTC")


class Collect(ExchangeCollect):
    """Collect what a student handed in, and nothing else.

    nbgrader itself follows links with the instructor's rights, so a submission that is a link to the solutions would
    come back as feedback. It also goes by a folder's name, whoever made the folder, and by the time a student gives.
    That time is in timestamp.txt, which the student's own account writes. What the file system notes (`ctime`) can't be
    set by a student: touching, replacing, or writing to the file makes it later, never earlier.

    And nbgrader stops for the whole class at a folder that it can't read. Anybody can make one.
    """

    def _path_to_record(self, path: str) -> dict:
        """What a folder's name says; one that says no time is nobody's."""
        try:
            return super()._path_to_record(path)
        except Exception:
            return {"username": "", "filename": os.path.basename(path), "timestamp": datetime.min}

    def owned(self, record: dict) -> bool:
        """Is it a folder, and does it belong to the student it's named after?"""
        path = os.path.join(self.inbound_path, record["filename"])
        try:
            found = os.lstat(path)
            owner = pwd.getpwuid(found.st_uid).pw_name
        except (KeyError, OSError):
            found, owner = None, "nobody"
        if owner != record["username"]:
            self.log.warning("%r is not taken: it was made by %s", path, owner)
        elif found and not stat.S_ISDIR(found.st_mode):
            self.log.warning("%r is not taken: it isn't a folder", path)
        else:
            return found is not None
        return False

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
        notebook = f"{self.coursedir.assignment_id}.ipynb"
        for file in (notebook, "submission_secret.txt"):
            try:
                data, changed = read_dated(Path(src, file))
                Path(dest, file).write_bytes(data)
                if file == notebook:
                    Path(dest, "timestamp.txt").write_text(in_nbgraders_words(changed))
            except Unreadable as problem:
                self.log.warning("%s/%s is not taken: %s", src, file, problem)


c.ExchangeFactory.collect = Collect
c.ExchangeCollect.check_owner = False  # `owned` has checked, and this would stop at a folder that's gone by now
