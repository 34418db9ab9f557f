"""Magics cost no points, and answers that call the package's own functions are flagged for a person."""

from types import SimpleNamespace

import nbformat
import pytest
from nbgrader.api import Gradebook

from .grade_command import LIMITS, grade, grades, hand_in, needs_sandbox
from .hostile import cell, solution, with_softmax

pytestmark = needs_sandbox

MAGICS = {
    "inline": "%matplotlib inline\n{}",
    "widget": "%config InlineBackend.figure_format = 'retina'\n%matplotlib widget\n%load_ext autoreload\n{}",
    "shell": "!pip install numpy\nfiles = !ls\n{}",
    "unknown": "%no_such_magic at all\n{}",
    "help": "import numpy as np\nnp.sum?\n{}",
    "reset": "%reset -f\n{}",
}
CELL_MAGICS = {"time": "%%time\n{}", "capture": "%%capture\n{}", "foreign": "%%memit -r 3\n{}"}


def with_import(text):
    made = solution()
    first = next(c for c in made.cells if c.cell_type == "code")
    first.source = text.format(first.source)
    return made


def with_answer(text):
    made = solution()
    cell(made, "softmax").source = text.format(cell(made, "softmax").source)
    return made


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    course = tmp_path_factory.mktemp("course")
    for name, text in MAGICS.items():
        hand_in(course, f"import-{name}", with_import(text))
    for name, text in CELL_MAGICS.items():
        hand_in(course, f"answer-{name}", with_answer(text))
    shell = solution()
    shell.cells.insert(2, nbformat.v4.new_code_cell("%%bash\nls /\n", id="shell"))
    hand_in(course, "shell", shell)
    hand_in(
        course, "calls", with_softmax("f = sdpa_course.softmax_forward\n    return f(scores)", "import sdpa_course\n")
    )
    hand_in(
        course,
        "names",
        with_softmax(
            "e = np.exp(scores - scores.max(axis=1)[:, None])  # softmax_forward\n    return e / e.sum(axis=1)[:, None]"
        ),
    )
    grade(course, *LIMITS)
    return SimpleNamespace(course=course, rows=grades(course))


@pytest.mark.parametrize(
    "student", [*(f"import-{name}" for name in MAGICS), *(f"answer-{name}" for name in CELL_MAGICS), "shell"]
)
def test_a_magic_costs_no_points(graded, student):
    row = graded.rows[student, "ps03"]
    assert (row["state"], float(row["checked by code"])) == ("graded", 13), row["reason"]


def test_calling_the_package_is_flagged_and_keeps_its_points(graded):
    row = graded.rows["calls", "ps03"]
    assert (float(row["checked by code"]), row["calls"]) == (13, "softmax_forward")
    page = (graded.course / "feedback" / "calls" / "ps03" / "ps03.html").read_text(encoding="utf-8")
    assert "your answer calls the course's own softmax_forward" in page.replace("&#39;", "'")
    with Gradebook(f"sqlite:///{graded.course / 'gradebook.db'}", "sdpa-course") as gradebook:
        comment = gradebook.find_comment("softmax", "ps03", "ps03", "calls").auto_comment
        assert comment == "Calls the course's own softmax_forward."
        assert gradebook.find_comment("entropy", "ps03", "ps03", "calls").auto_comment is None


def test_a_name_in_a_comment_is_not_a_call(graded):
    assert graded.rows["names", "ps03"]["calls"] == ""
    assert graded.rows["names", "ps03"]["state"] == "graded"
