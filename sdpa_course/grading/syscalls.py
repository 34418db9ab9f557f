"""Forbid what the sandbox's walls and limits do not see: memory that belongs to no process, new namespaces, key rings.

A filter for the kernel (seccomp), written by hand because it is short: a list of system calls that fail with "not
permitted". It holds for the process and everything that it starts, and cannot be taken off again.
"""

import ctypes
import errno
import platform
import struct

# (number of the architecture for the kernel, {call: number})
KNOWN = {
    "x86_64": (
        0xC000003E,
        {"clone": 56, "memfd_create": 319, "shmget": 29, "unshare": 272, "setns": 308, "mount": 165},
    ),
    "aarch64": (
        0xC00000B7,
        {"clone": 220, "memfd_create": 279, "shmget": 194, "unshare": 97, "setns": 268, "mount": 40},
    ),
}
KEYS = {"x86_64": (248, 249, 250), "aarch64": (217, 218, 219)}  # add_key, request_key, keyctl
NEWER = (425, 428, 429, 430, 431, 432, 447)  # io_uring_setup, the new ways to mount, memfd_secret; the same everywhere
CLONE3 = 435
NEW_USER = 0x10000000  # the flag of clone that asks for a user namespace
OTHER_ABI = 0x40000000  # the same calls under other numbers, on x86_64

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # operations of the filter
ALLOW, DENY, ABSENT = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # where they stand in what the kernel hands to the filter


def forbid() -> bool:
    """Put the filter on this process; False where that is not possible: then there is no sandbox."""
    machine = platform.machine()
    if machine not in KNOWN:
        return False
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in program(machine))
    buffer = ctypes.create_string_buffer(code)
    header = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(38, 1, 0, 0, 0)  # no new rights by exec: what the kernel asks for before it takes a filter
    return prctl(22, 2, ctypes.create_string_buffer(header), 0, 0) == 0


def program(machine: str) -> list[tuple[int, int, int, int]]:
    """The filter: (operation, steps to skip if true, steps to skip if false, value)."""
    architecture, numbers = KNOWN[machine]
    denied = [number for call, number in numbers.items() if call != "clone"] + [*KEYS[machine], *NEWER]
    checks = [(AT_LEAST, "deny", OTHER_ABI)] if machine == "x86_64" else []
    checks += [(EQUAL, "deny", number) for number in denied] + [(EQUAL, "absent", CLONE3)]
    body = [(LOAD, NUMBER), *checks, (EQUAL, "clone", numbers["clone"]), (RETURN, ALLOW)]
    body += [(LOAD, FIRST_ARGUMENT), (ANY_BIT, "deny", NEW_USER), (RETURN, ALLOW), (RETURN, DENY), (RETURN, ABSENT)]
    places = {"clone": len(body) - 5, "deny": len(body) - 2, "absent": len(body) - 1}
    steps = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, ALLOW)]
    for place, (operation, *rest) in enumerate(body):
        jump = places[rest[0]] - place - 1 if len(rest) == 2 else 0
        steps.append((operation, jump, 0, rest[-1]))
    return steps
