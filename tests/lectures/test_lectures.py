"""Lectures: the slides of the notebooks, the talk that is made of them, and a guide that agrees with both."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from lectures import lecture, slides
from lectures.cut import Slide, on_the_wall, slider_of
from tests.lectures.retold import read

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "instructor-guide.md").read_text(encoding="utf-8")
NUMBERS = list(slides.notebooks())


def slides_of(number: str) -> list[Slide]:
    return on_the_wall(read(number))


def page(number: str) -> str:
    """What the guide says about one lecture."""
    return re.search(rf"^### {number} · .*?(?=^### |^## |\Z)", GUIDE, re.M | re.S)[0]


def minutes(number: str) -> dict[str, tuple[int, int]]:
    """Section -> (slides, minutes), as the guide has it."""
    rows = re.findall(r"^\| (.+?) \| (\d+) \| (\d+) \|$", page(number), re.M)
    return {heading: (int(count), int(time)) for heading, count, time in rows}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_deck_begins_with_the_notebook_and_a_slider_has_its_slide_to_itself(number):
    shown = slides_of(number)
    assert shown[0].section == "Title"
    assert shown[0].notebook.startswith(f"{number} · ")
    with_slider = [slide for slide in shown if any(slider_of(part.cell) for part in slide.code)]
    assert with_slider
    crowded = [slide.title for slide in with_slider if len(slide.code) > 1]
    assert not crowded, f"a slider has a slide to itself: write a slide mark before its paragraph in {crowded}"


@pytest.mark.parametrize("number", NUMBERS)
def test_slides_and_minutes_of_the_guide_are_those_of_the_deck(number):
    told = minutes(number)
    counted = Counter(slide.section for slide in slides_of(number))
    assert {heading: count for heading, (count, _) in told.items() if heading != "all"} == counted
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
    assert page(number).splitlines()[0] == f"### {slides_of(number)[0].notebook}"


@pytest.mark.parametrize("number", NUMBERS)
def test_a_lecture_has_three_to_five_objectives(number):
    (listed,) = re.findall(r"^\*\*Afterwards a student can\*\*\n\n((?:- .+\n)+)\n", page(number), re.M)
    *objectives, last = listed.splitlines()
    assert 3 <= len(objectives) + 1 <= 5
    assert all(objective.endswith(";") for objective in objectives)
    assert last.endswith(".")


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
        if found and heading == "A workshop":  # it has whole sections; the guest lecture has single slides
            assert time == sum(minutes(found[1])[section][1] for section in found[2].split("; ")), place


def guest_slides() -> list[tuple[str, Slide, str]]:
    """`(notebook, its slide, what's said)` for each slide that the guest lecture takes from a notebook."""
    plan = json.loads(slides.GUEST.read_text(encoding="utf-8"))["slides"]
    there = {number: {slide.title: slide for slide in slides_of(number)} for number, *_ in plan}
    return [(number, slides.for_the_talk(there[number][title], "", *own), own[0]) for number, title, *own in plan]


def minutes_of(*notes: str) -> int:
    """The minutes with which the notes of some slides begin."""
    return sum(int(re.match(r"(\d) minutes?\b", said)[1]) for said in notes)


def test_the_guest_lecture_is_what_the_guide_says():
    counted = {}
    for number, slide, said in guest_slides():
        sections, said_there = counted.setdefault(number, ([], []))
        sections.extend([slide.section] * (slide.section not in sections))
        said_there.append(said)
    built = [(minutes_of(*said), f"{number}: {'; '.join(sections)}") for number, (sections, said) in counted.items()]
    assert [row for row in schedule("A guest lecture") if re.match(r"\d\d: ", row[1])] == built


def test_the_guest_lecture_leaves_time_for_questions_and_is_mostly_pictures():
    plan = json.loads(slides.GUEST.read_text(encoding="utf-8"))
    own = [slide for part in ("opening", "closing") for slide in slides.own_slides(plan[part])]
    picked = guest_slides()
    assert 43 <= minutes_of(*(slide.notes[0] for slide in own), *(said for *_, said in picked)) <= 46
    pictured = [s for _, s, _ in picked if any(p.pictures or slider_of(p.cell) or has_picture(p) for p in s.code)]
    assert len(pictured) >= (len(own) + len(picked)) * 2 / 3


def has_picture(part) -> bool:
    """Whether a prediction is answered by a picture."""
    return bool(part.question and (part.question["image"] or part.question["kind"] == "curve"))


def test_the_guest_lecture_names_no_notebook():
    shown = [str(part.cell.outputs) for _, slide, _ in guest_slides() for part in slide.code]
    shown += [text for _, slide, _ in guest_slides() for text in [slide.title, *slide.texts]]
    told = "\n".join([*shown, slides.GUEST.read_text(encoding="utf-8")])
    assert re.findall(r"[Nn]otebooks? \d\d", told) == []


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


def test_a_talk_runs_all_the_code_and_shows_the_slides(tmp_path):
    path = slides.notebooks()["02"]
    before = path.read_bytes()
    talk = nbformat.read(lecture.prepare(path, tmp_path), as_version=4)
    code = [[cell.source for cell in made.cells if cell.cell_type == "code"] for made in (talk, read("02"))]
    assert code[0] == code[1]
    kinds = [cell.metadata.slideshow.slide_type for cell in talk.cells]
    asked_first = [slide for slide in slides_of("02") if slide.question and len(slide.code) > 1]
    assert kinds.count("slide") == len(slides_of("02")) + len(asked_first) > 20
    assert not any("<!--" in cell.source for cell in talk.cells)
    assert path.read_bytes() == before


def test_an_earlier_talk_is_kept(tmp_path):
    talk = lecture.prepare(slides.notebooks()["00"], tmp_path)
    talk.write_text("what was typed during the talk")
    lecture.prepare(slides.notebooks()["00"], tmp_path)
    kept = [other for other in tmp_path.glob("*.ipynb") if other != talk]
    assert [other.read_text() for other in kept] == ["what was typed during the talk"]


@pytest.mark.parametrize("tool", ["lectures.lecture", "lectures.slides"])
def test_an_unknown_notebook_gets_one_sentence(tool):
    run = subprocess.run([sys.executable, "-m", tool, "77"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
    assert "00, 01" in run.stderr
