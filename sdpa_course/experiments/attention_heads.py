"""Heads with what `multihead_forward` has no room for: separate inputs for q, k and v, a learned scale, and QK-norm.

Axes: B sequences · T tokens · H heads · d_k, d_v widths of a head
"""

from typing import NamedTuple

import numpy as np

from ..kernels.linear import LinearCache, linear_backward, linear_forward
from ..kernels.multihead import merge_heads, split_heads
from ..kernels.scores import unit_rows, unit_rows_backward
from ..kernels.sdpa import AttentionCache, attention_backward, attention_forward


class HeadsCache(NamedTuple):
    """What `heads_backward` needs."""

    linear: dict[str, LinearCache]  # of q, k, v and the output, under the names of their matrices
    attention: AttentionCache
    norms: tuple[np.ndarray, np.ndarray] | None  # ‖q‖ and ‖k‖, with QK-norm only


def heads_forward(
    inputs: tuple[np.ndarray, ...], matrices: dict[str, np.ndarray], *, heads: int, scale: float, unit_length: bool
) -> tuple[np.ndarray, HeadsCache]:
    """Project the inputs of q, k and v, attend with all heads, merge: three times (B, T, d_model) -> (B, Tq, out).

    `matrices` are those of q, k, v and the output, in this order.
    """
    *projections, (out_name, w_o) = matrices.items()
    linear, split = {}, []
    for x, (name, w) in zip(inputs, projections, strict=True):
        projected, linear[name] = linear_forward(x, w)
        split.append(split_heads(projected, heads))
    q, k, v = split
    norms = None
    if unit_length:
        (q, q_norm), (k, k_norm) = unit_rows(q), unit_rows(k)
        norms = (q_norm, k_norm)
    heads_out, attention = attention_forward(q, k, v, scale=scale)
    out, linear[out_name] = linear_forward(merge_heads(heads_out), w_o)
    return out, HeadsCache(linear, attention, norms)


def heads_backward(
    dout: np.ndarray, cache: HeadsCache, *, needs_dx: bool, needs_scale: bool
) -> tuple[list, dict[str, np.ndarray], np.ndarray]:
    """`(dinputs, gradients, dq)`; the three `dinputs` are None and "log_scale" is left out unless they're needed."""
    attention = cache.attention
    *projections, (out_name, out) = cache.linear.items()
    # out = merged @ w_o
    dmerged, dw_o, _ = linear_backward(dout, out)
    # merged = merge_heads(attention(q, k, v))
    dq, dk, dv = attention_backward(split_heads(dmerged, attention.q.shape[-3]), attention)
    gradients = {out_name: dw_o}
    if needs_scale:  # scores = scale * (q @ k.T): stretching q or the scale is the same, so Σ dscores·scores = Σ dq·q
        gradients["log_scale"] = (dq * attention.q).sum(keepdims=True).reshape(1)
    if cache.norms is not None:  # q = q / ‖q‖
        dq, dk = map(unit_rows_backward, (dq, dk), attention[:2], cache.norms)
    # q, k, v = split_heads(x @ w)
    dinputs = []
    for (name, projection), dx in zip(projections, (dq, dk, dv), strict=True):
        dinput, gradients[name], _ = linear_backward(merge_heads(dx), projection, needs_dx=needs_dx)
        dinputs.append(dinput)
    return dinputs, gradients, dq
