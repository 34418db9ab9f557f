"""Claims about gradients."""

import functools
import math

import numpy as np

from ..experiments.ablation import PLAIN, REVERSE_GRIDS, stored_cell
from ..experiments.gradients import measure_positions
from ..experiments.layers import DEAD, LayerStatistics, draw_layer, measure_layers
from ..experiments.metrics import rms
from ..kernels.softmax import softmax_forward
from ..verify.gradcheck import numerical_gradient
from .claims import Findings, always, claim, happens

WIDTHS = (1, 8, 64, 512, 4096)


@functools.cache  # two claims look at the same draws, which take seconds
def accounts(scale: str, seed: int) -> dict[int, LayerStatistics]:
    """d_k -> the measurements of notebook 06: 512 queries, 64 keys, ten draws."""
    rng = np.random.default_rng(seed)
    return {row.d_k: row for row in measure_layers(WIDTHS, [64], [scale], rng=rng)}


@claim(
    "C07", "06_attention_gradient", seed=6, short="gradients explode",
    condition="you mean that all of it together is larger, or that a high learning rate loses the run; with the width "
    "it doesn't run away",
    number="the gradient on Q is {ratio_64:.0f} times as large at d_k = 64, {ratio_512:.0f} times at "
    "512; from there to "
    "4096 it grows only like d_k to the power {power:.2f}",
    instead="Without the scale the gradient on Q is larger, mostly because the factor is missing on the way back as "
    "well, and high learning rates lose the run. It doesn't run away: eight times the width makes it less than twice "
    "as large.",
)  # fmt: skip
def gradients_explode(seed: int) -> Findings:
    """Leave the scale out and gradients explode."""
    plain, scaled = accounts("1", seed), accounts("1/sqrt(d_k)", seed)
    ratio = {d_k: plain[d_k].rms.mean / scaled[d_k].rms.mean for d_k in WIDTHS[1:]}
    power = math.log(plain[4096].rms.mean / plain[512].rms.mean, 8)
    softmax = {d_k: ratio[d_k] / math.sqrt(d_k) for d_k in (64, 4096)}  # without the missing factor of the way back
    lost = [5 * (1 - stored_cell("learning rates", d_k=512, optimiser="SGD", learning_rate=3.0, scale=s).mean("finite"))
            for s in PLAIN]  # fmt: skip
    usual = [x for grid in REVERSE_GRIDS.values() for x in stored_cell(grid, d_k=512, scale="1").values("finite")]
    parts = [
        happens(
            "the gradient on Q is larger in a wide head",
            min(ratio[512], ratio[4096]) > 3,
            f"rms row of dQ: {ratio[64]:.1f} times the scaled one at d_k = 64, {ratio[512]:.1f} times at 512, "
            f"{ratio[4096]:.1f} times at 4096",
        ),
        happens(
            "training can lose its loss",
            lost[0] > lost[1],
            f"reverse, d_k = 512, SGD at ten times the usual rate: lost in {lost[0]:.0f} of 5 runs, with the scale in "
            f"{lost[1]:.0f} (at the usual rates in {len(usual) - sum(usual):.0f} of {len(usual)})",
        ),
        always(
            "it runs away with the width, like √d_k or faster",
            power >= 0.5,
            f"from 512 to 4096 it grows like d_k to the power {power:.2f}",
        ),
        always(
            "softmax's own part grows with d_k",
            softmax[4096] > softmax[64],
            f"that ratio ÷ √d_k, the factor that's missing on the way back: {softmax[64]:.2f} at 64, "
            f"{softmax[4096]:.2f} at 4096",
        ),
    ]
    return parts, {"ratio_64": ratio[64], "ratio_512": ratio[512], "ratio_4096": ratio[4096], "power": power}


