"""The drawing kit: every picture on every paper without a defect, defects found, colours that can be read, steps."""

import io
import re

import matplotlib
import numpy as np
import pytest
from PIL import Image

from docs.site.gallery import arguments
from sdpa_course.figures.kit import Page, picture
from sdpa_course.figures.kit.charts import bars, curve, outline, staircase
from sdpa_course.figures.kit.defects import defects
from sdpa_course.figures.kit.flows import Item, Node, flow, graph
from sdpa_course.figures.kit.matrices import frame, matrix, number
from sdpa_course.figures.kit.page import Block
from sdpa_course.figures.kit.palette import COLOURS, ROOMS, colour, contrast, text_colour
from sdpa_course.figures.kit.papers import style
from sdpa_course.figures.kit.picture import ALL
from sdpa_course.figures.kit.rendering import loop_png, png, svg

GIVEN = arguments()
PAPERS = [(name, paper) for name in ALL for paper in ALL[name].papers if not name.startswith("sketch")]


@pytest.fixture(autouse=True)
def _in_style():
    """Most of these tests draw on a page by hand, without @picture."""
    with matplotlib.rc_context(style()):
        yield


def test_every_picture_is_in_the_gallery():
    assert set(GIVEN) == {name for name in ALL if not name.startswith("sketch")}


@pytest.mark.parametrize(("name", "paper"), PAPERS)
def test_every_picture_on_every_paper(name, paper):
    """`draw` refuses a picture with a defect; the alt text can be read out and doesn't depend on the paper."""
    drawn = [ALL[name].draw(*GIVEN[name], paper=paper, room=room) for room in ROOMS]
    (page, alt), (_, in_the_dark) = drawn
    assert alt == in_the_dark == ALL[name].draw(*GIVEN[name])[1]
    assert len(alt.split()) >= 15
    assert not set("$\\") & set(alt)
    assert any(part.get_gid() for part in page.parts()) or paper != "slide" or name in WHOLE


WHOLE = {"act_map", "best_of_many", "lost_terms", "one_step"}  # nothing in them waits for a click


def test_the_same_picture_twice_is_the_same_bytes():
    pictures = [png(ALL["proof"].draw()[0]) for _ in range(2)]
    assert pictures[0] == pictures[1]
    assert svg(ALL["proof"].draw()[0]) == svg(ALL["proof"].draw()[0])


def test_a_picture_is_twice_as_sharp_as_its_column():
    page, _ = ALL["proof"].draw()
    data = png(page)
    assert Image.open(io.BytesIO(data)).width == 1440
    assert len(data) < 100_000


# ---------------------------------------------------------------- defects


def test_words_off_the_page():
    page = Page(100)
    page.text(690, 50, "a caption that goes on and on")
    assert [found for found in defects(page) if "runs off the page" in found]


def test_words_on_top_of_each_other():
    page = Page(100)
    page.text(100, 50, "one")
    page.text(104, 52, "two")
    assert defects(page) == ["“one” and “two” overlap"]


def test_words_too_small():
    page = Page(100)
    page.text(100, 50, "one").set_fontsize(6)
    assert [found for found in defects(page) if "readers need 12" in found]


def test_on_a_slide_type_grows_to_22_pixels():
    page = Page(400, paper="slide")
    page.text(100, 50, "one", size=12)
    assert defects(page) == []
    assert page.sheet.texts[0].get_fontsize() / 0.72 * page.scale == pytest.approx(22)


@pytest.mark.parametrize("draw", [
    lambda page: page.box(10, 10, 40, 30, "too many words for it"),
    lambda page: page.arrow((10, 50), (60, 50), "too many words for it"),
    lambda page: matrix(page, 100, 10, [[123456.0]], cell=30),
])  # fmt: skip
def test_words_that_do_not_fit(draw):
    page = Page(100)
    draw(page)
    assert [found for found in defects(page) if "doesn't fit its box or its arrow" in found]


def test_a_tick_label_counts():
    page = Page(200)
    ax = page.axes(50, 20, 300, 150)
    ax.set(xticks=[0, 0.01], xticklabels=["zero and", "a hundredth"], xlim=(0, 1))
    assert [found for found in defects(page) if "overlap" in found]


