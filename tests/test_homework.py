"""Problem sets: exercises come from one source and give nothing away, and students' work is never overwritten."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from sdpa_course.homework import check, try_it
from sdpa_course.homework.tasks import NOTEBOOKS, PROBLEM_SETS, tasks_of

ROOT = Path(__file__).parent.parent
SETS = pytest.mark.parametrize("name", PROBLEM_SETS)
REGION = r"### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)\s*### END"


def read(folder, name):
    notebook = nbformat.read(ROOT / folder / name / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    return notebook


def graded(notebook):
    return [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")]


def test_there_are_twelve():
    assert len(PROBLEM_SETS) == 12
    for folder in ("solutions", "exercises"):
        assert sorted(path.name for path in (ROOT / folder).iterdir()) == list(PROBLEM_SETS)


@SETS
def test_nothing_of_a_solution_is_in_the_exercise(name):
    exercise = read("exercises", name)
    text = "\n".join(cell.source for cell in exercise.cells)
    assert not re.search("BEGIN|END SOL|HIDDEN|unseen", text)
    assert not any(cell.get("outputs") for cell in exercise.cells)
    source = "\n".join(cell.source for cell in read("solutions", name).cells)
    secrets = re.findall(REGION, source, flags=re.DOTALL)
    given = re.sub(REGION, "", source, flags=re.DOTALL)  # a fixed line may differ little from the given one
    assert len(secrets) >= len(graded(exercise))
    for line in "\n".join(secrets).splitlines():
        line = line.split("  #")[0].strip()
        if len(line) > 25 and line not in given:
            assert line not in text, line


@SETS
def test_cells_say_what_nbgrader_needs(name):
    solution, tasks = read("solutions", name), tasks_of(name)
    marked = [cell for cell in solution.cells if "nbgrader" in cell.metadata]
    ids = [cell.metadata.nbgrader.grade_id for cell in marked]
    assert len(set(ids)) == len(ids)
    tests = [cell for cell in graded(solution) if cell.cell_type == "code"]
    assert [cell.metadata.nbgrader.grade_id for cell in tests] == [f"{task}-test" for task in tasks]
    for cell, task in zip(tests, tasks.values(), strict=True):
        assert cell.metadata.nbgrader.points == task.points
        assert cell.metadata.nbgrader.locked
        assert cell.source.startswith(f'check("{task.name}", {task.answer_name})')
        assert ("unseen=True" in cell.source) != task.wants_number
    for task in tasks.values():
        (answer,) = [cell for cell in marked if cell.metadata.nbgrader.grade_id == task.answer_name]
        assert answer.metadata.nbgrader.solution
        assert "### BEGIN SOLUTION" in answer.source
        assert task.wants_number == (f"{task.answer_name} = None\n" in answer.source)
    by_hand = [cell for cell in graded(solution) if cell.cell_type == "markdown"]
    assert by_hand  # a derivation or an interpretation, with a rubric in the question
    assert all("### BEGIN SOLUTION" in cell.source for cell in by_hand)
    assert all("\n*Key.* " in cell.source for cell in by_hand)  # what a full answer contains, for whoever grades
    assert sum("*Rubric.*" in cell.source for cell in solution.cells) == len(by_hand)


@SETS
def test_points_and_minutes_add_up(name):
    """The table at the top agrees with the tasks below it."""
    solution = read("solutions", name)
    head = solution.cells[0].source
    rows = re.findall(r"^\| (\d)\. (.+?) \| (\d+) \| (easy|medium|hard) \| ([\d +]+) \|$", head, flags=re.MULTILINE)
    assert 4 <= len(rows) <= 6
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
    points = sum(sum(map(int, row[4].split("+"))) for row in rows)
    by_code = sum(task.points for task in tasks_of(name).values())
    by_hand = sum(c.metadata.nbgrader.points for c in graded(solution) if c.cell_type == "markdown")
    assert f"**Points** {points}: {by_code} are checked by code, {by_hand} are read by a person." in head
    assert points == by_code + by_hand
    minutes = int(re.search(r"\*\*Time\*\* about (\d+) minutes", head)[1])
    assert abs(minutes - sum(int(row[2]) for row in rows)) <= 5
    text = "\n".join(cell.source for cell in solution.cells)
    assert len(re.findall(r"^## If you want more: .+\n\n\*An evening, no points\. ", text, flags=re.MULTILINE)) == 1
    for number, title, minutes, difficulty, share in rows:
        assert f"## Task {number}. {title}\n" in text
        assert f"*{minutes} minutes, {difficulty}, {share} points" in text


@SETS
def test_an_unsolved_set_runs_from_top_to_bottom(name):
    exercise = read("exercises", name)
    NotebookClient(
        exercise, timeout=60, coalesce_streams=True, resources={"metadata": {"path": ROOT / "exercises" / name}}
    ).execute()
    for cell in graded(exercise):
        if cell.cell_type == "code":
            said, marks = cell.outputs
            task = tasks_of(name)[cell.metadata.nbgrader.grade_id.removesuffix("-test")]
            assert said.text == f"{task.title}: not answered yet.\n"
            assert marks.data["text/plain"] == "0.0"


@SETS
def test_links_lead_somewhere(name):
    for cell in read("solutions", name).cells:
        for target in re.findall(r"\]\(([^)#]+)", cell.source if cell.cell_type == "markdown" else ""):
            assert (ROOT / "solutions" / name / target).exists(), target


@pytest.mark.parametrize("name", PROBLEM_SETS + NOTEBOOKS)
def test_a_hint_points_to_a_place_that_exists(name):
    """Every "notebook 03, section 2" exists, and so does every section given by name."""
    for task in tasks_of(name).values():
        for place in {task.read, *(mistake.read for mistake in task.mistakes)} - {""}:
            for number, where in re.findall(
                r"notebook ([\dA]\d)(?:, section (\d+|\"[^\"]+\"|.+?))?(?=$|;| and)", place
            ):
                (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
                cells = nbformat.read(path, as_version=4).cells
                titles = re.findall(r"^#+ (.+)$", "\n".join(c.source for c in cells), flags=re.MULTILINE)
                if where.isdigit():
                    assert any(title.startswith(f"{where}. ") for title in titles), place
                elif where:
                    assert where.strip('"') in titles, place
            assert re.match(r"notebook [\dA]\d", place), place


def test_homework_is_copied_and_never_overwritten(tmp_path):
    shutil.copytree(ROOT / "exercises", tmp_path / "exercises")
    (tmp_path / "tools").mkdir()
    tool = shutil.copy(ROOT / "tools" / "homework.py", tmp_path / "tools")
    mine = tmp_path / "my_work" / "ps03" / "ps03.ipynb"

    def copy(*names):
        return subprocess.run([sys.executable, tool, *names], cwd=tmp_path, capture_output=True, text=True)

    assert copy("ps03").returncode == 0
    assert mine.read_bytes() == (ROOT / "exercises" / "ps03" / "ps03.ipynb").read_bytes()
    mine.write_text("an evening's work")
    for names in (["ps03"], ["3"], []):
        again = copy(*names)
        assert again.returncode == 0
        assert "ps03.ipynb is there already and was left alone" in again.stdout
        assert mine.read_text() == "an evening's work"
    assert sorted(path.name for path in (tmp_path / "my_work").iterdir()) == list(PROBLEM_SETS)
    unknown = copy("ps42")
    assert unknown.returncode == 1
    assert "got problem set 'ps42', expected one of ps01, ps02" in unknown.stderr


def test_my_work_is_not_in_git():
    assert "my_work/" in (ROOT / ".gitignore").read_text().splitlines()


def test_the_example_in_the_students_guide_is_what_is_printed(capsys):
    def without_scale(Q, K, V):
        exps = np.exp(Q @ K.T)
        return exps / exps.sum(axis=-1, keepdims=True) @ V

    check("ps05.attention", without_scale)
    assert capsys.readouterr().out in (ROOT / "docs" / "homework.md").read_text(encoding="utf-8")


# exercises inside notebooks


def test_exercises_and_notebooks_know_each_other():
    asked = {}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        source = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
        for name in re.findall(r'^try_it\("([\w.]+)"', source, flags=re.MULTILINE):
            assert name.startswith(f"nb{path.name[:2].lower()}."), name
            asked[name] = path.name
    assert set(asked) == {task.name for name in NOTEBOOKS for task in tasks_of(name).values()}
    assert not any(task.points for name in NOTEBOOKS for task in tasks_of(name).values())


def started(scores):
    rows = scores - scores.mean()  # noqa: F841
    return ...


@pytest.mark.parametrize("stub", [..., None, lambda scores: ..., lambda scores: None, started])
def test_a_stub_is_not_answered_yet_and_nothing_is_raised(stub, capsys):
    assert try_it("nb02.within_row", stub) is None
    assert capsys.readouterr().out == "within_row: not answered yet.\n"


def test_an_exercise_gets_the_feedback_of_a_homework_check(capsys):
    try_it("nb02.within_row", np.var)
    said = capsys.readouterr().out
    for line in (
        "within_row: not right yet.",
        "  Tried     scores of shape (3, 7)",
        "  Hint      This is the variance of all",
    ):
        assert line in said
    assert try_it("nb02.within_row", lambda scores: scores.var(axis=-1).mean()) is None
    assert capsys.readouterr().out == "within_row: right.\n"
