"""What students do: hand in, read the feedback, and try what they must not be able to do."""

import subprocess

from answers import HINT, PROBLEM_SET, solved
from browser import Person
from machine import need, say
from room import Classroom

LONG_AGO = "2001-01-01 00:00:00.000000 UTC"  # when a student claims to have handed in


def hand_in(student: Person, answers: dict[str, str], right: bool) -> None:
    """Log in, fetch, answer, look at the checks, submit."""
    student.log_in()
    student.wait_for_lab()
    need(student.status(f"/user/{student.name}/formgrader") == 404, f"{student.name} has a formgrader")
    student.open_list()
    student.press("released", "Fetch")
    student.page.locator("#fetched_assignments_list").get_by_role("button", name="Submit").wait_for()
    student.picture("1-fetched")
    student.open_notebook()
    for grade_id, source in answers.items():
        student.write(grade_id, source)
    student.run_and_save()
    said = student.printed("softmax_large-test")
    student.picture("2-check")
    if right:
        need(said.strip() == "softmax, second check: right.", f"a right answer got this check: {said!r}")
        need("right" in student.printed("entropy-test"), "the check of the entropy did not take a right answer")
    else:
        need(HINT in said, f"the check did not give the hint for this mistake, but {said!r}")
        need("not answered yet" in student.printed("entropy-test"), "an empty answer was not called so")
    written = f"writes {len(answers)} of {len(solved())} answers"
    say(f"{student.name} logs in, fetches {PROBLEM_SET}, {written}, and reads this check:")
    say("\n".join(f"    | {line}" for line in said.strip().splitlines()))
    student.open_list()
    student.press("fetched", "Submit")
    student.page.locator("#submitted_assignments_list").get_by_text(PROBLEM_SET, exact=True).first.wait_for()
    student.picture("3-submitted")
    say(f"{student.name} has handed in.")


def try_to_peep(classroom: Classroom, first: Person, second: Person) -> None:
    """What the second student must not see of the first one and of the instructor."""
    exchange = classroom.folder / "exchange" / "sdpa-course"
    course = classroom.home(classroom.instructor) / "course"
    closed = {
        f"the work of {first.name}": classroom.home(first.name) / "sdpa-course" / PROBLEM_SET / f"{PROBLEM_SET}.ipynb",
        "the list of submissions": exchange / "inbound",
        "the solutions": course / "solutions" / PROBLEM_SET / f"{PROBLEM_SET}.ipynb",
        "the gradebook": course / "gradebook.db",
        "the hub's own files": classroom.folder / "hub",
    }
    for what, path in closed.items():
        need(not classroom.can_read(second.name, path), f"{second.name} can read {what}: {path}")
    move = ["runuser", "-u", second.name, "--", "mv", str(exchange), f"{exchange}-gone"]
    need(subprocess.run(move, cwd="/", capture_output=True).returncode, f"{second.name} can move the course's exchange")
    need(second.status(f"/user/{first.name}/lab") in (403, 404), f"{second.name} can open the server of {first.name}")
    own = classroom.home(second.name) / "sdpa-course" / PROBLEM_SET / f"{PROBLEM_SET}.ipynb"
    need(classroom.can_read(second.name, own), "not even their own work can be read, so the refusals prove nothing")
    say(f"{second.name} is refused: {', '.join(closed)}, and the server of {first.name}. Students have no formgrader.")


def try_to_cheat(classroom: Classroom, first: Person, second: Person) -> None:
    """The second student makes two submissions by hand that must not be collected, and one that's dated back."""
    inbound = classroom.folder / "exchange" / "sdpa-course" / "inbound"
    solutions = classroom.home(classroom.instructor) / "course" / "solutions" / PROBLEM_SET
    stamp = "2099-01-01 00:00:00.000000 UTC"
    forged, own = (inbound / f"{name}+{PROBLEM_SET}+{stamp}+x" for name in (first.name, second.name))
    cache = classroom.home(second.name) / ".local" / "share" / "jupyter" / "nbgrader_cache" / "sdpa-course"
    commands = (
        f"mkdir '{forged}'",  # an empty one in the name of the other
        f"echo '{stamp}' > '{forged}/timestamp.txt'",
        f"ln -s {solutions} '{inbound}/ghost+{PROBLEM_SET}+{stamp}+x'",  # nobody's, and a link to the solutions
        f"cp -r {cache}/{second.name}+{PROBLEM_SET}+* '{own}'",  # their own once more, as if from long ago
        f"echo '{LONG_AGO}' > '{own}/timestamp.txt' && touch -d 2001-01-01 '{own}'/*",
    )
    done = subprocess.run(["runuser", "-u", second.name, "--", "sh", "-ec", "\n".join(commands)], cwd="/")
    need(not done.returncode, "the submissions that should not be collected could not be made")
    say(
        f"{second.name} makes an empty submission in the name of {first.name}, one that is a link to the solutions, "
        "and one of their own with a time in 2001."
    )


def read_feedback(student: Person, points: float) -> None:
    """Fetch the page and look at it."""
    student.open_list()
    student.press("submitted", "Fetch Feedback")
    student.page.get_by_text("(view feedback)").wait_for()
    student.picture("4-feedback-there")
    folder = student.classroom.home(student.name) / "sdpa-course" / PROBLEM_SET / "feedback"
    page = next(folder.glob(f"*/{PROBLEM_SET}.html")).relative_to(student.classroom.home(student.name))
    student.command("docmanager:open", path=str(page), factory="HTML Viewer")
    shown = student.page.frame_locator(".jp-HTMLViewer iframe").get_by_text(f"(Score: {points} / 20.0)")
    shown.wait_for()
    student.picture("5-feedback")
    say(f"{student.name} fetches the feedback and reads: {shown.inner_text().strip()}")
