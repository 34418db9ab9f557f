"""Where you are in a problem set, and our solution to one task at a time, once you've tried."""

import json
import os
import re
from pathlib import Path

from .judging import CheckResult, row
from .tasks import Task, find_task, tasks_of

TRIES = 3  # different wrong answers, after which a task counts as tried
OFF = "SDPA_SOLUTIONS"  # an environment variable: "off" keeps the solutions closed

_checked: dict[str, list[CheckResult]] = {}  # by task: its different results in this session, the newest last


def remember(task: Task, result: CheckResult) -> None:
    """Keep what a check said, until Python is restarted."""
    results = _checked.setdefault(task.name, [])
    if result in results:
        results.remove(result)
    results.append(result)


def progress(problem_set: str) -> None:
    """Print what's right, what's open, the points so far and what to do next, going by the checks of this session."""
    tasks = tasks_of(problem_set).values()
    earned = sum(task.points for task in tasks if state(task) == "passed")
    print(f"{problem_set}: {earned} of {sum(task.points for task in tasks)} points that are checked by code")
    for words, which in (("right", "passed"), ("not right yet", "wrong"), ("not answered yet", "unanswered")):
        names = [f"{task.title} ({task.points})".replace(" (", "\u00a0(") for task in tasks if state(task) == which]
        if names:
            print(row(words, "; ".join(names), width=17))
    checked = any(task.name in _checked for task in tasks)
    first = "choose Run → Run All Cells, so that every check runs once, and look here again."
    print(row("next", next_step([task for task in tasks if state(task) != "passed"]) if checked else first, width=17))


def state(task: Task) -> str:
    """What the last check of a task said; a task that wasn't checked counts as unanswered."""
    return _checked[task.name][-1].state if task.name in _checked else "unanswered"


def next_step(left: list[Task]) -> str:
    """One sentence: what to do about the first task that isn't right."""
    for task in left:
        if state(task) == "wrong":
            stuck = f' Stuck? solution("{task.name}") shows ours.' if tried(task) and find_solutions() else ""
            return f"{task.title}. Its check says what it tried and what it got.{stuck}"
    if left:
        return f"{left[0].title}. Write your answer, run its cell, then the check below it."
    return "the questions that a person reads; the table at the top says how many points they bring. Then hand it in."


def tried(task: Task) -> bool:
    """Whether an answer was right, or several different ones were wrong."""
    results = _checked.get(task.name, [])
    return any(result.passed for result in results) or sum(result.state == "wrong" for result in results) >= TRIES


def solution(name: str) -> None:
    """Print our solution of one task, once yours was right or three different ones were wrong.

    Parameters
    ----------
    name : str
        The task, such as "ps03.softmax".
    """
    task = find_task(name)
    folder = find_solutions()
    if folder is None:
        print("There are no solutions here. Ask whoever handed out the problem set.")
    elif not tried(task):
        wrong = sum(result.state == "wrong" for result in _checked.get(task.name, []))
        print(f"Try it first: ours opens once yours is right, or after {TRIES} different results ({wrong} so far).")
    else:
        print(read_solution(folder, task))


def find_solutions(start: Path | None = None) -> Path | None:
    """The folder solutions/ beside the student's work or above it; None if there's none, or it's kept closed."""
    if os.environ.get(OFF) == "off":
        return None
    here = (start or Path.cwd()).resolve()
    folders = (place / "solutions" for place in (here, *here.parents))
    return next((folder for folder in folders if (folder / "ps01/ps01.ipynb").is_file()), None)


def read_solution(folder: Path, task: Task) -> str:
    """The lines of the solution's notebook that answer a task."""
    problem_set = task.name.partition(".")[0]
    cells = json.loads((folder / problem_set / f"{problem_set}.ipynb").read_text(encoding="utf-8"))["cells"]
    ids = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in cells]
    source = "".join(cells[ids.index(task.answer_name)]["source"])
    return re.sub(r"^ *### (BEGIN|END) SOLUTION\n?", "", source, flags=re.MULTILINE).rstrip()
