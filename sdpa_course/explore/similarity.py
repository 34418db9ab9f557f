"""Notebook 01: move d_k, and see the scores spread; divide by √d_k, and see them stay."""

import functools
import math

import ipywidgets as widgets
import numpy as np

from ..experiments.similarity import pair_scores
from ..figures.drawing import Canvas, View
from ..figures.similarity import score_histogram
from ..figures.variance import normal
from .explorer import Explorer, steps_slider

WIDTHS = (1, 2, 5, 8, 16, 32, 64, 128, 256, 512)
PAIRS = 4000
REACH, REACH_DIVIDED = 90, 9  # of the axis: every score that is drawn lies on it
BINS = 101  # odd, so that one stands in the middle
canvas = Canvas(size=(9, 4))


@functools.cache
def drawn(d_k: int) -> np.ndarray:
    """The scores of one d_k; drawn once, because a slider comes back."""
    return pair_scores(d_k, PAIRS, rng=np.random.default_rng(d_k))


def spread_view(d_k: int = 64, divide: bool = False) -> View:
    """Histogram of q·k for N(0, 1) entries against the normal curve of variance d_k, divided by √d_k if asked."""
    root = math.sqrt(d_k)
    scores, sigma, reach = (drawn(d_k) / root, 1.0, REACH_DIVIDED) if divide else (drawn(d_k), root, REACH)
    edges = np.linspace(-reach, reach, BINS + 1)
    percent = 100 * np.histogram(scores, edges)[0] / len(scores)
    x = np.linspace(-reach, reach, 401)
    curve = x, 100 * (edges[1] - edges[0]) * normal(x, 0, sigma)
    numbers = {
        "standard deviation, measured": f"{scores.std():.2f}",
        "expected" if divide else "expected, √d_k": f"{sigma:.2f}",
        "largest |score|": f"{np.abs(scores).max():.1f}",
    }
    return canvas.view(score_histogram, d_k, edges, percent, curve, divide, numbers=numbers)


def spread_explorer() -> Explorer:
    """A slider over d_k and a checkbox for the division."""
    divide = widgets.Checkbox(value=False, description="divide by √d_k", indent=False)
    return Explorer(spread_view, d_k=steps_slider("d_k", WIDTHS, 64), divide=divide)
