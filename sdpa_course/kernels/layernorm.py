"""Layer normalisation: every token gets mean 0 and variance 1, then a gain and a bias. Used in notebook 09.

    x̂ = (x − mean) / √(variance + ε)
    y  = gain · x̂ + bias

Axes: `...` tokens · D width of a token
"""

from typing import NamedTuple

import numpy as np

from ._checks import quiet


class LayerNormCache(NamedTuple):
    """What the backward pass needs."""

    normed: np.ndarray  # (..., D), x̂
    spread: np.ndarray  # (..., 1), √(variance + ε)
    gain: np.ndarray | float


@quiet
def layer_norm_forward(
    x: np.ndarray, gain=1.0, bias=0.0, *, epsilon: float = 1e-5
) -> tuple[np.ndarray, LayerNormCache]:
    """Normalise each token on its own.

    Examples
    --------
    >>> y, _ = layer_norm_forward(np.array([[1.0, 3.0]]), epsilon=0)
    >>> y
    array([[-1.,  1.]])
    """
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + epsilon)
    normed = centred / spread
    return gain * normed + bias, LayerNormCache(normed, spread, gain)


@quiet
def layer_norm_backward(dy: np.ndarray, cache: LayerNormCache) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`(dx, dgain, dbias)`.

    Notes
    -----
    dx = (dx̂ − mean(dx̂) − x̂ mean(dx̂ · x̂)) / √(variance + ε): what would shift or stretch the token is taken out,
    as the forward pass takes it out.
    """
    normed, spread, gain = cache
    tokens = tuple(range(dy.ndim - 1))
    # y = gain * normed + bias
    dnormed = dy * gain
    dgain, dbias = (dy * normed).sum(axis=tokens), dy.sum(axis=tokens)
    # normed = (x - x.mean()) / spread
    along = (dnormed * normed).mean(axis=-1, keepdims=True)
    dx = (dnormed - dnormed.mean(axis=-1, keepdims=True) - normed * along) / spread
    return dx, dgain, dbias
