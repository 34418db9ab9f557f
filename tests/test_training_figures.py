"""Notebook 09: the slider follows a run, and the stored sweep is whole."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course.experiments.ablation import best_of, fair_grids, stored_cells, training_grids
from sdpa_course.experiments.training import TrainingSettings, cached_run, snapshot
from sdpa_course.figures import new
from sdpa_course.figures.training_curves import weights_at_step


def anti_diagonal(weights) -> float:
    return float(np.mean(np.diag(weights[:, ::-1])))


def test_the_slider_shows_the_run_and_the_anti_diagonal_appears():
    run = cached_run(64, "1/sqrt(d_k)")
    assert run.setting == TrainingSettings()
    assert run.history.step.tolist() == list(range(0, 601, 20))
    assert anti_diagonal(run.snapshots[0]) < 0.05
    assert anti_diagonal(run.snapshots[-1]) > 0.5
    shut = cached_run(64, "1")
    assert anti_diagonal(shut.snapshots[-1]) < 0.8
    assert shut.history.entropy[0] < 0.25 < 0.8 < run.history.entropy[0]
    _, axes = new(1, 2)
    alt = weights_at_step(axes, snapshot(60))
    assert_allclose(axes[0].images[0].get_array(), run.snapshots[3])
    assert [line.get_xdata()[0] for line in axes[1].lines if len(line.get_xdata()) == 2] == [60]
    assert f"mean weight {anti_diagonal(run.snapshots[3]):.2f} on the anti-diagonal" in alt
    assert f"{run.history.accuracy[3]:.2f} and {run.history.entropy[3]:.2f}" in alt


def test_a_snapshot_has_the_numbers_of_its_step_and_trains_once():
    result = snapshot(600, 8, "1")
    before = cached_run.cache_info().misses
    history = cached_run(8, "1").history
    assert (result.now.accuracy, result.now.stuck) == (history.accuracy[-1], history.stuck[-1])
    assert not np.array_equal(snapshot(0, 8, "1").weights, result.weights)
    assert cached_run.cache_info().misses == before


@pytest.mark.parametrize("name", list(training_grids()))
def test_the_stored_sweep_has_every_run_of_every_grid(name):
    for cell, setting in zip(stored_cells(name), training_grids()[name].settings, strict=True):
        assert cell.setting == setting
        assert len(cell.runs) == training_grids()[name].seeds
        assert all(run.setting == setting._asdict() for run in cell.runs)
        accuracies = cell.values("accuracy")
        assert ((accuracies >= 0) & (accuracies <= 1)).all()
        low, high = cell.interval("accuracy")
        assert low - 1e-12 <= accuracies.mean() <= high + 1e-12
        for run in cell.runs:
            assert len(run.result["entropy_curve"]) == setting.steps // 20 + 1


def test_the_stored_sweep_starts_where_theory_says():
    """Entropy before training depends on the score variance alone: 0.89 for variance 1, near 0.16 for 64."""
    for cell in stored_cells("init × scale"):
        warm = (cell.setting.init, cell.setting.scale) in (("folded", "1"), ("unit", "1/sqrt(d_k)"))
        assert cell.values("entropy", 0).mean() == pytest.approx(0.89 if warm else 0.16, abs=0.02)


@pytest.mark.parametrize("name", list(fair_grids()))
def test_the_fair_ablation_has_every_run_of_every_grid(name):
    settings, seeds = fair_grids()[name]
    for cell, setting in zip(stored_cells(name), settings, strict=True):
        assert cell.setting == setting
        assert sorted(run.seed for run in cell.runs) == list(range(seeds))
        accuracies, steps = cell.values("accuracy"), cell.values("steps_to_90")
        assert ((accuracies >= 0) & (accuracies <= 1)).all()
        assert np.isnan(steps).any() or (steps <= setting.steps).all()


def test_the_best_arm_is_the_most_right_and_then_the_fastest():
    cells = [c for c in stored_cells("two ways to fail") if c.setting[:2] == ("reverse", 64)]
    best = best_of(cells, "optimiser", "scale")
    for (optimiser, scale), chosen in best.items():
        rivals = [c for c in cells if (c.setting.optimiser, c.setting.scale) == (optimiser, scale)]
        assert len(rivals) == 3
        assert chosen.mean("accuracy") >= max(c.mean("accuracy") for c in rivals) - 0.01
    assert best["SGD", "1/sqrt(d_k)"].setting.learning_rate == 3.0  # the others end at 1.00 as well, later
    assert best["SGD", "1"].setting.learning_rate == 0.3
