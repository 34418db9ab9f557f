"""The pictures of notebook 05 draw the numbers they're given, and say them."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch, Polygon

from sdpa_course.experiments.tiny import tiny_steps
from sdpa_course.figures.attending import bags, copies, cost_strip, inside, projected, same_outputs
from sdpa_course.figures.masks import covered, four_ways, leak, nothing_fits, stencils
from sdpa_course.figures.tiny import attention_matrices
from sdpa_course.figures.weights import one_look, several_looks
from sdpa_course.kernels.masks import causal_mask

TOKENS = ("love", "Apple", "phones")


def words_on(page) -> list[str]:
    return [text.get_text() for text in page.sheet.texts]


def boxes(page, colour: str, tint: float = 1.0) -> list:
    """The boxes with this fill, as extents, in the order they were drawn."""
    wanted = to_hex(page.colour(colour, tint))
    drawn = [patch for patch in page.sheet.patches if isinstance(patch, FancyBboxPatch)]
    return [patch.get_bbox() for patch in drawn if to_hex(patch.get_facecolor()) == wanted]


def dots(page) -> list[tuple[float, float]]:
    return [(line.get_xdata()[0], line.get_ydata()[0]) for line in page.sheet.lines if line.get_marker() == "o"]


def test_same_outputs_joins_equal_words_and_lights_the_ones_that_moved():
    numbers = np.arange(9.0).reshape(3, 3) / 10
    page, alt = same_outputs.draw([["a", "b", "c"], ["c", "b", "a"]], [numbers, numbers[::-1]])
    joins = [line.get_xdata() for line in page.sheet.lines]
    places = sorted({x for join in joins for x in join})
    assert [(places.index(start), places.index(end)) for start, end in joins] == [(0, 2), (1, 1), (2, 0)]
    assert [line.get_color() == page.colour("lit edge") for line in page.sheet.lines] == [True, False, True]
    assert "a 0.00, 0.10, 0.20" in alt


def test_projected_multiplies_and_frames_the_rows_that_a_token_picks():
    x, w = np.array([[1.0, 0, 1], [0, 1, 0]]), np.array([[1.0, 2], [3, 4], [5, 6]])
    _, alt = projected.draw(x, {"q": w, "k": w, "v": w}, ["one", "two"])
    assert "one has ones at places 1 and 3" in alt
    assert "Its query is 6, 8." in alt


@pytest.mark.parametrize(("now", "words"), [(2, "dot product is 8"), (3, "divided by √4 is 4.0"), (5, "1.23, 1.54")])
def test_every_step_says_its_own_number(now, words):
    assert words in attention_matrices.draw(tiny_steps(), now=now)[1]


def test_an_answer_lies_where_its_weights_put_it():
    values, weights = np.array([[1.0, 0], [0, 1], [2, 2]]), np.array([0.25, 0.25, 0.5])
    page, alt = inside.draw(values, TOKENS, {"1/sqrt(d_k)": weights, "1": np.array([0, 0.5, 0.5])})
    triangles = [patch.get_xy()[:3] for patch in page.sheet.patches if isinstance(patch, Polygon)]
    first, second = (dots(page)[i] for i in (3, 7))  # after the three corners of each panel
    np.testing.assert_allclose(first, weights @ triangles[0])
    np.testing.assert_allclose(second, triangles[1][1:].mean(axis=0))
    assert "answer 1.25, 1.25; no scale: 0 %, 50 %, 50 %" in alt


def test_copies_counts_the_words_that_copy():
    page, alt = copies.draw(TOKENS, {"1/sqrt(d_k)": np.full((3, 3), 1 / 3), "1": np.eye(3)})
    polygons = [patch.get_xy()[:3] for patch in page.sheet.patches if isinstance(patch, Polygon)]
    np.testing.assert_allclose(dots(page)[:3], np.tile(polygons[0].mean(axis=0), (3, 1)))
    np.testing.assert_allclose(dots(page)[3:], polygons[1])
    assert "÷ √d_k: 0 of 3" in alt
    assert "no scale: 3 of 3" in alt


def test_the_cost_is_to_scale():
    page, alt = cost_strip.draw(24, 15)
    (compare,), (scale,), (average,) = (boxes(page, *look) for look in (("q", 0.3), ("nothing",), ("v", 0.3)))
    assert compare.width / scale.width == pytest.approx(24)
    assert average.width / scale.width == pytest.approx(15)
    assert "2.50 %" in alt


def test_a_bag_that_changes_is_lit():
    before = [("a", ["a"]), ("b", ["a", "b"]), ("c", ["a", "b", "c"])]
    after = [("b", ["b"]), ("a", ["a", "b"]), ("c", ["c", "b", "a"])]
    page, alt = bags.draw({"a b c": before, "b a c": after})
    assert len(boxes(page, "lit", 0.2)) == 2  # not c's: it holds the same words in another order
    assert "b a c: b sees b; a sees a, b; c sees a, b, c" in alt


def test_stencils_cover_what_may_not_be_seen():
    mask = causal_mask(4, 4)
    page, alt = stencils.draw({"causal": ("nobody looks ahead", mask)})
    assert len(boxes(page, "score", 0.75)) == 6
    assert "10 of 16 cells open" in alt
    page, alt = covered.draw(TOKENS, np.ones((3, 3)), mask[:3, :3], np.tri(3) / np.arange(1, 4)[:, None])
    assert words_on(page).count("−∞") == words_on(page).count("0") == 3
    assert "Apple: 0.50, 0.50, hidden" in alt


def test_a_leak_keeps_the_hidden_key_in_the_sum():
    page, alt = leak.draw(TOKENS, [1.0, 3.0, 4.0], 2)
    assert {"÷ 4.0", "÷ 8.0", "phones is in the sum", "adds up to 100 %", "adds up to 50 %"} <= set(words_on(page))
    assert "cover, then softmax: 25 %, 75 %; softmax, then cover: 12 %, 38 %" in alt


def test_a_way_to_hide_is_good_only_if_nothing_ever_changes():
    right, moved, lost = np.array([0.25, 0.75, 0]), np.array([0.5, 0.5, 0]), np.full(3, np.nan)
    ways = {"right": [right, right], "moves": [right, moved], "lost": [right, lost]}
    ways |= {"seen": [np.array([0.25, 0.5, 0.25])] * 2}
    page, alt = four_ways.draw(TOKENS, (4, 800), ways)
    good = [text.get_text() for text in page.sheet.texts if text.get_color() == "#3d7318"]
    assert good == ["right"]
    assert "lost: 25 %, 75 %, 0 %; nan" in alt


def test_nothing_fits_tells_every_case():
    cases = {"one": (["−50"], [1.0], "too much", False), "two": (["−∞"], None, "lost", False)}
    page, alt = nothing_fits.draw(cases)
    assert "one: 100 %, too much. two: nan, lost" in alt
    assert {"−50", "100 %", "nan"} <= set(words_on(page))


def test_arcs_go_to_the_words_with_weight():
    words = ["dog", "ball", "it", "fast"]
    page, alt = one_look.draw(words, [0.03, 0.3, 0.07, 0.6])
    assert [text for text in words_on(page) if text.endswith(" %")] == [
        "30 %",
        "60 %",
    ]  # not those below 5 %, nor itself
    assert "fast 60 %, ball 30 %" in alt
    _, alt = several_looks.draw([words, words], [[0.9, 0.1, 0, 0], [0.1, 0.9, 0, 0]])
    assert "dog 90 %, ball 10 %" in alt
    assert "ball 90 %, dog 10 %" in alt
