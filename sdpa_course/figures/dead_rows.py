"""Who gets the gradient: the rows of dQ as histograms, and what keeps one alive. Notebook 06."""

import math

import numpy as np

from ..experiments.metrics import rms
from .kit import Block, Page, picture
from .kit.charts import outline
from .kit.matrices import percent
from .kit.palette import SCALES
from .kit.papers import POINT
from .sparse import DEAD, two_digits

TICKS = {-8: "$10^{-8}$", -6: "$10^{-6}$", -4: "$10^{-4}$", -2: "0.01", 0: "1"}
LENGTH = "length of a query’s gradient"


def pile(page: Page, block: Block, lengths, *, colour: str, least: int, ticks: bool, most: float = 1.8):
    """A histogram of lengths over powers of ten, the dead ones grey; solid line: rms, dashed: median. Returns axes."""
    lengths, ink = np.asarray(lengths), page.colour("ink")
    size, median, end = rms(lengths), float(np.median(lengths)), math.log10(DEAD * rms(lengths))
    ax = page.axes(*block)
    bins = np.linspace(least, most, round((most - least) * 8) + 1)
    logs = np.log10(lengths[lengths > 10.0**least])
    outline(page, ax, logs, colour=colour, bins=bins)
    if (logs < end).any():
        counts, _ = np.histogram(logs, bins)
        ax.stairs(
            np.where(bins[1:] <= end, counts, 0) / counts.max(), bins, fill=True, color=page.colour("line"), hatch="//",
            edgecolor=page.colour("grey"), linewidth=0,
        )  # fmt: skip
    for value, dash in ((size, "-"), (median, "--")):
        if value > 10.0**least:
            ax.vlines(math.log10(value), 0, 1.06, color=ink, linestyle=dash, linewidth=2 * POINT, zorder=4)
    ax.set(xlim=(least, most), ylim=(0, 1.1), yticks=[])
    shown = {at: name for at, name in TICKS.items() if at >= least}
    ax.set_xticks(list(shown), list(shown.values()) if ticks else [""] * len(shown))
    ax.spines["left"].set_visible(False)
    return ax


@picture(height={"book": 290, "phone": 320, "slide": 290})
def row_piles(page: Page, *pools) -> str:
    """How long are the rows of dQ? A histogram for each scale, the dead rows grey.

    `pools` are `experiments.gradients.PooledRows`.
    """
    high, told = (page.height - 40) / len(pools), []
    for i, pool in enumerate(pools):
        name, colour = SCALES[pool.scale]
        block = Block(4, i * high + 36, page.width - 8, high - 36)
        size, median, below = rms(pool.lengths), float(np.median(pool.lengths)), np.mean(pool.lengths < 1e-8)
        with page.step(i):
            pile(page, block, pool.lengths, colour=colour, least=-8, ticks=i == len(pools) - 1)
            page.text(block.x, block.y - 14, name, at="left", weight="bold", colour=colour, size=16)
            numbers = f"rms {two_digits(size)} (line), median {two_digits(median)} (dashed)"
            page.text(block.x + block.wide, block.y - 14, numbers, at="right", size=13)
            if pool.dead > 0.005:
                words = f"{percent(pool.dead)} dead", f"{percent(below)} further left"
                page.text(block.x + 6, block.y + 14, words[0], at="left", weight="bold", colour="grey")
                page.text(block.x + 6, block.y + 34, words[1], at="left", colour="grey", size=13)
        told.append(
            f"{name.replace('$', '')}: root mean square {two_digits(size)}, median {two_digits(median)}, "
            f"{percent(pool.dead)} dead"
        )
    first = pools[0]
    page.headline(f"Without the scale {percent(first.dead)} of the rows are dead, and a few are huge")
    layers = f"{len(first.lengths):,} queries, $d_k$ = {first.d_k}, {first.n} keys"
    page.key(f"{LENGTH}; {layers}; hatched: under 1 % of the rms")
    return f"Histograms of the lengths of the rows of dQ on a logarithmic axis from 1e-8 to 60. {'; '.join(told)}."


