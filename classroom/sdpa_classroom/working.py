"""Many submissions: mark several at a time, store one after the other, and let none of them stop the others."""

import contextlib
import queue
import shutil
import signal
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from .files import UNFINISHED
from .marking import CRASHED, Result, mark
from .running import RUNNING, stop
from .sandbox import FIRST_UID, Limits, Sandbox
from .submissions import Submission

PAGE_SECONDS, WRITING_SECONDS = 20.0, 60.0  # for storing one result: with its page typeset, and with a plain one


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


def mark_all(submissions: list[Submission], limits: Limits, sandbox: Sandbox | None, workers: int, scratch: Path):
    """Yield results as they come, working on several submissions at a time."""
    uids = queue.SimpleQueue()
    for number in range(workers):
        uids.put(FIRST_UID + number)

    def one(submission: Submission) -> Result:
        uid = uids.get()
        try:
            with tempfile.TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as folder:
                return mark(submission, limits, sandbox=sandbox, uid=uid, scratch=Path(folder))
        except Exception as error:  # a bug or a full disk must not stop the others
            return Result(submission, CRASHED, f"the grader itself failed: {in_words(error)}", failed=in_words(error))
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
