"""What a notebook promises is the honest count of its minutes."""

import json
import re
from pathlib import Path

import pytest

from tools.minutes import Count, cells_of, count, count_cells, count_lines, count_words, sections, source

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SLACK = 10  # minutes that a promise may lie above the count; it may not lie below


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_promises_the_minutes_it_takes(path):
    found = count(path)
    assert found.promised is not None, "the lines before the first code cell don't say how many minutes it takes"
    assert found.minutes <= found.promised <= found.minutes + SLACK, (
        f"it takes {found.minutes:.0f} minutes and promises {found.promised}: write {found.rounded}"
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_exercise_says_its_minutes(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    tries = sum(bool(re.search(r"^try_it\(", source, flags=re.MULTILINE)) for source in code)
    assert len(count(path).exercises) == tries


GUIDE = (ROOT / "docs" / "instructor-guide.md").read_text(encoding="utf-8")


def test_the_short_path_takes_two_hours():
    path = re.search(r"^### The short path.*?(?=^### )", GUIDE, re.MULTILINE | re.DOTALL)[0]
    rows = re.findall(r"^\| (\d+) \| (\d\d): (.+?) \|", path, re.MULTILINE)
    assert [number for _, number, _ in rows] == ["00", "02", "03", "06", "09", "12"]
    for minutes, number, named in rows:
        (notebook,) = (each for each in NOTEBOOKS if each.name.startswith(number))
        found = sections(cells_of(notebook))
        cells = [cell for name in named.split("; ") for cell in found[name] if "try_it(" not in source(cell)]
        counted = count_cells(cells)._replace(exercises=[]).minutes
        assert counted <= int(minutes) <= counted + 2, f"notebook {number}: these sections take {counted:.1f} minutes"
    assert sum(int(minutes) for minutes, *_ in rows) == 120
    assert "| 120 | all |" in path


def test_the_guide_says_how_long_each_week_reads():
    weeks = re.findall(r"^\| \d \| ([\d, ]+) \| ps", GUIDE, re.MULTILINE)
    promised = {path.name[:2]: count(path).promised for path in NOTEBOOKS}
    minutes = [sum(promised[number] for number in week.split(", ")) for week in weeks]
    first, low, high = re.search(
        r"(\d+) minutes in week 1, and between (\d+) and (\d+)", " ".join(GUIDE.split())
    ).groups()
    assert minutes[0] == int(first)
    assert all(int(low) <= each <= int(high) for each in minutes[1:])


def test_the_guide_repeats_what_the_notebooks_promise():
    (minutes,) = re.findall(r"Ask everyone to run the notebook at home \((\d+) minutes\)", GUIDE)
    (again,) = re.findall(r"notebook 00 \((\d+) minutes\), which also shows", GUIDE)
    assert int(minutes) == int(again) == count(ROOT / "notebooks" / "00_start_here.ipynb").promised


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("One two, three.", 3),
        ("A dash – and an = sign", 5),
        (r"so $\mathrm{Var}(q \cdot k) = d_k$ holds", 5),
        (r"$$\frac{1}{\sqrt{d_k}}$$", 2),
        ("<!-- not a word -->one", 1),
        ("<details><summary>The answer</summary>", 2),
        ("a [link to it](notebooks/03 softmax.ipynb) and https://example.org/a/b", 5),
        ("before\n```python\nx = 1\n```\nafter", 2),
    ],
)
def test_what_counts_as_a_word(text, words):
    assert count_words(text) == words


def test_what_counts_as_a_line_of_code():
    assert count_lines("# why\nx = 1  # one\n\n    # indented\nif x:\n    y = 2") == 3


def test_a_notebook_is_counted_by_the_formula(tmp_path):
    def cell(kind, source, **metadata):
        return {"cell_type": kind, "source": source.splitlines(keepends=True), "metadata": metadata, "outputs": []}

    picture = {"output_type": "display_data", "data": {"image/png": "…", "text/plain": "words"}}
    cells = [
        cell("markdown", "# Title\n\nYou need 15 minutes. " + "word " * 395),
        cell("code", "x = 1\ny = 2\nz = 3"),
        cell("code", "draw()\nshow()", tags=["hide-input"]) | {"outputs": [picture, picture]},
        cell("code", "draw()", jupyter={"source_hidden": True}) | {"outputs": [picture]},
        cell("code", "predict('more?')", tags=["hide-input"]),
        cell("markdown", "**Exercise (4 minutes).**\n![picture](a.png)"),
    ]
    path = tmp_path / "notebook.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    found = count(path)
    assert found == Count(words=404, lines=3, pictures=4, predictions=1, exercises=[4], promised=15)
    assert found.minutes == pytest.approx(404 / 200 + 1 + 1 + 0.75 + 4)
    assert found.rounded == 10
