"""Hand work in, and grade it with the command as an instructor runs it."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook

from sdpa_classroom.sandbox import NoSandbox, find_sandbox

from .accounts import ACCOUNTS, words_for

LIMITS = ["--cell-seconds", "8", "--seconds", "60", "--memory", "1.5"]

try:
    SANDBOX, WHY = find_sandbox(), ""
except NoSandbox as problem:
    SANDBOX, WHY = None, str(problem)
needs_sandbox = pytest.mark.skipif(SANDBOX is None and not os.environ.get("CI"), reason=WHY)


def run_command(*arguments, account=ACCOUNTS[0], **options):
    """Start the command; its first argument is the course's folder."""
    return subprocess.Popen(
        [
            *words_for(account, *map(Path, arguments[:1])),
            *(Path(sys.executable).with_name("sdpa-course"), "grade", *map(str, arguments)),
        ],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True} | options,
    )


def grade(*arguments, status=0, **options):
    process = run_command(*arguments, **options)
    said, _ = process.communicate(timeout=600)
    assert process.returncode == status, said
    return said


def grades(course):
    with (course / "grades.csv").open(newline="", encoding="utf-8") as file:
        return {(row["student"], row["problem set"]): row for row in csv.DictReader(file)}


def written(course):
    """Everything that a grading says: every cell's points and comments, and every file for students and graders."""
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", "sdpa-course") as gradebook:
        pages = [
            (assignment.name, page.student.id, page)
            for assignment in gradebook.assignments
            for submission in assignment.submissions
            for page in submission.notebooks
        ]
        cells = {
            (*place, cell.name): [getattr(cell, field) for field in fields]
            for *place, page in pages
            for found, fields in (
                (page.grades, ("auto_score", "manual_score", "needs_manual_grade", "max_score")),
                (page.comments, ("auto_comment", "manual_comment")),
            )
            for cell in found
        }
    files = {
        path.relative_to(course): path.read_text(encoding="utf-8")
        for pattern in ("autograded/*/*/*.ipynb", "autograded/*/*/grading.json", "feedback/*/*/*.html")
        for path in course.glob(pattern)
    }
    return grades(course), cells, files


def hand_in(course, student, notebook, problem_set="ps03"):
    """Write a notebook, or any bytes, where the grader looks for it; returns the path."""
    path = course / "submitted" / student / problem_set / f"{problem_set}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(notebook if isinstance(notebook, bytes) else nbformat.writes(notebook).encode())
    return path
