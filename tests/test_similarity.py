"""Notebook 01: experiments against theory, figures against their numbers, the slider at interesting places."""

import math

import numpy as np
import pytest

from sdpa_course.experiments.estimates import Estimate
from sdpa_course.experiments.histograms import ScoreSpread, cached_pair_scores, score_spread
from sdpa_course.experiments.similarity import Agreement, Ranges, agreement, near, normal_width, pair_scores, ranges
from sdpa_course.figures import new
from sdpa_course.figures.similarity import (
    agreement_by_width,
    growth_with_pairs,
    ranges_by_draw,
    score_histogram,
    score_matrix,
    shadows,
)


@pytest.mark.parametrize(("spread", "mean"), [(1, 0), (2, 0), (1, 1), (0.5, -2)])
def test_pair_scores_have_the_mean_and_variance_of_the_formula(spread, mean):
    d_k, pairs = 5, 200_000
    scores = pair_scores(d_k, pairs, rng=np.random.default_rng(3), spread=spread, mean=mean)
    assert scores.shape == (pairs,)
    variance = d_k * ((spread**2 + mean**2) ** 2 - mean**4)
    squares = (scores - d_k * mean**2) ** 2
    assert abs(scores.mean() - d_k * mean**2) < 4 * math.sqrt(variance / pairs)
    assert abs(squares.mean() - variance) < 4 * squares.std() / math.sqrt(pairs)


def test_ranges_are_those_of_the_same_draws_taken_at_once():
    found = ranges(3, 7, 4, rng=np.random.default_rng(0), spread=2)
    scores = pair_scores(3, 28, rng=np.random.default_rng(0), spread=2).reshape(4, 7)
    np.testing.assert_array_equal(found.low, scores.min(axis=1))
    np.testing.assert_array_equal(found.high, scores.max(axis=1))
    np.testing.assert_allclose(found.std, scores.std(axis=1))
    np.testing.assert_allclose(found.width, np.ptp(scores, axis=1))


def test_many_repeats_in_several_pieces_are_all_there_and_differ():
    found = ranges(512, 1500, 5, rng=np.random.default_rng(0))  # two repeats at a time
    assert [len(part) for part in found] == [5, 5, 5]
    assert len(set(found.low)) == 5


def test_the_range_grows_with_the_sample_and_the_standard_deviation_does_not():
    rng = np.random.default_rng(1)
    few, many = (ranges(64, pairs, 50, rng=rng) for pairs in (100, 5000))
    assert many.width.mean() > 1.3 * few.width.mean()
    for found, pairs in ((few, 100), (many, 5000)):
        error = found.std.std() / math.sqrt(50)
        assert abs(found.std.mean() - 8) < 4 * error + 8 / pairs  # a small sample is a little low
    # Normal is nearly right at d_k = 64: slightly heavier tails widen the range by a few per cent.
    assert many.width.mean() == pytest.approx(normal_width(64, 5000), rel=0.08)


def test_the_width_of_normal_samples_against_a_simulation():
    samples = np.random.default_rng(2).normal(0, 3, (4000, 10))
    widths = np.ptp(samples, axis=1)
    assert normal_width(9, 10) == pytest.approx(widths.mean(), abs=4 * widths.std() / math.sqrt(4000) + 0.06)


def test_at_width_two_the_scores_are_laplace_and_reach_further_than_normal_ones():
    found = ranges(2, 1000, 400, rng=np.random.default_rng(4))
    # P(score < x) = 1 − e^(−x)/2, so the median of the largest of n is −log(2 (1 − 2^(−1/n))).
    exact = -math.log(2 * (1 - 2 ** (-1 / 1000)))
    assert np.median(found.high) == pytest.approx(exact, abs=4 * 1.25 * found.high.std() / math.sqrt(400))
    assert np.median(found.high) > 1.3 * normal_width(2, 1000) / 2


