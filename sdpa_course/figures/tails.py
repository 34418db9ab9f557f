"""The shape of q·k, and how far a measured variance can be trusted. For appendix A3."""

import numpy as np

from .kit import Page, picture
from .kit.charts import chart, curve, outline
from .kit.matrices import number, percent
from .kit.papers import POINT


@picture(height={"book": 268, "phone": 450, "slide": 280})
def six_piles(page: Page, piles: dict) -> str:
    """Scores of variance 1 as histograms, over the bell curve of variance 1: {kind of entries: {d_k: scores}}."""
    bins = np.arange(-4.125, 4.2, 0.25)  # coins land in the middle of a bin
    x = np.linspace(-4, 4, 161)
    bell = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    for i, (kind, by_width) in enumerate(piles.items()):
        for j, (d_k, scores) in enumerate(by_width.items()):
            wide, high = (150, 92) if page.narrow else (180, 90)
            left, top = (i * 178 + 6, 54 + j * 138) if page.narrow else (100 + j * 205, 26 + i * 122)
            with page.step(j):
                ax = page.axes(left, top, wide, high)
                tall = np.histogram(scores, bins, density=True)[0].max()
                outline(page, ax, scores, colour="score", high=tall, bins=bins)
                ax.plot(x, bell, color=page.colour("ink"), linestyle="--", linewidth=1.8 * POINT)
                ax.set(xlim=(-4, 4), ylim=(0, 1.1 * max(tall, bell.max())), yticks=[], xticks=[-3, 0, 3])
                ax.spines["left"].set_visible(False)
            if i == 0:
                page.text(left + (wide / 2 if not page.narrow else 0), top - 8, f"$d_k$ = {d_k}", at="bottom"
                          if not page.narrow else "bottom left", colour="grey")  # fmt: skip
        where = (i * 178 + 6, 0, "top left") if page.narrow else (0, 71 + i * 122, "left")
        page.text(where[0], where[1], kind, at=where[2], weight="bold")
    page.caption("scores divided by the root of $d_k$; every pile has variance 1, and the dashed bell has it too")
    widths = list(next(iter(piles.values())))
    return (
        f"Six histograms of scores with variance 1, for {' and '.join(piles)} at d_k = {', '.join(map(str, widths))}, "
        "each over the bell curve of variance 1. In the first column they look nothing like it: a thin spike with long "
        "tails, and two bars. In the last column both follow it."
    )


@picture(height={"book": 118, "phone": 340, "slide": 140})
def pairings(page: Page) -> str:
    """Which products of four terms survive the average: two pairs, in three ways, or four times the same term."""
    products = (("aabb", "two pairs"), ("abab", "two pairs"), ("abba", "two pairs"), ("aaaa", "four of a kind"),
                ("aaab", "one alone: 0"))  # fmt: skip
    for i, (letters, words) in enumerate(products):
        x, y = (170 * (i % 2) + 18, 112 * (i // 2)) if page.narrow else (146 * i + 2, -6)
        dead = "alone" in words
        with page.step(1 if dead else 0):
            for j, letter in enumerate(letters):
                fill = "line" if dead else {"a": "q", "b": "k"}[letter]
                page.box(x + 29 * j, y + 50, 27, 30, f"$t_{letter}$", fill=fill, tint=0.25, edge=fill, corner=3)
                mate = letters.find(letter, j + 1)
                if mate > 0 and not dead and words == "two pairs":
                    arc = np.linspace(0, np.pi, 25)
                    middle, half = x + 13.5 + 29 * (j + mate) / 2, 29 * (mate - j) / 2
                    rise = 14 + 9 * (mate - j)
                    page.line(*zip(middle - half * np.cos(arc), y + 48 - rise * np.sin(arc), strict=True), colour=fill)
            page.text(x + 57, y + 92, words, at="top", colour="grey" if dead else "ink", size=13)
    page.caption("four factors can be sorted into two pairs in exactly three ways: that's the 3")
    return (
        "Products of four terms. Three of them are two pairs: a a b b, a b a b and a b b a, joined by arcs. One is "
        "four times the same term. In the last, a a a b, one term stands alone, and its average is 0."
    )


@picture(height={"book": 246, "phone": 250, "slide": 270})
def many_tries(page: Page, found, marks: dict, what: str, end: float) -> str:
    """What many tries at one measurement give, up to `end`. `marks` is words -> value, and the last is the truth."""
    left = 8 if page.narrow else 30
    ax = chart(page, left, 0, page.width - 2 * left, 196, xlabel=what, xlim=(0, end), ylim=(0, 1.05), yticks=[])
    ax.spines["left"].set_visible(False)
    beyond = outline(page, ax, found, colour="score", bins=np.linspace(0, end, 81))
    for i, (words, value) in enumerate(marks.items(), 1):
        high, dash = 1.04 - 0.2 * i, "--" if i == len(marks) else "-"
        with page.step(i):
            ax.plot([value, value], [0, high], color=page.colour("ink"), linestyle=dash, linewidth=2.4 * POINT)
            page.text(value, high, f" {number(value, 1)}: {words}", at="left", weight="bold", ax=ax)
    page.caption(f"{len(found):,} tries at the same experiment; {percent(beyond)} fall off to the right")
    told = ", ".join(f"{words} {number(value, 1)}" for words, value in marks.items())
    return f"Histogram of {len(found):,} tries with a long tail to the right: {what}. Marked are {told}."


@picture(height={"book": 220, "phone": 240, "slide": 260})
def error_bars(page: Page, estimates, truth: float, ylabel: str) -> str:
    """Measurements with one standard error each way, around the true value; those that miss it are lit."""
    means, errors = np.array([estimate[:2] for estimate in estimates]).T
    missed = np.abs(means - truth) > errors
    reach = 1.15 * np.max(np.abs(means - truth) + errors)
    right = 84 if not page.narrow else 10
    ax = chart(page, 34, 24, page.width - 34 - right, 178, ylabel=ylabel, xlim=(-1, len(means)),
               ylim=(truth - reach, truth + reach), xticks=[])  # fmt: skip
    curve(page, ax, [-1, len(means)], [truth, truth], colour="ink", dash="--", width=1.8,
          name="" if page.narrow else f"true: {truth:g}")  # fmt: skip
    for which, colour, marker, step in ((~missed, "score", "o", 0), (missed, "lit edge", "D", 1)):
        with page.step(step):
            ax.errorbar(
                np.flatnonzero(which), means[which], errors[which], fmt=marker, color=page.colour(colour),
                markersize=6 * POINT, elinewidth=2 * POINT,
            )  # fmt: skip
    page.caption(
        f"diamonds: the {missed.sum()} of {len(means)} bars that miss the dashed line, which is the true value"
    )
    return (
        f"{len(means)} measured values, each with a bar of one standard error up and down, around a dashed line at the "
        f"true value {truth:g}. {missed.sum()} of the bars miss the line; they're marked with diamonds."
    )
