"""The stored sweep of notebook 09: its questions as grids of settings, and the answers of earlier runs."""

import functools
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .brief import ShortSettings
from .models import ADDITIVE, STARTS
from .sweeps import FinishedRun, load_runs
from .training import TrainingSettings

RESULTS = Path(__file__).parent / "results"
STORED = RESULTS / "training.jsonl"  # with curves
FAIR = RESULTS / "ablation.jsonl"  # the ablation in both directions, a short line a run
PLAIN = ("1", "1/sqrt(d_k)")
SGD_RATES = (0.03, 0.1, 0.3, 1.0, 3.0)
ADAM_RATES = (0.0003, 0.001, 0.003, 0.01, 0.03)
LOST = 601  # steps, for the mean of runs that have 600
FEWER_RATES = (("SGD", (0.3, 1.0, 3.0)), ("Adam", (0.001, 0.003, 0.01)))
BOTH_WAYS = (*PLAIN, "1/d_k")
REVERSE = TrainingSettings()
REVERSE_GRIDS = {"SGD": "reverse", "Adam": "reverse, Adam"}  # the same grid with either optimiser, ten seeds
FLAT_GRIDS = {"SGD": "reverse, 1/d_k", "Adam": "reverse, 1/d_k, Adam"}  # the same with 1/d_k, at d_k = 64
RECALL = TrainingSettings("recall", optimiser="Adam", learning_rate=0.003, batch=8)


class Grid(NamedTuple):
    """One question: its settings, and how many seeds each gets."""

    settings: list[TrainingSettings]
    seeds: int


def rates(setting: TrainingSettings, choices=(("SGD", SGD_RATES), ("Adam", ADAM_RATES))) -> list[TrainingSettings]:
    """The setting with both optimisers, at five learning rates each unless told otherwise."""
    return [setting._replace(optimiser=name, learning_rate=rate) for name, values in choices for rate in values]


def cross(setting: TrainingSettings, **choices) -> list[TrainingSettings]:
    """Every combination of the given values for some fields of a setting."""
    settings = [setting]
    for name, values in choices.items():
        settings = [each._replace(**{name: value}) for each in settings for value in values]
    return settings


def fair_grids() -> dict[str, Grid]:
    """The questions that treat too sharp and too flat alike: three learning rates for each optimiser, ten seeds."""
    reverse, recall = ShortSettings(), ShortSettings("recall", batch=8)
    wide = {"d_k": (16,), "d_model": (256,), "scale": ("1/sqrt(d_k)", "1/sqrt(d_model)")}
    cut = ShortSettings(optimiser="Adam", learning_rate=0.001, layers=2)
    additive = ShortSettings("reverse, small", optimiser="Adam")
    fair = {
        "two ways to fail": [
            s
            for task in (reverse, recall)
            for each in cross(task, d_k=(64, 512), scale=BOTH_WAYS)
            for s in rates(each, FEWER_RATES)
        ],
        "the model's width": [
            s
            for task, choices in ((reverse, ((0.3, 1.0), (0.001, 0.003))), (recall, ((0.3,), (0.003,))))
            for each in cross(task, **wide)
            for s in rates(each, tuple(zip(("SGD", "Adam"), choices, strict=True)))
        ],
    }
    fewer_seeds = {
        "the model's width, heads": (cross(cut, heads=(4,), d_k=(16,), scale=("1/sqrt(d_k)", "1/sqrt(d_model)")), 5),
        "additive": (
            cross(additive, d_k=(8, 32, 128, 512), scale=(ADDITIVE, *PLAIN), learning_rate=FEWER_RATES[1][1][:2]),
            5,
        ),
        "start variance": (
            cross(reverse, d_k=(16, 64), scale=("1/sqrt(d_k)", *STARTS), learning_rate=FEWER_RATES[0][1]),
            3,
        ),
    }
    return {name: Grid(settings, 10) for name, settings in fair.items()} | {
        name: Grid(settings, seeds) for name, (settings, seeds) in fewer_seeds.items()
    }


