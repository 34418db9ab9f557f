"""Spread independent blocks of work over threads, with BLAS held to one thread meanwhile.

NumPy's matrix product already uses several threads, but its `exp` uses one. So the blocked kernel gives every
thread whole blocks, products and exponentials alike, and asks BLAS not to start threads of its own in the
meantime. It uses as many threads as BLAS would have used, so `OPENBLAS_NUM_THREADS=1` and its relatives work here
too. threadpoolctl knows how to ask OpenBLAS, MKL and BLIS, on Linux, macOS and Windows. It can't ask Apple's
Accelerate; there we use one thread per core and leave Accelerate to itself (not measured). Where threads can't be
started at all, as in a browser, the blocks run one after another in the calling thread.
"""

import functools
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_holders = 0  # calls that are holding BLAS to one thread right now
_before: list[int] = []  # how many threads each library had before the first of them


@functools.cache
def blas_libraries() -> list[Any]:
    """threadpoolctl's controllers of the BLAS libraries in this process. Found once: the search takes milliseconds."""
    if sys.platform == "emscripten":
        return []
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas").lib_controllers


def blas_threads() -> int:
    """How many threads to use: as many as BLAS does, or one per core where BLAS can't be asked."""
    counts = [library.num_threads for library in blas_libraries()]
    return max(1, *counts) if counts else threads_without_blas()


@contextmanager
def one_blas_thread() -> Generator[int]:
    """Hold BLAS to one thread; gives the number of threads to use instead. Safe in several threads at once."""
    global _holders, _before
    libraries = blas_libraries()
    with _lock:
        if _holders == 0:
            _before = [max(1, library.num_threads) for library in libraries]
            set_blas_threads([1] * len(libraries))
        _holders += 1
    try:
        yield max(_before) if _before else threads_without_blas()
    finally:
        with _lock:
            _holders -= 1
            if _holders == 0:
                set_blas_threads(_before)


def set_blas_threads(counts: list[int]) -> None:
    """Set each BLAS library to its number of threads."""
    for library, count in zip(blas_libraries(), counts, strict=True):
        library.set_num_threads(count)


def threads_without_blas() -> int:
    """How many threads to use where BLAS can't be asked."""
    return 1 if sys.platform == "emscripten" else os.cpu_count() or 1


def run_blocks(function: Callable[[Any], object], blocks: Iterable[Any], threads: int) -> None:
    """Call `function(block)` for all blocks, on at most `threads` threads, of which the calling one is the first.

    A helper that comes too late, because its thread was busy or never started, finds nothing to do. Only helpers
    that are at work when the last block is taken are waited for.
    """
    waiting: deque = deque(blocks)
    errors: list[BaseException] = []
    at_work, changed = [0], threading.Condition()

    def work():
        while not errors:
            try:
                block = waiting.popleft()
            except IndexError:
                return
            function(block)

    def help_out():
        with changed:
            at_work[0] += 1
        try:
            work()
        except BaseException as error:
            errors.append(error)
        finally:
            with changed:
                at_work[0] -= 1
                changed.notify_all()

    try:
        for _ in range(min(threads, len(waiting)) - 1):
            thread_pool().submit(help_out)
    except RuntimeError:
        pass  # no more threads to be had: those that started help, the calling thread does the rest
    try:
        work()
    finally:
        waiting.clear()  # after an error or Ctrl-C nobody starts another block
        with changed:
            changed.wait_for(lambda: at_work[0] == 0)
    if errors:
        raise errors[0]


@functools.cache
def thread_pool():
    """The one pool. Its threads wait for work between calls, because starting one can take as long as a block."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="sdpa_course")


def forget_threads() -> None:
    """In a forked child only the forking thread lives on: start over."""
    global _lock, _holders
    _lock = threading.Lock()
    if _holders:
        _holders = 0
        set_blas_threads(_before)
    thread_pool.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_threads)
