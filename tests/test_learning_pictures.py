"""The pictures of notebook 09 draw the numbers they're given, and count the runs that are lost."""

import numpy as np
import pytest
from matplotlib.text import Text

from docs.site.gallery import of_training
from sdpa_course.explore import reveals
from sdpa_course.figures.failing import row_rescaled, short, stuck_or_moving, two_ways_to_fail
from sdpa_course.figures.judging import QUESTIONS, only_the_reason, three_questions
from sdpa_course.figures.kit.rendering import loop_png
from sdpa_course.figures.learning_charts import (
    best_by_width,
    formula_or_size,
    late_or_lost,
    other_starts,
    swapped_scales,
)
from sdpa_course.figures.learning_maps import maps_while_learning, two_lookups, two_maps

GIVEN = of_training()


def words_on(page) -> list[str]:
    return [text.get_text() for text in page.figure.findobj(Text) if text.get_text()]


def test_maps_are_those_of_the_steps_with_their_accuracies():
    steps, runs = GIVEN["maps_while_learning"]
    page, alt = maps_while_learning.draw(steps, runs)
    drawn = [ax.images[0].get_array() for ax, _ in page.charts]
    for shown, (brightness, _) in zip(drawn, [each for maps in runs.values() for each in maps], strict=True):
        np.testing.assert_array_equal(shown, brightness)
    assert "without the scale 6 %, 9 %, 49 %, 61 %" in alt
    assert words_on(page).count("100 % right") == 1


def test_the_loop_stays_small():
    maps = GIVEN["two_maps"][2]
    frames = [two_maps.draw(step, 600, maps)[0] for step in (600, 0, 40)]
    assert len(loop_png(frames, [300] * 3)) * 17 / 3 < 4e5


def test_every_run_that_got_there_is_a_dot_and_the_others_are_counted():
    arms = {("SGD", "1"): [np.nan, 300, np.nan], ("SGD", "1/d_k"): [120, 140, 600]}
    page, alt = late_or_lost.draw({"a task": arms})
    dots = [line for line in page.sheet.lines if line.get_marker() == "o"]
    assert len(dots) == 4
    places = [float(np.asarray(line.get_xdata()).ravel()[0]) for line in dots]
    assert places == sorted(places[:1]) + sorted(places[1:])
    assert places[1] < places[2] < places[0] < places[3]
    assert words_on(page).count("2 lost") == 1
    assert "SGD, no scale most never, 2 lost; SGD, ÷ d_k median 140 steps" in alt
    assert any("lost: not within 600" in words for words in words_on(page))


def test_a_row_without_a_dot_says_never_and_lost_is_explained_only_where_something_is():
    _, alt = late_or_lost.draw({"a task": {("SGD", "1"): [np.nan, np.nan]}})
    assert "SGD, no scale never, 2 lost" in alt
    page, _ = late_or_lost.draw({"a task": {("SGD", "1/d_k"): [120, 140]}})
    assert not any("lost" in words for words in words_on(page))


def test_lines_over_the_width_are_means_and_every_seed_is_there():
    page, alt = best_by_width.draw((8, 64), {"additive": np.ones((2, 2)), "1": [[1, 0.2], [0.8, 0.4]]})
    lines = [line for line in page.charts[0][0].lines if line.get_marker() != "o"]
    np.testing.assert_allclose(lines[1].get_ydata(), [0.9, 0.3])
    assert "no scale 90 %, 30 %" in alt


def test_the_four_boxes_and_the_tables_say_their_numbers():
    cells = {(size, scale): (i / 10, 0.5) for i, (size, scale) in enumerate(GIVEN["formula_or_size"][0])}
    page, alt = formula_or_size.draw(cells)
    assert [w for w in words_on(page) if w.startswith("SGD")] == ["SGD 10 %", "SGD 0 %", "SGD 30 %", "SGD 20 %"]
    assert "large scores, root in the formula: 30 %, 50 %" in alt
    page, alt = swapped_scales.draw({"recall": np.arange(9).reshape(3, 3) / 10})
    assert [w for w in words_on(page) if w.isdigit()] == [str(10 * i) for i in range(9)]
    assert "trained ÷ √d_k: 30 %, 40 %, 50 %" in alt


def test_a_start_that_most_seeds_lose_is_lost():
    _, alt = other_starts.draw((1, 4), {16: [[200, 100], [220, np.nan], [240, np.nan]], 64: [[300, 100]] * 3})
    assert "d_k = 16, 220, lost; d_k = 64, 300, 100" in alt


def test_lookups_point_at_their_keys():
    _, alt = two_lookups.draw("AB", {"dog": "7", "hat": "9"}, ["hat"])
    assert "the queries hat find" in alt


@pytest.mark.parametrize(("lines", "answer"), [
    ({16: [[300, 200, 100]], 64: [[310, 210, 150]]}, "more than 1"),
    ({16: [[300, 100, 200]], 64: [[310, 110, np.nan]]}, "1"),
    ({16: [[300, 100, 200]], 64: [[310, 210, 150]]}, "it depends"),
])  # fmt: skip
def test_the_fastest_start_is_named(lines, answer):
    lines = {d_k: np.array(steps, dtype=float) for d_k, steps in lines.items()}
    assert reveals.fastest_start((1 / 4, 1, 4), lines).answer == answer


def test_each_way_to_fail_shows_its_own_pulls():
    page, alt = two_ways_to_fail.draw(*GIVEN["two_ways_to_fail"])
    written = words_on(page)
    assert [w for w in written if w[0].isdigit()] == ["6·10⁻⁷", "6·10⁻⁷", "0.04", "0.005", "0.06", "0.0009"]
    assert "no scale: largest weight 98 %" in alt
    assert (short(3.4e-22), short(0.0102), short(1e-4)) == ("3·10⁻²²", "0.01", "0.0001")


def test_bars_of_rows_are_as_wide_as_their_shares():
    page, alt = stuck_or_moving.draw([(64, "1", (0.2, 0.3, 0.1, 0.4), 2e-8)])
    bars = [patch.get_extents() for patch in page.sheet.patches]
    wide = np.array([box.width for box in bars])
    np.testing.assert_allclose(wide / wide.sum(), (0.2, 0.3, 0.1, 0.4), atol=0.01)
    assert "20 % right, stuck, 30 % right, 10 % wrong, 40 % wrong, stuck" in alt
    assert "2·10⁻⁸" in words_on(page)


def test_a_rescaled_row_names_the_right_keys_share():
    rows = {"as trained": [0.1, 0.79, 0.11], "left out": [0, 1, 0], "factor twice": [0.32, 0.35, 0.33]}
    page, alt = row_rescaled.draw(rows, 1)
    assert [w for w in words_on(page) if w.endswith("%")] == ["79 %", "100 %", "35 %"]
    assert "factor twice, 35 % for the right key" in alt


def test_a_claim_meets_the_questions_in_order_and_each_has_its_verdict():
    page, _ = three_questions.draw()
    written = words_on(page)
    places = [written.index(words) for words, _ in QUESTIONS]
    assert places == sorted(places)
    assert [w.split(maxsplit=1)[1] for w in written if w[0] in "✗?◐✓"] == ["fails", "not shown", "holds if", "holds"]


def test_every_control_stands_in_the_row_of_its_claim():
    page, alt = only_the_reason.draw([("a claim", "a control", "what it did"), ("another", "its control", "nothing")])
    heights = {text.get_text(): text.get_position()[1] for text in page.figure.findobj(Text) if text.get_text()}
    assert heights["a claim"] == heights["a control"] != heights["its control"] == heights["another"]
    assert "another; its control; nothing" in alt
