"""Numbers and arrays as lines of plain text, in and out of a sandbox. Never pickle.

What comes out was written by a stranger: every field is checked before it is used.
"""

import base64
import binascii
import math

import numpy as np

from ..homework.answers import LARGEST, Answer

DTYPES = ("float32", "float64", "bool", "int64")


def encode(value):
    """An array as dtype, shape and base64; a number as itself."""
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.name not in DTYPES:
        raise ValueError(f"value: got dtype {value.dtype}, expected one of {', '.join(DTYPES)}")
    data = np.ascontiguousarray(value).tobytes()
    return {"dtype": value.dtype.name, "shape": list(value.shape), "data": base64.b64encode(data).decode("ascii")}


def decode(value):
    """The inverse of `encode`; a `ValueError` for anything that is not exactly of that form."""
    if not isinstance(value, dict):
        return value
    dtype, shape, data = value.get("dtype"), value.get("shape"), value.get("data")
    if dtype not in DTYPES or not isinstance(shape, list) or not isinstance(data, str) or len(shape) > 8:
        raise ValueError("an array that is none came")
    if not all(type(n) is int and 0 <= n <= LARGEST for n in shape) or math.prod(shape) > LARGEST:
        raise ValueError("an array of impossible shape came")
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("an array with unreadable data came") from None
    if len(raw) != math.prod(shape) * np.dtype(dtype).itemsize:
        raise ValueError("an array whose shape and data disagree came")
    return np.frombuffer(raw, dtype=dtype).reshape(shape)


def read_answers(entries, count: int) -> list[Answer]:
    """What a student's process says of one task, as `count` answers; nonsense becomes an answer with a problem."""
    if not isinstance(entries, list) or len(entries) != count:
        return [Answer(problem="the answers did not come out whole")] * count
    return [read_answer(entry) for entry in entries]


def read_answer(entry) -> Answer:
    """One answer: arrays, or a problem in words."""
    try:
        arrays = tuple(decode(array) for array in entry["arrays"])
        problem, several = str(entry["problem"])[:500], bool(entry["several"])
        if not all(isinstance(array, np.ndarray) and array.dtype.kind == "f" for array in arrays):
            raise ValueError("something that is no array of floats came")
    except (KeyError, TypeError, ValueError) as error:
        return Answer(problem=f"the result could not be read ({error})"[:500])
    return Answer(arrays, problem, several)
