"""Replaces `sdpa_course.homework` inside the sandbox, because the real one knows the right answers."""


def check(name: str, answer, *, unseen: bool = False) -> None:
    """Only say who checks: printed text earns no marks."""
    print(f"{name}: checked by the grader")


def inputs(name: str, case: int = 0) -> tuple:
    """Nothing: the grader has inputs of its own."""
    return ()


def progress(problem_set: str) -> None:
    """Nothing: what's right is known outside."""


def solution(name: str) -> None:
    """Nothing: the solutions aren't in the sandbox."""


def carry_on(problem_set: str, answers: dict):
    """The course's functions: in grading, no stage depends on an earlier answer."""
    from sdpa_course.experiments import capstone

    return capstone
