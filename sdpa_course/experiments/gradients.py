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
from ..kernels.softmax import softmax_backward
from .saturation import jacobian_norm

D_V = 64
DEAD = 0.002  # a row of dQ shorter than this: about a hundredth of a scaled row's, at every d_k
IGNORED = 0.01  # a key with a smaller weight than this is hardly looked at


class Layer(NamedTuple):
    """One random layer after a forward and a backward pass."""

    k: np.ndarray  # (n, d_k)
    weights: np.ndarray  # (rows, n)
    dweights: np.ndarray  # (rows, n)
    dscores: np.ndarray  # (rows, n), before the scale
    dq: np.ndarray  # (rows, d_k)
    dk: np.ndarray  # (n, d_k)
    dv: np.ndarray  # (n, d_v)


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


class Factors(NamedTuple):
    """What multiplies what on the way to dQ: root mean squares over all rows of all draws."""

    d_k: int
    n: int
    scale: str
    factor: float  # the scale as a number
    jacobian: float  # ‖J‖_F of a row
    dscores: float  # length of a row of dscores
    key: float  # length of a key
    dq: float  # length of a row of dQ
    dk: float  # length of a row of dK
    dq_spread: float  # standard deviation between draws
    dk_spread: float

    @property
    def theory(self) -> float:
        """scale · √d_k · ‖J‖_F: what dq is if neither dweights nor dscores knows anything of the keys."""
        return self.factor * math.sqrt(self.d_k) * self.jacobian


class Positions(NamedTuple):
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


def draw_layer(d_k: int, n: int, factor: float, *, rng, rows: int = 512, d_v: int = D_V) -> Layer:
    """One random layer, forward and backward, with `factor` as its scale."""
    q, k = rng.standard_normal((rows, d_k)), rng.standard_normal((n, d_k))
    v, dout = rng.standard_normal((n, d_v)), rng.standard_normal((rows, d_v)) / math.sqrt(d_v)
    _, cache = attention_forward(q, k, v, scale=factor)
    dweights = dout @ v.T
    dscores = softmax_backward(dweights, cache.weights)
    return Layer(k, cache.weights, dweights, dscores, *attention_backward(dout, cache))


def draw_gradients(d_k: int, n: int, factor: float, *, rng, rows: int = 512, d_v: int = D_V) -> RowGradients:
    """The lengths of the rows of dQ and dK of one random layer."""
    layer = draw_layer(d_k, n, factor, rng=rng, rows=rows, d_v=d_v)
    return RowGradients(layer.weights, np.linalg.norm(layer.dq, axis=-1), np.linalg.norm(layer.dk, axis=-1))


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


def measure_factors(d_k: int, n: int, scale: str, *, rng, rows: int = 512, seeds: int = 10) -> Factors:
    """The factors whose product is the gradient on Q, each measured by itself."""
    factor = scale_factor(scale, d_k)
    per_seed = []
    for _ in range(seeds):
        layer = draw_layer(d_k, n, factor, rng=rng, rows=rows)
        rows_of = (np.linalg.norm(x, axis=-1) for x in (layer.dscores, layer.k, layer.dq, layer.dk))
        per_seed.append([rms(jacobian_norm(layer.weights)), *map(rms, rows_of)])
    over_draws = [rms(column) for column in np.transpose(per_seed)]
    spreads = np.std(per_seed, axis=0, ddof=1).tolist()
    return Factors(d_k, n, scale, factor, *over_draws, *spreads[-2:])


def measure_positions(d_k: int, n: int, scale: str, *, rng, rows: int = 64, seeds: int = 10) -> Positions:
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
        lengths = (np.linalg.norm(x, axis=-1) for x in (dk, dv))  # (seeds, n)
        ratios = [rms(length[lonely]) / rms(length[~lonely]) for length in lengths]
    return Positions(
        d_k,
        scale,
        rows,
        float(ignored.mean()),
        float(squares[ignored].sum() / squares.sum()),
        float((np.searchsorted(shares, 0.9) + 1) / shares.size),
        float(lonely.mean()),
        *ratios,
    )