def training_grids() -> dict[str, Grid]:
    """All questions by name. A setting that's in two of them is run once."""
    adam = REVERSE._replace(optimiser="Adam", learning_rate=0.003)
    learned = ("1/sqrt(d_model)", "learned", "learned from 1", "QK-norm")
    sgd_recall = RECALL._replace(optimiser="SGD", learning_rate=1.0)
    transformer = adam._replace(layers=2, heads=4, learning_rate=0.001)
    return {
        "reverse": Grid(cross(REVERSE, d_k=(8, 16, 64, 512), scale=PLAIN), 10),
        "reverse, longer": Grid(cross(REVERSE._replace(steps=2400), scale=PLAIN), 5),
        "reverse, Adam": Grid(cross(adam, d_k=(8, 16, 64, 512), scale=PLAIN), 10),
        "reverse, momentum": Grid(cross(REVERSE._replace(optimiser="momentum", learning_rate=0.03), scale=PLAIN), 5),
        "learning rates": Grid([s for each in cross(REVERSE, d_k=(64, 512), scale=PLAIN) for s in rates(each)], 5),
        "init × scale": Grid(
            [
                s
                for init, scale in (("unit", "1"), ("folded", "1"), ("unit", "1/sqrt(d_k)"), ("hot", "1/sqrt(d_k)"))
                for s in rates(REVERSE._replace(init=init, scale=scale))
            ],
            5,
        ),
        "recall": Grid(
            cross(RECALL, d_k=(16, 64, 512), scale=(*PLAIN, "1/d_k"), learning_rate=(0.001, 0.003, 0.01)), 8
        ),
        "recall, small": Grid(cross(RECALL._replace(task="recall, small"), d_k=(16, 64, 512), scale=PLAIN), 8),
        "alternatives": Grid(cross(RECALL._replace(d_k=512), scale=learned), 8),
        "alternatives, SGD": Grid(cross(sgd_recall._replace(d_k=512), scale=(*PLAIN, *learned)), 8),
        "after training": Grid(
            cross(RECALL._replace(steps=1000), d_k=(16, 64, 256, 512), scale=("1/sqrt(d_k)", "1/d_k")), 5
        ),
        "after training, SGD": Grid(
            cross(sgd_recall._replace(steps=1000), d_k=(16, 64, 256, 512), scale=("1/sqrt(d_k)", "1/d_k")), 5
        ),
        "transfer": Grid(
            cross(RECALL._replace(learning_rate=0.03), d_k=(16, 64, 256, 512), scale=(*PLAIN, "1/d_k")), 5
        ),
        "few examples": Grid(cross(adam, d_k=(16, 64), scale=PLAIN, examples=(16, 64, 256)), 5),
        "transformer": Grid(cross(transformer, d_k=(8, 16, 64), scale=PLAIN), 5),
        "transformer, longer": Grid(cross(transformer._replace(d_k=64, steps=1800), scale=PLAIN), 5),
        "reverse, 1/d_k": Grid([REVERSE._replace(scale="1/d_k")], 5),
        "reverse, 1/d_k, Adam": Grid([adam._replace(scale="1/d_k")], 5),
        "wide model": Grid(cross(REVERSE._replace(d_k=16, d_model=256), scale=("1/sqrt(d_k)", "1/sqrt(d_model)")), 5),
        "transformer, wrong width": Grid([transformer._replace(d_k=16, scale="1/sqrt(d_model)")], 5),
    }


class Cell(NamedTuple):
    """One setting with all its finished runs."""

    setting: TrainingSettings
    runs: list[FinishedRun]

    def values(self, name: str, end: int = -1) -> np.ndarray:
        """One number of each run; where a run stored the start and the end of a record, the end unless `end` is 0."""
        found = [run.result[name] for run in self.runs]
        return np.array([value[end] if isinstance(value, list) else value for value in found], dtype=float)

    def mean(self, name: str, end: int = -1) -> float:
        """Mean over the seeds."""
        return float(self.values(name, end).mean())

    def mean_and_spread(self, name: str) -> tuple[float, float]:
        """Mean over the seeds and standard deviation between them."""
        values = self.values(name)
        return float(values.mean()), float(values.std(ddof=1))

    def interval(self, name: str) -> tuple[float, float]:
        """Where 95 % of the bootstrap means over the seeds lie."""
        values = self.values(name)
        means = np.random.default_rng(0).choice(values, (2000, len(values))).mean(axis=1)
        low, high = np.quantile(means, (0.025, 0.975)).tolist()
        return low, high


@functools.cache
def stored_cells(name: str, path=None) -> list[Cell]:
    """The cells of one grid, from the stored sweep (or another file of its kind)."""
    grids, usual = (fair_grids(), FAIR) if name in fair_grids() else (training_grids(), STORED)
    (settings, seeds), path, found = grids[name], path or usual, {}
    for run in load_runs(path):
        found.setdefault(TrainingSettings(**run.setting), {})[run.seed] = run
    cells = []
    for setting in settings:
        runs = found.get(setting, {})
        missing = [seed for seed in range(seeds) if seed not in runs]
        if missing:
            raise ValueError(
                f"path: {path} has no run of {setting} with seeds {missing}; `make sweep` runs what is missing"
            )
        cells.append(Cell(setting, [runs[seed] for seed in range(seeds)]))
    return cells


def choose(cells: list[Cell], **values) -> list[Cell]:
    """Those cells whose settings have these values."""
    return [cell for cell in cells if all(getattr(cell.setting, name) == value for name, value in values.items())]


def stored_cell(grid: str, **values) -> Cell:
    """The one cell of a stored grid whose settings have these values."""
    found = choose(stored_cells(grid), **values)
    if len(found) != 1:
        raise ValueError(f"values: got {values}, which {len(found)} cells of {grid!r} have; expected one")
    return found[0]


def best_of(cells: list[Cell], *names: str) -> dict[tuple, Cell]:
    """Of the cells that agree in the named settings, the one that ends best; if two end alike, the faster one.

    Ends alike: the same mean accuracy to two digits. A run that never got to 90 % counts as one step more than it had.
    """

    def merit(cell: Cell) -> tuple[float, float]:
        return round(cell.mean("accuracy"), 2), -float(np.nan_to_num(cell.values("steps_to_90"), nan=LOST).mean())

    groups: dict[tuple, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(tuple(getattr(cell.setting, name) for name in names), []).append(cell)
    return {group: max(members, key=merit) for group, members in groups.items()}
