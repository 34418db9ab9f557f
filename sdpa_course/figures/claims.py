"""The claims about gradients and training at one d_k. For notebook 12."""

import math

import numpy as np

from ..experiments.row_gradients import WithoutScale
from .drawing import styled
from .kit.palette import SCALES, colour
from .rules import RULES

LOWEST = -6.0  # log10 of the smallest ratio that is drawn in its place
QUANTITIES = ("spread of the scores", "mean norm of J", "rms row of dQ", "median row of dQ")
LINES = (("o", "-", "●"), ("s", "-", "■"), ("^", "--", "▲"), ("v", "--", "▼"))  # marker, dash, marker as a letter


@styled
def folk_claims(axes, result: WithoutScale) -> str:
    """What leaving the scale out multiplies things by at one d_k, and what became of it in training."""
    left, right = axes
    factor, edge = result.factor, math.log10(result.factor)
    left.axvspan(LOWEST - 1, -edge, color="#eccfe0", zorder=0)
    left.axvspan(edge, 3, color="#fbe8bd", zorder=0)
    left.axvline(0, color="black", linewidth=1)
    heights = np.arange(len(result.ratios), 0, -1)
    ends = np.log10(np.maximum(result.ratios, 10.0**LOWEST))
    left.hlines(heights, 0, ends, color="C6", linewidth=1.5)
    for marker, shown in (("o", ends > LOWEST), ("<", ends == LOWEST)):  # an arrow where the ratio lies off the chart
        left.plot(ends[shown], heights[shown], marker, color="C0", markersize=10)
    said = []
    for name, ratio, at, y in zip(QUANTITIES, result.ratios, ends, heights, strict=True):
        word = "grows" if at > edge else "shrinks" if at < -edge else "neither"
        left.text(LOWEST - 0.8, y + 0.2, f"{name}: × {ratio:.3g}, {word}", va="bottom", fontsize=12)
        said.append(f"{name} times {ratio:.3g}, {word}")
    left.set(title=f"without ÷ with the scale, $d_k$ = {result.d_k}", xlabel="ratio", ylabel="")
    left.set(xlim=(LOWEST - 1, 3), ylim=(0.1, len(result.ratios) + 0.9), yticks=())
    left.text(LOWEST - 0.8, 0.2, f"← “vanishes”: < 1/{factor:g}", va="bottom", fontsize=10, style="italic")
    left.text(2.9, 0.2, f"“explodes”: > {factor:g} →", ha="right", va="bottom", fontsize=10, style="italic")
    left.set_xticks([-6, -4, -2, 0, 2], ["10⁻⁶", "10⁻⁴", "0.01", "1", "100"])
    heard, key = [], []
    for ((optimiser, scale), line), (marker, dash, sign) in zip(result.learned.items(), LINES, strict=True):
        widths, accuracies, rule = list(line), list(line.values()), RULES[scale]
        right.plot(np.log2(widths), accuracies, color=colour(SCALES[scale][1]), marker=marker, linestyle=dash)
        label = f"{optimiser}, {rule.text}"
        key.append(f"{sign} {label.replace('d_k', 'dₖ')}")
        heard.append(f"{label} {', '.join(f'{accuracy:.2f}' for accuracy in accuracies)}")
    right.axvline(math.log2(result.d_k), color="black", linewidth=1)
    right.set(title="accuracy after training", xlabel="$d_k$", ylabel="", xlim=(-0.4, 12.4), ylim=(0, 1.04))
    right.set_xticks(np.log2(widths), [str(width) for width in widths])
    # One text is drawn in a quarter of a legend's time; white behind it, because the vertical line may run there.
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 2}
    right.text(-0.1, 0.05, "\n".join(key), va="bottom", fontsize=12, linespacing=1.4, bbox=ground)
    return (
        f"Left, at d_k = {result.d_k} with {result.n} keys, what leaving out the scale multiplies by; a factor of "
        f"{factor:g} counts: {'; '.join(said)}. Right, accuracy of trained models at d_k = "
        f"{', '.join(map(str, widths))}: {'; '.join(heard)}; a vertical line marks d_k = {result.d_k}."
    )
