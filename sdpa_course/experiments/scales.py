"""Where to put the scale, and which power of d_k it should be. Used in notebook 07.

Axes: rows (queries) · n keys · d_k, d_v widths
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..kernels.scores import dot_scores_forward
from ..kernels.sdpa import attention_backward, attention_forward
from ..kernels.softmax import softmax_forward
from .layers import D_V, draw_values
from .metrics import relative_entropy, rms


class FirstStep(NamedTuple):
    """How far one step on W_Q moves the scores (root mean square): scale on the scores, or folded into W_Q."""

    outside: float
    folded: float

    @property
    def ratio(self) -> float:
        """How many times as far the folded layer moves."""
        return self.folded / self.outside


def first_steps(d_k: int, *, rng, tokens: int = 16, d_model: int = 64, rate: float = 1e-3) -> dict[str, FirstStep]:
    """One first step on W_Q by SGD, Adam and Adafactor, for both places of the scale.

    Outside: scores = (X W_Q)(X W_K)ᵀ/√d_k. Folded: the parameter is W_Q/√d_k, and nothing is divided. Both give
    the same scores before the step. Adam's first step is rate · g / (|g| + 1e-8), about rate · sign(g); Adafactor's
    is taken as that times the root mean square of the weights (its factored average is left out).
    """
    x = rng.standard_normal((tokens, d_model))
    w_q, w_k = rng.standard_normal((2, d_model, d_k)) / math.sqrt(d_model)
    v, dout = draw_values(tokens, tokens, D_V, rng=rng)
    k = x @ w_k
    moved: dict[str, list[float]] = {"SGD": [], "Adam": [], "Adafactor": []}
    for w, scale in ((w_q, None), (w_q / math.sqrt(d_k), 1.0)):  # None: the kernel's own 1/√d_k
        _, cache = attention_forward(x @ w, k, v, scale=scale)
        gradient = x.T @ attention_backward(dout, cache)[0]  # (d_model, d_k)
        sign = gradient / (np.abs(gradient) + 1e-8)
        for name, step in zip(moved, (gradient, sign, rms(w) * sign), strict=True):
            moved[name].append(rms(dot_scores_forward(x @ (rate * step), k, scale=scale)[0]))  # linear in W_Q
    return {name: FirstStep(*pair) for name, pair in moved.items()}


EXPONENT_WIDTHS = tuple(2**i for i in range(11))


@functools.cache
def grouped_products(n: int, rows: int = 96, groups: int = 8, seed: int = 7) -> dict[int, np.ndarray]:
    """d_k -> (rows, n) dot products of N(0, 1) vectors.

    Groups of queries have keys of their own: with a single set of keys, the few numbers that make them up at small d_k
    would decide the result. Narrow vectors are the first columns of wide ones, so only d_k changes.
    """
    rng, widest = np.random.default_rng(seed), EXPONENT_WIDTHS[-1]
    q, k = (rng.standard_normal((groups, count, widest), dtype=np.float32) for count in (rows // groups, n))
    return {d_k: dot_scores_forward(q[..., :d_k], k[..., :d_k], scale=1)[0].reshape(rows, n) for d_k in EXPONENT_WIDTHS}


def entropy_at_exponent(d_k: int, exponent: float, n: int = 64) -> float:
    """Mean entropy ÷ log n with the scale d_k^(−exponent)."""
    scores = grouped_products(n)[d_k] * np.float32(d_k**-exponent)
    return float(relative_entropy(softmax_forward(scores)).mean())


class ExponentSweep(NamedTuple):
    """Entropy ÷ log n with the scale d_k^(−exponent)."""

    n: int
    exponent: float
    by_width: dict[int, float]  # d_k -> entropy at this exponent
    grid: np.ndarray  # (m,) of exponents
    curves: dict[int, np.ndarray]  # d_k -> (m,) entropies


@functools.cache
def entropy_curves(n: int) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """A grid of exponents, and the entropy at each of them for three widths."""
    grid = np.linspace(0, 1, 21)
    return grid, {d_k: np.array([entropy_at_exponent(d_k, exponent, n) for exponent in grid]) for d_k in (8, 64, 512)}


def exponent_sweep(exponent: float = 0.5, n: int = 64) -> ExponentSweep:
    """At which exponent does d_k stop mattering?"""
    by_width = {d_k: entropy_at_exponent(d_k, exponent, n) for d_k in EXPONENT_WIDTHS}
    return ExponentSweep(n, exponent, by_width, *entropy_curves(n))