def test_near_looks_at_both_ends():
    found = Ranges(np.array([-20.0, -20.0, -40.0, -23.0]), np.array([25.0, 40.0, 23.0, 28.7]), np.ones(4))
    assert near(found, -23, 23).tolist() == [True, False, False, True]


def test_agreement_rises_with_the_width_and_falls_with_the_stretch():
    rng = np.random.default_rng(5)
    narrow, wide, stretched = (agreement(d_k, rng=rng, stretch=s) for d_k, s in ((2, 0), (256, 0), (256, 0.5)))
    assert wide.share.mean - narrow.share.mean > 0.4
    assert wide.share.mean - stretched.share.mean > 0.2
    assert wide.length_spread == pytest.approx(1 / math.sqrt(2 * 256), rel=0.05)
    # exp(z/2) alone has a relative spread of √(e^(1/4) − 1)
    assert stretched.length_spread == pytest.approx(math.sqrt(math.exp(0.25) - 1), rel=0.05)
    assert narrow.share.error == pytest.approx(math.sqrt(narrow.share.mean * (1 - narrow.share.mean) / 1000))


def test_a_single_key_always_wins():
    assert agreement(1, rng=np.random.default_rng(0), keys=1, queries=10).share.mean == 1


def test_score_matrix_writes_its_numbers_in_the_right_places():
    _, ax = new()
    alt = score_matrix(ax, np.array([[2.0, 5.0], [-2.0, 1.5]]), ["love", "phones"])
    written = {tuple(text.get_position()): text.get_text() for text in ax.texts}
    assert written == {(0, 0): "2", (1, 0): "5", (0, 1): "−2", (1, 1): "1.5"}
    assert "love asks: 2, 5; phones asks: -2, 1.5" in alt


def test_shadows_end_at_right_angles_and_the_winners_are_named():
    query, keys = np.array([3.0, 1.0]), np.array([[0.0, 2.0], [2.0, 1.0], [4.0, -1.0]])
    scores = keys @ query
    cosines = scores / np.linalg.norm(query) / np.linalg.norm(keys, axis=1)
    _, axes = new(1, 3)
    alt = shadows(axes, "Apple", query, keys, ["love", "Apple", "phones"], scores, cosines)
    drops = [np.column_stack(line.get_data()) for line in axes[0].lines if len(line.get_xdata()) == 2]
    drops = [drop for drop in drops if any((drop[0] == key).all() for key in keys)]
    assert len(drops) == 3
    for key, foot in drops:
        assert (key - foot) @ query == pytest.approx(0)
        assert np.cross([*foot, 0], [*query, 0])[2] == pytest.approx(0)
    np.testing.assert_allclose([bar.get_width() for bar in axes[1].patches], [2, 7, 11])
    np.testing.assert_allclose([bar.get_width() for bar in axes[2].patches], cosines)
    assert [bar.get_hatch() for bar in axes[1].patches] == [None, None, "//"]
    assert "largest dot product belongs to phones, the largest cosine to Apple" in alt
    assert "phones: dot product 11, cosine 0.84" in alt


def test_agreement_by_width_draws_and_describes_its_numbers():
    curves = {
        "plain": [Agreement(2, Estimate(0.3, 0.01), 0.5), Agreement(8, Estimate(0.7, 0.02), 0.25)],
        "stretched": [Agreement(2, Estimate(0.2, 0.01), 0.8), Agreement(8, Estimate(0.4, 0.02), 0.6)],
    }
    _, axes = new(1, 2)
    alt = agreement_by_width(axes, curves, 1 / 16)
    np.testing.assert_allclose(axes[0].containers[1].lines[0].get_ydata(orig=False), [0.2, 0.4])
    (segments,) = axes[0].containers[0].lines[2]
    np.testing.assert_allclose(segments.get_segments()[1][:, 1], [0.66, 0.74])  # two standard errors each way
    np.testing.assert_allclose(axes[1].lines[-1].get_ydata(), [0.5, 0.25])  # the theory
    assert axes[1].lines[-1].get_linestyle() == "--"
    assert "plain: from 0.30 at d_k = 2 to 0.70 at d_k = 8" in alt


