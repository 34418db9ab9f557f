"""Sample data for the figures of notebooks 09, 10 and 12."""

import numpy as np

from sdpa_course.experiments.cures import Followed
from sdpa_course.experiments.row_gradients import Ratios, WithoutScale
from sdpa_course.experiments.training import Record, Snapshot, TrainingSettings
from sdpa_course.figures import claims, cures, training_curves
from tests.pictures.sample import Sample, fill, grid, softmax, wavy

SEEDS = 4


def stored_runs() -> Followed:
    """Four made-up runs whose scores grow."""
    steps, pattern = 20 * np.arange(31), wavy(SEEDS, 31)
    rising = 10 ** (steps / 150 + 0.1 * pattern)
    return Followed("QK-norm", 64, 0.1, steps, rising, 0.5 + 0.3 * pattern, 3 + pattern, np.array([0.9, 1, 1, 0.8]))


def snapshot() -> Snapshot:
    step = np.arange(0, 601, 20)
    rise = 1 / (1 + np.exp((240 - step) / 40))
    history = fill(Record, step=step, accuracy=rise, entropy=0.9 - 0.6 * rise)
    now = fill(Record, step=260, accuracy=rise[13], entropy=history.entropy[13])
    weights = softmax(wavy(16, 16) + 6 * rise[13] * np.eye(16)[::-1])
    return Snapshot(TrainingSettings(d_k=64, scale="1"), 260, weights, 0.6, now, history)


TRAINING = {
    claims.folk_claims: Sample(
        grid(1, 2, size=(9.6, 4.2), width_ratios=[1.35, 1]),
        (
            WithoutScale(
                512,
                64,
                3,
                Ratios(22.6, 0.4, 7.5, 1e-7),
                {
                    pair: {8: 0.98 - 0.05 * i, 64: 0.9 - 0.2 * i, 512: 0.8 - 0.25 * i}
                    for i, pair in enumerate(
                        (("SGD", "1"), ("SGD", "1/sqrt(d_k)"), ("Adam", "1"), ("Adam", "1/sqrt(d_k)"))
                    )
                },
            ),
        ),
    ),
    cures.run_curves: Sample(grid(1, 3, size=(9.6, 3.6)), (stored_runs(),)),
    training_curves.weights_at_step: Sample(grid(1, 2, size=(9.6, 4.5)), (snapshot(),)),
}
