"""Numbers and arrays as plain text, on their way into and out of the sandbox. Never pickle.

Whatever comes out may be forged, so every field is checked before it's used. (`np.load` wouldn't do: it allocates as
much memory as a forged header asks for.)
"""

import base64
import binascii
import math

import numpy as np

from sdpa_course.homework.answers import LARGEST, Answer

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
    """The inverse of `encode`; `ValueError` for anything that isn't exactly of that form."""
    if not isinstance(value, dict):
        return value
    dtype, shape, data = value.get("dtype"), value.get("shape"), value.get("data")
    if dtype not in DTYPES or not isinstance(shape, list) or not isinstance(data, str) or len(shape) > 8:
        raise ValueError("not an array")
    if not all(type(n) is int and 0 <= n <= LARGEST for n in shape) or math.prod(shape) > LARGEST:
        raise ValueError("an array with an impossible shape")
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("an array with unreadable data") from None
    if len(raw) != math.prod(shape) * np.dtype(dtype).itemsize:
        raise ValueError("an array whose shape and data disagree")
    return np.frombuffer(raw, dtype=dtype).reshape(shape)


def read_answers(entries, count: int) -> list[Answer]:
    """What the student's process sent for one task, as `count` answers; nonsense becomes an answer with a problem."""
    if not isinstance(entries, list) or len(entries) != count:
        return [Answer(problem="the answers are incomplete")] * count
    return [read_answer(entry) for entry in entries]


def read_answer(entry) -> Answer:
    """One answer: arrays, or a problem in words."""
    try:
        arrays = tuple(decode(array) for array in entry["arrays"])
        problem, several = str(entry["problem"])[:500], bool(entry["several"])
        if not all(isinstance(array, np.ndarray) and array.dtype.kind == "f" for array in arrays):
            raise ValueError("not an array of floats")
    except (KeyError, TypeError, ValueError) as error:
        return Answer(problem=f"the result couldn't be read ({error})"[:500])
    return Answer(arrays, problem, several, names_in(entry.get("called")))


def names_in(called) -> tuple[str, ...]:
    """What's plausible of a list of functions that a student's process says it called."""
    names = called[:100] if isinstance(called, list) else []
    return tuple(name for name in names if isinstance(name, str) and name.isidentifier() and len(name) < 50)
