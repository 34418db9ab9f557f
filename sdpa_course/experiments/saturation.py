"""Softmax of random scores, with and without the scale: what notebooks 00, 03 and 04 show.

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


@functools.lru_cache(maxsize=2)
def unit_scores(queries: int, keys: int, seed: int) -> np.ndarray:
    """(queries, keys) scores of queries of length 1, with N(0, 1) keys: N(0, 1) themselves."""
    return np.random.default_rng(seed).standard_normal((queries, keys), dtype=np.float32)


def collapse(d_k: int = 64, sigma: float = 1.0, *, queries: int = 20_000, keys: int = 16, seed: int = 0) -> Collapse:
    """Softmax of random scores at one d_k, without and with the scale.

    Given q, its scores with N(0, 1) keys are independent and N(0, ‖q‖²). So it's enough to draw the length of q, and
    the keys needn't be drawn at all, which is why a slider can afford thousands of queries.
    """
    lengths = np.sqrt(np.random.default_rng((seed, d_k)).chisquare(d_k, (queries, 1))).astype(np.float32)
    raw = np.float32(sigma**2) * lengths * unit_scores(queries, keys, seed)  # σ on q and on k: σ² on every product
    scores = raw, raw / np.float32(np.sqrt(d_k))
    return Collapse(d_k, sigma, *(RankedWeights(float(s.std()), by_rank(softmax_forward(s))) for s in scores))


class ThreeKeys(NamedTuple):
    """Many queries with three keys each, at one width."""

    d_k: float  # between two whole numbers while a loop is on its way
    raw: np.ndarray  # (queries, 3), q·k
    divided: np.ndarray  # (queries, 3), by √d_k

    @property
    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """(queries, 3) without and with the scale."""
        return softmax_forward(self.raw), softmax_forward(self.divided)


@functools.lru_cache(maxsize=2)
def growing_products(queries: int, widest: int, seed: int) -> np.ndarray:
    """(queries, 3, widest + 1) dot products of the first 0, 1, 2 … columns of queries and keys."""
    rng = np.random.default_rng(seed)
    terms = rng.standard_normal((queries, 1, widest)) * rng.standard_normal((queries, 3, widest))
    return np.cumsum(np.pad(terms, ((0, 0), (0, 0), (1, 0))), axis=-1)


def three_keys(d_k: float = 64, *, queries: int = 120, widest: int = 512, seed: int = 3) -> ThreeKeys:
    """The same queries and keys at one width. Between two widths, the next column's term has been added in part."""
    sums, whole = growing_products(queries, widest, seed), int(d_k)
    raw = sums[..., whole]
    if d_k > whole:
        raw = raw + (d_k - whole) * (sums[..., whole + 1] - raw)
    return ThreeKeys(d_k, raw, raw / np.sqrt(d_k))


def lost_rows(function, d_k: int, *, scale: str = "1", dtype=np.float32, seed: int = 6) -> float:
    """Share of rows, of 10 draws of 200 queries with 64 keys, that don't add up to 1 any more.

    Either a weight is nan, because infinity was divided by infinity, or only the sum was infinite, and all are 0.
    """
    rng = np.random.default_rng(seed)
    shares = []
    for _ in range(10):
        q, k = rng.standard_normal((200, d_k)), rng.standard_normal((64, d_k))
        scores, _ = dot_scores_forward(q, k, scale=scale_factor(scale, d_k))
        with np.errstate(over="ignore", invalid="ignore"):
            total = function(scores.astype(dtype)).sum(axis=-1)
        shares.append((np.isnan(total) | (total == 0)).mean())
    return float(np.mean(shares))


def share_by_deviation(deviations, n: int, *, rows: int = 2000, seed: int = 10) -> np.ndarray:
    """Effective keys ÷ n for n normal scores of each standard deviation: e^H on average in the logarithm."""
    z = np.random.default_rng(seed).standard_normal((rows, n))
    effective = [sharpness_of(softmax_forward(deviation * z)).effective_keys for deviation in deviations]
    return np.array(effective) / n


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


def random_weights(d_k: int = 64, scale: str = "1", n: int = 64, *, queries: int = 200, seed: int = 3) -> RandomWeights:
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
