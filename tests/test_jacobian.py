"""Notebook 04: bounds on the softmax Jacobian, its figures, and the slider's numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course import softmax_forward, softmax_jacobian
from sdpa_course.experiments.layers import measure_layer
from sdpa_course.experiments.metrics import jacobian_norm
from sdpa_course.experiments.saturation import SoftmaxJacobian, jacobian_of_four
from sdpa_course.figures import new
from sdpa_course.figures.cells import ink
from sdpa_course.figures.jacobian import weights_and_jacobian


def random_weights(n, rng, rows=2000):
    return softmax_forward(rng.choice([0.3, 1.0, 3.0, 10.0], size=(rows, 1)) * rng.standard_normal((rows, n)))


@pytest.mark.parametrize("n", [2, 3, 10, 33])
def test_norm_lies_between_the_bounds_of_the_notebook(n):
    weights = random_weights(n, np.random.default_rng(n))
    norms, top = jacobian_norm(weights), weights.max(axis=-1)
    assert (norms <= 0.5 + 1e-12).all()
    assert norms.max() > 0.47  # and the bound is nearly met
    assert (norms >= top * (1 - top) - 1e-7).all()
    sharp = top >= 0.5
    assert (norms[sharp] <= 2 * (top * (1 - top))[sharp] + 1e-7).all()
    assert (norms[~sharp] <= np.sqrt(top * (1 - top))[~sharp] + 1e-7).all()


def test_two_equal_weights_attain_the_bound_and_equal_weights_follow_the_formula():
    assert_allclose(jacobian_norm(np.array([0.5, 0.5, 0.0, 0.0])), 0.5)
    assert_allclose(jacobian_norm(np.full(64, 1 / 64)), np.sqrt(63) / 64)
    assert_allclose(np.sqrt(63) / 64, np.sqrt(1 / 64 * (1 - 1 / 64)))  # the upper bound at a largest weight of 1/64


def test_norm_and_eigenvalues_of_the_matrix():
    scores = 3 * np.random.default_rng(1).standard_normal((200, 7))
    jacobian = softmax_jacobian(scores)
    eigenvalues = np.linalg.eigvalsh(jacobian)
    assert_allclose(jacobian_norm(softmax_forward(scores)), np.linalg.norm(jacobian, axis=(-2, -1)), atol=1e-7)
    assert (eigenvalues > -1e-14).all()
    assert (eigenvalues <= 0.5 + 1e-14).all()
    assert_allclose(eigenvalues[:, 0], 0, atol=1e-14)  # the shift of all scores


def test_unscaled_jacobian_is_larger_at_moderate_width_and_smaller_far_out():
    rng = np.random.default_rng(2)
    unscaled, scaled = (
        [measure_layer(d_k, 64, scale, rng=rng, gradients=False).jacobian for d_k in (8, 512)]
        for scale in ("1", "1/sqrt(d_k)")
    )
    for (plain, rooted), sign in zip(zip(unscaled, scaled, strict=True), (1, -1), strict=True):
        assert sign * (plain.mean - rooted.mean) > 5 * np.hypot(plain.error, rooted.error)
    flat = measure_layer(4096, 64, "1/d_k", rng=rng, rows=64, seeds=2, gradients=False)
    assert_allclose(flat.jacobian.mean, np.sqrt(63) / 64, rtol=2e-3)


def test_heat_map_shows_and_describes_the_values():
    weights = np.array([0.5, 0.3, 0.2])
    jacobian = np.diag(weights) - np.outer(weights, weights)
    _, axes = new(1, 2)
    alt = weights_and_jacobian(axes, SoftmaxJacobian(weights, jacobian, 0.0, 0.0))
    assert_allclose([segment[1, 1] for segment in axes[0].collections[0].get_segments()], weights)
    assert_allclose(axes[1].images[0].get_array(), jacobian)
    assert axes[1].images[0].get_clim() == (-0.25, 0.25)
    (written,) = axes[1].collections
    assert_allclose([float(text) for text in written.get_label().split()], jacobian.ravel(), atol=5e-4)
    assert "on the diagonal 0.250, 0.210, 0.160" in alt
    assert "lowest -0.150" in alt


def test_no_minus_zero_is_written():
    _, axes = new(1, 2)
    jacobian = np.array([[1e-9, -1e-9], [-1e-9, 1e-9]])
    alt = weights_and_jacobian(axes, SoftmaxJacobian(np.array([1.0, 1e-9]), jacobian, 0.0, 0.0))
    assert "-0.000" not in alt + axes[1].collections[0].get_label()


@pytest.mark.parametrize(("colour", "expected"), [((0.4, 0, 0.1, 1), "white"), ((0.97, 0.97, 0.97, 1), "black")])
def test_ink_stands_out(colour, expected):
    assert ink(np.array(colour)) == expected


@pytest.mark.parametrize(
    ("scores", "top", "norm", "eigenvalue"),
    [((0, 0), 0.25, 0.433, 0.25), ((10, 10), 0.5, 0.5, 0.5), ((10, 0), 1.0, 0.0, 0.0), ((0, 10), 1.0, 0.0, 0.0)],
)
def test_slider_dies_with_one_winner_and_lives_with_a_tie(scores, top, norm, eigenvalue):
    result = jacobian_of_four(*scores)
    found = (result.weights.max(), result.norm, result.largest_eigenvalue)
    assert_allclose(found, (top, norm, eigenvalue), atol=6e-4)
    assert_allclose(result.weights[:2], np.exp(scores) / (np.exp(scores).sum() + 2))
