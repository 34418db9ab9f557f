"""The pictures of notebook 03 draw the numbers they're given, and say them."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from sdpa_course.experiments.saturation import ThreeKeys, three_keys
from sdpa_course.figures.bells import tilted_bells, why_one
from sdpa_course.figures.kit.picture import Picture
from sdpa_course.figures.kit.rendering import loop_png
from sdpa_course.figures.softmax import leader, shared, sliding, two_troubles
from sdpa_course.figures.triangles import triangle_loop, weights_triangle

CORNER, MIDDLE = np.eye(3)[[0, 1, 1, 2]], np.full((4, 3), 1 / 3)


def words_on(page) -> list[str]:
    return [text.get_text() for text in page.sheet.texts]


def test_weights_triangle_puts_queries_where_their_weights_say():
    scores = np.log(np.maximum(np.array([MIDDLE, CORNER]), 1e-12))
    page, alt = weights_triangle.draw(ThreeKeys(64, *scores))
    clouds = [dots.get_offsets() for dots in page.sheet.collections]
    triangles = [patch.get_xy()[:3] for patch in page.sheet.patches]
    for dots, corners, weights in zip(clouds, triangles, (MIDDLE, CORNER), strict=True):
        np.testing.assert_allclose(dots, weights @ corners, atol=1e-6)
    assert "at d_k = 64" in alt
    assert "no scale: 0 %; ÷ √d_k: 100 %" in alt
    assert [text for text in words_on(page) if text.endswith(" %")] == ["0 %", "100 %"]


def test_the_triangle_s_loop_is_small_and_stops_where_it_says(monkeypatch):
    shown = {}
    monkeypatch.setattr(Picture, "loop", lambda self, *arguments: shown.update({self.__name__: arguments}))
    triangle_loop(three_keys)
    frames, milliseconds, alt = shown["weights_triangle"]
    rests = [frame[0].d_k for frame, pause in zip(frames, milliseconds, strict=True) if pause > 2000]
    assert rests == [1, 64, 512]
    assert "At d_k = 1, 64, 512 the share of queries" in alt
    pages = [weights_triangle.draw(*frame)[0] for frame in frames[4:8]]
    assert len(loop_png(pages, milliseconds[4:8])) / 4 * len(frames) < 400_000


def test_an_even_block_has_the_area_of_the_weights():
    page, alt = shared.draw([([0.5, 0.5, 0], 2.0)])
    *weights, block = [patch.get_bbox() for patch in page.sheet.patches]
    slot = weights[1].x0 - weights[0].x0
    assert block.width == pytest.approx(2 * slot)
    assert abs(block.height) == pytest.approx(abs(weights[0].height))
    assert "50 %, 50 %, 0 %: 2.0" in alt


def test_a_leader_s_part_of_the_band_is_its_weight():
    page, alt = leader.draw({2: 0.75, 512: 0.1})
    wholes = [patch.get_bbox().width for patch in page.sheet.patches]
    assert wholes[1] / wholes[0] == pytest.approx(0.75)
    assert wholes[3] / wholes[2] == pytest.approx(0.1)
    assert "2 keys, 75 %; 512 keys, 10 %" in alt


def test_only_a_cured_row_is_green():
    lost, sure, open_row = np.full(3, np.nan), np.array([1.0, 0, 0]), np.array([0.6, 0.3, 0.1])
    page, alt = two_troubles.draw({"a": ("x", {"one": lost, "two": open_row}), "b": ("y", {"one": sure, "two": sure})})
    green = [patch for patch in page.sheet.patches if to_hex(patch.get_edgecolor()) == page.colour("root")]
    assert len(green) == 1
    assert "a, one: nan; a, two: 60 %, 30 %, 10 %; b, one: 100 %, 0 %, 0 %" in alt
    assert words_on(page).count("nan") == 1


def test_scores_slide_and_their_weights_stay():
    scores = np.array([1.5, 3.5, 4.0])
    page, alt = sliding.draw({"up": scores, "down": scores - 4}, [0.05, 0.36, 0.59])
    assert [words for words in words_on(page) if words.endswith(" %")] == ["5 %", "36 %", "59 %"] * 2
    assert "down: −2.5, −0.5, 0" in alt


def test_a_bell_of_weight_stands_as_far_out_as_the_deviation_says():
    page, alt = tilted_bells.draw((1, 8), np.linspace(-2, 2, 9))
    for (ax, _), deviation in zip(page.charts, (1, 8), strict=True):
        bell = ax.lines[0]
        assert bell.get_xdata()[np.argmax(bell.get_ydata())] == pytest.approx(deviation, abs=0.05)
        assert bell.get_linestyle() == ("-" if deviation < 2 else "--")  # dashed where there are no keys
    assert "9 keys as ticks, the last one 2.0 standard deviations out" in alt


def test_why_one_reads_its_curves_at_one():
    x = np.array([0.25, 0.5, 1, 2, 4])
    shares = {8: [1, 0.9, 0.7, 0.4, 0.1], 64: [1, 0.9, 0.62, 0.3, 0.05], 512: [1, 0.9, 0.61, 0.2, 0.0]}
    _, alt = why_one.draw(x, shares, np.exp(-(x**2) / 2), {"here": (1, "root")})
    assert "8 keys, 70 %; 64 keys, 62 %; 512 keys, 61 %; the dashed formula says 61 %" in alt
