"""The verdict on "extremely small gradients": by width, by reading, and pair by pair. Notebook 06."""

import math

import numpy as np

from ..experiments.metrics import rms
from .dead_rows import LENGTH, TICKS
from .kit import Page, picture
from .kit.charts import chart, curve
from .kit.palette import SCALES
from .kit.papers import POINT


@picture(height={"book": 300, "phone": 320, "slide": 300})
def rms_and_median(page: Page, by_width, scales) -> str:
    """Rms (solid) and median (dashed) row of dQ against d_k. `by_width` lists dicts of scale -> `PooledRows`."""
    wide = page.width - (60 if page.narrow else 210)
    widths = [next(iter(pools.values())).d_k for pools in by_width]
    ax = chart(
        page, 46, 26, wide, page.height - 72, xlabel="$d_k$", ylabel=LENGTH, xlim=(math.log2(widths[0]) - 0.3, 12.2),
        ylim=(-6.8, 1.5), xticks=range(3, 13, 3), yticks=(-6, -4, -2, 0),
    )  # fmt: skip
    ax.set_xticklabels(["8", "64", "512", "4096"])
    ax.set_yticklabels([TICKS[at] for at in (-6, -4, -2, 0)])
    ax.axvspan(5.85, 6.15, color=page.colour("lit", 0.35), zorder=0, linewidth=0)
    page.text(6, -6.6, "the paper’s heads", at="bottom", size=13, colour="lit", ax=ax)
    told = []
    for scale in scales:
        name, colour = SCALES[scale]
        rows = [pools[scale].lengths for pools in by_width]
        sizes, medians = [rms(row) for row in rows], [float(np.median(row)) for row in rows]
        for values, dash, kind in ((sizes, "-", "rms"), (medians, "--", "median")):
            label = f"  {name}, {kind}" if scale == "1" else f"  {name}" if kind == "rms" else ""
            marker, inside = "o" if scale == "1" else "s", page.colour(colour if dash == "-" else "paper")
            x, y = np.log2(widths), np.log10(values)
            with page.step(1 if kind == "median" else 0):
                curve(page, ax, x, y, colour=colour, dash=dash, name="" if page.narrow else label)
                ax.plot(x, y, marker, color=page.colour(colour), mfc=inside, markersize=5, zorder=4)
        told.append(
            f"{name.replace('$', '')}: rms from {sizes[0]:.2g} at {widths[0]} to {sizes[-1]:.2g} at {widths[-1]}, "
            f"median from {medians[0]:.2g} to {medians[-1]:.1g}"
        )
    page.headline("The whole gradient grows while the typical row dies")
    page.key("solid: rms, the whole gradient; dashed: median, the typical query; orange: no scale, green: ÷ √$d_k$")
    return f"A chart of the length of a row of dQ against d_k, both axes logarithmic, 64 keys. {'; '.join(told)}."


@picture(height={"book": 236, "phone": 300, "slide": 236})
def readings(page: Page, rows) -> str:
    """What dropping the scale does, in each reading of "extremely small gradients". Lit where something gets smaller.

    `rows` is a list of (name, [ratio, …]), without the scale ÷ with it.
    """
    heads = ("softmax’s own slope,\ntypical row", "what reaches Q,\ntypical row", "what reaches Q,\nall rows together")
    if page.narrow:
        heads = ("softmax,\ntypical row", "reaches Q,\ntypical row", "reaches Q,\nall rows")
    side = 100 if page.narrow else 180
    wide = (page.width - side) / 3
    for j, head in enumerate(heads):
        page.text(side + (j + 0.5) * wide, 22, head, size=13)
    told = []
    for i, (name, ratios) in enumerate(rows):
        y = 52 + i * (page.height - 52) / len(rows)
        page.text(0, y + 19, name.replace(", ", ",\n") if page.narrow else name, at="left", weight="bold", size=13)
        for j, ratio in enumerate(ratios):
            smaller = ratio < 1 / 1.05
            with page.step(j):
                page.box(
                    side + j * wide + 5, y, wide - 10, 38, in_words(ratio), fill="lit" if smaller else "pale",
                    tint=0.45 if smaller and ratio > 0.1 else 1, edge=None, weight="bold",
                    size=13 if page.narrow else 16,
                )  # fmt: skip
        told.append(f"{name.replace('$', '')}: {', '.join(map(in_words, ratios))}")
    page.caption("dropping the scale multiplies or divides it by …; lit wherever the gradient gets smaller")
    return (
        "A table of what dropping the scale does to softmax's own slope in the typical row, to what reaches Q in the "
        f"typical row, and to all that reaches Q. {'; '.join(told)}."
    )


def in_words(ratio: float) -> str:
    """A ratio to one digit or two, as "× 5" or "÷ 50".

    Examples
    --------
    >>> in_words(11.6), in_words(4.9), in_words(0.0202), in_words(3e-7), in_words(1.11)
    ('× 12', '× 5', '÷ 50', '÷ over 10⁶', '× 1.1')
    """
    size, sign = (ratio, "×") if ratio >= 1 else (1 / ratio, "÷")
    if size >= 1000:  # a median this small is known to its power of ten at best
        return f"{sign} over 10{'⁰¹²³⁴⁵⁶⁷⁸⁹'[int(math.log10(size))]}"
    if size >= 30:
        return f"{sign} {10 * round(size / 10):g}"
    return f"{sign} {size:.1f}" if size < 2 else f"{sign} {size:.0f}"


@picture(height={"book": 330, "phone": 680, "slide": 330})
def busy_pairs(page: Page, grids) -> str:
    """The few pairs of a query and a key that carry most of the blame on the scores.

    `grids` is a dict of scale -> (queries, keys) array of bool: the busiest pairs.
    """
    side, told = 280, []
    for block, (scale, busy) in zip(page.panels(len(grids), high=side + 46, top=26), grids.items(), strict=True):
        name, colour = SCALES[scale]
        x, y = block.x + (block.wide - side) / 2, block.y
        with page.step(len(told)):
            page.box(x, y, side, side, fill="pale", edge=None, corner=0)
            queries, keys = np.nonzero(busy)
            page.sheet.plot(
                x + (keys + 0.5) * side / busy.shape[1], y + (queries + 0.5) * side / busy.shape[0], "s",
                color=page.colour(colour), markersize=4.2 * POINT, mew=0, zorder=3,
            )  # fmt: skip
            page.text(x, y - 6, name, at="bottom left", weight="bold", colour=colour, size=16)
            page.text(x + side, y - 6, f"{busy.sum():,} of {busy.size:,} pairs", at="bottom right")
            page.text(x + side / 2, y + side + 6, "keys", at="top", size=13, colour="grey")
            page.text(x - 8, y + side / 2, "queries", size=13, colour="grey", rotation=90, at="right")
        told.append(f"{name.replace('$', '')}: {busy.sum():,} of {busy.size:,}")
    page.height = y + side + 26
    page.headline("The pairs that carry 90 % of the blame on the scores")
    return (
        f"Two grids of queries and keys, with a mark for each of the busiest pairs that carry 90 %. {'; '.join(told)}."
    )
