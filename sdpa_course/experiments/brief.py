"""Training runs in short lines: what the fair ablation of notebook 09 stores, and other scales on a trained head."""

import numpy as np

from .tasks import make_task
from .training import HELD_OUT, Run, TrainingSettings, accuracy_on, for_json, train

SWAPPED = ("1", "1/sqrt(d_k)", "1/d_k")


class ShortSettings(TrainingSettings):
    """The same settings, stored without those that have their default: a line of the file gets half as long."""

    __slots__ = ()

    def _asdict(self) -> dict:
        return {name: value for name, value in super()._asdict().items() if value != self._field_defaults[name]}


def summarise_briefly(setting: TrainingSettings, seed: int) -> dict:
    """Train, and keep what the fair ablation needs, in a fifth of the space that `summarise` takes.

    `swapped` is the accuracy of the trained head with another scale put in afterwards, for each of `SWAPPED`.
    """
    run = train(setting, seed)
    history = run.history
    reached = history.step[history.accuracy >= 0.9]
    return {
        "accuracy": round(run.accuracy, 3),
        "steps_to_90": int(reached[0]) if len(reached) else None,
        "finite": bool(np.isfinite(history.loss).all()),
        "entropy": for_json(np.round(history.entropy[[0, -1]], 3)),
        "swapped": [round(value, 3) for value in swap_scales(run, seed)],
    }


def swap_scales(run: Run, seed: int, scales=SWAPPED) -> list[float]:
    """Accuracy of a trained head on fresh sequences with each of these scales in place of its own."""
    rng = np.random.default_rng(seed)  # the seed of the run draws the same embeddings again
    batch = make_task(run.setting.task, run.setting.d_model, rng=rng).draw(HELD_OUT, rng=rng)
    return [accuracy_on(run.model._replace(scale=scale), run.params, batch) for scale in scales]
