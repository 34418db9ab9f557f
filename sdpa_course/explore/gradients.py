"""Notebook 06: move d_k, the scale and the number of keys, and see how the gradient is spread over the queries."""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..experiments.gradients import D_V, DEAD, rms, top_share
from ..figures.drawing import Canvas, View
from ..figures.gradients import LOOKS, row_histogram
from ..kernels.scores import scale_factor
from ..kernels.softmax import softmax_backward, softmax_forward
from .explorer import Explorer, steps_slider

WIDTHS = tuple(2**i for i in range(13))
KEYS = (8, 16, 32, 64, 128, 256)
ROWS = 400
canvas = Canvas(size=(9, 4.4))


class Products(NamedTuple):
    """Dot products for every width at once."""

    queries: np.ndarray  # (widths, ROWS, most keys), of queries with keys
    keys: np.ndarray  # (widths, most keys, most keys), of keys with keys
    dweights: np.ndarray  # (ROWS, most keys)


@functools.cache
def products() -> Products:
    """One draw at the greatest width and the most keys; smaller settings are parts of it.

    So d_k, the scale and n move alone, and a slider finds every product ready: that of a width is the sum over
    its first columns, each block of them added once.
    """
    rng = np.random.default_rng(6)
    q, k = rng.standard_normal((ROWS, WIDTHS[-1])), rng.standard_normal((KEYS[-1], WIDTHS[-1]))
    v, dout = rng.standard_normal((KEYS[-1], D_V)), rng.standard_normal((ROWS, D_V)) / math.sqrt(D_V)
    blocks = [slice(start, end) for start, end in zip((0, *WIDTHS), WIDTHS, strict=False)]
    queries, keys = (np.cumsum([x[:, block] @ k[:, block].T for block in blocks], axis=0) for x in (q, k))
    return Products(queries, keys, dout @ v.T)


@functools.lru_cache(maxsize=64)
def row_lengths(d_k: int, scale: str, n: int) -> np.ndarray:
    """(ROWS,) lengths of the rows of dQ = scale · dscores K, by ‖dscores K‖² = dscores (K Kᵀ) dscoresᵀ.

    The n × n table K Kᵀ serves every scale, so a slider need not wait for (ROWS, n) @ (n, d_k) each time.
    """
    queries, keys, dweights = products()
    factor, at = scale_factor(scale, d_k), WIDTHS.index(d_k)
    weights = softmax_forward(queries[at, :, :n] * factor)
    dscores = softmax_backward(dweights[:, :n], weights)
    squares = ((dscores @ keys[at, :n, :n]) * dscores).sum(axis=-1)
    return factor * np.sqrt(np.maximum(squares, 0))  # rounding may dip below 0


def gradients_view(d_k: int = 512, scale: str = "1", n: int = 64) -> View:
    """The lengths of 400 rows of dQ as a histogram, beside those of the same layer with 1/√d_k."""
    lengths, reference = row_lengths(d_k, scale, n), row_lengths(d_k, "1/sqrt(d_k)", n)
    numbers = {
        "root mean square": f"{rms(lengths):.3g}",
        "median": f"{np.median(lengths):.3g}",
        f"dead rows (below {DEAD})": f"{np.sum(lengths < DEAD)} of {ROWS}",
        "longest tenth carries": f"{top_share(lengths):.1%} of the squares",
    }
    draw = functools.partial(row_histogram, d_k=d_k, scale=scale, n=n)
    return canvas.view(draw, lengths, reference, numbers=numbers)


def gradients_explorer() -> Explorer:
    """Sliders over d_k and the number of keys, and a choice of scale."""
    return Explorer(
        gradients_view,
        d_k=steps_slider("d_k", WIDTHS, 512),
        scale=steps_slider("scale", LOOKS, "1"),
        n=steps_slider("number of keys", KEYS, 64),
    )
