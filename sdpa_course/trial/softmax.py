"""Trials of what is said about softmax: C06, C10, C11, C27."""

import math

import numpy as np

from ..experiments.layers import measure_layers
from ..kernels.scores import dot_scores_forward
from ..kernels.softmax import softmax_forward
from .verdict import Finding, Part, how_equal

ONE_SIDED = 0.95


def softmax_naive(scores: np.ndarray) -> np.ndarray:
    """Without the maximum taken off: overflows."""
    exps = np.exp(scores)
    return exps / exps.sum(axis=-1, keepdims=True)


def lost_rows(function, d_k: int, seed: int, dtype=np.float32) -> float:
    """Share of rows, out of 10 × 200 with 64 keys and no scale, in which `function` gives a nan."""
    rng = np.random.default_rng(seed)
    shares = []
    for _ in range(10):
        q, k = rng.standard_normal((200, d_k)), rng.standard_normal((64, d_k))
        scores, _ = dot_scores_forward(q, k, scale=1)
        with np.errstate(over="ignore", invalid="ignore"):
            shares.append(np.isnan(function(scores.astype(dtype))).any(axis=-1).mean())
    return float(np.mean(shares))


def c06(seed: int) -> Finding:
    """Overflow in float32 without a scale: how often, and does it need the scale to go away?"""
    naive = {d_k: lost_rows(softmax_naive, d_k, seed) for d_k in (64, 1024, 4096)}
    stable = {d_k: lost_rows(softmax_forward, d_k, seed) for d_k in naive}
    edge = math.log(np.finfo(np.float32).max)
    return Finding(
        (
            Part(
                "exp overflows without the scale",
                naive[1024] > 0.01,
                f"float32, past {edge:.2f}: {naive[1024]:.1%} of the rows lost at d_k = 1024, {naive[4096]:.1%} at "
                f"4096 ({naive[64]:.1%} at 64)",
            ),
            Part(
                "it takes the scale to prevent it",
                max(stable.values()) > 0,
                f"{max(stable.values()):.1%} lost with the maximum subtracted, unscaled",
            ),
        ),
        {
            "edge32": edge,
            "edge64": math.log(np.finfo(np.float64).max),
            "naive_1024": naive[1024],
            "naive_4096": naive[4096],
            "stable": max(stable.values()),
        },
    )


def c10(seed: int) -> Finding:
    """The two examples of the tutorials, to two digits."""
    pair, three = softmax_forward(np.array([7.0, 3.0])), softmax_forward(np.array([25.0, 2.0, -3.0]))
    return Finding(
        (
            Part(
                "[7, 3] gives [0.98, 0.02]",
                np.array_equal(pair.round(2), [0.98, 0.02]),
                f"{pair[0]:.4f} and {pair[1]:.4f}",
            ),
            Part(
                "[25, 2, −3] gives [1, 0, 0]",
                np.array_equal(three.round(2), [1, 0, 0]),
                f"the losers keep {three[1]:.2e} and {three[2]:.2e}",
            ),
        ),
        {"first": float(pair[0]), "second": float(pair[1]), "loser": float(three[1])},
    )


def c11(seed: int) -> Finding:
    """A gap of 4: shifted, and among more keys."""
    gap = np.array([4.0, 0.0])
    shifted = np.array([softmax_forward(gap + shift) for shift in (-1000, -97, 103, 1000)])
    moved = float(abs(shifted - softmax_forward(gap)).max())
    top = {n: float(softmax_forward(np.array([4.0] + [0.0] * (n - 1)))[0]) for n in (2, 64, 512)}
    return Finding(
        (
            Part("the offset does not matter", moved < 1e-12, f"weights {how_equal(moved)}, shifted by up to 1000"),
            Part("one-sided between 2 keys", top[2] > ONE_SIDED, f"top weight {top[2]:.3f}; above {ONE_SIDED} counts"),
            Part("one-sided among 64 keys", top[64] > ONE_SIDED, f"top weight {top[64]:.3f}; {top[512]:.3f} among 512"),
        ),
        {f"top_{n}": value for n, value in top.items()},
    )


def c27(seed: int) -> Finding:
    """With the default scale: another number of keys, entries of another size."""
    rng = np.random.default_rng(seed)
    few, *_, many = measure_layers([64], [8, 64, 512, 4096], ["1/sqrt(d_k)"], rng=rng, rows=256, gradients=False)
    tops = {sigma: wide_top(sigma, seed) for sigma in (1, 2)}
    return Finding(
        (
            Part(
                "the number of keys plays no part",
                abs(many.top.mean / few.top.mean - 1) < 0.1,
                f"top weight {few.top.mean:.4f} with 8 keys, {many.top.mean:.4f} with 4096",
            ),
            Part(
                "the size of the entries plays no part",
                abs(tops[2] / tops[1] - 1) < 0.1,
                f"top weight {tops[1]:.3f} with σ = 1, {tops[2]:.3f} with σ = 2",
            ),
        ),
        {"top_8": few.top.mean, "top_4096": many.top.mean, "sigma_1": tops[1], "sigma_2": tops[2]},
    )


def wide_top(sigma: float, seed: int) -> float:
    """Mean top weight at d_k = 64 with the kernel's own scale, 64 keys, entries N(0, σ²)."""
    rng = np.random.default_rng(seed)
    q, k = (sigma * rng.standard_normal((400, rows, 64)) for rows in (100, 64))
    return float(softmax_forward(dot_scores_forward(q, k)[0]).max(axis=-1).mean())
