"""All verdicts on one page, and the claims about gradients and training at one d_k. For notebook 11."""

import math
import textwrap

import numpy as np
from matplotlib.patches import FancyBboxPatch

from .drawing import styled
from .rules import RULES

# verdict -> (symbol, fill, edge): colour, symbol and word say the same.
LOOKS = {
    "holds": ("✓", "#cfe3f1", "#0072B2"),
    "half true": ("◐", "#fbe8bd", "#E69F00"),
    "fails": ("✗", "#eccfe0", "#a5447c"),
}
SIDE = 0.06  # of a tile's place, left free around it
LOWEST = -6.0  # log10 of the smallest ratio that is drawn in its place
QUANTITIES = ("spread of the scores", "mean norm of J", "rms row of dQ", "median row of dQ")
LINES = (("o", "-", "●"), ("s", "-", "■"), ("^", "--", "▲"), ("v", "--", "▼"))  # marker, dash, marker as a letter


@styled
def verdict_grid(ax, groups: dict) -> str:
    """One tile for each claim, one row for each theme.

    Parameters
    ----------
    ax : matplotlib axes
    groups : dict of theme -> list of (id, a few words, verdict)
    """
    columns = max(len(tiles) for tiles in groups.values())
    counts = dict.fromkeys(LOOKS, 0)
    for row, (theme, tiles) in enumerate(groups.items()):
        y = len(groups) - row - 1
        ax.text(
            -0.1, y + 0.5, theme.replace(" and ", "\nand ").replace(", ", ",\n"), ha="right", va="center", fontsize=13
        )
        for x, (name, words, verdict) in enumerate(tiles):
            symbol, fill, edge = LOOKS[verdict]
            counts[verdict] += 1
            box = FancyBboxPatch(
                (x + SIDE, y + SIDE),
                1 - 2 * SIDE,
                1 - 2 * SIDE,
                boxstyle="round,pad=0,rounding_size=0.06",
                facecolor=fill,
                edgecolor=edge,
                linewidth=1.6,
            )
            ax.add_patch(box)
            ax.text(x + 0.12, y + 0.84, name, ha="left", va="top", fontsize=13, fontweight="bold")
            ax.text(x + 0.88, y + 0.86, symbol, ha="right", va="top", fontsize=18, color="black")
            lines = "\n".join(textwrap.wrap(words, 13))
            ax.text(x + 0.5, y + 0.45, lines, ha="center", va="center", fontsize=10, linespacing=1.1)
            ax.text(x + 0.5, y + 0.1, verdict, ha="center", va="bottom", fontsize=11, style="italic")
    ax.set(xlim=(-1.25, columns), ylim=(0, len(groups)))
    ax.axis("off")
    listed = "; ".join(
        f"{verdict}: {', '.join(name for tiles in groups.values() for name, _, v in tiles if v == verdict)}"
        for verdict in LOOKS
    )
    total = sum(counts.values())
    parts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    return f"A grid of {total} tiles, one for each claim, in {len(groups)} rows by theme: {parts}. {listed}."


@styled
def folk_claims(axes, result) -> str:
    """What leaving the scale out multiplies things by at one d_k, and what became of it in training.

    Parameters
    ----------
    axes : two matplotlib axes
    result : experiments.row_gradients.WithoutScale
    """
    left, right = axes
    factor, edge = result.factor, math.log10(result.factor)
    left.axvspan(LOWEST - 1, -edge, color="#eccfe0", zorder=0)
    left.axvspan(edge, 3, color="#fbe8bd", zorder=0)
    left.axvline(0, color="black", linewidth=1)
    heights = range(len(result.ratios), 0, -1)
    ends = [max(math.log10(ratio), LOWEST) if ratio > 0 else LOWEST for ratio in result.ratios]
    left.hlines(heights, 0, ends, color="C6", linewidth=1.5)
    for marker, beyond in (("o", False), ("<", True)):  # an arrow where the ratio lies off the chart
        shown = [(at, y) for at, y in zip(ends, heights, strict=True) if (at == LOWEST) == beyond]
        if shown:
            left.plot(*zip(*shown, strict=True), color="C0", marker=marker, markersize=10, linestyle="")
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
    for line, (marker, dash, sign) in zip(result.learned, LINES, strict=True):
        widths, rule = line.widths, RULES[line.scale]
        right.plot(np.log2(widths), line.accuracies, color=rule.colour, marker=marker, linestyle=dash)
        label = f"{line.optimiser}, {rule.text}"
        key.append(f"{sign} {label.replace('d_k', 'dₖ')}")
        heard.append(f"{label} {', '.join(f'{accuracy:.2f}' for accuracy in line.accuracies)}")
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
