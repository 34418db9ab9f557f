"""Start a student's process, watch it, and stop it with everything it started."""

import contextlib
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil

from .cgroups import Start
from .sandbox import JOB, Launch, Limits, Sandbox, environment, in_sandbox

RUNNING: set[subprocess.Popen] = set()  # to be stopped if the grader is interrupted


class Outcome(NamedTuple):
    """What a run sent, and why it ended: "time", "memory", "output", a non-zero status, or "" if it just finished."""

    output: bytes
    reason: str


def run(job: bytes, limits: Limits, *, sandbox: Sandbox | None) -> Outcome:
    """Run `runner.py` on this job: in a sandbox or, without one, unprotected in a temporary folder."""
    reading, writing = os.pipe()
    runner = [sys.executable, "-m", "sdpa_classroom.runner", str(JOB), str(writing)]
    with in_sandbox(sandbox, limits, runner, job) if sandbox else trusted(runner, job) as launch:
        launch.options["pass_fds"] += (writing,)
        try:
            process = subprocess.Popen(
                launch.command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                umask=0o077,
                **launch.options,
            )
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        RUNNING.add(process)
        try:
            outcome = watch(process, reading, limits)
            return outcome._replace(reason="memory") if outcome.reason and launch.start.ran_out() else outcome
        finally:
            stop(process)
            RUNNING.discard(process)
            os.close(reading)


@contextlib.contextmanager
def trusted(runner: list[str], job: bytes) -> Iterator[Launch]:
    """The same as `in_sandbox`, without a sandbox."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / JOB.name
        path.write_bytes(job)
        command = [str(path) if word == str(JOB) else word for word in runner]
        yield Launch(command, {"pass_fds": (), "env": environment(Path(folder)), "cwd": folder}, Start([], {}))


def watch(process: subprocess.Popen, reading: int, limits: Limits) -> Outcome:
    """Collect what the process sends until it ends or exceeds a limit."""
    output, deadline, last_weighed = bytearray(), time.monotonic() + limits.seconds, 0.0
    os.set_blocking(reading, False)
    with selectors.DefaultSelector() as selector:
        selector.register(reading, selectors.EVENT_READ)
        while True:
            if selector.select(timeout=0.1):
                chunk = os.read(reading, 1 << 20)
                output += chunk
                if not chunk:
                    break
            if len(output) > limits.output:
                return Outcome(bytes(output[: limits.output]), "output")
            if time.monotonic() > deadline:
                return Outcome(bytes(output), "time")
            if time.monotonic() > last_weighed + 0.1:
                if memory_of(process, limits.memory) > limits.memory:
                    return Outcome(bytes(output), "memory")
                last_weighed = time.monotonic()
            if process.poll() is not None and not selector.select(timeout=0.1):
                break
    try:
        status = process.wait(timeout=max(0.1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return Outcome(bytes(output), "time")
    return Outcome(bytes(output), "" if status == 0 else f"status {status}")


def memory_of(process: subprocess.Popen, limit: int) -> int:
    """Bytes in use by all processes below `process`; above `limit`, shared pages are counted only once.

    A control group (`cgroups.py`) counts more than this, but not every machine lets us make one.
    """
    total, exact = 0, 0
    with contextlib.suppress(psutil.Error):
        family = psutil.Process(process.pid).children(recursive=True)
        for member in family:
            with contextlib.suppress(psutil.Error):
                total += member.memory_info().rss
        if total <= limit:  # the exact count is slower
            return total
        for member in family:
            try:
                exact += member.memory_full_info().pss
            except psutil.Error:  # not ours to read, or gone
                with contextlib.suppress(psutil.Error):
                    exact += member.memory_info().rss
    return exact


def stop(process: subprocess.Popen) -> None:
    """Kill the process and everything it started. In a sandbox nothing outlives the first process."""
    with contextlib.suppress(psutil.Error):
        for member in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                member.kill()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()
