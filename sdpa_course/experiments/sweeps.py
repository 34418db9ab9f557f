"""Run a grid of settings × seeds on any executor, without losing a finished run. Used in notebook 09.

Every finished run is one line of a file, written as it arrives. Start the same sweep again after a crash, a kill
or Ctrl-C, and it does only the missing runs: finished ones are read from the file, and a line that was cut short is
dropped and run again. A run that fails is reported with its setting; the others go on.

The default executor is a pool of processes on this machine. A Dask client's is the same call:

    sweep(summarise, settings, seeds, "results.jsonl", executor=client.get_executor())
"""

import json
import os
import sys
import threading
import warnings
from concurrent.futures import BrokenExecutor, CancelledError, Executor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tqdm.auto import tqdm

from ..kernels.threads import one_blas_thread


class FinishedRun(NamedTuple):
    """One run that is done."""

    setting: dict  # the fields of the setting
    seed: int
    result: dict  # what the run returned


class FailedRun(NamedTuple):
    """One run that raised an error, or whose process died. It isn't in the file, so the next sweep tries it again."""

    setting: dict
    seed: int
    error: str


class SweepResult(NamedTuple):
    """All finished runs of the grid, from this sweep and earlier ones, and the runs that failed this time."""

    finished: list[FinishedRun]
    failed: list[FailedRun]


def sweep(run, settings, seeds, path, *, executor: Executor | None = None, workers=None, progress=True) -> SweepResult:
    """Call `run(setting, seed)` for every setting and seed that isn't in the file yet.

    Parameters
    ----------
    run : function that other processes can import
        Takes a setting and a seed, returns a dictionary that JSON can hold.
    settings : sequence of NamedTuples
        Two settings are the same if all their fields are.
    seeds : sequence of int
    path : str or Path
        One file for each kind of run; created if it doesn't exist.
    executor : concurrent.futures.Executor, optional
        Where the runs go, and left open: a pool, a Dask client's executor. `workers` processes here unless given.
    workers : int, optional
        As many as there are cores unless given; 1 runs everything in this process, as a browser must.
    progress : bool
        A bar with the time left.
    """
    jobs = {key(setting._asdict(), seed): (setting, seed) for setting in settings for seed in seeds}
    failed = []
    with results_file(path) as file:
        done = {key(*finished[:2]): finished for finished in parse(file, path)}
        waiting = [job for name, job in jobs.items() if name not in done]
        outcomes = run_all(run, waiting, executor, workers)
        bar = tqdm(outcomes, total=len(jobs), initial=len(jobs) - len(waiting), disable=not progress, leave=False)
        for (setting, seed), result, error in bar:
            fields = setting._asdict()
            if error is None:
                try:
                    done[key(fields, seed)] = append(file, FinishedRun(fields, seed, result))
                    continue
                except (TypeError, ValueError) as problem:
                    error = f"its result can't be stored: {problem}"
            failed.append(FailedRun(fields, seed, error))
            warnings.warn(f"sweep: {setting}, seed {seed} failed: {error}", RuntimeWarning, stacklevel=2)
    return SweepResult([done[name] for name in jobs if name in done], failed)


def load_runs(path) -> list[FinishedRun]:
    """All finished runs in a file, without running anything."""
    with open(path, "rb") as file:
        return parse(file, path)


def run_all(run, jobs, executor, workers):
    """Yield `(job, result, error)` as runs end; the error is a sentence or None."""
    if executor is not None:
        for job, result, error in run_on(executor, run, jobs):
            yield job, result, describe(error) if isinstance(error, BrokenExecutor) else error
        return
    workers = min(workers or os.cpu_count() or 1, len(jobs))
    if workers <= 1 or sys.platform == "emscripten":
        for job in jobs:
            yield job, *attempt(run, *job)
        return
    left = []
    with local_pool(workers) as pool:
        for job, result, error in run_on(pool, run, jobs):
            if isinstance(error, BrokenExecutor):
                left.append(job)
            else:
                yield job, result, error
    for job in left:  # a process died, and any of its runs may be the cause: each gets a process of its own
        with local_pool(1) as pool:
            ((_, result, error),) = run_on(pool, run, [job])
        yield job, result, "the process that ran it died" if isinstance(error, BrokenExecutor) else error


def run_on(executor, run, jobs):
    """`run_all` on a given executor; the error is a `BrokenExecutor` where the executor lost the run."""
    futures = {}
    try:
        for job in jobs:
            try:
                futures[executor.submit(attempt, run, *job)] = job
            except BrokenExecutor as broken:
                yield job, None, broken
        for future in as_completed(futures):
            try:
                yield futures[future], *future.result()
            except BrokenExecutor as broken:
                yield futures[future], None, broken
            except (Exception, CancelledError) as error:  # it could not be sent or fetched, or was taken back
                yield futures[future], None, describe(error)
    finally:
        for future in futures:
            future.cancel()  # after Ctrl-C, start nothing more


def attempt(run, setting, seed):
    """`(result, None)`, or `(None, what went wrong)`. One BLAS thread: the cores are for other runs."""
    try:
        with one_blas_thread():
            return run(setting, seed), None
    except Exception as error:
        return None, describe(error)


def describe(error: BaseException) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {error}"


def local_pool(workers: int) -> Executor:
    """Processes that start afresh, so that no thread or lock of this one is copied half-way."""
    import multiprocessing  # here and not above: a browser's Python has no processes
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=end_with_parent)


def end_with_parent() -> None:
    """In a worker: if the sweep is killed, don't stay behind waiting for work forever."""
    import multiprocessing

    def wait():
        multiprocessing.parent_process().join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def key(setting: dict, seed: int) -> str:
    """What makes a run the same run."""
    return json.dumps([setting, seed], sort_keys=True)


@contextmanager
def results_file(path):
    """The file, open for reading and appending, for one sweep at a time; a last line that was cut short is dropped."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+b") as file:
        lock(file, path)
        file.seek(0)
        text = file.read()
        file.truncate(text.rfind(b"\n") + 1)
        file.seek(0)
        yield file


def lock(file, path: Path) -> None:
    """Keep a second sweep out until this one ends, however it ends."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows, or a browser (whose kernel has an empty fcntl)
        return
    try:
        flock(file, LOCK_EX | LOCK_NB)
    except OSError:
        raise RuntimeError(f"path: another sweep is writing to {path}; wait for it, or choose another file") from None


def parse(file, path) -> list[FinishedRun]:
    """The finished runs in an open file; a last line that was cut short isn't one."""
    found = []
    for number, line in enumerate(file, start=1):
        if line.endswith(b"\n"):
            try:
                found.append(FinishedRun(**json.loads(line)))
            except (ValueError, TypeError):
                raise ValueError(f"path: line {number} of {path} isn't a run of a sweep: {line[:60]!r}") from None
    return found


def append(file, finished: FinishedRun) -> FinishedRun:
    """Write one line and wait until it's on the disk; returns the run as it will be read back."""
    line = json.dumps(finished._asdict(), allow_nan=False, ensure_ascii=False)
    file.write(line.encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())
    return FinishedRun(**json.loads(line))
