"""Additive attention: how its scores spread, and what they cost beside dot products. For notebook 07 and A3.

    s_ij = vᵀ tanh(W_qᵀ q_i + W_kᵀ k_j)

Queries and keys have N(0, 1) entries, W_q and W_k have N(0, 1/d_k) entries unless told otherwise, so that what goes
into tanh has variance 1 + 1 = 2; v has N(0, σ_v²) entries.

Axes: Tq queries · Tk keys · d_k width · d_a hidden width
"""

import math
from typing import NamedTuple

import numpy as np

from ..kernels.scores import additive_scores_forward, dot_scores_forward
from ..kernels.threads import one_blas_thread
from .estimates import Estimate
from .metrics import rms
from .speed import time_interleaved


class AdditiveSpread(NamedTuple):
    """Scores of `layers` random additive layers."""

    d_a: int
    variance: Estimate  # of all scores, mean over the layers
    in_row: float  # variance within a row: what softmax sees
    bound: float  # mean of ‖v‖₁
    largest: float  # mean over the layers of the largest |score|


class Costs(NamedTuple):
    """What one score matrix takes: element operations, and numbers written."""

    multiplications: int  # by matrix products
    tanh: int
    numbers: int  # written: the scores, and the hidden layer


def draw_additive(
    d_k: int, d_a: int, *, rng, v_std: float = 1.0, w_std: float | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`(w_q, w_k, v)` as the module's text says; `w_std` is the standard deviation in w_q and w_k."""
    w_q, w_k = (1 / math.sqrt(d_k) if w_std is None else w_std) * rng.standard_normal((2, d_k, d_a))
    return w_q, w_k, v_std * rng.standard_normal(d_a)


def mean_tanh_square(variance: float = 2.0) -> float:
    """E[tanh²(u)] for u ~ N(0, variance), by quadrature.

    Examples
    --------
    >>> round(mean_tanh_square(), 4)
    0.52
    """
    points, weights = np.polynomial.hermite_e.hermegauss(101)
    return float((weights * np.tanh(math.sqrt(variance) * points) ** 2).sum() / weights.sum())


def measure_spread(
    d_k: int, d_a: int, *, rng, v_std: float = 1.0, w_std: float | None = None, queries=24, keys=32, layers=60
) -> AdditiveSpread:
    """Draw layers, queries and keys afresh, `layers` times."""
    rows = []
    for _ in range(layers):
        w_q, w_k, v = draw_additive(d_k, d_a, rng=rng, v_std=v_std, w_std=w_std)
        q, k = rng.standard_normal((queries, d_k)), rng.standard_normal((keys, d_k))
        scores, _ = additive_scores_forward(q, k, w_q, w_k, v)
        # E[s] = 0, since v has mean 0: the mean of the squares is the variance.
        rows.append((rms(scores) ** 2, scores.var(axis=-1, ddof=1).mean(), np.abs(v).sum(), np.abs(scores).max()))
    variance, in_row, bound, largest = map(Estimate.of, np.transpose(rows))
    return AdditiveSpread(d_a, variance, in_row.mean, bound.mean, largest.mean)


def dot_costs(Tq: int, Tk: int, d_k: int) -> Costs:
    """q kᵀ: one matrix product, and the scores themselves to write.

    Examples
    --------
    >>> dot_costs(2, 3, 4)
    Costs(multiplications=24, tanh=0, numbers=6)
    """
    return Costs(Tq * Tk * d_k, 0, Tq * Tk)


def additive_costs(Tq: int, Tk: int, d_k: int, d_a: int) -> Costs:
    """Two projections, one tanh for every pair and hidden unit, one product with v.

    Examples
    --------
    >>> additive_costs(2, 3, 4, 5)
    Costs(multiplications=130, tanh=30, numbers=36)
    """
    pairs = Tq * Tk * d_a
    return Costs((Tq + Tk) * d_k * d_a + pairs, pairs, pairs + Tq * Tk)


def scoring_times(lengths, *, rng, d_k: int = 64, d_a: int = 64, repeats: int = 3) -> list[tuple[float, float]]:
    """Seconds for the n × n scores, `(dot, additive)` for each n: the best of a few runs, on one thread."""
    layer = draw_additive(d_k, d_a, rng=rng, v_std=1 / math.sqrt(d_a))
    times = []
    for n in lengths:
        q, k = rng.standard_normal((2, n, d_k))
        contestants = {
            "dot": lambda q=q, k=k: dot_scores_forward(q, k),
            "additive": lambda q=q, k=k: additive_scores_forward(q, k, *layer),
        }
        with one_blas_thread():  # NumPy's tanh has one thread as well
            measured = time_interleaved(contestants, repeats)
        times.append((measured["dot"].least, measured["additive"].least))
    return times
