"""The linear layer y = x w + b and its gradient, used by every projection.

Axes: `...` tokens of any number of sequences · in, out widths
"""

import sys

import numpy as np

from ._checks import compute_dtype, quiet


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`a @ b`. A browser's NumPy has no BLAS, and its `@` is slow down the columns of b, where `einsum` is not."""
    return np.einsum("...ij,...jk->...ik", a, b) if sys.platform == "emscripten" else a @ b


@quiet
def linear_forward(x: np.ndarray, w: np.ndarray, b: np.ndarray | None = None) -> np.ndarray:
    """x w + b: (..., in) @ (in, out) -> (..., out).

    Examples
    --------
    >>> linear_forward(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), np.array([5.0]))
    array([[16.]])
    """
    compute, result = compute_dtype(x, w)
    y = product(x.astype(compute, copy=False), w.astype(compute, copy=False))
    return (y if b is None else y + b).astype(result, copy=False)


@quiet
def linear_backward(dy: np.ndarray, x: np.ndarray, w: np.ndarray, b: np.ndarray | None = None, *, input_too=True):
    """`(dx, dw, db)`: w and b are shared by all tokens, so their gradients sum over them; db is None without b.

    `input_too=False` leaves dx out (None): for the first layer of a model, whose input is given.
    """
    compute, result = compute_dtype(x, w, dy)
    x, w, dy = (array.astype(compute, copy=False) for array in (x, w, dy))
    if not np.isfinite(x).all():  # a token that gets no gradient gives none, even if it is NaN: 0 · NaN is NaN
        x = np.where((dy != 0).any(axis=-1, keepdims=True), x, 0)
    tokens, dtokens = x.reshape(-1, x.shape[-1]), dy.reshape(-1, dy.shape[-1])
    dx = dy @ w.T if input_too else None
    gradients = (dx, product(tokens.T, dtokens), None if b is None else dtokens.sum(axis=0))
    return tuple(None if gradient is None else gradient.astype(result, copy=False) for gradient in gradients)
