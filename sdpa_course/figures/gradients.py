"""The histogram behind the slider of notebook 06: how long the rows of dQ are."""

import math

import numpy as np

from ..experiments.row_gradients import RowLengths
from .drawing import styled
from .rules import RULES

LEAST, MOST, BINS_PER_DECADE = -6, 2, 2  # the histogram's range, as powers of ten
EDGES = np.linspace(LEAST, MOST, (MOST - LEAST) * BINS_PER_DECADE + 1)
BELOW = (LEAST - 0.9, LEAST - 0.4)  # where the bar of the rows below the range stands


@styled
def row_histogram(ax, result: RowLengths) -> str:
    """How long are the rows of dQ? A histogram over powers of ten, a bar for what's below; with 1/√d_k as outline."""
    rule = RULES[result.scale]
    (share, below), (other, other_below) = shares(result.lengths), shares(result.reference)
    ax.stairs(share, EDGES, color=rule.colour, fill=True, alpha=0.55, label=f"rows, {rule.title}")
    ax.stairs([below], BELOW, color=rule.colour, fill=True, alpha=0.55, hatch="///")
    ax.stairs(other, EDGES, color="black", lw=1.4, label="for comparison: 1/√$d_k$")
    for value, style, name in ((result.rms, "-", "root mean square"), (result.median, "--", "median")):
        ax.vlines(place(value), 0, 1, color="#7a2d5c", ls=style, lw=2.6, label=name)
    ax.set(title=f"$d_k$ = {result.d_k}, {result.n} keys, {rule.title}")
    ax.set(xlabel="length of a row of $dQ$", ylabel="share of rows", yticks=[0, 0.25, 0.5, 0.75, 1])
    ax.set(xlim=(BELOW[0] - 0.1, MOST + 0.1), ylim=(0, 1.3))
    names = ("below", "0.00001", "0.0001", "0.001", "0.01", "0.1", "1", "10", "100")
    ax.set_xticks([sum(BELOW) / 2, *range(LEAST + 1, MOST + 1)], names)
    ax.legend(loc="upper center", ncols=2)
    return (
        f"A histogram of the lengths of {len(result.lengths)} rows of dQ on a logarithmic axis from 0.000001 to 100, "
        f"at d_k = {result.d_k}, {result.n} keys and {rule.words}. {below:.0%} of the rows are below that range; root "
        f"mean square {result.rms:.2g}, median {result.median:.2g}. An outline shows the same layer with scale "
        f"1/√d_k, {other_below:.0%} of it below the range."
    )


def place(length: float) -> float:
    """Where a length stands on the histogram's axis; what is below the range stands in the bar for it."""
    return math.log10(length) if length >= 10**LEAST else sum(BELOW) / 2


def shares(lengths) -> tuple[np.ndarray, float]:
    """Share of rows in each bin (what is above the range goes into the last one), and below the range."""
    kept = np.asarray(lengths)[np.asarray(lengths) >= 10.0**LEAST]
    counts = np.histogram(np.clip(np.log10(kept), LEAST, MOST), EDGES)[0]
    return counts / len(lengths), 1 - len(kept) / len(lengths)
