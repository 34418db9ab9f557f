"""Sweeps: on any executor, every run once, nothing lost to a kill, a failure or a dead worker."""

import collections
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from sdpa_course.experiments import __main__ as command
from sdpa_course.experiments import ablation, settled, snapshots
from sdpa_course.experiments.brief import ShortSettings, summarise_briefly
from sdpa_course.experiments.sweeps import load_runs, sweep
from sdpa_course.experiments.training import TrainingSettings, summarise, train
from tests.sweep_runs import Case, run, slow_cases

ROOT = Path(__file__).parent.parent


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results" / "sweep.jsonl"


CASES = [Case("a", 1.5), Case("b", 2.5), Case("c", 3.5)]


def products(finished):
    return {(each.setting["name"], each.seed): each.result["product"] for each in finished}


EXPECTED = {(case.name, seed): case.value * seed for case in CASES for seed in (0, 2, 5)}


@pytest.mark.parametrize("workers", [1, 2, None])
def test_every_setting_with_every_seed(path, workers):
    found = sweep(run, CASES, [0, 2, 5], path, workers=workers, progress=False)
    assert products(found.finished) == EXPECTED
    assert [each.seed for each in found.finished] == [0, 2, 5] * 3  # in the order of the grid
    assert found.failed == []
    assert products(load_runs(path)) == EXPECTED
    processes = {each.result["process"] for each in found.finished}
    assert (processes == {os.getpid()}) == (workers == 1)


def test_on_an_executor_that_is_given_and_left_open(path):
    with ThreadPoolExecutor(3) as executor:
        assert products(sweep(run, CASES, [0, 2, 5], path, executor=executor, progress=False).finished) == EXPECTED
        assert executor.submit(int, "7").result() == 7


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.full
def test_on_a_dask_cluster_of_two_processes(path):
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        settings = [TrainingSettings(d_k=8, steps=20), TrainingSettings(d_k=16, steps=20, scale="1")]
        found = sweep(summarise, settings, range(3), path, executor=client.get_executor(), progress=False)
        executor = client.get_executor()
        with pytest.warns(RuntimeWarning, match="ArithmeticError: no result for seed 1"):
            mixed = sweep(
                run, [Case("slow"), Case("fails")], [1], path.with_name("b.jsonl"), executor=executor, progress=False
            )
        workers = set(client.run(os.getpid).values())
    here = sweep(summarise, settings, range(3), path.with_name("here.jsonl"), workers=1, progress=False)
    assert found == here  # the same numbers, wherever they were computed
    assert len(found.finished) == 6
    assert mixed.finished[0].result["process"] in workers
    assert len(workers) == 2
    assert len(mixed.failed) == 1


def test_the_same_sweep_again_runs_nothing_and_a_larger_one_only_what_is_new(path, tmp_path):
    log = tmp_path / "log"
    cases = [Case("a", value, str(log)) for value in (1.0, 2.0)]
    first = sweep(run, cases, [0, 1], path, workers=1, progress=False)
    assert sweep(run, cases, [0, 1], path, workers=2, progress=False) == first
    sweep(run, [*cases, cases[0]._replace(value=3.0)], [0, 1, 2], path, workers=1, progress=False)
    counts = collections.Counter(log.read_text().splitlines())
    assert set(counts.values()) == {1}
    assert len(counts) == 9
    assert len(load_runs(path)) == 9


def test_a_setting_that_is_named_twice_runs_once(path):
    assert len(sweep(run, [CASES[0], CASES[0]], [1, 1], path, workers=1, progress=False).finished) == 1
    assert len(load_runs(path)) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is for POSIX")
