"""Grade a class: every new or changed submission, several at a time, each in a sandbox."""

import argparse
import contextlib
import os
import sys
from collections import Counter
from pathlib import Path

from tqdm import tqdm

from .cluster import dask_cluster, local_pool
from .files import private_files
from .marking import GRADED, STATES
from .marks import say
from .sandbox import COURSE, Limits, NoSandbox, system_folders
from .submissions import Submission, Unreadable, digest, find_submissions, read, students_without_submissions
from .working import KEPT, Unfit, mark_all, store, working_folder

NO_GROUP = (
    "where submissions run, there's no control group, so memory is limited by watching the processes; what the kernel "
    "keeps for them besides (pipes, page tables) isn't counted"
)


def main(arguments: list[str]) -> int:
    """Run `sdpa-course grade` with these arguments."""
    options = make_parser().parse_args(arguments)
    try:
        return grade(options)
    except NoSandbox as problem:
        words = "to run students' code without a sandbox, pass --trust-submissions"
        print(f"sdpa-course: {problem}; {words}", file=sys.stderr)
        return 2
    except (ValueError, OSError, Unfit) as problem:
        print(f"sdpa-course: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"sdpa-course: stopped; {KEPT}", file=sys.stderr)
        return 130


def make_parser() -> argparse.ArgumentParser:
    """The options."""
    limits = Limits()
    parser = argparse.ArgumentParser(prog="sdpa-course grade", description=__doc__)
    parser.add_argument(
        "folder",
        nargs="?",
        default=".",
        type=Path,
        help="submitted/, with <student>/<psNN>/psNN.ipynb in it, or the course folder around it (default: here)",
    )
    parser.add_argument("--problem-set", help="grade only this one, such as ps03")
    parser.add_argument("--student", help="grade only this one")
    parser.add_argument("--again", action="store_true", help="also grade what hasn't changed")
    parser.add_argument("--solutions", type=Path, help="folder of the solutions (default: the course's own)")
    parser.add_argument("--workers", type=at_least(1, int), default=os.cpu_count() or 1, help="submissions at a time")
    parser.add_argument("--scheduler", help="address of a Dask scheduler, whose workers mark instead of this machine")
    parser.add_argument("--seconds", type=at_least(1), default=limits.seconds, help="limit for a whole submission")
    parser.add_argument(
        "--cell-seconds", type=at_least(1), default=limits.cell_seconds, help="limit for one cell or answer"
    )
    parser.add_argument("--memory", type=at_least(0.75), default=limits.memory / 1024**3, help="limit in GB")
    parser.add_argument(
        "--trust-submissions",
        action="store_true",
        help="run students' code without a sandbox, with your own rights; only if you'd run it by hand",
    )
    return parser


def at_least(least, kind=float):
    """For argparse: a number that isn't below `least`."""

    def number(text: str):
        value = kind(text)
        if not value >= least:
            raise argparse.ArgumentTypeError(f"got {text}, expected {least} or more")
        return value

    return number


def grade(options: argparse.Namespace) -> int:
    """Grade what's new or changed, store the results and print a summary."""
    if os.name != "posix":
        raise ValueError("grading needs Linux; on another system, use a virtual machine")
    course, submissions = open_course(options)
    from .lateness import apply_deadlines  # nbgrader takes seconds to load

    limits = Limits(options.seconds, options.cell_seconds, int(options.memory * 1024**3))
    sandboxed = not options.trust_submissions
    if options.scheduler is not None:
        there = dask_cluster(options.scheduler, limits, sandboxed=sandboxed)
    else:
        there = local_pool(options.workers, limits, sandboxed=sandboxed)
    with there as place, private_files(), locked(course.root), working_folder(course), contextlib.closing(course):
        if any(sandbox.group is None for sandbox in place.sandboxes):
            print(f"sdpa-course: {NO_GROUP}", file=sys.stderr)
        course.check()
        known = course.known()
        waiting = [s for s in submissions if options.again or not is_graded(course, s, known)]
        course.prepare(waiting)
        with contextlib.closing(mark_all(waiting, place.mark, place.executor, place.at_once)) as results:
            bar = tqdm(results, total=len(waiting), unit="submission", disable=not waiting)
            failed = [(result.submission, why) for result in bar if (why := store(course, result))]
        about_lateness = apply_deadlines(course, everything := find_submissions(options.folder))
        path = course.write_csv(everything)
        course.write_receipts(submissions)
        report(course, submissions, len(waiting), path)
        say(about_lateness)
    for student in students_without_submissions(options.folder):
        print(f"sdpa-course: {student} has no submission; expected a file such as ps03/ps03.ipynb")
    for one, why in failed:
        print(f"sdpa-course: the grader itself failed at {one.student} {one.problem_set} ({why}); run it again")
    return int(bool(failed))


def open_course(options: argparse.Namespace):
    """The course folder, and the submissions that the options ask for."""
    from .gradebook import Course  # nbgrader takes seconds to load

    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # it calls alembic
    folder = options.folder.resolve()
    if not folder.is_dir():
        raise ValueError(f"{options.folder} is not a folder")
    inside = folder.name != "submitted" and (folder / "submitted").is_dir()
    options.folder = folder / "submitted" if inside else folder
    if "?" in str(options.folder):
        raise ValueError(f"{options.folder} has a question mark in its name, which SQLite's address can't have")
    submissions = find_submissions(options.folder)
    if not submissions:
        raise ValueError(f"no submissions in {options.folder}; expected <student>/<psNN>/psNN.ipynb below it")
    chosen = [
        submission
        for submission in submissions
        if options.problem_set in (None, submission.problem_set) and options.student in (None, submission.student)
    ]
    if not chosen:
        raise ValueError("no submission matches --problem-set and --student")
    default = (options.folder.parent / "solutions", COURSE.parent / "solutions")
    candidates = [options.solutions] if options.solutions else default
    solutions = next((place.resolve() for place in candidates if place.is_dir()), None)
    if solutions is None:
        raise ValueError("the solutions were not found; name their folder with --solutions")
    for place in system_folders():
        if any(path.is_relative_to(place) for path in (options.folder, solutions)):
            raise ValueError(f"the course is inside {place}, which every submission can read; move it somewhere else")
    return Course(options.folder.parent, solutions), chosen


@contextlib.contextmanager
def locked(root: Path):
    """One grading at a time in a course folder; the lock ends with the process, however that ends."""
    import fcntl  # doesn't exist on Windows, where `grade` has refused already

    with open(root / ".grading.lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BlockingIOError(f"another grading is running in {root}") from None
        yield


def is_graded(course, submission: Submission, known: set) -> bool:
    """Is this exact submission graded already?"""
    note = course.record(submission)
    try:
        data, _ = read(submission)
    except Unreadable as problem:
        return note.get("reason") == str(problem)
    in_gradebook = (submission.problem_set, submission.student) in known
    return in_gradebook and note.get("digest") == digest(data, submission.problem_set)


def report(course, submissions: list[Submission], new: int, path: Path) -> None:
    """Print a summary in a few lines."""
    notes = {submission: course.record(submission) for submission in submissions}
    counts = Counter(note.get("state") for note in notes.values())
    for submission, note in notes.items():
        if note and note["state"] not in STATES[:2]:
            print(f"{submission.student} {submission.problem_set}: {note['state']}: {note['reason']}")
    print(
        f"sdpa-course: {new} graded now, {len(submissions) - new} unchanged; "
        + ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state] or state == GRADED)
    )
    print(f"sdpa-course: wrote {path}, and gradebook.db, feedback/ and autograded/ beside it")
