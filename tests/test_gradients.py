"""Notebook 06: the accounting of gradients, the exact Jacobian norm near one-hot rows, the figures and the slider."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course import attention_backward, attention_forward, softmax_forward, softmax_jacobian
from sdpa_course.experiments.estimates import Estimate
from sdpa_course.experiments.gradients import IGNORED, measure_positions, pool_rows
from sdpa_course.experiments.layers import draw_layer, measure_layer, measure_layers
from sdpa_course.experiments.metrics import jacobian_norm, rms, row_norms, top_share
from sdpa_course.experiments.row_gradients import ROWS, RowLengths, gradient_rows, products, row_lengths
from sdpa_course.figures import new
from sdpa_course.figures.gradients import EDGES, place, row_histogram, shares


@pytest.mark.parametrize("lead", [0, 1, 5, 20, 35, 200])
def test_jacobian_norm_is_exact_near_one_hot_rows(lead):
    """With a lead of 35 the winner's 1 − p is below rounding: only the sum of the others still knows it."""
    scores = np.zeros((50, 9))
    scores[:, 3] = lead
    scores[:, :3] += np.random.default_rng(lead).standard_normal((50, 3))
    weights = softmax_forward(scores)
    jacobian = softmax_jacobian(scores)
    jacobian[:, 3, 3] = weights[:, 3] * np.delete(weights, 3, axis=1).sum(axis=1)  # p (1 − p) without cancellation
    assert_allclose(jacobian_norm(weights), np.linalg.norm(jacobian, axis=(-2, -1)), rtol=1e-13)
    assert (jacobian_norm(weights) > 0).all()


def test_jacobian_norm_agrees_with_the_matrix_as_it_is():
    """Up to a lead of 15 the matrix itself is exact enough: 1 − p still has ten digits."""
    scores = np.random.default_rng(0).uniform(0, 15, (200, 6))
    matrix = np.linalg.norm(softmax_jacobian(scores), axis=(-2, -1))
    assert matrix.min() < 1e-3
    assert_allclose(jacobian_norm(softmax_forward(scores)), matrix, rtol=1e-8)


def test_root_mean_square_and_share_of_the_longest():
    lengths = np.array([0.01] * 9 + [10.0])
    assert_allclose(rms(lengths), math.sqrt((9 * 1e-4 + 100) / 10))
    assert_allclose(top_share(lengths), 100 / (100 + 9e-4))
    assert_allclose(top_share(np.ones(20)), 0.1)
    assert top_share(np.zeros(5)) == 0.0


def test_layer_is_a_forward_and_a_backward_pass():
    layer = draw_layer(7, 5, 0.3, rng=np.random.default_rng(1), rows=11, d_v=3)
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal(shape) for shape in ((11, 7), (5, 7), (5, 3)))
    dout = rng.standard_normal((11, 3)) / math.sqrt(3)
    dq, dk, dv = attention_backward(dout, attention_forward(q, k, v, scale=0.3)[1])
    for got, expected in ((layer.dq, dq), (layer.dk, dk), (layer.dv, dv), (layer.k, k), (layer.dweights, dout @ v.T)):
        assert_allclose(got, expected)
    assert_allclose(0.3 * layer.dscores @ k, dq, atol=1e-14)  # before the scale


@pytest.mark.parametrize(("d_k", "scale"), [(64, "1"), (64, "1/sqrt(d_k)"), (64, "1/d_k"), (300, "1")])
def test_gradient_is_the_product_of_its_factors(d_k, scale):
    pool = pool_rows(d_k, [scale], rng=np.random.default_rng(2), n=32, rows=256, draws=20)[scale]
    measured = Estimate.of([rms(draw) for draw in np.split(pool.lengths, 20)])
    assert abs(measured.z(pool.theory)) < 5
    assert measured.error < 0.05 * measured.mean  # sharp enough to notice a wrong power of d_k
    assert_allclose(rms(pool.keys), math.sqrt(d_k), rtol=0.02)
    assert_allclose(rms(pool.dk) / rms(pool.lengths), math.sqrt(256 / 32), rtol=0.05)  # the same squares, fewer rows


def test_pooled_rows_are_those_of_layers_one_after_the_other():
    pools = pool_rows(300, ["1", "1/d_k"], rng=np.random.default_rng(5), n=16, rows=12, draws=2)
    rng = np.random.default_rng(5)
    for draw in (slice(0, 12), slice(12, 24)):
        state = rng.bit_generator.state
        for scale, factor in (("1", 1.0), ("1/d_k", 1 / 300)):
            rng.bit_generator.state = state  # all scales see the same layer
            layer, pool = draw_layer(300, 16, factor, rng=rng, rows=12), pools[scale]
            assert_allclose(pool.lengths[draw], np.linalg.norm(layer.dq, axis=1))
            assert_allclose(pool.slopes[draw], jacobian_norm(layer.weights))
            best = np.sort(layer.weights, axis=1)
            assert_allclose(pool.tops[draw], best[:, -1])
            assert_allclose(pool.gaps[draw], np.log(best[:, -1] / best[:, -2]), rtol=1e-9)  # a gap becomes a ratio
    assert pools["1"].factor == 1
    assert pools["1/d_k"].d_k == 300


