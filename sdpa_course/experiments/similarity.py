"""What a dot product measures: direction, length, and the number of its terms. Used in notebook 01.

Axes: rows (repeats, or queries) · pairs, or keys · d_k
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..kernels.scores import cosine_scores_forward, dot_scores_forward
from .estimates import Estimate


def pair_scores(d_k: int, pairs: int, *, rng: np.random.Generator, spread=1.0, mean=0.0) -> np.ndarray:
    """q · k for `pairs` independent pairs whose entries are N(mean, spread²)."""
    q, k = mean + spread * rng.standard_normal((2, pairs, d_k))
    return np.einsum("pd,pd->p", q, k)


class Ranges(NamedTuple):
    """Smallest, largest and standard deviation of the scores in each repeat of a draw."""

    low: np.ndarray  # (repeats,)
    high: np.ndarray
    std: np.ndarray

    @property
    def width(self) -> np.ndarray:
        """From the smallest score to the largest."""
        return self.high - self.low


def ranges(d_k: int, pairs: int, repeats: int, *, rng: np.random.Generator, spread=1.0, mean=0.0) -> Ranges:
    """Draw `pairs` scores, `repeats` times over, and keep where each draw begins and ends."""
    rows = max(1, 2_000_000 // (pairs * d_k))  # repeats at a time, so that memory stays small
    parts = []
    for start in range(0, repeats, rows):
        count = min(rows, repeats - start)
        scores = pair_scores(d_k, count * pairs, rng=rng, spread=spread, mean=mean).reshape(count, pairs)
        parts.append((scores.min(axis=-1), scores.max(axis=-1), scores.std(axis=-1)))
    return Ranges(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def near(found: Ranges, low: float, high: float, *, within: float = 0.25) -> np.ndarray:
    """Which draws begin near `low` and end near `high`? (repeats,) of booleans; `within` is relative."""
    return (abs(found.low - low) <= within * abs(low)) & (abs(found.high - high) <= within * abs(high))


QUOTED = {2: (-23, 23), 5: (-49, 122)}  # the ranges that some lecture notes give, by d_k


class OneDraw(NamedTuple):
    """One draw of scores: where it begins and ends, and how it's distributed."""

    d_k: int
    pairs: int
    sigma: float  # of the entries
    low: float
    high: float
    mean: float
    std: float
    quoted: tuple[int, int]
    edges: np.ndarray  # (bins + 1,)
    percent: np.ndarray  # (bins,)


@functools.cache
def cached_draw(d_k: int, pairs: int, draw: int) -> np.ndarray:
    """`pair_scores` of N(0, 1) entries, drawn once for each place of the sliders."""
    return pair_scores(d_k, pairs, rng=np.random.default_rng((d_k, pairs, draw)))


def one_draw(pairs: int = 10, draw: int = 1, d_k: int = 5, sigma: int = 4) -> OneDraw:
    """Draw number `draw`: the scores of `pairs` pairs whose entries are N(0, σ²)."""
    scores = sigma**2 * cached_draw(d_k, pairs, draw)
    edges = np.linspace(-300, 300, 61)
    percent = 100 * np.histogram(scores, edges)[0] / pairs
    low, high, mean, std = (float(value) for value in (scores.min(), scores.max(), scores.mean(), scores.std()))
    return OneDraw(d_k, pairs, sigma, low, high, mean, std, QUOTED[d_k], edges, percent)


class Agreement(NamedTuple):
    """How often the largest dot product is also the most similar direction."""

    d_k: int
    share: Estimate  # of the queries
    length_spread: float  # standard deviation of the keys' lengths ÷ their mean


def agreement(d_k: int, *, rng: np.random.Generator, keys=16, queries=1000, stretch=0.0) -> Agreement:
    """Random queries, each with its own N(0, 1) keys; `stretch` multiplies each key by exp(stretch · N(0, 1))."""
    q, k = rng.standard_normal((queries, 1, d_k)), rng.standard_normal((queries, keys, d_k))
    k *= np.exp(stretch * rng.standard_normal((queries, keys, 1)))
    scores, _ = dot_scores_forward(q, k, scale=1)  # (queries, 1, keys)
    cosines, cache = cosine_scores_forward(q, k)
    share = float((scores.argmax(axis=-1) == cosines.argmax(axis=-1)).mean())
    error, lengths = math.sqrt(share * (1 - share) / queries), cache.k_norm
    return Agreement(d_k, Estimate(share, error, queries), float(lengths.std() / lengths.mean()))
