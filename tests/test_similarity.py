"""Notebook 01: experiments against theory, figures against their numbers, the slider at interesting places."""

import math

import numpy as np
import pytest
from matplotlib.text import Text

from sdpa_course.experiments.estimates import Estimate
from sdpa_course.experiments.similarity import (
    Agreement,
    OneDraw,
    Ranges,
    agreement,
    cached_draw,
    near,
    one_draw,
    pair_scores,
    ranges,
)
from sdpa_course.explore import reveals
from sdpa_course.figures import lookups, new, similarity

TOKENS = ["love", "Apple", "phones"]
Q, K = np.array([[2.0, 1], [3, 1], [1, -1]]), np.array([[0.0, 2], [2, 1], [4, -1]])


def words_on(page) -> list[str]:
    return [text.get_text() for text in page.figure.findobj(Text) if text.get_text()]


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


def test_at_width_two_the_scores_are_laplace_and_reach_further_than_normal_ones():
    found = ranges(2, 1000, 400, rng=np.random.default_rng(4))
    # P(score < x) = 1 − e^(−x)/2, so the median of the largest of n is −log(2 (1 − 2^(−1/n))).
    exact = -math.log(2 * (1 - 2 ** (-1 / 1000)))
    assert np.median(found.high) == pytest.approx(exact, abs=4 * 1.25 * found.high.std() / math.sqrt(400))


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


def test_the_slider_draws_what_it_says_and_finds_it_again():
    scores = 9 * pair_scores(5, 100, rng=np.random.default_rng((5, 100, 3)))
    found = one_draw(100, 3, 5, 3)
    assert (found.low, found.high) == pytest.approx((scores.min(), scores.max()))
    assert found.std == pytest.approx(math.sqrt(((scores - scores.mean()) ** 2).mean()))
    assert found.quoted == (-49, 122)
    cached_draw.cache_clear()
    np.testing.assert_array_equal(one_draw(100, 3, 5, 3).percent, found.percent)
    assert one_draw(100, 3, 5, 1).std * 9 == pytest.approx(found.std)
    for pairs in (10, 10_000):
        for draw in range(1, 10):
            each = one_draw(pairs, draw)
            assert max(-each.low, each.high) < 260  # inside the picture, or hardly outside
            assert each.percent.sum() == pytest.approx(100)


def test_one_range_draws_and_describes_its_numbers():
    _, axes = new(2, 1)
    alt = similarity.one_range(
        axes, OneDraw(2, 10, 4, -30.0, 12.5, -2.0, 9.25, (-23, 23), np.array([-40, 0, 40]), [70, 30])
    )
    bars = [(bar.get_x(), bar.get_width()) for bar in axes[1].patches]
    assert bars == [(-30, 42.5), (-23, 46), (-11.25, 18.5)]
    np.testing.assert_allclose(axes[0].patches[0].get_data().values, [70, 30])
    assert "this draw runs from −30 to 12, the quoted range from −23 to 23, and mean" in alt
    assert "−2.0 plus or minus 9.2" in alt


def test_shadows_end_at_right_angles_to_the_query():
    page, alt = similarity.shadows.draw(Q[1], K, TOKENS)
    drops = [np.transpose(line.get_data()) for line in page.sheet.lines if line.get_linestyle() == ":"]
    assert len(drops) == 3
    for tip, foot in drops:
        assert (tip - foot) @ (Q[1] * [1, -1]) == pytest.approx(0)  # y points down on a page
    assert {"0.63", "2.21", "3.48", "3.16", "2", "7", "11"} <= set(words_on(page))
    assert "love, 0.63, score 2; Apple, 2.21, score 7; phones, 3.48, score 11" in alt


def test_scores_stand_where_row_and_column_meet():
    page, alt = lookups.row_meets_column.draw(Q, K, TOKENS)
    places = {text.get_text(): text.get_position() for text in page.sheet.texts}
    assert places["11"][0] == places["4"][0] == places["phones"][0]  # the score 11 is in the column of phones
    beside = [text.get_position()[1] for text in page.sheet.texts if text.get_text() == "Apple"]
    assert places["11"][1] in beside  # and in Apple's row
    assert "3·0 + 1·2 = 2" in places
    assert "2·2 + 1·1 = 5" in places
    assert "phones asks: −2, 1, 5" in alt
    page, alt = lookups.multiply_add.draw(Q[1], K, TOKENS)
    assert "phones, 12 plus −1 is 11" in alt


def test_shapes_are_to_scale():
    page, alt = lookups.shapes_to_scale.draw(2, 96, 12)
    sizes = [(patch.get_width(), patch.get_height()) for patch in page.sheet.patches]
    unit, zoomed = 216 / 96, 216 / 12
    expected = [(216, 2 * unit), (12 * unit, 216), (12 * unit, 2 * unit)]
    expected += [(216, 2 * zoomed), (2 * zoomed, 216), (2 * zoomed, 2 * zoomed)]
    np.testing.assert_allclose(sizes, expected)
    assert "Enlarged 8 times" in alt


def test_charts_draw_and_describe_their_numbers():
    plain = [Agreement(2, Estimate(0.3, 0.01), 0.5), Agreement(64, Estimate(0.7, 0.02), 0.25)]
    stretched = [Agreement(2, Estimate(0.2, 0.01), 0.8), Agreement(64, Estimate(0.4, 0.02), 0.6)]
    page, alt = similarity.same_winner.draw(plain, stretched)
    ax, _ = page.charts[0]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [30, 70])
    assert "keys stretched: 20 % at d_k = 2, 40 % at d_k = 64" in alt
    assert reveals.winners(plain, stretched).answer == 70
    found = {d_k: [Ranges(np.full(2, -d_k), np.full(2, 2.0 * d_k), np.full(2, 1.5))] * 2 for d_k in (2, 5)}
    _, alt = similarity.range_and_deviation.draw([10, 100], found)
    assert "range at d_k = 5 from 15.0 to 15.0; std. deviation at d_k = 5 from 1.5 to 1.5" in alt
    page, alt = similarity.typical_sizes.draw({64: Estimate(8.0, 0.04), 512: Estimate(22.6, 0.11)})
    assert "22.60 ± 0.11 at d_k = 512" in alt
    short, long = (patch.get_width() for patch in page.sheet.patches)
    assert long / short == pytest.approx(22.6 / 8)
    scores = {d_k: np.random.default_rng(0).normal(0, size, 4000) for d_k, size in ((2, 1.4), (512, 22.6))}
    _, alt = similarity.widening.draw(scores)
    assert "typical size at d_k = 512 is about 2" in alt
    assert reveals.sums_of_terms(scores).answer == round(scores[512].std())


def test_length_and_angle_are_both_needed():
    page, alt = similarity.length_and_angle.draw([2, 0], [[3, 0], [0, 3], [-3, 0]], ["along", "across", "against"])
    assert {"2 × 3 = 6", "2 × 0 = 0", "2 × (−3) = −6"} <= set(words_on(page))
    assert "across: 0" in alt
    measures = {"one": (np.array([1.0, 2.5, 3]), np.array([0.1, 0.2, 0.7]))}
    page, alt = similarity.three_measures.draw(measures, TOKENS)
    assert {"10 %", "70 %", "2.5"} <= set(words_on(page))
    assert "one: love 10 %, Apple 20 %, phones 70 %" in alt


def test_the_best_match_of_cosines_is_what_softmax_gives():
    share = math.e / (math.e + 63 / math.e)
    truth = reveals.best_match()
    assert truth.answer == round(100 * share) == 10
    assert "each of the 63 exact opposites 1.4 %" in truth.picture.alt
