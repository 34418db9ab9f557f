"""The scoring rules against pair-by-pair loops, differences and complex steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course.kernels.scores import (
    additive_scores_backward,
    additive_scores_forward,
    cosine_scores_backward,
    cosine_scores_forward,
    dot_scores_backward,
    dot_scores_forward,
    scale_factor,
)
from sdpa_course.verify.gradcheck import check_gradients, complex_step_gradient
from sdpa_course.verify.reference import additive_scores_loop, cosine_scores_loop, dot_loop

Tq, Tk, DK, DA = 3, 4, 5, 7


@pytest.fixture
def inputs():
    rng = np.random.default_rng(0)
    shapes = {"q": (Tq, DK), "k": (Tk, DK), "w_q": (DK, DA), "w_k": (DK, DA), "v": (DA,)}
    return {name: rng.standard_normal(shape) for name, shape in shapes.items()}


def test_values_equal_the_loops(inputs):
    q, k = inputs["q"], inputs["k"]
    products = np.array([[dot_loop(a, b) for b in k] for a in q])
    assert_allclose(dot_scores_forward(q, k)[0], products / np.sqrt(DK), atol=1e-14)
    assert_allclose(dot_scores_forward(q, k, scale=2)[0], products * 2, atol=1e-14)
    assert_allclose(cosine_scores_forward(q, k, scale=3.0)[0], cosine_scores_loop(q, k, 3.0), atol=1e-14)
    assert_allclose(additive_scores_forward(**inputs)[0], additive_scores_loop(**inputs), atol=1e-14)


@pytest.mark.parametrize("batch", [(), (2,), (2, 6)])
def test_gradients(batch):
    rng = np.random.default_rng(1)
    q, k = rng.standard_normal((*batch, Tq, DK)), rng.standard_normal((*batch, Tk, DK))
    weights = [rng.standard_normal(shape) for shape in ((DK, DA), (DK, DA), (DA,))]
    check_gradients(lambda q, k: dot_scores_forward(q, k, scale=0.7), dot_scores_backward, (q, k), rng=rng)
    check_gradients(lambda q, k: cosine_scores_forward(q, k, scale=3.0), cosine_scores_backward, (q, k), rng=rng)
    check_gradients(additive_scores_forward, additive_scores_backward, (q, k, *weights), rng=rng)


def test_additive_and_cosine_gradients_by_complex_step(inputs):
    dscores = np.random.default_rng(2).standard_normal((Tq, Tk))
    gradients = additive_scores_backward(dscores, additive_scores_forward(**inputs)[1])
    for name, gradient in zip(inputs, gradients, strict=True):
        expected = complex_step_gradient(
            lambda x, name=name: (dscores * additive_scores_loop(**{**inputs, name: x})).sum(), inputs[name]
        )
        assert_allclose(gradient, expected, atol=1e-13, err_msg=name)
    q, k = inputs["q"], inputs["k"]
    dq, dk = cosine_scores_backward(dscores, cosine_scores_forward(q, k)[1])
    assert_allclose(dq, complex_step_gradient(lambda x: (dscores * cosine_scores_loop(x, k)).sum(), q), atol=1e-13)
    assert_allclose(dk, complex_step_gradient(lambda x: (dscores * cosine_scores_loop(q, x)).sum(), k), atol=1e-13)


def test_a_zero_vector_has_cosine_zero_and_no_gradient(inputs):
    q = inputs["q"].copy()
    q[1] = 0
    scores, cache = cosine_scores_forward(q, inputs["k"])
    dq, dk = cosine_scores_backward(np.ones((Tq, Tk)), cache)
    assert_allclose(scores[1], 0)
    assert_allclose(dq[1], 0)
    assert np.isfinite(dk).all()


@pytest.mark.parametrize("length", [1e-300, 1e-24, 1.0, 1e24, 1e200])
def test_cosine_of_any_length_is_the_same_and_silent(length):
    a, b = np.array([[3.0, 4.0]]), np.array([[4.0, 3.0]])
    assert_allclose(cosine_scores_forward(a * length, b * length)[0], [[0.96]])


def test_float16_is_computed_in_float32_and_overflow_is_silent():
    large = np.full((1, 2), 6e4, np.float16)
    scores, _ = dot_scores_forward(large, np.full((1, 2), 1e-4, np.float16))
    assert scores.dtype == np.float16
    assert_allclose(scores, 12 / np.sqrt(2), rtol=1e-2)
    assert np.isinf(dot_scores_forward(large, large)[0]).all()


def test_additive_scores_are_bounded_by_the_sum_of_v_and_reach_it():
    v = np.array([0.5, -2.0, 3.0])
    far, eye = np.sign(v)[None] * 20, np.eye(3)
    assert_allclose(additive_scores_forward(far, far, eye, eye, v)[0], [[np.abs(v).sum()]])


def test_the_four_scales():
    names = ("1", "1/sqrt(d_k)", "1/d_k", "1/sqrt(d_model)")
    assert [scale_factor(name, 64, 256) for name in names] == [1, 1 / 8, 1 / 64, 1 / 16]
    for call, words in (
        (lambda: scale_factor("1/d", 64), ["name", "1/d", "1/d_k"]),
        (lambda: scale_factor("1", 0), ["d_k", "0"]),
    ):
        with pytest.raises(ValueError, match="expected") as caught:
            call()
        assert all(word in str(caught.value) for word in words)
    with pytest.raises(TypeError, match="d_model: got None"):
        scale_factor("1/sqrt(d_model)", 64)


@pytest.mark.parametrize(
    ("change", "argument"),
    [({"k": np.ones((4, 6))}, "k"), ({"v": np.ones((7, 1))}, "v"), ({"w_k": np.ones((5, 8))}, "w_k")],
)
def test_bad_shapes_name_the_argument(inputs, change, argument):
    with pytest.raises(ValueError, match=f"^{argument}: got"):
        additive_scores_forward(**{**inputs, **change})
    with pytest.raises(ValueError, match=r"^dscores: got"):
        dot_scores_backward(np.ones((Tk, Tq)), dot_scores_forward(inputs["q"], inputs["k"])[1])
