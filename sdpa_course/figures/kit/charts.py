"""Charts that carry their own words: bars with their number on top, curves named at their end, walks, staircases."""

import numpy as np

from .matrices import number
from .page import Block, Page
from .papers import POINT


def chart(page: Page, x: float, y: float, wide: float, high: float, *, xlabel: str = "", ylabel: str = "", **limits):
    """Axes in this box, with the name of y above its axis instead of turned on its side. `limits` go to `ax.set`."""
    ax = page.axes(x, y, wide, high)
    ax.set(xlabel=xlabel, **limits)
    if ylabel:
        page.text(x - 4, y - 8, ylabel, at="bottom left", size=13, colour="grey")
    return ax


def curve(page: Page, ax, x, y, *, colour: str, name: str = "", dash: str = "-", width: float = 2.5, at: str = "left"):
    """A curve with its name at its end."""
    ax.plot(x, y, color=page.colour(colour), linestyle=dash, linewidth=width * POINT, zorder=3)
    if name:
        gap = " " if at == "left" else ""
        page.text(
            x[-1], y[-1], gap + name, at=at, colour=colour, size=14, ax=ax, fill="paper" if at != "left" else None
        )


def bars(
    page: Page, block: Block, values, *, colour: str, top: float, lit: int | None = None, words=(), names=()
) -> None:
    """Bars in a block whose upper side is the value `top`.

    `words` are written above the bars and `names` below them, one for each; a single string is for the lit bar alone,
    which stands out from paler ones. Without a lit bar they're all in full colour.
    """
    values = np.asarray(values, dtype=float)
    if values.max(initial=0) > top:
        raise ValueError(f"top: got {top:g}, expected at least the largest value, {values.max():g}")
    above = dict(enumerate(words)) if not isinstance(words, str) else {lit: words}
    wide = block.wide / len(values)
    floor = block.y + block.high
    page.line((block.x, floor), (block.x + block.wide, floor), colour="grey", width=1)
    for i, value in enumerate(values):
        high = max(value / top * block.high, 0.8)
        left = block.x + i * wide + 0.12 * wide
        tint = 1 if lit in (None, i) else 0.4
        page.box(left, floor - high, 0.76 * wide, high, fill=colour, tint=tint, edge=None, corner=0)
        if above.get(i):
            x = min(max(left + 0.38 * wide, block.x + 18), block.x + block.wide - 18)
            page.text(x, floor - high - 5, above[i], at="bottom", colour=colour, weight="bold", size=15)
    for i, name in enumerate(names):
        page.text(block.x + (i + 0.5) * wide, floor + 5, name, at="top", colour="grey", size=13)


def walks(page: Page, ax, paths, *, faces=(), colour: str = "score") -> None:
    """A crowd of walks, (walkers, steps + 1), pale; the ones numbered in `faces` in colours of their own."""
    c = np.arange(np.shape(paths)[1])
    ax.plot(c, np.transpose(paths), color=page.colour(colour), linewidth=0.9 * POINT, alpha=0.16, rasterized=True)
    for i, name in zip(faces, ("lit", "out", "q"), strict=False):
        ax.plot(c, paths[i], color=page.colour(name), linewidth=2.6 * POINT)


def staircase(page: Page, block: Block, steps, names, *, unit: float, colour: str = "score", end: str = "") -> None:
    """Signed steps as a staircase: one arrow each, `unit` pixels for a step of 1, the names of the terms below.

    The staircase starts at the left side of the block and at the height that leaves room for its lowest point.
    """
    places = np.concatenate([[0.0], np.cumsum(steps)])
    wide = block.wide / (len(steps) + 0.6)
    ground = block.y + block.high - 30 + unit * min(0, places.min())
    page.line((block.x, ground), (block.x + wide * len(steps), ground), colour="line", width=1.2, under=True)
    for c, step in enumerate(steps):
        x, y = block.x + wide * (c + 1), ground - unit * places[c]
        page.line((x - wide, y), (x, y), colour=colour, tint=0.4, width=3)
        if step:
            short = 6 * np.sign(step) if c == len(steps) - 1 else 0  # the last arrow stops at the dot
            page.arrow((x, y), (x, y - unit * step + short), colour=colour, width=3)
        sign = "+" if step >= 0 else ""
        side = y - unit * step / 2 if step else y - 10
        page.text(x + (6 if step else -wide / 2), side, sign + number(step), at="left" if step else "centre", size=13)
        page.text(x, block.y + block.high - 2, names[c], at="bottom", size=13, colour="grey")
    page.dot(block.x, ground)
    page.dot(block.x + wide * len(steps), ground - unit * places[-1], size=11)
    if end:
        page.text(block.x + wide * len(steps) + 10, ground - unit * places[-1], end, at="left", weight="bold", size=17)


def outline(page: Page, ax, samples, *, colour: str, floor: float = 0.0, high: float = 1.0, bins) -> float:
    """A histogram standing on `floor`, its highest step `high`. Returns the share of the samples outside the bins."""
    samples = np.asarray(samples)
    counts, _ = np.histogram(samples, bins)
    ax.stairs(floor + high * counts / counts.max(), bins, baseline=floor, fill=True, color=page.colour(colour, 0.6))
    return float(1 - counts.sum() / samples.size)