@picture(height={"book": 206, "phone": 380, "slide": 210})
def near_tie(page: Page, rows, share: float, carried: float) -> str:
    """Two queries: all their scores on a line with the two best lit, their two best weights, the gradient's length.

    Parameters
    ----------
    rows : list of (title, scores, weights, length)
    share, carried : float
        How many of all the rows have a gap below 2, and their part of the sum of squares.
    """
    reach = 1.08 * max(np.abs(scores).max() for _, scores, _, _ in rows)
    told = []
    for i, (title, scores, weights, length) in enumerate(rows):
        top = i * (205 if page.narrow else 108)
        wide = page.width - 20 if page.narrow else 400
        at = [10 + wide * (score + reach) / (2 * reach) for score in scores]
        second, first = np.argsort(scores)[-2:]
        with page.step(i):
            page.text(0, top + 12, title, at="left", weight="bold", size=15)
            page.line((10, top + 72), (10 + wide, top + 72), colour="line", width=1.2, under=True)
            for x in at:
                page.dot(x, top + 72, colour="line", size=7)
            for j in (first, second):
                page.dot(at[j], top + 72, size=12)
                page.dot(at[j], top + 72, colour="lit", size=9)
            gap = f"gap {scores[first] - scores[second]:.1f}"
            page.text((at[first] + at[second]) / 2, top + 58, gap, at="bottom right")
            x, y = (10, top + 100) if page.narrow else (440, top + 28)
            page.text(x, y, "two best weights", at="left", size=13, colour="grey")
            for k, j in enumerate((first, second)):
                page.box(x, y + 14 + 24 * k, 90, 18, fill="pale", edge=None, corner=0)
                page.box(x, y + 14 + 24 * k, max(90 * weights[j], 0.6), 18, fill="weight", edge=None, corner=0)
                words = percent(weights[j]) if weights[j] > 0.01 else f"{100 * weights[j]:.2f} %"
                page.text(x + 96, y + 23 + 24 * k, words, at="left", size=13, colour="weight")
            page.text(x + 255, y, "its gradient", at="right", size=13, colour="grey")
            page.text(x + 255, y + 36, two_digits(length), at="right", size=22, weight="bold", colour="nothing")
        told.append(f"{title}: a gap of {scores[first] - scores[second]:.1f}, a gradient of {two_digits(length)}")
    page.headline(f"{percent(share)} of the rows have a gap under 2, and they carry {percent(carried)} of the squares")
    page.key("a dot for each of the query’s 64 scores, the two best lit; no scale, $d_k$ = 512")
    return (
        f"Two queries with their 64 scores as dots on a line. {'; '.join(told)}. Rows with a gap under 2 are "
        f"{percent(share)} of all rows and carry {percent(carried)} of the sum of squares."
    )


@picture(height={"book": 300, "phone": 300, "slide": 300})
def taken_apart(page: Page, sharp, flat) -> str:
    """Forward with one scale, backward with another: four histograms of the rows of dQ, the real layers framed.

    `sharp` and `flat` are `PooledRows` without and with the scale.
    """
    root, told = math.sqrt(sharp.d_k), []
    side, gap = (0 if page.narrow else 108), 16
    wide = (page.width - side - gap) / 2
    for i, (pool, name) in enumerate(((sharp, "no scale"), (flat, "÷ √$d_k$"))):
        top = 28 + i * 140
        if not page.narrow:
            page.text(0, top + 60, f"forward\n{name}", at="left", weight="bold", colour=SCALES[pool.scale][1])
        for j, (factor, back) in enumerate(((1, "back × 1"), (1 / root, "back ÷ √$d_k$"))):
            lengths = pool.lengths / pool.factor * factor
            block = Block(side + j * (wide + gap), top, wide, 112)
            size, median = rms(lengths), float(np.median(lengths))
            with page.step(0 if i == j else 1):
                low = Block(block.x + 4, block.y + 34, block.wide - 8, block.high - 38)
                pile(page, low, lengths, colour=SCALES[pool.scale][1], least=-6, ticks=i == 1)
                numbers = f"rms {two_digits(size)}\nmedian {two_digits(median)}"
                page.text(block.x + 10, block.y + 26, numbers, at="left", size=13)
            if i == 0:
                page.text(block.x + wide / 2, 4, back, at="top", weight="bold")
            if i == j:
                page.box(*block, edge="lit edge", width=2.4, corner=4, hollow=True)
            told.append(f"forward {name}, {back}: rms {two_digits(size)}, median {two_digits(median)}".replace("$", ""))
    rows = "; top row: forward no scale, bottom row: ÷ √$d_k$" if page.narrow else ""
    page.key(f"{LENGTH}, $d_k$ = {sharp.d_k}{rows}; hatched: dead; framed: the two real layers")
    return f"Four histograms of the rows of dQ. {'; '.join(told)}. Across they slide, down they change shape."
