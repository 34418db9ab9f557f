"""Multi-head attention: split, attend, merge. Taught in notebook 08.

    q = x W_q + b_q     k = c W_k + b_k     v = c W_v + b_v      c is x itself, or a context
    each head attends in its own d_k columns of q and k
    out = merge(heads) W_o + b_o

Grouped-query heads: `kv_heads` < `heads`; multi-query: `kv_heads` = 1.

Axes: Tq tokens of x · Tk tokens of the context · H heads · Hk key/value heads · Dk, Dv head widths
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._checks import check_cache, float_array, float_arrays, to_dtype, whole_number
from .linear import LinearCache, linear_backward, linear_forward
from .params import MultiHeadParams, check_params
from .sdpa import AttentionCache, attention_backward, attention_forward


class MultiHeadCache(NamedTuple):
    """What the backward pass has to remember of the forward pass."""

    q: LinearCache  # of the projection to the queries; its input is x
    k: LinearCache  # of the projection to the keys; its input is x, or the context
    v: LinearCache
    attention: AttentionCache
    out: LinearCache  # its input is the merged heads
    self_attention: bool  # x is its own context
    params: MultiHeadParams
    dtype: np.dtype  # of the gradients

    @property
    def merged(self) -> np.ndarray:
        """The heads side by side, before W_o: (..., Tq, H·Dv)."""
        return self.out.x


def split_heads(x: ArrayLike, heads: int) -> np.ndarray:
    """Cut the last axis into heads: (..., T, H·D) -> (..., H, T, D).

    Examples
    --------
    >>> split_heads(np.zeros((3, 512)), 8).shape
    (8, 3, 64)
    """
    x = float_array("x", x, min_ndim=2)
    heads = whole_number("heads", heads, least=1)
    if x.shape[-1] % heads:
        raise ValueError(f"heads: got {heads}, expected a number that divides the width {x.shape[-1]}")
    return x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads).swapaxes(-2, -3)


def merge_heads(x: ArrayLike) -> np.ndarray:
    """Put the heads side by side again: (..., H, T, D) -> (..., T, H·D).

    Examples
    --------
    >>> merge_heads(np.zeros((8, 3, 64))).shape
    (3, 512)
    """
    x = float_array("x", x, min_ndim=3).swapaxes(-2, -3)  # (..., T, H, D)
    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])


def multihead_forward(
    x: ArrayLike, params: MultiHeadParams, *, context: ArrayLike | None = None, **keywords: Any
) -> tuple[np.ndarray, MultiHeadCache]:
    """Let every token of `x` attend with several heads.

    Parameters
    ----------
    x : (..., Tq, d_model) array of floats
    params : MultiHeadParams
    context : (..., Tk, d_context) array of floats, optional
        Where keys and values come from; `x` itself (self-attention) unless given.
    **keywords
        mask, causal, scale, softcap, window, offset: those of `attention_forward`, and a mask
        broadcasts to (..., H, Tq, Tk).

    Returns
    -------
    out : (..., Tq, d_model) array
    cache : MultiHeadCache
        For `multihead_backward`; `cache.attention.weights` has every head's weights.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> out, cache = multihead_forward(rng.standard_normal((3, 512)), init_multihead(512, 8, rng=rng))
    >>> out.shape, cache.attention.weights.shape
    ((3, 512), (8, 3, 3))
    """
    (q, k, v), projections, params, dtype = project(x, params, context)
    heads_out, attention_cache = attention_forward(q, k, v, **keywords)  # (..., H, Tq, Dv)
    out, out_cache = linear_forward(merge_heads(heads_out), params.w_o, params.b_o)  # (..., Tq, d_model)
    cache = MultiHeadCache(*projections, attention_cache, out_cache, context is None, params, dtype)
    return out.astype(dtype, copy=False), cache


def multihead_backward(dout: ArrayLike, cache: MultiHeadCache) -> tuple[np.ndarray, np.ndarray | None, MultiHeadParams]:
    """Send the gradient of the output back to the inputs and the parameters.

    Parameters
    ----------
    dout : (..., Tq, d_model) array of floats
    cache : MultiHeadCache

    Returns
    -------
    dx : (..., Tq, d_model) array
    dcontext : (..., Tk, d_context) array, or None for self-attention
    dparams : MultiHeadParams
        The gradient of each parameter under its own name, None where a bias was None.
    """
    check_cache(cache, MultiHeadCache, "multihead_forward")
    q, k, v, attention_cache, out, self_attention, params, dtype = cache
    # out = merged @ w_o + b_o
    dmerged, dw_o, db_o = linear_backward(dout, out)
    # merged = merge_heads(attention(q, k, v))
    dq, dk, dv = attention_backward(split_heads(dmerged, params.heads), attention_cache)
    # q, k, v = split_heads(x @ w + b)
    dx, dw_q, db_q = linear_backward(merge_heads(dq), q)
    dcontext_k, dw_k, db_k = linear_backward(merge_heads(dk), k)
    dcontext_v, dw_v, db_v = linear_backward(merge_heads(dv), v)
    dcontext = dcontext_k + dcontext_v
    if self_attention:
        dx, dcontext = dx + dcontext, None
    dx, dcontext, *dparams = to_dtype((dx, dcontext, dw_q, dw_k, dw_v, dw_o, db_q, db_k, db_v, db_o), dtype)
    return dx, dcontext, MultiHeadParams._make([*dparams, params.heads, params.kv_heads])


def project(
    x: ArrayLike, params: MultiHeadParams, context: ArrayLike | None = None
) -> tuple[tuple[np.ndarray, ...], tuple[LinearCache, LinearCache, LinearCache], MultiHeadParams, np.dtype]:
    """`((q, k, v), their caches, params, dtype)`: projections cut into heads, all in the dtype to compute in.

    The parameters come back in that dtype too, and `dtype` is that of the result.
    """
    if not isinstance(params, MultiHeadParams):
        raise TypeError(f"params: got {type(params).__name__}, expected MultiHeadParams")
    float_array("x", x, min_ndim=2)
    given = params._asdict()
    weights = {name: given[name] for name in ("w_q", "w_k", "w_v", "w_o")}
    biases = {name: given[name] for name in ("b_q", "b_k", "b_v", "b_o")}
    (x, *arrays, context), dtype = float_arrays(x=x, **weights, optional={**biases, "context": context})
    params = MultiHeadParams._make([*arrays, params.heads, params.kv_heads])
    source = x if context is None else context
    check_params(params, x.shape[-1], source.shape[-1], "x" if context is None else "context")
    if source.shape[:-2] != x.shape[:-2]:
        raise ValueError(f"context: got batch axes {source.shape[:-2]}, expected {x.shape[:-2]} like x")
    q, q_cache = linear_forward(x, params.w_q, params.b_q)  # (..., Tq, H·Dk)
    k, k_cache = linear_forward(source, params.w_k, params.b_k)  # (..., Tk, Hk·Dk)
    v, v_cache = linear_forward(source, params.w_v, params.b_v)  # (..., Tk, Hk·Dv)
    q = split_heads(q, params.heads)  # (..., H, Tq, Dk)
    k, v = split_heads(k, params.kv_heads), split_heads(v, params.kv_heads)  # (..., Hk, Tk, D)
    return (q, k, v), (q_cache, k_cache, v_cache), params, dtype
