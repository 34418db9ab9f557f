"""What does the number of heads change? Score variance under two scales, and what one head can't copy. Notebook 08.

Tokens x with independent N(0, σ²) entries, W_Q and W_K with N(0, 1/d_model) entries, all cut into h heads of width
d_k = d_model / h. The weights don't depend on h: the same columns are only cut in other places.

Axes: h heads · T tokens · m kinds of token · w width of a token
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..kernels.multihead import split_heads
from ..kernels.scores import dot_scores_forward, scale_factor
from ..kernels.softmax import softmax_forward
from .estimates import Estimate
from .metrics import Sharpness, relative_entropy, sharpness_of

SCALES = ("1/sqrt(d_k)", "1/sqrt(d_model)")


class HeadScores(NamedTuple):
    """Scores at one number of heads, over several draws of the layer."""

    h: int
    d_k: int
    d_model: int
    scale: str
    variance: Estimate  # of the scores of one head, averaged over heads
    entropy: Estimate  # of the weights, ÷ log T
    top: float  # largest weight of a row


def projections(d_model: int, tokens: int, *, rng, sigma: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Queries and keys of one draw, (T, d_model) each, before they are cut into heads."""
    x = sigma * rng.standard_normal((tokens, d_model))
    w_q, w_k = (rng.standard_normal((d_model, d_model)) / math.sqrt(d_model) for _ in range(2))
    return x @ w_q, x @ w_k


