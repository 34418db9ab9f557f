"""Trials of what is said about dot products and their variance: C01, C02, C12, C15, C21."""

import functools
import math
from itertools import product
from typing import NamedTuple

import numpy as np

from ..experiments.initialisers import INITIALISERS, measure_entries
from ..experiments.similarity import agreement, near, ranges
from ..kernels.scores import dot_scores_forward
from .verdict import Finding, Part

WIDTHS = (1, 2, 8, 64, 512)
PAIRS = 20_000
ERRORS = 4  # a measured number agrees with theory if it is within so many standard errors
AGREE = 0.75  # share of equal winners from which on two rankings agree


class Spread(NamedTuple):
    """Variance of independent scores, with its standard error."""

    variance: float
    error: float

    def off(self, theory: float) -> float:
        """How many standard errors lie between it and theory."""
        gap = abs(self.variance - theory)
        return gap / self.error if self.error else math.inf if gap else 0.0


@functools.cache
def spreads(seed: int) -> dict[int, tuple[Spread, Spread]]:
    """d_k -> scores of independent pairs with N(0, 1) entries: as they are, and with the kernel's own scale."""
    rng = np.random.default_rng(seed)
    found = {}
    for d_k in WIDTHS:
        q, k = rng.standard_normal((PAIRS, 1, d_k)), rng.standard_normal((PAIRS, 1, d_k))
        found[d_k] = tuple(spread(dot_scores_forward(q, k, scale=scale)[0].ravel()) for scale in (1, None))
    return found


def spread(scores: np.ndarray) -> Spread:
    """Variance and its standard error, from the fourth moment."""
    variance = scores.var(ddof=1)
    fourth = ((scores - scores.mean()) ** 4).mean()
    return Spread(float(variance), math.sqrt(max(fourth - variance**2, 0) / len(scores)))


def coin_variance(d_k: int) -> float:
    """Variance over every pair of vectors with entries −1 and +1: exact."""
    vectors = np.array(list(product((-1.0, 1.0), repeat=d_k)))
    return float(dot_scores_forward(vectors, vectors, scale=1)[0].var())


def c01(seed: int) -> Finding:
    """Listed for coins, simulated for N(0, 1) entries."""
    coins = {d_k: coin_variance(d_k) for d_k in (1, 2, 3)}
    found = {d_k: plain for d_k, (plain, _) in spreads(seed).items()}
    ratio = {d_k: x.variance / d_k for d_k, x in found.items()}
    worst = max(x.off(d_k) for d_k, x in found.items())
    return Finding(
        (
            Part(
                "exact for coins",
                all(math.isclose(variance, d_k) for d_k, variance in coins.items()),
                "variance " + ", ".join(f"{variance:.0f}" for variance in coins.values()) + " at d_k = 1, 2, 3",
            ),
            Part(
                "so for N(0, 1) entries",
                worst < ERRORS,
                f"variance ÷ d_k between {min(ratio.values()):.3f} and {max(ratio.values()):.3f} for d_k = 1 to 512, "
                f"at most {worst:.1f} standard errors off",
            ),
        ),
        {"variance_64": found[64].variance, "variance_512": found[512].variance, "coin_3": coins[3]},
    )


def c02(seed: int) -> Finding:
    """The kernel's own scale, at every width."""
    found = [scaled for _, scaled in spreads(seed).values()]
    values = [x.variance for x in found]
    says, good = "variance 1 at every d_k", max(x.off(1) for x in found) < ERRORS
    evidence = f"between {min(values):.3f} and {max(values):.3f} for d_k = 1 to 512"
    return Finding((Part(says, good, evidence),), {"lowest": min(values), "highest": max(values)})


def c12(seed: int) -> Finding:
    """Does the spread grow, and are the quoted ranges usual? Ten pairs of spread 4, drawn 10 000 times."""
    rng = np.random.default_rng(seed)
    two, five = (ranges(d_k, 10, 10_000, rng=rng, spread=4) for d_k in (2, 5))
    both = near(two, -23, 23) & near(five, -49, 122)
    share = float(both.mean())
    many_two, many_five = (ranges(d_k, 10_000, 20, rng=rng).std for d_k in (2, 5))
    ratios = many_five / many_two
    growth, error = float(ratios.mean()), float(ratios.std(ddof=1)) / math.sqrt(len(ratios))
    return Finding(
        (
            Part(
                "5 dimensions spread more than 2",
                growth > 1 + ERRORS * error,
                f"standard deviation {growth:.2f} times as large; √(5/2) = {math.sqrt(5 / 2):.2f}",
            ),
            Part(
                "the quoted ranges are usual",
                share > 0.05,
                f"both came up together in {both.sum()} of {len(both)} draws",
            ),
        ),
        {"both": int(both.sum()), "growth": growth},
    )


def c15(seed: int) -> Finding:
    """How often the largest dot product is also the nearest direction, among 16 keys."""
    rng = np.random.default_rng(seed)
    widths = (2, 4, 8, 16, 32, 64, 128, 256, 512)  # all of them: the draws are those of notebook 01
    plain = {d_k: agreement(d_k, rng=rng) for d_k in widths}
    stretched = {d_k: agreement(d_k, rng=rng, stretch=0.5) for d_k in widths[:6]}
    return Finding(
        (
            Part(
                "the winner is the nearest in direction",
                plain[64].share.mean > AGREE,
                f"same winner for {plain[64].share.mean:.2f} of the queries at d_k = 64; above {AGREE} counts",
            ),
            Part(
                "whatever the keys' lengths",
                stretched[64].share.mean > AGREE,
                f"{stretched[64].share.mean:.2f} if they differ",
            ),
            Part("at every width", plain[2].share.mean > AGREE, f"{plain[2].share.mean:.2f} at d_k = 2"),
        ),
        {"plain_64": plain[64].share.mean, "stretched_64": stretched[64].share.mean, "plain_2": plain[2].share.mean},
    )


def c21(seed: int) -> Finding:
    """The usual initialisers, after LayerNorm and on raw embeddings."""
    rng = np.random.default_rng(seed)
    normed = {name: measure_entries(name, rng=rng).entry.mean for name in INITIALISERS}
    raw = {name: measure_entries(name, normed=False, rng=rng).entry.mean for name in INITIALISERS}
    unit = normed["N(0, 1/fan_in)"]
    low, high = min(normed.values()), max(normed.values())
    return Finding(
        (
            Part("N(0, 1/fan_in) after LayerNorm", abs(unit - 1) < 0.1, f"variance {unit:.2f}"),
            Part(
                "every usual rule after LayerNorm",
                all(abs(entry - 1) < 0.1 for entry in normed.values()),
                f"from {low:.2f} to {high:.2f}",
            ),
            Part(
                "embeddings N(0, 0.02²) without LayerNorm",
                all(abs(entry - 1) < 0.1 for entry in raw.values()),
                f"never above {math.ceil(max(raw.values()) * 1000) / 1000:.3f}",
            ),
        ),
        {"unit": unit, "low": low, "high": high, "raw": max(raw.values())},
    )
