"""Softmax of random scores, with and without the scale: what the sliders of notebooks 00, 03 and 04 show.

Random queries and keys with independent N(0, 1) entries; scores scaled by a rule of `kernels.scores.SCALES`.

Axes: rows (queries) · n keys
"""

import functools
from typing import NamedTuple

import numpy as np

from ..kernels.scores import dot_scores_forward, scale_factor
from ..kernels.softmax import softmax_forward, softmax_jacobian
from .metrics import Sharpness, by_rank, jacobian_norm, sharpness_of


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
