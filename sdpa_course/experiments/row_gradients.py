"""One random layer at every d_k, scale and number of keys: how long are the rows of dQ? Used in notebooks 06 and 11.

The layers of `layers.py`, but everything is drawn once, at the greatest width and with the most keys. A smaller layer
is a part of it, so that d_k, the scale or n changes and nothing else.

Axes: rows (queries) · n keys
"""

import functools
from typing import NamedTuple

import numpy as np

from ..kernels.scores import scale_factor
from ..kernels.softmax import softmax_backward, softmax_forward
from .ablation import PLAIN, REVERSE_GRIDS, choose, stored_cells
from .layers import D_V, draw_values, row_statistics
from .metrics import jacobian_norm, rms

WIDTHS = tuple(2**i for i in range(13))
KEYS = (8, 16, 32, 64, 128, 256)
ROWS = 400


class Products(NamedTuple):
    """Dot products for every width at once."""

    queries: np.ndarray  # (widths, ROWS, most keys), of queries with keys
    keys: np.ndarray  # (widths, most keys, most keys), of keys with keys
    dweights: np.ndarray  # (ROWS, most keys)


@functools.cache
def products(seed: int = 6) -> Products:
    """Those of one draw. A width's are the sum over its first columns, and each block of columns is added once."""
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((ROWS, WIDTHS[-1])), rng.standard_normal((KEYS[-1], WIDTHS[-1]))
    v, dout = draw_values(ROWS, KEYS[-1], D_V, rng=rng)
    blocks = [slice(start, end) for start, end in zip((0, *WIDTHS), WIDTHS, strict=False)]
    queries, keys = (np.cumsum([x[:, block] @ k[:, block].T for block in blocks], axis=0) for x in (q, k))
    return Products(queries, keys, dout @ v.T)


@functools.lru_cache(maxsize=64)
def row_lengths(d_k: int, scale: str, n: int, seed: int = 6) -> np.ndarray:
    """(ROWS,) lengths of the rows of dQ = scale · dscores K, by ‖dscores K‖² = dscores (K Kᵀ) dscoresᵀ.

    The n × n table K Kᵀ serves every scale, so a slider needn't wait for (ROWS, n) @ (n, d_k) each time.
    """
    queries, keys, dweights = products(seed)
    factor, at = scale_factor(scale, d_k), WIDTHS.index(d_k)
    weights = softmax_forward(queries[at, :, :n] * factor)
    dscores = softmax_backward(dweights[:, :n], weights)
    squares = ((dscores @ keys[at, :n, :n]) * dscores).sum(axis=-1)
    return factor * np.sqrt(np.maximum(squares, 0))  # rounding may dip below 0


class RowLengths(NamedTuple):
    """The lengths of the rows of dQ, beside those of the same layer with 1/√d_k."""

    d_k: int
    n: int
    scale: str
    lengths: np.ndarray  # (rows,)
    reference: np.ndarray  # (rows,), with 1/√d_k
    rms: float
    median: float
    top_tenth: float  # share of the squares that the longest tenth carries
    dead: float  # share of rows shorter than DEAD · rms


def gradient_rows(d_k: int = 512, scale: str = "1", n: int = 64) -> RowLengths:
    """How the gradient is spread over the queries."""
    lengths, reference = row_lengths(d_k, scale, n), row_lengths(d_k, "1/sqrt(d_k)", n)
    return RowLengths(d_k, n, scale, lengths, reference, **row_statistics(lengths))


class Ratios(NamedTuple):
    """Without the scale ÷ with 1/√d_k."""

    score_std: float
    jacobian: float  # mean ‖J‖_F of softmax
    rms: float  # rows of dQ
    median: float


@functools.lru_cache(maxsize=64)
def ratios(d_k: int, n: int) -> Ratios:
    """What leaving the scale out multiplies by, on one draw."""
    pairs = []
    for scale in PLAIN:
        scores = products().queries[WIDTHS.index(d_k), :, :n] * scale_factor(scale, d_k)
        lengths = row_lengths(d_k, scale, n)
        pairs.append((scores.std(), jacobian_norm(softmax_forward(scores)).mean(), rms(lengths), np.median(lengths)))
    return Ratios(*np.divide(*pairs).tolist())


@functools.cache
def learned() -> dict[tuple[str, str], dict[int, float]]:
    """(optimiser, scale) -> d_k -> mean accuracy of the stored runs of the reverse task."""
    return {
        (optimiser, scale): {
            cell.setting.d_k: cell.mean("accuracy") for cell in choose(stored_cells(grid), scale=scale)
        }
        for optimiser, grid in REVERSE_GRIDS.items()
        for scale in PLAIN
    }


class WithoutScale(NamedTuple):
    """What leaving the scale out does at one d_k."""

    d_k: int
    n: int
    factor: float  # what counts as exploding; one over it, as vanishing
    ratios: Ratios
    learned: dict[tuple[str, str], dict[int, float]]  # what became of it in training


def without_scale(d_k: int = 512, n: int = 64, factor: float = 3) -> WithoutScale:
    """Do gradients explode or vanish without the scale, and does it hurt training?"""
    return WithoutScale(d_k, n, factor, ratios(d_k, n), learned())
