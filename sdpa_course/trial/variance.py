"""Claims about dot products and their variance."""

import math
from itertools import product

import numpy as np

from ..experiments.estimates import Estimate
from ..experiments.initialisers import INITIALISERS, measure_entries
from ..experiments.similarity import agreement, near, ranges
from ..kernels.scores import dot_scores_forward
from .claims import Findings, always, claim, happens

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


@claim(
    "C01", "02_variance", seed=2, short="Var(q·k) = d_k",
    number="variance ÷ d_k from {lowest:.3f} to {highest:.3f}, at d_k = 1 to 512; exactly 1 for coins",
    instead="If q and k are independent and their entries are uncorrelated, with mean 0 and variance 1, then q·k has "
    "variance d_k exactly. Nothing has to be Gaussian.",
)  # fmt: skip
def variance_is_d_k(seed: int) -> Findings:
    """For independent entries with mean 0 and variance 1, q·k has variance d_k."""
    coins = {d_k: coin_variance(d_k) for d_k in (1, 2, 3)}
    found = score_variances(seed, scale=1)
    ratios = [variance.mean / d_k for d_k, variance in found.items()]
    worst = max(abs(variance.z(d_k)) for d_k, variance in found.items())
    parts = [
        happens(
            "exactly, for coins",
            all(math.isclose(variance, d_k) for d_k, variance in coins.items()),
            "variance " + ", ".join(f"{variance:.0f}" for variance in coins.values()) + " at d_k = 1, 2, 3",
        ),
        always(
            "for entries from a bell curve, too",
            worst < ERRORS,
            f"variance ÷ d_k between {min(ratios):.3f} and {max(ratios):.3f} for d_k = 1 to 512, "
            f"at most {worst:.1f} standard errors off",
        ),
    ]
    return parts, {"lowest": min(ratios), "highest": max(ratios)}


@claim(
    "C02", "02_variance", seed=2, short="÷ √d_k makes it 1",
    condition="the entries of q and k are independent, with mean 0 and variance 1",
    number="{lowest:.3f} to {highest:.3f}, at d_k = 1 to 512; with entries twice as large, {twice:.1f}",
    instead="Dividing by √d_k takes the width out of the variance and nothing else. It comes out at 1 if each entry "
    "starts at 1.",
)  # fmt: skip
def scaled_variance_is_1(seed: int) -> Findings:
    """Divided by √d_k, scores have variance 1 whatever d_k is."""
    found = score_variances(seed, scale=None)  # None: the kernel's own default
    lowest, highest = min(found.values()).mean, max(found.values()).mean
    twice = 2**4 * found[64].mean  # entries of σ = 2 in q and in k multiply every score by 4
    parts = [
        happens(
            "variance 1 at every d_k",
            max(abs(variance.z(1)) for variance in found.values()) < ERRORS,
            f"between {lowest:.3f} and {highest:.3f} for d_k = 1 to 512",
        ),
        always("for entries of standard deviation 2, too", abs(twice - 1) < 0.1, f"variance {twice:.1f} at d_k = 64"),
    ]
    return parts, {"lowest": lowest, "highest": highest, "twice": twice}


@claim(
    "C12", "01_dot_products", seed=12, short="ranges −49…122",
    number="of 10,000 tries, {both:.0f} gave both of these ranges",
    instead="A range depends on how many products you look at, and on luck. Quote the standard deviation: it grows "
    "like √d_k.",
)  # fmt: skip
def quoted_ranges(seed: int) -> Findings:
    """Dot products run over about −23…23 in 2 dimensions and −49…122 in 5."""
    rng = np.random.default_rng(seed)
    two, five = (ranges(d_k, 10, 10_000, rng=rng, spread=4) for d_k in (2, 5))
    both = near(two, -23, 23) & near(five, -49, 122)
    many_two, many_five = (ranges(d_k, 10_000, 20, rng=rng).std for d_k in (2, 5))
    growth = Estimate.of(many_five / many_two)
    parts = [
        happens(
            "5 dimensions spread more than 2",
            growth.mean > 1 + ERRORS * growth.error,
            f"standard deviation {growth.mean:.2f} times as large; √(5/2) = {math.sqrt(5 / 2):.2f}",
        ),
        happens(
            "these ranges are usual",
            both.mean() > 0.05,
            f"both came up together in {both.sum()} of {len(both)} draws",
        ),
    ]
    return parts, {"both": both.sum()}


@claim(
    "C15", "01_dot_products", seed=15, short="larger = nearer",
    condition="all keys are about equally long",
    number="of 16 random keys at d_k = 64, the largest product is the nearest in direction for {plain_64:.0%} of the "
    "queries; {stretched_64:.0%} if lengths differ",
    instead="A dot product is direction times length. It ranks by direction if the keys are about equally long.",
)  # fmt: skip
def larger_is_nearer(seed: int) -> Findings:
    """The larger the dot product, the more similar the two vectors."""
    rng = np.random.default_rng(seed)
    widths = (2, 4, 8, 16, 32, 64, 128, 256, 512)  # all of them, to get the same draws as notebook 01
    plain = {d_k: agreement(d_k, rng=rng).share.mean for d_k in widths}
    stretched = {d_k: agreement(d_k, rng=rng, stretch=0.5).share.mean for d_k in widths[:6]}
    parts = [
        happens(
            "the winner is the nearest in direction",
            plain[64] > AGREE,
            f"same winner for {plain[64]:.0%} of the queries at d_k = 64; above {AGREE:.0%} counts",
        ),
        always("whatever the keys' lengths", stretched[64] > AGREE, f"{stretched[64]:.0%} if they differ"),
        always("at every width", plain[2] > AGREE, f"{plain[2]:.0%} at d_k = 2, where lengths differ most"),
    ]
    return parts, {"plain_64": plain[64], "stretched_64": stretched[64]}


@claim(
    "C21", "02_variance", seed=2, short="entries start at 1",
    condition="a LayerNorm comes before, and the weights are drawn with variance 1/fan_in",
    number="variance {unit:.2f} with that rule; {low:.2f} to {high:.2f} over six usual ones",
    instead="Where the entries start depends on the initialiser and on what feeds the layer. Measure it; the variance "
    "of the scores is its square.",
)  # fmt: skip
def entries_start_at_1(seed: int) -> Findings:
    """Right after initialisation the entries of q and k have variance about 1."""
    rng = np.random.default_rng(seed)
    normed = {name: measure_entries(name, rng=rng).entry.mean for name in INITIALISERS}
    raw = [measure_entries(name, normed=False, rng=rng).entry.mean for name in INITIALISERS]
    unit, low, high = normed["N(0, 1/fan_in)"], min(normed.values()), max(normed.values())
    parts = [
        happens("with N(0, 1/fan_in) after LayerNorm", abs(unit - 1) < 0.1, f"variance {unit:.2f}"),
        always(
            "with every usual rule after LayerNorm",
            all(abs(entry - 1) < 0.1 for entry in normed.values()),
            f"from {low:.2f} to {high:.2f}",
        ),
        always(
            "for embeddings N(0, 0.02²) without LayerNorm",
            all(abs(entry - 1) < 0.1 for entry in raw),
            f"never above {math.ceil(max(raw) * 1000) / 1000:.3f}",
        ),
    ]
    return parts, {"unit": unit, "low": low, "high": high}
