"""Notebook 00: move d_k, and see softmax collapse beside softmax that does not."""

from functools import cache

import numpy as np

from ..figures.collapse import weights_beside
from ..figures.drawing import Canvas, View
from ..kernels.scores import dot_scores_forward
from ..kernels.softmax import softmax_forward
from .explorer import Explorer, steps_slider

WIDTHS = tuple(2**i for i in range(11))
SPREADS = (0.5, 1.0, 2.0)
QUERIES, KEYS = 200, 16
canvas = Canvas(1, 2, size=(9, 3.8), sharey=True)


@cache
def unit_scores(d_k: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores (200, 16) from N(0, 1) entries: as they are, and with the kernel's own 1/√d_k.

    Each query has its own 16 keys, as in the notebook: with shared keys the few numbers that make them up at
    small d_k would decide the picture.
    """
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((QUERIES, 1, d_k)), rng.standard_normal((QUERIES, KEYS, d_k))
    return dot_scores_forward(q, k, scale=1)[0][:, 0], dot_scores_forward(q, k)[0][:, 0]


def collapse_view(d_k: int = 64, spread: float = 1.0) -> View:
    """Average weights over 16 keys, largest first, without and with 1/√d_k; `spread` is the entries' σ."""
    raw, divided = (spread**2 * scores for scores in unit_scores(d_k))  # σ on q and σ on k: σ² on every product
    unscaled, scaled = softmax_forward(raw), softmax_forward(divided)
    numbers = {
        "Spread of scores, no scale": f"{raw.std():.2f}",
        "Spread of scores, 1/√d_k": f"{divided.std():.2f}",
        "Largest weight, no scale": f"{unscaled.max(axis=-1).mean():.3f}",
        "Largest weight, 1/√d_k": f"{scaled.max(axis=-1).mean():.3f}",
    }
    return canvas.view(weights_beside, d_k, spread, unscaled, scaled, numbers=numbers)


def collapse_explorer() -> Explorer:
    """A slider over d_k, and one that breaks the assumption σ = 1."""
    return Explorer(
        collapse_view,
        d_k=steps_slider("d_k", WIDTHS, 64),
        spread=steps_slider("σ of the entries", SPREADS, 1.0),
    )
