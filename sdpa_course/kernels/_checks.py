"""The contract that every kernel keeps with its caller, in one place.

float32 in, float32 out; float64 in, float64 out; float16 is computed in float32 and returned as float16.
Integers, objects, complex numbers and masked arrays are a `TypeError`: `np.array([7, 3])` where
`np.array([7.0, 3.0])` was meant is a mistake worth hearing about, and a masked array would lose its mask
without a word. A bad value or shape is a `ValueError`. Either way the message is one sentence that names the
argument, what it got and what it expected.

Axes: B batch · H heads · Tq queries · Tk keys · Dk, Dv widths
"""

import math
import sys
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

FLOATS = (np.float16, np.float32, np.float64)
USUAL = ({np.dtype(np.float32)}, {np.dtype(np.float64)})  # dtypes of a call that needs no conversion
RANGES = {dtype: (float(np.finfo(dtype).tiny), float(np.finfo(dtype).max)) for dtype in FLOATS}
FAR = 2**40  # a position beyond this is a mistake, and the sum of two such positions still fits an int64
OPEN = 4 * FAR  # the side of a window that reaches every key, whatever the position

# Infinities and NaNs in a result speak for themselves. A warning would repeat it, from a line the caller didn't write.
quiet = np.errstate(all="ignore")


def as_array(name: str, value: Any) -> np.ndarray:
    """`value` as an array of any dtype, unless it's masked or ragged."""
    if type(value) is np.ndarray:
        return value
    if "numpy.ma" in sys.modules and is_masked(value):  # NumPy loads np.ma only once somebody uses it
        raise TypeError(
            f"{name}: got a masked array, expected a plain one, because its mask would be ignored; "
            "fill it first with .filled(), and pass what to hide as mask="
        )
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name}: got rows of different lengths, expected an array") from None


def is_masked(value: Any) -> bool:
    """Is this a masked array, or a list with one inside?"""
    if isinstance(value, (list, tuple)):
        return any(is_masked(part) for part in value)
    return isinstance(value, np.ma.MaskedArray)


def pick(name: str, key: Any, table: Mapping[str, Any]) -> Any:
    """The entry of a table that goes by the name `key`."""
    if not isinstance(key, str) or key not in table:
        raise ValueError(f"{name}: got {key!r}, expected one of {', '.join(table)}")
    return table[key]


def int_array(
    name: str, value: Any, *, low: int = -FAR, high: int = FAR, expected: str = "integers between -2**40 and 2**40"
) -> np.ndarray:
    """`value` as an array of integers from `low` to `high`; left out, they rule out only the absurd."""
    array = as_array(name, value)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: got dtype {array.dtype}, expected an integer or an array of integers")
    if array.size and not (array.min() >= low and array.max() <= high):
        raise ValueError(f"{name}: got {array.min()} to {array.max()}, expected {expected}")
    return array.astype(np.int64)


def float_array(name: str, value: Any, *, min_ndim: int = 1) -> np.ndarray:
    """`value` as an array of float16, float32 or float64."""
    array = as_array(name, value)
    if array.dtype.type not in FLOATS:
        raise TypeError(
            f"{name}: got dtype {array.dtype}, expected float16, float32 or float64; "
            "convert on purpose, for example with .astype(float)"
        )
    if array.ndim < min_ndim:
        raise ValueError(f"{name}: got shape {array.shape}, expected at least {min_ndim} axes")
    return array


def float_arrays(
    *, min_ndim: int = 1, optional: dict[str, Any] | None = None, **required: Any
) -> tuple[list[np.ndarray], np.dtype]:
    """All arguments in the dtype to compute in, and the dtype of the result. Optional ones may be None, and stay so."""
    arrays: list[Any] = [float_array(name, value, min_ndim=min_ndim) for name, value in required.items()]
    if optional:
        arrays += [None if value is None else float_array(name, value) for name, value in optional.items()]
    dtypes = {array.dtype for array in arrays if array is not None}
    if dtypes in USUAL:
        return arrays, dtypes.pop()
    result = np.result_type(*dtypes).newbyteorder("=")
    compute = np.result_type(result, np.float32)  # float16 is computed in float32
    return list(to_dtype(arrays, compute)), result


def gradient_like(name: str, value: Any, shape: tuple[int, ...], compute: np.dtype) -> np.ndarray:
    """An incoming gradient of exactly this shape, in the dtype its forward pass computed in."""
    array = float_array(name, value, min_ndim=0)
    same_shape(name, array, shape)
    return array.astype(compute, copy=False)


def to_dtype(arrays: Iterable[np.ndarray | None], dtype: np.dtype) -> tuple[Any, ...]:
    """All arrays in this dtype. None stays None."""
    return tuple(None if array is None else array.astype(dtype, copy=False) for array in arrays)


def lowest(dtype: np.dtype) -> float:
    """The most negative finite number."""
    return -RANGES[dtype.type][1]


def same_shape(name: str, array: np.ndarray | None, shape: tuple[int, ...]) -> None:
    """Refuse an array whose shape isn't exactly `shape`. None, an optional array that isn't there, is fine."""
    if array is not None and array.shape != tuple(shape):
        raise ValueError(f"{name}: got shape {array.shape}, expected {tuple(shape)}")


def check_cache(cache: Any, kind: type, forward: str) -> None:
    """A backward pass needs the cache that its own forward pass returned."""
    if not isinstance(cache, kind):
        raise TypeError(f"cache: got {type(cache).__name__}, expected the second result of {forward}")


def whole_number(name: str, value: Any, *, least: int | None = None) -> int:
    """`value` as an `int` (no bool, no float), at least `least`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise TypeError(f"{name}: got {value!r}, expected an integer")
    if least is not None and value < least:
        raise ValueError(f"{name}: got {value}, expected {least} or more")
    return int(value)


def number(name: str, value: Any, *, dtype: np.dtype | None = None) -> float:
    """`value` as a finite `float`, and one that `dtype` can hold: 1e39 is infinite in float32, 1e-50 is zero."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name}: got {value!r}, expected a number")
    try:
        as_float = float(value)
    except OverflowError:
        as_float = math.inf
    if not math.isfinite(as_float):
        raise ValueError(f"{name}: got {as_float}, expected a finite number")
    if dtype is not None and as_float:
        smallest, largest = RANGES[dtype.type]
        if not smallest <= abs(as_float) <= largest:
            raise ValueError(f"{name}: got {as_float}, expected a number within the range of {dtype}")
    return as_float
