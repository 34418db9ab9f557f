"""Masks: who may look at whom. Boolean, True = may attend. Taught in notebook 05.

A mask selects, it never multiplies: a hidden score becomes −inf through `np.where`, and a hidden value is left
out of the sum. So a NaN behind a mask stays behind it.

Axes: B batch · H heads · Tq queries · Tk keys. Query i sits at position p = offset + i.
"""

import functools

import numpy as np
from numpy.typing import ArrayLike

from ._arguments import check_offset, check_window
from ._checks import OPEN, as_array, int_array, lowest, whole_number
from .linear import product


def in_window(positions: np.ndarray, keys: np.ndarray, left: int, right: int) -> np.ndarray:
    """positions − left ≤ keys ≤ positions + right, broadcast."""
    seen = keys <= positions + right
    return seen if left == OPEN else seen & (keys >= positions - left)


def query_positions(offset: np.ndarray | int, Tq: int) -> np.ndarray:
    """(Tq, 1) for one offset, (..., 1, Tq, 1) for one per sequence: heads and keys broadcast."""
    if np.ndim(offset):
        offset = np.asarray(offset)[..., None, None, None]
    return offset + np.arange(Tq)[:, None]


def window_mask(Tq: int, Tk: int, window: tuple[int | None, int | None] | None, *, offset: ArrayLike = 0) -> np.ndarray:
    """Sliding window: the query at p sees keys p − left ≤ j ≤ p + right.

    Parameters
    ----------
    Tq, Tk : int
        Number of queries and of keys.
    window : (left, right)
        None leaves a side open.
    offset : int or (...) array of ints
        Position of the first query; an array has one for each sequence of a batch.

    Returns
    -------
    mask : (Tq, Tk) array of bool, or (..., 1, Tq, Tk) for an array of offsets

    Examples
    --------
    >>> window_mask(3, 4, (1, 0)).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [0, 1, 1, 0]])
    """
    Tq, Tk = whole_number("Tq", Tq, least=0), whole_number("Tk", Tk, least=0)
    left, right = check_window(window, causal=False)
    positions = query_positions(check_offset(offset, as_array("offset", offset).shape), Tq)
    return in_window(positions, np.arange(Tk), left, right)


def causal_mask(Tq: int, Tk: int, *, offset: ArrayLike = 0) -> np.ndarray:
    """No looking into the future: the query at p sees keys j ≤ p. A negative p sees nothing.

    Parameters and result are those of `window_mask`, with window (None, 0).

    Examples
    --------
    >>> causal_mask(2, 4, offset=1).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 1, 0]])
    """
    return window_mask(Tq, Tk, (None, 0), offset=offset)


def padding_mask(lengths: ArrayLike, Tk: int) -> np.ndarray:
    """Hide the padding of a batch: sequence b has keys 0 … lengths[b] − 1.

    Parameters
    ----------
    lengths : (...) array of ints
    Tk : int

    Returns
    -------
    mask : (..., 1, 1, Tk) array of bool
        The same for every head and every query.

    Examples
    --------
    >>> padding_mask([3, 1], 4)[:, 0, 0].astype(int)
    array([[1, 1, 1, 0],
           [1, 0, 0, 0]])
    """
    Tk = whole_number("Tk", Tk, least=0)
    lengths = int_array("lengths", lengths, low=0, high=Tk, expected=f"0 to Tk = {Tk}")
    return np.arange(Tk) < lengths[..., None, None, None]


def combine_masks(*masks: ArrayLike | None) -> np.ndarray | None:
    """May attend only where every mask allows it. None stands for "everything is allowed".

    Examples
    --------
    >>> combine_masks(causal_mask(2, 2), None, padding_mask([1], 2)).astype(int)
    array([[[[1, 0],
             [1, 0]]]])
    """
    given = [as_array("masks", mask) for mask in masks if mask is not None]
    for mask in given:
        if mask.dtype != bool:
            raise TypeError(f"masks: got dtype {mask.dtype}, expected bool (True = may attend)")
    try:
        return functools.reduce(np.logical_and, given) if given else None
    except ValueError:
        shapes = " and ".join(str(mask.shape) for mask in given)
        raise ValueError(f"masks: got shapes {shapes}, expected shapes that broadcast") from None


def apply_mask(
    scores: np.ndarray, mask: np.ndarray | None, seen: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Scores with every hidden entry at −inf, and the boolean `allowed` (None: nothing is hidden).

    `mask` is boolean or additive, `seen` boolean. In an additive mask only −inf hides, and it selects, so that
    NaN + (−inf) is −inf as well. A finite number is just added, however large, in any dtype.
    """
    if mask is not None and mask.dtype != bool:
        scores = scores + within_range(mask, scores.dtype)
        mask = mask != -np.inf
    allowed = combine_masks(mask, seen)
    if allowed is None:
        return scores, None
    allowed = np.broadcast_to(allowed, scores.shape)
    return np.where(allowed, scores, -np.inf), allowed


def within_range(mask: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """An additive mask in the dtype of the scores.

    A float64 mask may say −1e300, which float32 would round to −inf. It's finite, so it doesn't hide: it becomes half
    the lowest float32 instead, which outweighs any score just as thoroughly and leaves room to add one.
    """
    if mask.dtype.itemsize <= dtype.itemsize:
        return mask.astype(dtype, copy=False)
    most = -lowest(dtype) / 2
    narrow = np.clip(mask, -most, most, out=np.empty(mask.shape, dtype), casting="same_kind")
    np.copyto(narrow, np.inf, where=mask == np.inf)
    return narrow


def keep_allowed(x: np.ndarray, allowed: np.ndarray | None) -> np.ndarray:
    """`x` where it is allowed, 0 where it is hidden."""
    return x if allowed is None else np.where(allowed, x, 0)


def select_matmul(weights: np.ndarray, values: np.ndarray, allowed: np.ndarray | None) -> np.ndarray:
    """`weights @ values`, to which a hidden value contributes nothing at all.

    A hidden value has weight 0, but 0 · NaN is NaN. So NaN and inf are taken out of the product and added back
    only to the rows that are allowed to see them.

    Shapes: (..., Tq, Tk) @ (..., Tk, D) -> (..., Tq, D)
    """
    if allowed is None or (finite := np.isfinite(values)).all():
        return product(weights, values)
    out = product(weights, np.where(finite, values, 0))
    not_finite = np.where(finite, 0, values)
    others = tuple(axis for axis in range(values.ndim) if axis != values.ndim - 2)
    for j in np.flatnonzero(~finite.all(axis=others)):
        seen = allowed[..., :, j, None]  # (..., Tq, 1)
        if seen.any():
            with np.errstate(all="ignore"):
                out += np.where(seen, weights[..., :, j, None] * not_finite[..., j, None, :], 0)
    return out
