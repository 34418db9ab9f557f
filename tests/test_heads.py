"""Notebook 08: the experiments against theory, the figures, the slider."""

import math

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Polygon
from matplotlib.text import Text
from numpy.testing import assert_allclose

from sdpa_course.experiments.heads import (
    HEADS,
    SCALES,
    HeadChoice,
    ScaleByHeads,
    best_mixture,
    best_values,
    choose_heads,
    head_scores,
    measure_heads,
    ordered_pairs,
    predicted_variance,
    projections,
    summarise_heads,
)
from sdpa_course.experiments.metrics import Sharpness
from sdpa_course.explore import heads_explorer
from sdpa_course.figures import new
from sdpa_course.figures.copying import either_half
from sdpa_course.figures.heads import EDGES, one_choice
from sdpa_course.figures.sharing import same_columns, shared_heads
from sdpa_course.figures.splitting import short_sums, two_stories, who_asks_whom, wrong_split

# experiments


def test_scores_are_those_of_a_loop_over_column_slices():
    rng = np.random.default_rng(0)
    q, k = projections(12, 5, rng=rng)
    for scale, factor in zip(SCALES, (1 / math.sqrt(4), 1 / math.sqrt(12)), strict=True):
        got = head_scores(q, k, 3, scale)
        for i in range(3):
            cut = slice(4 * i, 4 * i + 4)
            assert_allclose(got[i], q[:, cut] @ k[:, cut].T * factor)


def test_projections_have_variance_sigma_squared():
    q, k = projections(256, 200, rng=np.random.default_rng(1), sigma=1.5)
    for x in (q, k):
        # Tokens' lengths vary by √(2/256) each, and so do columns': a relative error of √(2/256 · (1/200 + 1/256)).
        assert abs(x.var() / 1.5**2 - 1) < 5 * math.sqrt(2 / 256 * (1 / 200 + 1 / 256) + 2 / (200 * 256))
    assert abs((q * k).mean()) < 5 * 1.5**2 / math.sqrt(200 * 16)  # two matrices, not one


