"""Every static deck, offline, at both sizes: each slide is shown and checked; sliders move; faults are noticed."""

from base64 import b64decode
from pathlib import Path

import pytest

from lectures import lecture, slides
from lectures.frames import frames
from sdpa_course.explore import all_explorers
from tests.browser.decks import SIZES, Deck
from tests.browser.driving import keys_there_and_back

NUMBERS = [*lecture.notebooks(), "guest"]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """`built(number)`: the deck's file, made when it is first asked for."""
    folder, files = tmp_path_factory.mktemp("decks"), {}

    def build(number: str) -> Path:
        if number not in files:
            files[number] = folder / f"{number}.html"
            html = slides.guest_lecture() if number == "guest" else slides.deck(lecture.notebooks()[number])
            files[number].write_text(html, encoding="utf-8")
        return files[number]

    return build


@pytest.mark.parametrize("number", NUMBERS)
def test_every_slide_is_whole_at_both_sizes(browser, built, number):
    deck = Deck(browser, built(number), SIZES[0])
    for size in SIZES:
        deck.resize(size)
        assert deck.walk() == [], f"at {size[0]} × {size[1]}"
    assert 10 <= len(deck.slides()) <= 40
    assert deck.page.locator("aside.notes").count() >= 5
    deck.close()


@pytest.mark.parametrize("number", ["00", "01", "03"])
def test_sliders_move_without_a_kernel(browser, built, number):
    deck = Deck(browser, built(number), SIZES[0])
    figures = deck.page.query_selector_all("figure.frames")
    names = lecture.sliders_of(slides.read(lecture.notebooks()[number]))
    assert len(figures) == len(names) > 0
    for figure, name in zip(figures, names, strict=True):
        h, v = figure.evaluate("f => { const i = Reveal.getIndices(f.closest('section')); return [i.h, i.v || 0]; }")
        deck.show((h, v))
        drawn = frames(all_explorers()[name]())
        starts = [t.start for t in drawn.tracks]
        shows(figure, drawn, starts)
        for t, (track, handle) in enumerate(zip(drawn.tracks, figure.query_selector_all("input"), strict=True)):
            there, back, step = keys_there_and_back(handle, track.start)
            handle.focus()
            deck.page.keyboard.press(there)
            shows(figure, drawn, [place + step * (i == t) for i, place in enumerate(starts)])
            deck.page.keyboard.press(back)
            shows(figure, drawn, starts)
        assert deck.page.evaluate("() => { const i = Reveal.getIndices(); return [i.h, i.v]; }") == [h, v]
        figure.query_selector("input").focus()
        deck.page.keyboard.press("Space")  # is not for the slider
        assert deck.page.evaluate("() => { const i = Reveal.getIndices(); return [i.h, i.v]; }") != [h, v]
    deck.close()


def shows(figure, drawn, places) -> None:
    """The page's slider stands at these positions, with the package's picture, words and numbers."""
    view = drawn.at(*places)
    image = figure.query_selector("img")
    figure.owner_frame().wait_for_function("([image, words]) => image.alt === words", arg=[image, view.alt])
    readings = [output.inner_text() for output in figure.query_selector_all("output")]
    assert readings == [track.readings[place] for track, place in zip(drawn.tracks, places, strict=True)]
    assert b64decode(image.get_attribute("src").partition(",")[2]) == view.picture
    for name, value in view.numbers.items():
        assert f"{name}: {value}" in figure.query_selector(".numbers").inner_text()


BROKEN = {  # what a careless edit could do to a slide, and what must be said about it
    "cut off": "page.insertAdjacentHTML('beforeend', '<p>One line more.</p>'.repeat(40))",
    "wider than its place": "page.insertAdjacentHTML('beforeend', '<pre>' + 'x'.repeat(400) + '</pre>')",
    "a picture is missing": "page.insertAdjacentHTML('beforeend', '<img alt=\"a\" src=\"nothing.png\">')",
    "mathematics as text": "page.insertAdjacentHTML('beforeend', '<p>$x^2$</p>')",
    "asked for": "page.insertAdjacentHTML('beforeend', '<img alt=\"a\" src=\"http://example.org/a.png\">')",
    "text of": "page.insertAdjacentHTML('beforeend', '<p style=\"font-size: 9px\">small</p>')",
    "one on the other": "page.insertAdjacentHTML('beforeend', '<p style=\"margin-top: -60px\">over it</p>')",
}


@pytest.mark.parametrize("complaint", BROKEN)
def test_a_broken_slide_is_noticed(browser, built, complaint):
    deck = Deck(browser, built("00"), SIZES[0])
    deck.page.evaluate(f"() => {{ const page = document.querySelectorAll('.page')[1]; {BROKEN[complaint]}; }}")
    assert any(complaint in problem for problem in deck.walk())
    deck.close()


def test_a_handout_has_every_slide_and_its_notes(browser, built, tmp_path):
    path = built("00")
    deck = Deck(browser, path, SIZES[0])
    count = len(deck.slides())
    deck.page.goto(f"{path.as_uri()}?handout")
    deck.page.wait_for_selector("html.handout[data-ready=yes]", state="attached", timeout=60_000)
    visible = "e => e.getClientRects().length > 0"
    assert sum(page.evaluate(visible) for page in deck.page.query_selector_all(".page")) == count
    assert all(aside.evaluate(visible) for aside in deck.page.query_selector_all("aside.notes"))
    deck.page.emulate_media(media="screen")
    pdf = deck.page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page\n") >= count / 3
    deck.close()
