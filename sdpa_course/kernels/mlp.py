"""Two linear layers with a ReLU between them, applied to every token by itself. Used in notebook 09.

    hidden = max(0, x W_1 + b_1)
    out    = hidden W_2 + b_2

Axes: `...` tokens · D width of a token · Dh hidden width
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._checks import check_cache, float_arrays, to_dtype
from .linear import LinearCache, check_weights, linear_backward, linear_forward


class MLPCache(NamedTuple):
    """What the backward pass has to remember of the forward pass."""

    first: LinearCache
    second: LinearCache  # its input is `hidden`
    dtype: np.dtype  # of the gradients


def mlp_forward(
    x: ArrayLike, w_1: ArrayLike, b_1: ArrayLike, w_2: ArrayLike, b_2: ArrayLike
) -> tuple[np.ndarray, MLPCache]:
    """max(0, x W_1 + b_1) W_2 + b_2: (..., D) -> (..., D).

    Examples
    --------
    >>> one = np.ones((1, 1))
    >>> mlp_forward(np.array([[3.0], [-3.0]]), one, np.zeros(1), 2 * one, np.zeros(1))[0]
    array([[6.],
           [0.]])
    """
    (x, w_1, b_1, w_2, b_2), dtype = float_arrays(x=x, w_1=w_1, b_1=b_1, w_2=w_2, b_2=b_2)
    check_weights("w_1", w_1, "b_1", b_1, x.shape[-1])
    check_weights("w_2", w_2, "b_2", b_2, w_1.shape[-1])
    hidden, first = linear_forward(x, w_1, b_1)  # (..., D) @ (D, Dh) -> (..., Dh)
    out, second = linear_forward(np.maximum(hidden, 0), w_2, b_2)  # (..., Dh) @ (Dh, D) -> (..., D)
    return out.astype(dtype, copy=False), MLPCache(first, second, dtype)


def mlp_backward(dout: ArrayLike, cache: MLPCache) -> tuple[np.ndarray, ...]:
    """`(dx, dw_1, db_1, dw_2, db_2)`."""
    check_cache(cache, MLPCache, "mlp_forward")
    first, second, dtype = cache
    hidden = second.x
    # out = hidden @ w_2 + b_2
    dhidden, dw_2, db_2 = linear_backward(dout, second)
    # hidden = max(0, x @ w_1 + b_1)
    dx, dw_1, db_1 = linear_backward(dhidden * (hidden > 0), first)
    return to_dtype((dx, dw_1, db_1, dw_2, db_2), dtype)
