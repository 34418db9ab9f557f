"""What an attention call may be given: every keyword checked, every default filled in.

Axes: B batch · H heads · Tq queries · Tk keys · Dk, Dv widths
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ._checks import FAR, FLOATS, OPEN, as_array, float_arrays, int_array, number, whole_number


class AttentionArguments(NamedTuple):
    """The checked arguments of an attention call, with every default filled in."""

    q: np.ndarray  # (..., Hq, Tq, Dk), in the dtype to compute in
    k: np.ndarray  # (..., Hk, Tk, Dk)
    v: np.ndarray  # (..., Hk, Tk, Dv)
    mask: np.ndarray | None  # bool or float, broadcast to (..., Hq, Tq, Tk)
    left: int  # the query at position p sees keys j >= p - left; OPEN reaches all of them
    right: int  # and keys j <= p + right; causal attention is right = 0
    offset: np.ndarray | int  # one integer, or an array of them over the batch axes
    scale: float
    softcap: float | None
    dtype: np.dtype  # of the result
    group: int  # how many query heads share one key/value head


def check_scale(scale: Any, d_k: int, dtype: np.dtype) -> float:
    """The factor on the scores; None means 1/√d_k."""
    if scale is None:
        return 1 / math.sqrt(d_k)
    scale = number("scale", scale, dtype=dtype)
    if scale == 0:
        raise ValueError("scale: got 0, which makes all scores equal; expected a non-zero number, or None for 1/√d_k")
    return scale


def check_softcap(softcap: Any, dtype: np.dtype) -> float | None:
    """The bound c of c·tanh(scores / c), or None for no bound."""
    if softcap is None:
        return None
    softcap = number("softcap", softcap, dtype=dtype)
    if softcap <= 0:
        raise ValueError(f"softcap: got {softcap}, expected a number above 0, or None for no cap")
    return softcap


def check_window(window: Any, causal: Any) -> tuple[int, int]:
    """`(left, right)`: a query at p sees p - left <= j <= p + right. None is OPEN. Causal closes the right side."""
    if causal is not True and causal is not False and not isinstance(causal, np.bool_):
        raise TypeError(f"causal: got {causal!r}, expected True or False")
    if window is None:
        return OPEN, 0 if causal else OPEN
    if not isinstance(window, (tuple, list)) or len(window) != 2:
        raise TypeError(f"window: got {window!r}, expected a pair (left, right) of integers or None")
    left, right = (OPEN if side is None else min(whole_number("window", side, least=0), OPEN) for side in window)
    return left, 0 if causal else right


def check_offset(offset: Any, batch: tuple[int, ...]) -> np.ndarray | int:
    """The position of the first query: one integer, or an array of them over the batch axes."""
    if type(offset) is int and abs(offset) <= FAR:
        return offset  # the usual case, and the quick one
    offsets = int_array("offset", offset)
    if offsets.ndim and not broadcasts(offsets.shape, batch):
        raise ValueError(f"offset: got shape {offsets.shape}, expected an integer or shape {batch}, the batch axes")
    return offsets


def check_mask(mask: Any, shape: tuple[int, ...]) -> np.ndarray:
    """A boolean or additive mask, broadcast to the shape of the scores: a view, not a copy."""
    mask = as_array("mask", mask)
    if mask.dtype != bool and mask.dtype.type not in FLOATS:
        raise TypeError(
            f"mask: got dtype {mask.dtype}, expected bool (True = may attend) or float (added to the scores)"
        )
    if not broadcasts(mask.shape, shape):
        raise ValueError(f"mask: got shape {mask.shape}, expected one that broadcasts to {shape}")
    return np.broadcast_to(mask, shape)


def broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Can an array of `shape` be broadcast to exactly `target`?"""
    return len(shape) <= len(target) and all(
        n in (1, m) for n, m in zip(reversed(shape), reversed(target), strict=False)
    )


def check_axes_fit(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> None:
    """Queries, keys and values belong together: same batch, same width, one value for each key."""
    for name, x in (("k", k), ("v", v)):
        if x.ndim != q.ndim:
            raise ValueError(
                f"{name}: got {x.ndim} axes, shape {x.shape}, expected {q.ndim} like q, whose shape is {q.shape}"
            )
    if q.shape[-1] == 0:
        raise ValueError(f"q: got shape {q.shape}, expected a width d_k of at least 1")
    if k.shape[-1] != q.shape[-1]:
        raise ValueError(f"k: got width {k.shape[-1]}, expected {q.shape[-1]}, the width d_k of q")
    if v.shape[-2] != k.shape[-2]:
        raise ValueError(f"v: got {v.shape[-2]} values, expected {k.shape[-2]}, one for each key")
    if v.shape[:-2] != k.shape[:-2]:
        raise ValueError(f"v: got leading axes {v.shape[:-2]}, expected {k.shape[:-2]} like k")
    if k.shape[:-3] != q.shape[:-3]:
        raise ValueError(f"k: got batch axes {k.shape[:-3]}, expected {q.shape[:-3]} like q")


def check_groups(name: str, kv_heads: int, heads: int) -> int:
    """How many query heads share one key/value head: the same number for each."""
    if heads != kv_heads and (kv_heads == 0 or heads == 0 or heads % kv_heads):
        raise ValueError(f"{name}: got {kv_heads} heads, expected a number that divides {heads}, the query heads")
    return heads // kv_heads if kv_heads else 1


def check_attention(q, k, v, *, mask, causal, scale, softcap, window, offset) -> AttentionArguments:
    """All arguments of an attention call, checked and with defaults filled in."""
    (q, k, v), dtype = float_arrays(min_ndim=2, q=q, k=k, v=v)
    check_axes_fit(q, k, v)
    left, right = check_window(window, causal)
    offset = check_offset(offset, q.shape[:-3])
    if isinstance(offset, np.ndarray) and offset.size and (offset == offset.flat[0]).all():
        offset = int(offset.flat[0])  # the same for everyone is as good as one
    mask = None if mask is None else check_mask(mask, (*q.shape[:-1], k.shape[-2]))
    scale = check_scale(scale, q.shape[-1], q.dtype)
    softcap = check_softcap(softcap, q.dtype)
    group = check_groups("k", k.shape[-3], q.shape[-3]) if q.ndim > 2 else 1
    return AttentionArguments(q, k, v, mask, left, right, offset, scale, softcap, dtype, group)
