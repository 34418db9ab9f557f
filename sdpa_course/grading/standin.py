"""Stands in for `sdpa_course.homework` while a submission is graded: the real one knows the right answers."""


def check(name: str, answer, *, unseen: bool = False) -> None:
    """Say that this is checked elsewhere. Printed text earns no marks."""
    print(f"{name}: checked by the grader")


def inputs(name: str, case: int = 0) -> tuple:
    """There are none here: the grader has inputs of its own."""
    return ()
