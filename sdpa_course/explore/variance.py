"""Notebook 02: switch the assumptions behind Var(q·k) = d_k off, and see the scores leave N(0, 1)."""

import functools
import math

import ipywidgets as widgets
import numpy as np

from ..experiments.variance import DISTRIBUTIONS, Setting, draw_noise, predicted, queries_and_keys
from ..figures.drawing import Canvas, View
from ..figures.variance import score_histogram
from .explorer import Explorer, steps_slider

WIDTHS = tuple(2**i for i in range(9))
SAMPLES = 3000
BINS = 49  # odd: the predicted mean lies in the middle of a bin
canvas = Canvas(size=(9, 3.8))


@functools.lru_cache(maxsize=8)
def noise(d_k: int, distribution: str) -> tuple[np.ndarray, np.ndarray]:
    """What is random, drawn once, so that a slider moves the scores and not the dice."""
    return draw_noise(Setting(d_k, distribution=distribution), SAMPLES, rng=np.random.default_rng(0))


def variance_view(
    d_k: int = 64, mean: float = 0.0, sigma_q: float = 1.0, correlation: float = 0.0, distribution: str = "normal"
) -> View:
    """Histogram of q·k/√d_k for one setting of the assumptions; `mean` is that of q's and of k's entries."""
    setting = Setting(d_k, mean, mean, sigma_q, correlation=correlation, distribution=distribution)
    q, k = queries_and_keys(setting, *noise(d_k, distribution))
    scores = np.einsum("sd,sd->s", q, k)
    expected_mean, expected_variance = predicted(setting)
    centre, spread = expected_mean / math.sqrt(d_k), math.sqrt(expected_variance / d_k)
    edges = bins(setting, centre, spread)
    counts, _ = np.histogram(scores / math.sqrt(d_k), edges)
    density = counts / (SAMPLES * np.diff(edges))
    numbers = {
        "variance of q·k": f"{scores.var(ddof=1):.2f}",
        "predicted": f"{expected_variance:.2f}",
        "measured ÷ d_k": f"{scores.var(ddof=1) / d_k:.2f}",
        "mean of q·k": f"{scores.mean():.2f}",
    }
    return canvas.view(score_histogram, edges, density, centre, spread, numbers=numbers)


def bins(setting: Setting, centre: float, spread: float) -> np.ndarray:
    """Edges over six predicted standard deviations either side.

    With ±1 entries q·k takes values a fixed step apart. A bin holds as many of them as every other bin, else the
    histogram would look like a comb; where they are few, each stands in the middle of its own narrow bin.
    """
    width = 12 * spread / BINS if spread else 0.25
    start = centre - BINS / 2 * width
    step = 2 * setting.sigma_q * math.sqrt(1 - setting.correlation**2) / math.sqrt(setting.d_k)
    if setting.distribution == "±1" and step > 0:
        few = step > 4 * width
        width = step / (2 * round(step / width / 2) + 1) if few else step * max(1, round(width / step))
        lowest = centre - setting.d_k * step / 2 - min(width, step) / 2
        start = lowest + width * math.floor((centre - BINS / 2 * width - lowest) / width)
    return start + width * np.arange(BINS + 2)


def variance_explorer() -> Explorer:
    """Sliders over d_k, μ, σ_q and ρ, and a choice of distribution."""
    return Explorer(
        variance_view,
        d_k=steps_slider("d_k", WIDTHS, 64),
        mean=widgets.FloatSlider(value=0, min=0, max=1, step=0.05, description="mean μ of q and k"),
        sigma_q=widgets.FloatSlider(value=1, min=0.25, max=3, step=0.25, description="σ of q"),
        correlation=widgets.FloatSlider(value=0, min=-1, max=1, step=0.05, description="correlation ρ of q and k"),
        distribution=steps_slider("entries", DISTRIBUTIONS, "normal"),
    )
