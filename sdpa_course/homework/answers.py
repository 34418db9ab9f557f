"""Ask a student's function for its answers. Nothing is judged here.

What comes back is plain: lists of float arrays, or one sentence about what happened instead. The
class's grading runs this file in the student's process and everything else outside of it.
"""

import dis
import linecache
import warnings
from typing import NamedTuple

import numpy as np

UNANSWERED = (None, Ellipsis, NotImplemented)
NO_RETURN = "your function returned None: is there a return at its end?"
LARGEST = 20_000  # numbers in one answer; no task needs a tenth of that


class Answer(NamedTuple):
    """What came for one case: `arrays`, or none of them and a `problem` in words (empty: not answered yet)."""

    arrays: tuple[np.ndarray, ...] = ()
    problem: str = ""
    several: bool = False  # a tuple or list of arrays came, rather than one array or number

    @property
    def unanswered(self) -> bool:
        """Nothing came, and nothing went wrong."""
        return not self.arrays and not self.problem


def ask(answer, cases: list[dict]) -> list[Answer]:
    """The student's `answer` to each case: a function is called with the inputs, a number stands for itself."""
    return [call(answer, case) if callable(answer) else plain(answer) for case in cases]


def call(function, case: dict) -> Answer:
    """Call the student's function with copies of the inputs, and say so if it changed one of them."""
    inputs = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in case.items()}
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(*inputs.values())
    except NotImplementedError:
        return Answer()
    except Exception as error:
        return Answer(problem=f"{type(error).__name__}: {words_of(error)}{blame(function, error)}")
    answer = plain(result)
    if answer.unanswered:
        return answer if empty(function) else Answer(problem=NO_RETURN)
    for name, value in inputs.items():
        if isinstance(value, np.ndarray) and not np.array_equal(value, case[name], equal_nan=value.dtype.kind == "f"):
            return Answer(problem=f"your function changed its argument {name} in place; work on a copy of it")
    return answer


def plain(result) -> Answer:
    """The result as float arrays, whatever kind of numbers it came as."""
    if any(result is nothing for nothing in UNANSWERED):
        return Answer()
    several = isinstance(result, tuple) and not all(np.isscalar(part) for part in result)
    if isinstance(result, list) and any(isinstance(part, np.ndarray) for part in result):
        several = len({np.shape(part) for part in result}) > 1  # [dq, dk, dv]; rows of one shape are one array
    parts = tuple(result) if several else (result,)
    if any(part is nothing for part in parts for nothing in UNANSWERED):
        return Answer()
    try:
        arrays = tuple(np.array(part) for part in parts)
    except Exception as error:
        if several:
            return Answer(problem="got a tuple whose parts aren't all arrays; return only what is asked for")
        return Answer(problem=f"the result isn't an array of numbers ({type(error).__name__}: {error})")
    for array in arrays:
        if array.dtype.kind in "US":
            return Answer(problem="got text, expected a number; write it without quotes")
        if array.dtype.kind not in "fiub":
            return Answer(problem=f"the result isn't an array of real numbers: its dtype is {array.dtype}")
        if array.size > LARGEST:
            return Answer(problem=f"the result has shape {array.shape}: far too many numbers")
    kept = (np.float32, np.float64)
    return Answer(tuple(a if a.dtype.type in kept else a.astype(np.float64) for a in arrays), several=several)


def words_of(error: Exception) -> str:
    """An exception's message; a student's own exception may fail to give one."""
    try:
        return str(error)[:300]
    except Exception:
        return "(no message)"


def empty(function) -> bool:
    """Is this still the stub, which does nothing?"""
    code = getattr(function, "__code__", None)
    return code is None or len(list(dis.get_instructions(code))) <= 3  # resume, load None, return it


def blame(function, error: Exception) -> str:
    """The line of the student's own code that raised, if it can be told."""
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    line, traceback = None, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == file:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    text = linecache.getline(file, line).strip() if file and line else ""
    return f" (in the line: {text})" if text else ""
