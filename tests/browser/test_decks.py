"""Every static deck, offline, at both sizes: each slide is shown and checked; sliders move; faults are noticed."""

from pathlib import Path

import pytest

from lectures import slides
from lectures.cut import sliders_of
from sdpa_course.explore import all_explorers
from tests.browser.decks import HEIGHTS, Deck
from tests.browser.driving import drive_frames
from tests.lectures.retold import RETOLD, read, retold_slides

NUMBERS = [*slides.notebooks(), "guest"]
TOLERATED = ("text of", "a picture is small")  # until a notebook is retold


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """`built(number)`: the deck's file, made when it is first asked for."""
    folder, files = tmp_path_factory.mktemp("decks"), {}

    def build(number: str) -> Path:
        if number not in files:
            files[number] = folder / f"{number}.html"
            html = slides.guest_lecture() if number == "guest" else slides.deck(slides.notebooks()[number])
            files[number].write_text(html, encoding="utf-8")
        return files[number]

    return build


@pytest.mark.parametrize("number", NUMBERS)
def test_every_slide_is_sound(browser, built, number):
    """Nothing is missing or fetched, and all mathematics is set. What's merely crowded is tolerated here."""
    deck = Deck(browser, built(number))
    assert [problem for problem in deck.walk() if not problem.partition(": ")[2].startswith(TOLERATED)] == []
    assert 10 <= deck.slides() <= 40
    assert deck.page.locator("aside.notes").count() == deck.slides()
    deck.close()


@pytest.mark.parametrize("room", ["light", "dark"])
@pytest.mark.parametrize("number", RETOLD)
def test_every_retold_slide_is_whole_at_both_sizes_in_both_rooms(browser, built, number, room):
    deck = Deck(browser, built(number), room)
    strict = tuple(f"slide {i + 1}: " for i in range(retold_slides(number)))
    for height in HEIGHTS:
        assert [problem for problem in deck.walk(height) if problem.startswith(strict)] == [], f"at {height} pixels"
    deck.close()


def test_the_room_follows_the_system_and_a_key(browser, built):
    deck = Deck(browser, built("02"), "dark")
    paper = "() => getComputedStyle(document.querySelector('.reveal')).backgroundColor"
    pictures = "[...document.querySelectorAll('section.present .picture svg')]"
    shown = f"() => {pictures}.filter(svg => svg.clientWidth).map(svg => svg.classList[0])"
    dark = deck.page.evaluate(paper)
    assert deck.page.evaluate(shown) == ["dark"]
    deck.page.keyboard.press("d")
    assert deck.page.evaluate(paper) != dark
    assert deck.page.evaluate(shown) == ["light"]
    deck.close()


def test_the_truth_waits_for_a_click(browser, built):
    deck = Deck(browser, built("02"))
    place = deck.page.evaluate("() => Reveal.getSlides().findIndex(s => s.querySelector('.predict .truth .picture'))")
    for clicks, visible in ((0, ".ask"), (1, ".told")):
        deck.show(place, clicks=clicks)
        heads = deck.page.locator("section.present h2")
        assert [head.is_visible() for head in heads.all()] == [visible == ".ask", visible == ".told"]
        assert deck.page.locator("section.present .truth").is_visible() == bool(clicks)
    deck.close()


@pytest.mark.parametrize("number", ["00", "01", "03"])
def test_sliders_move_without_a_kernel(browser, built, number):
    deck = Deck(browser, built(number))
    figures = deck.page.query_selector_all("figure.frames")
    names = sliders_of(read(number))
    assert len(figures) == len(names) > 0
    for figure, name in zip(figures, names, strict=True):
        place = figure.evaluate("f => Reveal.getIndices(f.closest('section')).h")
        deck.show(place)
        drive_frames(figure, all_explorers()[name]())
        assert deck.page.evaluate("() => Reveal.getIndices().h") == place
        figure.query_selector("input").focus()
        deck.page.keyboard.press("Space")  # is not for the slider
        assert deck.page.evaluate("() => Reveal.getIndices().h") == place + 1
    deck.close()


BROKEN = {  # what must be said about a slide, and what a careless edit could have added to it
    "cut off": "<p>One line more.</p>" * 60,
    "wider than its place": f"<pre>{'x' * 400}</pre>",
    "a picture is missing": "<img alt='a' src='nothing.png'>",
    "mathematics as text": "<p>$x^2$</p>",
    "asked for": "<img alt='a' src='http://example.org/a.png'>",
    "text of": "<p style='font-size: 9px'>small</p>",
    "one on the other": "<h2 style='position: absolute; inset: 0'>over it</h2>",
    "nothing under the title": "<style>.body > * { display: none; }</style>",
    "a control is hidden": "<label class='control' hidden></label>",
}


@pytest.mark.parametrize("complaint", BROKEN)
def test_a_broken_slide_is_noticed(browser, built, complaint):
    deck = Deck(browser, built("00"))
    deck.page.locator(".page").nth(1).evaluate(
        "(page, html) => page.insertAdjacentHTML('beforeend', html)", BROKEN[complaint]
    )
    assert any(complaint in problem for problem in deck.walk())
    deck.close()


def test_a_handout_has_every_slide_and_its_notes(browser, built, tmp_path):
    path = built("00")
    deck = Deck(browser, path)
    count = deck.slides()
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
