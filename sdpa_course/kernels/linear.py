"""The linear layer y = x w + b and its gradient, used by every projection.

Axes: `...` tokens of any number of sequences · in, out widths
"""

import numpy as np


def linear_forward(x: np.ndarray, w: np.ndarray, b: np.ndarray | None = None) -> np.ndarray:
    """x w + b: (..., in) @ (in, out) -> (..., out).

    Examples
    --------
    >>> linear_forward(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), np.array([5.0]))
    array([[16.]])
    """
    return x @ w if b is None else x @ w + b


def linear_backward(dy: np.ndarray, x: np.ndarray, w: np.ndarray, b: np.ndarray | None = None):
    """`(dx, dw, db)`: w and b are shared by all tokens, so their gradients sum over them; db is None without b."""
    tokens, dtokens = x.reshape(-1, x.shape[-1]), dy.reshape(-1, dy.shape[-1])
    db = None if b is None else dtokens.sum(axis=0)
    return dy @ w.T, tokens.T @ dtokens, db
