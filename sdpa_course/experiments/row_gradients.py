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
from .ablation import stored_cells
from .layers import D_V, DEAD, draw_values
from .metrics import jacobian_norm, rms, top_share

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
    dead: int  # rows shorter than DEAD
    top_tenth: float  # share of the squares that the longest tenth carries


def gradient_rows(d_k: int = 512, scale: str = "1", n: int = 64) -> RowLengths:
    """How the gradient is spread over the queries."""
    lengths, reference = row_lengths(d_k, scale, n), row_lengths(d_k, "1/sqrt(d_k)", n)
    dead = int(np.sum(lengths < DEAD))
    return RowLengths(
        d_k, n, scale, lengths, reference, rms(lengths), float(np.median(lengths)), dead, top_share(lengths)
    )


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
    for scale in ("1", "1/sqrt(d_k)"):
        scores = products().queries[WIDTHS.index(d_k), :, :n] * scale_factor(scale, d_k)
        lengths = row_lengths(d_k, scale, n)
        pairs.append((scores.std(), jacobian_norm(softmax_forward(scores)).mean(), rms(lengths), np.median(lengths)))
    return Ratios(*np.divide(*pairs).tolist())


class Learned(NamedTuple):
    """What became of it in training: accuracy of the stored runs of the reverse task."""

    optimiser: str
    scale: str
    widths: tuple[int, ...]
    accuracies: tuple[float, ...]  # means over the seeds


@functools.cache
def learned() -> tuple[Learned, ...]:
    """SGD and Adam, without the scale and with 1/√d_k."""
    found = []
    for optimiser, grid in (("SGD", "reverse"), ("Adam", "reverse, Adam")):
        cells = stored_cells(grid)
        for scale in ("1", "1/sqrt(d_k)"):
            line = [cell for cell in cells if cell.setting.scale == scale]
            means = tuple(float(cell.values("accuracy").mean()) for cell in line)
            found.append(Learned(optimiser, scale, tuple(cell.setting.d_k for cell in line), means))
    return tuple(found)


class WithoutScale(NamedTuple):
    """What leaving the scale out does at one d_k."""

    d_k: int
    n: int
    factor: float  # what counts as exploding; one over it, as vanishing
    ratios: Ratios
    learned: tuple[Learned, ...]
    norm_explodes: bool
    norm_vanishes: bool
    median_vanishes: bool


def without_scale(d_k: int = 512, n: int = 64, factor: float = 3) -> WithoutScale:
    """Do gradients explode or vanish without the scale, and does it hurt training?"""
    found = ratios(d_k, n)
    explodes, vanishes = found.rms > factor, found.rms < 1 / factor
    return WithoutScale(d_k, n, factor, found, learned(), explodes, vanishes, found.median < 1 / factor)
