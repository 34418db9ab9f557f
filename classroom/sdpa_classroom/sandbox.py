"""Run a student's code where it sees nothing, reaches nothing and can't harm anything: bubblewrap plus limits.

Inside are the system's own files and this Python, read-only; a small folder in memory to write to; no network; and no
other processes. The course's package is there without the right answers to the homework.
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

import sdpa_course

from .seccomp import open_filter

COURSE, GRADER = Path(sdpa_course.__file__).parent, Path(__file__).parent
HOMEWORK = COURSE / "homework"
# Folders that appear in the sandbox with these files only: {name: where it comes from}
REDUCED = {
    HOMEWORK: {"__init__.py": GRADER / "homework_stub.py", "answers.py": HOMEWORK / "answers.py"},
    GRADER: {name: GRADER / name for name in ("__init__.py", "messages.py", "runner.py")},
}
SYSTEM = ("/usr", "/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime")
LINKS = ("/bin", "/lib", "/lib64", "/sbin")
FIRST_UID = 61184  # the first of systemd's dynamic users; needed only if the instructor is root
HOME, JOB = Path("/sandbox/home"), Path("/sandbox/job.json")  # exist only inside

RUNNING: set[subprocess.Popen] = set()  # to be stopped if the grader is interrupted


class Limits(NamedTuple):
    """What one submission may use."""

    seconds: float = 120.0  # in total
    cell_seconds: float = 20.0  # for one cell, or for all calls of one task
    memory: int = 2 * 1024**3  # bytes, all its processes together
    processes: int = 64
    disk: int = 64 * 1024**2  # bytes it may write; they're held in memory
    output: int = 16 * 1024**2  # bytes of results it may send


class Outcome(NamedTuple):
    """What a run sent, and why it ended: "time", "memory", "output", a non-zero status, or "" if it just finished."""

    output: bytes
    reason: str


class NoSandbox(Exception):
    """This machine can't provide the sandbox; the message says why."""


def find_sandbox() -> str:
    """Return the path of a bubblewrap in which this Python and the course work, or raise `NoSandbox`."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise NoSandbox("bubblewrap was not found (on Debian and Ubuntu: apt-get install bubblewrap)")
    probe = [sys.executable, "-c", "import IPython, numpy, sdpa_classroom.messages"]
    try:
        syscall_filter = open_filter()
    except (RuntimeError, OSError) as problem:
        raise NoSandbox(f"libseccomp doesn't work here ({problem})") from None
    with syscall_filter:
        command = [*sandbox_command(bwrap, syscall_filter.fileno(), Limits()), *probe]
        result = subprocess.run(command, pass_fds=(syscall_filter.fileno(),), capture_output=True, text=True)
    if result.returncode:
        problem = " ".join(result.stderr.split())[-300:] or f"status {result.returncode}"
        raise NoSandbox(f"bubblewrap doesn't work here ({problem})")
    return bwrap


def sandbox_command(bwrap: str, filter_fd: int, limits: Limits, *extra: str) -> list[str]:
    """The command line that puts whatever is appended to it into a sandbox; `extra` are options for bubblewrap."""
    command = [bwrap, "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if os.getuid() == 0:
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]  # given up before any student code runs
    else:
        command += ["--unshare-user"]
    command += ["--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox"]
    command += ["--seccomp", str(filter_fd), "--proc", "/proc", "--dev", "/dev"]
    for path in LINKS:
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
    for folder in (Path("/tmp"), HOME):
        command += [*make_parents(folder), "--perms", "1777", "--size", str(limits.disk), "--tmpfs", str(folder)]
    for folder in (*system_folders(), COURSE):
        command += [*make_parents(folder), "--ro-bind", str(folder), str(folder)]
    for folder, files in REDUCED.items():
        command += [*make_parents(folder), "--perms", "755", "--tmpfs", str(folder)]
        for name, source in files.items():
            command += ["--ro-bind", str(source), str(folder / name)]
    command += [*extra, "--chdir", str(HOME)]
    for folder in (*REDUCED, Path("/dev"), Path("/")):
        command += ["--remount-ro", str(folder)]
    for name, value in environment(HOME).items():
        command += ["--setenv", name, value]
    return [*command, "--"]


def make_parents(path: Path) -> list[str]:
    """Options that create the folders above `path`, open to every user."""
    above = [folder for folder in reversed(path.parents) if folder != Path("/")]
    return [part for folder in above for part in ("--perms", "755", "--dir", str(folder))]


def system_folders() -> list[Path]:
    """The system's own files that Python needs, and the folders of this Python."""
    prefixes = (sys.base_prefix, sys.prefix, Path(sys.executable).resolve().parent.parent)
    paths = [*map(Path, SYSTEM), *(Path(path) for path in LINKS if not os.path.islink(path)), *map(Path, prefixes)]
    outside = [path for path in paths[1:] if not path.is_relative_to("/usr") and path.exists()]
    return list(dict.fromkeys((paths[0], *outside)))


def environment(home: Path) -> dict[str, str]:
    """The environment variables of the student's process."""
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home),
        "IPYTHONDIR": f"{home}/.ipython",
        "MPLCONFIGDIR": f"{home}/.matplotlib",
        "MPLBACKEND": "agg",
        "PIP_RETRIES": "0",  # there's no network: a `%pip install` in a cell should fail at once
        "PIP_DEFAULT_TIMEOUT": "1",
        "LANG": "C.UTF-8",
        **{f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")},
    }


def run(job: Path, limits: Limits, *, bwrap: str | None, scratch: Path) -> Outcome:
    """Run `runner.py` on the file `job`: in a sandbox or, without `bwrap`, unprotected."""
    runner = [sys.executable, "-m", "sdpa_classroom.runner"]
    with open_filter() if bwrap else contextlib.nullcontext() as syscall_filter:
        reading, writing = os.pipe()
        options = {"pass_fds": [writing]}
        if bwrap:
            options["pass_fds"].append(syscall_filter.fileno())
            mount_job = (*make_parents(JOB), "--ro-bind", str(job), str(JOB))
            command = [*sandbox_command(bwrap, syscall_filter.fileno(), limits, *mount_job), *runner, str(JOB)]
        else:
            command = [*runner, str(job)]
            options |= {"env": environment(scratch), "cwd": scratch}
        try:
            process = subprocess.Popen(
                [*command, str(writing)],
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

    A control group would do this in the kernel, but ordinary accounts in containers aren't allowed to make one.
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
