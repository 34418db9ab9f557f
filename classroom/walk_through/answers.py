"""The problem set of the walk-through: what the two students answer, and what they get for it."""

import json

from machine import ROOT

PROBLEM_SET = "ps03"

# What many students write first. It is right for small scores, so it earns the 3 points of the first check.
WRONG = """def softmax(scores):
    exps = np.exp(scores)
    return exps / exps.sum(axis=-1, keepdims=True)
"""
HINT = "exp(1000) is infinite in floating point"
BY_CODE = {"right": 13.0, "wrong": 3.0}  # points of ps03 that code gives to the two
READ = {"shift-proof": 3.0, "entropy-reading": 4.0}  # points that the instructor gives for the written answers


def solved() -> dict[str, str]:
    """The right answers, as the solutions have them: {name of the cell: source}."""
    path = ROOT / "solutions" / PROBLEM_SET / f"{PROBLEM_SET}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    answers = {}
    for cell in cells:
        marks = cell["metadata"].get("nbgrader", {})
        if marks.get("solution"):
            lines = [line for line in "".join(cell["source"]).splitlines() if not line.strip().startswith("### ")]
            answers[marks["grade_id"]] = "\n".join(lines)
    return answers


def total() -> list[float]:
    """What the two have in the end: the second left the written answers blank."""
    right, wrong = BY_CODE.values()
    return [right + sum(READ.values()), wrong]
