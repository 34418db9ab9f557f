"""Every mistake gets one sentence that names the argument, what came and what is expected."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course import attention, attention_backward, attention_forward
from sdpa_course.kernels import layer_norm_forward

Q, K, V = np.ones((2, 4, 5, 6)), np.ones((2, 2, 7, 6)), np.ones((2, 2, 7, 3))

CASES = {
    "one axis": ({"q": np.ones(6)}, ValueError, ["q", "(6,)", "2"]),
    "other rank": ({"k": np.ones((2, 7, 6))}, ValueError, ["k", "(2, 7, 6)", "4"]),
    "widths differ": ({"k": np.ones((2, 2, 7, 5))}, ValueError, ["k", "5", "6"]),
    "too few values": ({"v": np.ones((2, 2, 8, 3))}, ValueError, ["v", "8", "7"]),
    "values of other heads": ({"v": np.ones((2, 1, 7, 3))}, ValueError, ["v", "(2, 1)", "(2, 2)"]),
    "heads do not divide": ({"k": np.ones((2, 3, 7, 6)), "v": np.ones((2, 3, 7, 3))}, ValueError, ["k", "3", "4"]),
    "no key heads": ({"k": np.ones((2, 0, 7, 6)), "v": np.ones((2, 0, 7, 3))}, ValueError, ["k", "0", "4"]),
    "batches differ": ({"k": np.ones((3, 2, 7, 6)), "v": np.ones((3, 2, 7, 3))}, ValueError, ["k", "(3,)", "(2,)"]),
    "integers": ({"q": np.ones((2, 4, 5, 6), int)}, TypeError, ["q", "int64", "float"]),
    "objects": ({"v": np.full((2, 2, 7, 3), None)}, TypeError, ["v", "object", "float"]),
    "complex": ({"k": K * 1j}, TypeError, ["k", "complex128"]),
    "booleans": ({"q": Q > 0}, TypeError, ["q", "bool"]),
    "strings": ({"q": "query"}, TypeError, ["q"]),
    "none": ({"q": None}, TypeError, ["q", "object"]),
    "ragged": ({"q": [[1.0], [1.0, 2.0]]}, ValueError, ["q"]),
    "no width": (
        {"q": np.ones((2, 4, 5, 0)), "k": np.ones((2, 2, 7, 0))},
        ValueError,
        ["q", "(2, 4, 5, 0)", "d_k", "at least 1"],
    ),
    "scale zero": ({"scale": 0}, ValueError, ["scale", "0", "1/√d_k"]),
    "scale nan": ({"scale": float("nan")}, ValueError, ["scale", "nan", "finite"]),
    "scale inf": ({"scale": np.inf}, ValueError, ["scale", "inf", "finite"]),
    "scale text": ({"scale": "sqrt"}, TypeError, ["scale", "'sqrt'", "number"]),
    "scale bool": ({"scale": True}, TypeError, ["scale", "True"]),
    "softcap zero": ({"softcap": 0.0}, ValueError, ["softcap", "0.0", "above 0"]),
    "softcap negative": ({"softcap": -1}, ValueError, ["softcap", "-1"]),
    "softcap nan": ({"softcap": np.nan}, ValueError, ["softcap", "nan"]),
    "window negative": ({"window": (-1, 0)}, ValueError, ["window", "-1"]),
    "window number": ({"window": 3}, TypeError, ["window", "3", "pair"]),
    "window float": ({"window": (1.5, None)}, TypeError, ["window", "1.5"]),
    "window triple": ({"window": (1, 2, 3)}, TypeError, ["window", "pair"]),
    "causal text": ({"causal": "no"}, TypeError, ["causal", "'no'"]),
    "mask shape": ({"mask": np.ones((7, 5), bool)}, ValueError, ["mask", "(7, 5)", "(2, 4, 5, 7)"]),
    "mask with more axes": ({"mask": np.ones((1, 2, 4, 5, 7), bool)}, ValueError, ["mask", "(2, 4, 5, 7)"]),
    "mask of integers": ({"mask": np.ones((5, 7), int)}, TypeError, ["mask", "int64", "bool"]),
    "offset float": ({"offset": 1.0}, TypeError, ["offset", "float64", "integer"]),
    "offset bool": ({"offset": True}, TypeError, ["offset", "bool"]),
    "scale beyond float": ({"scale": 10**400}, ValueError, ["scale", "inf", "finite"]),
    "softcap beyond float32": (
        {"q": Q.astype("f4"), "k": K.astype("f4"), "v": V.astype("f4"), "softcap": 1e39},
        ValueError,
        ["softcap", "1e+39", "float32"],
    ),
    "ragged mask": ({"mask": [[True], [True, False]]}, ValueError, ["mask", "expected an array"]),
    "offset too far": ({"offset": 2**63 - 1}, ValueError, ["offset", "2**40"]),
    "offset shape": ({"offset": np.zeros(3, int)}, ValueError, ["offset", "(3,)", "(2,)"]),
}


@pytest.mark.parametrize("function", [attention_forward, attention])
@pytest.mark.parametrize(("change", "error", "words"), CASES.values(), ids=CASES)
def test_one_sentence(function, change, error, words):
    arguments = {"q": Q, "k": K, "v": V, **change}
    with pytest.raises(error) as caught:
        function(**arguments)
    message = str(caught.value)
    assert "\n" not in message
    assert message.split(":")[0] in change
    assert all(word in message for word in words), message


def test_a_gradient_of_the_wrong_shape_or_type():
    out, cache = attention_forward(Q, K, V)
    with pytest.raises(ValueError, match=r"^dout: got shape \(3, 5, 4, 2\), expected \(2, 4, 5, 3\)"):
        attention_backward(out.T, cache)
    with pytest.raises(TypeError, match=r"^dout: got dtype int64"):
        attention_backward(out.astype(int), cache)


@pytest.mark.parametrize(
    ("q", "k", "v", "shape"),
    [
        ((0, 4, 5, 6), (0, 2, 7, 6), (0, 2, 7, 3), (0, 4, 5, 3)),  # empty batch
        ((2, 0, 5, 6), (2, 0, 7, 6), (2, 0, 7, 3), (2, 0, 5, 3)),  # no heads
        ((2, 4, 0, 6), (2, 2, 7, 6), (2, 2, 7, 3), (2, 4, 0, 3)),  # no queries
        ((2, 4, 5, 6), (2, 2, 0, 6), (2, 2, 0, 3), (2, 4, 5, 3)),  # no keys: nothing to see, zeros
        ((2, 4, 5, 6), (2, 2, 7, 6), (2, 2, 7, 0), (2, 4, 5, 0)),  # no value width
    ],
)
@pytest.mark.parametrize("keywords", [{}, {"causal": True, "window": (2, 1), "softcap": 1.0}], ids=["plain", "all"])
def test_what_is_empty_has_a_defined_result(q, k, v, shape, keywords):
    q, k, v = np.ones(q), np.ones(k), np.ones(v)
    out, cache = attention_forward(q, k, v, **keywords)
    assert out.shape == attention(q, k, v, **keywords).shape == shape
    assert_allclose(out, attention(q, k, v, **keywords))
    gradients = attention_backward(np.ones(shape), cache)
    assert [x.shape for x in gradients] == [q.shape, k.shape, v.shape]
    if k.shape[-2] == 0:
        assert_allclose(out, 0)


def test_a_cache_that_is_none():
    with pytest.raises(TypeError, match="cache: got NoneType, expected the second result of attention_forward"):
        attention_backward(np.ones((2, 4, 5, 3)), None)


@pytest.mark.parametrize("name", ["gain", "bias"])
def test_a_gain_or_bias_of_another_width(name):
    with pytest.raises(ValueError, match=rf"^{name}: got shape \(1,\), expected \(5,\)$"):
        layer_norm_forward(np.ones((3, 5)), **{name: np.ones(1)})


def test_the_blocked_kernel_with_no_value_width():
    assert attention(np.ones((200, 4)), np.ones((200, 4)), np.ones((200, 0))).shape == (200, 0)


@pytest.mark.parametrize("far", [sys.maxsize, 2**63, 2**200])
def test_a_window_without_end_is_an_open_one(far):
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((3, 5, 4))
    for f in (attention, lambda *a, **b: attention_forward(*a, **b)[0]):
        assert_allclose(f(q, k, v, window=(far, far), offset=1), f(q, k, v))
        assert_allclose(f(q, k, v, window=(far, 1)), f(q, k, v, window=(None, 1)))


def test_lists_of_floats_and_plain_integers_as_numbers_are_welcome():
    expected, _ = attention_forward(Q, K, V, scale=1.0)
    out, _ = attention_forward(Q.tolist(), K.tolist(), V.tolist(), scale=1, window=[None, None])
    assert_allclose(out, expected)
