"""Scaled dot-product attention, the readable pair. Taught in notebooks 05 (forward) and 06 (backward).

    scores  = scale · q kᵀ            scale = 1/√d_k unless given
    scores  = c · tanh(scores / c)    only with softcap = c
    scores  = −inf where hidden       mask, causal, window
    weights = softmax(scores)
    out     = weights v

Axes: B batch · Hq query heads · Hk key/value heads · Tq queries · Tk keys · Dk, Dv widths.
Any leading axes work, from plain (T, D) up. Below, `...` stands for (B, Hq).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._arguments import AttentionArguments, check_attention
from ._checks import OPEN, check_cache, gradient_like, quiet, to_dtype
from .masks import apply_mask, in_window, keep_allowed, query_positions, select_matmul
from .softmax import softmax_backward, softmax_in_place


class AttentionCache(NamedTuple):
    """What the backward pass has to remember of the forward pass."""

    q: np.ndarray  # (..., Tq, Dk)
    k: np.ndarray  # (..., Tk, Dk), repeated for every query head
    v: np.ndarray  # (..., Tk, Dv), repeated for every query head
    weights: np.ndarray  # (..., Tq, Tk)
    allowed: np.ndarray | None  # (..., Tq, Tk), None when nothing is hidden
    slope: np.ndarray | None  # (..., Tq, Tk), derivative of the soft cap, None without one
    scale: float
    group: int  # query heads per key/value head
    dtype: np.dtype  # of the gradients


def attention_forward(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    causal: bool = False,
    scale: float | None = None,
    softcap: float | None = None,
    window: tuple[int | None, int | None] | None = None,
    offset: ArrayLike = 0,
) -> tuple[np.ndarray, AttentionCache]:
    """Let every query take a weighted average of the values: softmax(scale · q kᵀ) v.

    Parameters
    ----------
    q : (..., Hq, Tq, Dk) array of floats
    k : (..., Hk, Tk, Dk) array of floats
        Hq is a multiple of Hk: query head h uses key/value head h // (Hq / Hk).
    v : (..., Hk, Tk, Dv) array of floats
    mask : array that broadcasts to (..., Hq, Tq, Tk), optional
        Boolean (True = may attend) or float (added to the scores; −inf hides, a finite number never does).
    causal : bool
        The query at position p sees keys j ≤ p.
    scale : float, optional
        Factor on the scores; None means 1/√Dk.
    softcap : float, optional
        Bound scores by c · tanh(scores / c), after the scale and before the mask.
    window : (left, right), optional
        The query at p sees keys p − left ≤ j ≤ p + right; None leaves a side open.
    offset : int or (...) array of ints
        Position of the first query, the number of keys before it; query i sits at p = offset + i.

    Returns
    -------
    out : (..., Hq, Tq, Dv) array
    cache : AttentionCache
        For `attention_backward`; `cache.weights` are the attention weights.

    Notes
    -----
    A query that may see nothing gets zeros. float16 is computed in float32. Taught in notebook 05.

    Examples
    --------
    >>> q = k = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> out, cache = attention_forward(q, k, np.array([[1.0], [3.0]]), causal=True)
    >>> cache.weights.round(3)
    array([[1.  , 0.  ],
           [0.33, 0.67]])
    >>> out.round(3)
    array([[1.  ],
           [2.34]])
    """
    a = check_attention(q, k, v, mask=mask, causal=causal, scale=scale, softcap=softcap, window=window, offset=offset)
    return attend(a)


@quiet
def attend(a: AttentionArguments) -> tuple[np.ndarray, AttentionCache]:
    """The forward pass, on checked arguments."""
    q, k, v = a.q, repeat_heads(a.k, a.group), repeat_heads(a.v, a.group)
    scores = q @ k.swapaxes(-1, -2)  # (..., Tq, Dk) @ (..., Dk, Tk) -> (..., Tq, Tk)
    scores *= a.scale
    slope = None
    if a.softcap is not None:
        squashed = np.tanh(scores / a.softcap)
        scores = a.softcap * squashed
        slope = 1 - squashed**2
    scores, allowed = apply_mask(scores, a.mask, visible(a))
    weights = keep_allowed(softmax_in_place(scores), allowed)  # a NaN row is NaN only where it may look
    out = select_matmul(weights, v, allowed)  # (..., Tq, Tk) @ (..., Tk, Dv) -> (..., Tq, Dv)
    cache = AttentionCache(q, k, v, weights, allowed, slope, a.scale, a.group, a.dtype)
    return out.astype(a.dtype, copy=False), cache


@quiet
def attention_backward(dout: ArrayLike, cache: AttentionCache) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Send the gradient of the output back to queries, keys and values.

    Parameters
    ----------
    dout : (..., Hq, Tq, Dv) array of floats
        Gradient of the loss with respect to `out`.
    cache : AttentionCache
        The second result of `attention_forward`.

    Returns
    -------
    dq : (..., Hq, Tq, Dk) array
    dk : (..., Hk, Tk, Dk) array
    dv : (..., Hk, Tk, Dv) array

    Notes
    -----
    The lines of the forward pass in reverse order, each differentiated. Where query heads share a key/value head,
    its gradient is the sum over them. Taught in notebook 06.

    Examples
    --------
    >>> q = k = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> out, cache = attention_forward(q, k, np.array([[1.0], [3.0]]), causal=True)
    >>> dq, dk, dv = attention_backward(np.ones_like(out), cache)
    >>> dv.round(3)
    array([[1.33],
           [0.67]])
    """
    check_cache(cache, AttentionCache, "attention_forward")
    q, k, v, weights, allowed, slope, scale, group, dtype = cache
    dout = gradient_like("dout", dout, (*q.shape[:-1], v.shape[-1]), q.dtype)
    allowed_T = None if allowed is None else allowed.swapaxes(-1, -2)

    # out = weights @ v
    dv = select_matmul(weights.swapaxes(-1, -2), dout, allowed_T)  # (..., Tk, Tq) @ (..., Tq, Dv) -> (..., Tk, Dv)
    dweights = keep_allowed(dout @ v.swapaxes(-1, -2), allowed)  # (..., Tq, Dv) @ (..., Dv, Tk) -> (..., Tq, Tk)
    # weights = softmax(scores)
    dscores = softmax_backward(dweights, weights)
    # scores = softcap * tanh(scores / softcap)
    if slope is not None:
        dscores *= slope
    # scores = scale * (q @ k.T)
    dscores *= scale
    dscores = keep_allowed(dscores, allowed)
    dq = select_matmul(dscores, k, allowed)  # (..., Tq, Tk) @ (..., Tk, Dk) -> (..., Tq, Dk)
    dk = select_matmul(dscores.swapaxes(-1, -2), q, allowed_T)  # (..., Tk, Tq) @ (..., Tq, Dk) -> (..., Tk, Dk)
    return to_dtype((dq, sum_heads(dk, group), sum_heads(dv, group)), dtype)


def visible(a: AttentionArguments) -> np.ndarray | None:
    """Which keys `causal` and `window` let each query see; None means all of them."""
    if a.left == a.right == OPEN:
        return None
    return in_window(query_positions(a.offset, a.q.shape[-2]), np.arange(a.k.shape[-2]), a.left, a.right)


def repeat_heads(x: np.ndarray, group: int) -> np.ndarray:
    """One copy of each key/value head for every query head that shares it: (..., Hk, T, D) -> (..., Hq, T, D)."""
    return x if group == 1 else np.repeat(x, group, axis=-3)


def sum_heads(dx: np.ndarray, group: int) -> np.ndarray:
    """The gradient of `repeat_heads`: a head that was copied sums what its copies receive."""
    if group == 1:
        return dx
    *batch, heads, T, D = dx.shape
    return dx.reshape(*batch, heads // group, group, T, D).sum(axis=-3)
