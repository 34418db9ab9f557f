"""Claims about dot products and their variance."""

import math
from itertools import product

import numpy as np

from ..experiments.estimates import Estimate
from ..experiments.initialisers import INITIALISERS, measure_entries
from ..experiments.similarity import agreement, near, ranges
from ..kernels.scores import dot_scores_forward
from .claims import Findings, claim

WIDTHS = (1, 2, 8, 64, 512)
PAIRS = 20_000
ERRORS = 4  # a measured number agrees with theory if it's within this many standard errors
AGREE = 0.75  # two rankings agree if they have the same winner more often than this


def score_variances(seed: int, scale: float | None) -> dict[int, Estimate]:
    """d_k -> variance of the kernel's scores for independent pairs with N(0, 1) entries."""
    rng = np.random.default_rng(seed)
    found = {}
    for d_k in WIDTHS:
        q, k = rng.standard_normal((PAIRS, 1, d_k)), rng.standard_normal((PAIRS, 1, d_k))
        found[d_k] = Estimate.of_variance(dot_scores_forward(q, k, scale=scale)[0].ravel())
    return found


def coin_variance(d_k: int) -> float:
    """The exact variance over all pairs of vectors with entries −1 and +1."""
    vectors = np.array(list(product((-1.0, 1.0), repeat=d_k)))
    return float(dot_scores_forward(vectors, vectors, scale=1)[0].var())


@claim("C01", "02_variance", seed=2, short="Var(q·k) =\u00a0d_k")
def variance_is_d_k(seed: int) -> Findings:
    """For independent entries with mean 0 and variance 1, q·k has variance d_k."""
    coins = {d_k: coin_variance(d_k) for d_k in (1, 2, 3)}
    found = score_variances(seed, scale=1)
    ratios = [variance.mean / d_k for d_k, variance in found.items()]
    worst = max(abs(variance.z(d_k)) for d_k, variance in found.items())
    parts = {
        "exact for coins": (
            all(math.isclose(variance, d_k) for d_k, variance in coins.items()),
            "variance " + ", ".join(f"{variance:.0f}" for variance in coins.values()) + " at d_k = 1, 2, 3",
        ),
        "so for N(0, 1) entries": (
            worst < ERRORS,
            f"variance ÷ d_k between {min(ratios):.3f} and {max(ratios):.3f} for d_k = 1 to 512, "
            f"at most {worst:.1f} standard errors off",
        ),
    }
    return parts, {"variance_64": found[64].mean, "variance_512": found[512].mean, "coin_3": coins[3]}


@claim("C02", "02_variance", seed=2, short="÷ √d_k gives\u00a01")
def scaled_variance_is_1(seed: int) -> Findings:
    """Divided by √d_k, scores have variance 1 whatever d_k is."""
    found = score_variances(seed, scale=None).values()  # None: the kernel's own default
    lowest, highest = min(found).mean, max(found).mean
    met = max(abs(variance.z(1)) for variance in found) < ERRORS
    evidence = f"between {lowest:.3f} and {highest:.3f} for d_k = 1 to 512"
    return {"variance 1 at every d_k": (met, evidence)}, {"lowest": lowest, "highest": highest}


@claim("C12", "01_dot_products", seed=12, short="ranges −49…122")
def quoted_ranges(seed: int) -> Findings:
    """Dot products run over about −23…23 in 2 dimensions and −49…122 in 5."""
    rng = np.random.default_rng(seed)
    two, five = (ranges(d_k, 10, 10_000, rng=rng, spread=4) for d_k in (2, 5))
    both = near(two, -23, 23) & near(five, -49, 122)
    many_two, many_five = (ranges(d_k, 10_000, 20, rng=rng).std for d_k in (2, 5))
    growth = Estimate.of(many_five / many_two)
    parts = {
        "5 dimensions spread more than 2": (
            growth.mean > 1 + ERRORS * growth.error,
            f"standard deviation {growth.mean:.2f} times as large; √(5/2) = {math.sqrt(5 / 2):.2f}",
        ),
        "the quoted ranges are usual": (
            bool(both.mean() > 0.05),
            f"both came up together in {both.sum()} of {len(both)} draws",
        ),
    }
    return parts, {"both": int(both.sum()), "growth": growth.mean}


