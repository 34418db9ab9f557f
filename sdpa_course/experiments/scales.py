"""Ways to set the size of the scores, all measured alike at initialisation. Used in notebook 07.

Q, K, V with independent N(0, σ²), N(0, σ²) and N(0, 1) entries and an upstream gradient dout ~ N(0, 1)/√d_v, as
in `gradients.py`. A rule takes `(q, k, d_model)` and gives the scores and the way back, dscores -> (dq, dk).

Axes: rows (queries) · n keys · d_k, d_v widths
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..kernels.scores import (
    SCALES,
    cosine_scores_backward,
    cosine_scores_forward,
    dot_scores_backward,
    dot_scores_forward,
    scale_factor,
)
from ..kernels.sdpa import attention_backward, attention_forward
from ..kernels.softmax import softmax_backward, softmax_forward
from ..kernels.threads import one_blas_thread
from .gradients import D_V, rms
from .saturation import jacobian_norm, relative_entropy

CAP = 5.0  # the bound b of b · tanh(s / b): low, so that its effect shows at initialisation


class Comparison(NamedTuple):
    """One rule at one d_k: means over the draws, `*_spread` their standard deviation."""

    d_k: int
    n: int
    rule: str
    variance: float  # of the scores
    top: float  # mean largest weight
    entropy: float  # mean entropy ÷ log n
    one_hot: float  # share of rows whose largest weight exceeds 0.99
    jacobian: float  # mean ‖J‖_F of softmax
    rms: float  # root mean square over rows of ‖dQ row‖
    median: float
    variance_spread: float
    top_spread: float
    entropy_spread: float
    one_hot_spread: float
    jacobian_spread: float
    rms_spread: float
    median_spread: float


def dot_rule(name: str):
    """scale · q·k, with a scale of `kernels.scores.SCALES`."""

    def rule(q, k, d_model):
        scores, cache = dot_scores_forward(q, k, scale=scale_factor(name, q.shape[-1], d_model))
        return scores, lambda dscores: dot_scores_backward(dscores, cache)

    return rule


def cosine_rule(factor):
    """factor(d_k) · cos(q, k)."""

    def rule(q, k, d_model):
        scores, cache = cosine_scores_forward(q, k, scale=factor(q.shape[-1]))
        return scores, lambda dscores: cosine_scores_backward(dscores, cache)

    return rule


def capped(inner, cap: float = CAP):
    """b · tanh(s / b) on top of another rule, with b the cap."""

    def rule(q, k, d_model):
        scores, backward = inner(q, k, d_model)
        squashed = np.tanh(scores / cap)
        return cap * squashed, lambda dscores: backward(dscores * (1 - squashed**2))

    return rule


def learned_rule(q, k, d_model):
    """e^a · q·k with the parameter a at its start, −½ log d_k."""
    scores, cache = dot_scores_forward(q, k, scale=math.exp(-0.5 * math.log(q.shape[-1])))
    return scores, lambda dscores: dot_scores_backward(dscores, cache)


RULES = {
    **{name: dot_rule(name) for name in SCALES},
    "cos": cosine_rule(lambda d_k: 1.0),
    "sqrt(d_k) cos": cosine_rule(math.sqrt),
    "1, capped": capped(dot_rule("1")),
    "1/sqrt(d_k), capped": capped(dot_rule("1/sqrt(d_k)")),
    "learned": learned_rule,
}


def compare(
    d_k: int, rules, *, rng, n: int = 64, rows: int = 512, seeds: int = 6, d_model: int = 512, sigma: float = 1.0
) -> list[Comparison]:
    """Measure several rules on the same draws, so that whatever differs is due to the rule.

    Parameters
    ----------
    d_k : int
    rules : sequence of names in RULES
    n, rows, seeds : int
        Keys, queries, and how often everything is drawn afresh.
    d_model : int
        For the scale 1/√d_model.
    sigma : float
        Standard deviation of the entries of Q and K.
    """
    per_seed = {rule: [] for rule in rules}
    for _ in range(seeds):
        q, k = sigma * rng.standard_normal((rows, d_k)), sigma * rng.standard_normal((n, d_k))
        v, dout = rng.standard_normal((n, D_V)), rng.standard_normal((rows, D_V)) / math.sqrt(D_V)
        with one_blas_thread():  # the products are small: threads would mostly wait for each other
            for rule in rules:
                per_seed[rule].append(metrics(*RULES[rule](q, k, d_model), dweights=dout @ v.T))
    return [
        Comparison(d_k, n, rule, *np.mean(draws, axis=0).tolist(), *np.std(draws, axis=0, ddof=1).tolist())
        for rule, draws in per_seed.items()
    ]


def metrics(scores, backward, *, dweights) -> tuple[float, ...]:
    """The seven numbers of `Comparison`, for one draw."""
    weights = softmax_forward(scores)
    top = weights.max(axis=-1)
    dq, _ = backward(softmax_backward(dweights, weights))
    lengths = np.linalg.norm(dq, axis=-1)
    return (
        scores.var(),
        top.mean(),
        relative_entropy(weights).mean(),
        (top > 0.99).mean(),
        jacobian_norm(weights).mean(),
        rms(lengths),
        np.median(lengths),
    )


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
    v, dout = rng.standard_normal((tokens, D_V)), rng.standard_normal((tokens, D_V)) / math.sqrt(D_V)
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
    """At which exponent does d_k stop to matter?"""
    by_width = {d_k: entropy_at_exponent(d_k, exponent, n) for d_k in EXPONENT_WIDTHS}
    return ExponentSweep(n, exponent, by_width, *entropy_curves(n))
