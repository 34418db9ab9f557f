"""Lectures: the slides of the notebooks, the copy that a talk is given from, and a guide that agrees with both."""

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from lectures import lecture, slides

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "instructor-guide.md").read_text(encoding="utf-8")
NUMBERS = list(lecture.notebooks())
VISIBLE = ("slide", "subslide", "fragment", "-")


def notebook(number: str):
    return slides.read(lecture.notebooks()[number])


def begins_slide(cell) -> bool:
    return slides.slide_type(cell) in ("slide", "subslide")


def slides_of(number: str) -> list[list]:
    """The visible cells of each slide."""
    found = []
    for cell in notebook(number).cells:
        if begins_slide(cell):
            found.append([])
        if slides.slide_type(cell) in VISIBLE:
            found[-1].append(cell)
    return found


def page(number: str) -> str:
    """What the guide says about one lecture."""
    return re.search(rf"^### {number} · .*?(?=^### |^## |\Z)", GUIDE, re.M | re.S)[0]


def minutes(number: str) -> dict[str, tuple[int, int]]:
    """Section -> (slides, minutes), as the guide has it."""
    rows = re.findall(r"^\| (.+?) \| (\d+) \| (\d+) \|$", page(number), re.M)
    return {heading: (int(count), int(time)) for heading, count, time in rows}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_deck_begins_with_its_title_and_every_section_begins_a_slide(number):
    cells = notebook(number).cells
    assert slides.slide_type(cells[0]) == "slide"
    assert cells[0].source.startswith(f"# {number} · ")
    for heading, section in slides.sections(notebook(number)).items():
        if any(begins_slide(cell) for cell in section):
            first = next(cell for cell in section if slides.slide_type(cell) in VISIBLE)
            assert slides.slide_type(first) == "slide", heading


@pytest.mark.parametrize("number", NUMBERS)
def test_a_slider_has_its_slide_to_itself(number):
    sliders = 0
    for shown in slides_of(number):
        code = [cell for cell in shown if cell.cell_type == "code"]
        if any(slides.slider_of(cell) for cell in code):
            sliders += 1
            assert len(code) == 1
    assert sliders >= 1


@pytest.mark.parametrize("number", NUMBERS)
def test_a_prediction_is_made_before_its_answer_is_seen(number):
    """On the slide of a question, what comes after it is uncovered step by step."""
    for shown in slides_of(number):
        asked = [i for i, cell in enumerate(shown) if cell.source.startswith("**Predict, then run.**")]
        for cell in shown[asked[0] + 1 :] if asked else []:
            if cell.cell_type == "code":
                before = shown[asked[0] + 1 : shown.index(cell) + 1]
                prints = any(output.output_type == "stream" or "data" in output for output in cell.outputs)
                assert not prints or any(slides.slide_type(c) == "fragment" for c in before), cell.source


@pytest.mark.parametrize("number", NUMBERS)
def test_slides_and_minutes_of_the_guide_are_those_of_the_deck(number):
    told = minutes(number)
    counted = {
        heading: sum(map(begins_slide, section)) for heading, section in slides.sections(notebook(number)).items()
    }
    assert {heading: count for heading, (count, _) in told.items() if heading != "all"} == {
        heading: count for heading, count in counted.items() if count
    }
    every = [value for heading, value in told.items() if heading != "all"]
    assert told["all"] == (sum(count for count, _ in every), sum(time for _, time in every))
    assert 20 <= told["all"][1] <= 50
    for heading, (count, time) in told.items():
        assert 0.5 <= time / count <= 3.5, heading


@pytest.mark.parametrize("number", NUMBERS)
def test_the_guide_has_a_whole_page_for_each_lecture(number):
    for words in ("The one message.", "Ask the room.", "Usual wrong answers:", "The demo that can fail."):
        assert words in page(number), words
    for words in ("Short of time.", "Homework."):
        assert f"**{words}**" in page(number), words
    assert re.search(r"\bC\d\d\b", page(number)), "no claim is named"
    shown = len(slides_of(number))
    for place in re.findall(r"\bslides? (\d+)", page(number)):
        assert 1 <= int(place) <= shown
    title = notebook(number).cells[0].source.splitlines()[0]
    assert page(number).splitlines()[0] == f"##{title}"


def schedule(heading: str) -> list[tuple[int, str]]:
    """`(minutes, where the slides come from)` of each row of a schedule."""
    text = re.search(rf"^### {heading}.*?(?=^### |^## )", GUIDE, re.M | re.S)[0]
    return [(int(time), place) for time, place in re.findall(r"^\| (\d+) \| .* \| (.*?) ?\|$", text, re.M)]


@pytest.mark.parametrize(("heading", "length"), [("A guest lecture", 50), ("A workshop", 240)])
def test_a_schedule_adds_up(heading, length):
    *rows, (total, _) = schedule(heading)
    assert sum(time for time, _ in rows) == total == length
    for time, place in rows:
        found = re.fullmatch(r"(\d\d): (.+)", place)
        if found:
            assert time == sum(minutes(found[1])[section][1] for section in found[2].split("; ")), place


def test_the_guest_lecture_is_what_the_guide_says():
    plan = json.loads(slides.GUEST.read_text(encoding="utf-8"))["sections"]
    told = [re.fullmatch(r"(\d\d): (.+)", place) for _, place in schedule("A guest lecture")]
    sections = [[row[1], section] for row in told if row for section in row[2].split("; ")]
    assert [[number, heading] for number, heading, _ in plan] == sections
    for number, heading, said in plan:
        assert said.startswith(f"{minutes(number)[heading][1]} minutes")


def test_four_weeks_have_every_lecture_and_every_problem_set_once():
    text = re.search(r"^### Four weeks.*?(?=^## )", GUIDE, re.M | re.S)[0]
    rows = re.findall(r"^\| \d \| (.+) \| (.+) \| (\d+) \|$", text, re.M)
    assert [n for lectures, _, _ in rows for n in lectures.split(", ")] == NUMBERS
    sets = [s for _, homework, _ in rows for s in homework.split(", ")]
    assert sets == sorted(path.name for path in (ROOT / "exercises").glob("ps*"))


def test_links_of_the_documentation_lead_somewhere():
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!http|#)([^)#]+)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_a_talk_is_given_from_a_copy_and_an_earlier_one_is_kept(tmp_path):
    path = lecture.notebooks()["03"]
    before = path.read_bytes()
    copy = lecture.prepare(path, tmp_path)
    talk = nbformat.read(copy, as_version=4)
    assert talk.metadata.rise.scroll
    hidden = [cell for cell in talk.cells if cell.metadata.get("jupyter", {}).get("source_hidden")]
    assert hidden
    assert all(lecture.only_output(cell) for cell in hidden)
    copy.write_text("what was typed during the talk")
    lecture.prepare(path, tmp_path)
    kept = [other for other in tmp_path.glob("*.ipynb") if other != copy]
    assert [other.read_text() for other in kept] == ["what was typed during the talk"]
    assert path.read_bytes() == before


@pytest.mark.parametrize("tool", ["lectures.lecture", "lectures.slides"])
def test_an_unknown_notebook_gets_one_sentence(tool):
    run = subprocess.run([sys.executable, "-m", tool, "77"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
    assert "00, 01" in run.stderr
