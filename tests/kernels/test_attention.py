"""The readable pair and the blocked form against loops, PyTorch, differences and complex steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course import attention, attention_backward, attention_forward
from sdpa_course.verify.gradcheck import check_gradients, complex_step_gradient, numerical_gradient
from sdpa_course.verify.reference import attention_loop
from tests.kernels.oracle import torch_attention
from tests.kernels.settings import describe, random_setting


@pytest.mark.parametrize("seed", range(60))
def test_forward_equals_the_loops(seed):
    q, k, v, keywords = random_setting(np.random.default_rng(seed))
    out, cache = attention_forward(q, k, v, **keywords)
    expected, weights = attention_loop(q, k, v, **keywords)
    message = describe(q, k, v, keywords)
    assert_allclose(out, expected, atol=1e-12, err_msg=message)
    assert_allclose(cache.weights, weights, atol=1e-12, err_msg=message)
    assert_allclose(attention(q, k, v, **keywords), expected, atol=1e-12, err_msg=message)


@pytest.mark.parametrize("seed", range(300))
def test_values_and_gradients_equal_pytorch(seed, torch):
    rng = np.random.default_rng(1000 + seed)
    q, k, v, keywords = random_setting(rng)
    out, cache = attention_forward(q, k, v, **keywords)
    dout = rng.standard_normal(out.shape)
    expected, *gradients = torch_attention(torch, q, k, v, dout, **keywords)
    message = describe(q, k, v, keywords)
    assert_allclose(out, expected, atol=1e-7, rtol=1e-7, err_msg=message)
    for name, ours, theirs in zip(("dq", "dk", "dv"), attention_backward(dout, cache), gradients, strict=True):
        assert_allclose(ours, theirs, atol=1e-6, rtol=1e-6, err_msg=f"{name}: {message}")


@pytest.mark.parametrize("seed", range(40))
def test_gradients_along_a_random_direction(seed):
    rng = np.random.default_rng(2000 + seed)
    q, k, v, keywords = random_setting(rng)
    check_gradients(lambda *x: attention_forward(*x, **keywords), attention_backward, (q, k, v), rng=rng)


@pytest.mark.parametrize(
    "keywords",
    [{}, {"causal": True, "offset": 2}, {"softcap": 1.5, "scale": 0.4}, {"window": (1, 2)}],
    ids=["plain", "causal", "softcap", "window"],
)
def test_every_entry_of_every_gradient(keywords):
    """Each entry on its own: by central differences of the kernel, by complex step through the loops."""
    rng = np.random.default_rng(7)
    inputs = [rng.standard_normal(shape) for shape in ((2, 3, 5), (1, 4, 5), (1, 4, 2))]
    out, cache = attention_forward(*inputs, **keywords)
    dout = rng.standard_normal(out.shape)
    gradients = attention_backward(dout, cache)
    for place, gradient in enumerate(gradients):

        def inputs_with(x, place=place):
            return [x if i == place else y for i, y in enumerate(inputs)]

        def kernel_loss(x):
            return (dout * attention_forward(*inputs_with(x), **keywords)[0]).sum()

        def loop_loss(x):
            return (dout * attention_loop(*inputs_with(x), **keywords)[0]).sum()

        assert_allclose(gradient, numerical_gradient(kernel_loss, inputs[place]), atol=1e-8)
        assert_allclose(gradient, complex_step_gradient(loop_loss, inputs[place]), atol=1e-14)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float16, 2e-3), (np.float32, 1e-5), (np.float64, 1e-12)])
def test_dtype_in_is_dtype_out(dtype, tolerance):
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal(shape).astype(dtype) for shape in ((4, 7, 5), (2, 11, 5), (2, 11, 3)))
    out, cache = attention_forward(q, k, v, causal=True)
    expected, _ = attention_loop(*(x.astype(np.float64) for x in (q, k, v)), causal=True)
    gradients = attention_backward(np.ones_like(out), cache)
    assert {x.dtype for x in (out, attention(q, k, v, causal=True), *gradients)} == {np.dtype(dtype)}
    assert_allclose(out, expected, atol=tolerance)


def test_float16_is_computed_in_float32():
    """128 products of 32 · 32 are 131072, past float16's 65504, yet the result is an ordinary average."""
    q = k = np.full((3, 128), 32, np.float16)
    v = np.arange(6, dtype=np.float16).reshape(3, 2)
    for out in (attention_forward(q, k, v)[0], attention(q, k, v)):
        assert_allclose(out, np.tile([2, 3], (3, 1)), atol=1e-2)


def test_a_row_that_sees_nothing_gives_zeros_and_zero_gradients():
    rng = np.random.default_rng(4)
    q, k, v = rng.standard_normal((4, 3)), rng.standard_normal((5, 3)), rng.standard_normal((5, 2))
    mask = np.ones((4, 5), dtype=bool)
    mask[1] = False
    for hidden in (mask, np.where(mask, 0.0, -np.inf)):
        out, cache = attention_forward(q, k, v, mask=hidden)
        dq, dk, dv = attention_backward(np.ones_like(out), cache)
        assert_allclose(out[1], 0)
        assert_allclose(dq[1], 0)
        _, without = attention_forward(np.delete(q, 1, axis=0), k, v)
        _, dk_without, dv_without = attention_backward(np.ones((3, 2)), without)
        assert_allclose(dk, dk_without)
        assert_allclose(dv, dv_without)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", ["k", "v"])
