"""`sdpa-course grade`: grade a class. Workers, progress, and what is already done is not done again."""

import argparse
import contextlib
import os
import queue
import signal
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tqdm import tqdm

from .marking import CRASHED, GRADED, STATES, Result, mark
from .sandbox import FIRST_UID, PACKAGE, RUNNING, Limits, NoSandbox, find_sandbox, stop, system
from .submissions import Submission, Unreadable, digest, empty_handed, find, read

PAGE_SECONDS = 60.0  # for writing down one result


class Refused(Exception):
    """The command cannot do what it was asked for; the message is one sentence."""


def main(arguments: list[str] | None = None) -> int:
    """The command `sdpa-course`."""
    options = parser().parse_args(arguments)
    try:
        return grade(options)
    except (Refused, ValueError, OSError) as problem:
        print(f"sdpa-course: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("sdpa-course: stopped; what is graded is kept, and the same command goes on from here", file=sys.stderr)
        return 130


def parser() -> argparse.ArgumentParser:
    """The options."""
    limits = Limits()
    command = argparse.ArgumentParser(prog="sdpa-course", description="Tools of the course for an instructor.")
    commands = command.add_subparsers(required=True, metavar="COMMAND")
    grading = commands.add_parser("grade", help="grade a folder of submissions", description=__doc__)
    grading.add_argument(
        "folder",
        nargs="?",
        default=".",
        type=Path,
        help="submitted/, with submitted/<student>/<psNN>/psNN.ipynb, or the course folder around it (default: here)",
    )
    grading.add_argument("--problem-set", help="only this one, such as ps03")
    grading.add_argument("--student", help="only this one")
    grading.add_argument("--again", action="store_true", help="also what has not changed since it was graded")
    grading.add_argument("--solutions", type=Path, help="where the solutions are (default: the course's own)")
    grading.add_argument("--workers", type=at_least(1, int), default=os.cpu_count() or 1, help="submissions at a time")
    grading.add_argument("--seconds", type=at_least(1), default=limits.seconds, help="for a whole submission")
    grading.add_argument(
        "--cell-seconds", type=at_least(1), default=limits.cell_seconds, help="for a cell or an answer"
    )
    grading.add_argument("--memory", type=at_least(0.75), default=limits.memory / 1024**3, help="GB for a submission")
    grading.add_argument(
        "--trust-submissions",
        action="store_true",
        help="run students' code with your own rights, without a sandbox; only if you would run it by hand",
    )
    return command


def at_least(least, kind=float):
    """For argparse: a number that is not below `least`."""

    def number(text: str):
        value = kind(text)
        if not value >= least:
            raise argparse.ArgumentTypeError(f"got {text}, expected {least} or more")
        return value

    return number


def grade(options: argparse.Namespace) -> int:
    """Grade what is new, write all results, say how it went."""
    if os.name != "posix":
        raise Refused("grading needs Linux; on another system, use a virtual machine with Linux")
    course, submissions = open_course(options)
    bwrap = None if options.trust_submissions else sandbox_or_refuse()
    limits = Limits(options.seconds, options.cell_seconds, int(options.memory * 1024**3))
    with locked(course.root):
        course.check()
        known = course.known()
        waiting = [s for s in submissions if options.again or not done(course, s, known)]
        results = work(waiting, limits, bwrap, options.workers)
        bar = tqdm(results, total=len(waiting), unit="submission", disable=not waiting)
        lost = [result.submission for result in bar if not write(course, result)]
        path = course.write_csv(find(options.folder))
        course.write_receipts(submissions)
    report(course, submissions, len(waiting), path)
    for student in empty_handed(options.folder):
        print(f"sdpa-course: {student} has handed in nothing that is named like ps03/ps03.ipynb")
    for submission in lost:
        print(f"sdpa-course: {submission.student} {submission.problem_set} could not be written down; run it again")
    return int(bool(lost))


def open_course(options: argparse.Namespace):
    """The course folder and its submissions, as far as they are asked for."""
    from .gradebook import Course  # nbgrader takes seconds to load: not before it is needed

    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # it calls alembic
    folder = options.folder.resolve()
    if not folder.is_dir():
        raise Refused(f"{options.folder} is not a folder")
    inside = folder.name != "submitted" and (folder / "submitted").is_dir()
    options.folder = folder / "submitted" if inside else folder
    if "?" in str(options.folder):
        raise Refused(f"{options.folder} has a question mark in its name, which the gradebook's address cannot have")
    submissions = find(options.folder)
    if not submissions:
        raise Refused(f"no submissions in {options.folder}; expected <student>/<psNN>/psNN.ipynb below it")
    chosen = [
        submission
        for submission in submissions
        if options.problem_set in (None, submission.problem_set) and options.student in (None, submission.student)
    ]
    if not chosen:
        raise Refused("no submission is of that problem set and student")
    places = (
        [options.solutions]
        if options.solutions
        else [options.folder.parent / "solutions", PACKAGE.parent / "solutions"]
    )
    solutions = next((place.resolve() for place in places if place.is_dir()), None)
    if solutions is None:
        raise Refused("the solutions were not found; name their folder with --solutions")
    for place, _ in system():
        if any(path.is_relative_to(place) for path in (options.folder, solutions)):
            raise Refused(f"the course lies inside {place}, which every submission can see; move it to another folder")
    return Course(options.folder.parent, solutions), chosen


def sandbox_or_refuse() -> str:
    """The path of bubblewrap, or a sentence that says what can be done."""
    try:
        return find_sandbox()
    except NoSandbox as problem:
        raise Refused(f"{problem}; students' code is not run without it, unless you say --trust-submissions") from None


@contextlib.contextmanager
def locked(root: Path):
    """One grading at a time in one course folder; the lock ends with the process, however it ends."""
    import fcntl  # not there on Windows, where `grade` has refused before

    with open(root / ".grading.lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(f"another grading is at work in {root}") from None
        yield


def done(course, submission: Submission, known: set) -> bool:
    """Is what was handed in the same as what was graded?"""
    note = course.record(submission)
    try:
        data, _ = read(submission)
    except Unreadable as problem:
        return note.get("reason") == str(problem)
    in_gradebook = (submission.problem_set, submission.student) in known
    return in_gradebook and note.get("digest") == digest(data, submission.problem_set)


def work(submissions: list[Submission], limits: Limits, bwrap: str | None, workers: int):
    """Results as they come, from several submissions at a time."""
    uids = queue.SimpleQueue()
    for number in range(workers):
        uids.put(FIRST_UID + number)

    def one(submission: Submission) -> Result:
        uid = uids.get()
        try:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
                os.chmod(scratch, 0o755)
                return mark(submission, limits, bwrap=bwrap, uid=uid if bwrap else 0, scratch=Path(scratch))
        except Exception as error:  # a bug of ours, or a full disk: it must not cost the others their marks
            return Result(submission, CRASHED, f"the grader itself failed: {type(error).__name__}: {error}")
        finally:
            uids.put(uid)

    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(one, submission) for submission in submissions]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(RUNNING):
                stop(process)


def write(course, result: Result) -> bool:
    """Write one result, at the second attempt if need be; False if that failed too.

    If its notebook defeats us, its marks are written without it, and it counts as not yet graded.
    """
    for attempts_left in (2, 1, 0):
        try:
            with at_most(PAGE_SECONDS):
                course.write(result)
            return True
        except Exception as error:
            if attempts_left == 1:
                reason = f"the grader itself failed to write this down: {type(error).__name__}: {error}"[:300]
                result = result._replace(state=CRASHED, reason=reason, digest="", cells=(), printed={})
    return False


@contextlib.contextmanager
def at_most(seconds: float):
    """A `TimeoutError` if the block takes longer: a text can be made to take for ever."""

    def stop(signum, frame):
        raise TimeoutError(f"more than {seconds:g} seconds")

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def report(course, submissions: list[Submission], new: int, path: Path) -> None:
    """How it went, in a few lines."""
    notes = {submission: course.record(submission) for submission in submissions}
    counts = Counter(note.get("state") for note in notes.values())
    for submission, note in notes.items():
        if note.get("state") not in STATES[:2]:
            print(f"{submission.student} {submission.problem_set}: {note.get('state')}: {note.get('reason')}")
    print(
        f"sdpa-course: {new} graded now, {len(submissions) - new} unchanged; "
        + ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state] or state == GRADED)
    )
    print(f"sdpa-course: {path}, gradebook.db, feedback/ and autograded/ are beside it")


if __name__ == "__main__":
    sys.exit(main())
