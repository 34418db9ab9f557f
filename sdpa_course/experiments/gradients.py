"""Where does the gradient on the queries come from, and which positions get it? Used in notebook 06.

In the random layers of `layers.py`, what reaches a row of Q is a product of three things:

    dweights  →  through the softmax Jacobian  →  times scale  →  times K

Axes: rows (queries) · n keys · d_k, d_v widths
"""

import math
from typing import NamedTuple

import numpy as np

from ..kernels.scores import dot_scores_forward, scale_factor
from ..kernels.threads import one_blas_thread
from .layers import D_V, draw_layer, draw_values, row_statistics, run_layer
from .metrics import jacobian_norm, rms, row_norms

IGNORED = 0.01  # a key with a smaller weight than this is hardly looked at


class PooledRows(NamedTuple):
    """The rows of several random layers with one scale, one layer after the other."""

    d_k: int
    n: int
    scale: str
    factor: float  # the scale as a number
    lengths: np.ndarray  # (draws · rows,), of the rows of dQ
    slopes: np.ndarray  # (draws · rows,), ‖J‖ of softmax
    gaps: np.ndarray  # (draws · rows,), between the two best scores
    tops: np.ndarray  # (draws · rows,), largest weights
    keys: np.ndarray  # (draws · n,), lengths of the keys
    dk: np.ndarray  # (draws · n,), lengths of the rows of dK

    @property
    def theory(self) -> float:
        """‖J‖ · scale · √d_k: the rms of `lengths` if neither dweights nor dscores knows anything of the keys."""
        return rms(self.slopes) * self.factor * math.sqrt(self.d_k)

    @property
    def dead(self) -> float:
        """Share of the rows below a hundredth of their own root mean square."""
        return row_statistics(self.lengths)["dead"]


class GradientPositions(NamedTuple):
    """Who gets the gradient, position by position; ignored means a weight below `IGNORED`."""

    ignored: float  # share of the (query, key) pairs that are ignored
    carried: float  # share of Σ dscores² that these pairs carry
    busy: float  # share of the pairs, busiest first, that carry 90 % of Σ dscores²
    lonely: float  # share of the keys that every query ignores
    dk_lonely: float  # rms length of their rows of dK ÷ that of the other keys (nan if there are none)
    dv_lonely: float  # the same for dV


def pool_rows(d_k: int, scales, *, rng, n: int = 64, rows: int = 512, draws: int = 20) -> dict[str, PooledRows]:
    """Scale -> the rows of `draws` layers. All scales see the same layers, so any difference is the scale's doing."""
    found: dict[str, list] = {scale: [] for scale in scales}
    for _ in range(draws):
        q, k = rng.standard_normal((rows, d_k)), rng.standard_normal((n, d_k))
        values = draw_values(rows, n, D_V, rng=rng)
        best = np.sort(dot_scores_forward(q, k, scale=1)[0], axis=1)[:, -2:]  # (rows, 2)
        gaps, keys = best[:, 1] - best[:, 0], row_norms(k)
        for scale in scales:
            factor = scale_factor(scale, d_k)
            with one_blas_thread():  # the products are small: threads would mostly wait for each other
                layer = run_layer(q, k, *values, factor)
            slopes, tops = jacobian_norm(layer.weights), layer.weights.max(axis=1)
            found[scale].append((row_norms(layer.dq), slopes, factor * gaps, tops, keys, row_norms(layer.dk)))
    return {
        scale: PooledRows(d_k, n, scale, scale_factor(scale, d_k), *map(np.concatenate, zip(*parts, strict=True)))
        for scale, parts in found.items()
    }


def measure_positions(d_k: int, n: int, scale: str, *, rng, rows: int = 64, seeds: int = 10) -> GradientPositions:
    """Which pairs and which keys receive the gradient, over `seeds` draws."""
    layers = [draw_layer(d_k, n, scale_factor(scale, d_k), rng=rng, rows=rows) for _ in range(seeds)]
    weights, dscores, dk, dv = (
        np.stack([getattr(layer, name) for layer in layers]) for name in ("weights", "dscores", "dk", "dv")
    )
    ignored, squares = weights < IGNORED, dscores**2  # (seeds, rows, n)
    shares = np.cumsum(np.sort(squares, axis=None)[::-1]) / squares.sum()
    lonely = ignored.all(axis=1)  # (seeds, n): no query looks at this key
    ratios = [math.nan, math.nan]
    if lonely.any() and not lonely.all():
        lengths = map(row_norms, (dk, dv))  # (seeds, n)
        ratios = [rms(length[lonely]) / rms(length[~lonely]) for length in lengths]
    return GradientPositions(
        float(ignored.mean()),
        float(squares[ignored].sum() / squares.sum()),
        float((np.searchsorted(shares, 0.9) + 1) / shares.size),
        float(lonely.mean()),
        *ratios,
    )
