"""Attack the sandbox itself, as root and as an ordinary account. Attacks through a notebook are in test_grading.py."""

import errno
import os
import platform
import shutil
import signal
import subprocess
import sys

import pyseccomp
import pytest

from sdpa_classroom import sandbox, seccomp
from sdpa_classroom.cgroups import find_group

from .accounts import ACCOUNTS, words_for
from .grade_command import SANDBOX, needs_sandbox
from .hostile import ROOT

pytestmark = needs_sandbox
# Runs the source that it's given the way a student's code is run: in the sandbox, after the runner gave up its rights.
CONFINED = """
from sdpa_classroom.runner import confine
confine({"sandboxed": True, "uid": %d, "memory": 2**31, "processes": 64, "file": 2**26})
"""
INSIDE = """
import os, shutil, subprocess, sys
from sdpa_classroom import sandbox
from sdpa_classroom.cgroups import find_group
found = sandbox.Sandbox(shutil.which("bwrap"), find_group())
with sandbox.in_sandbox(found, sandbox.Limits(), [sys.executable, "-c", sys.argv[1]]) as launch:
    sys.exit(subprocess.run(launch.command, **launch.options).returncode)
"""


@pytest.fixture(params=ACCOUNTS)
def inside(request):
    """A function that runs Python code in the sandbox; gives its exit status and what it printed."""

    def run(source):
        source = CONFINED % (sandbox.FIRST_UID if request.param == "root" else 0) + source
        words = [*words_for(request.param), sys.executable, "-c", INSIDE, source]
        result = subprocess.run(
            words, cwd="/", env={**os.environ, "HUB_TOKEN": "SECRET", "HOME": "/"}, capture_output=True, text=True
        )
        assert "Traceback" not in result.stderr, result.stderr
        return result.returncode, result.stdout

    return run


def test_no_process_shows_the_graders_environment_or_arguments(inside):
    status, said = inside("""
import glob
for name in ("environ", "cmdline", "mountinfo"):
    for path in glob.glob(f"/proc/[0-9]*/{name}"):
        try:
            print(path, open(path, "rb").read().replace(b"\\0", b" ").decode())
        except OSError as error:
            print(path, error)
""")
    assert status == 0
    assert "/proc/1/cmdline" in said
    assert "HUB_TOKEN" not in said
    assert "SECRET" not in said
    assert "memory:" not in said  # nor where the grader's folders are


def test_no_descriptor_leads_out(inside):
    """Files that the grader has open could be opened again, for writing, through /proc."""
    status, said = inside("""
import os
for process in ("1", "self"):
    try:
        for name in os.listdir(f"/proc/{process}/fd"):
            try:
                print(os.readlink(f"/proc/{process}/fd/{name}"))
            except OSError:
                pass
    except PermissionError:
        pass
""")
    assert status == 0
    for line in said.splitlines():
        assert line.startswith(("pipe:", "anon_inode:", "/dev/null", "/proc/", "socket:")), line


FORBIDDEN = (
    *("memfd_create", "memfd_secret", "shmget", "msgget", "semget", "mq_open"),
    *("socket", "socketpair", "epoll_create1", "inotify_init1", "timerfd_create", "eventfd2", "pidfd_open"),
    *("unshare", "setns", "clone3", "chroot", "pivot_root", "mount", "umount2"),
    *("open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr"),
    *("add_key", "request_key", "keyctl", "io_uring_setup", "bpf", "perf_event_open", "userfaultfd", "seccomp"),
    *("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "process_madvise", "remap_file_pages", "vmsplice"),
    *("mknodat", "setxattr", "open_by_handle_at", "landlock_create_ruleset", "syslog", "personality", "modify_ldt"),
)


def test_the_kernel_refuses_what_is_not_allowed(inside):
    numbers = {name: pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in FORBIDDEN}
    status, said = inside(f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
calls = [(name, (number, 0, 0, 0, 0, 0, 0)) for name, number in {numbers}.items() if number >= 0]
clone, fcntl, mmap = {[pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, n) for n in ("clone", "fcntl", "mmap")]}
calls += [("clone", (clone, flag | 17, 0, 0, 0, 0)) for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000)]
calls += [("lock", (fcntl, 0, command, 0, 0, 0)) for command in (5, 6, 7, 37, 38)]
calls += [("share", (mmap, 0, 4096, 3, flags, -1, 0)) for flags in (0x21, 0x23)]
calls += [("beyond", (9999, 0, 0, 0, 0, 0))]
for name, call in calls:
    ctypes.set_errno(0)
    libc.syscall(*map(ctypes.c_long, call))
    print(name, ctypes.get_errno())
