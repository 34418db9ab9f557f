"""Notebook 07: move the exponent of the scale d_k^(−exponent), and see at which one d_k stops to matter."""

from functools import cache

import ipywidgets as widgets
import numpy as np

from ..experiments.saturation import relative_entropy
from ..figures.drawing import Canvas, View
from ..figures.scales import WIDTH_LOOKS, exponents
from ..kernels.scores import dot_scores_forward
from ..kernels.softmax import softmax_forward
from .explorer import Explorer, steps_slider

WIDTHS = tuple(2**i for i in range(11))
KEYS = (8, 64, 512)
ROWS, GROUPS = 96, 8
GRID = np.linspace(0, 1, 21)
canvas = Canvas(1, 2, size=(9, 3.9), sharey=True)


@cache
def dot_products(n: int) -> dict[int, np.ndarray]:
    """d_k -> (ROWS, n) dot products of N(0, 1) vectors.

    Eight groups of queries, each with its own keys: with one set of keys the few numbers that make them up at small
    d_k would decide the picture. Narrow vectors are the first columns of wide ones, so that d_k moves alone.
    """
    rng = np.random.default_rng(7)
    q, k = (rng.standard_normal((GROUPS, rows, WIDTHS[-1]), dtype=np.float32) for rows in (ROWS // GROUPS, n))
    return {d_k: dot_scores_forward(q[..., :d_k], k[..., :d_k], scale=1)[0].reshape(ROWS, n) for d_k in WIDTHS}


def entropy(d_k: int, exponent: float, n: int) -> float:
    """Mean entropy ÷ log n with the scale d_k^(−exponent)."""
    scores = dot_products(n)[d_k] * np.float32(d_k**-exponent)
    return float(relative_entropy(softmax_forward(scores)).mean())


@cache
def curves(n: int) -> dict[int, np.ndarray]:
    """d_k -> entropy at every exponent of GRID."""
    return {d_k: np.array([entropy(d_k, exponent, n) for exponent in GRID]) for d_k in WIDTH_LOOKS}


def exponent_view(exponent: float = 0.5, n: int = 64) -> View:
    """Entropy against the exponent for three d_k, and against d_k for this exponent."""
    here = [entropy(d_k, exponent, n) for d_k in WIDTHS]
    numbers = {f"entropy at d_k = {d_k}": f"{here[WIDTHS.index(d_k)]:.3f}" for d_k in WIDTH_LOOKS}
    return canvas.view(exponents, exponent, GRID, curves(n), WIDTHS, here, n, numbers=numbers)


def exponent_explorer() -> Explorer:
    """A slider over the exponent, and one over the number of keys."""
    return Explorer(
        exponent_view,
        exponent=widgets.FloatSlider(value=0.5, min=0, max=1, step=0.05, description="exponent"),
        n=steps_slider("number of keys", KEYS, 64),
    )
