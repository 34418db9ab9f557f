"""The pictures of the drawing kit's parts: each draws the numbers it's given, says them, and fits every paper."""

from io import BytesIO

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Polygon
from matplotlib.text import Text
from PIL import Image

from sdpa_course import attention_forward
from sdpa_course.experiments.gradients import PooledRows
from sdpa_course.experiments.tiny import K, Q, V, tiny_blame, tiny_steps
from sdpa_course.experiments.typical import TYPICAL, nearest_draw, one_collapse
from sdpa_course.figures import busy_pairs, readings
from sdpa_course.figures.acts import ACTS
from sdpa_course.figures.asking import (
    four_acts,
    gap_panels,
    hard_and_soft,
    ranked_weights,
    softmax_steps,
    words_and_width,
)
from sdpa_course.figures.blame import blame_graph, edge_and_fork
from sdpa_course.figures.collapsing import REACH, collapsing_weights, stops_and_ways
from sdpa_course.figures.dead_rows import row_piles, taken_apart
from sdpa_course.figures.floats import float_line
from sdpa_course.figures.kit import Block
from sdpa_course.figures.kit.numberlines import NumberLine
from sdpa_course.figures.kit.rendering import loop_png, loop_svg, pixels, png
from sdpa_course.figures.kit.ribbons import cut
from sdpa_course.figures.ribbons import heads_as_ribbons
from sdpa_course.figures.sparse import gradient_squares, three_factors
from sdpa_course.figures.tiny import attention_matrices


def words_on(page) -> list[str]:
    return [text.get_text() for text in page.figure.findobj(Text) if text.get_text()]


FACTORS = [
    PooledRows(512, 64, scale, factor, *(np.array([mean]) for mean in (dq, 0.18, 1, 1, 22.6, 1)))
    for scale, factor, dq in (("1", 1.0, 4.02), ("1/sqrt(d_k)", 512**-0.5, 0.181))
]
ROWS = np.array([30.0, 1, 2, 0.2, 3, 0.05, 0.04, 1, 0.01])
ROWS_BY_SCALE = {"1": ROWS, "1/sqrt(d_k)": np.linspace(1, 2, 9), "1/d_k": np.ones(9)}
LARGEST_SCORES = {16: (9.2, 2.3), 4096: (152.0, 2.4)}


def head_arrays(heads=4, n=3, d_k=2):
    out, cache = attention_forward(*np.random.default_rng(8).standard_normal((3, heads, n, d_k)))
    return cache, out


# Views that the gallery, which test_kit.py draws, doesn't show.
SAMPLES = {f"attention, step {now}": (attention_matrices, (tiny_steps(),), {"now": now}) for now in range(1, 6)}
SAMPLES |= {f"collapse, {d_k}": (collapsing_weights, (one_collapse(d_k),), {}) for d_k in (1, 2.5, 512)}
SAMPLES |= {"packed squares": (gradient_squares, (ROWS_BY_SCALE,), {"ordered": True})}
SAMPLES |= {"nine tokens, two heads": (heads_as_ribbons, head_arrays(2, 9, 5), {})}


@pytest.mark.parametrize(("paper", "room"), [("book", "light"), ("phone", "light"), ("slide", "dark")])
@pytest.mark.parametrize("name", SAMPLES)
def test_the_picture_fits_its_paper(name, paper, room):
    """`draw` refuses a picture whose words overlap, run off the page or are too small."""
    drawn, args, keywords = SAMPLES[name]
    _, alt = drawn.draw(*args, paper=paper, room=room, **keywords)
    assert len(alt.split()) >= 15


