"""What a newcomer sees first agrees with what's in the repository."""

import json
import re
from base64 import b64decode
from pathlib import Path

import sdpa_course
from tools.minutes import count

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
NOTEBOOKS = {path.name: path for path in (ROOT / "notebooks").glob("*.ipynb")}


def test_the_loop_is_the_one_of_notebook_00():
    cells = json.loads(NOTEBOOKS["00_start_here.ipynb"].read_text(encoding="utf-8"))["cells"]
    (loop,) = [
        output["data"]["image/png"]
        for cell in cells
        for output in cell.get("outputs", [])
        if "collapse_loop(" in "".join(cell["source"]) and "image/png" in output.get("data", {})
    ]
    assert (ROOT / "docs" / "collapse.png").read_bytes() == b64decode(loop), (
        "store it again: its notebook has a new one"
    )


def test_the_map_has_every_notebook_and_nothing_else():
    rows = re.findall(r"^\| \[.*?\]\(notebooks/(.+?)\)", README, re.MULTILINE)
    assert sorted(rows) == sorted(NOTEBOOKS)


def test_the_question_comes_on_one_screen_before_the_map():
    assert len(README.partition("## The map")[0].split()) < 300


def test_the_hours_are_those_of_the_notebooks():
    low, high = map(int, re.search(r"(\d+) to (\d+) hours for everything", README).groups())
    minutes = sum(count(path).promised for name, path in NOTEBOOKS.items() if name[0] != "A")
    assert low <= round(minutes / 60) <= high
    assert high - low <= 4


def test_the_citation_names_the_version_and_the_authors_of_the_licence():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {sdpa_course.__version__}\n" in citation
    authors = re.search(r"\(c\) \d+ (.*)", (ROOT / "LICENSE").read_text(encoding="utf-8"))[1]
    assert f'name: "{authors}"' in citation
    assert f"## {sdpa_course.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
