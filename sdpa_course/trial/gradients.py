"""Claims about gradients."""

import functools
import math

import numpy as np

from ..experiments.gradients import measure_positions
from ..experiments.layers import DEAD, LayerStatistics, draw_layer, measure_layers
from ..experiments.metrics import rms
from ..kernels.softmax import softmax_forward
from ..verify.gradcheck import numerical_gradient
from .claims import Findings, claim

WIDTHS = (1, 8, 64, 512, 4096)


@functools.cache  # two claims look at the same draws, which take seconds
def accounts(scale: str, seed: int) -> dict[int, LayerStatistics]:
    """d_k -> the measurements of notebook 06: 512 queries, 64 keys, ten draws."""
    rng = np.random.default_rng(seed)
    return {row.d_k: row for row in measure_layers(WIDTHS, [64], [scale], rng=rng)}


@claim("C07", "06_attention_gradient", seed=6, short="gradients explode")
def gradients_explode(seed: int) -> Findings:
    """Leave the scale out and gradients explode."""
    plain, scaled = accounts("1", seed), accounts("1/sqrt(d_k)", seed)
    ratio = {d_k: plain[d_k].rms.mean / scaled[d_k].rms.mean for d_k in WIDTHS[1:]}
    power = math.log(plain[4096].rms.mean / plain[512].rms.mean, 8)
    softmax = {d_k: ratio[d_k] / math.sqrt(d_k) for d_k in (64, 4096)}  # without the missing factor of the way back
    parts = {
        "the norm on Q is larger": (
            min(ratio.values()) > 2,
            f"rms row of dQ: {ratio[64]:.1f} times the scaled one at d_k = 64, {ratio[4096]:.1f} times at 4096",
        ),
        "it runs away, like √d_k or faster": (
            power >= 0.5,
            f"from 512 to 4096 it grows like d_k to the power {power:.2f}",
        ),
        "softmax's own part grows with d_k": (
            softmax[4096] > softmax[64],
            f"that ratio ÷ √d_k, the factor that is missing on the way back: {softmax[64]:.2f} at 64, "
            f"{softmax[4096]:.2f} at 4096",
        ),
    }
    return parts, {"ratio_64": ratio[64], "ratio_4096": ratio[4096], "power": power, "softmax_4096": softmax[4096]}


@claim("C08", "06_attention_gradient", seed=6, short="gradients vanish")
def gradients_vanish(seed: int) -> Findings:
    """Leave the scale out and gradients vanish."""
    plain, scaled = accounts("1", seed), accounts("1/sqrt(d_k)", seed)
    parts = {
        "the typical row dies at d_k = 4096": (
            plain[4096].median.mean < scaled[4096].median.mean / 100,
            f"{plain[4096].dead.mean:.0%} of the rows of dQ are dead there (shorter than {DEAD:g}); at 512 the median "
            f"row is {plain[512].median.mean:.3f}, scaled {scaled[512].median.mean:.3f}",
        ),
        "and at d_k = 64": (
            plain[64].median.mean < scaled[64].median.mean / 3,
            f"median {plain[64].median.mean:.3f}, scaled {scaled[64].median.mean:.3f}",
        ),
        "the norm vanishes": (
            plain[512].rms.mean < scaled[512].rms.mean / 3,
            f"rms {plain[512].rms.mean:.2f}, scaled {scaled[512].rms.mean:.3f}, at 512",
        ),
    }
    return parts, {
        **{f"median_{d_k}": plain[d_k].median.mean for d_k in (64, 512, 4096)},
        **{f"scaled_{d_k}": scaled[d_k].median.mean for d_k in (64, 512, 4096)},
        "rms_512": plain[512].rms.mean,
        "scaled_rms_512": scaled[512].rms.mean,
        "dead_4096": plain[4096].dead.mean,
        "top_tenth_512": plain[512].top_tenth.mean,
    }