def test_draw_refuses_a_defect_and_names_the_words():
    @picture(height=80)
    def sketch(page):
        page.text(-50, 40, "half of this is missing")
        return "A sketch."

    with pytest.raises(ValueError, match="sketch can't be drawn on book paper: “half of this is missing” runs off"):
        sketch.draw()
    del ALL["sketch"]


def test_a_box_off_the_page():
    page = Page(100)
    page.box(660, 20, 80, 30)
    assert defects(page) == ["1 box, line or arrow runs off the page"]


@pytest.mark.parametrize(("given", "words"), [
    ({"paper": "poster"}, "paper: got 'poster', expected one of book, phone, slide"),
    ({"room": "dusk"}, "room: got 'dusk', expected one of light, dark"),
])  # fmt: skip
def test_an_unknown_paper_or_room(given, words):
    with pytest.raises(ValueError, match=words):
        ALL["proof"].draw(**given)


@pytest.mark.parametrize("alt", [None, "", "the root of $d_k$"])
def test_a_picture_without_words_is_refused(alt):
    @picture(height=80)
    def sketch(page):
        return alt

    with pytest.raises(ValueError, match="expected its alt text"):
        sketch.draw()
    del ALL["sketch"]
    with pytest.raises(TypeError, match=r"write @picture\(height=200\)"):
        picture(lambda page: "A sketch.")


def test_a_long_caption_is_wrapped():
    page = Page(100)
    page.headline("A headline that is long enough to need a second line, because it says everything twice, twice")
    page.caption("and a caption that's longer still: " + "it goes on and on, " * 12)
    assert defects(page) == []
    assert page.head > 50
    assert page.foot > 60


# ---------------------------------------------------------------- colours


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("name", [name for name in COLOURS if name not in ("paper", "line", "pale", "lit", "on lit")])
def test_text_in_every_colour_can_be_read(name, room):
    assert contrast(text_colour(name, room), colour("paper", room)) >= 4.5


@pytest.mark.parametrize("room", ROOMS)
def test_ink_on_a_lit_cell_and_on_tints_can_be_read(room):
    assert contrast(colour("on lit", room), colour("lit", room)) >= 4.5
    for name in ("q", "k", "v", "score", "weight", "out"):
        assert contrast(colour("ink", room), colour(name, room, tint=0.16)) >= 7


def test_an_unknown_colour_is_refused():
    with pytest.raises(ValueError, match="name: got 'teal', expected one of paper, ink"):
        colour("teal")


def test_black_against_white():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


# ---------------------------------------------------------------- parts


def test_a_matrix_writes_its_numbers_and_gives_its_box():
    page = Page(200)
    values = [[1, -2.5, np.nan], [0.25, 0, 3]]
    block = matrix(page, 20, 30, values, cell=(50, 40), rows=["a", "b"], name="Q", lit=[(1, 2)])
    assert block == Block(20, 30, 150, 80)
    assert (block.right, block.bottom) == ((170, 70), (95, 110))
    words = [text.get_text() for text in page.sheet.texts]
    assert words == ["1", "−2.5", "0.25", "0", "3", "a", "b", "Q"]
    lit = [text for text in page.sheet.texts if text.get_family()[0].endswith("Semibold")]
    assert [text.get_text() for text in lit] == ["3", "Q"]
    part = frame(page, block, (2, 3), rows=(1, 1))
    assert part == Block(20, 70, 150, 40)


def test_numbers_have_a_minus_sign_and_no_negative_zero():
    assert [number(value, 2) for value in (-0.001, 1.005, -3)] == ["0.00", "1.00", "−3.00"]


def test_a_flow_spreads_over_the_page():
    page = Page(200)
    q, k, scores = Item("Q", np.ones((2, 3)), "q"), Item("K", np.ones((3, 4)), "k"), Item("s", np.ones((2, 4)), "score")
    parts = [q, "@", k, "all pairs", scores]
    blocks = flow(page, 100, parts, cell=30)
    assert [(block.wide, block.high) for block in blocks] == [(90, 60), (120, 90), (120, 60)]  # to scale
    assert blocks[-1].right[0] == pytest.approx(page.width - 2)
    assert len({block.left[1] for block in blocks}) == 1
    assert defects(page) == []


