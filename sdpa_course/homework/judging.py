"""Compare answers with the right ones, and name the mistake. No student's code runs here.

Every message says what was tried, what the answer was, what was expected and where to read.
"""

import textwrap
from typing import NamedTuple

import numpy as np

from .answers import Answer, plain
from .tasks import Case, Mistake, Task

WIDTH = 110
AS_GIVEN = "as given"  # the mistake of having changed nothing yet, where there is a bug to find
NO_MAXIMUM = "no maximum"
COARSE = 1e-3  # tolerance once float32 is involved: its sums over a few hundred terms are good to about 1e-5


class CheckResult(NamedTuple):
    """Whether an answer is right, and what to tell the student."""

    state: str  # "passed", "wrong" or "unanswered"
    message: str
    mistake: str = ""  # the name of the mistake, if it was recognised
    case: int = 0  # which case was the first wrong one

    @property
    def passed(self) -> bool:
        """Is the answer right?"""
        return self.state == "passed"


def judge(task: Task, cases: list[Case], answers: list[Answer]) -> CheckResult:
    """Is every answer right? If not, say what went wrong with the first wrong one."""
    if len(cases) != len(answers):
        raise ValueError(f"answers: got {len(answers)}, expected {len(cases)}, one for each case")
    if any(answer.unanswered for answer in answers):
        return CheckResult("unanswered", f"{task.title}: not answered yet.")
    if task.outputs:
        answers = [unpacked(answer, len(task.outputs)) for answer in answers]
    if task.wants_number:
        answers = [answer._replace(arrays=tuple(map(single, answer.arrays))) for answer in answers]
    rights = [solve(task.right, case) for case in cases]
    wrong = next((i for i, answer in enumerate(answers) if not agrees(task, cases[i], answer, rights[i])), None)
    if wrong is None:
        return CheckResult("passed", f"{task.title}: right.")
    mistake = recognise(task, cases, answers, wrong)
    lines = {
        "Tried": describe_inputs(cases[wrong]),
        "Got": describe(task, cases[wrong], answers[wrong], rights[wrong]),
        "Expected": expectation(task, cases[wrong], answers[wrong], rights[wrong]),
        "Hint": mistake.hint if mistake else "",
        "Read": (mistake.read if mistake else "") or task.read,
    }
    shown = [row(title, text) for title, text in lines.items() if text]
    message = "\n".join([f"{task.title}: not right yet.", *shown])
    return CheckResult("wrong", message, mistake.name if mistake else "", wrong)


def row(title: str, text: str) -> str:
    """One line of a message, or several if it is long, the text in a column of its own."""
    first = f"  {title:<9} "
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=" " * len(first))


def unpacked(answer: Answer, parts: int) -> Answer:
    """A list [dq, dk] that became one array because its parts have one shape, as the parts again."""
    if len(answer.arrays) == 1 and not answer.several and answer.arrays[0].shape[:1] == (parts,):
        return Answer(tuple(answer.arrays[0]), several=True)
    return answer


def single(array: np.ndarray) -> np.ndarray:
    """A number in brackets, [0.98], as the number."""
    return array.reshape(()) if array.size == 1 else array


def solve(function, case: Case) -> Answer:
    """A right answer, or a mistake's: from our own functions, computed in float64 whatever the inputs are."""
    wide = {n: v.astype(np.float64) if np.asarray(v).dtype == np.float32 else v for n, v in case.items()}
    with np.errstate(all="ignore"):
        return plain(function(*wide.values()))


def recognise(task: Task, cases: list[Case], answers: list[Answer], wrong: int) -> Mistake | None:
    """The mistake that gives what came in every case; else, of an answer with two mistakes, the one shown first."""
    if answers[wrong].problem.startswith("OverflowError"):  # math.exp raises where np.exp gives an infinity
        return next((mistake for mistake in task.mistakes if mistake.name == NO_MAXIMUM), None)
    for which in (range(len(cases)), (wrong,)):
        for mistake in task.mistakes:
            if len(which) < len(cases) and mistake.name == AS_GIVEN:
                continue  # something has been mended already
            if all(agrees(task, cases[i], answers[i], solve(mistake.gives, cases[i])) for i in which):
                return mistake
    return None


