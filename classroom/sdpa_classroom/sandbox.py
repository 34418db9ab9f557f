"""Where a student's code sees nothing, reaches nothing and can't harm anything: bubblewrap, its options, and limits.

Inside are the system's own files and this Python, read-only; a small folder in memory to write to; no network; and no
other processes. The course's package is there without the right answers to the homework.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import sdpa_course

from .cgroups import Group, Start, find_group
from .seccomp import write_filter

COURSE, GRADER = Path(sdpa_course.__file__).parent, Path(__file__).parent
SYSTEM = ("/usr", "/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime")
LINKS = ("/bin", "/lib", "/lib64", "/sbin")
DEVICES = ("null", "full", "random", "urandom")  # no terminals, and no /dev/zero, which is another way to share memory
FIRST_UID = 61184  # the first of systemd's dynamic users; needed only if the instructor is root
HOME, JOB = Path("/sandbox/home"), Path("/sandbox/job.json")  # exist only inside
# The folder in memory that students write to. bubblewrap's own can't limit the number of files, so it's mounted before,
# over a folder that nobody needs, where no other process sees it.
WRITABLE = "/sys"
MOUNT = """
mount -t tmpfs -o "size=$1,nr_inodes=$2,mode=755,nosuid,nodev" tmpfs "$3" && cd "$3" && mkdir tmp home &&
chmod 1777 tmp home && cd / && shift 3 && exec "$@"
"""
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


class Limits(NamedTuple):
    """What one submission may use."""

    seconds: float = 120.0  # in total
    cell_seconds: float = 20.0  # for one cell, or for all calls of one task
    memory: int = 2 * 1024**3  # bytes, all its processes together
    processes: int = 64
    disk: int = 64 * 1024**2  # bytes it may write; they're held in memory
    files: int = 4096  # and folders and links
    output: int = 16 * 1024**2  # bytes of results it may send


class Sandbox(NamedTuple):
    """What this machine offers: bubblewrap and, perhaps, a way to limit memory in the kernel."""

    bwrap: str
    group: Group | None


class Launch(NamedTuple):
    """A command, the options with which `subprocess` starts it, and who counts its memory."""

    command: list[str]
    options: dict
    start: Start


class NoSandbox(Exception):
    """This machine can't provide the sandbox; the message says why."""


def find_sandbox() -> Sandbox:
    """The sandbox in which this Python and the course work, or raise `NoSandbox`."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise NoSandbox("bubblewrap was not found (on Debian and Ubuntu: apt-get install bubblewrap)")
    sandbox = Sandbox(bwrap, find_group())
    probe = [sys.executable, "-c", "import IPython, numpy, sdpa_classroom.messages"]
    try:
        with in_sandbox(sandbox, Limits(), probe) as launch:
            result = subprocess.run(launch.command, **launch.options, capture_output=True, text=True)
    except (RuntimeError, OSError) as problem:
        raise NoSandbox(f"the sandbox can't be made here ({problem})") from None
    if result.returncode:
        problem = " ".join(result.stderr.split())[-300:] or f"status {result.returncode}"
        raise NoSandbox(f"bubblewrap doesn't work here ({problem})")
    return sandbox


def checked_sandbox() -> Sandbox:
    """The sandbox, if no answers can be seen from inside."""
    sandbox = find_sandbox()
    if answers := visible_answers():
        raise ValueError(f"{answers} has answers in it, and every submission can read that place; remove this copy")
    return sandbox


def reduced() -> dict[Path, dict[str, Path]]:
    """Folders that appear in the sandbox with these files only: {name: where it comes from}."""
    homework, course = COURSE / "homework", COURSE / "course"
    folders = {
        homework: {"__init__.py": GRADER / "homework_stub.py", "answers.py": homework / "answers.py"},
        GRADER: {name: GRADER / name for name in ("__init__.py", "messages.py", "runner.py")},
    }
    return folders | ({course: {}} if course.exists() else {})  # an installed package carries the solutions there


def visible_answers() -> Path | None:
    """A file with answers that every submission could read, such as those of a second copy of the package."""
    sets, hidden = list((COURSE / "homework").glob("ps*.py")), reduced()
    names = {path.name for path in sets} | {path.stem for path in sets}
    for place in system_folders():
        for folder, folders, files in os.walk(place):
            here = Path(folder)
            folders[:] = [name for name in folders if here / name not in hidden]
            for name in files:
                module = name.partition(".")[0] in names and name.endswith((".py", ".pyc", ".ipynb"))
                if module or name.startswith(("sdpa_course-", "sdpa-course-")):
                    return here / name
    return None


@contextlib.contextmanager
def in_sandbox(sandbox: Sandbox, limits: Limits, command: list[str], job: bytes = b"{}") -> Iterator[Launch]:
    """How to run `command` in the sandbox, with `job` as the file `JOB`.

    Filter, options and job are handed over in memory, so nothing is written to any disk, and no other account and no
    submission sees them. The environment is empty: the sandbox's first process is bubblewrap itself, and whatever that
    has in its environment, a submission can read.
    """
    with contextlib.ExitStack() as stack:
        syscalls, words, data = (stack.enter_context(os.fdopen(os.memfd_create("grading"), "w+b")) for _ in range(3))
        write_filter(syscalls)
        data.write(job)
        words.write(b"\0".join(map(os.fsencode, sandbox_options(syscalls.fileno(), data.fileno()))))
        files: list[BinaryIO] = [syscalls, words, data]
        for file in files:
            file.seek(0)
        start = stack.enter_context(sandbox.group.limited(limits.memory)) if sandbox.group else Start([], {})
        root = [] if os.getuid() == 0 else ["--user", "--map-root-user"]
        mount = ["/bin/sh", "-c", MOUNT, "sh", str(limits.disk), str(limits.files), WRITABLE]
        private = ["/usr/bin/env", "-i", f"PATH={PATH}", "unshare", "--mount", *root, *mount]
        bwrap = ["env", "-i", sandbox.bwrap, "--args", str(words.fileno()), "--", *command]
        options = {"pass_fds": tuple(file.fileno() for file in files), "env": start.environment}
        yield Launch([*start.words, *private, *bwrap], options, start)


def sandbox_options(filter_fd: int, job_fd: int) -> list[str]:
    """bubblewrap's options."""
    options = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if os.getuid() == 0:
        options += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]  # given up before any student code runs
    else:
        options += ["--unshare-user", "--uid", str(FIRST_UID), "--gid", str(FIRST_UID)]
    options += ["--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox"]
    options += ["--seccomp", str(filter_fd), "--proc", "/proc"]
    for name in DEVICES:
        options += [*make_parents(Path("/dev", name)), "--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for path in LINKS:
        if os.path.islink(path):
            options += ["--symlink", os.readlink(path), path]
    for folder in (Path("/tmp"), HOME):
        options += [*make_parents(folder), "--bind", f"{WRITABLE}/{folder.name}", str(folder)]
    for folder in (*system_folders(), COURSE):
        options += [*make_parents(folder), "--ro-bind", str(folder), str(folder)]
    hidden = reduced()
    for folder, files in hidden.items():
        options += [*make_parents(folder), "--perms", "755", "--tmpfs", str(folder)]
        for name, source in files.items():
            options += ["--ro-bind", str(source), str(folder / name)]
    options += [*make_parents(JOB), "--perms", "400", "--ro-bind-data", str(job_fd), str(JOB), "--chdir", str(HOME)]
    for folder in (*hidden, Path("/")):
        options += ["--remount-ro", str(folder)]
    for name, value in environment(HOME).items():
        options += ["--setenv", name, value]
    return options


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
