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
from ..kernels.softmax import softmax_forward, softmax_jacobian


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


class SoftmaxAtTemperature(NamedTuple):
    """A few scores and their softmax."""

    temperature: float
    scores: np.ndarray  # (n,)
    weights: np.ndarray  # (n,)
    sharpness: Sharpness


def softmax_at_temperature(temperature: float = 1, shift: int = 0) -> SoftmaxAtTemperature:
    """Softmax of seven scores, all moved by `shift`, at one temperature."""
    scores = np.array([3.0, 2.0, 1.5, 0.5, 0.0, -1.0, -2.0]) + shift
    weights = softmax_forward(scores / temperature)
    return SoftmaxAtTemperature(temperature, scores, weights, sharpness_of(weights))


class RandomWeights(NamedTuple):
    """Weights of random queries over n random keys, one draw."""

    d_k: int
    n: int
    scale: str
    by_rank: np.ndarray  # (n,), mean over the queries
    top: np.ndarray  # (queries,), largest weight of each
    sharpness: Sharpness


MOST_KEYS, MOST_WIDTH = 512, 4096


@functools.cache
def random_vectors(queries: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Queries and keys of the greatest width. Narrower ones are their first columns, so that only d_k changes."""
    rng = np.random.default_rng(seed)
    return tuple(rng.standard_normal((rows, MOST_WIDTH), dtype=np.float32) for rows in (queries, MOST_KEYS))


@functools.lru_cache(maxsize=32)
def random_products(d_k: int, n: int, queries: int, seed: int) -> np.ndarray:
    """(queries, n) dot products of vectors of width d_k."""
    q, k = random_vectors(queries, seed)
    return dot_scores_forward(q[:, :d_k], k[:n, :d_k], scale=1)[0].astype(np.float64)


def random_weights(
    d_k: int = 64, scale: str = "1/sqrt(d_k)", n: int = 64, *, queries: int = 200, seed: int = 3
) -> RandomWeights:
    """Weights of random queries and keys at one d_k and scale."""
    weights = softmax_forward(random_products(d_k, n, queries, seed) * scale_factor(scale, d_k))
    return RandomWeights(d_k, n, scale, by_rank(weights), weights.max(axis=-1), sharpness_of(weights))


class SoftmaxJacobian(NamedTuple):
    """Weights and how they answer to the scores."""

    weights: np.ndarray  # (n,)
    jacobian: np.ndarray  # (n, n), ∂weight i / ∂score j
    norm: float  # Frobenius
    largest_eigenvalue: float


def jacobian_of_four(first: float = 2.0, second: float = 1.0) -> SoftmaxJacobian:
    """The softmax Jacobian for the scores (first, second, 0, 0)."""
    scores = np.array([first, second, 0.0, 0.0])
    weights, jacobian = softmax_forward(scores), softmax_jacobian(scores)
    return SoftmaxJacobian(weights, jacobian, float(jacobian_norm(weights)), float(np.linalg.eigvalsh(jacobian)[-1]))
