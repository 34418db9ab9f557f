"""What every kernel asks of its arguments: one sentence per mistake.

Each message names the argument, what came and what is expected. `ValueError` is for a bad value or
shape, `TypeError` for a bad type. Nothing is cast in silence: an integer array is an error, because
`np.array([7, 3])` where `np.array([7.0, 3.0])` was meant is a mistake worth hearing about.

Axes: B batch · H heads · Tq queries · Tk keys · Dk, Dv widths
"""

import math
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np

FLOATS = (np.float16, np.float32, np.float64)
RANGES = {dtype: (float(np.finfo(dtype).tiny), float(np.finfo(dtype).max)) for dtype in FLOATS}
FAR = 2**40  # positions beyond this are a mistake, and sums of two of them still fit an int64

# Infinities and NaNs in the result say enough; a warning would say it again, at a line the caller did not write.
quiet = np.errstate(all="ignore")


class AttentionArguments(NamedTuple):
    """Checked arguments of an attention call, with every default filled in."""

    q: np.ndarray  # (..., Hq, Tq, Dk), in the dtype that is computed in
    k: np.ndarray  # (..., Hk, Tk, Dk)
    v: np.ndarray  # (..., Hk, Tk, Dv)
    mask: np.ndarray | None  # bool or float, broadcast to (..., Hq, Tq, Tk)
    left: int | None  # the query at position p sees keys j >= p - left
    right: int | None  # and keys j <= p + right; causal attention is right = 0
    offset: np.ndarray  # integer, () or over the batch axes
    scale: float
    softcap: float | None
    dtype: np.dtype  # of the result

    @property
    def group(self) -> int:
        """How many query heads share one key/value head."""
        return self.q.shape[-3] // self.k.shape[-3] if self.q.ndim > 2 and self.k.shape[-3] else 1


def as_array(name: str, value) -> np.ndarray:
    """`value` as an array of any dtype."""
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name}: got rows of different lengths, expected an array") from None


def int_array(name: str, value) -> np.ndarray:
    """`value` as an array of integers, none of them absurdly far away."""
    array = as_array(name, value)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: got dtype {array.dtype}, expected an integer or an array of integers")
    if array.size and not (array.min() >= -FAR and array.max() <= FAR):
        raise ValueError(f"{name}: got {array.min()} to {array.max()}, expected at most 2**40 either way")
    return array.astype(np.int64)


def float_array(name: str, value, *, min_ndim: int = 1) -> np.ndarray:
    """`value` as an array of float16, float32 or float64, or a `TypeError` that says what came."""
    array = as_array(name, value)
    if array.dtype.type not in FLOATS:
        raise TypeError(
            f"{name}: got dtype {array.dtype}, expected float16, float32 or float64; "
            "convert on purpose, for example with .astype(float)"
        )
    if array.ndim < min_ndim:
        raise ValueError(f"{name}: got shape {array.shape}, expected at least {min_ndim} axes")
    return array


def compute_dtype(*arrays: np.ndarray) -> tuple[np.dtype, np.dtype]:
    """`(dtype to compute in, dtype of the result)`: float16 is computed in float32."""
    result = np.result_type(*arrays).newbyteorder("=")
    return np.result_type(result, np.float32), result


def lowest(dtype: np.dtype) -> float:
    """The most negative finite number."""
    return -RANGES[dtype.type][1]


def same_shape(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    """Refuse an array whose shape is not exactly `shape`."""
    if array.shape != tuple(shape):
        raise ValueError(f"{name}: got shape {array.shape}, expected {tuple(shape)}")


def whole_number(name: str, value, *, least: int | None = None) -> int:
    """`value` as an `int` (no bool, no float), at least `least`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise TypeError(f"{name}: got {value!r}, expected an integer")
    if least is not None and value < least:
        raise ValueError(f"{name}: got {value}, expected {least} or more")
    return int(value)


def number(name: str, value) -> float:
    """`value` as a finite `float`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name}: got {value!r}, expected a number")
    try:
        value = float(value)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ValueError(f"{name}: got {value}, expected a finite number")
    return value


def held_by(name: str, value: float | None, dtype: np.dtype) -> float | None:
    """`value`, if the dtype to compute in can hold it: 1e39 is infinite in float32, 1e-50 is zero."""
    smallest, largest = RANGES[dtype.type]
    if value is not None and not smallest <= abs(value) <= largest:
        raise ValueError(f"{name}: got {value}, expected a number within the range of {dtype}")
    return value


