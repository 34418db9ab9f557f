"""What a student sees of their progress, and when our solution to a task is shown."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from sdpa_course import softmax_forward
from sdpa_course.homework import check, progress, solution
from sdpa_course.homework.progress import OFF, _checked, find_solutions
from sdpa_course.homework.tasks import PROBLEM_SETS

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def new_session(monkeypatch):
    monkeypatch.delenv(OFF, raising=False)
    monkeypatch.chdir(ROOT / "exercises" / "ps03")
    _checked.clear()
    yield
    _checked.clear()


def said(capsys, function, *arguments):
    capsys.readouterr()
    function(*arguments)
    return " ".join(capsys.readouterr().out.replace("\u00a0", " ").split())


def test_progress_says_what_is_right_what_is_open_and_what_to_do_next(capsys):
    first = said(capsys, progress, "ps03")
    assert first.startswith(
        "ps03: 0 of 13 points that are checked by code not answered yet softmax (3); softmax, second"
    )
    assert "next choose Run → Run All Cells" in first
    check("ps03.softmax", softmax_forward)
    check("ps03.top_weight", 0.5)
    now = said(capsys, progress, "ps03")
    assert now.startswith(
        "ps03: 3 of 13 points that are checked by code right softmax (3) not right yet top_weight (2)"
    )
    assert now.endswith("next top_weight. Its check says what it tried and what it got.")
    check("ps03.top_weight", 0.787)
    assert said(capsys, progress, "ps03").endswith(
        "next softmax, second check. Write your answer, run its cell, then the check below it."
    )


def test_an_answer_that_was_right_and_is_not_any_more_loses_its_points(capsys):
    check("ps03.softmax", softmax_forward)
    check("ps03.softmax", np.exp)
    assert "0 of 13" in said(capsys, progress, "ps03")


@pytest.mark.parametrize("name", PROBLEM_SETS)
def test_every_set_ends_with_its_progress(name):
    for folder in ("solutions", "exercises"):
        last = nbformat.read(ROOT / folder / name / f"{name}.ipynb", as_version=4).cells[-1]
        assert (last.cell_type, last.source) == ("code", f'progress("{name}")')


def test_the_solution_comes_after_three_different_tries_or_a_right_answer(capsys):
    assert "Try it first" in said(capsys, solution, "ps03.entropy")
    wrong = (lambda w: w, lambda w: w.sum(), lambda w: w.sum(axis=0))
    for answer in (*wrong[:2], *wrong[:2], lambda w: None):  # the same again and an empty one don't count
        check("ps03.entropy", answer)
    assert "(2 so far)" in said(capsys, solution, "ps03.entropy")
    check("ps03.entropy", wrong[2])
    assert 'Stuck? solution("ps03.entropy") shows ours.' in said(capsys, progress, "ps03")
    shown = said(capsys, solution, "ps03.entropy")
    assert "positive = np.where(weights > 0, weights, 1.0)" in shown
    assert "SOLUTION" not in shown
    assert "exps" not in shown  # one task at a time
    assert "Try it first" in said(capsys, solution, "ps03.softmax")
    check("ps03.softmax", softmax_forward)
    assert "exps / exps.sum(axis=-1, keepdims=True)" in said(capsys, solution, "ps03.softmax")


def test_an_instructor_can_keep_the_solutions_closed(capsys, monkeypatch, tmp_path):
    check("ps03.softmax", softmax_forward)
    monkeypatch.setenv(OFF, "off")
    assert "There are no solutions here." in said(capsys, solution, "ps03.softmax")
    monkeypatch.delenv(OFF)
    monkeypatch.chdir(tmp_path)  # where the course was handed out without them
    assert "There are no solutions here." in said(capsys, solution, "ps03.softmax")
    assert find_solutions(ROOT / "my_work" / "ps03") == ROOT / "solutions"


def test_make_progress_reads_what_is_saved(tmp_path):
    shutil.copytree(ROOT / "exercises", tmp_path / "exercises")
    (tmp_path / "tools").mkdir()
    tool = shutil.copy(ROOT / "tools" / "homework.py", tmp_path / "tools")
    work = tmp_path / "my_work" / "ps03"
    work.mkdir(parents=True)
    notebook = nbformat.read(ROOT / "exercises" / "ps03" / "ps03.ipynb", as_version=4)
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id == "top_weight":
            cell.source = "top_weight = 0.787"
        if grade_id and cell.cell_type == "markdown":
            cell.source = "Because."
    NotebookClient(notebook, timeout=60).execute()
    nbformat.write(notebook, work / "ps03.ipynb")
    (tmp_path / "my_work" / "ps05").mkdir()
    (tmp_path / "my_work" / "ps05" / "ps05.ipynb").write_text("an evening's work")
    lines = subprocess.run(
        [sys.executable, tool, "--progress"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert [line[:4] for line in lines] == list(PROBLEM_SETS)
    assert lines[2] == "ps03  2 of 13 points by code, 2 of 2 written answers"
    assert lines[3] == "ps04  not started: make homework PS=04"
    assert "isn't a notebook" in lines[4]
