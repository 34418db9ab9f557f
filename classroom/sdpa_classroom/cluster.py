"""Where submissions are marked: in threads of this process, or on the workers of a Dask cluster.

A worker is trusted only after a look at it. It must have the sandbox, because a submission runs where the worker is,
and the same course, Python and NumPy, because its marks must be the ones that this machine would give.
"""

import contextlib
import functools
import hashlib
import logging
import os
import platform
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

import sdpa_course

from .marking import mark
from .sandbox import COURSE, GRADER, Limits, NoSandbox, Sandbox, checked_sandbox
from .working import Unfit, in_words

PATIENCE = 10.0  # seconds for a scheduler to answer
AHEAD = 2  # submissions for each that's running, so that no worker waits for the next one
MOST = 4000  # on their way at once: each has a user of its own, and systemd's dynamic users are 4352


class Place(NamedTuple):
    """What marks submissions: an executor, how many to give it at once, a function for it, and its sandboxes."""

    executor: Executor
    at_once: int
    mark: Callable[..., dict]
    sandboxes: list[Sandbox]  # as found at the start; empty if none is wanted


@contextlib.contextmanager
def local_pool(workers: int, limits: Limits, *, sandboxed: bool) -> Iterator[Place]:
    """Threads of this process, which do little but watch the processes that they start."""
    sandbox = checked_sandbox() if sandboxed else None
    with ThreadPoolExecutor(workers) as pool:
        marker = functools.partial(mark, limits=limits, sandbox=sandbox)
        yield Place(pool, AHEAD * workers, marker, [sandbox] if sandbox else [])


@contextlib.contextmanager
def dask_cluster(address: str, limits: Limits, *, sandboxed: bool) -> Iterator[Place]:
    """The workers of the Dask scheduler at this address, each of them checked.

    If one dies, Dask gives what it was doing to another; a submission with which four have died isn't tried again.
    """
    try:
        import distributed  # an extra, and half a second
    except ModuleNotFoundError:
        raise ValueError("--scheduler needs Dask: pip install './classroom[dask]' in the course's folder") from None
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is raised
    try:
        distributed.comm.get_address_host_port(address)  # a client that fails at this closes slowly and noisily
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise OSError(f"no Dask scheduler answers at {address} ({in_words(problem)})") from None
    with client:
        wanted = versions()
        found = client.run(fit, wanted, sandboxed, on_error="return")
        for worker, answer in found.items():
            if isinstance(answer, Exception):
                raise Unfit(str(answer) if isinstance(answer, Unfit) else f"the worker at {worker}: {in_words(answer)}")
        if not found:
            raise ValueError(f"the Dask scheduler at {address} has no workers; start some: dask worker {address}")
        at_once = min(AHEAD * sum(client.nthreads().values()), MOST)
        marker = functools.partial(mark_there, limits=limits, wanted=wanted, sandboxed=sandboxed)
        sandboxes = list(found.values()) if sandboxed else []
        yield Place(client.get_executor(pure=False), at_once, marker, sandboxes)


def mark_there(*submission, limits: Limits, wanted: tuple, sandboxed: bool) -> dict:
    """On a worker: `mark`. A worker that joined after the others were checked is checked now."""
    return mark(*submission, limits=limits, sandbox=fit(wanted, sandboxed))


@functools.cache
def fit(wanted: tuple, sandboxed: bool) -> Sandbox | None:
    """On a worker, once: its sandbox, or `Unfit` if it mustn't mark."""
    here = f"the worker on {socket.gethostname()} (process {os.getpid()})"
    pairs = zip(versions(), wanted, strict=True)
    if others := [f"{name} {mine} instead of {theirs}" for (name, mine), (_, theirs) in pairs if mine != theirs]:
        raise Unfit(f"{here} has {', '.join(others)}, so its marks might differ from this machine's")
    try:
        return checked_sandbox() if sandboxed else None
    except (NoSandbox, ValueError) as problem:
        raise Unfit(f"{here} refuses: {problem}") from None


@functools.cache
def versions() -> tuple[tuple[str, str], ...]:
    """What marks depend on: the code of the course and the grader, NumPy, and Python, whose errors students see."""
    code = hashlib.sha256()
    for folder in (COURSE, GRADER):
        for path in sorted(folder.rglob("*.py")):
            name = path.relative_to(folder)
            if name.parts[0] != "course":  # what only an installed package has in it
                code.update(str(name).encode() + b"\0" + path.read_bytes())
    course = f"{sdpa_course.__version__} ({code.hexdigest()[:8]})"
    return ("sdpa-course", course), ("NumPy", np.__version__), ("Python", ".".join(platform.python_version_tuple()[:2]))