def test_attention_matrices_has_every_number_and_follows_one():
    steps = tiny_steps()
    page, alt = attention_matrices.draw(steps)
    words = words_on(page)
    for value in steps.weights.ravel():
        assert f"{value:.2f}" in words
    assert "8 = 0·1 + 2·1 + 1·0 + 3·2" in words
    assert "1.23 = 0.05·1 + 0.36·0 + 0.59·2" in words
    assert "dot product 8, score 4.0, weight 0.59" in alt
    np.testing.assert_allclose(steps.products[1], [3, 7, 8])
    lit = page.colour("lit")
    cells = [patch for patch in page.sheet.patches if np.allclose(patch.get_facecolor(), to_rgba(lit))]
    assert len(cells) == 4
    (keys,) = [patch for patch in page.sheet.patches if patch.get_edgecolor() == to_rgba(page.colour("k"))]
    assert keys.get_height() / keys.get_width() == pytest.approx((4 * 30) / (3 * 32))  # K transposed: 4 by 3
    page, _ = attention_matrices.draw(steps, now=3)
    assert not any("=" in text for text in words_on(page))


def test_collapse_names_the_winner_on_both_sides():
    result = one_collapse(64)
    page, alt = collapsing_weights.draw(result)
    for scores, weights in zip((result.raw, result.divided), result.weights, strict=True):
        assert f"{100 * weights.max():.0f} %" in words_on(page)
        assert f"score {scores.max():.1f} and {100 * weights.max():.0f} %" in alt
    assert weights.argmax() == scores.argmax()
    np.testing.assert_allclose(result.divided * 8, result.raw)


def test_the_draw_of_the_collapse_is_the_one_nearest_to_the_average():
    assert nearest_draw() == TYPICAL


def test_the_loop_is_exact_at_its_stops_moves_evenly_between_them_and_is_small():
    widths, milliseconds = stops_and_ways()
    rests = [width for width, pause in zip(widths, milliseconds, strict=True) if pause > 2000]
    assert rests == [1, 64, 512]
    assert widths[0] == widths[-1] == 512  # a still of the first frame makes the point, and so does the end
    assert (np.diff(widths[1:]) > 0).all()
    half = one_collapse(2.5)
    np.testing.assert_allclose(half.raw, (one_collapse(2).raw + one_collapse(3).raw) / 2)
    assert max(np.abs(one_collapse(width).raw).max() for width in widths) < REACH
    pages = [
        collapsing_weights.draw(one_collapse(width))[0] for width in widths[10:14]
    ]  # frames in which everything moves
    loop = loop_png(pages, [90] * 4)
    assert len(loop) / 4 * len(widths) < 400_000
    image = Image.open(BytesIO(loop))
    for i in range(4):
        image.seek(i)
        assert image.convert("RGB").getpixel((1, 300)) == (255, 255, 255)  # the paper, or a seam would show


def test_a_loop_holds_still_on_the_wall_for_those_who_ask():
    pages = [collapsing_weights.draw(one_collapse(width))[0] for width in (1, 512)]
    assert "prefers-reduced-motion: reduce" in loop_svg(loop_png(pages, [90] * 2), png(pages[-1]), (720, 300))


def test_the_pictures_of_softmax_have_their_numbers():
    scores = np.array([7.0, 3.0])
    exps = np.exp(scores)
    page, alt = softmax_steps.draw(("first", "second"), scores, exps, exps / exps.sum())
    assert {"7.0", "3.0", "1096.6", "20.1", "÷ 1116.7", "98 %", "2 %"} <= set(words_on(page))
    assert "first 7.0 to 1096.6 to 98 %" in alt
    page, alt = gap_panels.draw([("as it is", (7, 3)), ("halved", (3.5, 1.5))], [(0.98, 0.02), (0.88, 0.12)])
    assert {"gap 4", "gap 2", "88 %"} <= set(words_on(page))
    assert "halved: 3.5 and 1.5, a gap of 2, give 88 % and 12 %" in alt
    page, alt = ranked_weights.draw({"small": [0.26, 0.2], "large": [0.74, 0.1]})
    assert {"26 %", "74 %"} <= set(words_on(page))