def test_killed_half_way_it_goes_on_and_every_run_is_there_once(path, tmp_path):
    log = tmp_path / "log"
    command = [sys.executable, "-m", "tests.sweep_runs", str(path), str(log)]
    for _ in range(2):
        before = len(load_runs(path)) if path.exists() else 0
        process = subprocess.Popen(command, cwd=ROOT)
        deadline = time.monotonic() + 60
        while not path.exists() or len(load_runs(path)) < before + 10:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert 10 <= len(load_runs(path)) < 80
    finished_before = {(each.setting["value"], each.seed) for each in load_runs(path)}
    ran_before = collections.Counter(log.read_text().splitlines())
    found = sweep(run, slow_cases(log), range(8), path, workers=2, progress=False)
    expected = {(float(value), seed) for value in range(10) for seed in range(8)}
    assert {(each.setting["value"], each.seed) for each in found.finished} == expected
    assert len(load_runs(path)) == 80
    counts = collections.Counter(log.read_text().splitlines())
    for value, seed in finished_before:  # what was finished was not run again
        assert counts[f"{value} {seed}"] == ran_before[f"{value} {seed}"]


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
def test_a_killed_sweep_leaves_no_workers_behind(path, tmp_path):
    command = [sys.executable, "-m", "tests.sweep_runs", str(path), str(tmp_path / "log")]
    process = subprocess.Popen(command, cwd=ROOT)
    while not path.exists() or not load_runs(path):
        time.sleep(0.02)
    workers = {each.result["process"] for each in load_runs(path)}
    process.kill()
    process.wait()
    deadline = time.monotonic() + 20
    while any(alive(worker) for worker in workers):
        assert time.monotonic() < deadline, "a worker outlived its sweep"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_line_that_was_cut_short_is_run_again(path):
    sweep(run, CASES, [0, 2, 5], path, workers=1, progress=False)
    whole = path.read_bytes()
    for cut in (1, 17, 60):
        path.write_bytes(whole[:-cut])
        assert len(load_runs(path)) == 8
        found = sweep(run, CASES, [0, 2, 5], path, workers=1, progress=False)
        assert products(found.finished) == EXPECTED
        assert len(path.read_bytes().splitlines()) == 9


def test_a_file_of_something_else_is_left_alone(path):
    path.parent.mkdir()
    path.write_text("name,value\n")
    with pytest.raises(ValueError, match=r"line 1 of .*sweep.jsonl isn't a run of a sweep: b'name,value"):
        sweep(run, CASES, [0], path, workers=1, progress=False)
    assert path.read_text() == "name,value\n"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_fails_is_named_and_loses_no_other(path, workers):
    cases = [CASES[0], Case("fails", 7.0), CASES[1]]
    with pytest.warns(RuntimeWarning) as warned:
        found = sweep(run, cases, [0, 2], path, workers=workers, progress=False)
    assert sorted(str(each.message) for each in warned) == [
        f"sweep: Case(name='fails', value=7.0, log=''), seed {seed} failed: ArithmeticError: no result for seed {seed}"
        for seed in (0, 2)
    ]
    assert len(found.finished) == 4
    assert {(each.setting["value"], each.seed, each.error) for each in found.failed} == {
        (7.0, 0, "ArithmeticError: no result for seed 0"),
        (7.0, 2, "ArithmeticError: no result for seed 2"),
    }
    assert len(load_runs(path)) == 4  # so the next sweep tries the failed ones again


def test_a_run_that_kills_its_process_is_named_and_loses_no_other(path):
    cases = [Case("slow"), Case("dies", 9.0), CASES[1], CASES[2]]
    with pytest.warns(RuntimeWarning) as warned:
        found = sweep(run, cases, [0, 1], path, workers=2, progress=False)
    assert all("value=9.0" in str(each.message) and "ran it died" in str(each.message) for each in warned)
    assert len(found.finished) == 6
    assert [(each.setting["value"], each.seed) for each in found.failed] == [(9.0, 0), (9.0, 1)]


@pytest.mark.parametrize("name", ["stores a function", "not a number"])
def test_a_result_that_cannot_be_stored_is_reported(path, name):
    with pytest.warns(RuntimeWarning, match="can't be stored"):
        found = sweep(run, [Case(name), CASES[0]], [4], path, workers=1, progress=False)
    assert [each.setting["name"] for each in found.finished] == ["a"]
    assert [each.setting["name"] for each in found.failed] == [name]


