"""What storing scores in bfloat16 does to the weights. Used in notebook 07.

Axes: rows (queries) · n keys
"""

import math
from typing import NamedTuple

import numpy as np

from ..kernels.scores import dot_scores_forward, scale_factor
from ..kernels.softmax import softmax_forward
from .estimates import Estimate


def to_bfloat16(x) -> np.ndarray:
    """The nearest bfloat16 numbers, kept in float32: the upper 16 bits, ties to the even one.

    Examples
    --------
    >>> to_bfloat16([2.6, 128.6, 65504]).tolist()
    [2.59375, 129.0, 65536.0]
    """
    bits = np.asarray(x, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def ticks(low: float, high: float) -> list[float]:
    """All numbers of bfloat16 from low to high, both above 0; it has 7 bits after the leading one."""
    found, value = [], low
    while value <= high:
        found.append(value)
        value += 2.0 ** (math.floor(math.log2(value)) - 7)
    return found


class Rounding(NamedTuple):
    """How rounded scores change the weights."""

    moved: Estimate  # share of a row's weight that ends up with another key
    worst: float  # the largest change of a single weight


def round_scores(
    d_k: int, scale: str, *, rng: np.random.Generator, n: int = 64, rows: int = 512, seeds: int = 8
) -> Rounding:
    """Round the scores of random queries and keys to bfloat16, and compare the weights."""
    moved, worst = [], 0.0
    for _ in range(seeds):
        q, k = rng.standard_normal((rows, d_k)), rng.standard_normal((n, d_k))
        scores, _ = dot_scores_forward(q, k, scale=scale_factor(scale, d_k))
        change = np.abs(softmax_forward(to_bfloat16(scores).astype(float)) - softmax_forward(scores))
        moved.append(change.sum(axis=1).mean() / 2)
        worst = max(worst, float(change.max()))
    return Rounding(Estimate.of(moved), worst)