def test_a_row_is_dead_below_a_hundredth_of_its_own_layers_rms():
    pool = pool_rows(64, ["1"], rng=np.random.default_rng(5), n=8, rows=12, draws=1)["1"]
    lengths = np.array([0.01] * 9 + [10.0])
    for size in (1.0, 1e-6):  # a layer that's small as a whole isn't dead
        assert pool._replace(lengths=size * lengths).dead == 0.9
    assert pool._replace(lengths=np.linspace(1e-7, 1e-6, 10)).dead == 0


def test_unscaled_norm_grows_while_the_typical_row_dies():
    layers = {
        scale: measure_layers([64, 512], [64], [scale], rng=np.random.default_rng(3), rows=256, seeds=6)
        for scale in ("1", "1/sqrt(d_k)")
    }
    (plain64, plain512), (root64, root512) = layers.values()
    assert plain64.rms.mean > 8 * root64.rms.mean
    assert plain512.rms.mean > 15 * root512.rms.mean
    assert plain64.median.mean > 3 * root64.median.mean
    assert plain512.median.mean < root512.median.mean / 2
    assert plain512.dead.mean > 0.25
    assert root64.dead.mean == root512.dead.mean == 0
    assert plain512.top_tenth.mean > 0.8
    assert root512.top_tenth.mean < 0.3
    assert plain512.median_dk.mean > 10 * root512.median_dk.mean  # a key sums over many queries: it does not die
    assert_allclose(root512.jacobian.mean, root64.jacobian.mean, rtol=0.03)


def test_a_layer_is_measured_draw_by_draw():
    found = measure_layer(16, 8, "1/d_k", rng=np.random.default_rng(4), rows=64, seeds=3)
    rng = np.random.default_rng(4)
    layers = [draw_layer(16, 8, 1 / 16, rng=rng, rows=64) for _ in range(3)]
    dq, dk = ([row_norms(getattr(layer, name)) for layer in layers] for name in ("dq", "dk"))
    assert (found.d_k, found.n, found.scale) == (16, 8, "1/d_k")
    assert_allclose(found.jacobian, Estimate.of([jacobian_norm(layer.weights).mean() for layer in layers]))
    assert_allclose(found.top, Estimate.of([layer.weights.max(axis=-1).mean() for layer in layers]))
    for rows, root, median in ((dq, found.rms, found.median), (dk, found.rms_dk, found.median_dk)):
        assert_allclose(root, Estimate.of([rms(lengths) for lengths in rows]))
        assert_allclose(median, Estimate.of([np.median(lengths) for lengths in rows]))
    assert_allclose(found.median.spread, np.std([np.median(lengths) for lengths in dq], ddof=1))
    assert_allclose(found.dead.mean, np.mean([(lengths < 0.01 * rms(lengths)).mean() for lengths in dq]))
    assert_allclose(found.top_tenth.mean, np.mean([top_share(lengths) for lengths in dq]))


def test_positions_count_pairs_and_keys():
    found = measure_positions(300, 16, "1", rng=np.random.default_rng(5), rows=12, seeds=4)
    rng = np.random.default_rng(5)
    layers = [draw_layer(300, 16, 1.0, rng=rng, rows=12) for _ in range(4)]
    pairs = [(w, s**2) for layer in layers for w, s in zip(layer.weights.flat, layer.dscores.flat, strict=True)]
    total = sum(s for _, s in pairs)
    assert_allclose(found.ignored, np.mean([w < IGNORED for w, _ in pairs]))
    assert_allclose(found.carried, sum(s for w, s in pairs if w < IGNORED) / total)
    count, carried = 0, 0.0
    for square in sorted((s for _, s in pairs), reverse=True):
        count, carried = count + 1, carried + square
        if carried >= 0.9 * total:
            break
    assert_allclose(found.busy, count / len(pairs))
    keys = [
        (layer.weights[:, j].max() < IGNORED, np.linalg.norm(layer.dk[j]), np.linalg.norm(layer.dv[j]))
        for layer in layers
        for j in range(16)
    ]
    lonely, others = ([key for key in keys if key[0] == flag] for flag in (True, False))
    assert lonely
    assert_allclose(found.lonely, len(lonely) / len(keys))
    for ratio, column in ((found.dk_lonely, 1), (found.dv_lonely, 2)):
        assert_allclose(ratio, rms([key[column] for key in lonely]) / rms([key[column] for key in others]))


