"""One head that scores with additive attention instead of dot products. Notebook 09 trains it beside the others.

    s_ij = w_aᵀ tanh(W_Qᵀ x_i + W_Kᵀ x_j)

Axes: B sequences · T tokens · d_k is the width inside tanh
"""

from typing import NamedTuple

import numpy as np

from ..kernels.linear import LinearCache, linear_backward, linear_forward
from ..kernels.scores import AdditiveCache, additive_scores_backward, additive_scores_forward
from ..kernels.sdpa import AttentionCache
from ..kernels.softmax import softmax_backward, softmax_forward


class AdditiveHeadCache(NamedTuple):
    """What `additive_head_backward` needs."""

    scores: AdditiveCache
    value: LinearCache
    attention: AttentionCache  # with an axis for the one head
    out: LinearCache


def additive_head_forward(
    inputs: tuple[np.ndarray, ...], w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray, w_a: np.ndarray, w_o: np.ndarray
) -> tuple[np.ndarray, AdditiveHeadCache]:
    """Score additively, attend, project: the inputs of q, k and v (B, T, d_model) -> (B, Tq, out)."""
    x_q, x_k, x_v = inputs
    scores, scores_cache = additive_scores_forward(x_q, x_k, w_q, w_k, w_a)
    weights = softmax_forward(scores)
    v, value = linear_forward(x_v, w_v)
    out, out_cache = linear_forward(weights @ v, w_o)
    q, k, v, weights = (each[:, None] for each in (x_q @ w_q, x_k @ w_k, v, weights))
    attention = AttentionCache(q, k, v, weights, None, None, 1.0, 1, weights.dtype)
    return out, AdditiveHeadCache(scores_cache, value, attention, out_cache)


def additive_head_backward(dout: np.ndarray, cache: AdditiveHeadCache) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """`(gradients, dx_q)`: those of the five matrices by name, and the one on the input of the queries."""
    weights, v = cache.attention.weights[:, 0], cache.attention.v[:, 0]
    # out = (weights @ v) @ w_o
    dheads, dw_u, _ = linear_backward(dout, cache.out)
    dweights, dv = dheads @ v.swapaxes(-1, -2), weights.swapaxes(-1, -2) @ dheads
    # v = x_v @ w_v
    _, dw_v, _ = linear_backward(dv, cache.value, needs_dx=False)
    # weights = softmax(scores)
    dx_q, _, dw_q, dw_k, dw_a = additive_scores_backward(softmax_backward(dweights, weights), cache.scores)
    return {"w_q": dw_q, "w_k": dw_k, "w_v": dw_v, "w_a": dw_a, "w_u": dw_u}, dx_q
