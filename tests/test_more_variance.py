"""Appendix A3: its truths against a second path, and pictures that show what they're given."""

import numpy as np
import pytest
from matplotlib.text import Text

from sdpa_course.experiments.additive import measure_spread
from sdpa_course.explore import reveals
from sdpa_course.figures.additive import additive_flow
from sdpa_course.figures.entries import entry_bars
from sdpa_course.figures.nudges import lost_digits
from sdpa_course.figures.tails import error_bars, many_tries


def words_on(page) -> list[str]:
    return [text.get_text() for text in page.figure.findobj(Text) if text.get_text()]


def test_how_often_a_product_lies_beyond_three():
    a, b = np.random.default_rng(0).standard_normal((2, 2_000_000))
    assert reveals.beyond_three().answer == pytest.approx(100 * (abs(a * b) > 3).mean(), abs=0.06)


def test_an_additive_score_of_wide_vectors_approaches_the_size_of_v():
    """With nothing shrunk, every hidden unit saturates: the variance is that of v summed up, here 1."""
    wide = measure_spread(4000, 16, rng=np.random.default_rng(1), v_std=1 / 4, w_std=1.0, layers=80).variance
    assert abs(wide.z(1)) < 4
    shrunk = measure_spread(4000, 16, rng=np.random.default_rng(1), v_std=1 / 4, layers=80).variance
    assert shrunk.mean < 0.7


def test_the_truth_about_wider_vectors_is_what_its_picture_says():
    truth = reveals.wider_vectors()
    assert truth.answer == "it levels off"
    assert "stay below 1" in truth.picture.alt


def test_bars_that_miss_are_counted():
    estimates = [(10.0, 1.0), (12.0, 1.0), (8.5, 2.0), (6.9, 3.0)]
    page, alt = error_bars.draw(estimates, 10, "value")
    assert "4 measured values" in alt
    assert "2 of the bars miss" in alt
    assert [len(container.lines[0].get_xdata()) for container in page.charts[0][0].containers] == [2, 2]


def test_marks_among_many_tries_say_their_value():
    page, alt = many_tries.draw(np.array([0.5, 1.0, 3.0, 9.0]), {"the average": 1.5, "the truth": 2}, "variance", 8)
    assert any("1.5: the average" in words for words in words_on(page))
    assert any("25 % fall off" in words for words in words_on(page))
    assert alt.endswith("variance. Marked are the average 1.5, the truth 2.0.")


def test_digits_are_lost_up_to_where_they_differ():
    page, alt = lost_digits.draw("0.1234", "0.1221", "0.0013")
    assert "first 2 digits agree" in alt
    assert "last 2 are left" in alt
    assert sum(words in "0123456789." for words in words_on(page)) == 6 + 6 + 2


def test_a_bar_for_each_initialiser():
    rows = [("one", 1.0, 1.0, 1.0), ("other", 2.0, 1.9, 3.6)]
    page, alt = entry_bars.draw(rows)
    assert "other, 2.00 and 3.60" in alt
    assert {"one", "other", "2.00", "3.60"} <= set(words_on(page))


def test_the_flow_adds_up_to_the_score():
    page, alt = additive_flow.draw([0.0, 5.0], [0.0, 5.0], [3.0, -2.0])
    assert "−2.00" in words_on(page)
    assert alt.endswith("the score is −2.00.")
