"""Claims about softmax."""

import math

import numpy as np

from ..experiments.layers import measure_layers
from ..kernels.scores import dot_scores_forward
from ..kernels.softmax import softmax_forward
from .claims import Findings, claim, describe_gap

ONE_SIDED = 0.95


def softmax_naive(scores: np.ndarray) -> np.ndarray:
    """Softmax without subtracting the maximum, which overflows."""
    exps = np.exp(scores)
    return exps / exps.sum(axis=-1, keepdims=True)


def lost_rows(function, d_k: int, seed: int) -> float:
    """Share of rows, out of 10 × 200 in float32 with 64 keys and no scale, in which `function` gives a nan."""
    rng = np.random.default_rng(seed)
    shares = []
    for _ in range(10):
        q, k = rng.standard_normal((200, d_k)), rng.standard_normal((64, d_k))
        scores, _ = dot_scores_forward(q, k, scale=1)
        with np.errstate(over="ignore", invalid="ignore"):
            shares.append(np.isnan(function(scores.astype(np.float32))).any(axis=-1).mean())
    return float(np.mean(shares))


@claim("C06", "03_softmax", seed=6, short="scale stops overflow")
def scale_stops_overflow(seed: int) -> Findings:
    """The scale is there because exp would overflow without it."""
    naive = {d_k: lost_rows(softmax_naive, d_k, seed) for d_k in (64, 1024, 4096)}
    stable = max(lost_rows(softmax_forward, d_k, seed) for d_k in naive)
    edge32, edge64 = (math.log(np.finfo(dtype).max) for dtype in (np.float32, np.float64))
    parts = {
        "exp overflows without the scale": (
            naive[1024] > 0.01,
            f"float32, past {edge32:.2f}: {naive[1024]:.1%} of the rows lost at d_k = 1024, {naive[4096]:.1%} at "
            f"4096 ({naive[64]:.1%} at 64)",
        ),
        "it takes the scale to prevent it": (stable > 0, f"{stable:.1%} lost with the maximum subtracted, unscaled"),
    }
    return parts, {
        "edge32": edge32,
        "edge64": edge64,
        "naive_1024": naive[1024],
        "naive_4096": naive[4096],
        "stable": stable,
    }


@claim("C10", "03_softmax", short="softmax of 7\u00a0and\u00a03")
def softmax_of_7_and_3(seed: int) -> Findings:
    """softmax of [7, 3] is about [0.98, 0.02], of [25, 2, −3] about [1, 0, 0]."""
    pair, three = softmax_forward(np.array([7.0, 3.0])), softmax_forward(np.array([25.0, 2.0, -3.0]))
    parts = {
        "[7, 3] gives [0.98, 0.02]": (np.array_equal(pair.round(2), [0.98, 0.02]), f"{pair[0]:.4f} and {pair[1]:.4f}"),
        "[25, 2, −3] gives [1, 0, 0]": (
            np.array_equal(three.round(2), [1, 0, 0]),
            f"the losers keep {three[1]:.2e} and {three[2]:.2e}",
        ),
    }
    return parts, {"first": float(pair[0]), "second": float(pair[1]), "loser": float(three[1])}


@claim("C11", "03_softmax", short="a gap of 4 decides")
def gap_of_4_decides(seed: int) -> Findings:
    """A lead of 4 makes softmax nearly one-sided, wherever the scores lie."""
    gap = np.array([4.0, 0.0])
    shifted = np.array([softmax_forward(gap + shift) for shift in (-1000, -97, 103, 1000)])
    moved = float(abs(shifted - softmax_forward(gap)).max())
    top = {n: float(softmax_forward(np.array([4.0] + [0.0] * (n - 1)))[0]) for n in (2, 64, 512)}
    parts = {
        "the offset does not matter": (moved < 1e-12, f"weights {describe_gap(moved)}, shifted by up to 1000"),
        "one-sided between 2 keys": (top[2] > ONE_SIDED, f"top weight {top[2]:.3f}; above {ONE_SIDED} counts"),
        "one-sided among 64 keys": (top[64] > ONE_SIDED, f"top weight {top[64]:.3f}; {top[512]:.3f} among 512"),
    }
    return parts, {**{f"top_{n}": weight for n, weight in top.items()}}


def top_weight(sigma: float, seed: int) -> float:
    """Mean top weight at d_k = 64 with the kernel's own scale, 64 keys, entries N(0, σ²)."""
    rng = np.random.default_rng(seed)
    q, k = (sigma * rng.standard_normal((400, rows, 64)) for rows in (100, 64))
    return float(softmax_forward(dot_scores_forward(q, k)[0]).max(axis=-1).mean())


@claim("C27", "03_softmax", seed=8, short="√d_k settles all")
def root_settles_all(seed: int) -> Findings:
    """After dividing by √d_k nothing else influences how sharp attention is."""
    rng = np.random.default_rng(seed)
    few, *_, many = measure_layers([64], [8, 64, 512, 4096], ["1/sqrt(d_k)"], rng=rng, rows=256, gradients=False)
    one, two = (top_weight(sigma, seed) for sigma in (1, 2))
    parts = {
        "the number of keys plays no part": (
            abs(many.top.mean / few.top.mean - 1) < 0.1,
            f"top weight {few.top.mean:.4f} with 8 keys, {many.top.mean:.4f} with 4096",
        ),
        "the size of the entries plays no part": (
            abs(two / one - 1) < 0.1,
            f"top weight {one:.3f} with σ = 1, {two:.3f} with σ = 2",
        ),
    }
    return parts, {"top_8": few.top.mean, "top_4096": many.top.mean, "sigma_1": one, "sigma_2": two}


CARDS = {
    "softmax([7, 3])?": r"{C10.first:.4f} and {C10.second:.4f}: only the gap of 4 counts, \(1/(1 + e^{-4})\).",
    "Which change of all scores does softmax forget, and which not?": (
        "It forgets a common offset. It does not forget a common factor: that is one over the temperature."
    ),
    "One key leads all others by 4. Its weight among 2, 64 and 512 keys?": (
        "{C11.top_2:.3f}, {C11.top_64:.3f} and {C11.top_512:.3f}. A gap is felt against the number of rivals."
    ),
    "Where does exp overflow, and what is the cure?": (
        "Past {C06.edge32:.2f} in float32, past {C06.edge64:.2f} in float64. Subtract the row's maximum: no weight "
        "changes."
    ),
    "“The scale is there for numerical stability.” Answer?": (
        "Half true. exp does overflow: unscaled in float32 at d_k = 4096 the naive softmax loses {C06.naive_4096:.1%}"
        " of the rows. But subtracting the maximum cures it at any scale: {C06.stable:.1%}. The scale is against "
        "saturation, which the maximum does not touch."
    ),
    "Normal scores of variance ν, n keys, n large: the entropy of the weights?": (
        r"About \(\ln n - \nu/2\) (ν small against \(\ln n\)). With \(\nu = 1\) the weight is spread as if over a "
        r"share \(e^{-1/2}\) of the keys."
    ),
    "With 1/√d_k, what still changes the sharpness of attention?": (
        "The number of keys (top weight {C27.top_8:.4f} with 8, {C27.top_4096:.4f} with 4096) and the size of the "
        "entries (σ = 2 multiplies the variance by 16)."
    ),
}