def test_a_soft_look_up_takes_what_the_weights_say():
    steps = tiny_steps()
    _, alt = hard_and_soft.draw(steps.tokens, steps.v, steps.weights[1], steps.out[1])
    assert "5 % from love, 36 % from Apple, 59 % from phones, which makes (1.23, 1.54)" in alt
    page, alt = words_and_width.draw([("a b c", (3, 40), (3, 3)), ("a b", (2, 40), (2, 2))])
    assert {"queries: 3 words × 40 entries", "scores: 2 × 2"} <= set(words_on(page))
    page, alt = four_acts.draw()
    assert all(name.split("  ")[1] in alt for name in ACTS)


def test_blame_graph_has_every_value_and_every_blame():
    values, gradients = tiny_blame()
    page, alt = blame_graph.draw(values, gradients)
    words = words_on(page)
    for blamed in gradients:
        for value in blamed:
            assert (f"{value:+.2f}".replace("-", "−") if round(value, 2) else "0.00") in words
    assert "dot products +0.03, -0.12, +0.09" in alt

    def loss(scores):
        weights = np.exp(scores) / np.exp(scores).sum()
        return float((weights @ V) @ [1, -1])

    for field, at, through in (("q", Q[1], lambda q: K @ q / 2), ("scores", values.scores, lambda scores: scores)):
        nudges = 1e-5 * np.eye(len(at))
        slopes = [(loss(through(at + nudge)) - loss(through(at - nudge))) / 2e-5 for nudge in nudges]
        np.testing.assert_allclose(getattr(gradients, field), slopes, atol=1e-8)


def test_three_factors_draws_its_bands_to_scale():
    page, alt = three_factors.draw(*FACTORS)
    bands = [patch.get_xy() for patch in page.sheet.patches if isinstance(patch, Polygon)]
    for found, result in zip(bands, FACTORS, strict=True):
        start = np.ptp(found[found[:, 0] == 700][:, 1])
        end = np.ptp(np.sort(found[found[:, 0] == 34][:, 1])[1:-1])  # without the arrowhead
        assert end / start == pytest.approx(result.lengths[0])
    assert "no scale: 0.18 times 1 times 23 makes 4.0; ÷ √d_k: 0.18 times 0.044 times 23 makes 0.18" in alt
    assert {"× 0.044", "0.0080", "4.0"} <= set(words_on(page))


@pytest.mark.parametrize("ordered", [False, True])
def test_gradient_squares_has_areas_in_proportion_and_crosses_for_the_dead(ordered):
    page, alt = gradient_squares.draw({"1": ROWS}, ordered=ordered)
    boxes = [patch.get_xy()[:4] for patch in page.sheet.patches if isinstance(patch, Polygon)]
    sides = np.array([np.ptp(box[:, 0]) for box in boxes])
    np.testing.assert_allclose(sides / sides[0], np.sort(ROWS)[:2:-1] / 30)  # largest first; three are dead
    assert len(page.sheet.lines[0].get_xdata()) == 3
    assert "33 % dead" in alt


def test_packed_squares_do_not_overlap():
    page, _ = gradient_squares.draw({"1": np.linspace(1, 3, 25)}, ordered=True)
    boxes = [patch.get_xy()[:4] for patch in page.sheet.patches if isinstance(patch, Polygon)]
    assert len(boxes) == 25
    assert not any(overlapping(one, other) for i, one in enumerate(boxes) for other in boxes[:i])


def overlapping(one, other) -> bool:
    return bool((np.minimum(one.max(0), other.max(0)) > np.maximum(one.min(0), other.min(0))).all())


def test_heads_as_ribbons_draws_four_ribbons_a_head_and_shows_a_head_with_each_click():
    page, alt = heads_as_ribbons.draw(*head_arrays())
    ribbons = [patch for patch in page.sheet.patches if isinstance(patch, Polygon)]
    assert len(ribbons) == 4 * 4
    assert {ribbon.get_gid() for ribbon in ribbons} == {f"step-{click}" for click in (1, 2, 3, 4)}
    assert "3 rows of 8 columns each, are cut into 4 heads of 2 columns" in alt
    parts = cut(Block(10, 0, 90, 20), 3, gap=5)
    assert [(part.x, part.wide) for part in parts] == [(10, 30), (45, 30), (80, 30)]


