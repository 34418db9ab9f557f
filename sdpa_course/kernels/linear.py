"""The linear layer x w + b and its gradient, used by every projection.

Axes: `...` tokens of any number of sequences · in, out widths
"""

import math
import sys
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._checks import check_cache, float_arrays, gradient_like, quiet, same_shape, to_dtype


class LinearCache(NamedTuple):
    """What the backward pass has to remember of the forward pass."""

    x: np.ndarray  # (..., in)
    w: np.ndarray  # (in, out)
    b: np.ndarray | None  # (out,)
    dtype: np.dtype  # of the gradients


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`a @ b`. In a browser NumPy has no BLAS and its `@` crawls down the columns of b; `einsum` doesn't."""
    return np.einsum("...ij,...jk->...ik", a, b) if sys.platform == "emscripten" else a @ b


@quiet
def linear_forward(x: ArrayLike, w: ArrayLike, b: ArrayLike | None = None) -> tuple[np.ndarray, LinearCache]:
    """x w + b: (..., in) @ (in, out) -> (..., out).

    Examples
    --------
    >>> out, _ = linear_forward(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), np.array([5.0]))
    >>> out
    array([[16.]])
    """
    (x, w, b), dtype = float_arrays(x=x, w=w, optional={"b": b})
    check_weights("w", w, "b", b, x.shape[-1])
    out = product(all_tokens(x), w)  # one large product is faster than one for each sequence
    if b is not None:
        out += b
    return out.reshape(*x.shape[:-1], w.shape[1]).astype(dtype, copy=False), LinearCache(x, w, b, dtype)


@quiet
def linear_backward(dout: ArrayLike, cache: LinearCache, *, needs_dx: bool = True) -> tuple[Any, np.ndarray, Any]:
    """`(dx, dw, db)`. All tokens share w and b, so their gradients sum over the tokens; db is None without b.

    `needs_dx=False` leaves dx out (None): the first layer of a model has nobody to pass it on to.
    """
    check_cache(cache, LinearCache, "linear_forward")
    x, w, b, dtype = cache
    dout = gradient_like("dout", dout, (*x.shape[:-1], w.shape[1]), x.dtype)
    tokens, dtokens = all_tokens(x), all_tokens(dout)  # (all tokens, in), (all tokens, out)
    dw = product(tokens.T, dtokens)
    if not np.isfinite(dw).all():  # a token that gets no gradient passes none on, but 0 · NaN is NaN
        dw = product(np.where((dtokens != 0).any(axis=-1, keepdims=True), tokens, 0).T, dtokens)
    dx = product(dtokens, w.T).reshape(x.shape) if needs_dx else None
    return to_dtype((dx, dw, None if b is None else dtokens.sum(axis=0)), dtype)


def all_tokens(x: np.ndarray) -> np.ndarray:
    """The tokens of all sequences in one long list: (..., D) -> (tokens, D)."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def check_weights(w_name: str, w: np.ndarray, b_name: str, b: np.ndarray | None, width: int) -> None:
    """Weights (in, out) and a bias (out,) that fit an input of this width."""
    if w.ndim != 2 or w.shape[0] != width:
        raise ValueError(f"{w_name}: got shape {w.shape}, expected ({width}, out), as its input has width {width}")
    same_shape(b_name, b, w.shape[1:])