def check_scale(scale, d_k: int) -> float:
    """The factor on the scores; `None` means 1/√d_k."""
    if scale is None:
        return 1 / math.sqrt(d_k)
    scale = number("scale", scale)
    if scale == 0:
        raise ValueError("scale: got 0, which makes all scores equal; expected a non-zero number, or None for 1/√d_k")
    return scale


def check_softcap(softcap) -> float | None:
    """The bound c of c·tanh(scores / c), or None for no bound."""
    if softcap is None:
        return None
    softcap = number("softcap", softcap)
    if softcap <= 0:
        raise ValueError(f"softcap: got {softcap}, expected a number above 0, or None for no cap")
    return softcap


def check_window(window, causal) -> tuple[int | None, int | None]:
    """`(left, right)`: a query at p sees p - left <= j <= p + right. Causal closes the right side."""
    if not isinstance(causal, (bool, np.bool_)):
        raise TypeError(f"causal: got {causal!r}, expected True or False")
    if window is None:
        window = (None, None)
    if not isinstance(window, (tuple, list)) or len(window) != 2:
        raise TypeError(f"window: got {window!r}, expected a pair (left, right) of integers or None")
    sides = (None if side is None else whole_number("window", side, least=0) for side in window)
    left, right = (None if side is None or side > 2 * FAR else side for side in sides)  # so far is as good as open
    return left, 0 if causal else right


def check_offset(offset, batch: tuple[int, ...]) -> np.ndarray:
    """Position of the first query: an integer, or integers over the batch axes."""
    if type(offset) is int and abs(offset) <= FAR:
        return np.array(offset)  # the usual case, and the quick one
    offset = int_array("offset", offset)
    if offset.ndim and not broadcasts(offset.shape, batch):
        raise ValueError(f"offset: got shape {offset.shape}, expected an integer or shape {batch}, the batch axes")
    return offset


def check_mask(mask, shape: tuple[int, ...]) -> np.ndarray | None:
    """A boolean or additive mask, broadcast to the shape of the scores: a view, not a copy."""
    if mask is None:
        return None
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


def check_qkv(q, k, v) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries, keys and values whose axes fit together."""
    q, k, v = (float_array(name, x, min_ndim=2) for name, x in (("q", q), ("k", k), ("v", v)))
    for name, x in (("k", k), ("v", v)):
        if x.ndim != q.ndim:
            raise ValueError(f"{name}: got {x.ndim} axes, shape {x.shape}, expected {q.ndim} as q, shape {q.shape}")
    if q.shape[-1] == 0:
        raise ValueError(f"q: got shape {q.shape}, expected a width d_k of at least 1")
    if k.shape[-1] != q.shape[-1]:
        raise ValueError(f"k: got width {k.shape[-1]}, expected {q.shape[-1]}, the width d_k of q")
    if v.shape[-2] != k.shape[-2]:
        raise ValueError(f"v: got {v.shape[-2]} values, expected {k.shape[-2]}, one for each key")
    if v.shape[:-2] != k.shape[:-2]:
        raise ValueError(f"v: got leading axes {v.shape[:-2]}, expected {k.shape[:-2]} as k")
    if k.shape[:-3] != q.shape[:-3]:
        raise ValueError(f"k: got batch axes {k.shape[:-3]}, expected {q.shape[:-3]} as q")
    if q.ndim > 2:
        check_groups("k", k.shape[-3], q.shape[-3])
    return q, k, v


def check_groups(name: str, kv_heads: int, heads: int) -> None:
    """Every key/value head serves the same number of query heads."""
    if heads != kv_heads and (kv_heads == 0 or heads == 0 or heads % kv_heads):
        raise ValueError(f"{name}: got {kv_heads} heads, expected a number that divides {heads}, the query heads")


def check_attention(q, k, v, *, mask, causal, scale, softcap, window, offset) -> AttentionArguments:
    """All arguments of an attention call, checked and with defaults filled in."""
    q, k, v = check_qkv(q, k, v)
    compute, result = compute_dtype(q, k, v)
    left, right = check_window(window, causal)
    offset = check_offset(offset, q.shape[:-3])
    if offset.ndim and offset.size and (offset == offset.flat[0]).all():
        offset = offset.flat[0].reshape(())  # the same for all is as good as one
    return AttentionArguments(
        q=q.astype(compute, copy=False),
        k=k.astype(compute, copy=False),
        v=v.astype(compute, copy=False),
        mask=check_mask(mask, (*q.shape[:-1], k.shape[-2])),
        left=left,
        right=right,
        offset=offset,
        scale=held_by("scale", check_scale(scale, q.shape[-1]), compute),
        softcap=held_by("softcap", check_softcap(softcap), compute),
        dtype=result,
    )
