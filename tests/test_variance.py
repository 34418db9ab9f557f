"""Notebook 02: measured variances against theory and against counting, the initialisers, the pictures, the slider."""

import itertools
import tracemalloc

import numpy as np
import pytest

from sdpa_course.experiments import initialisers
from sdpa_course.experiments.estimates import Estimate
from sdpa_course.experiments.histograms import histogram_edges, score_distribution
from sdpa_course.experiments.variance import (
    DISTRIBUTIONS,
    Assumptions,
    ScoreMoments,
    draw_scores,
    measure_kurtosis,
    measure_variance,
    predicted,
)
from sdpa_course.figures import new
from sdpa_course.figures.variance import score_density


@pytest.mark.parametrize(
    "switches",
    [
        {},
        {"mean_q": 0.5, "mean_k": -1.5},
        {"sigma_q": 1.5, "sigma_k": 0.4},
        {"correlation": -0.7},
        {"correlation": 1.0},
        {"correlation": 0.6, "distribution": "uniform"},
        {"correlation": 0.6, "distribution": "±1"},
        {"factor_q": 0.3, "factor_k": 0.2},
        {"factor_q": 0.6},
        {"factor_k": 0.6, "distribution": "±1"},
        {"shared_input": 3},
        {"distribution": "Student t"},
        {"mean_q": 0.7, "mean_k": 0.4, "sigma_q": 2.0, "sigma_k": 0.5, "correlation": 0.8},
        {"mean_q": 0.7, "mean_k": 0.4, "sigma_q": 2.0, "factor_q": 0.3, "factor_k": 0.4},
    ],
    ids=str,
)
def test_measured_is_predicted_within_four_standard_errors(switches):
    result = measure_variance(Assumptions(12, **switches), rng=np.random.default_rng(1), samples=60_000)
    assert abs(result.z) < 4
    assert abs(result.mean.z(result.predicted_mean)) < 4
    assert result.variance.error < 0.05 * result.predicted_variance  # tight enough to tell the settings apart


@pytest.mark.parametrize("d_k", [1, 2, 3])
@pytest.mark.parametrize(("mean_q", "mean_k", "sigma_q"), [(0, 0, 1), (1, 1, 1), (0.5, -2, 3)])
def test_prediction_by_counting(d_k, mean_q, mean_k, sigma_q):
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=d_k)))
    q, k = mean_q + sigma_q * signs, mean_k + signs
    assumptions = Assumptions(d_k, mean_q, mean_k, sigma_q, distribution="±1")
    every_pair, same = q @ k.T, (q * k).sum(axis=-1)  # q and k independent, and k made of q's own signs
    np.testing.assert_allclose([every_pair.mean(), every_pair.var()], predicted(assumptions), atol=1e-12)
    together = predicted(assumptions._replace(correlation=1.0))
    np.testing.assert_allclose([same.mean(), same.var()], together, atol=1e-12)


def test_standard_error_is_the_spread_between_repeats():
    rng = np.random.default_rng(3)
    repeats = [measure_variance(Assumptions(32), rng=rng, samples=500) for _ in range(500)]
    spread = np.std([r.variance.mean for r in repeats], ddof=1)
    assert spread == pytest.approx(np.mean([r.variance.error for r in repeats]), rel=0.1)
    assert np.std([r.z for r in repeats]) == pytest.approx(1, abs=0.1)


def test_entries_have_variance_one_and_the_stated_fourth_moment():
    rng = np.random.default_rng(4)
    for name, (draw, fourth) in DISTRIBUTIONS.items():
        entries = draw(rng, (400_000,))
        assert abs(entries.mean()) < 0.01
        assert entries.var() == pytest.approx(1, abs=0.02)
        if name != "Student t":  # its fourth moment is 9, but no sample shows it: the eighth is infinite
            assert (entries**4).mean() == pytest.approx(fourth, rel=0.02)


