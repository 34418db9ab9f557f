"""Softmax: scores in, weights that sum to one out. Taught in notebooks 03 and 04.

    forward   weights_i = exp(scores_i) / Σ_j exp(scores_j)
    Jacobian  ∂weights_i / ∂scores_j = weights_i (δ_ij − weights_j)
    backward  dscores = weights ⊙ (dweights − Σ_j weights_j dweights_j)

Axes: n scores, on the last axis unless `axis` says otherwise.
"""

import numpy as np

from ._checks import compute_dtype, float_array, lowest, quiet, same_shape, whole_number


@quiet
def softmax_forward(scores, axis: int = -1) -> np.ndarray:
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
    scores = float_array("scores", scores)
    axis = check_axis(axis, scores.ndim)
    compute, result = compute_dtype(scores)
    # The lowest float keeps the maximum finite in a row of nothing but −inf: then −inf minus it is −inf again.
    top = scores.max(axis=axis, keepdims=True, initial=lowest(scores.dtype))
    weights = np.subtract(scores, top, dtype=compute)
    np.exp(weights, out=weights)
    total = weights.sum(axis=axis, keepdims=True)
    weights /= np.maximum(total, 1)  # the largest score adds exp(0) = 1, so only a masked row has less: 0
    return weights.astype(result, copy=False)


@quiet
def softmax_backward(dweights, weights, axis: int = -1) -> np.ndarray:
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
    dweights, weights = float_array("dweights", dweights), float_array("weights", weights)
    same_shape("dweights", dweights, weights.shape)
    axis = check_axis(axis, weights.ndim)
    compute, result = compute_dtype(dweights, weights)
    p = weights.astype(compute, copy=False)
    dp = dweights.astype(compute, copy=False)
    dscores = p * (dp - (p * dp).sum(axis=axis, keepdims=True))
    return dscores.astype(result, copy=False)


@quiet
def softmax_jacobian(scores) -> np.ndarray:
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
    scores = float_array("scores", scores)
    compute, result = compute_dtype(scores)
    p = softmax_forward(scores.astype(compute, copy=False))  # (..., n)
    jacobian = p[..., :, None] * (np.eye(p.shape[-1], dtype=compute) - p[..., None, :])  # (..., n, n)
    return jacobian.astype(result, copy=False)


def check_axis(axis, ndim: int) -> int:
    """`axis` as an integer that names one of `ndim` axes."""
    axis = whole_number("axis", axis)
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis: got {axis}, expected one from {-ndim} to {ndim - 1}")
    return axis
