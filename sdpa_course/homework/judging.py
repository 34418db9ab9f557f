"""Compare answers with the right ones and name the mistake. No student code runs here.

Every message says what was tried, what the answer was, what was expected, and where to read about it.
"""

import textwrap
from typing import NamedTuple

import numpy as np

from .answers import Answer, plain
from .tasks import Case, Mistake, Task

WIDTH = 110
AS_GIVEN = "as given"  # in a find-the-bug task: the given code, unchanged
NO_MAXIMUM = "no maximum"
CALLS = "your answer calls the course's own {}. The task is to write it yourself; whoever grades it sees this."
SMALL = 0.1  # the ordinary answers of most tasks are larger
COARSE = 1e-3  # tolerance for float32, whose sums over a few hundred terms are accurate to about 1e-5


class CheckResult(NamedTuple):
    """What a check says about an answer."""

    state: str  # "passed", "wrong" or "unanswered"
    message: str
    mistake: str = ""  # the name of the mistake, if recognised
    case: int = 0  # the index of the first wrong case
    called: tuple[str, ...] = ()  # functions of this package that a homework answer called

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.state == "passed"


def judge(task: Task, cases: list[Case], answers: list[Answer]) -> CheckResult:
    """Whether every answer is right and, if not, what's wrong with the first one that isn't."""
    if len(cases) != len(answers):
        raise ValueError(f"answers: got {len(answers)}, expected {len(cases)}, one for each case")
    if any(answer.unanswered for answer in answers):
        return CheckResult("unanswered", f"{task.title}: not answered yet.")
    if task.hunt:
        return judge_counterexample(task, answers[0])
    rights = [solve(task.right, case) for case in cases]
    if task.outputs:
        answers = [unpacked(answer, right) for answer, right in zip(answers, rights, strict=True)]
    if task.wants_number:
        answers = [answer._replace(arrays=tuple(map(single, answer.arrays))) for answer in answers]
    called = {name for answer in answers for name in answer.called} if task.points else set()
    called = tuple(sorted(called & set(task.noted) if task.noted else called))
    note = row("Note", CALLS.format(", ".join(called))) if called else ""
    wrong = next((i for i, answer in enumerate(answers) if not agrees(task, cases[i], answer, rights[i])), None)
    if wrong is None:
        return CheckResult("passed", "\n".join(filter(None, (f"{task.title}: right.", note))), called=called)
    mistake = recognise(task, cases, answers, wrong)
    lines = {
        "Tried": describe_inputs(cases[wrong]),
        "Got": describe(task, cases[wrong], answers[wrong], rights[wrong]),
        "Expected": expectation(task, cases[wrong], answers[wrong], rights[wrong]),
        "Hint": mistake.hint if mistake else "",
        "Read": (mistake.read if mistake else "") or task.read,
    }
    shown = [row(title, text) for title, text in lines.items() if text]
    message = "\n".join(filter(None, (f"{task.title}: not right yet.", *shown, note)))
    return CheckResult("wrong", message, mistake.name if mistake else "", wrong, called)


def judge_counterexample(task: Task, answer: Answer) -> CheckResult:
    """Whether the given function is wrong on the inputs that were found: it's run on them, and so is the right one."""
    inputs, problem = task.hunt.read(answer)
    if inputs and task.hunt.found(*inputs):
        return CheckResult("passed", f"{task.title}: right, the given function is wrong on this input.")
    trap = next((trap for trap in task.mistakes if inputs and trap.fits(*inputs)), None)
    lines = {
        "Got": problem or f"{task.hunt.describe(*inputs)}, where the given function is right, or nearly",
        "Expected": task.asks,
        "Hint": trap.hint if trap else "",
        "Read": (trap.read if trap else "") or task.read,
    }
    shown = [row(title, text) for title, text in lines.items() if text]
    return CheckResult("wrong", "\n".join((f"{task.title}: not right yet.", *shown)), trap.name if trap else "")


def row(title: str, text: str, width: int = 9) -> str:
    """One row of a message, wrapped if it's long, with the text in its own column."""
    first = f"  {title:<{width}} "
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=" " * len(first))


def unpacked(answer: Answer, right: Answer) -> Answer:
    """Split [dq, dk] into its parts again if it became one array because they have the same shape."""
    shapes = [array.shape for array in right.arrays]
    if len(answer.arrays) == 1 and [part.shape for part in np.atleast_1d(answer.arrays[0])] == shapes:
        return answer._replace(arrays=tuple(answer.arrays[0]), several=True)
    return answer


def single(array: np.ndarray) -> np.ndarray:
    """[0.98] as the number 0.98."""
    return array.reshape(()) if array.size == 1 else array


def solve(function, case: Case) -> Answer:
    """What one of our own functions, the right one or a mistake, gives; always computed in float64."""
    wide = {n: v.astype(np.float64) if np.asarray(v).dtype == np.float32 else v for n, v in case.items()}
    with np.errstate(all="ignore"):
        return plain(function(*wide.values()))


