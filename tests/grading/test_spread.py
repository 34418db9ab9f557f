"""The same class in this process's threads, in other processes, and on a Dask cluster that loses a worker half-way."""

import multiprocessing
import os
import shutil
import signal
import socket
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import distributed
import pytest
from dask import config

from sdpa_classroom import cluster, command, working
from sdpa_classroom.sandbox import FIRST_UID, Limits, checked_sandbox
from sdpa_classroom.submissions import find_submissions

from .grade_command import LIMITS, grade, grades, hand_in, needs_sandbox, run_command, written
from .hostile import exercise, solution, with_first_cell, with_softmax
from .test_grading import wait_for

pytestmark = [needs_sandbox, pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")]
SLOW = "import time\ntime.sleep(2)"


@contextmanager
def dask_workers(number, **options):
    """A cluster of processes on this machine, each of which is started again if it dies."""
    with distributed.LocalCluster(
        **{"n_workers": number, "threads_per_worker": 1, "processes": True, "dashboard_address": None},
        **{"host": "127.0.0.1", "silence_logs": 50, **options},
    ) as made:
        yield made


def some_class(course):
    """Right, wrong, failing and slow answers; the slow ones are in the middle."""
    hand_in(course, "a-right", solution())
    hand_in(course, "b-the-same", solution())
    hand_in(course, "c-blank", exercise())
    hand_in(course, "d-wrong", with_softmax("return scores"))
    hand_in(course, "e-raises", with_softmax("raise ValueError('no')"))
    hand_in(
        course, "f-calls", with_softmax("return softmax_forward(scores)", "from sdpa_course import softmax_forward")
    )
    for number in range(4):
        hand_in(course, f"m-slow{number}", with_first_cell(SLOW))
    hand_in(course, "u-exits", with_softmax("import os; os._exit(0)"))
    hand_in(course, "v-greedy", with_softmax("return np.ones((10**6, 10**6))"))
    hand_in(course, "w-loops", with_softmax("while True: pass"))
    hand_in(course, "x-nothing", b"")
    hand_in(course, "y-another", solution(), "ps42")
    return course


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The class, graded as ever."""
    course = some_class(tmp_path_factory.mktemp("local"))
    grade(course, *LIMITS)
    return course


@pytest.fixture
def copy(local, tmp_path):
    """The same submissions, not graded yet."""
    shutil.copytree(local / "submitted", tmp_path / "submitted")
    return tmp_path


def assert_same(course, local):
    for found, expected in zip(written(course), written(local), strict=True):
        assert len(expected) >= 15
        assert found.keys() == expected.keys()
        assert [key for key in expected if found[key] != expected[key]] == []


@pytest.fixture
def few(tmp_path):
    """Four submissions that are quickly graded."""
    hand_in(tmp_path, "a-right", solution())
    hand_in(tmp_path, "b-the-same", solution())
    hand_in(tmp_path, "c-blank", exercise())
    hand_in(tmp_path, "d-wrong", with_softmax("return scores"))
    return tmp_path


def done(course):
    return len(list(course.glob("autograded/*/*/grading.json")))


def test_any_executor_gives_the_same_gradebook(copy, local, monkeypatch):
    @contextmanager
    def processes(workers, limits, *, sandboxed):
        sandbox = checked_sandbox()
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
            yield cluster.Place(executor, 5, partial(cluster.mark, limits=limits, sandbox=sandbox), [sandbox])

    monkeypatch.setattr(command, "local_pool", processes)
    assert command.main([str(copy), *LIMITS]) == 0
    assert_same(copy, local)


def test_a_dask_cluster_that_loses_a_worker_gives_the_same_gradebook(copy, local):
    with dask_workers(2) as made, distributed.Client(made, set_as_default=False) as client:
        processes = client.run(os.getpid)
        grading = run_command(copy, *LIMITS, "--scheduler", made.scheduler_address)
        wait_for(lambda: done(copy) >= 7 or grading.poll() is not None)
        busy = {worker: work for worker, work in client.processing().items() if work}
        assert grading.poll() is None, grading.stdout.read()
        assert busy  # it's in the middle of something
        os.kill(processes[next(iter(busy))], signal.SIGKILL)
        said, _ = grading.communicate(timeout=300)
        assert grading.returncode == 0, said
        assert f"{len(grades(local))} graded now, 0 unchanged" in said
        assert client.run(os.getpid) != processes
    assert_same(copy, local)


def test_a_submission_that_kills_its_workers_ends_and_stops_nobody_else(few):
    submissions = find_submissions(few / "submitted")
    with (
        config.set({"distributed.scheduler.allowed-failures": 1}),
        dask_workers(2) as made,
        distributed.Client(made, set_as_default=False) as client,
    ):
        results = list(working.mark_all(submissions, deadly, client.get_executor(pure=False), 1))
    failed = {result.submission.student: result.failed for result in results if result.failed}
    assert failed == {"d-wrong": "each worker that tried it died"}
    assert len(results) == 4


def deadly(problem_set, cells, digest, uid):
    """In place of `mark`, and no more careful than a machine that runs out of memory."""
    if any(cell.source.endswith("return scores\n") for cell in cells):
        os.kill(os.getpid(), signal.SIGKILL)
    return {"state": "graded", "reason": problem_set}


def test_a_worker_without_a_sandbox_refuses(few):
    with dask_workers(1, env={"PATH": "/nowhere"}) as made:
        said = grade(few, "--scheduler", made.scheduler_address, status=2)
    assert said.count("\n") == 1
    assert said.startswith("sdpa-course: the worker on ")
    assert "refuses: bubblewrap was not found" in said
    assert not done(few)


def test_a_worker_with_another_course_or_without_one_refuses(few, monkeypatch, capsys):
    mine = (*cluster.versions()[:1], ("NumPy", "1.0"), *cluster.versions()[2:])
    monkeypatch.setattr(cluster, "versions", lambda: mine)
    with dask_workers(1) as made:
        assert command.main([str(few), "--scheduler", made.scheduler_address]) == 2
        said = capsys.readouterr().err
        assert f"NumPy {cluster.np.__version__} instead of 1.0, so its marks might differ" in said
        with distributed.Client(made, set_as_default=False) as client:
            client.run(hide)
        assert command.main([str(few), "--scheduler", made.scheduler_address]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "sdpa_classroom" in said
    assert not done(few)


def hide():
    """Make the grader impossible to import."""
    import sys

    for name in [name for name in sys.modules if name.startswith("sdpa_classroom")]:
        del sys.modules[name]
    sys.modules["sdpa_classroom"] = None


def test_a_worker_that_turns_out_unfit_stops_the_grading_and_what_is_done_is_kept(few, monkeypatch, capsys):
    def mark(problem_set, cells, digest, uid, **limits):
        if any(cell.source.endswith("return scores\n") for cell in cells):
            raise working.Unfit("the worker on mars refuses: no air")
        return cluster.mark(problem_set, cells, digest, uid, limits=Limits(), sandbox=None)

    @contextmanager
    def place(*arguments, **options):
        with ThreadPoolExecutor(1) as executor:
            yield cluster.Place(executor, 1, mark, [])

    monkeypatch.setattr(command, "local_pool", place)
    assert command.main([str(few)]) == 2
    assert capsys.readouterr().err.endswith(f"sdpa-course: the worker on mars refuses: no air; {working.KEPT}\n")
    assert done(few) == 3
    monkeypatch.undo()
    assert "1 graded now, 3 unchanged" in grade(few)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:{}", "nowhere", "", "carrier-pigeon://127.0.0.1:{}"])
def test_an_address_with_nobody_behind_it_gets_one_sentence(few, address):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = address.format(server.getsockname()[1])
    said = grade(few, "--scheduler", address, status=2)
    assert said.startswith(f"sdpa-course: no Dask scheduler answers at {address} (")
    assert said.count("\n") == 1


def test_no_more_than_a_few_are_on_their_way(few):
    """However large the class; and each of them with a user of its own."""
    submissions = 3 * find_submissions(few / "submitted")
    now, most, uids = [], [], set()

    class Counting(ThreadPoolExecutor):
        def submit(self, mark, *call) -> Future:
            now.append(call[-1])
            assert len(set(now)) == len(now)
            most.append(len(now))
            uids.update(now)
            return super().submit(mark, *call)

    def mark(problem_set, cells, digest, uid):
        return {"state": "graded", "reason": str(uid)}

    with Counting(2) as executor:
        for result in working.mark_all(submissions, mark, executor, 3):
            now.remove(int(result.reason))
    assert max(most) == 3
    assert uids == {FIRST_UID, FIRST_UID + 1, FIRST_UID + 2}
