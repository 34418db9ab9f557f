"""Run a command that sees nothing, reaches nothing and can harm nothing: bubblewrap around it, limits on it.

Inside there is the system and this Python, read-only; a small folder in memory to write to; no network; no
process but its own. Of the course there is the package without the homework's right answers.
"""

import contextlib
import os
import selectors
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import psutil

PACKAGE = Path(__file__).parent.parent
SYSTEM = ("/usr", "/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime")
LINKS = ("/bin", "/lib", "/lib64", "/sbin")
FIRST_UID = 61184  # where systemd's nameless users begin; only used by an instructor who works as root
INSIDE = Path("/sandbox")  # what only exists inside
HOME, JOB, RUNNER = INSIDE / "home", INSIDE / "job.json", INSIDE / "student.py"


RUNNING: set[subprocess.Popen] = set()  # what would have to be stopped if the grader is interrupted


class Limits(NamedTuple):
    """What one submission may use."""

    seconds: float = 120.0  # in all
    cell_seconds: float = 20.0  # one cell, or the calls of one task
    memory: int = 2 * 1024**3  # bytes, all its processes together
    processes: int = 64
    disk: int = 64 * 1024**2  # bytes it may write, into memory
    said: int = 16 * 1024**2  # bytes it may hand out


class Ended(NamedTuple):
    """How it went: what came out, and why it ended (empty: by itself, with status 0)."""

    output: bytes
    reason: str


class NoSandbox(Exception):
    """There is none on this machine; the message says why."""


def find_sandbox() -> str:
    """The path of a bubblewrap in which this Python and the course's package work, or `NoSandbox`."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise NoSandbox("bubblewrap was not found (on Debian and Ubuntu: apt-get install bubblewrap)")
    trial = (
        "import sys, IPython, numpy, sdpa_course.homework.answers\n"
        "from sdpa_course.grading.syscalls import forbid\n"
        "forbid() or sys.exit('the kernel takes no filter of system calls, or not for this machine')"
    )
    probe = subprocess.run([*walls(bwrap, Limits()), sys.executable, "-c", trial], capture_output=True, text=True)
    if probe.returncode:
        words = (probe.stderr.strip() or f"status {probe.returncode}").splitlines()[-1]
        raise NoSandbox(f"bubblewrap does not work here ({words})")
    return bwrap


def walls(bwrap: str, limits: Limits, *more: str) -> list[str]:
    """The command that puts what follows it into a sandbox; `more` are arguments of bubblewrap's own."""
    command = [bwrap, "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if os.getuid() == 0:
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]  # given up before any of their code runs
    else:
        command += ["--unshare-user"]
    command += ["--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox"]
    command += ["--proc", "/proc", "--dev", "/dev"]
    for path in LINKS:
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
    for folder in (Path("/tmp"), HOME):
        command += [*opened(folder), "--perms", "1777", "--size", str(limits.disk), "--tmpfs", str(folder)]
    for source, place in (*system(), *course()):
        command += [*opened(place), "--ro-bind", str(source), str(place)]
        if place == PACKAGE:  # of these two folders, only what `course` lists after the package
            for folder in (PACKAGE / "homework", PACKAGE / "grading"):
                command += ["--perms", "755", "--tmpfs", str(folder)]
    command += [*more, "--chdir", str(HOME)]
    for folder in (PACKAGE / "homework", PACKAGE / "grading", Path("/dev"), Path("/")):
        command += ["--remount-ro", str(folder)]
    for name, value in environment(HOME).items():
        command += ["--setenv", name, value]
    return [*command, "--"]


def opened(place: Path) -> list[str]:
    """Make the folders above `place`, so that everybody may go through them."""
    above = [folder for folder in reversed(place.parents) if folder != Path("/")]
    return [part for folder in above for part in ("--perms", "755", "--dir", str(folder))]


def system() -> list[tuple[Path, Path]]:
    """The machine's own files that a Python needs, and this Python."""
    prefixes = (sys.base_prefix, sys.prefix, Path(sys.executable).resolve().parent.parent)
    paths = [*map(Path, SYSTEM), *(Path(path) for path in LINKS if not os.path.islink(path)), *map(Path, prefixes)]
    outside = [path for path in paths[1:] if not path.is_relative_to("/usr") and path.exists()]
    return [(path, path) for path in dict.fromkeys((paths[0], *outside))]