def recognise(task: Task, cases: list[Case], answers: list[Answer], wrong: int) -> Mistake | None:
    """The mistake that explains the answer in every case where there is one.

    Failing that, it's the one that explains the first wrong case, but then by more than a number or a NaN: those agree
    by accident. "As given" has to explain everything: otherwise something has been fixed already.
    """
    if answers[wrong].problem.startswith("OverflowError"):  # math.exp raises where np.exp returns infinity
        return next((mistake for mistake in task.mistakes if mistake.name == NO_MAXIMUM), None)
    shown = [i for i, answer in enumerate(answers) if not answer.problem]
    if wrong not in shown:
        return None
    telling = all(array.size > 1 and np.isfinite(array).all() for array in answers[wrong].arrays)
    for which in (shown, [wrong]):
        for mistake in task.mistakes:
            if len(which) < len(cases) and (not telling or mistake.name == AS_GIVEN):
                continue
            if all(agrees(task, cases[i], answers[i], solve(mistake.gives, cases[i])) for i in which):
                return mistake
    return None


def agrees(task: Task, case: Case, answer: Answer, other: Answer) -> bool:
    """Whether the arrays agree in number, shapes and values, up to rounding; NaN equals NaN."""
    if answer.problem or len(answer.arrays) != len(other.arrays):
        return False
    return all(a.shape == b.shape and close(task, case, a, b) for a, b in zip(answer.arrays, other.arrays, strict=True))


def close(task: Task, case: Case, got: np.ndarray, right: np.ndarray) -> bool:
    """Whether values agree within the task's tolerance, relative to the largest right entry; coarser for float32.

    Where even that is nearly 0, because everything cancels, what's left is rounding, and SMALL takes its place.
    """
    tolerance = task.tolerance
    if any(np.asarray(value).dtype == np.float32 for value in case.values()):
        tolerance = max(tolerance, COARSE)
    elif got.dtype == np.float32:
        tolerance = max(tolerance, COARSE / 3)
    finite = np.abs(right[np.isfinite(right)])
    size = max(finite.max(), SMALL) if finite.size and finite.max() > 0 else 1.0
    return bool(np.allclose(got, right, rtol=0, atol=tolerance * size, equal_nan=True))


def describe_inputs(case: Case) -> str:
    """The inputs in words: the values of numbers and targets, and the shapes of other arrays."""
    return ", ".join(
        f"{name} of shape {value.shape}{holes(value)}"
        if np.ndim(value) and value.dtype.kind != "i"
        else f"{name} = {value}"
        for name, value in case.items()
    )


def holes(array: np.ndarray) -> str:
    """How many entries of a mask are True; nothing for other arrays."""
    return f" with {array.sum()} of {array.size} entries True" if array.dtype.kind == "b" else ""


def describe(task: Task, case: Case, answer: Answer, right: Answer) -> str:
    """The answer in words: the problem, the wrong shape, or the worst wrong value."""
    if answer.problem:
        return answer.problem
    if len(answer.arrays) != len(right.arrays):
        return f"{len(answer.arrays)} results" if answer.several else f"one result, of shape {answer.arrays[0].shape}"
    part = first_difference(task, case, answer, right)
    name, array = part_name(task, part), answer.arrays[part]
    if array.shape != right.arrays[part].shape:
        return f"{name}shape {array.shape}" if array.ndim else f"{name}a single number"
    return f"{name}{spot(array, right.arrays[part])}"


def expectation(task: Task, case: Case, answer: Answer, right: Answer) -> str:
    """What was expected, without giving away a number that the task asks for."""
    if len(answer.arrays) != len(right.arrays) and not answer.problem:
        return f"{len(right.arrays)} results: {', '.join(task.outputs)}" if len(right.arrays) > 1 else "one result"
    if task.wants_number:
        return task.asks
    if answer.problem:
        return f"{task.asks}, shape " + " and ".join(str(array.shape) for array in right.arrays)
    part = first_difference(task, case, answer, right)
    name, got, array = part_name(task, part), answer.arrays[part], right.arrays[part]
    if got.shape != array.shape:
        return f"{name}shape {array.shape}" if array.ndim else f"{name}a single number"
    return f"{name}{spot(array, got)} ({task.asks})"


def first_difference(task: Task, case: Case, answer: Answer, right: Answer) -> int:
    """The index of the first wrong result."""
    pairs = enumerate(zip(answer.arrays, right.arrays, strict=True))
    return next(i for i, (got, wanted) in pairs if got.shape != wanted.shape or not close(task, case, got, wanted))


def part_name(task: Task, part: int) -> str:
    """`dq: ` if there are several results, nothing if there's only one."""
    return f"{task.outputs[part]}: " if task.outputs else ""


def spot(array: np.ndarray, other: np.ndarray) -> str:
    """The value of `array` where it differs most from `other`."""
    if array.ndim == 0:
        return f"{array:.6g}"
    gap = np.nan_to_num(np.abs(array - other), nan=np.inf)
    where = np.unravel_index(np.argmax(gap), gap.shape) if array.size else ()
    return f"entry {[int(i) for i in where]} is {array[where]:.6g}" if array.size else "an empty array"
