"""Cross-entropy: how surprised is the model by the right answer? Used in notebook 09.

    loss = −mean log softmax(logits)[target]

Axes: `...` predictions · C classes
"""

from typing import NamedTuple

import numpy as np

from ._checks import quiet


class CrossEntropyCache(NamedTuple):
    """What the backward pass needs."""

    probabilities: np.ndarray  # (..., C)
    targets: np.ndarray  # (...), whole numbers


@quiet
def cross_entropy_forward(logits: np.ndarray, targets: np.ndarray) -> tuple[float, CrossEntropyCache]:
    """Mean of −log p(target) over all predictions; log p is taken from the logits, so it never is log 0.

    Examples
    --------
    >>> loss, _ = cross_entropy_forward(np.zeros((3, 8)), np.array([1, 4, 7]))
    >>> round(loss, 4)  # log 8
    2.0794
    """
    shifted = logits - logits.max(axis=-1, keepdims=True)
    right = np.take_along_axis(shifted, targets[..., None], axis=-1)
    exp = np.exp(shifted)
    total = exp.sum(axis=-1, keepdims=True)
    return float((np.log(total) - right).mean()), CrossEntropyCache(exp / total, targets)


@quiet
def cross_entropy_backward(cache: CrossEntropyCache) -> np.ndarray:
    """The gradient on the logits: (p − one-hot(target)) / number of predictions."""
    probabilities, targets = cache
    dlogits = probabilities.copy()
    at = targets[..., None]
    np.put_along_axis(dlogits, at, np.take_along_axis(dlogits, at, axis=-1) - 1, axis=-1)
    return dlogits / targets.size
