"""Give one submission its marks and a state. The student's code ran elsewhere; here we only see its numbers."""

import io
import itertools
import json
from typing import NamedTuple

import numpy as np

from sdpa_course.homework.judging import CheckResult, judge
from sdpa_course.homework.tasks import Task, tasks_of

from .messages import encode, read_answers
from .running import Outcome, run
from .sandbox import Limits, Sandbox
from .submissions import Cell, Submission

DTYPES = (np.float64, np.float64, np.float32)  # one draw of inputs each
MOST_LINES, LONGEST_LINE = 20_000, 4 * 1024**2  # of what the student's process sends
GRADED, FAILURES = "graded", "graded with failures"
TIMED_OUT, OUT_OF_MEMORY, CRASHED, UNREADABLE = "timed out", "out of memory", "crashed", "unreadable"
STATES = (GRADED, FAILURES, TIMED_OUT, OUT_OF_MEMORY, CRASHED, UNREADABLE)


class Printed(NamedTuple):
    """What one cell printed, and the error that ended it, if any."""

    text: str = ""
    error: str = ""


class Result(NamedTuple):
    """The result of grading one submission."""

    submission: Submission
    state: str
    reason: str
    digest: str = ""
    marks: dict[str, float] = {}  # noqa: RUF012 (never changed)
    messages: dict[str, str] = {}  # noqa: RUF012
    cells: tuple[Cell, ...] = ()
    printed: dict[int, Printed] = {}  # noqa: RUF012 (by the cell's place)
    failed: str = ""  # why the grader itself failed, if it did; then the rest says nothing about the submission
    called: dict[str, tuple[str, ...]] = {}  # noqa: RUF012 (by task: functions of the package that the answer called)
    mistakes: dict[str, str] = {}  # noqa: RUF012 (by task, for wrong answers only: the mistake's name, or "" if unknown)


def mark(
    problem_set: str, cells: list[Cell], digest: str, uid: int, *, limits: Limits, sandbox: Sandbox | None
) -> dict:
    """Run and judge one submission, here or on another machine; returns most fields of its `Result`."""
    tasks = tasks_of(problem_set)
    seed = int(digest[:8], 16)  # different inputs for each submission, the same ones when it's graded again
    draws = {
        name: [task.draw(seed + i, dtype, hidden=True) for i, dtype in enumerate(DTYPES)]
        for name, task in tasks.items()
    }
    job = json.dumps(make_job(cells, tasks, draws, limits, uid if sandbox else 0, sandbox is not None)).encode()
    outcome = run(job, limits, sandbox=sandbox)
    printed, answers, done = read_messages(outcome.output, tasks)
    results = {name: judge_draws(task, draws[name], answers.get(name)) for name, task in tasks.items()}
    state, reason = summarise(outcome, done, printed, answers, results, cells, limits)
    return {
        "state": state,
        "reason": reason,
        "marks": {name: float(tasks[name].points * result.passed) for name, result in results.items()},
        "messages": {name: result.message for name, result in results.items()},
        "printed": printed,
        "called": {name: result.called for name, result in results.items() if result.called},
        "mistakes": {name: result.mistake for name, result in results.items() if result.state == "wrong"},
    }


def make_job(cells: list[Cell], tasks: dict[str, Task], draws: dict, limits: Limits, uid: int, sandboxed: bool):
    """What the student's process is told: cells, inputs and limits. The source of the test cells isn't included."""
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
            "sandboxed": sandboxed,
            "memory": limits.memory,
            "processes": limits.processes if sandboxed else None,  # elsewhere the instructor's own would count
            "file": limits.disk,
            "cell_seconds": limits.cell_seconds,
        },
    }


def read_messages(output: bytes, tasks: dict[str, Task]) -> tuple[dict[int, Printed], dict[str, object], bool]:
    """What each cell printed, the answers to each task, and whether the end was reached. Nonsense is skipped."""
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


def judge_draws(task: Task, draws: list, entries) -> CheckResult:
    """The result on the first draw of inputs that failed, or on the last one."""
    if entries is None:
        return CheckResult("unanswered", f"{task.title}: the notebook stopped before this task was tried.")
    answers = read_answers(entries, sum(len(cases) for cases in draws))
    for cases in draws:
        result = judge(task, cases, answers[: len(cases)])
        if not result.passed:
            break
        answers = answers[len(cases) :]
    return result


def summarise(outcome: Outcome, done: bool, printed: dict, answers: dict, results: dict, cells: list, limits: Limits):
    """One state and one sentence, from how the process ended and what it sent."""
    where = f"in {describe_cell(1 + max(printed, default=-1), cells)} or soon after"
    troubles = [(describe_cell(number, cells), cell.error) for number, cell in sorted(printed.items())]
    troubles += [
        (f"the answer to {name}", str(entry.get("problem")))
        for name, entries in answers.items()
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
    ]
    slow = [place for place, error in troubles if error.startswith(("OutOfTime", "your answer took more than"))]
    greedy = [place for place, error in troubles if error.partition(":")[0].endswith("MemoryError")]
    if outcome.reason == "memory":
        return OUT_OF_MEMORY, f"used more than {limits.memory / 1024**3:g} GB of memory, {where}"
    if greedy:
        return OUT_OF_MEMORY, f"{greedy[0]} asked for more than {limits.memory / 1024**3:g} GB of memory"
    if outcome.reason == "time" and not done:
        return TIMED_OUT, f"stopped after {limits.seconds:g} seconds in total, {where}"
    if slow:
        return TIMED_OUT, f"{slow[0]} took more than {limits.cell_seconds:g} seconds and was stopped"
    if outcome.reason == "output":
        return CRASHED, f"stopped after sending more than {limits.output // 1024**2} MB of results, {where}"
    if not done:
        return CRASHED, f"Python stopped before the end of the notebook (a crash, a kill or os._exit), {where}"
    wrong = [name for name, result in results.items() if result.state == "wrong"]
    missing = [name for name, result in results.items() if result.state == "unanswered"]
    parts = [f"{words}: {', '.join(names)}" for words, names in (("wrong", wrong), ("not answered", missing)) if names]
    return (FAILURES, "; ".join(parts)) if parts else (GRADED, "everything the code can check is right")


def describe_cell(number: int, cells: list[Cell]) -> str:
    """A cell's number and how it begins, so that the student can find it."""
    if not 0 <= number < len(cells):
        return "the last cell"
    begins = next((line.strip() for line in cells[number].source.splitlines() if line.strip()), "")
    shown = "".join(c if c.isprintable() else "?" for c in begins[:40])  # may be printed on a terminal
    return f"cell {number + 1} ({shown})" if shown else f"cell {number + 1}"
