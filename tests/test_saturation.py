"""Notebook 03: the saturation experiment against theory, its figures, its sliders."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course import softmax_forward, softmax_jacobian
from sdpa_course.experiments.layers import LayerStatistics, measure_layer, measure_layers
from sdpa_course.experiments.metrics import by_rank, jacobian_norm, relative_entropy, sharpness_of
from sdpa_course.experiments.saturation import (
    RandomWeights,
    SoftmaxAtTemperature,
    lost_rows,
    random_weights,
    share_by_deviation,
    softmax_at_temperature,
    three_keys,
)
from sdpa_course.figures import new
from sdpa_course.figures.saturation import sharpness, softmax_bars


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


def textbook(scores):
    exps = np.exp(scores)
    return exps / exps.sum(axis=-1, keepdims=True)


def test_rows_are_lost_where_exp_overflows_and_nowhere_else():
    assert lost_rows(textbook, 64) == lost_rows(softmax_forward, 4096) == 0
    assert lost_rows(textbook, 4096, scale="1/sqrt(d_k)") == 0
    edge = math.log(np.finfo(np.float32).max)
    below = (1 + math.erf(edge / math.sqrt(2 * 1024))) / 2  # of one normal score
    assert abs(lost_rows(textbook, 1024) - (1 - below**64)) < 0.05
    assert lost_rows(textbook, 64, dtype=np.float16) > 0.9
    assert lost_rows(lambda scores: 0 * scores, 8) == lost_rows(lambda scores: np.nan * scores, 8) == 1


def test_three_keys_are_the_same_queries_at_every_width():
    one, wide = three_keys(1), three_keys(400)
    assert_allclose(one.raw, one.divided)
    assert_allclose(wide.divided, wide.raw / 20)
    assert_allclose(three_keys(2.5).raw, (three_keys(2).raw + three_keys(3).raw) / 2)
    assert_allclose(wide.raw.var(), 400, rtol=0.2)
    decided = [(weights.max(axis=-1) > 0.9).mean() for weights in three_keys(512).weights]
    assert decided[0] > 0.8 > 0.1 > decided[1]


def test_the_share_of_keys_is_the_formula_where_many_keys_share():
    shares = share_by_deviation((0.25, 1), 512)
    assert_allclose(shares, np.exp([-(0.25**2) / 2, -0.5]), rtol=0.01)
    assert_allclose(share_by_deviation((100,), 8), 1 / 8, rtol=0.1)


# figures


def test_softmax_bars_show_scores_and_weights():
    _, axes = new(1, 2)
    scores, weights = np.array([3.0, 1.0]), np.array([0.75, 0.25])
    alt = softmax_bars(axes, SoftmaxAtTemperature(2, scores, weights, sharpness_of(weights)))
    for ax, heights in zip(axes, (scores, weights), strict=True):
        assert [segment[1, 1] for segment in ax.collections[0].get_segments()] == heights.tolist()
    assert "temperature 2: the largest weight is 0.750, the smallest 0.250" in alt


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
    assert_allclose(random_weights(64, "1/sqrt(d_k)", 512).sharpness.effective_keys, 512 * math.exp(-0.5), rtol=0.03)


def test_entropy_is_measured_against_the_keys_that_a_row_may_attend_to():
    mask = np.tri(3, dtype=bool)
    uniform = mask / mask.sum(axis=-1, keepdims=True)
    assert_allclose(relative_entropy(uniform, mask), [np.nan, 1, 1])
    assert_allclose(relative_entropy(np.eye(3), mask), [np.nan, 0, 0])
