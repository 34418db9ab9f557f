"""Notebook 11: move d_k, and see which of the claims about gradients and training are true there."""

import functools

import ipywidgets as widgets
import numpy as np

from ..experiments.gradients import rms
from ..experiments.saturation import jacobian_norm
from ..figures.claims import folk_claims
from ..figures.drawing import Canvas, View
from ..kernels.scores import scale_factor
from ..kernels.softmax import softmax_forward
from ..trial.training import reverse
from .explorer import Explorer, steps_slider
from .gradients import KEYS, WIDTHS, products, row_lengths

FACTORS = (1.5, 2, 3, 10, 100)
TRAINED = (8, 16, 64, 512)
canvas = Canvas(1, 2, size=(9.6, 4.2), width_ratios=[1.35, 1])


@functools.lru_cache(maxsize=64)
def ratios(d_k: int, n: int) -> dict[str, float]:
    """Unscaled ÷ scaled, on one draw of queries, keys and upstream gradients (that of notebook 06's slider)."""
    pairs = []
    for scale in ("1", "1/sqrt(d_k)"):
        scores = products().queries[WIDTHS.index(d_k), :, :n] * scale_factor(scale, d_k)
        lengths = row_lengths(d_k, scale, n)
        norms = jacobian_norm(softmax_forward(scores))
        pairs.append((scores.std(), norms.mean(), rms(lengths), np.median(lengths)))
    names = ("spread of the scores", "mean norm of J", "rms row of dQ", "median row of dQ")
    return {name: float(a / b) for name, a, b in zip(names, *pairs, strict=True)}


@functools.cache
def trained() -> dict[str, tuple[tuple[int, ...], list[float]]]:
    """Accuracy on reversing a sequence, from the stored sweep."""
    return {
        f"{optimiser}, {words}": (
            TRAINED,
            [float(reverse(d_k, scale, optimiser).values("accuracy").mean()) for d_k in TRAINED],
        )
        for optimiser in ("SGD", "Adam")
        for words, scale in (("no scale", "1"), ("1/√dₖ", "1/sqrt(d_k)"))
    }


def folk_view(d_k: int = 512, n: int = 64, factor: float = 3) -> View:
    """What leaving the scale out does at this d_k; `factor` is what counts as exploding, or vanishing."""
    found = ratios(d_k, n)
    norm, median = found["rms row of dQ"], found["median row of dQ"]
    yes = {True: "yes", False: "no"}
    numbers = {
        "C07, the norm explodes": yes[norm > factor],
        "C08, the norm vanishes": yes[norm < 1 / factor],
        "C08, the median row vanishes": yes[median < 1 / factor],
    }
    return canvas.view(folk_claims, d_k, n, factor, found, trained(), numbers=numbers)


def folk_explorer() -> Explorer:
    """A slider over d_k, the number of keys, and how much is meant by "explode" and "vanish"."""
    return Explorer(
        folk_view,
        d_k=steps_slider("d_k", WIDTHS, 512),
        n=steps_slider("number of keys", KEYS, 64),
        factor=widgets.SelectionSlider(options=FACTORS, value=3, description="factor that counts"),
    )
