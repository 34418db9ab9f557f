"""Many submissions: mark several at a time, store one after the other, and let none of them stop the others."""

import contextlib
import shutil
import signal
import tempfile
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait

from .files import UNFINISHED
from .marking import CRASHED, UNREADABLE, Result
from .running import RUNNING, stop
from .sandbox import FIRST_UID
from .submissions import Submission, Unreadable, digest, read

PAGE_SECONDS, WRITING_SECONDS = 20.0, 60.0  # for storing one result: with its page typeset, and with a plain one
KEPT = "results so far are kept, and the same command goes on from here"


class Unfit(Exception):
    """A worker mustn't mark; the message says why."""


@contextlib.contextmanager
def working_folder(course):
    """An empty folder for everything temporary, without what a killed run left in it."""
    shutil.rmtree(course.scratch, ignore_errors=True)
    course.scratch.mkdir(mode=0o700)
    for left in course.root.glob(f"[af]*/*/*/{UNFINISHED}*"):  # in autograded/ and feedback/
        left.unlink()
    before, tempfile.tempdir = tempfile.tempdir, str(course.scratch)
    try:
        yield
    finally:
        tempfile.tempdir = before
        shutil.rmtree(course.scratch, ignore_errors=True)


def mark_all(submissions: list[Submission], mark, executor: Executor, at_once: int) -> Iterator[Result]:
    """Yield results as they come from any executor, with at most `at_once` submissions on their way.

    That bounds what's in memory, however large the class. Here a submission is read and there it's marked, so `mark`
    gets neither a path nor a name: only problem set, cells, digest and a user's number for the sandbox.
    """
    running: dict[Future, tuple[Result, int]] = {}
    uids = [FIRST_UID + number for number in range(at_once)]
    try:
        for submission in submissions:
            try:
                data, cells = read(submission)
                result = Result(submission, "", "", digest(data, submission.problem_set), cells=tuple(cells))
            except Unreadable as problem:
                yield Result(submission, UNREADABLE, str(problem))
                continue
            except Exception as error:
                yield not_marked(submission, error)
                continue
            uid = uids.pop()
            running[submit(executor, mark, submission.problem_set, cells, result.digest, uid)] = result, uid
            while not uids:
                yield from finished(running, uids)
        while running:
            yield from finished(running, uids)
    finally:
        for future in running:
            future.cancel()
        for process in list(RUNNING):
            stop(process)


def submit(executor: Executor, *call) -> Future:
    """`executor.submit`, or `OSError` if it's broken."""
    try:
        return executor.submit(*call)
    except RuntimeError as problem:
        raise OSError(f"the workers can't be reached any more ({in_words(problem)}); {KEPT}") from None


def finished(running: dict[Future, tuple[Result, int]], uids: list[int]) -> Iterator[Result]:
    """Wait for at least one of those running, and yield what's done."""
    for future in wait(running, return_when=FIRST_COMPLETED).done:
        result, uid = running.pop(future)
        uids.append(uid)
        try:
            result = result._replace(**future.result())
        except (Unfit, ImportError) as problem:  # the next submission would get no further
            raise Unfit(f"{problem}; {KEPT}") from None
        except (CancelledError, BrokenExecutor) as problem:
            raise OSError(f"the workers can't be reached any more ({in_words(problem)}); {KEPT}") from None
        except Exception as error:  # a bug or a full disk must not stop the others
            result = not_marked(result.submission, error)
        yield result


def not_marked(submission: Submission, error: Exception) -> Result:
    """The result of a submission at which the grader itself failed."""
    return Result(submission, CRASHED, f"the grader itself failed: {in_words(error)}", failed=in_words(error))


def store(course, result: Result) -> str:
    """Store one result, and return why the grader itself failed, or nothing if it didn't.

    A page that takes too long is written again with the student's text as typed. If something else goes wrong, the
    last attempt leaves the student's cells out, and the submission counts as not yet graded.
    """
    failed, plain = result.failed, False
    for attempts_left in (2, 1, 0):
        try:
            with time_limit(WRITING_SECONDS if plain else PAGE_SECONDS):
                course.write(result, plain=plain)
            break
        except Exception as error:
            plain = plain or isinstance(error, TimeoutError)
            if attempts_left == 1:
                failed = in_words(error)
                reason = f"the grader itself failed to store this: {failed}"
                result = result._replace(state=CRASHED, reason=reason, digest="", cells=(), printed={})
    return failed


def in_words(error: BaseException) -> str:
    """An exception in a line that says something, whatever the exception itself says."""
    if type(error).__name__ == "KilledWorker":  # Dask's, after four of them
        return "each worker that tried it died"
    words = getattr(error, "strerror", None) or " ".join(str(error).split())
    return f"{type(error).__name__}: {words}"[:300] if words else type(error).__name__


@contextlib.contextmanager
def time_limit(seconds: float):
    """Raise `TimeoutError` if the block takes longer: a student's text can be made to take forever."""

    def stop(signum, frame):
        raise TimeoutError(f"more than {seconds:g} seconds")

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
