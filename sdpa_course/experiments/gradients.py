"""How much gradient reaches the queries and keys at initialisation? Used in notebooks 06 and 07.

Q, K, V with independent N(0, 1) entries and an upstream gradient dout ~ N(0, 1)/√d_v, so that an entry of
dweights = dout Vᵀ has variance 1 whatever d_v is. What reaches a row of Q is a product of three things:

    dweights  →  through the softmax Jacobian  →  times scale  →  times K

Axes: rows (queries) · n keys · d_k, d_v widths
"""

import math
from typing import NamedTuple

import numpy as np
from tqdm.auto import tqdm

from ..kernels.scores import scale_factor
from ..kernels.sdpa import attention_backward, attention_forward
from .saturation import jacobian_norm

D_V = 64
DEAD = 0.002  # a row of dQ shorter than this: about a hundredth of a scaled row's, at every d_k


class RowGradients(NamedTuple):
    """One draw: the length of every row of dQ and dK, and the weights they went through."""

    weights: np.ndarray  # (rows, n)
    dq: np.ndarray  # (rows,)
    dk: np.ndarray  # (n,)


class Account(NamedTuple):
    """One setting, measured over `seeds` draws: means over the draws, `*_spread` their standard deviation."""

    d_k: int
    n: int
    scale: str
    jacobian: float  # mean over rows of ‖J‖_F, the softmax Jacobian
    rms: float  # root mean square over rows of ‖dQ row‖
    median: float  # the typical row
    top_tenth: float  # share of Σ‖dQ row‖² that a tenth of the rows carries
    dead: float  # share of rows with ‖dQ row‖ < DEAD
    rms_dk: float  # the same as rms, for the rows of K
    median_dk: float
    jacobian_spread: float
    rms_spread: float
    median_spread: float
    top_tenth_spread: float
    dead_spread: float
    rms_dk_spread: float
    median_dk_spread: float


def rms(lengths: np.ndarray) -> float:
    """Root mean square."""
    return math.sqrt(np.mean(np.square(lengths)))


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


def draw_gradients(d_k: int, n: int, factor: float, *, rng, rows: int = 512, d_v: int = D_V) -> RowGradients:
    """One random layer, forward and backward, with `factor` as its scale."""
    q, k = rng.standard_normal((rows, d_k)), rng.standard_normal((n, d_k))
    v, dout = rng.standard_normal((n, d_v)), rng.standard_normal((rows, d_v)) / math.sqrt(d_v)
    _, cache = attention_forward(q, k, v, scale=factor)
    dq, dk, _ = attention_backward(dout, cache)
    return RowGradients(cache.weights, np.linalg.norm(dq, axis=-1), np.linalg.norm(dk, axis=-1))


def measure(d_k: int, n: int, scale: str, *, rng, rows: int = 512, seeds: int = 10, d_model: int = 512) -> Account:
    """Account for one setting, drawn afresh `seeds` times."""
    factor = scale_factor(scale, d_k, d_model)
    per_seed = []
    for _ in range(seeds):
        weights, dq, dk = draw_gradients(d_k, n, factor, rng=rng, rows=rows)
        per_seed.append(
            (
                jacobian_norm(weights).mean(),
                rms(dq),
                np.median(dq),
                top_share(dq),
                (dq < DEAD).mean(),
                rms(dk),
                np.median(dk),
            )
        )
    return Account(d_k, n, scale, *np.mean(per_seed, axis=0).tolist(), *np.std(per_seed, axis=0, ddof=1).tolist())


def sweep(widths, keys, scales, *, rng, progress: bool = True, **keywords) -> list[Account]:
    """`measure` for every combination of d_k, number of keys and scale."""
    settings = [(d_k, n, scale) for scale in scales for n in keys for d_k in widths]
    return [measure(*setting, rng=rng, **keywords) for setting in tqdm(settings, disable=not progress, leave=False)]