@claim("C09", "04_softmax_gradient", short="p(1 − p)")
def derivative_of_softmax(seed: int) -> Findings:
    """The derivative of softmax is p(1 − p)."""
    scores, dweights = np.log([5.0, 3.0, 2.0]), np.array([1.0, 2.0, 4.0])  # the loss is 1 p₁ + 2 p₂ + 4 p₃
    p = softmax_forward(scores)
    slopes = [numerical_gradient(lambda s, i=i: softmax_forward(s)[i], scores)[i] for i in range(3)]
    true = numerical_gradient(lambda s: float(dweights @ softmax_forward(s)), scores)
    diagonal = dweights * p * (1 - p)
    wrong = float(abs(diagonal - true).max())
    parts = {
        "for a weight and its own score": (
            np.allclose(slopes, p * (1 - p), atol=1e-8),
            f"slopes {', '.join(f'{slope:.2f}' for slope in slopes)}",
        ),
        "for the gradient of a loss": (
            wrong < 1e-6,
            f"off by up to {wrong:.3f}; {diagonal[0]:.3f} instead of {true[0]:.3f}",
        ),
    }
    return parts, {"wrong": wrong, "diagonal": float(diagonal[0]), "true": float(true[0])}


@claim("C17", "06_attention_gradient", seed=6, short="few are updated")
def few_are_updated(seed: int) -> Findings:
    """Sharp attention updates only a few weights, and ignored positions learn nothing."""
    # Sharp: d_k = 512 without the scale, 64 keys.
    pairs = measure_positions(512, 64, "1", rng=np.random.default_rng(seed))
    keys = measure_positions(512, 64, "1", rng=np.random.default_rng(seed), rows=512)
    layer = draw_layer(512, 64, 1.0, rng=np.random.default_rng(seed), rows=64)
    gradient = np.random.default_rng(9).standard_normal((64, 100)).T @ layer.dq  # dW_Q = Xᵀ dQ
    small = float(np.mean(abs(gradient) < 0.01 * rms(gradient)))
    parts = {
        "ignored pairs get next to nothing": (
            pairs.carried < 0.01 < pairs.ignored,
            f"{pairs.ignored:.1%} of the (query, key) pairs carry {pairs.carried:.2%} of the gradient",
        ),
        "some keys get nothing, even with 512 queries": (
            keys.lonely > 0.05,
            f"{keys.lonely:.1%} of them ({pairs.lonely:.1%} with 64 queries)",
        ),
        "few parameters are updated": (small > 0.5, f"{small:.1%} of the entries of dW_Q are near zero"),
    }
    return parts, {"ignored": pairs.ignored, "carried": pairs.carried, "lonely": pairs.lonely, "small": small}


CARDS = {
    "The Jacobian of softmax?": (
        r"\(\mathrm{diag}(p) - p\,p^\top\). Rows and columns sum to 0; \(p_i(1 - p_i)\) is its diagonal."
    ),
    "The backward pass of softmax, without a matrix?": r"\(ds_j = p_j\,(dp_j - \sum_i p_i\,dp_i)\).",
    "How large can the softmax Jacobian be?": (
        r"\(\|J\|_F \le \tfrac12\), reached by two weights of one half. Softmax never makes a gradient longer."
    ),
    "Use p(1 − p) as the gradient of a loss: what can go wrong?": (
        "Even the sign. For weights 0.5, 0.3, 0.2 and the loss 1, 2, 4 per unit of weight it gives {C09.diagonal:.3f}"
        " where the true slope is {C09.true:.3f}."
    ),
    "About how long is a row of dQ, as a product of three factors?": (
        r"\(\text{scale} \cdot \sqrt{d_k} \cdot \|J\|_F\), for independent keys and values with entries of variance 1 "
        "and a gradient of variance 1 on each weight. The scale multiplies on the way back as well."
    ),
    "Do gradients explode without the scale?": (
        "Half true. The rms row of dQ is {C07.ratio_64:.1f} times the scaled one at d_k = 64 and {C07.ratio_4096:.1f}"
        r" times at 4096, mostly because the factor \(1/\sqrt{d_k}\) is missing on the way back. For wide heads it "
        r"grows like the fourth root of \(d_k\): no explosion."
    ),
    "Do gradients vanish without the scale?": (
        "Half true. Not the norm. The median row of dQ: at d_k = 64 it is {C08.median_64:.3f} (scaled "
        "{C08.scaled_64:.3f}), at 512 it is {C08.median_512:.3f} (scaled {C08.scaled_512:.3f}); at 4096, "
        "{C08.dead_4096:.0%} of the rows are dead (shorter than 0.002)."
    ),
    "Three words for the unscaled gradient at large d_k?": "Sparse, not small.",
}
