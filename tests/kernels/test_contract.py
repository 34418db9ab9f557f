"""Every kernel keeps the same contract: dtypes in and out, what is refused, nothing mutated.

One table lists all kernels with all their array arguments; hypothesis picks a kernel, dtypes and a mistake.
"""

import inspect
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdpa_course.kernels import decoding, layernorm, linear, loss, mlp, multihead, params, scores, sdpa, softmax
from sdpa_course.kernels.blocked import attention

rng = np.random.default_rng(0)


def draw(*shape):
    return rng.standard_normal(shape)


ATTENTION = {"q": draw(2, 4, 5, 6), "k": draw(2, 2, 7, 6), "v": draw(2, 2, 7, 3)}
PAIR = {"q": draw(2, 5, 6), "k": draw(2, 7, 6)}
PARAMS = params.init_multihead(12, 3, d_k=5, d_v=2, rng=rng)


def with_params(function):
    """A multi-head function whose parameters are array arguments like all others."""

    def call(x, **arrays):
        return function(x, PARAMS._replace(**arrays))

    return call


def append_and_read(k, v):
    cache = decoding.KVCache()
    cache.append(k, v)
    return cache.k, cache.v


class Kernel(NamedTuple):
    """A forward function with its array arguments, and its backward function with the shape of its gradient."""

    forward: Any
    arrays: dict[str, np.ndarray]
    backward: Any = None  # backward(dout, cache)
    others: dict[str, Any] = MappingProxyType({})  # arguments that are no float arrays
    scaled: bool = False  # takes scale=


WEIGHTS = {name: value for name, value in PARAMS._asdict().items() if isinstance(value, np.ndarray)}
KERNELS = {
    "softmax_forward": Kernel(softmax.softmax_forward, {"scores": draw(3, 5)}),
    "softmax_backward": Kernel(softmax.softmax_backward, {"dweights": draw(3, 5), "weights": draw(3, 5)}),
    "softmax_jacobian": Kernel(softmax.softmax_jacobian, {"scores": draw(3, 5)}),
    "dot_scores": Kernel(scores.dot_scores_forward, PAIR, scores.dot_scores_backward, scaled=True),
    "cosine_scores": Kernel(scores.cosine_scores_forward, PAIR, scores.cosine_scores_backward, scaled=True),
    "additive_scores": Kernel(
        scores.additive_scores_forward,
        PAIR | {"w_q": draw(6, 4), "w_k": draw(6, 4), "v": draw(4)},
        scores.additive_scores_backward,
    ),
    "attention_forward": Kernel(sdpa.attention_forward, ATTENTION, sdpa.attention_backward, scaled=True),
    "attention": Kernel(attention, ATTENTION, scaled=True),
    "attention in blocks": Kernel(attention, {"q": draw(190, 6), "k": draw(191, 6), "v": draw(191, 3)}, scaled=True),
    "split_heads": Kernel(multihead.split_heads, {"x": draw(3, 12)}, others={"heads": 4}),
    "merge_heads": Kernel(multihead.merge_heads, {"x": draw(3, 5, 4)}),
    "multihead_forward": Kernel(
        with_params(multihead.multihead_forward), {"x": draw(3, 12), **WEIGHTS}, multihead.multihead_backward
    ),
    "multihead_decode": Kernel(
        with_params(lambda x, params: decoding.multihead_decode(x, params, decoding.KVCache())),
        {"x": draw(3, 12), **WEIGHTS},
    ),
    "KVCache.append": Kernel(append_and_read, {"k": draw(2, 4, 3, 5), "v": draw(2, 4, 3, 6)}),
    "linear": Kernel(linear.linear_forward, {"x": draw(3, 5), "w": draw(5, 4), "b": draw(4)}, linear.linear_backward),
    "layer_norm": Kernel(
        layernorm.layer_norm_forward, {"x": draw(3, 5), "gain": draw(5), "bias": draw(5)}, layernorm.layer_norm_backward
    ),
    "mlp": Kernel(
        mlp.mlp_forward,
        {"x": draw(3, 5), "w_1": draw(5, 7), "b_1": draw(7), "w_2": draw(7, 5), "b_2": draw(5)},
        mlp.mlp_backward,
    ),
    "cross_entropy": Kernel(
        loss.cross_entropy_forward,
        {"logits": draw(3, 5)},
        lambda dout, cache: loss.cross_entropy_backward(cache),
        others={"targets": np.array([0, 4, 2])},
    ),
}
DTYPES = (np.float16, np.float32, np.float64)
kernels = st.sampled_from(sorted(KERNELS))


def every_array(result):
    """All arrays that a function returned, however nested; caches keep what they like."""
    if isinstance(result, np.ndarray):
        return [result]
    if isinstance(result, (list, tuple)) and not type(result).__name__.endswith("Cache"):
        return [array for part in result for array in every_array(part)]
    return []