def test_a_png_keeps_its_colours():
    """Also rare ones: a cell of a map mustn't take on its neighbour's hue."""
    page, _ = heads_as_ribbons.draw(*head_arrays(2, 9, 4), room="dark")
    exact, stored = (
        np.asarray(image.convert("RGB"), dtype=int) for image in (pixels(page), Image.open(BytesIO(png(page))))
    )
    assert np.abs(exact - stored).max() < 16  # at the edges of letters and lines
    values, often = np.unique(exact.reshape(-1, 3), axis=0, return_counts=True)
    fills = values[np.argsort(-often)[:100]]
    kept = {tuple(value) for value in np.unique(stored.reshape(-1, 3), axis=0)}
    assert {tuple(value) for value in fills} <= kept


def test_float_line_marks_where_numbers_end():
    page, alt = float_line.draw(LARGEST_SCORES)
    with np.errstate(over="ignore"):
        for dtype, limit in ((np.float16, 11.1), (np.float32, 88.7), (np.float64, 709.8)):
            assert f"{limit} in {np.dtype(dtype)}" in alt
            assert np.isfinite(np.exp(dtype(limit - 0.1)))
            assert np.isinf(np.exp(dtype(limit + 0.1)))
    assert "float16 ends: 65,504" in words_on(page)
    assert "no scale, from 9.2 at d_k = 16 to 152.0 at 4096; ÷ √d_k, from 2.3" in alt
    line = NumberLine(100, 0, 300, 1, 1000, log=True)
    assert [round(line.at(value)) for value in (1, 10, 1000)] == [100, 200, 400]
    assert NumberLine(100, 0, 300, 0, 30).at(10) == 200


def test_blames_that_are_not_known_yet_are_question_marks():
    values, gradients = tiny_blame()
    for known, unknown in ((0, 15), (2, 10), (5, 0)):
        page, alt = blame_graph.draw(values, gradients, known=known)
        assert words_on(page).count("?") == unknown
        assert alt.count("not known yet") == 5 - known


def test_a_fork_adds_up_to_the_blame_on_the_weight():
    values, gradients = tiny_blame()
    page, alt = edge_and_fork.draw(values, gradients)
    assert {"−0.248", "−0.124", "× 2"} <= set(words_on(page))
    assert "2 × 1 + 2 × (−1) makes 0" in alt
    np.testing.assert_allclose(values.v[2] @ gradients.out, gradients.weights[2])


def test_dead_rows_are_counted_and_told():
    pool = FACTORS[0]._replace(lengths=np.array([0.01] * 9 + [10.0]))
    page, alt = row_piles.draw(pool, FACTORS[1])
    assert "90 % dead" in words_on(page)
    assert "no scale: root mean square 3.2, median 0.010, 90 % dead; ÷ √d_k" in alt
    _, alt = taken_apart.draw(pool, FACTORS[1]._replace(lengths=np.array([0.2] * 10)))
    assert "forward no scale, back ÷ √d_k: rms 0.14, median 0.00044" in alt  # 3.16 and 0.01 over √512
    assert "forward ÷ √d_k, back × 1: rms 4.5, median 4.5" in alt


def test_readings_are_lit_where_something_gets_smaller():
    page, alt = readings.draw([("wide", [0.02, 0.3, 21.0]), ("narrow", [1.1, 4.9, 11.6])])
    assert "wide: ÷ 50, ÷ 3, × 21; narrow: × 1.1, × 5, × 12" in alt
    assert {"÷ 50", "× 1.1"} <= set(words_on(page))
    _, alt = busy_pairs.draw({"1": np.eye(4, dtype=bool)})
    assert "no scale: 4 of 16" in alt
