"""Sample data for the figures of notebooks 09 and 11."""

import numpy as np

from sdpa_course.experiments.ablation import Cell
from sdpa_course.experiments.models import LEARNED
from sdpa_course.experiments.row_gradients import Learned, Ratios, WithoutScale
from sdpa_course.experiments.sweeps import FinishedRun
from sdpa_course.experiments.training import Record, Snapshot, TrainingSettings
from sdpa_course.figures import claims, training, training_curves
from sdpa_course.kernels.scores import SCALES
from tests.pictures.sample import Sample, fill, grid, softmax, wavy

SEEDS = 4


def cell(accuracy: float, *, first: float = 0.5, **fields) -> Cell:
    """Four made-up runs of one setting, around an accuracy."""
    setting = TrainingSettings(**fields)
    accuracies = np.clip(accuracy + 0.1 * wavy(SEEDS, start=10 * accuracy), 0, 1)
    results = [
        {
            "accuracy": a,
            "train_accuracy": a / 2 + 0.5,
            "rms_row": [first + 0.05 * i, 9.0],
            "dot_variance": [1.0, 2 + 3 * a],
            "alignment": [0.0, a / 2],
            "max_logit": [4.0, 6 + 20 * a],
            "accuracy_curve": [0.06, a / 3, a / 1.5, a],
            "entropy_curve": [0.9, 0.8, 0.9 - a / 2, 0.8 - a / 2],
        }
        for i, a in enumerate(accuracies.tolist())
    ]
    return Cell(setting, [FinishedRun(setting._asdict(), seed, result) for seed, result in enumerate(results)])


def by_width(widths=(8, 64, 512), scales=("1", "1/sqrt(d_k)")) -> list[Cell]:
    """Without the scale the accuracy falls, with it less so."""
    return [
        cell(0.9 - (0.25 if s == "1" else 0.08) * i - 0.05 * scales.index(s), first=0.25 * 4**i, d_k=d, scale=s)
        for s in scales for i, d in enumerate(widths)
    ]  # fmt: skip


def by_rate() -> list[Cell]:
    return [
        cell(0.8 - 0.2 * i - 0.1 * abs(j - 1), learning_rate=rate, init=init, scale=scale)
        for i, (init, scale) in enumerate(training.STARTS) for j, rate in enumerate((0.1, 0.3, 1.0))
    ]  # fmt: skip


def by_scale() -> list[Cell]:
    return [cell(0.9 - 0.1 * i, scale=scale) for i, scale in enumerate((*SCALES, *LEARNED))]


def by_optimiser() -> list[Cell]:
    return [
        cell(0.9 - 0.2 * i - 0.15 * j - 0.05 * k, d_k=d, scale=scale, optimiser=optimiser)
        for i, optimiser in enumerate(("Adam", "SGD"))
        for j, scale in enumerate(("1/sqrt(d_k)", "1/d_k"))
        for k, d in enumerate((16, 64, 512))
    ]


def by_examples() -> list[Cell]:
    return [
        cell(0.2 + 0.3 * i - 0.15 * (scale == "1"), d_k=d, scale=scale, examples=examples)
        for d in (16, 64) for scale in ("1", "1/sqrt(d_k)") for i, examples in enumerate((16, 64, 256))
    ]  # fmt: skip


def snapshot() -> Snapshot:
    step = np.arange(0, 601, 20)
    rise = 1 / (1 + np.exp((240 - step) / 40))
    history = fill(Record, step=step, accuracy=rise, entropy=0.9 - 0.6 * rise)
    now = fill(Record, step=260, accuracy=rise[13], entropy=history.entropy[13])
    weights = softmax(wavy(16, 16) + 6 * rise[13] * np.eye(16)[::-1])
    return Snapshot(TrainingSettings(d_k=64, scale="1"), 260, weights, 0.6, now, history)


TRAINING = {
    claims.verdict_grid: Sample(
        grid(size=(11.5, 8.25)),
        (
            {
                "Dot products and their variance": [
                    ("C01", "Var(q·k) is d_k", "holds"),
                    ("C02", "any distribution", "half true"),
                    ("C03", "needs normal entries", "fails"),
                ],
                "Other scales, other scores": [("C20", "1/d_k is as good", "half true"), ("C21", "a bound", "holds")],
            },
        ),
    ),
    claims.folk_claims: Sample(
        grid(1, 2, size=(9.6, 4.2), width_ratios=[1.35, 1]),
        (
            WithoutScale(
                512,
                64,
                3,
                Ratios(22.6, 0.4, 7.5, 1e-7),
                tuple(
                    Learned(optimiser, scale, (8, 64, 512), (0.98 - 0.05 * i, 0.9 - 0.2 * i, 0.8 - 0.25 * i))
                    for i, (optimiser, scale) in enumerate(
                        (("SGD", "1"), ("SGD", "1/sqrt(d_k)"), ("Adam", "1"), ("Adam", "1/sqrt(d_k)"))
                    )
                ),
                True,
                False,
                True,
            ),
        ),
    ),
    training.seeds_by_width: Sample(
        grid(1, 2, size=(9.6, 4.8), sharey=True),
        ({"32 pairs": by_width(scales=("1", "1/sqrt(d_k)", "1/d_k")), "16 pairs": by_width()}, (1 / 64, 1 / 32)),
    ),
    training.accuracy_by_rate: Sample(
        grid(1, 2, size=(9.6, 4.8), sharey=True), ({"SGD": by_rate(), "Adam": by_rate()[3:]}, 1 / 16)
    ),
    training.gradient_and_accuracy: Sample(grid(size=(9, 4.5)), (by_width(), 1 / 16)),
    training.seeds_by_scale: Sample(
        grid(1, 2, size=(9.6, 4.4), sharey=True), ({"Adam": by_scale(), "SGD": by_scale()[::2]},)
    ),
    training.after_training: Sample(grid(1, 3, size=(10.4, 4.8)), (by_optimiser(),)),
    training_curves.curves: Sample(
        grid(2, 3, size=(10, 6.2), sharex=True, sharey=True),
        ({f"$d_k$ = {d}": by_width(widths=(d,)) for d in (8, 64, 512)},),
    ),
    training_curves.train_and_held_out: Sample(grid(1, 2, size=(9.6, 5), sharey=True), (by_examples(), 1 / 16)),
    training_curves.rows_at_the_end: Sample(
        grid(1, 2, size=(9.6, 4.5)),
        (
            {"1": wavy(64) ** 2, "1/sqrt(d_k)": 1 - wavy(64) ** 4 / 3},
            {
                "no scale, wrong": 10 ** (9 * wavy(99) - 10),
                "no scale, right": 10 ** (6 * wavy(99) - 9),
                "with scale (right)": 10 ** (3 * wavy(99) - 4),
            },
        ),
    ),
    training_curves.weights_at_step: Sample(grid(1, 2, size=(9.6, 4.5)), (snapshot(),)),
}
