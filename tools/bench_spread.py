"""Measure grading on a Dask cluster that loses a worker beside grading here, and what each part of it takes.

    python -m tools.bench_spread cluster 200    the same class on two threads and on two Dask workers
    python -m tools.bench_spread parts 200      marking and storing one submission, on this machine now

Part of `make bench`, which runs each in a process of its own: the first one's is also the scheduler's.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from tests.grading.grade_command import run_command, written

from .bench_grading import make_class

WORKERS = 2
STUDENTS = 200


def in_a_process(*arguments) -> dict:
    """One of the two measurements, in a process that has loaded nothing else."""
    command = [sys.executable, "-m", "tools.bench_spread", *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])


class Memory(threading.Thread):
    """The most memory that this process's children had together, and this process as well if it's asked for."""

    def __init__(self, *, with_this: bool):
        super().__init__(daemon=True)
        self.with_this, self.most, self.over = with_this, 0, threading.Event()
        self.start()

    def run(self) -> None:
        this = psutil.Process()
        while not self.over.wait(0.25):
            total = 0
            for process in [*this.children(recursive=True), *([this] if self.with_this else [])]:
                with contextlib.suppress(psutil.Error):  # it's gone
                    total += process.memory_full_info().pss
            self.most = max(self.most, total)

    def stop(self) -> int:
        self.over.set()
        self.join()
        return self.most


def cluster(students: int) -> dict:
    """Seconds and bytes of both, with the same gradebook or an error."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        here, there = Path(first), Path(second)
        for course in (here, there):
            make_class(course, students)
        memory, start = Memory(with_this=False), time.perf_counter()
        finish(run_command(here, "--workers", WORKERS))
        found = {"here": (time.perf_counter() - start, memory.stop())}
        found["Dask"] = on_dask(there, students)
        if written(here) != written(there):
            raise SystemExit("sdpa-course: the two gradebooks differ")
    return found


def on_dask(course: Path, students: int) -> tuple[float, int]:
    """The same on a cluster whose workers are there already; one of them is killed half-way, and started again."""
    import distributed

    with (
        distributed.LocalCluster(WORKERS, threads_per_worker=1, dashboard_address=None, silence_logs=50) as made,
        distributed.Client(made) as client,
    ):
        processes = client.run(os.getpid)
        memory, start = Memory(with_this=True), time.perf_counter()
        grading = run_command(course, "--scheduler", made.scheduler_address)
        while len(list(course.glob("autograded/*/*/grading.json"))) < students // 2 and grading.poll() is None:
            time.sleep(0.05)
        os.kill(next(iter(processes.values())), signal.SIGKILL)
        finish(grading)
        return time.perf_counter() - start, memory.stop()


def finish(grading: subprocess.Popen) -> None:
    """Wait for it, and stop with what it said if it failed."""
    said, _ = grading.communicate()
    if grading.returncode:
        raise SystemExit(said)


def parts(students: int) -> dict:
    """Seconds for a submission: to mark it, to store it among the first and among the last, and at the end."""
    from sdpa_classroom.gradebook import Course
    from sdpa_classroom.marking import Result, mark
    from sdpa_classroom.sandbox import FIRST_UID, Limits, checked_sandbox
    from sdpa_classroom.submissions import digest, find_submissions, read
    from sdpa_classroom.working import store, working_folder

    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_class(root, students)
        submissions = find_submissions(root / "submitted")
        course, sandbox = Course(root, root / "solutions"), checked_sandbox()
        with working_folder(course):
            course.prepare(submissions)
            marked, times = [], [time.perf_counter()]
            for submission in submissions[:10]:
                data, cells = read(submission)
                checksum = digest(data, submission.problem_set)
                fields = mark(submission.problem_set, cells, checksum, FIRST_UID, limits=Limits(), sandbox=sandbox)
                marked.append(Result(submission, digest=checksum, cells=tuple(cells), **fields))
                times.append(time.perf_counter())
            marking = (times[-1] - times[2]) / 8  # the first two load what the others use
            times = [time.perf_counter()]
            for number, submission in enumerate(submissions):
                store(course, marked[number % len(marked)]._replace(submission=submission))
                times.append(time.perf_counter())
            course.write_csv(submissions)
            course.write_receipts(submissions)
            ending = (time.perf_counter() - times[-1]) / students
        course.close()
    quarter = students // 4
    return {
        "marking": marking,
        "storing, first quarter": (times[quarter] - times[2]) / (quarter - 2),
        "storing, last quarter": (times[-1] - times[-1 - quarter]) / quarter,
        "at the end": ending,
    }


if __name__ == "__main__":
    measured = {"cluster": cluster, "parts": parts}[sys.argv[1]]
    print(json.dumps(measured(int(sys.argv[2]) if len(sys.argv) > 2 else STUDENTS)))
