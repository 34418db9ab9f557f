"""The landing page: it moves, it's right, and it makes its point without JavaScript and without moving."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from docs.site.landing import landing_page
from docs.site.reference import references_page
from sdpa_course.experiments import one_collapse
from sdpa_course.experiments.language import stored_language
from tests.site.serving import Serving
from tools.minutes import count

ROOT = Path(__file__).parents[2]
SHARES = "() => [...document.querySelectorAll('.keys > b')].map(b => parseFloat(b.textContent))"
COLUMNS = """() => [...document.querySelectorAll('.panel')].map(panel => [...panel.querySelectorAll('.keys > i')].map(
    key => Number(key.style.getPropertyValue('--weight'))))"""


@pytest.fixture(scope="module")
def html():
    return landing_page(runnable=True)


@pytest.fixture(scope="module")
def address(html, tmp_path_factory):
    folder = tmp_path_factory.mktemp("landing")
    (folder / "index.html").write_text(html, encoding="utf-8")
    with Serving(folder) as address:
        yield address


@pytest.fixture
def visit(browser, address):
    """Open the page the way a visitor's browser is set."""
    contexts = []

    def visit(**settings):
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 800}, **settings))
        page = contexts[-1].new_page()
        page.goto(address)
        return page

    yield visit
    for context in contexts:
        context.close()


def test_it_moves_when_it_opens_and_stops_for_the_reader(visit):
    page = visit()
    page.wait_for_function("document.getElementById('width').textContent.endsWith('= 8')", timeout=8000)
    page.focus("#slider")
    page.keyboard.press("End")
    page.wait_for_function("document.getElementById('width').textContent.endsWith('= 512')")
    page.wait_for_timeout(1500)
    assert page.text_content("#width").endswith("= 512")
    assert page.text_content("#play") == "Play"


def test_every_position_shows_the_weights_of_notebook_00(visit):
    page = visit(reduced_motion="reduce")
    for place in range(55):
        page.fill("#slider", str(place))
        expected = one_collapse(round(2 ** (place / 6))).weights
        np.testing.assert_allclose(page.evaluate(COLUMNS), expected, atol=0.001)
        for share, weights in zip(page.evaluate(SHARES), expected, strict=True):
            assert abs(share - 100 * weights.max()) <= 0.51


def test_another_draw_is_one_of_random_vectors(visit):
    page = visit(reduced_motion="reduce")
    before = page.evaluate(COLUMNS)
    for _ in range(20):  # a draw in which one key takes everything has no gaps to compare
        page.click("#draw")
        raw, divided = np.array(page.evaluate(COLUMNS))
        assert not np.allclose(before, [raw, divided])
        np.testing.assert_allclose([raw.sum(), divided.sum()], 1, atol=0.01)
        both = raw > 0.002  # at d_k = 64, dividing the scores by 8 divides the gaps between the logarithms by 8
        if both.sum() > 1:
            break
    gaps = [np.diff(np.log(weights[both])) for weights in (raw, divided)]
    assert both.sum() > 1
    np.testing.assert_allclose(gaps[0], 8 * gaps[1], atol=0.5)


@pytest.mark.parametrize("settings", [{"java_script_enabled": False}, {"reduced_motion": "reduce"}], ids=str)
def test_at_rest_it_makes_its_point(visit, settings):
    page = visit(**settings)
    shown = page.locator(".keys > b").all_inner_texts()
    page.wait_for_timeout(1000)
    assert page.locator(".keys > b").all_inner_texts() == shown == ["91\u00a0%", "20\u00a0%"]
    box = page.locator("#collapse").bounding_box()
    assert box["y"] + box["height"] <= 800  # above the fold
    assert page.locator("#slider").is_visible() == settings.get("java_script_enabled", True)


def test_the_knob_says_what_the_model_wrote(visit):
    page, measured = visit(), stored_language()
    for place, (factor, text) in enumerate(measured["text_by_factor"]):
        page.fill("#knob", str(place))
        assert page.text_content("#text") == text
        assert float(page.text_content("#factor")) == factor
        lit = page.locator(".curve circle.here").evaluate_all("dots => dots.map(dot => Number(dot.dataset.loss))")
        assert lit == [dict(map(tuple, measured["loss_by_factor"]))[factor]]


def test_counts_are_those_of_the_repository(html):
    text = re.sub(r"<[^>]+>", "", html)
    course = [count(path) for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")]
    assert f"{len(course)} notebooks, about {round(sum(c.promised for c in course) / 60)} hours" in text
    assert f"{len(list((ROOT / 'exercises').glob('ps*')))} problem sets" in text


def test_it_asks_nobody_else_for_anything(html):
    asked = re.findall(r'(?:src|content|<link[^>]* href)="(?:https?:)?//[^"]*"', html)
    assert asked == []
    assert len(html) < 60_000


def test_sharing_shows_a_picture(html):
    for name in ("description", "og:title", "og:description", "og:image", "twitter:card"):
        assert re.search(rf'<meta (?:name|property)="{name}" content="[^"]+">', html), name
    with Image.open(ROOT / "docs" / "site" / "static" / "preview.png") as preview:
        assert preview.size == (1200, 630)


def test_every_paper_that_a_notebook_links_to_is_a_reference():
    page = references_page()
    linked = set()
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        linked |= set(re.findall(r"arxiv\.org/abs/(\d+\.\d+)", "".join("".join(cell["source"]) for cell in cells)))
    assert linked - set(re.findall(r"arxiv\.org/abs/(\d+\.\d+)", page)) == set()
    assert len(linked) > 20
