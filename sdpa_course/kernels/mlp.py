"""Two linear layers with a ReLU between them, applied to every token alone. Used in notebook 09.

    hidden = max(0, x W_1 + b_1)
    y      = hidden W_2 + b_2

Axes: `...` tokens · D width of a token · Dh hidden width
"""

from typing import NamedTuple

import numpy as np

from .linear import linear_backward, linear_forward


class MLPCache(NamedTuple):
    """What the backward pass needs."""

    x: np.ndarray  # (..., D)
    hidden: np.ndarray  # (..., Dh)
    w_1: np.ndarray  # (D, Dh)
    b_1: np.ndarray  # (Dh,)
    w_2: np.ndarray  # (Dh, D)
    b_2: np.ndarray  # (D,)


def mlp_forward(x: np.ndarray, w_1, b_1, w_2, b_2) -> tuple[np.ndarray, MLPCache]:
    """max(0, x W_1 + b_1) W_2 + b_2.

    Examples
    --------
    >>> one = np.ones((1, 1))
    >>> mlp_forward(np.array([[3.0], [-3.0]]), one, np.zeros(1), 2 * one, np.zeros(1))[0]
    array([[6.],
           [0.]])
    """
    hidden = np.maximum(linear_forward(x, w_1, b_1), 0)  # (..., Dh)
    return linear_forward(hidden, w_2, b_2), MLPCache(x, hidden, w_1, b_1, w_2, b_2)


def mlp_backward(dy: np.ndarray, cache: MLPCache) -> tuple[np.ndarray, ...]:
    """`(dx, dw_1, db_1, dw_2, db_2)`."""
    x, hidden, w_1, b_1, w_2, b_2 = cache
    # y = hidden @ w_2 + b_2
    dhidden, dw_2, db_2 = linear_backward(dy, hidden, w_2, b_2)
    # hidden = max(0, x @ w_1 + b_1)
    dx, dw_1, db_1 = linear_backward(dhidden * (hidden > 0), x, w_1, b_1)
    return dx, dw_1, db_1, dw_2, db_2
