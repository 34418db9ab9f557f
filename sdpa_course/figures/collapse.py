"""The question of the course in one picture: weights without and with the scale, as d_k grows. Notebook 00."""

import numpy as np

from ..experiments.saturation import Collapse
from .drawing import styled
from .kit.matrices import percent
from .kit.palette import colour

TITLES = ("no scale", r"÷ $\sqrt{d_k}$")


@styled
def weights_beside(axes, result: Collapse) -> str:
    """Average weights, largest first, as bars for one d_k: unscaled on the left, scaled on the right."""
    sides = ((result.unscaled, "nothing"), (result.scaled, "root"))
    for ax, (ranked, name), title in zip(axes, sides, TITLES, strict=True):
        n = len(ranked.weights)
        ax.vlines(np.arange(1, n + 1), 0, ranked.weights, color=colour(name), linewidth=14)  # faster than n bars
        ax.axhline(1 / n, color="C6", linestyle="--", linewidth=1.2)
        ax.text(n + 0.5, 1 / n + 0.015, f"all equal: 1/{n}", ha="right", va="bottom", fontsize=12)
        words = f"$d_k$ = {result.d_k}, $σ$ = {result.sigma:g}\nlargest weight {percent(ranked.largest)}"
        ax.text(n + 0.5, 0.95, words, ha="right", va="top")
        ax.set(title=title, xlabel="keys, largest weight first", xlim=(0.2, n + 0.8), ylim=(0, 1.02))
        ax.set_xticks([1, *range(4, n + 1, 4)])
    axes[0].set_ylabel("average weight")
    return (
        f"Two bar charts of the average attention weights over {n} keys, largest first, at d_k = {result.d_k}, for "
        f"entries of standard deviation {result.sigma:g}. Left, without a scale, the largest weight is "
        f"{percent(result.unscaled.largest)}; right, divided by the root of d_k, it is "
        f"{percent(result.scaled.largest)}. A dashed line marks equal weights, 1/{n}."
    )
