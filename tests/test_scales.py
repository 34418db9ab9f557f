"""Notebook 07: scoring rules measured alike, additive attention, places, bfloat16, figures, the slider."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course import attention_backward, attention_forward
from sdpa_course.experiments import layers
from sdpa_course.experiments.additive import (
    additive_costs,
    dot_costs,
    draw_additive,
    mean_tanh_square,
    measure_spread,
    scoring_times,
)
from sdpa_course.experiments.layers import CAP, SCORING_RULES, LayerStatistics, compare_rules
from sdpa_course.experiments.metrics import relative_entropy
from sdpa_course.experiments.precision import round_scores, ticks, to_bfloat16
from sdpa_course.experiments.scales import (
    ExponentSweep,
    exponent_sweep,
    first_steps,
    grouped_products,
)
from sdpa_course.figures import new
from sdpa_course.figures.scales import exponents, metrics_by_width
from sdpa_course.kernels.scores import SCALES, additive_scores_forward
from sdpa_course.verify.gradcheck import check_gradients
from tests.pictures.sample import fill


def result(**changes) -> LayerStatistics:
    """A made-up result."""
    return fill(LayerStatistics, **{"d_k": 64, "n": 64, "scale": "1", "entropy": 0.1} | changes)


# rules


@pytest.mark.parametrize("rule", SCORING_RULES)
def test_every_rule_goes_back_the_way_it_came(rule):
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal((5, 3)), rng.standard_normal((7, 3))]
    check_gradients(lambda q, k: SCORING_RULES[rule](q, k, 12), lambda d, backward: backward(d), inputs, rng=rng)


def test_a_cap_is_that_of_attention():
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal(shape) for shape in ((5, 8), (7, 8), (7, 3)))
    for name, scale in (("1, capped", 1.0), ("1/sqrt(d_k), capped", None)):
        out, cache = attention_forward(q, k, v, scale=scale, softcap=CAP)
        scores, backward = SCORING_RULES[name](q, k, None)
        weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
        assert_allclose(weights @ v, out)
        dweights = np.ones_like(out) @ v.T
        dscores = weights * (dweights - (weights * dweights).sum(axis=-1, keepdims=True))
        for ours, theirs in zip(backward(dscores), attention_backward(np.ones_like(out), cache), strict=False):
            assert_allclose(ours, theirs, atol=1e-14)


def test_learned_starts_at_the_root():
    q, k = np.random.default_rng(2).standard_normal((2, 6, 5))
    assert_allclose(SCORING_RULES["learned"](q, k, None)[0], SCORING_RULES["1/sqrt(d_k)"](q, k, None)[0], rtol=1e-12)


# compare


@pytest.mark.parametrize("d_k", [8, 128])
def test_score_variances_are_the_theory(d_k):
    expected = {"1": d_k, "1/sqrt(d_k)": 1, "1/d_k": 1 / d_k, "1/sqrt(d_model)": d_k / 512} | {
        "cos": 1 / d_k,
        "sqrt(d_k) cos": 1,
    }
    for r in compare_rules(d_k, expected, rng=np.random.default_rng(3), seeds=8, rows=256):
        # 8 · 64 keys, squared lengths of relative variance 2/d_k: relative error √(2/d_k/512); the queries add less
        assert abs(r.variance.mean / expected[r.scale] - 1) < 4 * (math.sqrt(2 / d_k / 512) + 0.004), r.scale


@pytest.mark.parametrize("scale", SCALES)
def test_a_layer_without_gradients_is_as_sharp_as_one_with_them(scale):
    ours = layers.measure_layer(16, 64, scale, rng=np.random.default_rng(4))
    theirs = layers.measure_layer(16, 64, scale, rng=np.random.default_rng(5), gradients=False)
    for name in ("top", "entropy", "jacobian"):
        a, b = getattr(ours, name), getattr(theirs, name)
        assert abs(a.mean - b.mean) < 4 * math.hypot(a.error, b.error) + 1e-9, name
    assert theirs.rms is theirs.median_dk is None


def test_rules_see_the_same_draws_and_sigma_leaves_the_cosine_alone():
    one, two = (
        {
            r.scale: r
            for r in compare_rules(
                32, SCORING_RULES, rng=np.random.default_rng(7), seeds=2, rows=64, d_model=32, sigma=sigma
            )
        }
        for sigma in (1, 2)
    )
    assert one["1/sqrt(d_model)"][3:] == one["1/sqrt(d_k)"][3:]
    for ours, theirs in zip(one["learned"][3:], one["1/sqrt(d_k)"][3:], strict=True):
        assert_allclose(ours, theirs, rtol=1e-9)
    assert_allclose(two["sqrt(d_k) cos"].entropy.mean, one["sqrt(d_k) cos"].entropy.mean)
    assert_allclose(two["sqrt(d_k) cos"].median.mean, one["sqrt(d_k) cos"].median.mean / 2)
    assert_allclose(two["1/sqrt(d_k)"].variance.mean, 16 * one["1/sqrt(d_k)"].variance.mean)
    assert one["1, capped"].variance.mean < CAP**2


@pytest.mark.parametrize("d_k", [4, 64])
def test_folding_multiplies_the_step_by_d_k_by_its_root_or_not_at_all(d_k):
    steps = first_steps(d_k, rng=np.random.default_rng(8))
    assert_allclose(steps["SGD"].ratio, d_k)
    assert_allclose(steps["Adam"].ratio, math.sqrt(d_k), rtol=1e-4)
    assert_allclose(steps["Adafactor"].ratio, 1, rtol=1e-4)
    twice = first_steps(d_k, rng=np.random.default_rng(8), rate=2e-3)
    assert_allclose(list(twice.values()), 2 * np.array(list(steps.values())))


# bfloat16


def test_rounding_finds_the_nearest_number_there_is():
    there_are = np.array(ticks(0.75, 300.0))
    for x in np.random.default_rng(14).uniform(1, 290, 200).astype(np.float32):
        assert to_bfloat16(x) == there_are[np.abs(there_are - x).argmin()]
        assert to_bfloat16(-x) == -to_bfloat16(x)
    assert to_bfloat16([129.5, 130.5]).tolist() == [130.0, 130.0]  # a tie goes to the even one
    assert to_bfloat16(3.4e38) > 3e38  # float32's range


def test_ticks_are_all_the_numbers_with_eight_bits():
    between = np.arange(2.0, 8.0, 2.0**-9)
    kept = between[to_bfloat16(between) == between]
    assert_allclose(ticks(2.0, 7.99), kept)


def test_rounding_moves_more_weight_without_the_scale():
    none, root = (round_scores(256, scale, rng=np.random.default_rng(15), seeds=2) for scale in ("1", "1/sqrt(d_k)"))
    assert 3 < none.moved.mean / root.moved.mean < 8
    assert none.worst > 5 * root.worst


# additive


def test_additive_variance_is_the_theory():
    for d_a, v_std in ((8, 1.0), (64, 1.0), (64, 0.125)):
        got = measure_spread(64, d_a, rng=np.random.default_rng(9), v_std=v_std, layers=80)
        # u is normal only for many d_k: allow 2 % beside four standard errors
        assert (
            abs(got.variance.mean - d_a * v_std**2 * mean_tanh_square())
            < 4 * got.variance.error + 0.02 * got.variance.mean
        )
        assert got.largest < got.bound
        assert 0.3 < got.in_row / got.variance.mean < 0.8


def test_mean_tanh_square_by_simulation():
    u = np.random.default_rng(10).standard_normal(200_000) * math.sqrt(2)
    squares = np.tanh(u) ** 2
    assert abs(squares.mean() - mean_tanh_square()) < 4 * squares.std() / math.sqrt(200_000)


def test_costs_are_the_sizes_of_the_arrays():
    rng = np.random.default_rng(11)
    q, k = rng.standard_normal((5, 3)), rng.standard_normal((7, 3))
    scores, cache = additive_scores_forward(q, k, *draw_additive(3, 4, rng=rng))
    costs = additive_costs(5, 7, 3, 4)
    assert costs.tanh == cache.hidden.size == 140
    assert costs.numbers == cache.hidden.size + scores.size
    assert costs.multiplications == 5 * 3 * 4 + 7 * 3 * 4 + 140
    assert dot_costs(5, 7, 3) == (105, 0, 35)


def test_times_are_positive_one_pair_for_each_length():
    times = scoring_times([4, 8], rng=np.random.default_rng(12), repeats=1)
    assert np.shape(times) == (2, 2)
    assert np.min(times) > 0


# figures


def test_metrics_by_width_draws_each_metric_with_theory():
    rows = [result(d_k=d_k, scale=scale, variance=d_k / 8, median=0.5) for scale in ("1", "cos") for d_k in (8, 64)]
    _, axes = new(2, 2)
    alt = metrics_by_width(axes, rows, {"1": ([8, 64], [1.1, 8.1])})
    assert_allclose(axes[0, 0].containers[0].lines[0].get_xydata().astype(float), [(8, 1), (64, 8)])
    assert_allclose(axes[1, 1].containers[1].lines[0].get_ydata().astype(float), [0.5, 0.5])
    (theory,) = (line for line in axes[0, 0].lines if line.get_label() == "theory")
    assert_allclose(theory.get_ydata(), [1.1, 8.1])
    assert [text.get_text() for text in axes[0, 0].get_legend().get_texts()] == ["theory"]
    assert "cos: variance 1 to 8, entropy 0.10 to 0.10, median row 0.500 to 0.500" in alt


def test_exponents_marks_the_exponent_on_every_curve():
    _, axes = new(1, 2)
    curves = {8: np.array([0.2, 1.0]), 64: np.array([0.0, 1.0])}
    by_width = {1: 0.9, 8: 0.4, 64: 0.25, 512: 0.6}
    alt = exponents(axes, ExponentSweep(32, 0.25, by_width, np.array([0, 1]), curves))
    marks = [line.get_ydata()[0] for line in axes[0].lines if len(line.get_xdata()) == 1]
    assert_allclose(marks, [0.4, 0.25])
    assert_allclose(axes[1].lines[0].get_ydata(), [0.9, 0.4, 0.25, 0.6])
    assert "32 keys" in alt
    assert "exponent 0.25" in alt
    assert axes[1].get_title(loc="left") == "the same with scale $d_k^{-0.25}$"
    assert "from 0.900 to 0.600" in alt


# slider


@pytest.mark.parametrize("n", [8, 64, 512])
def test_only_at_one_half_do_the_widths_agree(n):
    sharp, level, flat = (
        np.array([exponent_sweep(exponent, n).by_width[d_k] for d_k in (8, 64, 512)]) for exponent in (0.0, 0.5, 1.0)
    )
    assert np.ptp(level) < 0.05
    assert (np.diff(sharp) < -0.05).all()
    assert (np.diff(flat) > 0).all()
    assert flat.min() > 0.95


def test_the_curves_pass_through_the_points():
    result = exponent_sweep(0.3, 8)
    for d_k, curve in result.curves.items():
        assert_allclose(np.interp(0.3, result.grid, curve), result.by_width[d_k], rtol=1e-6)


def test_entropies_are_those_of_the_kernel_s_own_scale():
    scores = grouped_products(64)[512] / np.float32(math.sqrt(512))
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    assert_allclose(exponent_sweep().by_width[512], relative_entropy(weights).mean(), rtol=1e-5)
