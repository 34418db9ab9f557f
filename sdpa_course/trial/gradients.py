"""Trials of what is said about gradients: C07, C08, C09, C17."""

import functools
import math

import numpy as np

from ..experiments.gradients import measure_positions
from ..experiments.layers import DEAD, LayerStatistics, draw_layer, measure_layers
from ..experiments.metrics import rms
from ..kernels.softmax import softmax_forward
from ..verify.gradcheck import numerical_gradient
from .verdict import Finding, Part

WIDTHS = (1, 8, 64, 512, 4096)


@functools.cache
def accounts(scale: str, seed: int) -> dict[int, LayerStatistics]:
    """d_k -> the statistics of notebook 06: 512 queries, 64 keys, ten draws."""
    rng = np.random.default_rng(seed)
    return {row.d_k: row for row in measure_layers(WIDTHS, [64], [scale], rng=rng)}


def c07(seed: int) -> Finding:
    """Is the norm larger, does it run away, and is softmax to blame? The missing scale accounts for a factor √d_k."""
    plain, scaled = accounts("1", seed), accounts("1/sqrt(d_k)", seed)
    ratio = {d_k: plain[d_k].rms.mean / scaled[d_k].rms.mean for d_k in WIDTHS[1:]}
    power = math.log(plain[4096].rms.mean / plain[512].rms.mean, 8)
    softmax = {d_k: ratio[d_k] / math.sqrt(d_k) for d_k in (64, 4096)}
    return Finding(
        (
            Part(
                "the norm on Q is larger",
                min(ratio.values()) > 2,
                f"rms row of dQ: {ratio[64]:.1f} times the scaled one at d_k = 64, {ratio[4096]:.1f} times at 4096",
            ),
            Part(
                "it runs away, like √d_k or faster",
                power >= 0.5,
                f"from 512 to 4096 it grows like d_k to the power {power:.2f}",
            ),
            Part(
                "softmax's own part grows with d_k",
                softmax[4096] > softmax[64],
                f"that ratio ÷ √d_k, the factor that is missing on the way back: {softmax[64]:.2f} at 64, "
                f"{softmax[4096]:.2f} at 4096",
            ),
        ),
        {"ratio_64": ratio[64], "ratio_4096": ratio[4096], "power": power, "softmax_4096": softmax[4096]},
    )


def c08(seed: int) -> Finding:
    """The norm, and the typical row."""
    plain, scaled = accounts("1", seed), accounts("1/sqrt(d_k)", seed)
    numbers = {f"median_{d_k}": plain[d_k].median.mean for d_k in (64, 512, 4096)}
    numbers |= {f"scaled_{d_k}": scaled[d_k].median.mean for d_k in (64, 512, 4096)}
    numbers |= {"rms_512": plain[512].rms.mean, "scaled_rms_512": scaled[512].rms.mean}
    numbers |= {"dead_4096": plain[4096].dead.mean, "top_tenth_512": plain[512].top_tenth.mean}
    return Finding(
        (
            Part(
                "the typical row dies at d_k = 4096",
                plain[4096].median.mean < scaled[4096].median.mean / 100,
                f"{plain[4096].dead.mean:.0%} of the rows of dQ are dead there (shorter than {DEAD:g}); at 512 the "
                f"median row is {plain[512].median.mean:.3f}, scaled {scaled[512].median.mean:.3f}",
            ),
            Part(
                "and at d_k = 64",
                plain[64].median.mean < scaled[64].median.mean / 3,
                f"median {plain[64].median.mean:.3f}, scaled {scaled[64].median.mean:.3f}",
            ),
            Part(
                "the norm vanishes",
                plain[512].rms.mean < scaled[512].rms.mean / 3,
                f"rms {plain[512].rms.mean:.2f}, scaled {scaled[512].rms.mean:.3f}, at 512",
            ),
        ),
        numbers,
    )


def c09(seed: int) -> Finding:
    """p(1 − p) against measured slopes: of a weight, and of a loss 1 p₁ + 2 p₂ + 4 p₃."""
    scores, dweights = np.log([5.0, 3.0, 2.0]), np.array([1.0, 2.0, 4.0])
    p = softmax_forward(scores)
    own = [numerical_gradient(lambda s, i=i: softmax_forward(s)[i], scores)[i] for i in range(3)]
    true = numerical_gradient(lambda s: float(dweights @ softmax_forward(s)), scores)
    diagonal = dweights * p * (1 - p)
    wrong = float(abs(diagonal - true).max())
    return Finding(
        (
            Part(
                "for a weight and its own score",
                np.allclose(own, p * (1 - p), atol=1e-8),
                f"slopes {', '.join(f'{slope:.2f}' for slope in own)}",
            ),
            Part(
                "for the gradient of a loss",
                wrong < 1e-6,
                f"off by up to {wrong:.3f}; {diagonal[0]:.3f} instead of {true[0]:.3f}",
            ),
        ),
        {"wrong": wrong, "diagonal": float(diagonal[0]), "true": float(true[0])},
    )


def c17(seed: int) -> Finding:
    """Pairs, keys, parameters: d_k = 512, no scale, 64 keys."""
    pairs = measure_positions(512, 64, "1", rng=np.random.default_rng(seed))
    keys = measure_positions(512, 64, "1", rng=np.random.default_rng(seed), rows=512)
    layer = draw_layer(512, 64, 1.0, rng=np.random.default_rng(seed), rows=64)
    gradient = np.random.default_rng(9).standard_normal((64, 100)).T @ layer.dq  # dW_Q = Xᵀ dQ
    small = float(np.mean(abs(gradient) < 0.01 * rms(gradient)))
    return Finding(
        (
            Part(
                "ignored pairs get next to nothing",
                pairs.carried < 0.01 < pairs.ignored,
                f"{pairs.ignored:.1%} of the (query, key) pairs carry {pairs.carried:.2%} of the gradient",
            ),
            Part(
                "some keys get nothing, even with 512 queries",
                keys.lonely > 0.05,
                f"{keys.lonely:.1%} of them ({pairs.lonely:.1%} with 64 queries)",
            ),
            Part("few parameters are updated", small > 0.5, f"{small:.1%} of the entries of dW_Q are near zero"),
        ),
        {"ignored": pairs.ignored, "carried": pairs.carried, "lonely": pairs.lonely, "small": small},
    )
