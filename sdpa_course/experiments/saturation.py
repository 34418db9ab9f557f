"""How sharp is attention at initialisation? Top weight, entropy and Jacobian norm. Used in notebooks 00, 03 and 04.

Random queries and keys with independent N(0, 1) entries; scores scaled by a rule of `kernels.scores.SCALES`.

Axes: rows (queries) · n keys
"""

import functools
import math
from typing import NamedTuple

import numpy as np
from tqdm.auto import tqdm

from ..kernels.scores import dot_scores_forward, scale_factor
from ..kernels.softmax import softmax_forward


class Saturation(NamedTuple):
    """One setting, measured over all rows of all seeds; `*_spread` is the standard deviation between seeds."""

    d_k: int
    n: int
    scale: str
    score_variance: float
    top: float  # mean of the largest weight
    entropy: float  # mean entropy ÷ log n: 1 is uniform, 0 is one-hot
    one_hot: float  # share of rows whose largest weight exceeds 0.99
    jacobian: float  # mean Frobenius norm of the softmax Jacobian
    top_spread: float
    entropy_spread: float
    jacobian_spread: float


def relative_entropy(weights: np.ndarray) -> np.ndarray:
    """Entropy of each row ÷ log n, with 0 · log 0 = 0: 1 for uniform weights, 0 for one-hot ones."""
    logs = np.log(weights, where=weights > 0, out=np.zeros_like(weights))
    return (0 - (weights * logs).sum(axis=-1)) / math.log(weights.shape[-1])  # "0 −", lest one-hot gives −0.0


def jacobian_norm(weights: np.ndarray) -> np.ndarray:
    """‖diag(p) − p pᵀ‖_F of each row, without the matrix and without cancellation near one-hot rows.

    Σp²(1 − p)² on the diagonal and 2Σ p_i² p_j² beside it. The largest weight t is taken apart: 1 − t is
    the sum of the others, exact where t rounds to 1, and its products are 2 t² Σ p².
    """
    at = weights.argmax(axis=-1)[..., None]
    top = np.take_along_axis(weights, at, axis=-1)[..., 0]
    rest = weights.copy()
    np.put_along_axis(rest, at, 0.0, axis=-1)
    squares = (rest**2).sum(axis=-1)
    diagonal = (top * rest.sum(axis=-1)) ** 2 + ((rest * (1 - rest)) ** 2).sum(axis=-1)
    beside = 2 * top**2 * squares + np.maximum(squares**2 - (rest**4).sum(axis=-1), 0)
    return np.sqrt(diagonal + beside)


def measure(d_k: int, n: int, scale: str, *, rng, rows: int = 512, seeds: int = 10, d_model: int = 512) -> Saturation:
    """Measure one setting: `rows` queries against `n` keys, drawn afresh `seeds` times."""
    factor = scale_factor(scale, d_k, d_model)
    per_seed = []
    for _ in range(seeds):
        q, k = rng.standard_normal((rows, d_k)), rng.standard_normal((n, d_k))
        scores, _ = dot_scores_forward(q, k, scale=factor)  # (rows, n)
        weights = softmax_forward(scores)
        top = weights.max(axis=-1)
        per_seed.append(
            (
                scores.var(),
                top.mean(),
                relative_entropy(weights).mean(),
                (top > 0.99).mean(),
                jacobian_norm(weights).mean(),
            )
        )
    variance, top, entropy, one_hot, jacobian = np.mean(per_seed, axis=0).tolist()
    _, top_spread, entropy_spread, _, jacobian_spread = np.std(per_seed, axis=0, ddof=1).tolist()
    return Saturation(
        d_k, n, scale, variance, top, entropy, one_hot, jacobian, top_spread, entropy_spread, jacobian_spread
    )


def sweep(widths, keys, scales, *, rng, progress: bool = True, **keywords) -> list[Saturation]:
    """`measure` for every combination of d_k, number of keys and scale."""
    settings = [(d_k, n, scale) for scale in scales for n in keys for d_k in widths]
    return [measure(*setting, rng=rng, **keywords) for setting in tqdm(settings, disable=not progress, leave=False)]


def by_rank(weights: np.ndarray) -> np.ndarray:
    """The largest weight averaged over the queries, the second largest, and so on: (..., queries, n) -> (..., n)."""
    return -np.sort(-np.asarray(weights), axis=-1).mean(axis=-2)


class RankedWeights(NamedTuple):
    """Average weights over the keys, largest first, and the scores they come from."""

    score_std: float
    weights: np.ndarray  # (n,)

    @property
    def largest(self) -> float:
        """The largest weight of a query, on average."""
        return float(self.weights[0])


class Collapse(NamedTuple):
    """The same queries and keys without and with the scale 1/√d_k."""

    d_k: int
    sigma: float  # standard deviation of the entries of queries and keys
    unscaled: RankedWeights
    scaled: RankedWeights


@functools.lru_cache(maxsize=16)
def scores_of_own_keys(d_k: int, queries: int, keys: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(queries, keys) scores of N(0, 1) vectors: unscaled, and with the kernel's own 1/√d_k.

    Each query has keys of its own. If they shared them, the few numbers that make up a key at small d_k would decide
    the picture.
    """
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((queries, 1, d_k)), rng.standard_normal((queries, keys, d_k))
    return dot_scores_forward(q, k, scale=1)[0][:, 0], dot_scores_forward(q, k)[0][:, 0]


def collapse(d_k: int = 64, sigma: float = 1.0, *, queries: int = 200, keys: int = 16, seed: int = 0) -> Collapse:
    """Softmax of random scores at one d_k, without and with the scale."""
    scores = scores_of_own_keys(d_k, queries, keys, seed)
    scores = [sigma**2 * each for each in scores]  # σ on q and σ on k: σ² on every product
    return Collapse(d_k, sigma, *(RankedWeights(float(s.std()), by_rank(softmax_forward(s))) for s in scores))