def agrees(task: Task, case: Case, answer: Answer, other: Answer) -> bool:
    """Same number of arrays, same shapes, same values up to rounding; NaN agrees with NaN."""
    if answer.problem or len(answer.arrays) != len(other.arrays):
        return False
    return all(a.shape == b.shape and close(task, case, a, b) for a, b in zip(answer.arrays, other.arrays, strict=True))


def close(task: Task, case: Case, came: np.ndarray, right: np.ndarray) -> bool:
    """Equal up to the task's tolerance, relative to the largest right entry; coarser where float32 was used."""
    tolerance = task.tolerance
    if any(np.asarray(value).dtype == np.float32 for value in case.values()):
        tolerance = max(tolerance, COARSE)
    elif came.dtype == np.float32:
        tolerance = max(tolerance, COARSE / 10)
    finite = np.abs(right[np.isfinite(right)])
    size = finite.max() if finite.size and finite.max() > 0 else 1.0
    return bool(np.allclose(came, right, rtol=0, atol=tolerance * size, equal_nan=True))


def describe_inputs(case: Case) -> str:
    """The inputs in words: shapes of arrays, values of numbers."""
    return ", ".join(
        f"{name} of shape {value.shape}" if np.ndim(value) else f"{name} = {value}" for name, value in case.items()
    )


def describe(task: Task, case: Case, answer: Answer, right: Answer) -> str:
    """What came, in words: the problem, the wrong shape, or the first wrong value."""
    if answer.problem:
        return answer.problem
    if len(answer.arrays) != len(right.arrays):
        return f"{len(answer.arrays)} results" if answer.several else f"one result of shape {answer.arrays[0].shape}"
    part = first_difference(task, case, answer, right)
    name, array = part_name(task, part), answer.arrays[part]
    if array.shape != right.arrays[part].shape:
        return f"{name}shape {array.shape}" if array.ndim else f"{name}a single number"
    return f"{name}{spot(array, right.arrays[part])}"


def expectation(task: Task, case: Case, answer: Answer, right: Answer) -> str:
    """What was expected, as far as it may be said: a number that was asked for is not given away."""
    if len(answer.arrays) != len(right.arrays) and not answer.problem:
        return f"{len(right.arrays)} results: {', '.join(task.outputs)}" if len(right.arrays) > 1 else "one result"
    if task.wants_number:
        return task.asks
    if answer.problem:
        return f"{task.asks}, shape " + " and ".join(str(array.shape) for array in right.arrays)
    part = first_difference(task, case, answer, right)
    name, came, array = part_name(task, part), answer.arrays[part], right.arrays[part]
    if came.shape != array.shape:
        return f"{name}shape {array.shape}" if array.ndim else f"{name}a single number"
    return f"{name}{spot(array, came)} ({task.asks})"


def first_difference(task: Task, case: Case, answer: Answer, right: Answer) -> int:
    """Which of several results is the first wrong one."""
    pairs = enumerate(zip(answer.arrays, right.arrays, strict=True))
    return next(i for i, (came, wanted) in pairs if came.shape != wanted.shape or not close(task, case, came, wanted))


def part_name(task: Task, part: int) -> str:
    """`dq: ` where there are several results, nothing where there is one."""
    return f"{task.outputs[part]}: " if task.outputs else ""


def spot(array: np.ndarray, other: np.ndarray) -> str:
    """The value of `array` where it differs most from `other`."""
    if array.ndim == 0:
        return f"{array:.6g}"
    gap = np.nan_to_num(np.abs(array - other), nan=np.inf)
    where = np.unravel_index(np.argmax(gap), gap.shape) if array.size else ()
    return f"entry {[int(i) for i in where]} is {array[where]:.6g}" if array.size else "an empty array"