@pytest.mark.parametrize("sigma", [1.0, 1.5])
def test_variance_is_one_with_the_head_width_and_one_over_h_with_the_model_width(sigma):
    rng = np.random.default_rng(2)
    results = measure_heads([1, 4, 48], 96, rng=rng, tokens=24, draws=60, sigma=sigma)
    assert [(r.h, r.d_k, r.scale) for r in results] == [(h, 96 // h, s) for s in SCALES for h in (1, 4, 48)]
    for r in results:
        expected = sigma**4 * (1 if r.scale == SCALES[0] else 1 / r.h)
        assert_allclose(predicted_variance(r.h, 96, r.scale, sigma), expected)
        # The mean over 24² pairs is taken off (1/24²), and a token meets itself in 1 of 24 (2/96 more): below 0.2 %.
        assert abs(r.variance.mean - expected) < 4 * r.variance.error + 0.002 * expected, r
        assert 0 < r.variance.error < 0.05 * expected


def test_flatter_with_the_model_width_and_equal_for_one_head():
    results = measure_heads([1, 8], 64, rng=np.random.default_rng(3), tokens=32, draws=10)
    by = {(r.h, r.scale): r for r in results}
    for ours, theirs in zip(by[1, SCALES[0]][4:], by[1, SCALES[1]][4:], strict=True):
        assert_allclose(ours, theirs)
    narrow, wide = by[8, SCALES[0]], by[8, SCALES[1]]
    assert wide.entropy.mean > narrow.entropy.mean + 10 * narrow.entropy.error
    assert wide.top < narrow.top
    formula = 1 - (1 / 8) / (2 * math.log(32))
    assert abs(wide.entropy.mean - formula) < 0.002  # the variance is small enough for the formula of notebook 03


def test_summary_takes_standard_errors_over_draws():
    draws = [(np.array([1.0, 3.0]), Sharpness(0.2, 0.5, 1)), (np.array([2.0, 6.0]), Sharpness(0.4, 0.7, 1))]
    got = summarise_heads(2, SCALES[1], 10, draws)
    assert got[:4] == (2, 5, 10, SCALES[1])
    assert got.variance == pytest.approx((3, 1, 2))  # the draws' means are 2 and 4
    assert got.entropy == pytest.approx((0.6, 0.1, 2))
    assert got.top == pytest.approx(0.3)


def test_the_seed_decides():
    first, again, other = (measure_heads([2], 8, rng=np.random.default_rng(s), tokens=4, draws=3) for s in (4, 4, 5))
    assert first == again != other


def test_ordered_pairs_put_left_before_right():
    kinds = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    pairs = ordered_pairs(kinds)
    assert pairs.shape == (3, 3, 4)
    assert_allclose(pairs[0, 2], [1, 2, 5, 6])
    assert_allclose(pairs[2, 0], [5, 6, 1, 2])


@pytest.mark.parametrize("p", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("m", [2, 5])
def test_a_fixed_weight_leaves_one_tokens_variance_in_all(m, p):
    target = ordered_pairs(np.eye(m))
    values = best_values(np.full((m, m), p), target)
    squares = (p * values[:, None] + (1 - p) * values[None] - target) ** 2
    left, right = squares[..., :m].sum(axis=-1).mean(), squares[..., m:].sum(axis=-1).mean()
    share = p**2 / (p**2 + (1 - p) ** 2)
    assert_allclose([left, right], [(1 - 1 / m) * (1 - share), (1 - 1 / m) * share], atol=1e-12)


@pytest.mark.parametrize("m", [2, 3, 4])
def test_free_weights_reach_the_bound_of_rank_m_and_no_less(m):
    found = best_mixture(np.eye(m), rng=np.random.default_rng(m), starts=5)
    singular = np.linalg.svd(ordered_pairs(np.eye(m)).reshape(m * m, -1), compute_uv=False)
    assert_allclose((singular[m:] ** 2).sum() / m**2, 1 - 1 / m)
    assert_allclose(found.error, 1 - 1 / m, atol=1e-6)
    assert ((found.p >= 0) & (found.p <= 1)).all()
    out = found.p[..., None] * found.values[:, None] + (1 - found.p[..., None]) * found.values[None]
    assert_allclose(((out - ordered_pairs(np.eye(m))) ** 2).sum(axis=-1).mean(), found.error)


def test_weights_stay_between_zero_and_one_where_more_would_fit_better():
    kinds = np.array([[0.0], [1.0], [5.0]])  # on a line: the target (0, 5) lies beyond both values
    found = best_mixture(kinds, rng=np.random.default_rng(7), starts=8)
    assert found.p.min() == 0 or found.p.max() == 1
    assert ((found.p >= 0) & (found.p <= 1)).all()


def test_the_search_finds_an_exact_answer_where_there_is_one():
    """All tokens equal: then every target is the same, and one value row is enough."""
    assert best_mixture(np.ones((3, 2)), rng=np.random.default_rng(6), starts=2, rounds=20).error < 1e-12


# figures


def test_one_choice_draws_each_head_their_mean_and_the_scores():
    variances = {1: np.array([2.0]), 2: np.array([1.0, 3.0])}
    by_scale = {
        SCALES[0]: ScaleByHeads(variances, {1: 2.1, 2: 2.2}, np.array([0.0, 0.0, 3.0, -3.0]), 2.0, 0.9),
        SCALES[1]: ScaleByHeads({h: v / h for h, v in variances.items()}, {1: 2.1, 2: 1.1}, np.zeros(4), 1.0, 0.9),
    }
    _, axes = new(1, 2)
    alt = one_choice(axes, HeadChoice(2, 10, 1.5, by_scale))
    marked, *lines = axes[0].lines
    assert_allclose(marked.get_xdata(), 2)
    for i, divide in enumerate((1, 2)):
        single, means, theory = lines[3 * i : 3 * i + 3]
        assert_allclose(single.get_xydata(), [(1, 2), (2, 1 / divide), (2, 3 / divide)])
        assert_allclose(means.get_ydata(), [2, 2 / divide])
        assert_allclose(theory.get_ydata(), [2.1, 2.2 / divide])
    first, second = (patch.get_data().values for patch in axes[1].patches)
    middle = len(EDGES) // 2 - 1
    assert (first[middle], first[middle + 6], second[middle]) == (0.5, 0.25, 1)
    assert axes[0].get_title(loc="left") == "$d_{model}$ = 10, $σ$ = 1.5"
    assert axes[1].get_title(loc="left") == "h = 2, $d_k$ = 5"
    assert "with scale 1/√d_k 2.000, with scale 1/√d_model 1.000, for tokens of standard deviation 1.5" in alt


@pytest.mark.parametrize(("d_model", "sigma"), [(64, 1.0), (64, 2.0), (1024, 1.0)])
def test_no_head_leaves_the_picture_of_the_slider(d_model, sigma):
    _, axes = new(1, 2)
    one_choice(axes, choose_heads(d_model=d_model, sigma=sigma))
    ax = axes[0]
    low, high = ax.get_ylim()
    drawn = np.concatenate([line.get_ydata() for line in ax.lines if line.get_marker() == "_"])
    assert len(drawn) == 2 * sum(HEADS)
    assert low < drawn.min() < drawn.max() < high


def words_on(page) -> list[str]:
    return [text.get_text() for text in page.figure.findobj(Text) if text.get_text()]


def test_the_whole_token_goes_into_every_head_of_the_second_story():
    page, alt = two_stories.draw(np.ones(8), np.ones((8, 8)), 4)
    edges = [patch.get_xy() for patch in page.sheet.patches if isinstance(patch, Polygon)]
    starts = sorted(round(np.ptp(xy[xy[:, 1] == xy[:, 1].min(), 0])) for xy in edges)
    assert starts == [36] * 4 + [62] * 4 + [272] * 4  # slices of W_Q, pieces of the token, whole tokens
    assert "the whole token goes into each of 4 slices of W_Q, 2 columns each" in alt


def test_reshape_alone_puts_a_token_twice_into_one_head():
    labels = 10.0 * np.arange(1, 5)[:, None] + np.arange(1, 7)
    page, _ = wrong_split.draw(labels, labels.reshape(4, 2, 3).swapaxes(0, 1), labels.reshape(2, 4, 3))
    lit = [patch for patch in page.sheet.patches if patch.get_facecolor() == to_rgba(page.colour("lit"))]
    assert len(lit) == 3 * 6
    assert sorted({round(patch.get_y()) for patch in lit}) == [72, 102, 132]  # one row, and two of the last head


def test_lines_are_as_strong_as_the_weights():
    weights = np.array([[[0.9, 0.1], [0.02, 0.98]]])
    page, alt = who_asks_whom.draw(["dog", "it"], weights, ["which thing?"], 1)
    widths = [line.get_linewidth() for line in page.sheet.lines]
    assert_allclose(np.divide(widths, widths[0]), [1, 1 / 9, 2 * 0.98 / 0.9])  # 0.02 isn't drawn, the lit row is
    assert "it looks at: head 1, which thing?: it." in alt


def test_short_sums_add_up_what_each_head_has():
    page, _ = short_sums.draw([1.0, 2, 3, -4], 2)
    words = words_on(page)
    for expected in ("add up: 2.0", "add up: 3.0", "add up: −1.0", "4 products: ÷ √4", "2 products each: ÷ √2, not √4"):
        assert expected in words


def test_the_halves_are_stacked_to_scale():
    page, alt = either_half.draw({0: (0.6, 0.0), 0.5: (0.2, 0.4)}, 0.0)
    heights = [patch.get_height() for patch in page.sheet.patches]
    assert_allclose(heights, [130, 0, 130 / 3, 260 / 3])
    assert "50 %: 0.200 and 0.400" in alt


def test_a_map_and_a_key_for_every_head():
    page, alt = same_columns.draw({1: (10, 7), 4: (10, 28)})
    squares = [patch for patch in page.sheet.patches if patch.get_width() == patch.get_height() == 23]
    assert len(squares) == 1 + 4
    assert "4: 10 parameters, 28 weights" in alt
    page, _ = shared_heads.draw(6, {6: "each", 2: "grouped"})
    assert words_on(page).count("K") == words_on(page).count("V") == 6 + 2
    assert len([patch for patch in page.sheet.patches if isinstance(patch, Polygon)]) == 6 + 6


# slider


@pytest.mark.parametrize("d_model", [64, 128, 256, 512, 1024])
def test_the_slider_shows_the_theory(d_model):
    for scale in SCALES:
        for h, variances in choose_heads(d_model=d_model).by_scale[scale].variances.items():
            assert variances.shape == (h,)
            expected = 1 if scale == SCALES[0] else 1 / h
            # One draw of 48 tokens: queries, keys (√(2/d_k/48) each) and weights (√(2/d_model) each), and the pairs.
            error = math.sqrt(4 / (d_model // h) / 48 / h + 8 / d_model / 48 + 2 / 48**2 / h)
            assert abs(variances.mean() / expected - 1) < 4 * error + 0.002, (scale, h)


def test_the_choice_follows_its_values():
    large, plain = choose_heads(16, 256, 2.0).by_scale, choose_heads(16, 256).by_scale
    assert [large[scale].theory[16] for scale in SCALES] == [16, 1]
    assert large[SCALES[0]].entropy < large[SCALES[1]].entropy
    for scale in SCALES:
        assert large[scale].variance == pytest.approx(16 * plain[scale].variance)
        assert large[scale].entropy < plain[scale].entropy
        assert plain[scale].scores.shape == (16, 48, 48)
    one = choose_heads(h=1).by_scale
    assert one[SCALES[0]].variance == one[SCALES[1]].variance


def test_every_choice_of_the_sliders_divides():
    controls = heads_explorer().controls
    assert all(d_model % h == 0 for d_model in controls["d_model"].options for h in controls["h"].options)