""")
    assert status == 0
    assert len(said.splitlines()) > len(FORBIDDEN)
    assert {line.split()[1] for line in said.splitlines()} == {str(errno.ENOSYS)}, said


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86-64 runs 32-bit code")
def test_32_bit_code_is_killed(inside):
    """Under other numbers, the same system calls would pass the filter."""
    assert inside("""
import ctypes, mmap
everything = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=everything)
page.write(bytes.fromhex("b836010000 31db cd80 c3"))  # mov eax, 310 (unshare); xor ebx, ebx; int 0x80; ret
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
""") == (128 + signal.SIGSYS, "")
    x32 = "import ctypes\nctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 + 39))"  # getpid
    assert inside(x32) == (128 + signal.SIGSYS, "")


def test_files_in_memory_are_limited_in_number_and_size(inside):
    status, said = inside("""
import os
made = 0
for place in ("/tmp", os.path.expanduser("~")):
    try:
        while made < 100_000:
            open(f"{place}/{made}", "w").close()
            made += 1
    except OSError as error:
        print(error.errno)
print(made)
os.unlink("/tmp/0")
os.unlink("/tmp/1")
try:
    for name in ("/tmp/a", "/tmp/b"):
        with open(name, "wb") as file:
            for _ in range(60):
                file.write(bytes(2**20))
except OSError as error:
    print(error.errno)
""")
    lines = said.split()
    assert (status, lines[:2], lines[3]) == (0, [str(errno.ENOSPC)] * 2, str(errno.ENOSPC))
    assert int(lines[2]) < sandbox.Limits().files


@pytest.mark.skipif(find_group() is None, reason="no control group on this machine")
def test_the_kernel_limits_memory_where_it_can():
    """Without the runner's own limits, and faster than anybody could watch."""
    hoard = "import os\nfor _ in range(8):\n    os.fork()\nkept = bytearray(2**26)\nprint('SECRET')"
    limits = sandbox.Limits(memory=2**26)
    with sandbox.in_sandbox(SANDBOX, limits, [sys.executable, "-c", hoard]) as launch:
        subprocess.run(launch.command, **launch.options, capture_output=True)
        assert launch.start.ran_out()
        folder = launch.start.events.parent
    assert not folder.exists()


def test_no_sandbox_without_its_filter(monkeypatch):
    monkeypatch.setattr(seccomp.platform, "machine", lambda: "s390x")
    with pytest.raises(sandbox.NoSandbox, match="no system-call filter for s390x"):
        sandbox.find_sandbox()
    monkeypatch.setattr(sandbox, "write_filter", lambda file: None)  # empty, so the kernel refuses it
    with pytest.raises(sandbox.NoSandbox, match=r"bubblewrap doesn't work here .*PR_SET_SECCOMP"):
        sandbox.find_sandbox()


@needs_sandbox
def test_what_an_installed_package_carries_for_readers_is_hidden(tmp_path, monkeypatch):
    package = shutil.copytree(ROOT / "sdpa_course", tmp_path / "sdpa_course")
    carried = package / "course" / "solutions" / "ps03" / "ps03.ipynb"
    carried.parent.mkdir(parents=True)
    carried.write_text("the answers")
    monkeypatch.setattr(sandbox, "COURSE", package)
    monkeypatch.setattr(sandbox, "system_folders", lambda: [tmp_path])
    assert sandbox.visible_answers() is None
    monkeypatch.undo()
    monkeypatch.setattr(sandbox, "COURSE", package)
    for path, text in ((carried, ""), (package / "course", ""), (package / "py.typed", "")):
        with sandbox.in_sandbox(SANDBOX, sandbox.Limits(), ["cat" if path.is_file() else "ls", str(path)]) as launch:
            done = subprocess.run(launch.command, **launch.options, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (int(path == carried), text)


def test_a_second_copy_of_the_answers_is_noticed(tmp_path, monkeypatch):
    assert sandbox.visible_answers() is None
    (tmp_path / "lib").mkdir()
    monkeypatch.setattr(sandbox, "system_folders", lambda: [tmp_path])
    assert sandbox.visible_answers() is None
    copy = shutil.copytree(ROOT / "sdpa_course", tmp_path / "lib" / "sdpa_course")
    found = sandbox.visible_answers()
    assert found.parent == copy / "homework"
    monkeypatch.setattr(sandbox, "find_sandbox", lambda: SANDBOX)
    with pytest.raises(ValueError, match="every submission can read that place"):
        sandbox.checked_sandbox()
    shutil.rmtree(copy)
    for name in ("sdpa_course-0.1.0-py3-none-any.whl", "ps03.cpython-311.pyc", "ps03.ipynb"):
        (tmp_path / "lib" / name).touch()
        assert sandbox.visible_answers() == tmp_path / "lib" / name
        (tmp_path / "lib" / name).unlink()
