"""Masks against the rule, position by position."""

import numpy as np
import pytest

from sdpa_course import causal_mask, combine_masks, padding_mask, window_mask
from sdpa_course.kernels.masks import select_matmul
from sdpa_course.verify.reference import may_attend


@pytest.mark.parametrize("window", [(None, None), (0, 0), (2, None), (None, 1), (3, 2)])
@pytest.mark.parametrize("offset", [0, 3, -2])
def test_windows_follow_the_rule(window, offset):
    expected = [[may_attend(i, j, causal=False, window=window, offset=offset) for j in range(7)] for i in range(5)]
    np.testing.assert_array_equal(window_mask(5, 7, window, offset=offset), expected)
    causal = [[j <= offset + i for j in range(7)] for i in range(5)]
    np.testing.assert_array_equal(causal_mask(5, 7, offset=offset), causal)


def test_one_offset_for_each_sequence():
    mask = causal_mask(2, 5, offset=np.array([0, 3]))
    assert mask.shape == (2, 1, 2, 5)
    np.testing.assert_array_equal(mask[1, 0], causal_mask(2, 5, offset=3))
    assert causal_mask(2, 5, offset=np.array([3, 3])).shape == (2, 1, 2, 5)  # equal offsets or not


def test_padding_and_combination():
    padding = padding_mask([2, 0, 4], 4)
    assert padding.shape == (3, 1, 1, 4)
    np.testing.assert_array_equal(padding.sum(axis=-1).ravel(), [2, 0, 4])
    both = combine_masks(padding, None, causal_mask(3, 4))
    np.testing.assert_array_equal(both[0, 0], padding[0, 0] & causal_mask(3, 4))
    assert combine_masks() is None
    assert padding_mask([0, 0], 0).shape == (2, 1, 1, 0)
    assert causal_mask(0, 0).shape == (0, 0)
    assert combine_masks(None, None) is None


def test_select_matmul_keeps_what_may_not_be_seen_out():
    weights = np.array([[0.5, 0.0], [0.25, 0.75]])
    values = np.array([[2.0, 4.0], [np.nan, np.inf]])
    allowed = np.array([[True, False], [True, True]])
    out = select_matmul(weights, values, allowed)
    np.testing.assert_array_equal(out, [[1, 2], [np.nan, np.inf]])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: causal_mask(-1, 3), ValueError, ["Tq", "-1"]),
        (lambda: causal_mask(2.0, 3), TypeError, ["Tq", "2.0"]),
        (lambda: causal_mask(2, 3, offset=0.5), TypeError, ["offset", "float64"]),
        (lambda: window_mask(2, 3, (-1, 0)), ValueError, ["window", "-1"]),
        (lambda: window_mask(2, 3, 4), TypeError, ["window", "4", "pair"]),
        (lambda: padding_mask([5], 4), ValueError, ["lengths", "5", "4"]),
        (lambda: padding_mask([1.5], 4), TypeError, ["lengths", "float64"]),
        (lambda: combine_masks(np.ones(3)), TypeError, ["masks", "float64", "bool"]),
        (lambda: combine_masks(np.ones(3, bool), np.ones(4, bool)), ValueError, ["masks", "(3,) and (4,)"]),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert all(word in str(caught.value) for word in words), str(caught.value)
