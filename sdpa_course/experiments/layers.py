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
from .estimates import Estimate, estimate_each
from .metrics import jacobian_norm, relative_entropy, rms, row_norms, top_share

D_V = 64
DEAD = 0.002  # a row of dQ shorter than this: about a hundredth of a scaled row's length, at every d_k
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
    dead: Estimate | None = None  # share of rows with ‖dQ row‖ < DEAD
    rms_dk: Estimate | None = None  # the same as rms, for the rows of K
    median_dk: Estimate | None = None


def scoring_rule(forward, backward, factor):
    """A rule from a pair of kernels: scores times factor(d_k, d_model)."""

    def rule(q, k, d_model):
        scores, cache = forward(q, k, scale=factor(q.shape[-1], d_model))
        return scores, lambda dscores: backward(dscores, cache)

    return rule


dot_rule = functools.partial(scoring_rule, dot_scores_forward, dot_scores_backward)
cosine_rule = functools.partial(scoring_rule, cosine_scores_forward, cosine_scores_backward)


def capped(inner, cap: float = CAP):
    """b · tanh(s / b) on top of another rule, with b the cap."""

    def rule(q, k, d_model):
        scores, backward = inner(q, k, d_model)
        squashed = np.tanh(scores / cap)
        return cap * squashed, lambda dscores: backward(dscores * (1 - squashed**2))

    return rule


SCALE_RULES = {name: dot_rule(functools.partial(scale_factor, name)) for name in SCALES}
SCORING_RULES = {
    **SCALE_RULES,
    "cos": cosine_rule(lambda d_k, d_model: 1.0),
    "sqrt(d_k) cos": cosine_rule(lambda d_k, d_model: math.sqrt(d_k)),
    "1, capped": capped(SCALE_RULES["1"]),
    "1/sqrt(d_k), capped": capped(SCALE_RULES["1/sqrt(d_k)"]),
    "learned": dot_rule(lambda d_k, d_model: math.exp(-0.5 * math.log(d_k))),  # e^a with a at its start, −½ log d_k
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
    """Measure several rules on the same draws, so that any difference is due to the rule.

    Parameters
    ----------
    d_k : int
    rules : sequence of names in SCORING_RULES
    n, rows, seeds : int
        Keys, queries, and how often everything is drawn afresh.
    d_model : int
        For the scale 1/√d_model.
    sigma : float
        Standard deviation of the entries of Q and K.
    gradients : bool
        Whether to run the backward pass as well.
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
    return [LayerStatistics(d_k, n, rule, **estimate_each(found)) for rule, found in draws.items()]


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
    return found | {
        "rms": rms(dq),
        "median": np.median(dq),
        "top_tenth": top_share(dq),
        "dead": (dq < DEAD).mean(),
        "rms_dk": rms(dk),
        "median_dk": np.median(dk),
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
    v, dout = draw_values(rows, n, d_v, rng=rng)
    _, cache = attention_forward(q, k, v, scale=factor)
    dweights = dout @ v.T
    dscores = softmax_backward(dweights, cache.weights)
    return RandomLayer(k, cache.weights, dweights, dscores, *attention_backward(dout, cache))


def draw_values(rows: int, n: int, d_v: int, *, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Values and an upstream gradient: `(v, dout)`."""
    return rng.standard_normal((n, d_v)), rng.standard_normal((rows, d_v)) / math.sqrt(d_v)
