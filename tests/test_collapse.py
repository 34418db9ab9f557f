"""Notebook 00: its figures draw what they are given, and its slider shows what the theory of random vectors says."""

import math

import numpy as np
import pytest

from sdpa_course.experiments.metrics import by_rank
from sdpa_course.experiments.saturation import Collapse, RankedWeights, collapse
from sdpa_course.figures import new
from sdpa_course.figures.collapse import weights_beside
from sdpa_course.kernels.softmax import softmax_forward

WIDTHS, QUERIES, KEYS = [2**i for i in range(11)], 20_000, 16
UNSCALED = np.array([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3]])  # ranked and averaged: 0.6, 0.25, 0.15
SCALED = np.array([[0.3, 0.4, 0.3], [0.3, 0.2, 0.5]])  # 0.45, 0.3, 0.25


def heights(ax):
    return [segment[1, 1] for segment in ax.collections[0].get_segments()]


def test_weights_are_ranked_for_each_query_before_the_average():
    np.testing.assert_allclose(by_rank(UNSCALED), [0.6, 0.25, 0.15])
    np.testing.assert_allclose(by_rank(np.stack([UNSCALED, SCALED])), [[0.6, 0.25, 0.15], [0.45, 0.3, 0.25]])


def test_weights_beside_draws_and_describes_its_numbers():
    _, axes = new(1, 2, sharey=True)
    ranked = (RankedWeights(1.0, by_rank(weights)) for weights in (UNSCALED, SCALED))
    alt = weights_beside(axes, Collapse(32, 0.5, *ranked))
    np.testing.assert_allclose(heights(axes[0]), [0.6, 0.25, 0.15])
    np.testing.assert_allclose(heights(axes[1]), [0.45, 0.3, 0.25])
    for ax, top in zip(axes, ("60 %", "45 %"), strict=True):
        np.testing.assert_allclose(ax.lines[0].get_ydata(), 1 / 3)  # all equal
        assert any(f"largest weight {top}" in text.get_text() for text in ax.texts)
    for words in ("3 keys", "d_k = 32", "deviation 0.5", "largest weight is 60 %", "it is 45 %", "1/3"):
        assert words in alt


@pytest.mark.parametrize("d_k", [1, 8, 64])
def test_the_weights_are_those_of_queries_and_keys_drawn_in_full(d_k):
    """The experiment draws only the lengths of the queries; the keys are left out."""
    rng = np.random.default_rng(1)
    q, k = (rng.standard_normal((QUERIES, n, d_k), dtype="float32") for n in (1, KEYS))
    scores, result = (q * k).sum(axis=-1), collapse(d_k)
    for found, drawn in ((result.unscaled, scores), (result.scaled, scores / math.sqrt(d_k))):
        tops = softmax_forward(drawn).max(axis=-1)
        assert abs(found.largest - tops.mean()) < 4 * tops.std() * math.sqrt(2 / QUERIES)
        np.testing.assert_allclose(found.weights, by_rank(softmax_forward(drawn)), atol=0.01)


@pytest.mark.parametrize("d_k", [1, 8, 64, 512])
def test_the_scores_vary_as_the_theory_says(d_k):
    """E (q·k)² = d_k, within four standard errors of a mean over pairs, 16 of which share each query."""
    result = collapse(d_k)
    # In units of d_k²: Var (q·k)² is 2 + 6/d_k, and two pairs with the query in common have covariance 2/d_k.
    variance = (2 + 6 / d_k + (KEYS - 1) * 2 / d_k) / (QUERIES * KEYS)
    assert abs(result.scaled.score_std**2 - 1) < 4 * math.sqrt(variance)
    assert result.unscaled.score_std == pytest.approx(math.sqrt(d_k) * result.scaled.score_std, rel=1e-5)


@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0])
def test_at_width_one_both_sides_are_the_same(sigma):
    result = collapse(1, sigma)
    assert result.unscaled.largest == result.scaled.largest
    assert result.unscaled.score_std == result.scaled.score_std


def test_without_a_scale_the_weights_collapse_and_with_it_they_do_not():
    unscaled, scaled = ([getattr(collapse(d_k), side).largest for d_k in WIDTHS] for side in ("unscaled", "scaled"))
    assert unscaled == sorted(unscaled)
    assert unscaled[0] < 0.25 < 0.95 < unscaled[-1]
    # Another draw moves these averages by a standard deviation of about 0.001. From d_k = 8 on they stay alike.
    assert 0.24 < min(scaled[3:]) < max(scaled[3:]) < 0.25


def test_the_entries_sigma_comes_in_squared():
    one, two = (collapse(256, sigma).scaled.score_std for sigma in (1.0, 2.0))
    assert two / one == pytest.approx(4, rel=1e-5)
