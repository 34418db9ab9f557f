"""Scoring rules: how well does a query match a key? Each with its gradient. Compared in notebook 07.

    dot product   s_ij = scale · q_i · k_j                       Vaswani et al. 2017
    additive      s_ij = vᵀ tanh(W_qᵀ q_i + W_kᵀ k_j)            Bahdanau et al. 2015
    cosine        s_ij = scale · (q_i · k_j) / (‖q_i‖ ‖k_j‖)     "QK-norm"

Every rule is a pair `x_scores_forward(...) -> scores, cache` and `x_scores_backward(dscores, cache)`.

Axes: Tq queries · Tk keys · Dk width of q and k · Da hidden width of the additive rule
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._arguments import check_scale
from ._checks import check_cache, float_arrays, gradient_like, number, pick, quiet, same_shape, to_dtype, whole_number
from .linear import LinearCache, linear_backward, linear_forward


class Scale(NamedTuple):
    """A factor on the dot product. `figures.rules` adds how it's drawn."""

    name: str  # in code
    formula: str  # in a sentence
    factor: Callable[..., float]  # of the head width and the model width


SCALES = {
    scale.name: scale
    for scale in (
        Scale("1", "no scale", lambda d_k, d_model: 1.0),
        Scale("1/sqrt(d_k)", "1/√d_k", lambda d_k, d_model: 1 / math.sqrt(d_k)),
        Scale("1/d_k", "1/d_k", lambda d_k, d_model: 1 / d_k),
        Scale("1/sqrt(d_model)", "1/√d_model", lambda d_k, d_model: 1 / math.sqrt(d_model)),
    )
}


def scale_factor(name: str, d_k: int, d_model: int | None = None) -> float:
    """The scale called `name` in `SCALES`, as a number.

    Examples
    --------
    >>> scale_factor("1/sqrt(d_k)", 64)
    0.125
    """
    scale = pick("name", name, SCALES)
    d_k = whole_number("d_k", d_k, least=1)
    if "d_model" in name:
        d_model = whole_number("d_model", d_model, least=1)
    return scale.factor(d_k, d_model)


class DotCache(NamedTuple):
    """What the dot product's backward pass needs."""

    q: np.ndarray  # (..., Tq, Dk)
    k: np.ndarray  # (..., Tk, Dk)
    scale: float
    dtype: np.dtype  # of the gradients


@quiet
def dot_scores_forward(q: ArrayLike, k: ArrayLike, *, scale: float | None = None) -> tuple[np.ndarray, DotCache]:
    """scale · q kᵀ, with scale = 1/√Dk unless given.

    Examples
    --------
    >>> scores, cache = dot_scores_forward(np.array([[3.0, 4.0, 0.0, 0.0]]), np.array([[1.0, 2.0, 2.0, 0.0]]))
    >>> scores  # 11 / √4
    array([[5.5]])
    """
    q, k, dtype = float_pair(q, k)
    scale = check_scale(scale, q.shape[-1], q.dtype)
    scores = (q @ k.swapaxes(-1, -2)) * scale  # (..., Tq, Dk) @ (..., Dk, Tk) -> (..., Tq, Tk)
    return scores.astype(dtype, copy=False), DotCache(q, k, scale, dtype)


@quiet
def dot_scores_backward(dscores: ArrayLike, cache: DotCache) -> tuple[np.ndarray, np.ndarray]:
    """`(dq, dk)` from the gradient on the scores."""
    check_cache(cache, DotCache, "dot_scores_forward")
    q, k, scale, dtype = cache
    dscores = gradient_like("dscores", dscores, (*q.shape[:-1], k.shape[-2]), q.dtype)
    # scores = scale * (q @ k.T)
    dq = (dscores @ k) * scale  # (..., Tq, Tk) @ (..., Tk, Dk) -> (..., Tq, Dk)
    dk = (dscores.swapaxes(-1, -2) @ q) * scale  # (..., Tk, Tq) @ (..., Tq, Dk) -> (..., Tk, Dk)
    return to_dtype((dq, dk), dtype)


class AdditiveCache(NamedTuple):
    """What the additive rule's backward pass needs. Mind `hidden`: Tq·Tk·Da numbers, the price of this rule."""

    query: LinearCache
    key: LinearCache
    v: np.ndarray  # (Da,)
    hidden: np.ndarray  # (..., Tq, Tk, Da), tanh of every query with every key
    dtype: np.dtype  # of the gradients


@quiet
def additive_scores_forward(
    q: ArrayLike, k: ArrayLike, w_q: ArrayLike, w_k: ArrayLike, v: ArrayLike
) -> tuple[np.ndarray, AdditiveCache]:
    """vᵀ tanh(W_qᵀ q_i + W_kᵀ k_j) for every query i and key j: bounded by Σ|v|, not by 1.

    Parameters
    ----------
    q, k : (..., Tq, Dk) and (..., Tk, Dk) arrays of floats
    w_q, w_k : (Dk, Da) arrays of floats
    v : (Da,) array of floats

    Returns
    -------
    scores : (..., Tq, Tk) array
    cache : AdditiveCache

    Examples
    --------
    >>> far, eye = np.array([[9.0, 9.0]]), np.eye(2)
    >>> scores, _ = additive_scores_forward(far, far, eye, eye, np.array([2.0, 3.0]))
    >>> scores.round(6)
    array([[5.]])
    """
    float_pair(q, k)  # they fit together
    (q, k, w_q, w_k, v), dtype = float_arrays(q=q, k=k, w_q=w_q, w_k=w_k, v=v)
    same_shape("v", v, (v.size,))
    same_shape("w_q", w_q, (q.shape[-1], v.size))
    same_shape("w_k", w_k, (q.shape[-1], v.size))
    query, query_cache = linear_forward(q, w_q)  # (..., Tq, Da)
    key, key_cache = linear_forward(k, w_k)  # (..., Tk, Da)
    hidden = np.tanh(query[..., :, None, :] + key[..., None, :, :])  # (..., Tq, Tk, Da)
    return (hidden @ v).astype(dtype, copy=False), AdditiveCache(query_cache, key_cache, v, hidden, dtype)


