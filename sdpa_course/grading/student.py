"""Runs inside the sandbox: executes a student's cells and hands out what their functions compute.

python student.py JOB FD: JOB is a file in JSON with the cells, the inputs and the limits; answers go to the file
descriptor FD, a line of JSON each, as soon as they are there. So what was answered before a crash is not lost.

Nothing in here can give a mark: a student's code may do with this process what it likes.
"""

import contextlib
import ctypes
import io
import json
import os
import resource
import signal
import sys
import warnings

KEPT = 10_000  # characters of what one cell prints


class OutOfTime(BaseException):
    """The cell, or the call, took too long. No `except Exception` catches it."""


class Clipped(io.TextIOBase):
    """What a cell prints: the beginning is kept, the rest is counted."""

    def __init__(self):
        self.text, self.dropped = "", 0

    def write(self, text: str) -> int:
        kept = text[: KEPT - len(self.text)]
        self.text += kept
        self.dropped += len(text) - len(kept)
        return len(text)

    def writable(self) -> bool:
        return True

    def said(self) -> str:
        """The kept text, and how much more there was."""
        return self.text + (f"\n… and {self.dropped} characters more\n" if self.dropped else "")


def main(job_file: str, channel: int) -> None:
    """Do the job."""
    with open(job_file, encoding="utf-8") as file:
        job = json.load(file)
    confine(job["limits"])
    send = sender(channel, alone=job["limits"]["alone"])
    shell = make_shell()
    signal.signal(signal.SIGALRM, lambda *_: out_of_time(alone=job["limits"]["alone"]))
    asked = {}
    for number, cell in enumerate(job["cells"]):
        name = cell["task"]
        if name is None:
            send(run_cell(shell, number, cell["source"], job["limits"]["cell_seconds"]))
        elif name not in asked:
            asked[name] = answer(shell, name, job["tasks"][name], job["limits"]["cell_seconds"])
            send(asked[name])
    for name, task in job["tasks"].items():
        if not any(entry["arrays"] or entry["problem"] for entry in asked.get(name, {}).get("answers", [])):
            send(answer(shell, name, task, job["limits"]["cell_seconds"]))
    send({"done": True})
    os._exit(0)  # at once: no thread or exit handler of theirs is waited for


def confine(limits: dict) -> None:
    """Limits that a process cannot lift again, and no more rights than needed."""
    if not limits["alone"]:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # end with the grader, if it is killed; a sandbox does so anyway
    if os.getuid() == 0 and limits["uid"]:
        os.setgroups([])
        os.setresgid(limits["uid"], limits["uid"], limits["uid"])
        os.setresuid(limits["uid"], limits["uid"], limits["uid"])
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, limits["memory"]),
        (resource.RLIMIT_NPROC, limits["processes"]),
        (resource.RLIMIT_FSIZE, limits["file"]),
        (resource.RLIMIT_NOFILE, 256),
    ):
        if most is not None:
            resource.setrlimit(what, (most, most))
    if limits["alone"]:
        from sdpa_course.grading.syscalls import forbid

        forbid()


def sender(channel: int, *, alone: bool):
    """A function that writes one message as one line. `alone`: what a cell has left running is ended before."""
    first, stream = os.getpid(), os.fdopen(channel, "wb", buffering=0)

    def send(message: dict) -> None:
        if os.getpid() != first:
            os._exit(0)  # a copy that the student forked: only the first process speaks
        if alone:
            end_strays()
        stream.write(b"\n" + json.dumps(message).encode("utf-8", "replace") + b"\n")

    return send


def end_strays() -> None:
    """End every process in this sandbox but this one."""
    with contextlib.suppress(OSError):
        os.kill(-1, signal.SIGKILL)


def make_shell():
    """IPython without a terminal: cells may use magics and display, as in a notebook."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.xmode = "Minimal"
    shell = InteractiveShell.instance(config=config)
    warnings.simplefilter("default")
    return shell


def run_cell(shell, number: int, source: str, seconds: float) -> dict:
    """Execute one cell; what it raised is said, and the next one runs all the same."""
    printed = Clipped()
    result, failed = timed(lambda: shell.run_cell(source, store_history=False), printed, seconds)
    if result is not None:
        failed = result.error_before_exec or result.error_in_exec
    return {"cell": number, "printed": printed.said(), "error": name_of(failed)}


def answer(shell, name: str, task: dict, seconds: float) -> dict:
    """What the student's function gives for every case, as plain data."""
    from sdpa_course.grading.messages import decode, encode
    from sdpa_course.homework.answers import ask

    cases = [{key: decode(value) for key, value in case.items()} for case in task["cases"]]
    answers, failed = timed(lambda: ask(shell.user_ns.get(task["answer"]), cases), Clipped(), seconds)
    if failed is not None:
        slow = isinstance(failed, OutOfTime)
        problem = f"your answer took more than {seconds:g} seconds" if slow else name_of(failed)
        return {"task": name, "answers": [{"arrays": [], "problem": problem, "several": False}] * len(cases)}
    entries = [
        {"arrays": [encode(array) for array in one.arrays], "problem": one.problem, "several": one.several}
        for one in answers
    ]
    return {"task": name, "answers": entries}


def timed(function, printed: Clipped, seconds: float) -> tuple:
    """`(result, None)`, or `(None, exception)` if one ended it; what is printed goes to `printed`."""
    sys.stdout = sys.stderr = printed
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # and again, should it be swallowed
        try:
            return function(), None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except BaseException as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        return None, error
    finally:
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__


def out_of_time(*, alone: bool) -> None:
    """What the alarm does. A fork bomb leaves this process no time to speak: its children go first."""
    if alone:
        end_strays()
    raise OutOfTime("too slow")


def name_of(error: BaseException | None) -> str:
    """An exception in one line, or nothing."""
    if error is None:
        return ""
    try:
        return f"{type(error).__name__}: {error}"[:500]
    except Exception:  # even an exception may be one of theirs
        return f"{type(error).__name__}: (no message)"


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