@claim(
    "C08", "06_attention_gradient", seed=6, short="gradients vanish",
    condition="the head is wide (512 or more, with 64 keys) and you mean the typical query, not all of them together, "
    "before the first step and with random gradients from above",
    number="d_k = 512: the median row of dQ is {median_512:.3f} ({scaled_512:.3f} with the scale), the rms "
    "{rms_512:.2f} ({scaled_rms_512:.3f})",
    instead="Sparse, not small. In a wide head without the scale a few queries get nearly all of the "
    "gradient. The typical "
    "one keeps less than a third of its own at 512 and next to nothing at 4096. The whole of it is larger.",
)  # fmt: skip
def gradients_vanish(seed: int) -> Findings:
    """Leave the scale out and gradients vanish."""
    plain, scaled = accounts("1", seed), accounts("1/sqrt(d_k)", seed)
    parts = [
        happens(
            "for the typical query at d_k = 4096",
            plain[4096].median.mean < scaled[4096].median.mean / 100,
            f"{plain[4096].dead.mean:.0%} of the rows of dQ are dead there (below {DEAD:.0%} of the rms); at 512 the "
            f"median row is {plain[512].median.mean:.3f}, scaled {scaled[512].median.mean:.3f}",
        ),
        always(
            "at d_k = 64, too",
            plain[64].median.mean < scaled[64].median.mean / 3,
            f"median {plain[64].median.mean:.3f}, scaled {scaled[64].median.mean:.3f}",
        ),
        always(
            "for all queries together, too",
            plain[512].rms.mean < scaled[512].rms.mean / 3,
            f"rms {plain[512].rms.mean:.2f}, scaled {scaled[512].rms.mean:.3f}, at 512",
        ),
    ]
    return parts, {
        **{f"median_{d_k}": plain[d_k].median.mean for d_k in (64, 512, 4096)},
        **{f"scaled_{d_k}": scaled[d_k].median.mean for d_k in (64, 512, 4096)},
        "rms_512": plain[512].rms.mean,
        "scaled_rms_512": scaled[512].rms.mean,
        "dead_4096": plain[4096].dead.mean,
        "top_tenth_512": plain[512].top_tenth.mean,
    }


@claim(
    "C09", "04_softmax_gradient", short="p(1 − p)",
    number="weights 0.5, 0.3, 0.2: it says {diagonal:.2f} where the true slope is {true:.2f}",
    instead="p(1 − p) is the diagonal. The whole derivative is diag(p) − ppᵀ: what one weight wins, the others lose.",
)  # fmt: skip
def derivative_of_softmax(seed: int) -> Findings:
    """The derivative of softmax is p(1 − p)."""
    scores, dweights = np.log([5.0, 3.0, 2.0]), np.array([1.0, 2.0, 4.0])  # the loss is 1 p₁ + 2 p₂ + 4 p₃
    p = softmax_forward(scores)
    slopes = [numerical_gradient(lambda s, i=i: softmax_forward(s)[i], scores)[i] for i in range(3)]
    true = numerical_gradient(lambda s: float(dweights @ softmax_forward(s)), scores)
    diagonal = dweights * p * (1 - p)
    wrong = float(abs(diagonal - true).max())
    parts = [
        happens(
            "for a weight and its own score",
            np.allclose(slopes, p * (1 - p), atol=1e-8),
            f"slopes {', '.join(f'{slope:.2f}' for slope in slopes)}",
        ),
        happens(
            "for the gradient of a loss",
            wrong < 1e-6,
            f"off by up to {wrong:.3f}; {diagonal[0]:.3f} instead of {true[0]:.3f}",
        ),
    ]
    return parts, {"diagonal": float(diagonal[0]), "true": float(true[0])}


@claim(
    "C17", "06_attention_gradient", seed=6, short="few are updated",
    condition="what you count is pairs of a query and a key",
    number="d_k = 512, no scale: {ignored:.1%} of the pairs carry {carried:.2%} of the gradient; {small:.1%} of the "
    "entries of dW_Q are near zero",
    instead="Pairs that are ignored teach nothing. But a key hears from all queries and a parameter from all pairs, so "
    "with many queries everything is updated, on the word of a few.",
)  # fmt: skip
def few_are_updated(seed: int) -> Findings:
    """Sharp attention updates only a few weights, and ignored positions learn nothing."""
    # Sharp: d_k = 512 without the scale, 64 keys.
    pairs = measure_positions(512, 64, "1", rng=np.random.default_rng(seed))
    keys = measure_positions(512, 64, "1", rng=np.random.default_rng(seed), rows=512)
    layer = draw_layer(512, 64, 1.0, rng=np.random.default_rng(seed), rows=64)
    gradient = np.random.default_rng(9).standard_normal((64, 100)).T @ layer.dq  # dW_Q = Xᵀ dQ
    small = float(np.mean(abs(gradient) < 0.01 * rms(gradient)))
    parts = [
        happens(
            "ignored pairs get next to nothing",
            pairs.carried < 0.01 < pairs.ignored,
            f"{pairs.ignored:.1%} of the (query, key) pairs carry {pairs.carried:.2%} of the gradient",
        ),
        always(
            "so do some keys, even with 512 queries",
            keys.lonely > 0.05,
            f"{keys.lonely:.1%} of them ({pairs.lonely:.1%} with 64 queries)",
        ),
        always("so do most parameters", small > 0.5, f"{small:.1%} of the entries of dW_Q are near zero"),
    ]
    return parts, {"ignored": pairs.ignored, "carried": pairs.carried, "small": small}