def test_positions_without_a_lonely_key():
    found = measure_positions(16, 8, "1/d_k", rng=np.random.default_rng(5), rows=12, seeds=2)
    assert found.lonely == 0
    assert math.isnan(found.dk_lonely)
    assert math.isnan(found.dv_lonely)


@pytest.mark.parametrize("factor", [1.0, 1 / 16])
def test_push_on_a_score_is_bounded_by_its_weight(factor):
    layer = draw_layer(256, 20, factor, rng=np.random.default_rng(6), rows=300)
    bound = layer.weights * (1 - layer.weights) * np.ptp(layer.dweights, axis=1, keepdims=True)
    assert (abs(layer.dscores) <= bound + 1e-15).all()
    assert (abs(layer.dscores) > 0.5 * bound).any()


def test_histogram_drops_no_row():
    lengths = np.array([0.0, 1e-30, 9e-7, 1e-6, 0.02, 0.2, 1.0, 99.0, 100.0, 5000.0])
    inside, below = shares(lengths)
    assert_allclose(below, 0.3)
    assert_allclose(inside.sum() + below, 1)
    assert_allclose(inside[-1], 0.3)  # what is above the range is in the last bin
    assert_allclose(inside[0], 0.1)
    assert len(inside) == len(EDGES) - 1


def test_histogram_marks_rms_and_median_by_different_lines():
    lengths, reference = np.array([1e-9, 1e-9, 0.01, 0.1, 10.0]), np.full(5, 0.2)
    _, ax = new()
    alt = row_histogram(ax, RowLengths(512, 64, "1", lengths, reference, rms(lengths), 0.01, 0.9, 0.4))
    filled, hatched, outline = ax.patches
    assert_allclose(filled.get_data().values.sum(), 0.6)
    assert_allclose(hatched.get_data().values, [0.4])
    assert hatched.get_hatch()
    assert_allclose(outline.get_data().values.sum(), 1)
    solid, dashed = ax.collections
    assert_allclose(solid.get_segments()[0][:, 0], math.log10(rms(lengths)))
    assert_allclose(dashed.get_segments()[0][:, 0], -2)
    assert solid.get_linestyle() != dashed.get_linestyle()
    assert "40% of the rows are below that range; root mean square 4.5, median 0.01." in alt
    assert place(0.0) == place(1e-7) < math.log10(1e-6)  # a median below the range stands in the bar for it


@pytest.mark.parametrize(("d_k", "scale", "n"), [(1, "1", 8), (64, "1/d_k", 256), (512, "1", 64), (4096, "1", 16)])
def test_slider_has_the_lengths_of_a_real_backward_pass(d_k, scale, n):
    rng = np.random.default_rng(6)
    q, k = rng.standard_normal((ROWS, 4096))[:, :d_k], rng.standard_normal((256, 4096))[:n, :d_k]
    v, dout = rng.standard_normal((256, 64))[:n], rng.standard_normal((ROWS, 64)) / 8
    factor = {"1": 1.0, "1/d_k": 1 / d_k}[scale]
    dq, _, _ = attention_backward(dout, attention_forward(q, k, v, scale=factor)[1])
    assert_allclose(row_lengths(d_k, scale, n), np.linalg.norm(dq, axis=1), rtol=1e-6, atol=1e-9)
    assert products().queries.shape == (13, ROWS, 256)


def test_row_lengths_are_summed_up():
    for d_k, scale, n in ((512, "1", 64), (4096, "1", 8), (64, "1/sqrt(d_k)", 256)):
        result, lengths = gradient_rows(d_k, scale, n), row_lengths(d_k, scale, n)
        assert (result.rms, result.median) == (rms(lengths), np.median(lengths))
        assert (result.dead, result.top_tenth) == ((lengths < 0.01 * rms(lengths)).mean(), top_share(lengths))
    assert gradient_rows(4096, "1", 64).dead > 0.5
    assert gradient_rows(4096, "1/sqrt(d_k)", 64).dead == 0


def test_the_histogram_compares_with_the_scaled_layer():
    _, ax = new()
    alt = row_histogram(ax, gradient_rows(4096, "1", 64))
    assert f"{np.mean(row_lengths(4096, '1', 64) < 1e-6):.0%} of the rows are below" in alt
    assert "with scale 1/√d_k, 0% of it below" in alt
    assert ax.get_title(loc="left") == "$d_k$ = 4096, 64 keys, no scale"
