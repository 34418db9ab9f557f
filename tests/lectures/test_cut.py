"""The cutter: what each mark puts on the wall, and what a lecturer would complain about."""

import json
from html import escape

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lectures.cut import complaints, cut, on_the_wall, slider_of
from lectures.lecture import cells_of
from lectures.pages import deck_html
from tests.lectures.retold import RETOLD, read, retold_slides

CODE = "a = 1\nb = 2\nprint(a + b)"


def picture(alt: str = "A line."):
    return new_output("display_data", {"image/png": "AAAA", "text/plain": alt}, metadata={"image/png": {"alt": alt}})


def prediction(image: str = ""):
    asked = {"question": "How many?", "kind": "pick", "options": ["one", "two"], "answer": "two"}
    fold = f"<details><summary>Show</summary><p class='predict-answer'><b>two</b></p><p>It's two.</p>{image}</details>"
    html = f'<div class="predict-stored" data-predict="{escape(json.dumps(asked))}">{fold}</div>'
    return new_output("display_data", {"text/html": html, "text/plain": "Predict: How many?"})


def table():
    return new_output("display_data", {"text/html": "<table><td>7</td></table>", "text/plain": "7"})


def printed(text: str = "3\n"):
    return new_output("stream", name="stdout", text=text)


def notebook(*cells):
    """A notebook of texts and of outputs, each in a code cell of its own; a tuple is a cell with several."""
    made = [
        new_markdown_cell(cell) if isinstance(cell, str) else new_code_cell(CODE, outputs=list(cell)) for cell in cells
    ]
    return new_notebook(cells=made)


def one(*cells):
    """The only slide of a notebook that begins with a slide mark."""
    (slide,) = on_the_wall(notebook("# 09 · Title\n\n<!-- slide: It's **so** -->\n\nSaid.", *cells))
    return slide


def test_without_further_marks_prose_is_said_and_pictures_are_shown():
    slide = one((printed(), picture()), "More.", (table(),))
    assert slide.title == "It's **so**"
    assert slide.notes == ["Said.", "More."]
    assert slide.texts == []
    assert [part.seen for part in slide.wall] == [True, False]
    assert slide.code[0].printed == []


def test_what_is_shown_is_also_said():
    slide = one("First.\n\n<!-- show -->\n\n$$x$$\n\n<!-- /show -->\n\nLast.")
    assert slide.texts == ["$$x$$"]
    assert slide.notes == ["Said.", "First.", "$$x$$", "Last."]


def test_text_for_the_wall_alone_and_for_the_speaker_alone():
    slide = one("<!-- wall\nOne.\n\n. . .\n\nTwo.\n-->\n\n<!-- note: Slowly. -->")
    assert slide.texts == ["One.", "Two."]
    assert slide.notes == ["Said.", "Slowly."]


@pytest.mark.parametrize(("mark", "code"), [("code: 1-2", "a = 1\nb = 2"), ("code: 3", "print(a + b)"), ("output", "")])
def test_code_and_what_it_prints(mark, code):
    slide = one(f"<!-- {mark} -->", (printed(),), (printed(),))
    assert [part.seen for part in slide.wall] == [True, False]  # the mark is for the next cell alone
    assert slide.code[0].shown_code == code
    assert [output.text for output in slide.code[0].printed] == ["3\n"]


def test_a_table_is_shown_without_what_is_printed_beside_it():
    assert one("<!-- output -->", (table(), printed())).code[0].printed == [table()]


def test_off_means_that_nothing_is_shown_until_the_next_slide():
    made = notebook(
        "<!-- slide: A -->\n\nIn.\n\n<!-- slide: off -->\n\nOut.", (picture(),), "## Next\n\n<!-- slide: B -->"
    )
    assert [(slide.title, slide.section, slide.notes) for slide in cut(made)[1:]] == [
        ("A", "Title", ["In."]), (None, "Title", []), ("B", "Next", []),
    ]  # fmt: skip
    assert [slide.title for slide in on_the_wall(made)] == ["A", "B"]


def test_a_prediction_is_asked_before_it_is_answered():
    slide = one((prediction(),), (picture(),))
    assert slide.question["question"] == "How many?"
    assert slide.notes[-1] == "*How many?* It's two."
    asked, title, *_ = cells_of(slide)
    assert (asked.cell_type, asked.metadata.slideshow.slide_type) == ("code", "slide")
    assert (title.source, title.metadata.slideshow.slide_type) == ("## It's **so**", "slide")


def test_a_deck_waits_for_clicks_and_hides_no_formula_in_html():
    slide = one("<!-- wall\n$a < b$\n\n. . .\n\nTwo.\n-->", (picture("More than 2 < 3."),))
    page = deck_html([slide], "Title")
    assert "<p>$a &lt; b$</p>" in page
    assert page.count('fragment" data-fragment-index="1"') == 2  # the text, and the picture that comes after it
    assert 'alt="More than 2 &lt; 3."' in page
    assert '<span class="here">IV The trial</span>' in page


COMPLAINTS = {
    "26 words are on the wall": lambda: one("<!-- wall\n" + "word " * 24 + "\n-->"),
    "nothing is on the wall": lambda: one((printed(),)),
    "2 pictures are on the wall": lambda: one((picture(),), (picture(),)),
    "2 pictures": lambda: one((prediction("<img alt='a'>"),), (picture(),)),
    "9 lines of code": lambda: one("<!-- code: 1-9 -->", *[(printed(),)])._replace(notes=["."]),
    "the speaker has nothing to say": lambda: on_the_wall(notebook("<!-- slide: A -->", (picture(),)))[0],
    "no output of the notebook says 23": lambda: one((picture(),))._replace(title="About 23"),
}


@pytest.mark.parametrize("complaint", COMPLAINTS)
def test_a_lecturer_complains(complaint):
    slide = COMPLAINTS[complaint]()
    for part in slide.code:
        part.cell.source = "\n".join("x" * 9)
    assert [said for said in complaints(slide, notebook((picture("It's 123 or 2.3."),))) if said.startswith(complaint)]


def test_a_lecturer_is_content():
    slide = one("<!-- wall\n$$a + b$$\n\n" + "word " * 23 + "\n-->", (picture(),))
    assert list(complaints(slide, notebook())) == []
    numbers = slide._replace(title="About 23")
    assert list(complaints(numbers, notebook((picture("They're 23, not 512."),)))) == []


@pytest.mark.parametrize("number", RETOLD)
def test_the_slides_of_a_retold_notebook_please_a_lecturer(number):
    made = read(number)
    slides = on_the_wall(made)[: retold_slides(number)]
    assert [f"{slide.title}: {said}" for slide in slides for said in complaints(slide, made)] == []
    pictured = [s for s in slides if any(p.pictures or slider_of(p.cell) or p.question for p in s.code)]
    assert len(pictured) >= len(slides) * 2 / 3
