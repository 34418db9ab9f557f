"""Notebook 00: its figures draw what they are given, and its slider shows what the theory of random vectors says."""

import math

import numpy as np
import pytest

from sdpa_course.explore.collapse import KEYS, QUERIES, WIDTHS, collapse_explorer, collapse_view, unit_scores
from sdpa_course.figures import new
from sdpa_course.figures.collapse import by_rank, weights_beside, weights_by_width

SPREAD, TOP = "Spread of scores, ", "Largest weight, "
UNSCALED = np.array([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3]])  # ranked and averaged: 0.6, 0.25, 0.15
SCALED = np.array([[0.3, 0.4, 0.3], [0.3, 0.2, 0.5]])  # 0.45, 0.3, 0.25


def heights(ax):
    return [segment[1, 1] for segment in ax.collections[0].get_segments()]


def test_weights_are_ranked_for_each_query_before_the_average():
    np.testing.assert_allclose(by_rank(UNSCALED), [0.6, 0.25, 0.15])
    np.testing.assert_allclose(by_rank(np.stack([UNSCALED, SCALED])), [[0.6, 0.25, 0.15], [0.45, 0.3, 0.25]])


def test_weights_beside_draws_and_describes_its_numbers():
    _, axes = new(1, 2, sharey=True)
    alt = weights_beside(axes, 32, 0.5, UNSCALED, SCALED)
    np.testing.assert_allclose(heights(axes[0]), [0.6, 0.25, 0.15])
    np.testing.assert_allclose(heights(axes[1]), [0.45, 0.3, 0.25])
    for ax, top in zip(axes, ("0.60", "0.45"), strict=True):
        np.testing.assert_allclose(ax.lines[0].get_ydata(), 1 / 3)  # all equal
        assert any(f"largest weight {top}" in text.get_text() for text in ax.texts)
    for words in ("3 keys", "d_k = 32", "deviation 0.5", "largest weight is 0.60", "it is 0.45", "1/3"):
        assert words in alt


def test_weights_by_width_draws_every_width_however_many_there_are():
    widths = [1, 2, 4, 8, 16, 32]  # more than there are markers
    unscaled = np.stack([UNSCALED] * 6)
    _, axes = new(1, 2, sharey=True)
    alt = weights_by_width(axes, widths, unscaled, np.stack([SCALED] * 6))
    for ax, first in zip(axes, (0.6, 0.45), strict=True):
        assert [line.get_label() for line in ax.lines] == [f"$d_k$ = {d_k}" for d_k in widths]
        np.testing.assert_allclose([line.get_ydata()[0] for line in ax.lines], first)
    assert "1, 2, 4, 8, 16, 32" in alt


def test_a_picture_of_one_view_does_not_keep_anything_of_the_view_before():
    first = collapse_view(d_k=64, spread=1.0)
    collapse_view(d_k=1024, spread=2.0)
    assert collapse_view(d_k=64, spread=1.0) == first


@pytest.mark.parametrize("d_k", [1, 8, 64, 512])
def test_the_scores_vary_as_the_theory_says(d_k):
    """E (q·k)² = d_k, within four standard errors of a mean over pairs, 16 of which share each query."""
    raw, divided = unit_scores(d_k)
    assert raw.shape == (QUERIES, KEYS)
    np.testing.assert_allclose(raw, divided * math.sqrt(d_k))
    # In units of d_k²: Var (q·k)² is 2 + 6/d_k, and two pairs with the query in common have covariance 2/d_k.
    variance = (2 + 6 / d_k + (KEYS - 1) * 2 / d_k) / (QUERIES * KEYS)
    assert abs((raw**2).mean() / d_k - 1) < 4 * math.sqrt(variance)


@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
def test_at_width_one_both_sides_are_the_same(spread):
    numbers = collapse_view(d_k=1, spread=spread).numbers
    assert numbers[TOP + "no scale"] == numbers[TOP + "1/√d_k"]
    assert numbers[SPREAD + "no scale"] == numbers[SPREAD + "1/√d_k"]


def test_without_a_scale_the_weights_collapse_and_with_it_they_do_not():
    tops = [collapse_view(d_k=d_k).numbers for d_k in WIDTHS]
    unscaled = [float(numbers[TOP + "no scale"]) for numbers in tops]
    scaled = [float(numbers[TOP + "1/√d_k"]) for numbers in tops]
    assert unscaled == sorted(unscaled)
    assert unscaled[0] < 0.25 < 0.95 < unscaled[-1]
    # Notebook 00: one draw moves these averages by a standard deviation below 0.01. From d_k = 8 on they stay alike.
    assert 0.2 < min(scaled[3:]) < max(scaled[3:]) < 0.3
    assert max(scaled[3:]) - min(scaled[3:]) < 0.05


def test_the_entries_spread_comes_in_squared():
    one, two = (float(collapse_view(d_k=256, spread=s).numbers[SPREAD + "1/√d_k"]) for s in (1.0, 2.0))
    assert two / one == pytest.approx(4, abs=0.03)  # two digits after the point are shown


def test_sliders_move_one_thing_each():
    explorer = collapse_explorer()
    assert explorer.values() == {"d_k": 64, "spread": 1.0}
    explorer.controls["d_k"].value = 512
    assert explorer.picture.value == collapse_view(d_k=512, spread=1.0).picture
    explorer.controls["spread"].value = 0.5
    assert "d_k = 512, for entries of standard deviation 0.5" in explorer.numbers.value