def head_scores(q: np.ndarray, k: np.ndarray, h: int, scale: str) -> np.ndarray:
    """Scores of every head, (h, T, T), for projections (T, d_model)."""
    d_model = q.shape[-1]
    # The kernel's own default where it is meant, so that a mistake in it would show here.
    factor = None if scale == "1/sqrt(d_k)" else scale_factor(scale, d_model // h, d_model)
    return dot_scores_forward(split_heads(q, h), split_heads(k, h), scale=factor)[0]


def predicted_variance(h: int, d_model: int, scale: str, sigma: float = 1.0) -> float:
    """σ⁴ d_k · scale²: 1 with 1/√d_k and 1/h with 1/√d_model, for σ = 1."""
    d_k = d_model // h
    return sigma**4 * d_k * scale_factor(scale, d_k, d_model) ** 2


def measure_heads(
    heads, d_model: int, *, rng, tokens: int = 64, draws: int = 20, sigma: float = 1.0
) -> list[HeadScores]:
    """Both scales at every number of heads, on the same draws."""
    settings = [(h, scale) for scale in SCALES for h in heads]
    found: dict[tuple, list] = {setting: [] for setting in settings}
    for _ in range(draws):
        q, k = projections(d_model, tokens, rng=rng, sigma=sigma)
        for h, scale in settings:
            scores = head_scores(q, k, h, scale)
            found[h, scale].append((scores.var(axis=(-1, -2)), sharpness_of(softmax_forward(scores))))
    return [summarise_heads(h, scale, d_model, found[h, scale]) for h, scale in settings]


def summarise_heads(h: int, scale: str, d_model: int, draws: list[tuple[np.ndarray, Sharpness]]) -> HeadScores:
    """Estimates over the draws: heads of one draw share their tokens, so only the draws are independent."""
    by_head, sharpness = zip(*draws, strict=True)
    variance, entropy = Estimate.of(np.mean(by_head, axis=1)), Estimate.of([each.entropy for each in sharpness])
    top = float(np.mean([each.top for each in sharpness]))
    return HeadScores(h, d_model // h, d_model, scale, variance, entropy, top)


HEADS = (1, 2, 4, 8, 16, 32, 64)


class ScaleByHeads(NamedTuple):
    """One scale at every number of heads, and the scores at the one that was chosen."""

    variances: dict[int, np.ndarray]  # h -> (h,), variance of the scores of each head
    theory: dict[int, float]  # h -> predicted variance
    scores: np.ndarray  # (h, T, T) at the chosen h
    variance: float  # mean over the heads at the chosen h
    entropy: float  # ÷ log T, at the chosen h


class HeadChoice(NamedTuple):
    """The same columns cut into h heads, under both scales."""

    h: int
    d_model: int
    sigma: float  # standard deviation of the tokens' entries
    by_scale: dict[str, ScaleByHeads]


@functools.cache
def unit_scores(d_model: int, tokens: int = 48, seed: int = 8) -> dict[tuple[int, str], tuple[np.ndarray, np.ndarray]]:
    """(h, scale) -> the (h, T, T) scores for σ = 1, all from one draw, and each head's variance (h,)."""
    q, k = projections(d_model, tokens, rng=np.random.default_rng(seed))
    scores = {(h, scale): head_scores(q, k, h, scale) for h in HEADS for scale in SCALES}
    return {key: (each, each.var(axis=(-1, -2))) for key, each in scores.items()}


def choose_heads(h: int = 8, d_model: int = 512, sigma: float = 1.0) -> HeadChoice:
    """Score variance and entropy against the number of heads, with a closer look at one of them."""
    unit, by_scale = unit_scores(d_model), {}
    for scale in SCALES:
        variances = {n: sigma**4 * unit[n, scale][1] for n in HEADS}  # σ² on q and σ² on k
        theory = {n: predicted_variance(n, d_model, scale, sigma) for n in HEADS}
        scores = sigma**2 * unit[h, scale][0]
        entropy = float(relative_entropy(softmax_forward(scores)).mean())
        by_scale[scale] = ScaleByHeads(variances, theory, scores, float(variances[h].mean()), entropy)
    return HeadChoice(h, d_model, sigma, by_scale)


class Mixture(NamedTuple):
    """The best that p · f(left) + (1 − p) · f(right) was found to do for the target (left, right)."""

    error: float  # mean over ordered pairs of the squared distance from the target
    p: np.ndarray  # (m, m), weight on the left token for each pair
    values: np.ndarray  # (m, 2w), f of each kind of token


def ordered_pairs(kinds: np.ndarray) -> np.ndarray:
    """Targets (m, m, 2w): kinds[a] beside kinds[c], for every ordered pair (a, c) of the m rows of `kinds`."""
    m = len(kinds)
    left, right = np.repeat(kinds[:, None], m, axis=1), np.repeat(kinds[None], m, axis=0)
    return np.concatenate([left, right], axis=-1)


def best_values(p: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Least-squares f for weights p (m, m): (m, 2w)."""
    m = len(p)
    first, second = np.repeat(np.eye(m), m, axis=0), np.tile(np.eye(m), (m, 1))  # one row for each pair
    share = p.reshape(-1, 1)
    return np.linalg.lstsq(share * first + (1 - share) * second, target.reshape(m * m, -1), rcond=None)[0]


def best_mixture(kinds: np.ndarray, *, rng, starts: int = 40, rounds: int = 200) -> Mixture:
    """Search p and f for all pairs at once: least squares for f, then the nearest point of each segment for p, in turn.

    Neither step can raise the error. What is found is the best of `starts` local minima: not a proof that there is
    nothing below it.
    """
    kinds = np.asarray(kinds, dtype=np.float64)
    m, target = len(kinds), ordered_pairs(kinds)
    best = Mixture(math.inf, np.zeros((m, m)), np.zeros((m, target.shape[-1])))
    for _ in range(starts):
        p = rng.uniform(size=(m, m))
        for _ in range(rounds):
            values = best_values(p, target)
            way = values[:, None] - values[None]  # (m, m, 2w), from f(right) to f(left)
            length = np.maximum((way**2).sum(axis=-1), 1e-300)
            p = np.clip(((target - values[None]) * way).sum(axis=-1) / length, 0, 1)
        out = p[..., None] * values[:, None] + (1 - p[..., None]) * values[None]
        error = float(((out - target) ** 2).sum(axis=-1).mean())
        if error < best.error:
            best = Mixture(error, p, values)
    return best
