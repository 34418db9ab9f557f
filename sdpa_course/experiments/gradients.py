"""Where does the gradient on the queries come from, and which positions get it? Used in notebook 06.

In the random layers of `layers.py`, what reaches a row of Q is a product of three things:

    dweights  →  through the softmax Jacobian  →  times scale  →  times K

Axes: rows (queries) · n keys · d_k, d_v widths
"""

import math
from typing import NamedTuple

import numpy as np

from ..kernels.scores import scale_factor
from .estimates import Estimate
from .layers import draw_layer
from .metrics import jacobian_norm, rms, row_norms

IGNORED = 0.01  # a key with a smaller weight than this is hardly looked at


class GradientFactors(NamedTuple):
    """What multiplies what on the way to dQ: root mean squares over all rows of all draws."""

    d_k: int
    n: int
    scale: str
    factor: float  # the scale as a number
    jacobian: Estimate  # ‖J‖_F of a row
    dscores: Estimate  # length of a row of dscores
    key: Estimate  # length of a key
    dq: Estimate  # length of a row of dQ
    dk: Estimate  # length of a row of dK

    @property
    def theory(self) -> float:
        """scale · √d_k · ‖J‖_F: what dq is if neither dweights nor dscores knows anything of the keys."""
        return self.factor * math.sqrt(self.d_k) * self.jacobian.mean


class GradientPositions(NamedTuple):
    """Who gets the gradient, position by position; ignored means a weight below `IGNORED`."""

    d_k: int
    scale: str
    rows: int
    ignored: float  # share of the (query, key) pairs that are ignored
    carried: float  # share of Σ dscores² that these pairs carry
    busy: float  # share of the pairs, busiest first, that carry 90 % of Σ dscores²
    lonely: float  # share of the keys that every query ignores
    dk_lonely: float  # rms length of their rows of dK ÷ that of the other keys (nan if there are none)
    dv_lonely: float  # the same for dV


def measure_factors(d_k: int, n: int, scale: str, *, rng, rows: int = 512, seeds: int = 10) -> GradientFactors:
    """The factors whose product is the gradient on Q, each measured by itself."""
    factor = scale_factor(scale, d_k)
    draws = []
    for _ in range(seeds):
        layer = draw_layer(d_k, n, factor, rng=rng, rows=rows)
        lengths = map(row_norms, (layer.dscores, layer.k, layer.dq, layer.dk))
        draws.append([rms(jacobian_norm(layer.weights)), *map(rms, lengths)])
    found = [Estimate.of(column)._replace(mean=rms(column)) for column in np.transpose(draws)]
    return GradientFactors(d_k, n, scale, factor, *found)


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
        d_k,
        scale,
        rows,
        float(ignored.mean()),
        float(squares[ignored].sum() / squares.sum()),
        float((np.searchsorted(shares, 0.9) + 1) / shares.size),
        float(lonely.mean()),
        *ratios,
    )