def test_what_is_masked_out_never_reaches_output_or_gradient(bad, place):
    rng = np.random.default_rng(5)
    q, k, v = rng.standard_normal((2, 4, 3)), rng.standard_normal((2, 6, 3)), rng.standard_normal((2, 6, 5))
    mask = rng.random((4, 6)) < 0.6
    mask[:, 2] = False
    mask[0, :] = True
    mask[0, 2] = False
    dout = rng.standard_normal((2, 4, 5))
    clean_out, cache = attention_forward(q, k, v, mask=mask)
    clean = attention_backward(dout, cache)
    spoilt = {"k": k.copy(), "v": v.copy()}
    spoilt[place][:, 2, 1] = bad
    for hidden in (mask, np.where(mask, 0.0, -np.inf)):
        out, cache = attention_forward(q, spoilt["k"], spoilt["v"], mask=hidden)
        assert_allclose(out, clean_out)
        assert_allclose(attention(q, spoilt["k"], spoilt["v"], mask=hidden), clean_out)
        for ours, expected in zip(attention_backward(dout, cache), clean, strict=True):
            assert_allclose(ours, expected)


def test_nan_goes_to_the_rows_it_belongs_to_and_to_no_other():
    rng = np.random.default_rng(6)
    q, k, v = rng.standard_normal((5, 3)), rng.standard_normal((5, 3)), rng.standard_normal((5, 2))
    dout = rng.standard_normal((5, 2))
    clean, cache = attention_forward(q, k, v, causal=True)
    dq_clean, *_ = attention_backward(dout, cache)
    k[3, 0] = np.nan  # seen by rows 3 and 4 alone
    out, cache = attention_forward(q, k, v, causal=True)
    dq, dk, dv = attention_backward(dout, cache)
    assert_allclose(out[:3], clean[:3])
    assert_allclose(dq[:3], dq_clean[:3])
    assert np.isnan(out[3:]).all()
    assert np.isnan(dq[3:]).all()
    q[1] = np.nan
    out, cache = attention_forward(q, k, v, causal=True)
    dq, dk, dv = attention_backward(dout, cache)
    assert_allclose(out[[0, 2]], clean[[0, 2]])
    assert np.isnan(out[1]).all()
    assert np.isfinite(dk[2]).all() or np.isnan(k[3, 0])  # row 1 does not see key 2
    dout[0, 0] = np.nan
    _, cache = attention_forward(*(rng.standard_normal((5, 3)) for _ in "qk"), v, causal=True)
    dq, dk, dv = attention_backward(dout, cache)
    assert np.isnan(dv[0, 0])
    assert np.isfinite(dv[1:]).all()
    assert np.isfinite(dk[1:]).all()
    assert np.isfinite(dq[1:]).all()


def test_nothing_warns_whatever_numpy_is_set_to():
    """Not even where the caller turned every floating-point event into an error."""
    rng = np.random.default_rng(9)
    q, k, v = (rng.standard_normal((40, 6), dtype=np.float32) * size for size in (1e30, 1e30, 1e38))
    mask = rng.standard_normal((40, 40)) * 1e-300
    with np.errstate(all="raise"):
        out, cache = attention_forward(q, k, v, mask=mask, softcap=1e-3)
        attention_backward(np.full(out.shape, 1e300), cache)
        attention_backward(np.full(out.shape, 1e-300), cache)
        attention(q * 0 - np.inf, k, v, mask=mask)


def test_nothing_changes_its_arguments():
    rng = np.random.default_rng(8)
    q, k, v, keywords = random_setting(rng)
    keywords["mask"] = rng.standard_normal((1, 1))
    before = [x.copy() for x in (q, k, v, keywords["mask"])]
    for x in (q, k, v, keywords["mask"]):
        x.setflags(write=False)
    out, cache = attention_forward(q, k, v, **keywords)
    attention(q, k, v, **keywords)
    dout = np.ones_like(out)
    dout.setflags(write=False)
    first = attention_backward(dout, cache)
    second = attention_backward(dout, cache)  # and the cache can be used twice
    for x, y in zip((q, k, v, keywords["mask"], *first), (*before, *second), strict=True):
        assert_allclose(x, y)


def test_the_default_scale_is_one_over_the_root_of_d_k():
    q, k = np.full((1, 16), 1.0), np.stack([np.full(16, 0.5), np.zeros(16)])
    _, cache = attention_forward(q, k, np.ones((2, 3)))
    assert_allclose(cache.weights[0, 0], 1 / (1 + np.exp(-8 / 4)))  # 16 · ½ = 8, divided by √16 = 4
