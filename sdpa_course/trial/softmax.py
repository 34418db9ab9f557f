"""Claims about softmax."""

import math

import numpy as np

from ..experiments.layers import measure_layers
from ..experiments.saturation import lost_rows
from ..kernels.scores import dot_scores_forward
from ..kernels.softmax import softmax_forward
from .claims import Findings, always, claim, describe_gap, happens, reason

ONE_SIDED = 0.95


def softmax_naive(scores: np.ndarray) -> np.ndarray:
    """Softmax without subtracting the maximum, which overflows."""
    exps = np.exp(scores)
    return exps / exps.sum(axis=-1, keepdims=True)


def as_bfloat16(x: np.ndarray) -> np.ndarray:
    """Round to the nearest number that bfloat16 has: the upper half of a float32."""
    bits = np.asarray(x, dtype=np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32).astype(float)


def moved_by_rounding(scale: float, seed: int) -> float:
    """How far rounding the scores to bfloat16 moves the weight that it moves most; d_k = 64, 64 keys, mean of rows."""
    rng = np.random.default_rng(seed)
    q, k = (rng.standard_normal((rows, 64)) for rows in (2000, 64))
    scores = dot_scores_forward(q, k, scale=scale)[0]
    moved = softmax_forward(as_bfloat16(scores)) - softmax_forward(scores)
    return float(abs(moved).max(axis=-1).mean())


@claim(
    "C06", "03_softmax", seed=6, short="scale stops overflow",
    number="float32, d_k = 4096, no scale: {naive_4096:.1%} of the rows are lost; with the maximum subtracted, "
    "{stable:.1%}",
    instead="Subtracting the maximum stops exp from overflowing, at any scale. The scale is against saturation, which "
    "the maximum doesn't touch. Small scores do round better: in bfloat16 at d_k = 64, unscaled ones move the weights "
    "about {rounding:.0f} times as far.",
)  # fmt: skip
def scale_stops_overflow(seed: int) -> Findings:
    """The scale is there because exp would overflow without it."""
    naive = {d_k: lost_rows(softmax_naive, d_k, seed=seed) for d_k in (64, 1024, 4096)}
    stable = max(lost_rows(softmax_forward, d_k, seed=seed) for d_k in naive)
    edge32, edge64 = (math.log(np.finfo(dtype).max) for dtype in (np.float32, np.float64))
    plain, scaled = (moved_by_rounding(scale, seed) for scale in (1, 1 / 8))
    parts = [
        happens(
            "exp overflows without the scale",
            naive[1024] > 0.01,
            f"float32, past {edge32:.2f}: {naive[1024]:.1%} of the rows lost at d_k = 1024, {naive[4096]:.1%} at "
            f"4096 ({naive[64]:.1%} at 64)",
        ),
        reason(
            "in a softmax that subtracts its maximum, too",
            stable > 0,
            f"{stable:.1%} lost, unscaled (what's left is rounding: in bfloat16 at d_k = 64, a weight moves by "
            f"{plain:.4f} without the scale and {scaled:.4f} with it)",
        ),
    ]
    numbers = {"edge32": edge32, "edge64": edge64, "naive_4096": naive[4096], "stable": stable}
    return parts, numbers | {"rounding": round(plain / scaled, -1)}


@claim(
    "C10", "03_softmax", short="softmax of 7 and 3",
    number="{first:.4f} and {second:.4f}; the losers beside 25 keep less than 1e-9",
    instead="softmax([7, 3]) is 0.98 and 0.02 because the gap is 4. Add 1000 to both, and it's the same.",
)  # fmt: skip
def softmax_of_7_and_3(seed: int) -> Findings:
    """softmax of [7, 3] is about [0.98, 0.02], of [25, 2, −3] about [1, 0, 0]."""
    pair, three = softmax_forward(np.array([7.0, 3.0])), softmax_forward(np.array([25.0, 2.0, -3.0]))
    parts = [
        happens(
            "[7, 3] gives [0.98, 0.02]",
            np.array_equal(pair.round(2), [0.98, 0.02]),
            f"{pair[0]:.4f} and {pair[1]:.4f}",
        ),
        happens(
            "[25, 2, −3] gives [1, 0, 0]",
            np.array_equal(three.round(2), [1, 0, 0]),
            f"the losers keep {three[1]:.2e} and {three[2]:.2e}",
        ),
    ]
    return parts, {"first": float(pair[0]), "second": float(pair[1])}


@claim(
    "C11", "03_softmax", short="a lead of 4 decides",
    condition="there are one or two rivals",
    number="top weight {top_2:.3f} with 2 keys, {top_3:.3f} with 3, {top_64:.3f} with 64, {top_512:.3f} with 512",
    instead="A lead of 4 means e⁴ = 55 times the weight of each rival. Against one that's nearly everything, against "
    "63 "
    "it's less than half.",
)  # fmt: skip
def gap_of_4_decides(seed: int) -> Findings:
    """A lead of 4 makes softmax nearly one-sided, wherever the scores lie."""
    gap = np.array([4.0, 0.0])
    shifted = np.array([softmax_forward(gap + shift) for shift in (-1000, -97, 103, 1000)])
    moved = float(abs(shifted - softmax_forward(gap)).max())
    top = {n: float(softmax_forward(np.array([4.0] + [0.0] * (n - 1)))[0]) for n in (2, 3, 64, 512)}
    parts = [
        happens("one-sided between 2 keys", top[2] > ONE_SIDED, f"top weight {top[2]:.3f}; above {ONE_SIDED} counts"),
        always("wherever the scores lie", moved < 1e-12, f"weights {describe_gap(moved)}, shifted by up to 1000"),
        always("among 3 keys", top[3] > ONE_SIDED, f"top weight {top[3]:.3f}"),
        always("among 64 keys", top[64] > ONE_SIDED, f"top weight {top[64]:.3f}; {top[512]:.3f} among 512"),
    ]
    return parts, {f"top_{n}": weight for n, weight in top.items()}


def top_weight(sigma: float, seed: int) -> float:
    """Mean top weight at d_k = 64 with the kernel's own scale, 64 keys, entries N(0, σ²)."""
    rng = np.random.default_rng(seed)
    q, k = (sigma * rng.standard_normal((400, rows, 64)) for rows in (100, 64))
    return float(softmax_forward(dot_scores_forward(q, k)[0]).max(axis=-1).mean())


@claim(
    "C27", "03_softmax", seed=8, short="√d_k settles all",
    number="top weight {top_8:.4f} with 8 keys, {top_4096:.4f} with 4096",
    instead="The root makes sharpness independent of d_k. The number of keys and the size of the entries still set it.",
)  # fmt: skip
def root_settles_all(seed: int) -> Findings:
    """After dividing by √d_k nothing else influences how sharp attention is."""
    rng = np.random.default_rng(seed)
    few, *_, many = measure_layers([64], [8, 64, 512, 4096], ["1/sqrt(d_k)"], rng=rng, rows=256, gradients=False)
    one, two = (top_weight(sigma, seed) for sigma in (1, 2))
    parts = [
        happens(
            "the number of keys plays no part",
            abs(many.top.mean / few.top.mean - 1) < 0.1,
            f"top weight {few.top.mean:.4f} with 8 keys, {many.top.mean:.4f} with 4096",
        ),
        happens(
            "the size of the entries plays no part",
            abs(two / one - 1) < 0.1,
            f"top weight {one:.3f} with σ = 1, {two:.3f} with σ = 2",
        ),
    ]
    return parts, {"top_8": few.top.mean, "top_4096": many.top.mean}
