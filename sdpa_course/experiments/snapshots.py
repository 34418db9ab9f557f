"""The maps that notebook 09 opens with: where two heads look while they learn, stored so that nobody waits for them."""

import functools
from typing import NamedTuple

import numpy as np

from .ablation import PLAIN, RESULTS
from .training import TrainingSettings, train

MAPS = RESULTS / "maps.npz"
EVERY, SEED = 40, 1


class LearningMaps(NamedTuple):
    """Two runs of the reverse task that differ in the scale alone, once every 40 steps."""

    steps: np.ndarray
    brightness: dict[str, np.ndarray]  # scale -> (steps, n, n), the square root of each weight
    accuracy: dict[str, np.ndarray]  # scale -> (steps,), on a batch that's never trained on

    def at(self, step: int) -> dict:
        """scale -> (brightness, accuracy) at one step."""
        i = list(self.steps).index(step)
        return {scale: (self.brightness[scale][i], float(self.accuracy[scale][i])) for scale in PLAIN}


@functools.cache
def learning_maps() -> LearningMaps:
    """The stored runs."""
    with np.load(MAPS) as stored:
        brightness = {scale: stored[f"map {scale}"] / 255 for scale in PLAIN}
        return LearningMaps(stored["steps"], brightness, {scale: stored[f"accuracy {scale}"] for scale in PLAIN})


def store_maps(path=MAPS) -> None:
    """Train both heads and write the file; `python -m sdpa_course.experiments` calls this if it isn't there."""
    arrays = {}
    for scale in PLAIN:
        run = train(TrainingSettings(scale=scale), SEED, every=EVERY)
        arrays["steps"] = run.history.step
        arrays[f"map {scale}"] = np.round(255 * np.sqrt(run.snapshots)).astype(np.uint8)
        arrays[f"accuracy {scale}"] = run.history.accuracy
    np.savez_compressed(path, **arrays)
