"""Notebook 03: the saturation experiment against theory, its figures, its sliders."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course import softmax_forward, softmax_jacobian
from sdpa_course.experiments.estimates import Estimate
from sdpa_course.experiments.layers import LayerStatistics, measure_layer, measure_layers
from sdpa_course.experiments.metrics import by_rank, jacobian_norm, relative_entropy, sharpness_of
from sdpa_course.experiments.saturation import (
    RandomWeights,
    SoftmaxAtTemperature,
    random_weights,
    softmax_at_temperature,
)
from sdpa_course.figures import new
from sdpa_course.figures.saturation import (
    BINS,
    sharpness,
    sharpness_by_keys,
    sharpness_by_width,
    softmax_bars,
    top_weights,
)
from tests.pictures.sample import fill


def result(**changes) -> LayerStatistics:
    """A made-up result."""
    return fill(LayerStatistics, **{"d_k": 64, "n": 64, "scale": "1"} | changes)


def measure(*args, **keywords) -> LayerStatistics:
    """The forward pass alone."""
    return measure_layer(*args, gradients=False, **keywords)


# experiment


def test_relative_entropy_from_uniform_to_one_hot():
    weights = np.array([[0.25, 0.25, 0.25, 0.25], [0.5, 0.5, 0, 0], [0, 1, 0, 0]])
    entropy = relative_entropy(weights)
    assert_allclose(entropy, [1, 0.5, 0], atol=1e-15)
    assert not np.signbit(entropy).any()  # no −0.000 on a page


def test_relative_entropy_equals_log_sum_minus_mean_score():
    scores = np.random.default_rng(0).standard_normal((5, 7)) * 3
    weights = softmax_forward(scores)
    in_nats = np.log(np.exp(scores).sum(axis=-1)) - (weights * scores).sum(axis=-1)
    assert_allclose(relative_entropy(weights), in_nats / math.log(7), rtol=1e-12)


def test_jacobian_norm_is_that_of_the_whole_matrix():
    scores = np.random.default_rng(1).standard_normal((5, 7)) * [[0.1], [1], [3], [10], [100]]
    whole = np.sqrt((softmax_jacobian(scores) ** 2).sum(axis=(-1, -2)))
    assert_allclose(jacobian_norm(softmax_forward(scores)), whole, atol=1e-8)


@pytest.mark.parametrize(("scale", "power"), [("1", 1), ("1/sqrt(d_k)", 0), ("1/d_k", -1), ("1/sqrt(d_model)", None)])
def test_score_variance_is_the_theory(scale, power):
    got = measure(32, 48, scale, rng=np.random.default_rng(2), rows=300, seeds=12, d_model=128)
    expected = 32 / 128 if power is None else 32.0**power
    # Given the keys, rows are independent, but keys are few: 12 · 48 of them, with lengths of relative variance 2/d_k,
    # make the relative standard error about √(2/32 / (12 · 48)) = 0.01; the queries add less.
    assert_allclose(got.variance.mean, expected, rtol=0.05)


def test_entropy_is_log_n_minus_half_the_variance_for_many_keys():
    got = measure(64, 4096, "1/sqrt(d_k)", rng=np.random.default_rng(3), rows=64, seeds=5)
    assert_allclose(got.entropy.mean, 1 - 1 / (2 * math.log(4096)), atol=4 * got.entropy.error + 1e-3)


def test_too_sharp_too_flat_and_level():
    """The table of the two-sided sweep, within a few standard errors of what was measured beforehand."""
    expected = {
        ("1", 8): (0.427, 0.50, 0.004),
        ("1", 512): (0.926, 0.045, 0.60),
        ("1/sqrt(d_k)", 8): (0.107, 0.89, 0),
        ("1/sqrt(d_k)", 512): (0.107, 0.89, 0),
        ("1/d_k", 512): (0.017, 1.0, 0),
    }
    for (scale, d_k), (top, entropy, one_hot) in expected.items():
        got = measure(d_k, 64, scale, rng=np.random.default_rng(4), rows=256)
        assert abs(got.top.mean - top) < 4 * got.top.error + 0.002, (scale, d_k)
        assert abs(got.entropy.mean - entropy) < 4 * got.entropy.error + 0.005, (scale, d_k)
        assert abs(got.one_hot.mean - one_hot) < 0.04, (scale, d_k)


def test_spread_is_between_seeds_and_shrinks_with_rows_and_keys():
    few = measure(4, 8, "1", rng=np.random.default_rng(5), rows=8, seeds=30)
    many = measure(64, 512, "1/sqrt(d_k)", rng=np.random.default_rng(5), rows=256, seeds=5)
    assert few.top.spread > 10 * many.top.spread > 0
    assert few.entropy.spread > 10 * many.entropy.spread > 0


def test_measure_layers_takes_every_combination_and_the_seed_decides():
    settings = {"widths": [1, 3], "keys": [5, 7], "scales": ["1", "1/d_k"], "rows": 11, "seeds": 2, "gradients": False}
    got = measure_layers(**settings, rng=np.random.default_rng(6))
    assert {(r.d_k, r.n, r.scale) for r in got} == {(d, n, s) for d in (1, 3) for n in (5, 7) for s in ("1", "1/d_k")}
    assert len(got) == 8
    assert got == measure_layers(**settings, rng=np.random.default_rng(6))
    assert got != measure_layers(**settings, rng=np.random.default_rng(7))


def test_same_draws_for_each_scale_make_them_equal_at_width_one():
    one, root, flat = (
        measure(1, 16, scale, rng=np.random.default_rng(8), rows=20, seeds=3) for scale in ("1", "1/sqrt(d_k)", "1/d_k")
    )
    assert one[3:] == root[3:] == flat[3:]


# figures


def test_softmax_bars_show_scores_and_weights():
    _, axes = new(1, 2)
    scores, weights = np.array([3.0, 1.0]), np.array([0.75, 0.25])
    alt = softmax_bars(axes, SoftmaxAtTemperature(2, scores, weights, sharpness_of(weights)))
    for ax, heights in zip(axes, (scores, weights), strict=True):
        assert [segment[1, 1] for segment in ax.collections[0].get_segments()] == heights.tolist()
    assert "temperature 2: the largest weight is 0.750, the smallest 0.250" in alt


def test_sharpness_by_width_draws_each_scale_with_its_spread_and_the_theory():
    rows = [
        result(d_k=d_k, scale=scale, top=Estimate(top, 0.05), entropy=1 - top)
        for scale, tops in (("1", (0.2, 0.9)), ("1/d_k", (0.2, 0.1)))
        for d_k, top in zip((1, 64), tops, strict=True)
    ]
    _, axes = new(1, 2)
    alt = sharpness_by_width(axes, rows, {"1/d_k": ([1, 2, 64], [0.8, 0.85, 0.9])})
    bars = axes[0].containers[0]
    assert_allclose(bars.lines[0].get_xydata().astype(float), [(1, 0.2), (64, 0.9)])
    assert_allclose(bars.lines[2][0].get_segments()[1], [(64, 0.85), (64, 0.95)])
    assert_allclose(axes[1].containers[1].lines[0].get_xydata().astype(float), [(1, 0.8), (64, 0.9)])
    (theory,) = (line for line in axes[1].lines if line.get_label() == "theory")
    assert_allclose(theory.get_ydata(), [0.8, 0.85, 0.9])
    assert theory.get_linestyle() == "--"
    assert "scale 1: top weight from 0.20 to 0.90, entropy from 0.80 to 0.10" in alt
    assert "scale 1/d_k: top weight from 0.20 to 0.10" in alt


def test_sharpness_by_keys_draws_effective_numbers():
    _, axes = new(1, 2)
    alt = sharpness_by_keys(axes, [result(n=4, top=0.5, entropy=0.5), result(n=100, top=0.1, entropy=0.5)], 0.6)
    assert_allclose(axes[0].lines[0].get_ydata(), [0.5, 0.1])
    assert_allclose(axes[1].lines[0].get_ydata(), [2, 10])  # n ** 0.5
    assert_allclose(axes[1].lines[1].get_ydata(), [2.4, 60])
    assert "from 2.0 to 10, approaching a dashed line at 0.600" in alt


def test_top_weights_are_shares_of_rows():
    _, ax = new()
    alt = top_weights(ax, {"a": np.array([0.01, 0.5, 0.99, 1.0]), "b": np.array([0.3, 0.3])})
    first, second = (patch.get_data().values for patch in ax.patches)
    assert_allclose([first[0], first[-1], first.sum()], [0.25, 0.5, 1])
    assert_allclose(second[np.searchsorted(BINS, 0.3) - 1], 1)
    assert "a: mean 0.62; b: mean 0.30" in alt


def test_sharpness_ranks_the_weights_of_each_row():
    _, axes = new(1, 2)
    weights = np.array([[0.1, 0.9], [0.7, 0.3]])
    alt = sharpness(axes, RandomWeights(8, 2, "1", by_rank(weights), weights.max(axis=-1), sharpness_of(weights)))
    assert_allclose(axes[0].lines[0].get_ydata(), [0.8, 0.2])
    assert_allclose(axes[1].patches[0].get_data().values.sum(), 1)
    assert "falls from 0.800 to 2.0e-01" in alt
    assert "from 0.70 to 0.90" in alt


# sliders


def test_cold_is_one_hot_and_hot_is_uniform():
    cold, hot = (softmax_at_temperature(temperature).sharpness for temperature in (0.05, 20))
    assert_allclose(cold, (1, 0, 1), atol=1e-3)
    assert hot.entropy > 0.99
    assert_allclose(hot.effective_keys, 7, atol=0.05)


def test_moving_all_scores_changes_no_weight():
    here, there = softmax_at_temperature(), softmax_at_temperature(shift=5)
    assert_allclose(there.scores, here.scores + 5)
    assert_allclose(there.weights, here.weights)
    assert_allclose(here.weights, softmax_forward(here.scores))


@pytest.mark.parametrize("n", [8, 512])
def test_sharpness_is_level_in_width_only_with_the_root(n):
    tops = {
        scale: [random_weights(d_k, scale, n).sharpness.top for d_k in (1, 64, 4096)]
        for scale in ("1", "1/sqrt(d_k)", "1/d_k")
    }
    assert tops["1"][0] == tops["1/sqrt(d_k)"][0] == tops["1/d_k"][0]
    assert tops["1"] == sorted(tops["1"])
    assert tops["1"][-1] > 0.95
    assert_allclose(tops["1/d_k"][-1], 1 / n, atol=0.01)
    assert_allclose(tops["1/sqrt(d_k)"][1], tops["1/sqrt(d_k)"][2], rtol=0.2)


def test_effective_number_of_keys_is_about_e_to_minus_one_half_of_them():
    assert_allclose(random_weights(n=512).sharpness.effective_keys, 512 * math.exp(-0.5), rtol=0.03)


def test_entropy_is_measured_against_the_keys_that_a_row_may_attend_to():
    mask = np.tri(3, dtype=bool)
    uniform = mask / mask.sum(axis=-1, keepdims=True)
    assert_allclose(relative_entropy(uniform, mask), [np.nan, 1, 1])
    assert_allclose(relative_entropy(np.eye(3), mask), [np.nan, 0, 0])