@claim("C15", "01_dot_products", seed=15, short="larger = nearer")
def larger_is_nearer(seed: int) -> Findings:
    """The larger the dot product, the more similar the two vectors."""
    rng = np.random.default_rng(seed)
    widths = (2, 4, 8, 16, 32, 64, 128, 256, 512)  # all of them, to get the same draws as notebook 01
    plain = {d_k: agreement(d_k, rng=rng).share.mean for d_k in widths}
    stretched = {d_k: agreement(d_k, rng=rng, stretch=0.5).share.mean for d_k in widths[:6]}
    parts = {
        "the winner is the nearest in direction": (
            plain[64] > AGREE,
            f"same winner for {plain[64]:.2f} of the queries at d_k = 64; above {AGREE} counts",
        ),
        "whatever the keys' lengths": (stretched[64] > AGREE, f"{stretched[64]:.2f} if they differ"),
        "at every width": (plain[2] > AGREE, f"{plain[2]:.2f} at d_k = 2"),
    }
    return parts, {"plain_64": plain[64], "stretched_64": stretched[64], "plain_2": plain[2]}


@claim("C21", "02_variance", seed=2, short="entries start at 1")
def entries_start_at_1(seed: int) -> Findings:
    """Right after initialisation the entries of q and k have variance about 1."""
    rng = np.random.default_rng(seed)
    normed = {name: measure_entries(name, rng=rng).entry.mean for name in INITIALISERS}
    raw = [measure_entries(name, normed=False, rng=rng).entry.mean for name in INITIALISERS]
    unit, low, high = normed["N(0, 1/fan_in)"], min(normed.values()), max(normed.values())
    parts = {
        "N(0, 1/fan_in) after LayerNorm": (abs(unit - 1) < 0.1, f"variance {unit:.2f}"),
        "every usual rule after LayerNorm": (
            all(abs(entry - 1) < 0.1 for entry in normed.values()),
            f"from {low:.2f} to {high:.2f}",
        ),
        "embeddings N(0, 0.02²) without LayerNorm": (
            all(abs(entry - 1) < 0.1 for entry in raw),
            f"never above {math.ceil(max(raw) * 1000) / 1000:.3f}",
        ),
    }
    return parts, {"unit": unit, "low": low, "high": high, "raw": max(raw)}


CARDS = {
    "In one line: why does attention divide by √d_k?": (
        r"Because \(\mathrm{Var}(q \cdot k) = d_k\) for independent entries of mean 0 and variance 1, so about at the "
        r"start of training. Divided by \(\sqrt{d_k}\), scores have variance 1 whatever the width."
    ),
    "What must be true for Var(q·k) = d_k, and what need not?": (
        "Independent q and k, entries of mean 0 and variance 1, uncorrelated coordinates (in one of the two is "
        "enough). Neither Gaussian entries nor the central limit theorem."
    ),
    "The standard deviation of q·k at d_k = 64, and after the division?": r"\(\sqrt{64} = 8\), and 1.",
    "Independent entries of mean 0, standard deviation σ_q in q and σ_k in k: what is Var(q·k)?": (
        r"\(\sigma_q^2 \sigma_k^2\, d_k\). Dividing by \(\sqrt{d_k}\) removes only \(d_k\)."
    ),
    "Gaussian entries and k = q: mean and variance of q·k?": (
        r"Mean \(d_k\), variance \(2 d_k\). Alignment shows in the mean, and that grows like \(d_k\)."
    ),
    "Is the key with the largest dot product the most similar one?": (
        "Not always: a dot product is direction times length. Among 16 random keys of width 64 the winners agree for "
        "{C15.plain_64:.2f} of the queries, for {C15.stretched_64:.2f} if the keys differ in length."
    ),
    "Do the entries of q have variance 1 after initialisation?": (
        "It depends on the rule. After LayerNorm, with d_model = 512: N(0, 1/fan_in) gives 1, PyTorch's nn.Linear "
        "1/3, He 2, a fixed 0.02 about {C21.low:.2f}. The score's variance is the square."
    ),
}
