"""How large are the entries of q and k at initialisation? The usual initialisers, measured. Used in appendix A3.

q = x W_Q and k = y W_K for tokens x and y that are layer-normed, or embeddings N(0, 0.02²) as they are.
An entry of q is a sum of d_model products, so its variance is d_model · E[x²] · Var(W).

Axes: T tokens · d_model width of a token · H heads of width d_k
"""

import math
from typing import NamedTuple

import numpy as np

from ..kernels._checks import pick
from ..kernels.layernorm import layer_norm_forward
from ..kernels.multihead import split_heads
from ..kernels.scores import dot_scores_forward
from .estimates import Estimate

EMBEDDING_STD = 0.02

# Each rule as (shape of the distribution, its standard deviation or its limit as a function of the fans).
INITIALISERS = {
    "N(0, 1/fan_in)": ("normal", lambda fan_in, fan_out: 1 / math.sqrt(fan_in)),
    "Xavier normal": ("normal", lambda fan_in, fan_out: math.sqrt(2 / (fan_in + fan_out))),
    "Xavier uniform": ("uniform", lambda fan_in, fan_out: math.sqrt(6 / (fan_in + fan_out))),
    "He normal": ("normal", lambda fan_in, fan_out: math.sqrt(2 / fan_in)),
    "nn.Linear": ("uniform", lambda fan_in, fan_out: 1 / math.sqrt(fan_in)),
    "N(0, 0.02²)": ("normal", lambda fan_in, fan_out: 0.02),
}


class EntryVariances(NamedTuple):
    """Variance of an entry of q, and of a score q·k/√d_k."""

    initialiser: str
    fan_out: int
    entry: Estimate
    predicted_entry: float
    score: Estimate
    predicted_score: float


def weight_variance(name: str, fan_in: int, fan_out: int) -> float:
    """Variance of one weight; a uniform distribution on ±limit has limit²/3.

    Examples
    --------
    >>> round(weight_variance("Xavier normal", 512, 512) * 512, 6)
    1.0
    """
    kind, spread = pick("name", name, INITIALISERS)
    return spread(fan_in, fan_out) ** 2 / (3 if kind == "uniform" else 1)


def draw_weights(name: str, shape: tuple[int, int], fan_out: int | None = None, *, rng) -> np.ndarray:
    """A (fan_in, out) matrix; `fan_out` is `out` unless the layer initialises a wider or narrower matrix at once."""
    kind, spread = pick("name", name, INITIALISERS)
    size = spread(shape[0], shape[1] if fan_out is None else fan_out)
    return size * (rng.uniform(-1, 1, shape) if kind == "uniform" else rng.standard_normal(shape))


def measure_entries(
    name: str, *, rng, fan_out: int = 512, normed: bool = True, d_model=512, d_k=64, heads=4, tokens=32, seeds=6
) -> EntryVariances:
    """Draw tokens and W_Q, W_K `seeds` times; measure the entries of q and the scores under the default scale.

    `fan_out` is what the rule is given: d_model for one matrix over all heads, d_k for a matrix per head,
    3 d_model where W_Q, W_K and W_V are initialised as one.
    """
    per_seed = []
    for _ in range(seeds):
        x, y = EMBEDDING_STD * rng.standard_normal((2, tokens, d_model))
        if normed:
            x, y = (layer_norm_forward(tokens, epsilon=0)[0] for tokens in (x, y))
        w_q, w_k = (draw_weights(name, (d_model, heads * d_k), fan_out, rng=rng) for _ in range(2))
        q, k = split_heads(x @ w_q, heads), split_heads(y @ w_k, heads)  # (H, T, d_k)
        scores, _ = dot_scores_forward(q, k)  # (H, T, T)
        per_seed.append((q.var(), scores.var()))
    entry, score = map(Estimate.of, np.transpose(per_seed))
    expected = d_model * weight_variance(name, d_model, fan_out) * (1 if normed else EMBEDDING_STD**2)
    return EntryVariances(name, fan_out, entry, expected, score, expected**2)
