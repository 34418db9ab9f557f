"""A random attention layer at initialisation: how sharp are its weights, how much gradient reaches Q and K?

Q and K have independent N(0, σ²) entries, V has N(0, 1) entries, and the upstream gradient is dout ~ N(0, 1)/√d_v,
so that an entry of dweights = dout Vᵀ has variance 1 whatever d_v is. Used in notebooks 03 to 07.

A scoring rule takes `(q, k, d_model)` and returns the scores and the way back, dscores -> (dq, dk).

Axes: rows (queries) · n keys · d_k, d_v widths
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..kernels.scores import (
    SCALES,
    cosine_scores_backward,
    cosine_scores_forward,
    dot_scores_backward,
    dot_scores_forward,
    scale_factor,
)
from ..kernels.sdpa import attention_backward, attention_forward
from ..kernels.softmax import softmax_backward, softmax_forward
from ..kernels.threads import one_blas_thread
from .estimates import Estimate
from .metrics import jacobian_norm, relative_entropy, rms, row_norms, top_share

D_V = 64
DEAD = 0.01  # a row of dQ is dead if it's shorter than this part of its own layer's root mean square
CAP = 5.0  # the bound b of b · tanh(s / b): low, so that its effect shows at initialisation


class LayerStatistics(NamedTuple):
    """One scoring rule at one d_k and number of keys, over several draws of the layer."""

    d_k: int
    n: int
    scale: str  # a name in SCORING_RULES
    variance: Estimate  # of the scores
    top: Estimate  # mean largest weight
    entropy: Estimate  # mean entropy ÷ log n: 1 is uniform, 0 is one-hot
    one_hot: Estimate  # share of rows whose largest weight exceeds 0.99
    jacobian: Estimate  # mean over rows of ‖J‖_F, the softmax Jacobian
    rms: Estimate | None = None  # root mean square over rows of ‖dQ row‖; None if only the forward pass was run
    median: Estimate | None = None  # the typical row of dQ
    top_tenth: Estimate | None = None  # share of Σ‖dQ row‖² that a tenth of the rows carries
    dead: Estimate | None = None  # share of rows with ‖dQ row‖ < DEAD · rms
    rms_dk: Estimate | None = None  # the same as rms, for the rows of K
    median_dk: Estimate | None = None

    @property
    def effective_keys(self) -> float:
        """e^H, averaged in the logarithm, so a geometric mean."""
        return self.n**self.entropy.mean


def scoring_rule(factor, *, cosine: bool = False, cap: float | None = None):
    """Dot products, or cosines, times factor(d_k, d_model); with a cap b, b · tanh(s / b) of that."""
    forward, backward = dot_scores_forward, dot_scores_backward
    if cosine:
        forward, backward = cosine_scores_forward, cosine_scores_backward

    def rule(q, k, d_model):
        scores, cache = forward(q, k, scale=factor(q.shape[-1], d_model))
        if cap is None:
            return scores, lambda dscores: backward(dscores, cache)
        squashed = np.tanh(scores / cap)
        return cap * squashed, lambda dscores: backward(dscores * (1 - squashed**2), cache)

    return rule


FACTORS = {name: functools.partial(scale_factor, name) for name in SCALES}
SCORING_RULES = {
    **{name: scoring_rule(factor) for name, factor in FACTORS.items()},
    "cos": scoring_rule(lambda d_k, d_model: 1.0, cosine=True),
    "sqrt(d_k) cos": scoring_rule(lambda d_k, d_model: math.sqrt(d_k), cosine=True),
    **{f"{name}, capped": scoring_rule(FACTORS[name], cap=CAP) for name in ("1", "1/sqrt(d_k)")},
    "learned": scoring_rule(lambda d_k, d_model: math.exp(-0.5 * math.log(d_k))),  # e^a, a at its start, −½ log d_k
}


def compare_rules(
    d_k: int,
    rules,
    *,
    rng: np.random.Generator,
    n: int = 64,
    rows: int = 512,
    seeds: int = 6,
    d_model: int = 512,
    sigma: float = 1.0,
    gradients: bool = True,
) -> list[LayerStatistics]:
    """Measure several of the SCORING_RULES on the same draws, so that any difference is due to the rule.

    Everything is drawn afresh `seeds` times: `rows` queries and `n` keys, with entries of standard deviation `sigma`.
    `d_model` is for the scale 1/√d_model; without `gradients`, only the forward pass is run.
    """
    draws: dict[str, list] = {rule: [] for rule in rules}
    for _ in range(seeds):
        q, k = sigma * rng.standard_normal((rows, d_k)), sigma * rng.standard_normal((n, d_k))
        dweights = None
        if gradients:
            v, dout = draw_values(rows, n, D_V, rng=rng)
            dweights = dout @ v.T
        with one_blas_thread():  # the products are small: threads would mostly wait for each other
            for rule in rules:
                draws[rule].append(statistics(*SCORING_RULES[rule](q, k, d_model), dweights))
    return [
        LayerStatistics(d_k, n, rule, **{name: Estimate.of([draw[name] for draw in found]) for name in found[0]})
        for rule, found in draws.items()
    ]


def measure_layer(d_k: int, n: int, scale: str, *, rng, seeds: int = 10, **keywords) -> LayerStatistics:
    """Measure one rule; the keywords are those of `compare_rules`."""
    return compare_rules(d_k, [scale], rng=rng, n=n, seeds=seeds, **keywords)[0]


def measure_layers(widths, keys, scales, *, rng, **keywords) -> list[LayerStatistics]:
    """`measure_layer` for every combination of d_k, number of keys and scale."""
    return [measure_layer(d_k, n, scale, rng=rng, **keywords) for scale in scales for n in keys for d_k in widths]


def statistics(scores: np.ndarray, backward, dweights: np.ndarray | None) -> dict[str, float]:
    """The numbers of `LayerStatistics` for one draw."""
    weights = softmax_forward(scores)
    top = weights.max(axis=-1)
    found = {
        "variance": scores.var(),
        "top": top.mean(),
        "entropy": relative_entropy(weights).mean(),
        "one_hot": (top > 0.99).mean(),
        "jacobian": jacobian_norm(weights).mean(),
    }
    if dweights is None:
        return found
    dq, dk = map(row_norms, backward(softmax_backward(dweights, weights)))
    return found | row_statistics(dq) | {"rms_dk": rms(dk), "median_dk": np.median(dk)}


def row_statistics(lengths: np.ndarray) -> dict[str, float]:
    """The numbers of `LayerStatistics` about the rows of dQ, from their lengths."""
    size = rms(lengths)
    return {
        "rms": size,
        "median": float(np.median(lengths)),
        "top_tenth": top_share(lengths),
        "dead": float((lengths < DEAD * size).mean()),
    }


class RandomLayer(NamedTuple):
    """One random layer after a forward and a backward pass."""

    k: np.ndarray  # (n, d_k)
    weights: np.ndarray  # (rows, n)
    dweights: np.ndarray  # (rows, n)
    dscores: np.ndarray  # (rows, n), before the scale
    dq: np.ndarray  # (rows, d_k)
    dk: np.ndarray  # (n, d_k)
    dv: np.ndarray  # (n, d_v)


def draw_layer(d_k: int, n: int, factor: float, *, rng, rows: int = 512, d_v: int = D_V) -> RandomLayer:
    """One random layer, forward and backward, with `factor` as its scale."""
    q, k = rng.standard_normal((rows, d_k)), rng.standard_normal((n, d_k))
    return run_layer(q, k, *draw_values(rows, n, d_v, rng=rng), factor)


def run_layer(q, k, v, dout, factor: float) -> RandomLayer:
    """A layer forward and backward, with `factor` as its scale."""
    _, cache = attention_forward(q, k, v, scale=factor)
    dweights = dout @ v.T
    dscores = softmax_backward(dweights, cache.weights)
    return RandomLayer(k, cache.weights, dweights, dscores, *attention_backward(dout, cache))


def draw_values(rows: int, n: int, d_v: int, *, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Values and an upstream gradient: `(v, dout)`."""
    return rng.standard_normal((n, d_v)), rng.standard_normal((rows, d_v)) / math.sqrt(d_v)
