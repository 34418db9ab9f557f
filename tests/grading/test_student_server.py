"""A student's server on the hub: what root does before it becomes the student. JupyterHub itself isn't needed."""

import asyncio
import os
import pty
import pwd
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType, SimpleNamespace

import pytest

SETPRIV = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
"""
PROBE = """
import os
for number in (0, 1, 2):
    try:
        said = "reads" if os.read(number, 1) else "nothing to read"
    except OSError as problem:
        said = problem.strerror
    print(said, end=";", flush=True)
"""


class Spawner:
    """As much of JupyterHub's as `StudentServer` needs."""

    async def start(self):
        return list(self.cmd)


@pytest.fixture
def server(monkeypatch):
    """The module, with a JupyterHub that does nothing."""
    for name, has in {"jupyterhub": {}, "jupyterhub.spawner": {"LocalProcessSpawner": Spawner}}.items():
        module = ModuleType(name)
        module.__dict__.update(has)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "sdpa_classroom.student_server", raising=False)
    import sdpa_classroom.student_server

    yield sdpa_classroom.student_server
    sys.modules.pop("sdpa_classroom.student_server", None)


def test_a_server_cannot_read_the_terminal_of_the_hub(server, tmp_path):
    """Whoever starts the hub in a terminal also types passwords there."""
    (tmp_path / "setpriv").write_text(SETPRIV)
    (tmp_path / "setpriv").chmod(0o755)
    ours, theirs = pty.openpty()
    os.write(ours, b"a password\n" * 3)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path), "SDPA_GROUPS": "", "SDPA_PRIVATE": ""}
    words = ["/bin/sh", "-ec", server.START, "1000", "1000", sys.executable, "-c", PROBE]
    files = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    with subprocess.Popen(words, env=env, start_new_session=True, **files) as process:
        assert process.wait(timeout=60) == 0
    os.close(theirs)
    said = b""
    while b"3;" not in said and said.count(b";") < 3:
        said += os.read(ours, 1000)
    os.close(ours)
    assert said.partition(b"nothing")[1:] == (b"nothing", b" to read;Bad file descriptor;Bad file descriptor;")


def test_a_new_account_of_the_same_name_runs_as_itself(server, monkeypatch):
    spawner = server.StudentServer()
    spawner.cmd, spawner.mem_limit, spawner.user = ["jupyterhub-singleuser"], None, SimpleNamespace(name="ada")
    started = []
    for number in (1001, 1002):
        account = SimpleNamespace(pw_uid=number, pw_gid=number)
        monkeypatch.setattr(pwd, "getpwnam", lambda name, account=account: account)
        with ThreadPoolExecutor(1) as thread:  # a browser's test may have left a loop running in this one
            started.append(thread.submit(asyncio.run, spawner.start()).result())
    begin = started[0][:8]
    assert begin[-1] == server.START
    assert started == [[*begin, n, n, "jupyterhub-singleuser"] for n in ("1001", "1002")]


def test_nothing_can_fork_while_it_is_being_ended(server, tmp_path, monkeypatch):
    monkeypatch.setattr(server, "remove", lambda group: None)
    with subprocess.Popen(["sleep", "600"]) as process:
        (tmp_path / "cgroup.procs").write_text(f"{process.pid}\n")
        (tmp_path / "pids.max").write_text("500")
        server.Limits([tmp_path], {tmp_path / "memory.max": 1, tmp_path / "pids.max": 500}).end()
        assert process.wait(timeout=60) == -9
    assert (tmp_path / "pids.max").read_text() == "0"


@pytest.mark.parametrize("counts_swap", [True, False])
def test_limits_of_version_2_where_swap_may_not_be_counted(server, tmp_path, monkeypatch, counts_swap):
    monkeypatch.setattr(server, "GROUPS", tmp_path)
    (tmp_path / "cgroup.controllers").write_text("memory pids")
    limits = server.limits_of("ada", 2**31, 500)
    (group,) = limits.groups
    group.mkdir(parents=True)
    (group / "memory.max").touch(0o600)
    (group / "pids.max").touch(0o600)
    if counts_swap:
        (group / "memory.swap.max").touch(0o600)
    limits.set()
    expected = {"memory.max": str(2**31), "pids.max": "500"} | ({"memory.swap.max": "0"} if counts_swap else {})
    assert {path.name: path.read_text() for path in group.iterdir()} == expected
