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


class FirstSteps(NamedTuple):
    """How far one step on W_Q moves the scores (root mean square): scale on the scores, or folded into W_Q."""

    d_k: int
    sgd_outside: float
    sgd_folded: float
    adam_outside: float
    adam_folded: float


def first_steps(d_k: int, *, rng, tokens: int = 16, d_model: int = 64, rate: float = 1e-3) -> FirstSteps:
    """One step of SGD and the first step of Adam on W_Q, for both places of the scale.

    Outside: scores = (X W_Q)(X W_K)ᵀ/√d_k. Folded: the parameter is W_Q/√d_k, and nothing is divided. Both give
    the same scores before the step; Adam's first step is rate · g / (|g| + 1e-8), about rate · sign(g).
    """
    x = rng.standard_normal((tokens, d_model))
    w_q, w_k = rng.standard_normal((2, d_model, d_k)) / math.sqrt(d_model)
    v, dout = draw_values(tokens, tokens, D_V, rng=rng)
    k = x @ w_k
    moved = []
    for w, scale in ((w_q, None), (w_q / math.sqrt(d_k), 1.0)):  # None: the kernel's own 1/√d_k
        _, cache = attention_forward(x @ w, k, v, scale=scale)
        gradient = x.T @ attention_backward(dout, cache)[0]  # (d_model, d_k)
        for step in (rate * gradient, rate * gradient / (np.abs(gradient) + 1e-8)):
            moved.append(rms(dot_scores_forward(x @ step, k, scale=scale)[0]))  # scores are linear in W_Q
    sgd_outside, adam_outside, sgd_folded, adam_folded = moved
    return FirstSteps(d_k, sgd_outside, sgd_folded, adam_outside, adam_folded)


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
