"""What if the steps of a walk go along with each other? One correlation for every pair of them. Used in notebook 02.

Each step is a coin, +1 or −1. With probability √ρ it copies a coin that all steps of its walk share, and otherwise it's
thrown for itself. So every step still has variance 1, and any two have covariance √ρ · √ρ = ρ.

Axes: walkers · steps, d_k of them, and the start
"""

import functools
import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..kernels._checks import number, whole_number


class Bend(NamedTuple):
    """d_k steps of variance 1, any two with the same covariance: drawn as sides, and walked."""

    correlation: float
    d_k: int
    sums: np.ndarray  # (d_k + 1,): what the table of the first c steps adds up to, c + c (c − 1) ρ
    corners: np.ndarray  # (d_k + 1, 2): the steps as sides of length 1, end to end, √sums from the start
    positions: np.ndarray  # (walkers, d_k): where each walker is after 1, 2, … steps

    @property
    def variance(self) -> float:
        """What the whole table adds up to: the variance of the score."""
        return float(self.sums[-1])


@functools.lru_cache(maxsize=4)
def draw_coins(d_k: int, walkers: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`(shared, own, luck)`: a coin for each walk, a coin for each step, and what decides which of them counts."""
    rng = np.random.default_rng(seed)
    shared, own = rng.choice([-1, 1], size=(walkers, 1)), rng.choice([-1, 1], size=(walkers, d_k))
    return shared, own, rng.random((walkers, d_k))


def bend(correlation: float = 0.2, d_k: int = 16, *, walkers: int = 200, seed: int = 7) -> Bend:
    """The same coins at one correlation ρ between any two steps.

    Examples
    --------
    >>> [bend(rho).variance for rho in (0.0, 1.0)]
    [16.0, 256.0]
    """
    whole_number("d_k", d_k, least=1)
    if not 0 <= number("correlation", correlation) <= 1:
        raise ValueError(f"correlation: got {correlation}, expected 0 to 1")
    shared, own, luck = draw_coins(d_k, walkers, seed)
    steps = np.where(luck < math.sqrt(correlation), shared, own)
    c = np.arange(d_k + 1)
    sums = c + c * (c - 1) * correlation
    return Bend(correlation, d_k, sums, lay_sides(sums), steps.cumsum(axis=1))


def lay_sides(sums: np.ndarray) -> np.ndarray:
    """Corners of sides of length 1, each turned away from the total so far until the total has length √sums."""
    corners = [np.zeros(2), np.array([1.0, 0.0])]
    for before, after in pairwise(sums[1:]):
        along = corners[-1] / math.sqrt(before)
        cosine = min((after - before - 1) / (2 * math.sqrt(before)), 1.0)  # after = before + 1 + 2 √before cos
        across = math.sqrt(1 - cosine**2) * np.array([-along[1], along[0]])
        corners.append(corners[-1] + cosine * along + across)
    return np.array(corners)
