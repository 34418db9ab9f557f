"""Numbers that sum up attention weights and gradient rows: entropy, Jacobian norm, root mean square.

Axes: rows (queries) · n keys, on the last axis
"""

import math
from typing import NamedTuple

import numpy as np


def relative_entropy(weights: np.ndarray, allowed: np.ndarray | None = None) -> np.ndarray:
    """Entropy of each row ÷ log n, with 0 · log 0 = 0: 1 for uniform weights, 0 for one-hot ones.

    With a mask, n is the number of keys that the row may attend to; a row with a single one gives nan.
    """
    logs = np.log(weights, where=weights > 0, out=np.zeros_like(weights))
    entropy = 0 - (weights * logs).sum(axis=-1)  # "0 −", or one-hot rows would give −0.0
    if allowed is None:
        return entropy / math.log(weights.shape[-1])
    most = np.log(allowed.sum(axis=-1))
    return np.divide(entropy, most, where=most > 0, out=np.full_like(entropy, np.nan))


def jacobian_norm(weights: np.ndarray) -> np.ndarray:
    """‖diag(p) − p pᵀ‖_F of each row, without the matrix and without cancellation near one-hot rows.

    Σp²(1 − p)² on the diagonal and 2Σ p_i² p_j² beside it. The largest weight t is treated separately: 1 − t is
    the sum of the others, exact even where t rounds to 1, and its products are 2 t² Σ p².
    """
    at = weights.argmax(axis=-1)[..., None]
    top = np.take_along_axis(weights, at, axis=-1)[..., 0]
    rest = weights.copy()
    np.put_along_axis(rest, at, 0.0, axis=-1)
    squares = (rest**2).sum(axis=-1)
    diagonal = (top * rest.sum(axis=-1)) ** 2 + ((rest * (1 - rest)) ** 2).sum(axis=-1)
    beside = 2 * top**2 * squares + np.maximum(squares**2 - (rest**4).sum(axis=-1), 0)
    return np.sqrt(diagonal + beside)


def by_rank(weights: np.ndarray) -> np.ndarray:
    """The largest weight averaged over the queries, the second largest, and so on: (..., queries, n) -> (..., n)."""
    return -np.sort(-np.asarray(weights), axis=-1).mean(axis=-2)


class Sharpness(NamedTuple):
    """Means over rows of weights."""

    top: float  # largest weight
    entropy: float  # ÷ log n
    effective_keys: float  # exp(mean entropy): how many equal weights would be as sharp


def sharpness_of(weights: np.ndarray) -> Sharpness:
    """How sharp (..., n) weights are."""
    entropy = float(relative_entropy(weights).mean())
    effective = math.exp(entropy * math.log(weights.shape[-1]))
    return Sharpness(float(weights.max(axis=-1).mean()), entropy, effective)


def rms(values: np.ndarray) -> float:
    """Root mean square."""
    return math.sqrt(np.mean(np.square(values)))


def row_norms(x: np.ndarray) -> np.ndarray:
    """Length of each row: (..., rows, d) -> (..., rows)."""
    return np.linalg.norm(x, axis=-1)


def top_share(lengths: np.ndarray, share: float = 0.1) -> float:
    """Which part of the sum of squares do the longest `share` of the rows carry?

    Examples
    --------
    >>> top_share(np.array([3.0, 1, 1, 1, 1, 1, 1, 1, 1, 1]))  # 9 / (9 + 9)
    0.5
    """
    squares = np.sort(np.square(lengths))[::-1]
    total = squares.sum()
    return float(squares[: math.ceil(share * len(squares))].sum() / total) if total > 0 else 0.0
