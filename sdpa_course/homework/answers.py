"""Run a student's function and collect its answers, without judging them.

The results are plain data: float arrays, or one sentence saying what went wrong instead. The grader
runs this file in the student's process, and everything else outside it.
"""

import contextlib
import dis
import linecache
import os
import sys
import warnings
from collections.abc import Iterator
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import NamedTuple

import numpy as np

UNANSWERED = (None, Ellipsis, NotImplemented)
NO_RETURN = "your function returned None; does it end with a return statement?"
PACKAGE = str(Path(__file__).parents[1]) + os.sep
LARGEST = 20_000  # numbers in one answer; no task needs even a tenth of that


class Answer(NamedTuple):
    """The answer to one case: `arrays`, or none and a `problem` in words. Neither means not answered yet."""

    arrays: tuple[np.ndarray, ...] = ()
    problem: str = ""
    several: bool = False  # the answer was a tuple or list of arrays, rather than one array or number
    called: tuple[str, ...] = ()  # functions of this package that the student's function called

    @property
    def unanswered(self) -> bool:
        """No answer yet, and no error either."""
        return not self.arrays and not self.problem


def ask(answer, cases: list[dict]) -> list[Answer]:
    """The student's `answer` to each case: a function is called with the inputs, a number is the answer itself."""
    if not callable(answer):
        return [plain(answer)] * len(cases)
    with watched() as called:
        answers = [call(answer, case) for case in cases]
    return [one._replace(called=tuple(sorted(called))) for one in answers]


@contextlib.contextmanager
def watched() -> Iterator[set[str]]:
    """Note which functions of this package are called from outside it, under whatever name and from however deep.

    For honest people: a function can switch this off, or copy the package's text.
    """
    called: set[str] = set()

    def notice(frame, event, argument):
        if event == "call" and ours(frame) and not ours(frame.f_back):
            called.add(frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(notice)
    try:
        yield called
    finally:
        sys.setprofile(before)


def ours(frame) -> bool:
    """Whether a frame runs the package's code, this file aside."""
    file = frame.f_code.co_filename if frame else ""
    return file.startswith(PACKAGE) and file != __file__


def call(function, case: dict) -> Answer:
    """Call the student's function with copies of the inputs, and report if it changes one of them."""
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
        return answer if empty(function) or result is ... else Answer(problem=NO_RETURN)
    for name, value in inputs.items():
        if isinstance(value, np.ndarray) and not np.array_equal(value, case[name], equal_nan=value.dtype.kind == "f"):
            return Answer(problem=f"your function changed its argument {name} in place; work on a copy instead")
    return answer


def plain(result) -> Answer:
    """The result as float arrays, whatever kind of numbers it is made of."""
    if any(result is nothing for nothing in UNANSWERED):
        return Answer()
    several = has_parts(result)
    parts = tuple(result) if several else (result,)
    missing = [any(part is nothing for nothing in UNANSWERED) for part in parts]
    if any(missing):
        return Answer() if all(missing) else Answer(problem=f"result {1 + missing.index(True)} of {len(parts)} is None")
    try:
        arrays = tuple(real(np.array(part)) for part in parts)
    except Exception as error:
        if several:
            kind = "tuple" if isinstance(result, tuple) else "list"
            return Answer(problem=f"got a {kind} whose parts aren't all arrays; return only what the task asks for")
        return Answer(problem=f"the result isn't an array of numbers ({type(error).__name__}: {words_of(error)})")
    for array in arrays:
        if array.dtype.kind in "US":
            return Answer(problem="got text, expected a number; write it without quotes")
        if array.dtype.kind not in "fiub":
            return Answer(problem=f"the result isn't an array of real numbers: its dtype is {array.dtype}")
        if array.size > LARGEST:
            return Answer(problem=f"the result has shape {array.shape}, which is far too large")
    kept = (np.float32, np.float64)
    return Answer(tuple(a if a.dtype.type in kept else a.astype(np.float64) for a in arrays), several=several)


def has_parts(result) -> bool:
    """Whether a tuple or a list holds several arrays, [dq, dk, dv], rather than the rows or the numbers of one."""
    if isinstance(result, tuple):
        return not all(np.isscalar(part) for part in result)
    if not isinstance(result, list):
        return False
    shapes = {shape_of(part) for part in result}
    tables = any(shape is None or len(shape) > 1 for shape in shapes)
    return len(shapes) > 1 and (tables or any(isinstance(part, np.ndarray) for part in result))


def shape_of(part) -> tuple[int, ...] | None:
    """The shape of an array or of lists within lists; None if they make no array."""
    try:
        return np.shape(part)
    except Exception:
        return None


def real(array: np.ndarray) -> np.ndarray:
    """Fractions, decimals and floats that hide in an array of objects, as floats; anything else as it is."""
    numbers = array.dtype.kind == "O" and all(isinstance(entry, Real | Decimal) for entry in array.flat)
    return array.astype(np.float64) if numbers else array


def words_of(error: Exception) -> str:
    """An exception's message, guarding against a student's exception that fails to give one."""
    try:
        return str(error)[:300]
    except Exception:
        return "(no message)"


def empty(function) -> bool:
    """Whether this is still the stub that does nothing."""
    code = getattr(function, "__code__", None)
    return code is None or len(list(dis.get_instructions(code))) <= 3  # resume, load None, return


def blame(function, error: Exception) -> str:
    """The line of the student's own code that raised the error, if it can be found."""
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    line, traceback = None, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == file:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    text = linecache.getline(file, line).strip() if file and line else ""
    return f" (in the line: {text})" if text else ""