@quiet
def additive_scores_backward(dscores: ArrayLike, cache: AdditiveCache) -> tuple[np.ndarray, ...]:
    """`(dq, dk, dw_q, dw_k, dv)` from the gradient on the scores."""
    check_cache(cache, AdditiveCache, "additive_scores_forward")
    query, key, v, hidden, dtype = cache
    dscores = gradient_like("dscores", dscores, hidden.shape[:-1], hidden.dtype)
    # scores = hidden @ v
    dhidden, dv, _ = linear_backward(dscores[..., None], LinearCache(hidden, v[:, None], None, hidden.dtype))
    # hidden = tanh(query + key)
    dsum = dhidden * (1 - hidden**2)
    dquery, dkey = dsum.sum(axis=-2), dsum.sum(axis=-3)  # (..., Tq, Da), (..., Tk, Da)
    # query = q @ w_q, key = k @ w_k
    dq, dw_q, _ = linear_backward(dquery, query)
    dk, dw_k, _ = linear_backward(dkey, key)
    return to_dtype((dq, dk, dw_q, dw_k, dv[:, 0]), dtype)


class CosineCache(NamedTuple):
    """What the cosine rule's backward pass needs."""

    q_unit: np.ndarray  # (..., Tq, Dk), each row of length 1 (or 0)
    k_unit: np.ndarray  # (..., Tk, Dk)
    q_norm: np.ndarray  # (..., Tq, 1)
    k_norm: np.ndarray  # (..., Tk, 1)
    scale: float
    dtype: np.dtype  # of the gradients


@quiet
def cosine_scores_forward(q: ArrayLike, k: ArrayLike, *, scale: float = 1.0) -> tuple[np.ndarray, CosineCache]:
    """scale · cos of the angle between q_i and k_j. A zero vector scores 0 with everything.

    Examples
    --------
    >>> scores, _ = cosine_scores_forward(np.array([[3.0, 4.0]]), np.array([[30.0, 40.0], [-4.0, 3.0]]))
    >>> scores.round(6) + 0.0
    array([[1., 0.]])
    """
    q, k, dtype = float_pair(q, k)
    scale = check_scale(number("scale", scale), q.shape[-1], q.dtype)
    (q_unit, q_norm), (k_unit, k_norm) = unit_rows(q), unit_rows(k)
    scores = (q_unit @ k_unit.swapaxes(-1, -2)) * scale
    return scores.astype(dtype, copy=False), CosineCache(q_unit, k_unit, q_norm, k_norm, scale, dtype)


@quiet
def cosine_scores_backward(dscores: ArrayLike, cache: CosineCache) -> tuple[np.ndarray, np.ndarray]:
    """`(dq, dk)` from the gradient on the scores: only what turns a vector, nothing that stretches it."""
    check_cache(cache, CosineCache, "cosine_scores_forward")
    q_unit, k_unit, q_norm, k_norm, scale, dtype = cache
    # scores = scale * (q_unit @ k_unit.T)
    dq_unit, dk_unit = dot_scores_backward(dscores, DotCache(q_unit, k_unit, scale, q_unit.dtype))
    # unit = x / norm
    dq, dk = unit_rows_backward(dq_unit, q_unit, q_norm), unit_rows_backward(dk_unit, k_unit, k_norm)
    return to_dtype((dq, dk), dtype)


def unit_rows(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`(unit, norm)`: rows divided by their length; a zero row stays zero."""
    largest = np.abs(x).max(axis=-1, keepdims=True)  # taken out first, so that no square overflows or vanishes
    x = x / np.where(largest == 0, 1, largest)
    norm = np.sqrt((x * x).sum(axis=-1, keepdims=True))
    return x / np.where(norm == 0, 1, norm), norm * largest


def unit_rows_backward(dunit: np.ndarray, unit: np.ndarray, norm: np.ndarray) -> np.ndarray:
    """dx = (dunit − unit (unit · dunit)) / norm; zero for a zero row, where there is no direction to turn."""
    along = (unit * dunit).sum(axis=-1, keepdims=True)
    return np.where(norm == 0, 0, (dunit - unit * along) / np.where(norm == 0, 1, norm))


def float_pair(q: ArrayLike, k: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.dtype]:
    """Queries and keys of the same width and leading axes, in the dtype to compute in, and the dtype of the scores."""
    (q, k), dtype = float_arrays(q=q, k=k, min_ndim=2)
    if q.shape[-1] == 0:
        raise ValueError(f"q: got shape {q.shape}, expected a width d_k of at least 1")
    if k.shape[:-2] != q.shape[:-2] or k.shape[-1] != q.shape[-1]:
        expected = ", ".join(map(str, (*q.shape[:-2], "Tk", q.shape[-1])))
        raise ValueError(f"k: got shape {k.shape}, expected ({expected}) to go with q")
    return q, k, dtype
