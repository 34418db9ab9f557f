"""Notebook 03: temperature and shift on a few scores; d_k, scale and number of keys on random ones."""

import functools
import math

import ipywidgets as widgets
import numpy as np

from ..experiments.saturation import relative_entropy
from ..figures.drawing import Canvas, View
from ..figures.saturation import LOOKS, sharpness, softmax_bars
from ..kernels.scores import dot_scores_forward, scale_factor
from ..kernels.softmax import softmax_forward
from .explorer import Explorer, steps_slider

SCORES = np.array([3.0, 2.0, 1.5, 0.5, 0.0, -1.0, -2.0])
TEMPERATURES = (0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20)
WIDTHS = tuple(2**i for i in range(13))
KEYS = (8, 16, 32, 64, 128, 256, 512)
ROWS = 200
temperature_canvas = Canvas(1, 2, size=(9, 3.8))
sharpness_canvas = Canvas(1, 2, size=(9, 3.8))


def temperature_view(temperature: float = 1, shift: int = 0) -> View:
    """Seven scores, moved by `shift`, and their softmax at one temperature."""
    scores = SCORES + shift
    weights = softmax_forward(scores / temperature)
    return temperature_canvas.view(softmax_bars, scores, weights, temperature, numbers=live_numbers(weights[None]))


def temperature_explorer() -> Explorer:
    """A slider over the temperature, even on a log scale, and one that moves all scores together."""
    return Explorer(
        temperature_view,
        temperature=steps_slider("temperature", TEMPERATURES, 1),
        shift=widgets.IntSlider(value=0, min=-5, max=5, description="add to every score"),
    )


def sharpness_view(d_k: int = 64, scale: str = "1/sqrt(d_k)", n: int = 64) -> View:
    """Weights of 200 random queries over n random keys: by rank, and the distribution of the top weight."""
    weights = softmax_forward(dot_products(d_k, n) * scale_factor(scale, d_k))
    return sharpness_canvas.view(sharpness, weights, scale, d_k, numbers=live_numbers(weights))


def sharpness_explorer() -> Explorer:
    """Sliders over d_k and the number of keys, and a choice of scale."""
    return Explorer(
        sharpness_view,
        d_k=steps_slider("d_k", WIDTHS, 64),
        scale=steps_slider("scale", LOOKS, "1/sqrt(d_k)"),
        n=steps_slider("number of keys", KEYS, 64),
    )


def live_numbers(weights: np.ndarray) -> dict[str, str]:
    """Means over the rows of (rows, n) weights."""
    entropy = relative_entropy(weights).mean()
    return {
        "top weight": f"{weights.max(axis=-1).mean():.3f}",
        "entropy ÷ log n": f"{entropy:.3f}",
        "effective number of keys": f"{math.exp(entropy * math.log(weights.shape[-1])):.1f}",
    }


@functools.cache
def vectors() -> tuple[np.ndarray, np.ndarray]:
    """Random queries and keys of the greatest width; narrower ones are their first columns, so that d_k moves alone."""
    rng = np.random.default_rng(3)
    return tuple(rng.standard_normal((rows, WIDTHS[-1]), dtype=np.float32) for rows in (ROWS, KEYS[-1]))


@functools.lru_cache(maxsize=32)
def dot_products(d_k: int, n: int) -> np.ndarray:
    """(ROWS, n) dot products of vectors of width d_k."""
    q, k = vectors()
    return dot_scores_forward(q[:, :d_k], k[:n, :d_k], scale=1)[0].astype(np.float64)