def test_two_sweeps_do_not_write_to_one_file(path):
    fcntl = pytest.importorskip("fcntl")
    sweep(run, CASES, [0], path, workers=1, progress=False)
    with open(path, "ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(RuntimeError, match="another sweep is writing to"):
            sweep(run, CASES, [0, 1], path, workers=1, progress=False)
    assert len(sweep(run, CASES, [0, 1], path, workers=1, progress=False).finished) == 6


def test_the_bar_counts_what_was_there_before(path, capsys):
    sweep(run, CASES, [0], path, workers=1, progress=False)
    sweep(run, CASES, [0, 1], path, workers=1)
    assert "3/6" in capsys.readouterr().err


# The stored sweep of the course


@pytest.mark.parametrize(("path", "grids"), [
    (ablation.STORED, ablation.training_grids), (ablation.FAIR, ablation.fair_grids),
])  # fmt: skip
def test_the_stored_sweep_has_every_run_once(path, grids):
    runs = load_runs(path)
    names = [json.dumps([each.setting, each.seed]) for each in runs]
    assert len(set(names)) == len(names)
    for name, (_, seeds) in grids().items():
        assert all(len(cell.runs) == seeds for cell in ablation.stored_cells(name)), name


def test_a_stored_run_can_be_run_again():
    """One short run of the file, trained anew: the same result but for what round-off moves."""
    cell = next(cell for cell in ablation.stored_cells("reverse") if cell.setting == TrainingSettings(d_k=8, scale="1"))
    again = summarise(cell.setting, 0)
    assert again["loss"][0] == pytest.approx(cell.values("loss", end=0)[0], rel=1e-3)
    assert again["accuracy"] == pytest.approx(cell.values("accuracy")[0], abs=0.05)


def test_what_is_missing_from_the_stored_sweep_is_named(path):
    path.parent.mkdir()
    path.write_text("")
    with pytest.raises(ValueError, match=r"has no run of TrainingSettings\(task='reverse', d_k=8.*`make sweep`"):
        ablation.stored_cells("reverse", path)


def test_short_lines_stay_short():
    assert ablation.FAIR.stat().st_size < 300 * len(load_runs(ablation.FAIR))
    assert snapshots.MAPS.stat().st_size < 1e5


# The command


@pytest.fixture
def small_sweep(tmp_path, monkeypatch):
    """The command, with two short questions and a file of their own."""
    short = ShortSettings(d_k=8, steps=20)
    grids = {"a": ablation.Grid([short, short._replace(scale="1")], 2), "b": ablation.Grid([short], 3)}
    path = tmp_path / "short.jsonl"
    monkeypatch.setattr(command, "SWEEPS", ((summarise_briefly, path, lambda: grids),))
    return path


def test_the_command_runs_what_is_missing_and_ends_with_the_same_file(small_sweep, capsys):
    command.main(["--workers", "1"])
    whole = small_sweep.read_bytes()
    assert len(whole.splitlines()) == 5
    command.main(["--workers", "1"])
    assert small_sweep.read_bytes() == whole
    small_sweep.write_bytes(whole[: len(whole) // 2])  # killed half-way, in the middle of a line
    command.main(["--workers", "1", "--only", "a"])
    command.main(["--workers", "1"])
    assert small_sweep.read_bytes() == whole
    assert "b: 1 settings, 3 seeds" in capsys.readouterr().out


def test_the_command_names_the_questions_there_are(small_sweep, capsys):
    with pytest.raises(SystemExit):
        command.main(["--only", "c"])
    assert "--only: got 'c', expected one of a, b" in capsys.readouterr().err
    assert not small_sweep.exists()


# The stored maps


def test_the_stored_maps_are_those_of_the_runs():
    maps = snapshots.learning_maps()
    assert maps.steps.tolist() == list(range(0, 601, 40))
    for scale in ablation.PLAIN:
        run = train(TrainingSettings(scale=scale, steps=0), snapshots.SEED)
        np.testing.assert_allclose(maps.brightness[scale][0] ** 2, run.snapshots[0], atol=0.005)
        np.testing.assert_allclose((maps.brightness[scale] ** 2).sum(axis=-1), 1, atol=0.1)
    none, root = (maps.at(600)[scale] for scale in ablation.PLAIN)
    assert root[1] == 1.0
    assert np.fliplr(root[0] ** 2).diagonal().mean() > 0.5 > none[1] - 0.2


def test_the_stored_rows_are_those_of_the_runs():
    stored = settled.settled_rows()
    for (_, scale), runs in stored.items():
        shares = np.array([run[:4] for run in runs])
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        assert (scale == "1") == bool(shares[:, [0, 2]].any())  # with the root, no row is stuck
    run = settled.look_at_rows(TrainingSettings(steps=0), 0)
    assert run.key_at_start == pytest.approx(stored[64, "1/sqrt(d_k)"][0].key_at_start, rel=0.01)
    assert run.key_of_wrong is not None
    assert sum(run[:4]) == pytest.approx(1)
