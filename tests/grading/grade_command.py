"""Hand work in, and grade it with the command as an instructor runs it."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from sdpa_classroom.sandbox import NoSandbox, find_sandbox

LIMITS = ["--cell-seconds", "8", "--seconds", "40", "--memory", "1.5"]

try:
    BWRAP, WHY = find_sandbox(), ""
except NoSandbox as problem:
    BWRAP, WHY = None, str(problem)
needs_sandbox = pytest.mark.skipif(BWRAP is None and not os.environ.get("CI"), reason=WHY)


def run_command(*arguments, **options):
    return subprocess.Popen(
        [Path(sys.executable).with_name("sdpa-course"), "grade", *map(str, arguments)],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True} | options,
    )


def grade(*arguments):
    process = run_command(*arguments)
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 0, said
    return said


def grades(course):
    with (course / "grades.csv").open(newline="", encoding="utf-8") as file:
        return {(row["student"], row["problem set"]): row for row in csv.DictReader(file)}


def hand_in(course, student, notebook, problem_set="ps03"):
    """Write a notebook, or any bytes, where the grader looks for it; returns the path."""
    path = course / "submitted" / student / problem_set / f"{problem_set}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(notebook if isinstance(notebook, bytes) else nbformat.writes(notebook).encode())
    return path