def test_ranges_by_draw_draws_and_describes_its_numbers():
    found = [Ranges(np.array([-2.0, -4.0]), np.array([1.0, 9.0]), np.ones(2)) for _ in range(2)]
    _, axes = new(1, 2, sharey=True)
    alt = ranges_by_draw(axes, [2, 5], found, [(-3, 3), (-6, 7)])
    np.testing.assert_allclose([segment[:, 1] for segment in axes[1].collections[0].get_segments()], [[-2, 1], [-4, 9]])
    assert [line.get_ydata()[0] for line in axes[1].lines] == [-6, 7]
    assert (
        "d_k = 5: the lowest score lies between -4 and -2, the highest between 1 and 9; dashed lines at -6 and 7" in alt
    )


def test_growth_with_pairs_draws_and_describes_its_numbers():
    found = {4: [Ranges(np.array([-1.0, -3.0]), np.array([1.0, 3.0]), np.array([1.9, 2.1])) for _ in range(2)]}
    _, axes = new(1, 2, sharey=True)
    alt = growth_with_pairs(axes, [10, 100], found, {4: [5.0, 8.0]})
    np.testing.assert_allclose(axes[0].containers[0].lines[0].get_ydata(), [4, 4])
    np.testing.assert_allclose(axes[0].lines[-1].get_ydata(), [5, 8])
    dashed = [line for line in axes[1].lines if line.get_linestyle() == "--" and len(line.get_ydata())]
    np.testing.assert_allclose(dashed[0].get_ydata(), 2)  # √4
    assert "d_k = 4: width from 4.0 to 4.0, standard deviation from 2.00 to 2.00" in alt


def test_score_histogram_draws_and_describes_its_numbers():
    _, ax = new()
    edges, percent, x, curve = map(np.array, ([-2.0, 0.0, 2.0], [60.0, 40.0], [-2, 2], [25, 55]))
    alt = score_histogram(ax, ScoreSpread(4, True, 1.0, 1.0, 2.0, edges, percent, x, curve))
    np.testing.assert_allclose(ax.patches[0].get_data().values, [60, 40])
    assert ax.get_xlim() == (-2, 2)
    assert "divided by the root of d_k" in alt
    assert "60.0 %" in alt
    assert "55.0 %" in alt


@pytest.mark.parametrize("d_k", [1, 2, 5, 64, 512])
def test_the_slider_measures_the_root_of_d_k_and_divides_it_away(d_k):
    scores = cached_pair_scores(d_k, 4000)
    error = (scores**2).std() / math.sqrt(len(scores))
    assert abs((scores**2).mean() - d_k) < 4 * error
    bare, divided = score_spread(d_k), score_spread(d_k, True)
    assert (bare.std, bare.expected_std, bare.largest) == (scores.std(), math.sqrt(d_k), abs(scores).max())
    assert divided.expected_std == 1
    assert divided.std == pytest.approx(1, abs=0.06)


def test_the_slider_keeps_its_axis_and_its_curve_is_the_normal_one():
    for divide, end in ((False, 90), (True, 9)):
        for d_k in (1, 2, 5, 8, 16, 32, 64, 128, 256, 512):
            result = score_spread(d_k, divide)
            assert (result.edges[0], result.edges[-1]) == (-end, end)
            variance = 1 if divide else d_k
            step = 2 * end / 101
            expected = 100 * step * np.exp(-(result.x**2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
            np.testing.assert_allclose(result.curve, expected, atol=1e-9)
            assert result.percent.sum() == pytest.approx(100)  # all inside


def test_at_one_and_two_dimensions_the_peak_stands_above_the_normal_curve():
    peaks = {}
    for d_k in (1, 2, 64):
        result = score_spread(d_k, True)
        peaks[d_k] = result.percent[48:53].mean() / result.curve.max()
    assert peaks[1] > peaks[2] > 1.3
    assert peaks[64] == pytest.approx(1, abs=0.15)
