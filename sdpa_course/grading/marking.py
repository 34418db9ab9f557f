"""Give marks and a state to one submission. The student's code has run elsewhere; here are only its numbers."""

import io
import itertools
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..homework.judging import Verdict, judge
from ..homework.tasks import Task, tasks_of
from .messages import encode, read_answers
from .sandbox import Ended, Limits, run
from .submissions import Cell, Submission, Unreadable, digest, read

DTYPES = (np.float64, np.float64, np.float32)  # of the draws that a submission is tried on
MOST_LINES, LONGEST_LINE = 20_000, 4 * 1024**2  # of what a student's process says
GRADED, FAILURES = "graded", "graded with failures"
TIMED_OUT, OUT_OF_MEMORY, CRASHED, UNREADABLE = "timed out", "out of memory", "crashed", "unreadable"
STATES = (GRADED, FAILURES, TIMED_OUT, OUT_OF_MEMORY, CRASHED, UNREADABLE)


class Printed(NamedTuple):
    """What one cell printed, and the error that ended it, if one did."""

    text: str = ""
    error: str = ""


class Result(NamedTuple):
    """What grading one submission came to."""

    submission: Submission
    state: str
    reason: str
    digest: str = ""
    marks: dict[str, float] = {}  # noqa: RUF012 (never changed)
    messages: dict[str, str] = {}  # noqa: RUF012
    cells: tuple[Cell, ...] = ()
    printed: dict[int, Printed] = {}  # noqa: RUF012 (by the cell's place)


def mark(submission: Submission, limits: Limits, *, bwrap: str | None, uid: int, scratch: Path) -> Result:
    """Read, run and judge one submission. Whatever is in it, a result comes back."""
    try:
        data, cells = read(submission)
    except Unreadable as problem:
        return Result(submission, UNREADABLE, str(problem))
    tasks = tasks_of(submission.problem_set)
    mark_of_data = digest(data, submission.problem_set)
    first = int(mark_of_data[:8], 16)  # other inputs for each submission, and the same ones if it is graded again
    draws = {name: [task.draw(first + i, dtype) for i, dtype in enumerate(DTYPES)] for name, task in tasks.items()}
    job = scratch / "job.json"
    job.write_text(json.dumps(make_job(cells, tasks, draws, limits, uid, bwrap is not None)), encoding="utf-8")
    job.chmod(0o644)
    ended = run(job, limits, bwrap=bwrap, scratch=scratch)
    printed, answers, done = read_messages(ended.output, tasks)
    verdicts = {name: decide(task, draws[name], answers.get(name)) for name, task in tasks.items()}
    state, reason = conclude(ended, done, printed, answers, verdicts, cells, limits)
    return Result(
        submission,
        state,
        reason,
        mark_of_data,
        {name: float(tasks[name].points * verdict.passed) for name, verdict in verdicts.items()},
        {name: verdict.message for name, verdict in verdicts.items()},
        tuple(cells),
        printed,
    )


def make_job(cells: list[Cell], tasks: dict[str, Task], draws: dict, limits: Limits, uid: int, alone: bool) -> dict:
    """What the student's process is told: the cells, and the inputs. A test cell's source is not among it."""
    tests = {f"{name}-test": name for name in tasks}
    return {
        "cells": [
            {"source": cell.source if cell.kind == "code" else "", "task": tests.get(cell.grade_id)} for cell in cells
        ],
        "tasks": {
            name: {
                "answer": task.answer_name,
                "cases": [{key: encode(value) for key, value in case.items()} for draw in draws[name] for case in draw],
            }
            for name, task in tasks.items()
        },
        "limits": {
            "uid": uid,
            "alone": alone,
            "memory": limits.memory,
            "processes": limits.processes if alone else None,  # outside a sandbox it would count the instructor's own
            "file": limits.disk,
            "cell_seconds": limits.cell_seconds,
        },
    }


def read_messages(output: bytes, tasks: dict[str, Task]) -> tuple[dict[int, Printed], dict[str, object], bool]:
    """What each cell printed, what each task was answered, and whether the end was reached. Nonsense is left out."""
    printed, answers, done = {}, {}, False
    for line in itertools.islice(io.BytesIO(output), MOST_LINES):
        if not line.startswith(b'{"') or len(line) > LONGEST_LINE:
            continue
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(message, dict):
            continue
        if type(message.get("cell")) is int:
            text, error = str(message.get("printed", "")), str(message.get("error", ""))
            printed[message["cell"]] = Printed(text.encode("utf-8", "replace").decode()[:20_000], error[:500])
        if isinstance(message.get("task"), str) and message["task"] in tasks:
            answers[message["task"]] = message.get("answers")
        done = done or message.get("done") is True
    return printed, answers, done


def decide(task: Task, draws: list, entries) -> Verdict:
    """The verdict on the first draw of inputs that was not passed, or on the last one."""
    if entries is None:
        return Verdict("unanswered", f"{task.title}: the notebook ended before this task was tried.")
    answers = read_answers(entries, sum(len(cases) for cases in draws))
    for cases in draws:
        verdict = judge(task, cases, answers[: len(cases)])
        if not verdict.passed:
            break
        answers = answers[len(cases) :]
    return verdict


def conclude(ended: Ended, done: bool, printed: dict, answers: dict, verdicts: dict, cells: list, limits: Limits):
    """One state and one sentence, from how the process ended and what came out of it."""
    where = f"at {place_of(1 + max(printed, default=-1), cells)} or soon after it"
    troubles = [(place_of(number, cells), cell.error) for number, cell in sorted(printed.items())]
    troubles += [
        (f"the answer to {name}", str(entry.get("problem")))
        for name, entries in answers.items()
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
    ]
    slow = [place for place, error in troubles if error.startswith(("OutOfTime", "your answer took more than"))]
    greedy = [place for place, error in troubles if error.partition(":")[0].endswith("MemoryError")]
    if ended.reason == "memory":
        return OUT_OF_MEMORY, f"more than {limits.memory / 1024**3:g} GB of memory were used, {where}"
    if greedy:
        return OUT_OF_MEMORY, f"{greedy[0]} asked for more than {limits.memory / 1024**3:g} GB of memory"
    if ended.reason == "time" and not done:
        return TIMED_OUT, f"stopped after {limits.seconds:g} seconds in all, {where}"
    if slow:
        return TIMED_OUT, f"{slow[0]} took more than {limits.cell_seconds:g} seconds and was stopped"
    if ended.reason == "output":
        return CRASHED, f"more than {limits.said // 1024**2} MB of results came out; grading was stopped, {where}"
    if not done:
        return CRASHED, f"Python ended before the notebook was through (a crash, a kill or os._exit), {where}"
    wrong = [name for name, verdict in verdicts.items() if verdict.state == "wrong"]
    missing = [name for name, verdict in verdicts.items() if verdict.state == "unanswered"]
    parts = [
        f"{words}: {', '.join(names)}" for words, names in (("not right", wrong), ("not answered", missing)) if names
    ]
    return (FAILURES, "; ".join(parts)) if parts else (GRADED, "everything that code can check is right")


def place_of(number: int, cells: list[Cell]) -> str:
    """A cell as a student would find it: its number, and how it begins."""
    if not 0 <= number < len(cells):
        return "the last cell"
    begins = next((line.strip() for line in cells[number].source.splitlines() if line.strip()), "")
    shown = "".join(c if c.isprintable() else "?" for c in begins[:40])  # it may be printed on a terminal
    return f"cell {number + 1} ({shown})" if shown else f"cell {number + 1}"
