"""Layer normalisation: every token gets mean 0 and variance 1, then a gain and a bias. Used in notebook 09.

    x̂   = (x − mean) / √(variance + ε)
    out = gain · x̂ + bias

Axes: `...` tokens · D width of a token
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._checks import check_cache, float_arrays, gradient_like, number, quiet, same_shape, to_dtype


class LayerNormCache(NamedTuple):
    """What the backward pass has to remember of the forward pass."""

    normed: np.ndarray  # (..., D), x̂
    deviation: np.ndarray  # (..., 1), √(variance + ε)
    gain: np.ndarray | None  # (D,)
    bias: np.ndarray | None  # (D,)
    dtype: np.dtype  # of the gradients


@quiet
def layer_norm_forward(
    x: ArrayLike, gain: ArrayLike | None = None, bias: ArrayLike | None = None, *, epsilon: float = 1e-5
) -> tuple[np.ndarray, LayerNormCache]:
    """Normalise each token by itself; without a gain and a bias, that's all.

    Examples
    --------
    >>> out, _ = layer_norm_forward(np.array([[1.0, 3.0]]), epsilon=0)
    >>> out
    array([[-1.,  1.]])
    """
    (x, gain, bias), dtype = float_arrays(x=x, optional={"gain": gain, "bias": bias})
    epsilon = number("epsilon", epsilon)
    if epsilon < 0:
        raise ValueError(f"epsilon: got {epsilon}, expected 0 or more")
    if x.shape[-1] == 0:
        raise ValueError(f"x: got shape {x.shape}, expected a width of at least 1")
    same_shape("gain", gain, x.shape[-1:])
    same_shape("bias", bias, x.shape[-1:])
    centred = x - x.mean(axis=-1, keepdims=True)
    largest = np.abs(centred).max(axis=-1, keepdims=True)  # divided out first, so that no square overflows
    shrunk = centred / np.where(largest == 0, 1, largest)
    deviation = np.hypot(largest * np.sqrt((shrunk * shrunk).mean(axis=-1, keepdims=True)), math.sqrt(epsilon))
    normed = centred / np.where(deviation == 0, 1, deviation)  # a token of equal entries has nothing to stretch
    out = normed if gain is None else normed * gain
    out = out if bias is None else out + bias
    return out.astype(dtype), LayerNormCache(normed, deviation, gain, bias, dtype)


@quiet
def layer_norm_backward(
    dout: ArrayLike, cache: LayerNormCache
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """`(dx, dgain, dbias)`, None where the forward pass was given no gain or bias.

    Notes
    -----
    dx = (dx̂ − mean(dx̂) − x̂ · mean(dx̂ · x̂)) / √(variance + ε). The forward pass throws away a token's shift and
    stretch, so the backward pass throws away whatever would shift or stretch it.
    """
    check_cache(cache, LayerNormCache, "layer_norm_forward")
    normed, deviation, gain, bias, dtype = cache
    dout = gradient_like("dout", dout, normed.shape, normed.dtype)
    tokens = tuple(range(dout.ndim - 1))
    # out = gain * normed + bias
    dbias = None if bias is None else dout.sum(axis=tokens)
    dgain = None if gain is None else (dout * normed).sum(axis=tokens)
    dnormed = dout if gain is None else dout * gain
    # normed = (x - x.mean()) / deviation
    along = (dnormed * normed).mean(axis=-1, keepdims=True)
    dx = (dnormed - dnormed.mean(axis=-1, keepdims=True) - normed * along) / np.where(deviation == 0, 1, deviation)
    return to_dtype((dx, dgain, dbias), dtype)
