"""Softmax forward, backward and Jacobian against loops, differences, complex steps and PyTorch."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course import softmax_backward, softmax_forward, softmax_jacobian
from sdpa_course.verify.gradcheck import complex_step_gradient, numerical_gradient
from sdpa_course.verify.reference import softmax_jacobian_loop, softmax_loop


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_forward_and_backward_on_every_axis_equal_pytorch(axis, torch):
    rng = np.random.default_rng(0)
    scores, dweights = rng.standard_normal((2, 3, 4, 5))[0] * 3, rng.standard_normal((3, 4, 5))
    tensor = torch.tensor(scores, requires_grad=True)
    expected = torch.softmax(tensor, dim=axis)
    expected.backward(torch.tensor(dweights))
    weights = softmax_forward(scores, axis=axis)
    assert_allclose(weights, expected.detach().numpy(), atol=1e-14)
    assert_allclose(softmax_backward(dweights, weights, axis=axis), tensor.grad.numpy(), atol=1e-14)


def test_loops_jacobian_and_backward_tell_the_same_story():
    rng = np.random.default_rng(1)
    scores, dweights = rng.standard_normal(7), rng.standard_normal(7)
    weights, jacobian = softmax_forward(scores), softmax_jacobian(scores)
    assert_allclose(weights, softmax_loop(scores), atol=1e-15)
    assert_allclose(jacobian, softmax_jacobian_loop(scores), atol=1e-15)
    assert_allclose(softmax_backward(dweights, weights), dweights @ jacobian, atol=1e-15)
    by_difference = numerical_gradient(lambda s: dweights @ softmax_forward(s), scores)
    by_complex_step = complex_step_gradient(lambda s: dweights @ softmax_loop(s), scores)
    assert_allclose(softmax_backward(dweights, weights), by_difference, atol=1e-9)
    assert_allclose(softmax_backward(dweights, weights), by_complex_step, atol=1e-15)


def test_jacobian_of_a_batch():
    scores = np.random.default_rng(2).standard_normal((3, 2, 5))
    jacobian = softmax_jacobian(scores)
    assert jacobian.shape == (3, 2, 5, 5)
    for index in np.ndindex(3, 2):
        assert_allclose(jacobian[index], softmax_jacobian_loop(scores[index]), atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_large_scores_neither_overflow_nor_warn(dtype):
    top = np.finfo(dtype).max
    assert_allclose(softmax_forward(np.array([top, -top, 0], dtype)), [1, 0, 0])
    assert softmax_forward(np.zeros(3, dtype)).dtype == dtype
    assert softmax_jacobian(np.zeros(3, dtype)).dtype == dtype
    assert softmax_backward(np.ones(3, dtype), np.full(3, 0.25, dtype)).dtype == dtype


def test_what_a_row_of_infinities_and_nans_gives():
    weights = softmax_forward(np.array([[-np.inf, -np.inf], [0, -np.inf], [np.nan, 0], [np.inf, 0]]))
    assert_allclose(weights[0], 0)  # everything masked
    assert_allclose(weights[1], [1, 0])
    assert np.isnan(weights[2:]).all()
    assert softmax_forward(np.zeros((2, 0))).shape == (2, 0)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: softmax_forward(np.array([7, 3])), TypeError, ["scores", "int64", "float"]),
        (lambda: softmax_forward(np.array([1j])), TypeError, ["scores", "complex128"]),
        (lambda: softmax_forward(3.0), ValueError, ["scores", "()"]),
        (lambda: softmax_forward([[1.0], [1.0, 2.0]]), ValueError, ["scores"]),
        (lambda: softmax_forward(np.zeros((2, 3)), axis=2), ValueError, ["axis", "2", "-2 to 1"]),
        (lambda: softmax_forward(np.zeros(3), axis=0.0), TypeError, ["axis", "0.0"]),
        (lambda: softmax_backward(np.zeros(3), np.zeros(4)), ValueError, ["dweights", "(3,)", "(4,)"]),
        (lambda: softmax_backward(np.zeros(3, int), np.zeros(3)), TypeError, ["dweights", "int64"]),
        (lambda: softmax_jacobian(np.array(["a"])), TypeError, ["scores", "<U1"]),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert all(word in str(caught.value) for word in words), str(caught.value)
