"""What the instructor does: release, collect and grade, read, give back."""

import csv
import time

from answers import BY_CODE, PROBLEM_SET, READ, total
from browser import Person
from machine import need, say
from room import Classroom


def release(instructor: Person) -> None:
    """The instructor logs in and gives the problem set out."""
    instructor.log_in("not the password")
    instructor.page.get_by_text("Invalid username or password").wait_for()
    instructor.log_in()
    instructor.wait_for_lab()
    say(f"{instructor.name} is turned away with a wrong password, logs in with the right one, and opens a terminal.")
    instructor.command("terminal:create-new")
    instructor.page.locator(".jp-Terminal .xterm-screen").wait_for()
    instructor.page.wait_for_timeout(1500)
    instructor.type_command(f"cd ~/course && nbgrader generate_assignment {PROBLEM_SET}")
    instructor.type_command(f"cd ~/course && nbgrader release_assignment {PROBLEM_SET}")
    outbound = instructor.classroom.folder / "exchange" / "sdpa-course" / "outbound" / PROBLEM_SET
    text = (outbound / f"{PROBLEM_SET}.ipynb").read_text(encoding="utf-8")
    need("BEGIN" not in text and "unseen=True" not in text, "what was released has solutions or hidden tests in it")
    say(f"{PROBLEM_SET} is released, without solutions and hidden tests.")


def grade(instructor: Person) -> None:
    """Collect and grade by code; the marks must be those that the two have earned."""
    classroom = instructor.classroom
    said = instructor.type_command(f"cd ~/course && nbgrader collect {PROBLEM_SET}")
    need(said.count("is not taken") >= 2, "collecting did not complain about the submissions that are not genuine")
    course = classroom.home(instructor.name) / "course"
    for name in classroom.students:
        text = (course / "submitted" / name / PROBLEM_SET / f"{PROBLEM_SET}.ipynb").read_text(encoding="utf-8")
        need("BEGIN SOLUTION" not in text, f"the submission of {name} was replaced by the solutions")
        when = (course / "submitted" / name / PROBLEM_SET / "timestamp.txt").read_text()
        need(when[:4] == time.strftime("%Y"), f"the submission of {name} says that it was handed in at {when}")
    say("Both are collected, with the time by this machine's clock; the two that are not genuine are left.")
    said = instructor.type_command("cd ~/course && sdpa-course grade")
    for line in said.splitlines():
        if line.startswith("sdpa-course:"):
            say(f"    | {line}".replace(str(classroom.home(instructor.name)), "~"))
    for name, expected in zip(classroom.students, BY_CODE.values(), strict=True):
        row = grades(classroom)[name]
        need(float(row["checked by code"]) == expected, f"{name} got {row['checked by code']}, expected {expected}")
        say(f"{name}: {row['state']}, {row['checked by code']} points by code, {row['to be read']} answers to be read.")


def grades(classroom: Classroom) -> dict[str, dict]:
    """grades.csv, a row for each student."""
    with open(classroom.home(classroom.instructor) / "course" / "grades.csv", newline="", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def give_back(classroom: Classroom, instructor: Person) -> None:
    """Read the written answers in the formgrader, then release the feedback."""
    first = classroom.students[0]
    instructor.picture("1-terminal")
    desk = Person.beside(instructor)  # a second tab: the terminal stays open
    desk.page.goto(f"{classroom.hub.address}/user/{instructor.name}/formgrader/gradebook/{PROBLEM_SET}/{PROBLEM_SET}")
    desk.page.get_by_role("link", name="Submission #1").wait_for()
    desk.picture("2-formgrader")
    desk.page.locator("tr", has_text=first).locator("a.name-hidden").click()
    for grade_id, points in READ.items():
        field = desk.page.locator(f"input.score.needs_manual_grade#{grade_id}")  # so marked once its score has arrived
        field.wait_for()
        with desk.page.expect_response(lambda r: r.request.method == "PUT" and "/formgrader/api/grade/" in r.url):
            field.fill(f"{points:g}")
            field.press("Tab")
    desk.picture("3-read")
    desk.page.close()
    given = sum(READ.values())
    say(f"{instructor.name} reads the written answers of {first} in the formgrader and gives {given:g} points.")
    instructor.type_command("cd ~/course && sdpa-course grade")
    for name, expected in zip(classroom.students, total(), strict=True):
        row = grades(classroom)[name]
        need(float(row["score"]) == expected, f"{name} has {row['score']} points in all, expected {expected}")
        say(f"{name}: {row['score']} of {row['of']} points.")
    instructor.type_command(f"cd ~/course && nbgrader generate_feedback {PROBLEM_SET} --force")
    instructor.type_command(f"cd ~/course && nbgrader release_feedback {PROBLEM_SET}")
    pages = classroom.folder / "exchange" / "sdpa-course" / "feedback"
    need(not classroom.can_read(first, pages), "a student can list the feedback of the others")
