"""Walk through a class on this machine, for real: /opt/sdpa-class/bin/python classroom/walk_through

Makes two students and an instructor, starts the hub on 127.0.0.1, and lets them do what a class does in a browser:
release, fetch, solve, hand in, collect, grade, read, give back. Then the two try to take more than their share, one
more forgets to log out, and ten others log in at the same moment. Every step is checked. At the end everything that
it made is removed again, also when a step fails. Needs root, because a hub starts servers as other users.
"""

import argparse
import secrets
import signal
import sys
from pathlib import Path

from answers import WRONG, solved, total
from browser import Person
from crowd import crowd
from instructor import give_back, grade, release
from limits import try_limits
from machine import Problem, check_machine, need, say
from room import Classroom
from students import hand_in, read_feedback, try_to_cheat, try_to_peep


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--screenshots", type=Path, metavar="FOLDER", help="keep pictures and the hub's log here")
    parser.add_argument(
        "--names",
        default="student1,student2,instructor",
        help="the accounts to make: two students and the instructor (default: %(default)s)",
    )
    parser.add_argument("--crowd", type=int, default=10, help="how many log in at once (default: %(default)s)")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that accounts are removed then, too
    try:
        names = options.names.split(",")
        need(len(set(names)) == 3, "--names takes three different names")
        need(1 <= options.crowd <= 99, "--crowd takes a number from 1 to 99")
        names += [f"{names[0]}-idle", *(f"{names[0]}-{number}" for number in range(1, options.crowd + 1))]
        browser_path = check_machine(names)
        if options.screenshots:
            options.screenshots.mkdir(parents=True, exist_ok=True)
        with Classroom(names, options.screenshots) as classroom:
            walk(classroom, browser_path)
            try_limits(classroom)
            crowd(classroom)
    except Problem as problem:
        print(f"walk-through: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("walk-through: stopped; what it had made is removed", file=sys.stderr)
        return 130
    say("All steps held. The accounts and folders of this walk-through are removed.")
    return 0


def walk(classroom: Classroom, browser_path: str) -> None:
    """All of it, in order."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        try:
            instructor = Person(browser, classroom, classroom.instructor)
            first, second = (Person(browser, classroom, name) for name in classroom.students)
            release(instructor)
            hand_in(first, solved(), right=True)
            hand_in(second, {"softmax": WRONG}, right=False)
            try_to_peep(classroom, first, second)
            try_to_cheat(classroom, first, second)
            grade(instructor)
            give_back(classroom, instructor)
            for student, points in zip((first, second), total(), strict=True):
                read_feedback(student, points)
        except Error as error:
            for context in browser.contexts:
                for page in context.pages if classroom.pictures else ():
                    page.screenshot(path=classroom.pictures / f"failed-{secrets.token_hex(2)}.png")
            raise Problem(f"the browser did not get on: {str(error).splitlines()[0]}") from error
        finally:
            browser.close()


if __name__ == "__main__":
    sys.exit(main())