def test_a_graph_has_an_arrow_back_only_where_there_is_a_factor():
    page = Page(200)
    nodes = {"a": Node(80, 60, "7", blame="−1"), "b": Node(280, 60, "3.5", blame="2"), "c": Node(480, 60, "1")}
    graph(page, nodes, [("a", "b", "× ½", "× ½"), ("b", "c", "exp", "")])
    arrows = [patch for patch in page.sheet.patches if type(patch).__name__ == "FancyArrowPatch"]
    arrows = [patch for patch in arrows if patch.get_linewidth()]  # stems; a head has no outline
    assert len(arrows) == 3
    assert [patch.get_linestyle() for patch in arrows].count("--") == 1


def test_bars_are_to_scale_and_carry_their_number():
    page = Page(200)
    bars(page, Block(0, 20, 400, 100), [0.5, 0.25, 0.0], colour="root", top=1.0, lit=0, words="50 %")
    heights = [patch.get_height() for patch in page.sheet.patches]
    assert heights == pytest.approx([50, 25, 0.8])
    assert page.sheet.texts[0].get_text() == "50 %"


def test_every_bar_can_carry_its_number_and_its_name():
    page = Page(200)
    bars(page, Block(0, 20, 400, 100), [0.5, 0.25], colour="root", top=0.6, words=["50 %", "25 %"], names=["a", "b"])
    assert [text.get_text() for text in page.sheet.texts] == ["50 %", "25 %", "a", "b"]
    assert defects(page) == []
    with pytest.raises(ValueError, match=r"top: got 0.3, expected at least the largest value, 0.5"):
        bars(page, Block(0, 20, 400, 100), [0.5, 0.25], colour="root", top=0.3)


def test_a_staircase_ends_at_the_sum():
    page = Page(200)
    staircase(page, Block(0, 0, 300, 190), [2, -1, 3], ["a", "b", "c"], unit=20, end="4")
    start, end = (line for line in page.sheet.lines if line.get_marker() == "o")
    assert start.get_ydata()[0] - end.get_ydata()[0] == pytest.approx(20 * 4)


def test_an_outline_says_what_lies_outside():
    page = Page(200)
    share = outline(page, page.axes(0, 0, 300, 150), [0.0, 0.5, 5.0, -7.0], colour="root", bins=np.linspace(-1, 1, 5))
    assert share == 0.5


def test_a_curve_is_named_at_its_end():
    page = Page(200)
    ax = page.axes(0, 0, 300, 150)
    curve(page, ax, [0, 1, 2], [0, 1, 4], colour="root", name="four")
    (name,) = ax.texts
    assert (name.get_text().strip(), name.get_position()) == ("four", (2, 4))


# ---------------------------------------------------------------- papers, steps, loops


def test_steps_become_fragments_on_a_slide():
    page, _ = ALL["proof"].draw(paper="slide")
    found = [int(index) for index in re.findall(r'class="fragment" data-fragment-index="(\d+)"', svg(page))]
    assert set(found) == {1, 2, 3}


def test_headline_and_caption_stay_in_the_book_and_the_key_goes_along():
    for paper, expected in (("book", ["head", "caption", "key"]), ("slide", ["key"])):
        page = Page(100, paper=paper)
        page.headline("head")
        page.caption("caption")
        page.key("key")
        assert [text.get_text() for text in page.sheet.texts] == expected


def test_panels_stack_on_a_phone():
    wide, narrow = Page(100).panels(3, high=80), Page(300, paper="phone").panels(3, high=80)
    assert len({block.y for block in wide}) == 1
    assert len({block.x for block in narrow}) == 1
    assert (wide[-1].right[0], narrow[0].wide) == (pytest.approx(700), 340)


def test_a_loop_plays_three_times():
    pages = [ALL["one_step"].draw(places)[0] for places in ([0, 3, 7], [1, 4, 8])]
    loop = Image.open(io.BytesIO(loop_png(pages, [500, 900])))
    assert (loop.n_frames, loop.info["loop"]) == (2, 3)
    assert [frame_time(loop, i) for i in range(2)] == [500, 900]


def frame_time(loop, i):
    loop.seek(i)
    return loop.info["duration"]


def test_greek_letters_are_found_beside_mathematics(caplog):
    page = Page(60)
    page.text(100, 30, "σ and $d_k$ and ρ")
    assert defects(page) == []
    assert not caplog.records
