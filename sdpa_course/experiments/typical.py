"""One query and sixteen keys while d_k grows: a single draw, chosen by a rule. Used in notebook 00.

A single draw is no average, and most look like noise. The rule: of 10,000 draws, take the one whose largest weights,
without and with the scale, at d_k = 1, 2, 4 … 512, come nearest to the averages of all of them.

Axes: 16 keys · 512 columns
"""

import functools
from typing import NamedTuple

import numpy as np

from ..kernels.softmax import softmax_forward

KEYS, DRAWS, SEED = 16, 10_000, 0
WIDTHS = tuple(2**i for i in range(10))
TYPICAL = 62  # what `nearest_draw` finds; a test runs it


class OneCollapse(NamedTuple):
    """One query's scores and weights at one width."""

    d_k: float  # between two whole numbers while a loop is on its way
    raw: np.ndarray  # (keys,), q·k
    divided: np.ndarray  # (keys,), by √d_k

    @property
    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """(keys,) without and with the scale."""
        return softmax_forward(self.raw), softmax_forward(self.divided)


@functools.lru_cache(maxsize=4)
def walk(draw: int) -> np.ndarray:
    """(keys, 513) dot products of a query's and its keys' first 0, 1, 2 … 512 columns."""
    rng = np.random.default_rng((SEED, draw))
    terms = rng.standard_normal(WIDTHS[-1]) * rng.standard_normal((KEYS, WIDTHS[-1]))
    return np.cumsum(np.pad(terms, ((0, 0), (1, 0))), axis=1)


def one_collapse(d_k: float = 64, draw: int = TYPICAL) -> OneCollapse:
    """The chosen draw at one width. Between two widths, the next column's term has been added in part."""
    sums, whole = walk(draw), int(d_k)
    raw = sums[:, whole]
    if d_k > whole:
        raw = raw + (d_k - whole) * (sums[:, whole + 1] - raw)
    return OneCollapse(d_k, raw, raw / np.sqrt(d_k))


def nearest_draw() -> int:
    """The draw that the rule chooses."""
    raw = np.stack([walk(draw)[:, WIDTHS].T for draw in range(DRAWS)])  # (draws, widths, keys)
    roots = np.sqrt(WIDTHS)[:, None]
    tops = np.stack([softmax_forward(scores).max(axis=-1) for scores in (raw, raw / roots)], axis=-1)
    return int(((tops - tops.mean(axis=0)) ** 2).sum(axis=(1, 2)).argmin())
