"""Limit memory in the kernel, where the machine lets us.

A control group counts everything: processes, files in memory, pipes, page tables. Watching the processes, which works
everywhere, misses what belongs to none of them. Looked for, in this order: systemd, which makes a group on request; a
group (version 2) that was delegated to us; and, for root, version 1.
"""

import contextlib
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

GROUPS = Path("/sys/fs/cgroup")
PREFIX = "sdpa-classroom-"
SPARE = 256 * 1024**2  # for what isn't the processes' own, and so that watching them usually comes first
OLD = 3600  # seconds after which a group without processes is one that a killed run left behind
ASK = 'cat "/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/memory.max"'
JOIN = 'echo $$ >"$0" && exec "$@"'


class Start(NamedTuple):
    """The words in front of a command that limit its memory, the environment they need, and where the kernel counts."""

    words: list[str]
    environment: dict[str, str]
    events: Path | None = None

    def ran_out(self) -> bool:
        """Did the kernel have to kill a process, as far as we can see?"""
        try:
            return self.events is not None and re.search(r"^oom_kill [1-9]", self.events.read_text(), re.M) is not None
        except OSError:
            return False


class Group(NamedTuple):
    """A way to make one group for each submission: with systemd, or as a folder in `parent`."""

    parent: Path | None = None
    limit: str = "memory.max"
    events: str = "memory.events"

    @contextlib.contextmanager
    def limited(self, memory: int) -> Iterator[Start]:
        """How to start a command with this much memory; the group is removed afterwards."""
        if self.parent is None:
            names = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")  # where systemd listens
            yield Start(systemd_run(memory), {name: os.environ[name] for name in names if name in os.environ})
            return
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self.parent))
        try:
            (folder / self.limit).write_text(str(memory + SPARE))
            if (folder / "memory.swap.max").exists():
                (folder / "memory.swap.max").write_text("0")
            yield Start(["/bin/sh", "-c", JOIN, str(folder / "cgroup.procs")], {}, folder / self.events)
        finally:
            remove(folder)


def systemd_run(memory: int) -> list[str]:
    """systemd's command; it runs what follows as its own process, in a new group."""
    user = [] if os.getuid() == 0 else ["--user"]
    limits = [f"--property=MemoryMax={memory + SPARE}", "--property=MemorySwapMax=0"]
    return ["/usr/bin/systemd-run", "--quiet", "--scope", "--collect", *user, *limits, "--"]


def find_group() -> Group | None:
    """The first way that works here, or None. Groups that a killed run left behind are removed."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired), Group().limited(0) as start:
        command = [*start.words, "/bin/sh", "-c", ASK]
        said = subprocess.run(command, env=start.environment, capture_output=True, text=True, timeout=10).stdout
        if said.strip() == str(SPARE):
            return Group()
    for group in delegated():
        for folder in group.parent.glob(f"{PREFIX}*"):
            if time.time() - folder.stat().st_mtime > OLD:
                remove(folder, patience=0)
        with contextlib.suppress(OSError), group.limited(0) as start:
            if subprocess.run([*start.words, "/bin/true"], env={}, capture_output=True).returncode == 0:
                return group
    return None


def delegated() -> list[Group]:
    """Folders in which we might make groups: next to our own or below it, or anywhere if we're root."""
    found = []
    with contextlib.suppress(OSError):
        own = [line[3:] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::")]
        below = [GROUPS / name.strip("/") for name in own]
        for folder in [*below, *(path.parent for path in below)]:
            with contextlib.suppress(OSError):
                if "memory" in (folder / "cgroup.subtree_control").read_text().split():
                    found.append(Group(folder))
    found.append(Group(GROUPS / "memory", "memory.limit_in_bytes", "memory.oom_control"))
    return [group for group in found if os.access(group.parent, os.W_OK)]


def remove(folder: Path, patience: float = 2.0) -> None:
    """Remove a group as soon as the kernel has cleared away its last process."""
    deadline = time.monotonic() + patience
    while folder.exists():
        with contextlib.suppress(OSError):
            folder.rmdir()
        if time.monotonic() > deadline:
            return
        time.sleep(0.01)
