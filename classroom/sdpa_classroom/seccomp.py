"""The system calls that code in the sandbox may make: files, its own memory, processes, time, and nothing else.

bubblewrap loads the filter before it starts Python, and doesn't start it if the kernel refuses the filter. Everything
that isn't listed is answered with "not implemented", for which the C library and Python have substitutes. Calls through
another ABI (32-bit code on x86-64) would have other numbers, and kill the process.

What isn't listed on purpose: memory that no process would be charged for (memfd_create, shmget, shared mappings, epoll,
byte-range locks, sockets), namespaces, mounts, key rings, other processes' memory, and io_uring, which would make calls
that no filter sees.
"""

import errno
import platform
from typing import BinaryIO

MACHINES = ("x86_64", "aarch64")  # elsewhere, clone may have its flags in another argument
FILES = """
access chdir chmod close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fallocate fchdir
fchmod fchmodat fdatasync fgetxattr flistxattr flock fstat fstatfs fsync ftruncate futimesat getcwd getdents
getdents64 getxattr lgetxattr link linkat listxattr llistxattr lseek lstat mkdir mkdirat newfstatat open openat pipe
pipe2 poll ppoll pread64 preadv preadv2 pselect6 pwrite64 pwritev pwritev2 read readlink readlinkat readv rename
renameat renameat2 rmdir select sendfile stat statfs statx symlink symlinkat truncate umask unlink unlinkat utime
utimensat utimes write writev
"""
MEMORY = "brk madvise mprotect mremap msync munmap"
PROCESSES = """
alarm arch_prctl clock_getres clock_gettime clock_nanosleep execve execveat exit exit_group fork futex getcpu
getegid geteuid getgid getgroups getitimer getpgid getpgrp getpid getppid getrandom getresgid getresuid getrlimit
getrusage getsid gettid gettimeofday getuid kill membarrier nanosleep pause prlimit64 restart_syscall rseq
rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait sched_getaffinity sched_yield
set_robust_list set_tid_address setgid setgroups setitimer setpgid setresgid setresuid setrlimit setsid setuid
sigaltstack sysinfo tgkill time times tkill uname vfork wait4 waitid
"""
NEW_NAMESPACES = 0x7E020000  # the flags of clone for all seven kinds
MAP_TYPE, MAP_PRIVATE = 0x0F, 0x02
# Allowed only with one of these values in this argument: {call: (argument, values)}
COMMANDS = {
    "fcntl": (1, (0, 1, 2, 3, 4, 1030)),  # copy a descriptor and set its flags
    "ioctl": (1, (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)),  # is it a terminal? how much to read? inherited?
    "prctl": (0, (1, 15, 16)),  # die with the parent; a thread's name
}


def write_filter(file: BinaryIO) -> None:
    """Write the compiled filter, in the form that bubblewrap's `--seccomp` reads.

    Raises `OSError` or `RuntimeError` if this machine or its libseccomp can't provide one.
    """
    if platform.machine() not in MACHINES:
        raise RuntimeError(f"no system-call filter for {platform.machine()}, only for {' and '.join(MACHINES)}")
    import pyseccomp  # raises RuntimeError where there's no libseccomp

    rules = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.ENOSYS))
    rules.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)

    def allow(name: str, *conditions: tuple) -> None:
        if pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) >= 0:  # not every machine has every call
            rules.add_rule(pyseccomp.ALLOW, name, *(pyseccomp.Arg(*condition) for condition in conditions))

    for name in f"{FILES} {MEMORY} {PROCESSES}".split():
        allow(name)
    allow("clone", (0, pyseccomp.MASKED_EQ, NEW_NAMESPACES, 0))
    allow("mmap", (3, pyseccomp.MASKED_EQ, MAP_TYPE, MAP_PRIVATE))
    for name, (argument, values) in COMMANDS.items():
        for value in values:
            allow(name, (argument, pyseccomp.EQ, value))
    rules.export_bpf(file)
