"""A student's server on the hub, kept to a share of the machine and away from everybody else's temporary files.

JupyterHub starts each server as its student, and Unix does the rest, except for two things. A student's processes
together can use all of the machine's memory, because Unix limits each one by itself; a control group counts them as
one. And `/tmp` belongs to everybody; in a mount namespace of its own, each server sees an empty one, which counts
towards its memory and is gone when the server stops.
"""

import contextlib
import os
import pwd
import signal
from pathlib import Path
from typing import NamedTuple

from jupyterhub.spawner import LocalProcessSpawner
from traitlets import Integer

from sdpa_classroom.cgroups import GROUPS, remove

OURS = "sdpa-students"  # the group that has a group for each student in it
PRIVATE = ("/tmp", "/var/tmp", "/dev/shm")
SWAP = "memory.swap.max"

# As root: away from the terminal in which the hub was started, where a student's server could read what root types;
# into the groups; away from the machine's temporary folders. Then, as the student, the command itself.
START = """
exec < /dev/null
[ ! -t 1 ] || exec > /proc/self/fd/1
[ ! -t 2 ] || exec 2> /proc/self/fd/2
for group in $SDPA_GROUPS; do echo $$ > "$group/cgroup.procs"; done
for folder in $SDPA_PRIVATE; do mount -t tmpfs -o size=1g,nr_inodes=100k,mode=1777,nosuid,nodev private "$folder"; done
unset SDPA_GROUPS SDPA_PRIVATE
exec setpriv --reuid "$0" --regid "$1" --init-groups -- /bin/sh -c 'cd && exec "$@"' "$@"
"""


class Limits(NamedTuple):
    """Files of the control groups that hold a server, and what's written into them."""

    groups: list[Path]
    files: dict[Path, int]

    def set(self) -> None:
        """Make the groups, with their limits."""
        for group in self.groups:
            group.mkdir(parents=True, exist_ok=True)
        for file, value in self.files.items():
            if file.exists() or file.name != SWAP:  # a kernel that doesn't count swap has no such file
                file.write_text(str(value))

    def end(self) -> None:
        """End whatever a student left running, then remove the groups. What keeps forking mustn't get away."""
        for limit in (file for file in self.files if file.name == "pids.max"):
            with contextlib.suppress(OSError):
                limit.write_text("0")
        for group in self.groups * 2:  # again, for what was being forked meanwhile
            with contextlib.suppress(OSError):
                for pid in (group / "cgroup.procs").read_text().split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)
        for group in self.groups:
            remove(group)


def limits_of(name: str, memory: int, processes: int) -> Limits | None:
    """For one account, or None where the machine offers no control groups to root."""
    if (GROUPS / "cgroup.controllers").exists():  # version 2
        group = GROUPS / OURS / name
        files = {"memory.max": memory, SWAP: 0, "pids.max": processes}
        return Limits([group], {group / file: value for file, value in files.items()})
    memories, pids = GROUPS / "memory" / OURS / name, GROUPS / "pids" / OURS / name
    if os.access(GROUPS / "memory", os.W_OK) and os.access(GROUPS / "pids", os.W_OK):
        return Limits([memories, pids], {memories / "memory.limit_in_bytes": memory, pids / "pids.max": processes})
    return None


def delegate() -> None:
    """In version 2, a group passes on only the limits that it names."""
    if (GROUPS / "cgroup.controllers").exists():
        (GROUPS / OURS).mkdir(exist_ok=True)
        for folder in (GROUPS, GROUPS / OURS):
            (folder / "cgroup.subtree_control").write_text("+memory +pids")


class StudentServer(LocalProcessSpawner):
    """One server, in control groups and a mount namespace of its own."""

    processes = Integer(500, config=True, help="How many processes and threads a student may have at once.")

    @property
    def limits(self) -> Limits | None:
        """This account's; without a memory limit, as for instructors, there are none."""
        return limits_of(self.user.name, self.mem_limit, self.processes) if self.mem_limit else None

    def make_preexec_fn(self, name):
        """Nothing: `START` needs root for its first lines and becomes the student in its last."""
        return None

    async def start(self):
        """Start the server inside its groups."""
        account = pwd.getpwnam(self.user.name)
        if self.limits:
            self.limits.end()
            delegate()
            self.limits.set()
        elif self.mem_limit:
            self.log.warning("This machine offers no control groups: memory is limited by process, not by student.")
        words = ["unshare", "--mount", "--propagation", "private", "--", "/bin/sh", "-ec", START]
        own = self.cmd[len(words) + 2 :] if START in self.cmd else self.cmd  # the account may be another one by now
        self.cmd = [*words, str(account.pw_uid), str(account.pw_gid), *own]
        return await super().start()

    def get_env(self):
        """With what `START` reads."""
        groups = " ".join(map(str, self.limits.groups)) if self.limits else ""
        return {**super().get_env(), "SDPA_GROUPS": groups, "SDPA_PRIVATE": " ".join(PRIVATE)}

    async def poll(self):
        """When the server has ended, so does whatever it started."""
        status = await super().poll()
        if status is not None and self.limits:
            self.limits.end()
        return status
