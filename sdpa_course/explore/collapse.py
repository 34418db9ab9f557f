"""Notebook 00: move d_k, and see softmax collapse beside softmax that does not."""

import numpy as np

from ..figures.collapse import weights_beside
from ..figures.show import Canvas, View
from ..kernels.sdpa import attention_forward
from .explorer import Explorer, width_slider

WIDTHS = tuple(2**i for i in range(11))
QUERIES, KEYS = 200, 16
canvas = Canvas(1, 2, size=(9, 3.8), sharey=True)


def collapse_view(d_k: int = 64) -> View:
    """Average weights over 16 keys, largest first, without and with 1/√d_k, for one d_k."""
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal((QUERIES, d_k)), rng.standard_normal((KEYS, d_k)), np.zeros((KEYS, 1))
    unscaled, scaled = (attention_forward(q, k, v, scale=scale)[1].weights for scale in (1, None))
    numbers = {
        "largest weight, no scale": f"{unscaled.max(axis=-1).mean():.3f}",
        "largest weight, 1/√d_k": f"{scaled.max(axis=-1).mean():.3f}",
    }
    return canvas.view(weights_beside, d_k, unscaled, scaled, numbers=numbers)


def collapse_explorer() -> Explorer:
    """A slider over d_k."""
    return Explorer(collapse_view, d_k=width_slider("d_k", WIDTHS, 64))
