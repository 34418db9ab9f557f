"""The question of the course in one picture: weights without and with the scale, as d_k grows. Notebook 00."""

from itertools import cycle

import numpy as np

from .drawing import styled
from .rules import RULES

TITLES = ("scores as they are", r"scores ÷ $\sqrt{d_k}$")


@styled
def weights_by_width(axes, widths, unscaled, scaled) -> str:
    """Average attention weights, largest first, for several d_k: unscaled on the left, scaled on the right.

    Parameters
    ----------
    axes : two matplotlib axes that share their y axis
    widths : sequence of int
        The values of d_k.
    unscaled, scaled : (len(widths), n) arrays
        Average weights, largest first (`experiments.saturation.by_rank`).
    """
    tops = []
    for ax, ranked, title in zip(axes, map(np.asarray, (unscaled, scaled)), TITLES, strict=True):
        for d_k, row, marker in zip(widths, ranked, cycle("osD^v"), strict=False):
            ax.plot(np.arange(1, len(row) + 1), row, marker=marker, label=f"$d_k$ = {d_k}")
        label_ranks(ax, title, ranked.shape[-1])
        tops.append(ranked[:, 0])
    axes[0].set_ylabel("average weight")
    axes[0].legend()
    return (
        f"Two line charts of the average attention weights over {ranked.shape[-1]} keys, largest first, for d_k = "
        f"{', '.join(map(str, widths))}. Left, without a scale: the largest weight goes from {tops[0][0]:.2f} at "
        f"d_k = {widths[0]} to {tops[0][-1]:.2f} at d_k = {widths[-1]}. Right, divided by the root of d_k: it stays "
        f"between {tops[1].min():.2f} and {tops[1].max():.2f}."
    )


@styled
def weights_beside(axes, result) -> str:
    """Average weights, largest first, as bars for one d_k: unscaled on the left, scaled on the right.

    Parameters
    ----------
    axes : two matplotlib axes that share their y axis
    result : experiments.saturation.Collapse
    """
    sides = ((result.unscaled, "1"), (result.scaled, "1/sqrt(d_k)"))
    for ax, (ranked, scale), title in zip(axes, sides, TITLES, strict=True):
        n = len(ranked.weights)
        ax.vlines(np.arange(1, n + 1), 0, ranked.weights, color=RULES[scale].colour, linewidth=14)  # faster than n bars
        ax.axhline(1 / n, color="C6", linestyle="--", linewidth=1.2)
        ax.text(n + 0.5, 1 / n + 0.015, f"all equal: 1/{n}", ha="right", va="bottom", fontsize=12)
        words = f"$d_k$ = {result.d_k}, σ = {result.sigma:g}\nlargest weight {ranked.largest:.2f}"
        ax.text(n + 0.5, 0.95, words, ha="right", va="top")
        label_ranks(ax, title, n)
    axes[0].set_ylabel("average weight")
    return (
        f"Two bar charts of the average attention weights over {n} keys, largest first, at d_k = {result.d_k}, for "
        f"entries of standard deviation {result.sigma:g}. Left, without a scale, the largest weight is "
        f"{result.unscaled.largest:.2f}; right, divided by the root of d_k, it is {result.scaled.largest:.2f}. A "
        f"dashed line marks equal weights, 1/{n}."
    )


def label_ranks(ax, title: str, n: int) -> None:
    """Title, ticks and limits that both figures share, so that they can be compared by eye."""
    ax.set(title=title, xlabel="keys, largest weight first", xlim=(0.2, n + 0.8), ylim=(0, 1.02))
    ax.set_xticks([1, *range(4, n + 1, 4)])
