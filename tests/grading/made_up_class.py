"""A class of sixty who don't exist, in a gradebook as the grader leaves it. No student's code runs.

Every answer is one of our own functions: the right one, a mistake that its task knows, something else, or nothing. The
check judges it, and the grader stores it, so the gradebook, the records and the pages are what a real class would get.
"""

import json
import os
import sys
from pathlib import Path
from unittest.mock import patch

import nbformat
import numpy as np

from sdpa_classroom import gradebook as bookkeeping
from sdpa_classroom.files import private_files
from sdpa_classroom.gradebook import Course
from sdpa_classroom.marking import UNREADABLE, Result, summarise
from sdpa_classroom.running import Outcome
from sdpa_classroom.sandbox import Limits
from sdpa_classroom.submissions import Submission, digest, read
from sdpa_classroom.working import working_folder
from sdpa_course.homework.answers import Answer
from sdpa_course.homework.judging import CheckResult, judge, solve
from sdpa_course.homework.tasks import Task, tasks_of

ROOT = Path(__file__).parents[2]
NAMES = tuple(f"student{number:02d}" for number in range(1, 61))
STOPPED = {7: "time", 19: "memory", 23: "status 9"}  # by the student's place: how the notebook ended before its end
EMPTY, ABSENT = (31,), (40, 41, 52)  # an empty file; nothing handed in


def make_class(folder: Path, problem_sets=("ps03",), *, names=NAMES, seed: int = 28, pages: bool = False) -> Path:
    """Hand in, grade and store everything in this course folder; returns its gradebook. `pages` writes feedback too."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(1.3, 1.2, size=len(names))
    course = Course(folder, ROOT / "solutions")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic
    typeset = patch.object(bookkeeping, "feedback", bookkeeping.feedback if pages else lambda *_: "")
    with private_files(), working_folder(course), patch.dict(os.environ, PATH=path), typeset:
        with course.gradebook() as gradebook:
            for student in names:
                gradebook.update_or_create_student(student)
        for name in problem_sets:
            for place, student in enumerate(names):
                if place not in ABSENT:
                    course.write(result_of(folder, student, name, place, skill[place], rng))
            read_half(course, name, rng)
    course.close()
    return folder / "gradebook.db"


def result_of(folder: Path, student: str, problem_set: str, place: int, skill: float, rng) -> Result:
    """One student's submission, handed in and judged."""
    submission = Submission(student, problem_set, folder / "submitted" / student / problem_set / f"{problem_set}.ipynb")
    submission.path.parent.mkdir(parents=True)
    if place in EMPTY:
        submission.path.touch()
        return Result(submission, UNREADABLE, "the file is empty")
    submission.path.write_text(json.dumps(notebook(problem_set, skill, rng)), encoding="utf-8")
    data, cells = read(submission)
    tasks, ended = tasks_of(problem_set), STOPPED.get(place, "")
    results = {}
    for number, (name, task) in enumerate(tasks.items()):
        reached = not ended or number < 2
        results[name] = judged(task, skill - 0.25 * number, rng) if reached else CheckResult("unanswered", "Not tried.")
    state, reason = summarise(Outcome(b"", ended), not ended, {}, {}, results, cells, Limits())
    return Result(
        submission,
        state,
        reason,
        digest(data, problem_set),
        {name: float(tasks[name].points * result.passed) for name, result in results.items()},
        {name: result.message for name, result in results.items()},
        tuple(cells),
        mistakes={name: result.mistake for name, result in results.items() if result.state == "wrong"},
    )


def notebook(problem_set: str, skill: float, rng) -> dict:
    """The exercise with something in every answer, except that some leave a written one empty."""
    made = nbformat.read(ROOT / "exercises" / problem_set / f"{problem_set}.ipynb", as_version=4)
    for cell in made.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution") and (cell.cell_type == "code" or rng.random() < 0.7 + 0.1 * skill):
            cell.source += "\n\n# My answer"
    return made


def judged(task: Task, skill: float, rng) -> CheckResult:
    """What the check says: the better the student, the more often the answer is right; early mistakes are common."""
    cases, luck = task.draw(int(rng.integers(1000)), hidden=True), rng.random()
    right = 1 / (1 + np.exp(-skill))
    if luck < right:
        return judge(task, cases, [solve(task.right, case) for case in cases])
    if luck > 1 - 0.15 * (1 - right):
        return judge(task, cases, [Answer()] * len(cases))
    if luck > 1 - 0.35 * (1 - right) or not task.mistakes:
        return judge(task, cases, [Answer(problem="IndexError: too many indices for array")] * len(cases))
    gives = task.mistakes[min(int(rng.geometric(0.7)), len(task.mistakes)) - 1].gives
    return judge(task, cases, [solve(gives, case) for case in cases])


def read_half(course: Course, problem_set: str, rng) -> None:
    """A person has read about half of the written answers, in half points."""
    with course.gradebook() as gradebook:
        for submission in gradebook.find_assignment(problem_set).submissions:
            for grade in (grade for page in submission.notebooks for grade in page.grades):
                if grade.needs_manual_grade and rng.random() < 0.5:
                    grade.manual_score = round(2 * grade.max_score * rng.beta(4, 2)) / 2
                    grade.needs_manual_grade = False
        gradebook.db.commit()
