"""The stored sweep of notebook 09: its questions as grids of settings, and the answers of earlier runs."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from .sweeps import FinishedRun, fields, load_runs
from .training import TrainingSettings

STORED = Path(__file__).parent / "results" / "training.jsonl"
PLAIN = ("1", "1/sqrt(d_k)")
SGD_RATES = (0.03, 0.1, 0.3, 1.0, 3.0)
ADAM_RATES = (0.0003, 0.001, 0.003, 0.01, 0.03)
REVERSE = TrainingSettings()
RECALL = TrainingSettings("recall", optimiser="Adam", learning_rate=0.003, batch=8)


class Grid(NamedTuple):
    """One question: its settings, and how many seeds each gets."""

    settings: list[TrainingSettings]
    seeds: int


def rates(setting: TrainingSettings) -> list[TrainingSettings]:
    """The setting with both optimisers at five learning rates each."""
    choices = (("SGD", SGD_RATES), ("Adam", ADAM_RATES))
    return [setting._replace(optimiser=name, learning_rate=rate) for name, values in choices for rate in values]


def cross(setting: TrainingSettings, **choices) -> list[TrainingSettings]:
    """Every combination of the given values for some fields of a setting."""
    settings = [setting]
    for name, values in choices.items():
        settings = [each._replace(**{name: value}) for each in settings for value in values]
    return settings


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
    }


class Cell(NamedTuple):
    """One setting with all its finished runs."""

    setting: TrainingSettings
    runs: list[FinishedRun]

    def values(self, name: str, end: int = -1) -> np.ndarray:
        """One number of each run; where a run stored the start and the end of a record, the end unless `end` is 0."""
        found = [run.result[name] for run in self.runs]
        return np.array([value[end] if isinstance(value, list) else value for value in found], dtype=float)

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


def stored_cells(name: str, path=STORED) -> list[Cell]:
    """The cells of one grid, from the stored sweep."""
    settings, seeds = training_grids()[name]
    found = {}
    for run in load_runs(path):
        found.setdefault(tuple(run.setting.values()), {})[run.seed] = run
    cells = []
    for setting in settings:
        runs = found.get(tuple(fields(setting).values()), {})
        missing = [seed for seed in range(seeds) if seed not in runs]
        if missing:
            raise ValueError(
                f"path: {path} has no run of {setting} with seeds {missing}; `make sweep` runs what is missing"
            )
        cells.append(Cell(setting, [runs[seed] for seed in range(seeds)]))
    return cells