def test_kurtosis_falls_like_one_over_width():
    rng = np.random.default_rng(5)
    for d_k, name, expected in (
        (1, "normal", 6),
        (4, "normal", 1.5),
        (1, "±1", -2),
        (4, "±1", -0.5),
        (2, "uniform", 0.12),
    ):
        result = measure_kurtosis(Assumptions(d_k, distribution=name), rng=rng)
        assert result.predicted == pytest.approx(expected)
        assert abs(result.excess.mean - expected) <= 4 * result.excess.error + 1e-9
    with pytest.raises(ValueError, match="expected only d_k and distribution to be set"):
        measure_kurtosis(Assumptions(4, sigma_q=2.0), rng=rng)


def test_wide_vectors_are_drawn_in_pieces():
    tracemalloc.start()
    scores = draw_scores(Assumptions(4096), 2500, rng=np.random.default_rng(0))  # 82 MB for q alone
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert scores.shape == (2500,)
    assert peak < 150e6  # all at once it would be 400


@pytest.mark.parametrize(
    ("assumptions", "message"),
    [
        (Assumptions(0), "d_k: got 0"),
        (Assumptions(4, distribution="cauchy"), "distribution: got 'cauchy'"),
        (Assumptions(4, correlation=1.2), "correlation: got 1.2, expected -1 to 1"),
        (Assumptions(4, factor_q=-0.1), "factor_q: got -0.1, expected 0 to 1"),
        (Assumptions(4, correlation=0.1, factor_k=0.1), "together with a shared factor"),
        (Assumptions(4, shared_input=8, sigma_q=2.0), "shared_input: got it together"),
    ],
)
def test_assumptions_that_are_refused(assumptions, message):
    with pytest.raises(ValueError, match=message):
        draw_scores(assumptions, 5, rng=np.random.default_rng(0))


def test_report():
    line = ScoreMoments(Assumptions(2), Estimate(-0.001, 0.01), Estimate(2.5, 0.25), 0.0, 2.0).report()
    assert "mean    0.00 ± 0.01" in line
    assert "variance    2.50 ± 0.25 (theory    2.00)   z +2.0" in line


@pytest.mark.parametrize("name", initialisers.INITIALISERS)
@pytest.mark.parametrize("normed", [True, False])
def test_entries_of_q_and_scores_have_the_predicted_variance(name, normed):
    result = initialisers.measure_entries(
        name, rng=np.random.default_rng(6), fan_out=80, normed=normed, d_model=96, d_k=24, tokens=40, seeds=40
    )
    assert result.entry.mean == pytest.approx(result.predicted_entry, rel=0.03)
    assert result.score.mean == pytest.approx(result.predicted_score, rel=0.08)


def test_initialisers_against_pytorch(torch):
    """The same variance as what PyTorch draws, with fan_in ≠ fan_out."""
    torch.manual_seed(0)
    init, fan_in, fan_out = torch.nn.init, 384, 640
    empty = torch.empty(fan_out, fan_in)  # PyTorch keeps (out, in)
    drawn = {
        "Xavier normal": init.xavier_normal_(empty.clone()),
        "Xavier uniform": init.xavier_uniform_(empty.clone()),
        "He normal": init.kaiming_normal_(empty.clone()),
        "nn.Linear": torch.nn.Linear(fan_in, fan_out).weight.detach(),
    }
    rng = np.random.default_rng(7)
    for name, weights in drawn.items():
        expected = initialisers.weight_variance(name, fan_in, fan_out)
        assert float(weights.var()) == pytest.approx(expected, rel=0.02), name
        ours = initialisers.draw_weights(name, (fan_in, fan_out), rng=rng)
        assert ours.var() == pytest.approx(expected, rel=0.02), name
        if initialisers.INITIALISERS[name][0] == "uniform":
            assert np.abs(ours).max() == pytest.approx(float(weights.abs().max()), rel=0.001)
    packed = torch.nn.MultiheadAttention(512, 8).in_proj_weight.detach()  # W_Q, W_K, W_V in one
    assert float(packed.var()) == pytest.approx(initialisers.weight_variance("Xavier uniform", 512, 1536), rel=0.02)


def test_unknown_initialiser():
    with pytest.raises(ValueError, match="name: got 'zeros', expected one of"):
        initialisers.weight_variance("zeros", 2, 3)


