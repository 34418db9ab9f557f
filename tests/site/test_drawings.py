"""Pictures of the drawing kit on a page: they follow the switch for light and dark, the width and the wish for rest."""

from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from matplotlib.colors import to_hex
from nbformat.v4 import new_code_cell, new_notebook
from PIL import Image

from sdpa_course.figures.kit.palette import ROOMS, colour
from tests.site.links import Page
from tests.site.reading import LOOKS, Reader
from tests.site.serving import Serving
from tests.site.small_site import small_site

NOTEBOOK = "notebooks/drawings.ipynb"
CODE = """from sdpa_course.explore import Truth, predict
from sdpa_course.figures import act_map
from sdpa_course.figures.kit import picture


@picture(height={"book": 120, "phone": 200})
def dot(page, x):
    page.dot(x, 60, size=30, colour="lit")
    return f"A dot at {x}."


@picture(height=80)
def wide(page):
    page.box(0, 0, 700, 80, "wide")
    return "A wide box."


act_map("02")
dot.loop([(100,), (200,), (300,)], [300, 300, 300], "A dot moves.")
wide()
predict("Where?", ["left", "right"], reveal=lambda: Truth("left", "It's left.", dot.drawn(7)), name="test/dot")"""
LOOP, WIDE = 1, 2  # among the four


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The page of a notebook with a picture for phones, a loop, one that's only wide, and a prediction with one."""
    return small_site(tmp_path_factory.mktemp("drawings"), NOTEBOOK, new_notebook(cells=[new_code_cell(CODE)]))


@pytest.fixture
def reader(browser, folder):
    """Somebody at a desk, in the light."""
    with Serving(folder) as address:
        reader = Reader(browser, address)
        reader.open("site/notebooks/drawings.html")
        reader.page.get_by_text("Just show me").click()
        yield reader
        assert reader.complaints == []
        reader.close()


class Shown(NamedTuple):
    """The file that a picture on the page comes from."""

    width: int
    paper: str  # the colour of a corner
    frames: int


def shown(reader, folder) -> list[Shown]:
    """The pictures that the reader sees, top to bottom."""
    reader.page.wait_for_timeout(300)
    images = reader.page.locator("a.drawing:visible img").all()
    for image in images:
        image.scroll_into_view_if_needed()
        image.evaluate("async image => { image.loading = 'eager'; await image.decode(); }")
    sources = [image.evaluate("image => image.currentSrc") for image in images]
    return [shown_file(folder / urlsplit(source).path.lstrip("/")) for source in sources]


def shown_file(path: Path) -> Shown:
    """What the tests ask of a picture's file."""
    with Image.open(path) as image:
        corner = to_hex([c / 255 for c in image.convert("RGB").getpixel((2, 2))])
        return Shown(image.width, corner, getattr(image, "n_frames", 1))


def test_the_switch_swaps_every_picture(reader, folder):
    assert [image.paper for image in shown(reader, folder)] == [colour("paper", "light")] * 4
    alts = reader.page.locator("a.drawing:visible img").evaluate_all("images => images.map(image => image.alt)")
    before = len(reader.asked)
    reader.page.locator("button.theme-switch-button").click()
    reader.page.locator("button.theme-change-button[data-mode=dark]").click()
    assert [image.paper for image in shown(reader, folder)] == [colour("paper", "dark")] * 4
    assert reader.page.locator("a.drawing:visible img").evaluate_all("images => images.map(i => i.alt)") == alts
    assert len({name for name in reader.asked[before:] if "/views/" in name}) == 4  # only now


def test_a_narrow_screen_gets_the_picture_for_a_phone(reader, folder):
    assert [image.width for image in shown(reader, folder)] == [1440, 1440, 1440, 1440]
    for room in ROOMS:
        reader.look("phone", room)
        pictures = shown(reader, folder)
        assert [image.width for image in pictures] == [720, 720, 1440, 720]
        assert [image.paper for image in pictures] == [colour("paper", room)] * 4
    wide = reader.page.locator("a.drawing:visible").nth(WIDE)
    assert wide.evaluate("place => place.scrollWidth > place.clientWidth")  # it moves in its own place


def test_a_loop_holds_still_for_those_who_ask(reader, folder):
    for size, room in LOOKS:
        for motion, frames in (("no-preference", 3), ("reduce", 1)):
            reader.page.emulate_media(reduced_motion=motion)
            reader.look(size, room)
            assert [image.frames for image in shown(reader, folder)] == [frames if i == LOOP else 1 for i in range(4)]


def test_the_page_is_whole_in_every_look(reader, folder):
    assert [problem for look in LOOKS for problem in reader.look(*look)] == []
    assert len(Page(folder / "site/notebooks/drawings.html").alts) == 4
