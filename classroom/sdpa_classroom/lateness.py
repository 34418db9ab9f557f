"""Apply the deadlines in class.toml to everything that's graded: to nbgrader's penalty, the page and the record."""

from sdpa_course.homework.tasks import PROBLEM_SETS

from .deadlines import NAME, UNKNOWN, Lateness
from .gradebook import Course
from .marks import about
from .receipts import handed_in
from .submissions import Submission
from .working import WRITING_SECONDS, in_words, time_limit


def apply_deadlines(course: Course, submissions: list[Submission]) -> list[str]:
    """Write how late each submission is, if that has changed; returns what the instructor should know."""
    rules, late, unknown, failed = course.rules.sets, [], [], []
    names: dict[str, set[str]] = {name: set() for name in rules}
    for one in submissions:
        rule, note = rules.get(one.problem_set), course.record(one)
        if not note or one.problem_set not in PROBLEM_SETS or (rule is None and "late" not in note):
            continue
        judged = rule.judge(one.student, handed_in(one)) if rule else Lateness()
        names.get(one.problem_set, set()).add(one.student)
        if judged.told:
            late.append(f"{one.student} {one.problem_set}")
        if judged == UNKNOWN:
            unknown.append(f"{one.student} {one.problem_set}")
        if note.get("late") != judged._asdict() and (judged != Lateness() or "late" in note):
            try:
                with time_limit(WRITING_SECONDS):
                    course.write_lateness(one, judged)
            except Exception as error:  # such as a page that takes forever; it must not stop the others
                failed.append(f"{one.student} {one.problem_set} ({in_words(error)})")
    strangers = [f"{who} {name}" for name, rule in rules.items() for who in rule.exceptions.keys() - names[name]]
    said = (
        (late, "late"),
        (unknown, "without a known time of handing in, so not late"),
        (strangers, f"in {NAME} with another deadline, but without a submission"),
        (failed, "whose lateness couldn't be written; run it again"),
    )
    return [line for which, what in said for line in about(which, what)]
