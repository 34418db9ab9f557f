"""Notebook 09: what the figures draw is what they were given, the slider follows a run, the stored sweep is whole."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course.experiments.ablation import Cell, stored_cells, training_grids
from sdpa_course.experiments.sweeps import FinishedRun
from sdpa_course.experiments.training import TrainingSettings, cached_run, snapshot
from sdpa_course.figures import new
from sdpa_course.figures.rules import RULES
from sdpa_course.figures.training import (
    accuracy_by_rate,
    after_training,
    gradient_and_accuracy,
    seeds_by_scale,
    seeds_by_width,
)
from sdpa_course.figures.training_curves import curves, rows_at_the_end, train_and_held_out, weights_at_step


def make(accuracies, first=0.5, **fields) -> Cell:
    """A cell with made-up runs."""
    setting = TrainingSettings(**fields)
    results = [
        {
            "accuracy": a,
            "train_accuracy": a / 2 + 0.5,
            "rms_row": [first + i, 9.0],
            "dot_variance": [1.0, 10 + a],
            "alignment": [0.0, a / 3],
            "max_logit": [4.0, 20 * a],
            "accuracy_curve": [0.1, a / 2, a],
            "entropy_curve": [0.9, 0.8, a / 4],
        }
        for i, a in enumerate(accuracies)
    ]
    return Cell(setting, [FinishedRun(setting._asdict(), seed, result) for seed, result in enumerate(results)])


def points(ax, size=4.5):
    """The y values of each line of small marks: single runs."""
    return [line.get_ydata() for line in ax.lines if line.get_markersize() == size]


def labels(axes) -> list[str]:
    return [text.get_text() for text in axes[0].figure.legends[0].get_texts()]


def test_every_seed_is_drawn_at_its_width_and_beside_its_rival():
    cells = [
        make(a, d_k=d_k, scale=s)
        for d_k, s, a in ((8, "1", [0.9, 0.7]), (8, "1/sqrt(d_k)", [1.0, 0.8]), (64, "1", [0.2, 0.5, 0.3]))
    ]
    _, axes = new(1, 2)
    alt = seeds_by_width(axes, {"$d_k$ SGD": cells[:2], "Adam": cells}, (1 / 16, 1 / 32))
    for ax, group, guess in zip(axes, (cells[:2], cells), (1 / 16, 1 / 32), strict=True):
        for drawn, cell in zip(points(ax), group, strict=True):
            assert_allclose(drawn, cell.values("accuracy"))
        means = [c.lines[0] for c in ax.containers]
        assert_allclose([line.get_ydata()[0] for line in means], [cell.values("accuracy").mean() for cell in group])
        for container, cell in zip(ax.containers, group, strict=True):
            segment = container.lines[2][0].get_segments()[0]
            assert_allclose(segment[:, 1], cell.interval("accuracy"))
        assert guess in [line.get_ydata()[0] for line in ax.lines]
    at = [c.lines[0].get_xdata()[0] for c in axes[1].containers]
    assert at[0] < 0 < at[1] < 0.5 < at[2] < 1
    assert "d_k SGD: d_k = 8, no scale 0.80; d_k = 8, 1/√d_k 0.90. Adam" in alt
    assert "0.06, 0.03" in alt
    assert set(labels(axes)) == {"chance", RULES["1"].label, RULES["1/sqrt(d_k)"].label}


def test_lines_over_learning_rates_are_means_and_the_best_is_named():
    cells = [make(a, learning_rate=r, scale="1") for r, a in ((0.1, [0.2, 0.4]), (1.0, [0.7, 0.9]), (3.0, [0.1, 0.1]))]
    cells += [make([1.0], learning_rate=r, scale="1", init="folded") for r in (0.1, 1.0, 3.0)]
    _, axes = new(1, 2)
    alt = accuracy_by_rate(axes, {"a": cells, "b": cells[:3]}, 0.05)
    line = next(line for line in axes[1].lines if line.get_label() == RULES["1"].label)
    assert_allclose(line.get_xdata(), [0.1, 1, 3])
    assert_allclose(line.get_ydata(), [0.3, 0.8, 0.1])
    assert sum(len(p) for p in points(axes[0])) == 9
    assert "a: no scale 0.80 at 1, no scale with small W 1.00 at 0.1; b: no scale 0.80 at 1" in alt
    assert [t.get_text() for t in axes[0].get_xticklabels()] == ["0.1", "1", "3"]


def test_the_first_gradient_is_set_against_the_last_accuracy():
    cells = [make([0.2, 0.4], first=2.0, scale="1"), make([1.0, 0.9], first=0.25, scale="1/sqrt(d_k)")]
    _, ax = new()
    alt = gradient_and_accuracy(ax, cells, 0.05)
    for line, cell in zip(ax.lines, cells, strict=False):
        assert_allclose(line.get_xdata(), cell.values("rms_row", 0))
        assert_allclose(line.get_ydata(), cell.values("accuracy"))
    assert "no scale, d_k = 64: gradient 2.50, accuracy 0.30" in alt


def test_scales_stand_on_their_own_line_even_if_one_is_missing():
    cells = [make([0.1 * i, 0.1 * i], scale=s) for i, s in enumerate(("1", "1/d_k", "QK-norm"), start=1)]
    _, axes = new(1, 2, sharey=True)
    alt = seeds_by_scale(axes, {"Adam": cells, "SGD": cells[::2]})
    heights = [c.lines[0].get_ydata()[0] for c in axes[1].containers]
    assert heights == [0, 2]
    assert [t.get_text() for t in axes[0].get_yticklabels()] == [RULES[s].label for s in ("1", "1/d_k", "QK-norm")]
    assert "SGD: no scale 0.10; QK-norm 0.30" in alt


def test_after_training_draws_the_last_values():
    cells = [make([0.6, 0.8], d_k=d, optimiser=o, scale="1/d_k") for o in ("Adam", "SGD") for d in (16, 64)]
    _, axes = new(1, 3)
    alt = after_training(axes, cells)
    for ax, value in zip(axes, (10.7, 0.7 / 3, 14.0), strict=True):
        lines = [line for line in ax.lines if len(line.get_xdata()) == 2 and line.get_linestyle() in ("-", "--")]
        assert [line.get_linestyle() for line in lines] == ["-", "--"]
        for line in lines:
            assert_allclose(line.get_ydata(), [value, value])
    assert "1/d_k with SGD, largest score 14.00 to 14.00" in alt
    assert "Var(q·k)/d_k 10.70 to 10.70" in alt


def test_training_set_and_fresh_sequences_are_told_apart():
    cells = [make([0.2, 0.4], d_k=d, scale="1", examples=e) for d in (16, 64) for e in (16, 64)]
    _, axes = new(1, 2)
    alt = train_and_held_out(axes, cells, 0.05)
    by_label = {line.get_label(): line for line in axes[0].lines}
    assert_allclose(by_label["no scale, training set"].get_ydata(), 0.65)
    assert_allclose(by_label["no scale, fresh"].get_ydata(), 0.3)
    assert by_label["no scale, training set"].get_linestyle() != by_label["no scale, fresh"].get_linestyle()
    assert "d_k = 64, no scale, training set 0.65, 0.65" in alt


def test_curves_are_those_of_every_run():
    cells = [make([0.2, 0.4], scale="1"), make([1.0], scale="1/sqrt(d_k)")]
    _, axes = new(2, 2)
    alt = curves(axes, {"$d_k$ = 64": cells, "again": cells})
    for row, name in zip(axes, ("accuracy_curve", "entropy_curve"), strict=True):
        runs = [run.result[name] for cell in cells for run in cell.runs]
        assert_allclose([line.get_ydata() for line in row[1].lines], runs)
        assert_allclose(row[1].lines[0].get_xdata(), [0, 300, 600])
    assert "d_k = 64, no scale: entropy 0.90 to 0.08, accuracy at the end 0.30" in alt


def test_rows_and_keys_are_counted():
    by_key = {"1": np.array([0.0, 0.05, 0.5, 1.0]), "1/sqrt(d_k)": np.ones(4)}
    jacobians = {"wrong": np.array([0.0, 1e-30, 1e-8, 0.3]), "right": np.full(5, 0.01)}
    _, axes = new(1, 2)
    alt = rows_at_the_end(axes, by_key, jacobians)
    counts = [patch.get_data().values for patch in axes[0].patches]
    assert counts[0].tolist() == [2, 0, 0, 0, 0, 1, 0, 0, 0, 1]
    shares = [patch.get_data().values for patch in axes[1].patches]
    assert shares[0][0] == 0.5
    assert_allclose([s.sum() for s in shares], 1)
    assert "no scale: 2 keys below a tenth, 1 above nine tenths" in alt
    assert axes[1].lines[0].get_xdata()[0] == np.log10(1e-6)
    assert "wrong: 75% of the rows below 1e-6; right: 0%" in alt


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
