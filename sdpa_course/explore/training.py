"""Notebook 09: move through the steps of a training run and see where the queries look."""

import functools

from ..experiments.training import Run, Setting, train
from ..figures.drawing import Canvas, View
from ..figures.training_curves import weights_at_step
from .explorer import Explorer, steps_slider

EVERY = 20
SEED = 1
STEPS = tuple(range(0, Setting().steps + 1, EVERY))
WIDTHS = (8, 64)
SCALES = ("1", "1/sqrt(d_k)")
canvas = Canvas(1, 2, size=(9.6, 4.5))


@functools.cache
def trained(d_k: int, scale: str) -> Run:
    """One run of the reverse task, trained when it is first asked for (about a second)."""
    return train(Setting(d_k=d_k, scale=scale), SEED, every=EVERY)


def training_view(step: int = 240, d_k: int = 64, scale: str = "1/sqrt(d_k)") -> View:
    """The weights of one sequence at a step, and the run's accuracy and entropy."""
    run = trained(d_k, scale)
    at = STEPS.index(step)
    history = run.history
    numbers = {
        "accuracy": f"{history.accuracy[at]:.2f}",
        "entropy ÷ log n": f"{history.entropy[at]:.2f}",
        "mean top weight": f"{history.top[at]:.2f}",
        "stuck rows": f"{history.stuck[at]:.0%}",
    }
    return canvas.view(weights_at_step, run, at, numbers=numbers)


def training_explorer() -> Explorer:
    """A slider over the steps, and choices of d_k and scale. A new choice trains for about a second."""
    return Explorer(
        training_view,
        main=("step", "scale"),
        step=steps_slider("step", STEPS, 240),
        d_k=steps_slider("d_k", WIDTHS, 64),
        scale=steps_slider("scale", SCALES, "1/sqrt(d_k)"),
    )
