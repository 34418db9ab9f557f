"""All verdicts on one page, and the claims about gradients and training at one d_k. For notebook 11."""

import math
import textwrap

from matplotlib.patches import FancyBboxPatch

from .drawing import styled

# verdict -> (symbol, fill, edge): colour, symbol and word say the same.
LOOKS = {
    "holds": ("✓", "#cfe3f1", "#0072B2"),
    "half true": ("◐", "#fbe8bd", "#E69F00"),
    "fails": ("✗", "#eccfe0", "#a5447c"),
}
SIDE = 0.06  # of a tile's place, left free around it
LOWEST = -6.0  # log10 of the smallest ratio that is drawn in its place


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
def folk_claims(axes, d_k: int, n: int, factor: float, ratios: dict, trained: dict) -> str:
    """What leaving the scale out multiplies things by at one d_k, and what became of it in training.

    Parameters
    ----------
    axes : two matplotlib axes
    d_k, n : int
        Head width and number of keys of the left chart.
    factor : float
        What counts as "explodes"; one over it as "vanishes".
    ratios : dict of name -> unscaled ÷ scaled
    trained : dict of label -> (list of d_k, list of accuracies)
        The first label is that of the unscaled runs.
    """
    left, right = axes
    edge = math.log10(factor)
    left.axvspan(LOWEST - 1, -edge, color="#eccfe0", zorder=0)
    left.axvspan(edge, 3, color="#fbe8bd", zorder=0)
    left.axvline(0, color="black", linewidth=1)
    said, heights = [], range(len(ratios), 0, -1)
    ends = [max(math.log10(ratio), LOWEST) if ratio > 0 else LOWEST for ratio in ratios.values()]
    left.hlines(heights, 0, ends, color="C6", linewidth=1.5)
    for marker, beyond in (("o", False), ("<", True)):  # an arrow where the ratio lies off the chart
        shown = [(at, y) for at, y in zip(ends, heights, strict=True) if (at == LOWEST) == beyond]
        if shown:
            left.plot(*zip(*shown, strict=True), color="C0", marker=marker, markersize=10, linestyle="")
    for (name, ratio), at, y in zip(ratios.items(), ends, heights, strict=True):
        word = "grows" if at > edge else "shrinks" if at < -edge else "neither"
        left.text(LOWEST - 0.8, y + 0.2, f"{name}: × {ratio:.3g}, {word}", va="bottom", fontsize=12)
        said.append(f"{name} times {ratio:.3g}, {word}")
    left.set(title=f"without ÷ with the scale, $d_k$ = {d_k}", xlabel="ratio", ylabel="")
    left.set(xlim=(LOWEST - 1, 3), ylim=(0.1, len(ratios) + 0.9), yticks=())
    left.text(LOWEST - 0.8, 0.2, f"← “vanishes”: < 1/{factor:g}", va="bottom", fontsize=10, style="italic")
    left.text(2.9, 0.2, f"“explodes”: > {factor:g} →", ha="right", va="bottom", fontsize=10, style="italic")
    left.set_xticks([-6, -4, -2, 0, 2], ["10⁻⁶", "10⁻⁴", "0.01", "1", "100"])
    heard, key = [], []
    looks = (("C1", "o", "-", "●"), ("C0", "s", "-", "■"), ("C1", "^", "--", "▲"), ("C0", "v", "--", "▼"))
    for (label, (widths, accuracies)), (colour, marker, line, sign) in zip(trained.items(), looks, strict=True):
        places = [math.log2(width) for width in widths]
        right.plot(places, accuracies, color=colour, marker=marker, linestyle=line)
        key.append(f"{sign} {label}")
        heard.append(f"{label} {', '.join(f'{accuracy:.2f}' for accuracy in accuracies)}")
    right.axvline(math.log2(d_k), color="black", linewidth=1)
    right.set(title="accuracy after training", xlabel="$d_k$", ylabel="", xlim=(-0.4, 12.4), ylim=(0, 1.04))
    right.set_xticks([math.log2(width) for width in widths], [str(width) for width in widths])
    # One text is drawn in a quarter of a legend's time; white behind it, as the vertical line may run there.
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 2}
    right.text(-0.1, 0.05, "\n".join(key), va="bottom", fontsize=12, linespacing=1.4, bbox=ground)
    return (
        f"Left, at d_k = {d_k} with {n} keys, what leaving out the scale multiplies by; a factor of {factor:g} counts: "
        f"{'; '.join(said)}. Right, accuracy of trained models at d_k = {', '.join(map(str, widths))}: "
        f"{'; '.join(heard)}; a vertical line marks d_k = {d_k}."
    )
