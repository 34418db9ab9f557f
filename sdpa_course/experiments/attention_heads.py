"""Heads with what `multihead_forward` has no room for: separate inputs for q, k and v, and QK-norm.

Axes: B sequences · T tokens · H heads · d_k, d_v widths of a head
"""

from typing import NamedTuple

import numpy as np

from ..kernels.linear import LinearCache, linear_backward, linear_forward
from ..kernels.multihead import MultiHeadCache, merge_heads, split_heads
from ..kernels.params import MultiHeadParams
from ..kernels.scores import unit_rows, unit_rows_backward
from ..kernels.sdpa import AttentionCache, attention_backward, attention_forward


class HeadsCache(NamedTuple):
    """What `heads_backward` needs."""

    projections: tuple[LinearCache, ...]  # of q, k, v
    attention: AttentionCache
    norms: tuple[np.ndarray, np.ndarray] | None  # ‖q‖ and ‖k‖, with QK-norm only
    out: LinearCache


def heads_forward(
    inputs: tuple[np.ndarray, ...], params: MultiHeadParams, *, scale: float, unit_length: bool
) -> tuple[np.ndarray, HeadsCache]:
    """Project the inputs of q, k and v, attend with all heads, merge: three times (B, T, d_model) -> (B, Tq, out)."""
    pairs = [linear_forward(x, w) for x, w in zip(inputs, params[:3], strict=True)]
    q, k, v = (split_heads(projected, params.heads) for projected, _ in pairs)
    norms = None
    if unit_length:
        (q, q_norm), (k, k_norm) = unit_rows(q), unit_rows(k)
        norms = (q_norm, k_norm)
    heads_out, attention = attention_forward(q, k, v, scale=scale)
    out, out_cache = linear_forward(merge_heads(heads_out), params.w_o)
    return out, HeadsCache(tuple(cache for _, cache in pairs), attention, norms, out_cache)


def heads_backward(
    dout: np.ndarray, cache: HeadsCache, *, needs_dx: bool = True, needs_scale: bool = True
) -> tuple[list, dict[str, np.ndarray]]:
    """`(dinputs, gradients)`; the three `dinputs` are None and "log_scale" is left out unless they're needed."""
    projections, attention, norms, out = cache
    # out = merged @ w_o
    dmerged, dw_o, _ = linear_backward(dout, out)
    # merged = merge_heads(attention(q, k, v))
    dq, dk, dv = attention_backward(split_heads(dmerged, attention.q.shape[-3]), attention)
    gradients = {"w_o": dw_o}
    if needs_scale:  # scores = scale * (q @ k.T): stretching q or the scale is the same, so Σ dscores·scores = Σ dq·q
        gradients["log_scale"] = (dq * attention.q).sum(keepdims=True).reshape(1)
    if norms is not None:  # q = q / ‖q‖
        dq, dk = (unit_rows_backward(d, x, norm) for d, x, norm in zip((dq, dk), attention[:2], norms, strict=True))
    # q, k, v = split_heads(x @ w)
    dinputs = []
    for name, projection, dx in zip(("w_q", "w_k", "w_v"), projections, (dq, dk, dv), strict=True):
        dinput, gradients[name], _ = linear_backward(merge_heads(dx), projection, needs_dx=needs_dx)
        dinputs.append(dinput)
    return dinputs, gradients


def query_gradients(dout: np.ndarray, cache: MultiHeadCache | HeadsCache) -> np.ndarray:
    """dq (B, H, Tq, d_k) of one layer, from the gradient of its heads' output."""
    dmerged, *_ = linear_backward(dout, cache.out)
    dq, *_ = attention_backward(split_heads(dmerged, cache.attention.q.shape[-3]), cache.attention)
    if isinstance(cache, HeadsCache) and cache.norms is not None:
        dq = unit_rows_backward(dq, cache.attention.q, cache.norms[0])
    return dq
