"""How is q·k distributed? Histograms over normal curves. Used in appendix A3."""

import functools
import math
from typing import NamedTuple

import numpy as np

from .variance import Assumptions, ScoreMoments, draw_noise, queries_and_keys, score_moments


class ScoreDistribution(NamedTuple):
    """Histogram of q·k ÷ √d_k beside two normal curves, and the moments of q·k itself."""

    measured: ScoreMoments  # of q·k
    mean: float  # predicted, of q·k ÷ √d_k
    std: float
    edges: np.ndarray  # (bins + 1,)
    density: np.ndarray  # (bins,)
    x: np.ndarray  # where the curves are evaluated, from end to end
    standard: np.ndarray  # N(0, 1) at x
    predicted: np.ndarray | None  # N(mean, std²) at x; None if it's N(0, 1) or a single value


@functools.lru_cache(maxsize=8)
def cached_noise(d_k: int, distribution: str, samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """`draw_noise`, drawn once: a slider then moves the scores and not the dice."""
    return draw_noise(Assumptions(d_k, distribution=distribution), samples, rng=np.random.default_rng(seed))


def score_distribution(
    d_k: int = 16,
    mean: float = 0.0,
    sigma_q: float = 1.0,
    correlation: float = 0.5,
    distribution: str = "normal",
    *,
    samples: int = 3000,
    seed: int = 0,
) -> ScoreDistribution:
    """How q·k ÷ √d_k is distributed if assumptions break; `mean` is that of the entries of q and of k."""
    assumptions = Assumptions(d_k, mean, mean, sigma_q, correlation=correlation, distribution=distribution)
    q, k = queries_and_keys(assumptions, *cached_noise(d_k, distribution, samples, seed))
    scores, root = np.einsum("sd,sd->s", q, k), math.sqrt(d_k)
    measured = score_moments(assumptions, scores)
    centre, std = measured.predicted_mean / root, math.sqrt(measured.predicted_variance) / root
    edges = histogram_edges(assumptions, centre, std)
    counts, _ = np.histogram(scores / root, edges)
    reach = abs(centre) + 3 * std
    end = next((limit for limit in (6, 12, 24, 48, 96) if reach <= limit), round(1.2 * reach))  # grows in steps
    x = np.linspace(-end, end, 1201)
    standard = abs(centre) < 1e-9 and abs(std - 1) < 1e-9
    curve = None if standard or std == 0 else normal_density(x, centre, std)
    return ScoreDistribution(
        measured, centre, std, edges, counts / (samples * np.diff(edges)), x, normal_density(x, 0, 1), curve
    )


def normal_density(x, mean: float, std: float) -> np.ndarray:
    """Density of N(mean, std²)."""
    return np.exp(-0.5 * ((x - mean) / std) ** 2) / (std * math.sqrt(2 * math.pi))


def histogram_edges(assumptions: Assumptions, centre: float, std: float, bins: int = 49) -> np.ndarray:
    """Edges of bins over six standard deviations either side; an odd number, so the mean lies inside a bin.

    With ±1 entries, q·k takes values a fixed step apart. Every bin must hold equally many of them, else the histogram
    looks like a comb; if they are few, each gets a narrow bin of its own.
    """
    width = 12 * std / bins if std else 0.25
    start = centre - bins / 2 * width
    step = 2 * assumptions.sigma_q * math.sqrt(1 - assumptions.correlation**2) / math.sqrt(assumptions.d_k)
    if assumptions.distribution == "±1" and step > 0:
        few = step > 4 * width
        width = step / (2 * round(step / width / 2) + 1) if few else step * max(1, round(width / step))
        lowest = centre - assumptions.d_k * step / 2 - min(width, step) / 2
        start = lowest + width * math.floor((centre - bins / 2 * width - lowest) / width)
    return start + width * np.arange(bins + 2)