def test_the_table_lists_every_kernel():
    modules = (decoding, layernorm, linear, loss, mlp, multihead, scores, sdpa, softmax)
    functions = {
        name
        for module in modules
        for name, function in vars(module).items()
        if inspect.isfunction(function) and function.__module__ == module.__name__
        if name.endswith(("_forward", "_backward", "_decode", "_jacobian", "_heads"))
        and not name.startswith("unit_rows")
    }
    listed = {kernel.removesuffix("_forward") for kernel in KERNELS}
    internal = {"repeat_heads", "sum_heads"}  # called on arrays that are checked already
    assert {name.removesuffix("_forward").removesuffix("_backward") for name in functions} - internal <= {
        name.removesuffix("_backward") for name in listed
    }


@given(kernels, st.sampled_from(DTYPES))
def test_the_dtype_that_goes_in_comes_out(name, dtype):
    kernel = KERNELS[name]
    arrays = {key: value.astype(dtype) for key, value in kernel.arrays.items()}
    kept = {key: value.copy() for key, value in arrays.items()}
    result = kernel.forward(**arrays, **kernel.others)
    outputs = every_array(result)
    if kernel.backward is not None:
        out, cache = result
        gradients = every_array(kernel.backward(np.ones(np.shape(out), dtype), cache))
        assert gradients
        outputs = outputs + gradients
    assert {array.dtype for array in outputs} <= {np.dtype(dtype)}, name
    for key, value in kept.items():
        np.testing.assert_array_equal(arrays[key], value, err_msg=f"{name} changed {key}")


@given(kernels)
def test_float16_is_computed_in_float32(name):
    """Wherever float32 gives a finite answer, rounding it to float16 gives float16's: to the last bit."""
    kernel = KERNELS[name]
    half = {key: (value * 3).astype(np.float16) for key, value in kernel.arrays.items()}
    single = {key: value.astype(np.float32) for key, value in half.items()}
    results = []
    for arrays in (half, single):
        result = kernel.forward(**arrays, **kernel.others)
        outputs = every_array(result)
        if kernel.backward is not None:
            outputs = outputs + every_array(kernel.backward(np.ones(np.shape(result[0]), np.float16), result[1]))
        results.append([array.astype(np.float16) for array in outputs])
    for ours, expected in zip(*results, strict=True):
        np.testing.assert_array_equal(ours, expected, err_msg=name)


MISTAKES = {
    "integers": lambda x: np.ones(x.shape, dtype=int),
    "complex numbers": lambda x: x * 1j,
    "objects": lambda x: x.astype(object),
    "booleans": lambda x: x > 0,
    "long doubles": lambda x: x.astype(np.longdouble),
    "text": lambda x: "text",
    "nothing": lambda x: np.full(x.shape, None),
    "a masked array": lambda x: np.ma.masked_array(x, x > 0),
    "a list with a masked array": lambda x: [np.ma.masked_array(part, part > 0) for part in x[None]],
}


@given(kernels, st.data())
def test_anything_but_floats_is_a_type_error_that_names_the_argument(name, data):
    kernel = KERNELS[name]
    argument = data.draw(st.sampled_from(sorted(kernel.arrays)))
    mistake = data.draw(st.sampled_from(sorted(MISTAKES)))
    arrays = kernel.arrays | {argument: MISTAKES[mistake](kernel.arrays[argument])}
    with pytest.raises(TypeError, match=rf"^{argument}: got .*, expected ") as caught:
        kernel.forward(**arrays, **kernel.others)
    assert "\n" not in str(caught.value)


@given(kernels, st.sampled_from(sorted(MISTAKES)))
def test_an_incoming_gradient_is_checked_too(name, mistake):
    kernel = KERNELS[name]
    if kernel.backward is None or name == "cross_entropy":
        return
    out, cache = kernel.forward(**kernel.arrays, **kernel.others)
    with pytest.raises(TypeError, match=r"^d\w+: got .*, expected "):
        kernel.backward(MISTAKES[mistake](out), cache)
    with pytest.raises(ValueError, match=r"^d\w+: got shape .*, expected "):
        kernel.backward(out[..., :1], cache)
    with pytest.raises(TypeError, match=r"^cache: got NoneType, expected the second result of \w+_forward$"):
        kernel.backward(out, None)


@given(st.sampled_from([name for name in sorted(KERNELS) if KERNELS[name].scaled]))
def test_a_scale_that_the_dtype_cannot_hold_is_a_value_error(name):
    kernel = KERNELS[name]
    single = {key: value.astype(np.float32) for key, value in kernel.arrays.items()}
    for scale in (1e39, 1e-50, -1e39):
        with pytest.raises(ValueError, match=r"^scale: got .*, expected a number within the range of float32$"):
            kernel.forward(**single, scale=scale)
        kernel.forward(**kernel.arrays, scale=scale)  # float64 holds it
    with pytest.raises(ValueError, match=r"^scale: got 0"):
        kernel.forward(**kernel.arrays, scale=0)


@pytest.mark.parametrize("name", ["attention", "attention_forward"])
def test_a_masked_array_as_mask_is_refused(name):
    mask = np.ma.masked_array(np.ones((5, 7), bool), np.eye(5, 7, dtype=bool))
    with pytest.raises(TypeError, match=r"^mask: got a masked array, expected a plain one"):
        KERNELS[name].forward(**ATTENTION, mask=mask)
