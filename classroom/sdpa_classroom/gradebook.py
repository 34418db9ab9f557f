"""Store the results: nbgrader's database, the pages for students and instructors, and grades.csv.

Everything goes through nbgrader's own interfaces, so its formgrader, export and feedback keep working.
"""

import contextlib
import csv
import io
import json
import logging
import secrets
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc
from sqlalchemy.exc import SAWarning
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from sdpa_course.homework.tasks import PROBLEM_SETS, tasks_of

from .deadlines import Lateness, read_rules
from .files import harmless, refuse_broken, write_atomically
from .marking import UNREADABLE, Result
from .pages import assemble, feedback, marked
from .receipts import small_text, time_of
from .submissions import Submission


class Course:
    """One course folder, with submitted/ in it and the results beside that."""

    def __init__(self, root: Path, solutions: Path):
        self.root, self.solutions, self.rules = root, solutions, read_rules(root)
        self.scratch = root / ".grading"  # everything temporary; nobody else can look inside
        self.database = f"sqlite:///{root / 'gradebook.db'}"
        self.releases, self.opened = {}, None
        logging.getLogger("traitlets").setLevel(logging.CRITICAL)  # nbgrader's; what matters is raised

    def folder(self, kind: str, submission: Submission) -> Path:
        """Such as autograded/<student>/<ps03>."""
        return self.root / kind / submission.student / submission.problem_set

    @contextlib.contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        """nbgrader's interface to the database, created if there is none. It stays open, which is much faster."""
        self.opened = self.opened or Gradebook(self.database, "sdpa-course")
        try:
            yield self.opened
        finally:
            self.opened.db.remove()  # what wasn't committed is forgotten

    def close(self) -> None:
        """Close the database."""
        if self.opened:
            self.opened.close()

    def release(self, problem_set: str) -> nbformat.NotebookNode:
        """The exercise as students get it; on the way, nbgrader enters its cells into the database."""
        if problem_set not in self.releases:
            with tempfile.TemporaryDirectory(dir=self.scratch) as scratch:
                config = self.settings()
                config.CourseDirectory.root = str(self.root)
                config.CourseDirectory.db_url = self.database
                config.CourseDirectory.course_id = "sdpa-course"
                config.CourseDirectory.source_directory = str(self.solutions)
                config.CourseDirectory.release_directory = scratch
                config.CourseDirectory.assignment_id = problem_set
                directory = CourseDirectory(config=config)
                GenerateAssignment(coursedir=directory, config=config, create_assignment=True).start()
                path = Path(scratch) / problem_set / f"{problem_set}.ipynb"
                self.releases[problem_set] = nbformat.read(path, as_version=4)
        return self.releases[problem_set]

    def prepare(self, submissions: list[Submission]) -> None:
        """Make what grading these needs, so that a full disk or a broken solution is known before anything runs."""
        for name in sorted({submission.problem_set for submission in submissions} & set(PROBLEM_SETS)):
            try:
                self.release(name)
            except (Exception, SystemExit) as error:
                why = " ".join(str(error).split()) or type(error).__name__
                raise ValueError(f"{name} couldn't be prepared in {self.root}; is its disk full? ({why})") from None

    def settings(self) -> Config:
        """The nbgrader_config.py beside the solutions, or nbgrader's defaults."""
        path = self.solutions.parent / "nbgrader_config.py"
        return PyFileConfigLoader(path.name, path=str(path.parent)).load_config() if path.exists() else Config()

    def record(self, submission: Submission) -> dict:
        """What was stored about this submission the last time, or an empty dict."""
        try:
            return json.loads((self.folder("autograded", submission) / "grading.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def known(self) -> set[tuple[str, str]]:
        """(problem set, student) of every submission in the gradebook."""
        if not (self.root / "gradebook.db").exists():
            return set()
        with self.gradebook() as gradebook:
            return {
                (assignment.name, submission.student_id)
                for assignment in gradebook.assignments
                for submission in assignment.submissions
            }

    def write(self, result: Result, *, plain: bool = False) -> None:
        """Write gradebook, notebook and feedback, and last of all the record that this is done."""
        submission = result.submission
        note = {"state": result.state, "reason": result.reason, "digest": result.digest, "marks": result.marks}
        note["mistakes"] = result.mistakes
        note["called"] = sorted({name for names in result.called.values() for name in names})
        if "late" in self.record(submission):
            note["late"] = None  # to be judged again
        if submission.problem_set in PROBLEM_SETS:
            notebook = assemble(result, self.release(submission.problem_set), plain=plain)
            self.write_grades(result, notebook)
            path = self.folder("autograded", submission) / f"{submission.problem_set}.ipynb"
            write_atomically(path, nbformat.writes(notebook))
            page = self.folder("feedback", submission) / f"{submission.problem_set}.html"
            # nbgrader copies this file with its mode to where the student reads it; nobody else can enter the folder
            write_atomically(page, feedback(*self.with_scores(submission, notebook)), mode=0o644)
        self.write_record(submission, note)

    def write_grades(self, result: Result, notebook: nbformat.NotebookNode) -> None:
        """Store the scores by code, and which answers a person must read. Scores given by a person are kept."""
        name, student = result.submission.problem_set, result.submission.student
        stubs = {cell.metadata.nbgrader.grade_id: cell.source for cell in marked(self.release(name))}
        stamp = time_of(result.submission)
        times = {"timestamp": str(parse_utc(stamp.strip()))} if stamp else {}
        with self.gradebook() as gradebook, warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)  # nbgrader's, about the order of its inserts
            gradebook.update_or_create_student(student)
            gradebook.update_or_create_submission(name, student, **times)
            for cell in marked(notebook):
                grade_id, marks = cell.metadata.nbgrader.grade_id, cell.metadata.nbgrader
                unanswered = cell.source.strip() == stubs[grade_id].strip()
                if marks.grade:
                    grade = gradebook.find_grade(grade_id, name, name, student)
                    if marks.solution:
                        grade.auto_score = 0.0 if unanswered or result.state == UNREADABLE else None
                    else:
                        grade.auto_score = result.marks.get(grade_id.removesuffix("-test"), 0.0)
                    grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
                if marks.solution:
                    comment = gradebook.find_comment(grade_id, name, name, student)
                    comment.auto_comment = "No response." if unanswered else calls(result, grade_id)
            gradebook.db.commit()

    def with_scores(
        self, submission: Submission, notebook: nbformat.NotebookNode
    ) -> tuple[nbformat.NotebookNode, dict]:
        """A copy of the notebook with scores and comments in it, and the totals, as the feedback page wants them."""
        name, student, page = submission.problem_set, submission.student, nbformat.from_dict(notebook)
        with self.gradebook() as gradebook:
            for cell in marked(page):
                marks = cell.metadata.nbgrader
                if marks.grade:
                    grade = gradebook.find_grade(marks.grade_id, name, name, student)
                    marks.score, marks.points = grade.score, grade.max_score
                if marks.solution:
                    marks.comment = gradebook.find_comment(marks.grade_id, name, name, student).comment
            graded = gradebook.find_submission_notebook(name, name, student)
            late = graded.late_submission_penalty or 0
            scores = {"score": max(0.0, graded.score - late), "max_score": graded.max_score, "late_penalty": late}
        return page, {"student": student, "assignment": name, "notebook": name, **scores}

    def write_lateness(self, submission: Submission, late: Lateness) -> None:
        """Take the share of all points off where nbgrader expects it, and tell the student on top of the page."""
        name, note = submission.problem_set, self.record(submission)
        with self.gradebook() as gradebook:
            page = gradebook.find_submission_notebook(name, name, submission.student)
            before, penalty = page.late_submission_penalty or 0, round(late.share * page.max_score, 4)
            page.late_submission_penalty = penalty
            gradebook.db.commit()
        path = self.folder("autograded", submission) / f"{name}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        words = [notebook.cells[0].source.partition("\n\n")[0], *([late.sentence] if late.told else [])]
        if penalty != before or notebook.cells[0].source != "\n\n".join(words):
            notebook.cells[0].source = "\n\n".join(words)
            html = feedback(*self.with_scores(submission, notebook))
            write_atomically(self.folder("feedback", submission) / f"{name}.html", html, mode=0o644)
            write_atomically(path, nbformat.writes(notebook))  # last, so that the page is made again if that failed
        self.write_record(submission, note | {"late": late._asdict()})

    def write_record(self, submission: Submission, note: dict) -> None:
        """The note that this is done."""
        write_atomically(self.folder("autograded", submission) / "grading.json", json.dumps(note, indent=1))

    def write_receipts(self, submissions: list[Submission]) -> None:
        """Copy timestamp and secret beside the notebook and the feedback, where nbgrader's release_feedback reads them.

        Unchanged submissions too: the same notebook, handed in again, has a new secret. And every page gets them,
        because a page without them would stop the feedback for everybody else.
        """
        for submission in submissions:
            if (self.folder("feedback", submission) / f"{submission.problem_set}.html").exists():
                secret = small_text(submission, "submission_secret.txt") or secrets.token_hex(64)
                for kind in ("autograded", "feedback"):
                    write_atomically(self.folder(kind, submission) / "timestamp.txt", time_of(submission))
                    write_atomically(self.folder(kind, submission) / "submission_secret.txt", secret)

    def write_csv(self, submissions: list[Submission]) -> Path:
        """Write grades.csv, one line for each submission."""
        path, text, rows = self.root / "grades.csv", io.StringIO(newline=""), []
        with self.gradebook() as gradebook:
            for submission in submissions:
                note = self.record(submission)
                row = {"student": submission.student, "problem set": submission.problem_set}
                row |= {"state": note.get("state", ""), "reason": note.get("reason", "")}
                row["calls"] = " ".join(note.get("called", []))  # functions of the package, flagged for a person
                try:
                    graded = gradebook.find_submission(submission.problem_set, submission.student)
                    grades = [grade for page in graded.notebooks for grade in page.grades]
                    score, of, late = graded.score, graded.max_score, graded.late_submission_penalty or 0
                except MissingEntry:
                    grades, score, of, late = [], 0, "", 0
                row["checked by code"] = sum(grade.auto_score or 0 for grade in grades)
                row["read by a person"] = sum(grade.manual_score or 0 for grade in grades if grade.auto_score is None)
                row["to be read"] = sum(bool(grade.needs_manual_grade) for grade in grades)
                row["late"] = (note.get("late") or {}).get("sentence", "")
                row |= {"off for that": min(late, score), "score": max(0.0, score - late), "of": of}
                rows.append({name: harmless(value) for name, value in row.items()})
        writer = csv.DictWriter(text, rows[0])
        writer.writeheader()
        writer.writerows(rows)
        write_atomically(path, text.getvalue())
        return path

    def check(self) -> None:
        """Refuse a broken gradebook before anything is written to it."""
        if (self.root / "gradebook.db").exists():
            refuse_broken(self.root / "gradebook.db")


def calls(result: Result, grade_id: str) -> str | None:
    """A comment on an answer that called the package's own functions; whoever grades decides what that's worth."""
    tasks = tasks_of(result.submission.problem_set)
    names = {name for task, found in result.called.items() if tasks[task].answer_name == grade_id for name in found}
    return f"Calls the course's own {', '.join(sorted(names))}." if names else None
