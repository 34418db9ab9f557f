"""Softmax: scores in, weights that sum to one out. Taught in notebooks 03 and 04.

    forward   weights_i = exp(scores_i) / Σ_j exp(scores_j)
    Jacobian  ∂weights_i / ∂scores_j = weights_i (δ_ij − weights_j)
    backward  dscores = weights ⊙ (dweights − Σ_j weights_j dweights_j)

Axes: n scores, on the last axis unless `axis` says otherwise.
"""

import numpy as np
from numpy.typing import ArrayLike

from ._checks import float_arrays, lowest, quiet, same_shape, whole_number


@quiet
def softmax_forward(scores: ArrayLike, axis: int = -1) -> np.ndarray:
    """Turn scores into weights that are positive and sum to one along `axis`.

    Parameters
    ----------
    scores : (..., n) array of floats
    axis : int

    Returns
    -------
    weights : (..., n) array, same dtype

    Notes
    -----
    weights_i = exp(scores_i − m) / Σ_j exp(scores_j − m), with m = max_j scores_j. Any m gives the
    same weights; the maximum is the one for which exp cannot overflow. A row of nothing but −inf
    (everything masked) gives zeros. Taught in notebook 03.

    Examples
    --------
    >>> softmax_forward(np.array([7.0, 3.0])).round(3)
    array([0.982, 0.018])
    """
    (scores,), dtype = float_arrays(scores=scores)
    axis = check_axis(axis, scores.ndim)
    return softmax_in_place(scores.copy(order="K"), axis).astype(dtype, copy=False)


def softmax_in_place(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Turn scores into weights in their own memory: for kernels that made the scores themselves and checked them."""
    # The lowest float keeps the maximum finite in a row of nothing but −inf: −inf minus it is −inf again, and exp is 0.
    scores -= scores.max(axis=axis, keepdims=True, initial=lowest(scores.dtype))
    weights = np.exp(scores, out=scores)
    # The largest score adds exp(0) = 1 to the sum, so only a fully masked row has a sum below 1: it is 0.
    weights /= np.maximum(weights.sum(axis=axis, keepdims=True), 1)
    return weights


@quiet
def softmax_backward(dweights: ArrayLike, weights: ArrayLike, axis: int = -1) -> np.ndarray:
    """Send a gradient on the weights back to the scores, without forming the Jacobian.

    Parameters
    ----------
    dweights : (..., n) array of floats
        Gradient of the loss with respect to the weights.
    weights : (..., n) array of floats
        What `softmax_forward` returned.
    axis : int

    Returns
    -------
    dscores : (..., n) array

    Notes
    -----
    dscores_j = Σ_i dweights_i ∂weights_i/∂scores_j = weights_j (dweights_j − Σ_i weights_i dweights_i).
    Taught in notebook 04.

    Examples
    --------
    >>> weights = softmax_forward(np.array([7.0, 3.0]))
    >>> softmax_backward(np.array([1.0, 0.0]), weights).round(4)
    array([ 0.0177, -0.0177])
    """
    (dp, p), dtype = float_arrays(dweights=dweights, weights=weights)
    same_shape("dweights", dp, p.shape)
    axis = check_axis(axis, p.ndim)
    dscores = dp - (p * dp).sum(axis=axis, keepdims=True)
    dscores *= p
    return dscores.astype(dtype, copy=False)


@quiet
def softmax_jacobian(scores: ArrayLike) -> np.ndarray:
    """All n × n derivatives of softmax on the last axis: diag(p) − p pᵀ with p = softmax(scores).

    Parameters
    ----------
    scores : (..., n) array of floats

    Returns
    -------
    jacobian : (..., n, n) array
        Entry [i, j] is ∂p_i / ∂scores_j = p_i (δ_ij − p_j). Taught in notebook 04.

    Examples
    --------
    >>> softmax_jacobian(np.array([0.0, 0.0]))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    (scores,), dtype = float_arrays(scores=scores)
    p = softmax_in_place(scores.copy())  # (..., n)
    jacobian = p[..., :, None] * (np.eye(p.shape[-1], dtype=p.dtype) - p[..., None, :])  # (..., n, n)
    return jacobian.astype(dtype, copy=False)


def check_axis(axis: int, ndim: int) -> int:
    """`axis` as an integer that names one of the `ndim` axes."""
    axis = whole_number("axis", axis)
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis: got {axis}, expected one from {-ndim} to {ndim - 1}")
    return axis
