"""Spread independent blocks of work over threads, with BLAS held to one thread each.

NumPy's matrix product is already threaded inside, but `exp` is not. So the blocked kernel gives every
thread whole blocks, products and exponentials alike, and asks BLAS not to start threads of its own
meanwhile. How many threads: as many as BLAS would have used, so `OPENBLAS_NUM_THREADS=1` and its like
hold here too. Where BLAS cannot be asked, or threads cannot be started (a browser), the blocks run
one after another in the calling thread.
"""

import functools
import os
import sys
import threading
from collections import deque
from contextlib import contextmanager

# The library that NumPy was built with answers to one of these pairs of names.
BLAS_NAMES = (
    ("scipy_openblas_get_num_threads64_", "scipy_openblas_set_num_threads64_"),  # NumPy from PyPI
    ("scipy_openblas_get_num_threads", "scipy_openblas_set_num_threads"),
    ("openblas_get_num_threads64_", "openblas_set_num_threads64_"),
    ("openblas_get_num_threads", "openblas_set_num_threads"),  # conda-forge, Debian
    ("MKL_Get_Max_Threads", "MKL_Set_Num_Threads"),  # Anaconda
    ("bli_thread_get_num_threads", "bli_thread_set_num_threads"),
)

_lock = threading.Lock()
_holders = 0  # calls that hold BLAS to one thread just now
_before = 1  # what it was set to before the first of them


@functools.cache
def blas_controls():
    """`(get, set)` for the number of BLAS threads, or None where BLAS cannot be asked."""
    if sys.platform == "emscripten":
        return None
    try:
        import ctypes

        from numpy._core import _multiarray_umath

        library = ctypes.CDLL(_multiarray_umath.__file__)  # finds the names of what it is linked with, too
    except (ImportError, OSError, AttributeError):
        return None
    for get_name, set_name in BLAS_NAMES:
        if hasattr(library, get_name) and hasattr(library, set_name):
            return getattr(library, get_name), getattr(library, set_name)
    return None


@contextmanager
def one_blas_thread():
    """Hold BLAS to one thread; gives the number of threads it had. Safe in several threads at once."""
    global _holders, _before
    controls = blas_controls()
    if controls is None:
        yield 1
        return
    get_threads, set_threads = controls
    with _lock:
        if _holders == 0:
            _before = max(1, get_threads())
            set_threads(1)
        _holders += 1
    try:
        yield _before
    finally:
        with _lock:
            _holders -= 1
            if _holders == 0:
                set_threads(_before)


def run_blocks(function, blocks, threads: int) -> None:
    """Call `function(block)` for all blocks, on up to so many threads; the calling one is among them.

    A helper that comes too late (its thread was busy, or never started) finds nothing to do: only those
    at work when the last block is taken are waited for.
    """
    waiting, errors = deque(blocks), []
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

    helpers = min(threads, len(waiting)) - 1
    try:
        for _ in range(helpers):
            thread_pool(helpers).submit(help_out)
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
def thread_pool(threads: int):
    """Threads that wait for work between calls: starting one can take as long as a block."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, thread_name_prefix="sdpa_course")


def forget_threads() -> None:
    """In a forked child only the forking thread lives on: start afresh."""
    global _lock, _holders
    _lock = threading.Lock()
    if _holders:
        _holders = 0
        blas_controls()[1](_before)
    thread_pool.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_threads)