@pytest.mark.parametrize(
    ("values", "curves", "end"),
    [
        ({"correlation": 0.0}, 1, 6),
        ({"correlation": 0.0, "sigma_q": 2.5}, 2, 12),
        ({"distribution": "±1", "correlation": 1.0, "d_k": 64}, 2, 12),  # one value, 8
        ({"correlation": 0.0, "mean": 1.0, "sigma_q": 3.0}, 2, 24),
    ],
)
def test_histogram_shows_the_predicted_curve_where_it_differs(values, curves, end):
    result = score_distribution(**values)
    _, ax = new()
    alt = score_density(ax, result)
    assert len(ax.lines) == curves
    assert ax.get_xlim() == (-end, end)
    assert f"predicted mean is {result.mean:.2f}" in alt
    assert f"deviation {result.std:.2f}" in alt
    np.testing.assert_allclose(ax.patches[0].get_data().values, result.density)


def test_the_slider_measures_what_it_shows():
    values = {"d_k": 16, "mean": 0.5, "sigma_q": 2.0, "correlation": 0.4, "distribution": "uniform"}
    result = score_distribution(**values)
    mean, variance = predicted(Assumptions(16, 0.5, 0.5, 2.0, correlation=0.4, distribution="uniform"))
    assert (result.mean, result.std) == pytest.approx((mean / 4, np.sqrt(variance) / 4))
    assert abs(result.measured.z) < 4
    assert result.measured.mean.mean == pytest.approx(mean, rel=0.1)
    assert (result.density * np.diff(result.edges)).sum() == pytest.approx(1, abs=0.01)
    assert (result.predicted * np.diff(result.x)[0]).sum() == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("mean", [0.0, 0.3])
def test_coins_with_full_correlation_have_no_variance(mean):
    """k = −q but for the mean: every term is μ² − 1."""
    result = score_distribution(distribution="±1", correlation=-1.0, mean=mean)
    assert result.measured.variance.mean == pytest.approx(0, abs=1e-20)
    assert result.std == pytest.approx(0, abs=1e-6)
    assert result.measured.mean.mean == pytest.approx(16 * (mean**2 - 1))


@pytest.mark.parametrize(("d_k", "correlation"), [(1, 0.0), (2, 0.3), (4, 0.0), (8, 0.0), (64, 0.0), (256, 0.6)])
def test_bins_hold_equally_many_of_the_values_that_coins_can_take(d_k, correlation):
    assumptions = Assumptions(d_k, correlation=correlation, distribution="±1")
    mean, variance = predicted(assumptions)
    edges = histogram_edges(assumptions, mean / np.sqrt(d_k), np.sqrt(variance / d_k))
    sums = np.arange(-d_k, d_k + 1, 2)
    values = (correlation * d_k + np.sqrt(1 - correlation**2) * sums) / np.sqrt(d_k)
    held, _ = np.histogram(values, edges)
    inside = (edges[:-1] > values[0]) & (edges[1:] < values[-1])
    width, step = edges[1] - edges[0], values[1] - values[0]
    if d_k >= 8:  # no gaps, no comb
        assert width > 0.99 * step
        assert len(set(held[inside])) == 1
    else:
        assert held.max() == 1
    assert np.abs(values[:, None] - edges).min() > 0.2 * min(width, step)  # rounding cannot move one across an edge


# estimates


def test_an_estimate_has_the_error_of_its_mean_and_the_spread_of_its_draws():
    draws = np.random.default_rng(0).normal(3, 2, 400)
    found = Estimate.of(draws)
    assert found.mean == pytest.approx(draws.mean())
    assert (found.spread, found.error) == pytest.approx((draws.std(ddof=1), draws.std(ddof=1) / 20))
    assert found.z(found.mean - 3 * found.error) == pytest.approx(3)
    variance = Estimate.of_variance(draws)
    assert variance.mean == pytest.approx(draws.var(ddof=1))
    assert variance.error == pytest.approx(4 * np.sqrt(2 / 400), rel=0.2)  # σ² √(2/n) for normal draws


def test_an_exact_estimate_is_off_by_nothing_or_by_infinitely_many_errors():
    assert [Estimate(2.0, 0.0).z(theory) for theory in (1.0, 2.0, 3.0)] == [np.inf, 0, -np.inf]
