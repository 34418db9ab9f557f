"""Cross-entropy: how surprised is the model by the right answer? Used in notebook 09.

    loss = −mean log softmax(logits)[target]

Axes: `...` predictions · C classes
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._checks import check_cache, float_arrays, int_array, quiet, same_shape


class CrossEntropyCache(NamedTuple):
    """What the backward pass has to remember of the forward pass."""

    probabilities: np.ndarray  # (..., C)
    targets: np.ndarray  # (...), integers
    dtype: np.dtype  # of the gradient


@quiet
def cross_entropy_forward(logits: ArrayLike, targets: ArrayLike) -> tuple[float, CrossEntropyCache]:
    """The mean of −log p(target) over all predictions. log p comes from the logits, so it's never log 0.

    Parameters
    ----------
    logits : (..., C) array of floats
    targets : (...) array of ints
        The right class of each prediction, 0 to C − 1.

    Returns
    -------
    loss : float
    cache : CrossEntropyCache

    Examples
    --------
    >>> loss, _ = cross_entropy_forward(np.zeros((3, 8)), np.array([1, 4, 7]))
    >>> round(loss, 4)  # log 8
    2.0794
    """
    (logits,), dtype = float_arrays(logits=logits)
    if logits.size == 0:
        raise ValueError(f"logits: got shape {logits.shape}, expected at least one prediction of at least one class")
    last = logits.shape[-1] - 1
    targets = int_array("targets", targets, low=0, high=last, expected=f"0 to {last}, one of the {last + 1} classes")
    same_shape("targets", targets, logits.shape[:-1])
    shifted = logits - logits.max(axis=-1, keepdims=True)
    right = shifted[at_targets(targets)]  # (predictions,)
    probabilities = np.exp(shifted, out=shifted)
    total = probabilities.sum(axis=-1, keepdims=True)
    probabilities /= total
    return float((np.log(total).ravel() - right).mean()), CrossEntropyCache(probabilities, targets, dtype)


@quiet
def cross_entropy_backward(cache: CrossEntropyCache) -> np.ndarray:
    """The gradient on the logits: (p − one-hot(target)) / number of predictions."""
    check_cache(cache, CrossEntropyCache, "cross_entropy_forward")
    probabilities, targets, dtype = cache
    dlogits = probabilities / targets.size
    dlogits[at_targets(targets)] -= 1 / targets.size
    return dlogits.astype(dtype, copy=False)


def at_targets(targets: np.ndarray) -> tuple[np.ndarray, ...]:
    """An index that picks the target's entry out of each prediction (..., C)."""
    return (*(axis.ravel() for axis in np.indices(targets.shape)), targets.ravel())
