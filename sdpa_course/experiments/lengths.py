"""What a wider head and a longer text do to a matching key's score and weight. Used in notebook 10.

Axes: rows (queries) · n keys · d_k width
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..kernels.sdpa import attention_forward

TRAINED = 64  # the length that every rule below takes for granted
LENGTHS = (64, 256, 1024, 4096, 16384)
# What the scores are multiplied by at length n, each rule being 1 at n = TRAINED but for Llama 4's, which starts there.
LENGTH_RULES = {
    "as trained": lambda n: 1.0,
    "root of log n": lambda n: math.sqrt(math.log(n) / math.log(TRAINED)),
    "Llama 4": lambda n: 1 + 0.1 * math.log(1 + n // TRAINED),
    "log n": lambda n: math.log(n) / math.log(TRAINED),
    "YaRN": lambda n: (1 + 0.1 * math.log(n / TRAINED)) ** 2,  # on q and on k, so squared on a score
}


class ByWidth(NamedTuple):
    """Dot products of many pairs at one width, root mean square."""

    d_k: int
    unrelated: float
    aligned: float


def products_by_width(widths, *, rng: np.random.Generator, rho: float = 0.5, pairs: int = 4000) -> list[ByWidth]:
    """k is drawn on its own, or as ρ q + √(1 − ρ²) noise; narrow vectors are the first columns of wide ones."""
    q, noise = rng.standard_normal((2, pairs, max(widths)))
    found = []
    for d_k in widths:
        unrelated = (q[:, :d_k] * noise[:, :d_k]).sum(axis=1)
        aligned = rho * (q[:, :d_k] ** 2).sum(axis=1) + math.sqrt(1 - rho**2) * unrelated
        found.append(ByWidth(d_k, *(float(np.sqrt((x**2).mean())) for x in (unrelated, aligned))))
    return found


@functools.cache
def match_weight(n: int, rule: str, rho: float = 0.9, d_k: int = 64, rows: int = 64, seed: int = 10) -> float:
    """Mean weight of a key that follows its query with correlation ρ, among n − 1 that have nothing to do with it."""
    rng = np.random.default_rng(seed)
    q = rng.standard_normal((rows, d_k))
    match = rho * q + math.sqrt(1 - rho**2) * rng.standard_normal((rows, d_k))
    others = rng.standard_normal((max(LENGTHS), d_k))[: n - 1]
    # Every query sees its own match and all of the others, but nobody else's match.
    mask = np.hstack([np.eye(rows, dtype=bool), np.ones((rows, n - 1), dtype=bool)])
    values = np.zeros((rows + n - 1, 1))
    values[:rows] = 1  # the output is then the weight of the match
    scale = LENGTH_RULES[rule](n) / math.sqrt(d_k)
    weights, _ = attention_forward(q, np.vstack([match, others]), values, scale=scale, mask=mask)
    return float(np.mean(weights))
