"""Runs inside the sandbox: executes a student's cells and sends out what their functions compute.

python -m sdpa_classroom.runner JOB FD: JOB is a JSON file with the cells, the inputs and the limits. Answers go to the
file descriptor FD as soon as they're known, one line of JSON each, so a crash loses only what comes after it.

Nothing in here can give a mark: a student's code may do whatever it likes to this process.
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

MAX_PRINTED = 10_000  # characters kept of what one cell prints
PYTHON_MAGICS = ("time", "capture")  # these run the student's Python; all others are dropped
OTHER_LANGUAGES = ("bash", "sh", "script", "perl", "html", "HTML", "javascript", "js", "latex", "markdown", "writefile")


class OutOfTime(BaseException):
    """A cell or an answer took too long. Not an `Exception`, so that no `except Exception` catches it."""


class TruncatedText(io.TextIOBase):
    """Keeps the beginning of what is printed, and counts the rest."""

    def __init__(self):
        self.text, self.dropped = "", 0

    def write(self, text: str) -> int:
        kept = text[: MAX_PRINTED - len(self.text)]
        self.text += kept
        self.dropped += len(text) - len(kept)
        return len(text)

    def writable(self) -> bool:
        return True

    def shown(self) -> str:
        """The text, and how much was dropped."""
        return self.text + (f"\n… and {self.dropped} more characters\n" if self.dropped else "")


def main(job_file: str, channel: int) -> None:
    """Run every cell, then try every task that has no answer yet."""
    with open(job_file, encoding="utf-8") as file:
        job = json.load(file)
    confine(job["limits"])
    send = make_sender(channel, sandboxed=job["limits"]["sandboxed"])
    shell = make_shell()
    signal.signal(signal.SIGALRM, lambda *_: out_of_time(sandboxed=job["limits"]["sandboxed"]))
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
    os._exit(0)  # at once, without waiting for the student's threads and exit handlers


def confine(limits: dict) -> None:
    """Drop root's rights and set limits that a process can't lift again."""
    if not limits["sandboxed"]:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # die with the grader; in a sandbox, bubblewrap sees to that
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


def make_sender(channel: int, *, sandboxed: bool):
    """A function that writes one message as one line; in a sandbox, it first kills whatever a cell left running."""
    first, stream = os.getpid(), os.fdopen(channel, "wb", buffering=0)

    def send(message: dict) -> None:
        if os.getpid() != first:
            os._exit(0)  # a copy that the student's code forked
        if sandboxed:
            kill_others()
        stream.write(b"\n" + json.dumps(message).encode("utf-8", "replace") + b"\n")

    return send


def kill_others() -> None:
    """Kill every process in this sandbox except this one."""
    with contextlib.suppress(OSError):
        os.kill(-1, signal.SIGKILL)


def make_shell():
    """IPython without a terminal: magics and `display` work as in a notebook."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.xmode = "Minimal"
    shell = InteractiveShell.instance(config=config)
    warnings.simplefilter("default")
    tame_magics(shell)
    return shell


def tame_magics(shell) -> None:
    """Let no magic fail: `%matplotlib inline`, say, must not take the import below it along.

    Magics that run Python still do; the Python below an unknown `%%magic` runs as if the line weren't there.
    """
    run_line, run_cell = shell.run_line_magic, shell.run_cell_magic

    def line_magic(name, line, _stack_depth=1):
        return run_line(name, line, _stack_depth + 1) if name in PYTHON_MAGICS else None

    def cell_magic(name, line, cell):
        if name in PYTHON_MAGICS:
            return run_cell(name, line, cell)
        return None if name in OTHER_LANGUAGES else shell.ex(shell.transform_cell(cell))

    shell.run_line_magic, shell.run_cell_magic = line_magic, cell_magic
    shell.system = shell.system_raw = shell.system_piped = lambda command: None  # !command
    shell.getoutput = lambda command, **options: []  # x = !command


def run_cell(shell, number: int, source: str, seconds: float) -> dict:
    """Execute one cell and report what it printed and raised."""
    printed = TruncatedText()
    result, failed = timed(lambda: shell.run_cell(source, store_history=False), printed, seconds)
    if result is not None:
        failed = result.error_before_exec or result.error_in_exec
    return {"cell": number, "printed": printed.shown(), "error": name_of(failed)}


def answer(shell, name: str, task: dict, seconds: float) -> dict:
    """What the student's function returns for every case, as plain data."""
    from sdpa_classroom.messages import decode, encode
    from sdpa_course.homework.answers import ask

    cases = [{key: decode(value) for key, value in case.items()} for case in task["cases"]]
    answers, failed = timed(lambda: ask(shell.user_ns.get(task["answer"]), cases), TruncatedText(), seconds)
    if failed is not None:
        slow = isinstance(failed, OutOfTime)
        problem = f"your answer took more than {seconds:g} seconds" if slow else name_of(failed)
        return {"task": name, "answers": [{"arrays": [], "problem": problem, "several": False}] * len(cases)}
    entries = [
        {
            "arrays": [encode(array) for array in one.arrays],
            "problem": one.problem,
            "several": one.several,
            "called": one.called,
        }
        for one in answers
    ]
    return {"task": name, "answers": entries}


def timed(function, printed: TruncatedText, seconds: float) -> tuple:
    """`(result, None)`, or `(None, exception)` if it raised; what it prints goes to `printed`."""
    sys.stdout = sys.stderr = printed
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # and every second after, in case it's swallowed
        try:
            return function(), None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except BaseException as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        return None, error
    finally:
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__


def out_of_time(*, sandboxed: bool) -> None:
    """The alarm. Children are killed first: a fork bomb would leave this process no time to report anything."""
    if sandboxed:
        kill_others()
    raise OutOfTime("too slow")


def name_of(error: BaseException | None) -> str:
    """An exception in one line; an empty string for None."""
    if error is None:
        return ""
    try:
        return f"{type(error).__name__}: {error}"[:500]
    except Exception:  # the exception may be of the student's making
        return f"{type(error).__name__}: (no message)"


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
