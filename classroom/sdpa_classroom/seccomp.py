"""The system calls that code in the sandbox may not make: what namespaces and resource limits don't cover.

bubblewrap loads the filter before it starts Python, and doesn't start it if the kernel refuses the filter.
"""

import errno
import platform
import tempfile

MACHINES = ("x86_64", "aarch64")  # elsewhere, clone may have its flags in another argument
DENIED = (
    *("memfd_create", "memfd_secret", "shmget"),  # memory that belongs to no process, so that no limit counts it
    *("unshare", "setns"),  # new namespaces
    *("mount", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr"),
    *("add_key", "request_key", "keyctl"),  # the kernel's key rings
    "io_uring_setup",  # would make other calls unseen by the filter
)
CLONE_NEWUSER = 0x10000000


def open_filter():
    """A temporary file with the compiled filter, for bubblewrap's `--seccomp`.

    Raises `OSError` or `RuntimeError` if this machine or its libseccomp can't provide one. Calls through another ABI
    (32-bit code on x86-64) kill the process: that's libseccomp's default.
    """
    if platform.machine() not in MACHINES:
        raise RuntimeError(f"no system-call filter for {platform.machine()}, only for {' and '.join(MACHINES)}")
    import pyseccomp  # raises RuntimeError where there's no libseccomp

    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    denied = pyseccomp.ERRNO(errno.EPERM)
    for name in DENIED:
        rules.add_rule(denied, name)
    new_user = pyseccomp.Arg(0, pyseccomp.MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER)
    rules.add_rule(denied, "clone", new_user)
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")  # its flags are behind a pointer: let libc use clone
    file = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
    rules.export_bpf(file)
    file.seek(0)
    return file