def course() -> list[tuple[Path, Path]]:
    """The course's package, without what knows the right answers."""
    homework, grading = PACKAGE / "homework", PACKAGE / "grading"
    return [
        (PACKAGE, PACKAGE),
        (grading / "standin.py", homework / "__init__.py"),
        (homework / "answers.py", homework / "answers.py"),
        (grading / "__init__.py", grading / "__init__.py"),
        (grading / "messages.py", grading / "messages.py"),
        (grading / "syscalls.py", grading / "syscalls.py"),
        (grading / "student.py", RUNNER),
    ]


def environment(home: Path) -> dict[str, str]:
    """What the process finds in its environment."""
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": str(PACKAGE.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home),
        "IPYTHONDIR": f"{home}/.ipython",
        "MPLCONFIGDIR": f"{home}/.matplotlib",
        "MPLBACKEND": "agg",
        "PIP_RETRIES": "0",  # there is no network: let a pip in a cell find that out at once
        "PIP_DEFAULT_TIMEOUT": "1",
        "LANG": "C.UTF-8",
        **{f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")},
    }


def run(job: Path, limits: Limits, *, bwrap: str | None, scratch: Path) -> Ended:
    """Run the student's side of the grading on the job in the file `job`; without `bwrap`, unprotected."""
    reading, writing = os.pipe()
    if bwrap:
        inside = walls(bwrap, limits, *opened(JOB), "--ro-bind", str(job), str(JOB))
        command, options = [*inside, sys.executable, str(RUNNER), str(JOB), str(writing)], {}
    else:
        command = [sys.executable, str(PACKAGE / "grading" / "student.py"), str(job), str(writing)]
        options = {"env": environment(scratch), "cwd": scratch}
    try:
        process = subprocess.Popen(
            command,
            pass_fds=(writing,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            **options,
        )
    finally:
        os.close(writing)
    RUNNING.add(process)
    try:
        return watch(process, reading, limits)
    finally:
        stop(process)
        RUNNING.discard(process)
        os.close(reading)


def watch(process: subprocess.Popen, reading: int, limits: Limits) -> Ended:
    """Collect what the process hands out until it ends, or until it has used up a limit."""
    output, deadline, weighed = bytearray(), time.monotonic() + limits.seconds, 0.0
    os.set_blocking(reading, False)
    with selectors.DefaultSelector() as selector:
        selector.register(reading, selectors.EVENT_READ)
        while True:
            if selector.select(timeout=0.1):
                chunk = os.read(reading, 1 << 20)
                output += chunk
                if not chunk:
                    break
            if len(output) > limits.said:
                return Ended(bytes(output[: limits.said]), "output")
            if time.monotonic() > deadline:
                return Ended(bytes(output), "time")
            if time.monotonic() > weighed + 0.1:
                if memory_of(process, limits.memory) > limits.memory:
                    return Ended(bytes(output), "memory")
                weighed = time.monotonic()
            if process.poll() is not None and not selector.select(timeout=0.1):
                break
    try:
        status = process.wait(timeout=max(0.1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return Ended(bytes(output), "time")
    return Ended(bytes(output), "" if status == 0 else f"status {status}")


def memory_of(process: subprocess.Popen, limit: int) -> int:
    """Bytes in use by the process and all below it; pages that they share are counted once where it matters."""
    total, exact = 0, 0
    with contextlib.suppress(psutil.Error):
        family = psutil.Process(process.pid).children(recursive=True)
        for member in family:
            with contextlib.suppress(psutil.Error):
                total += member.memory_info().rss
        if total <= limit:  # counting exactly takes longer
            return total
        for member in family:
            try:
                exact += member.memory_full_info().pss
            except psutil.Error:  # hidden from us, or gone
                with contextlib.suppress(psutil.Error):
                    exact += member.memory_info().rss
    return exact


def stop(process: subprocess.Popen) -> None:
    """End the process and all that it started. In a sandbox nothing can outlive its first process."""
    with contextlib.suppress(psutil.Error):
        for member in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.Error):
                member.kill()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()
