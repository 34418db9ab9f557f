"""Where the weight goes: the bell of scores, tilted by exp; why 1; and how d_k and length change it. Notebook 03."""

import numpy as np

from .kit import Page, picture
from .kit.charts import chart, curve
from .kit.matrices import percent
from .kit.palette import SCALES
from .kit.papers import POINT


@picture(height={"book": 188, "phone": 620})
def tilted_bells(page: Page, deviations, keys) -> str:
    """The scores of a crowd of keys as ticks under their bell, and where exp wants the weight to be.

    `keys` are the keys' scores, in standard deviations from their mean.
    """
    z = np.linspace(-3.2, 11.2, 400)
    bell = np.exp(-(z**2) / 2)
    panels = page.panels(len(deviations), high=190, gap=20)
    for i, (block, deviation) in enumerate(zip(panels, deviations, strict=True)):
        with page.step(i):
            ax = page.axes(block.x, block.y + 34, block.wide, 120)
            ax.set(xlim=(z[0], z[-1]), ylim=(-0.16, 1.1), yticks=[], xticks=[0, 4, 8])
            ax.spines["left"].set_visible(False)
            inside = deviation < max(keys)
            page.text(block.x, block.y + 8, f"standard deviation {deviation:g}", at="left", weight="bold", size=15)
            ax.fill_between(z, bell, color=page.colour("score", 0.35), linewidth=0)
            ax.vlines(keys, -0.13, -0.02, color=page.colour("score"), linewidth=1.1 * POINT)
            tilted = np.exp(-((z - deviation) ** 2) / 2)
            ax.plot(z, tilted, color=page.colour("weight"), linewidth=2.6 * POINT, linestyle="-" if inside else "--")
            page.text(-1.1, 0.94, "keys", at="right", colour="score", size=13, ax=ax)
            far = deviation + 1.0 if deviation < 6 else deviation - 1.1
            page.text(far, 0.94, "weight", at="left" if deviation < 6 else "right", colour="weight", size=13, ax=ax)
            if not inside:
                ax.plot([max(keys)], [-0.07], "o", color=page.colour("weight"), markersize=9 * POINT, zorder=5)
                page.text(
                    max(keys) + 0.1, 0.54, "the last\nkey takes\nnearly all", at="left", colour="weight", size=13, ax=ax
                )
    page.key(
        f"ticks: {len(keys)} keys; across: how far a score is above the average, in standard deviations of the scores"
    )
    told = "; ".join(f"{d:g}: the weight's bell is centred {d:g} to the right" for d in deviations)
    return (
        f"Bells of scores with {len(keys)} keys as ticks, the last one {max(keys):.1f} standard deviations out. exp "
        f"moves the bell of weight to the right by as many standard deviations. Standard deviation {told}."
    )


@picture(height={"book": 290, "phone": 590})
def sharpness_sweep(page: Page, results: list) -> str:
    """Largest weight and effective number of keys against d_k under three rules.

    `results` are `LayerStatistics`, one for each width and scale.
    """
    n = results[0].n
    wide, high = (250, 220) if page.narrow else (250, 232)
    places = [(34, 26), (34, 330)] if page.narrow else [(34, 26), (394, 26)]
    told = []
    shows = (
        ("largest weight of a row", lambda r: r.top.mean, 1),
        (f"effective number of keys, of {n}", lambda r: r.effective_keys, n),
    )
    for number, ((x, y), (title, value, top)) in enumerate(zip(places, shows, strict=True)):
        ax = chart(page, x, y, wide, high, xlabel="$d_k$", ylabel=title, ylim=(0, 1.04 * top), xlim=(-0.5, 12.3))
        for i, (scale, (name, colour)) in enumerate(SCALES.items()):
            rows = [r for r in results if r.scale == scale]
            widths, values = [r.d_k for r in rows], [value(r) for r in rows]
            with page.step(i):
                curve(page, ax, np.log2(widths), values, colour=colour, name=f"  {name}", dash=("-", "-", "--")[i])
                ax.plot(np.log2(widths), values, "os^"[i], color=page.colour(colour), markersize=6 * POINT)
            if number == 0:
                told.append(f"{name.replace('$', '')}: from {values[0]:.2f} to {values[-1]:.2f}")
        ax.set_yticks([0, top / 2, top])
        ax.set_xticks([0, 3, 6, 9, 12], ["1", "8", "64", "512", "4096"])
    page.headline("No scale: too sharp. Divided by the width: too flat. The root: $d_k$ stops mattering")
    return (
        f"Two charts against d_k from 1 to 4096 with {n} keys. Left, the largest weight of a row, {'; '.join(told)}. "
        "Right, the effective number of keys: without the scale it falls to about 1, divided by d_k it rises to all of "
        "them, with the root it stays near 40."
    )


@picture(height={"book": 300, "phone": 330})
def why_one(page: Page, deviations, shares: dict, formula, places: dict) -> str:
    """Effective keys as a share of all, against the scores' standard deviation; 1 is marked.

    `shares` is n -> values; `places` is words -> (deviation, colour) for marks at the top.
    """
    x = np.log2(deviations)
    ax = chart(
        page, 40, 60, page.width - 60, 190 if page.narrow else 200, ylim=(0, 1.03), xlim=(x[0], x[-1]),
        xlabel="standard deviation of the scores in a row", ylabel="",
    )  # fmt: skip
    page.text(40, 4, "effective keys, as a share of all", at="top left", size=13, colour="grey")
    for (n, values), high in zip(shares.items(), (0.42, 0.2, 0.12), strict=True):
        curve(page, ax, x, values, colour="weight", width=2.4)
        side, gap = ("right", -0.4) if n == max(shares) else ("left", 0.24)
        place = np.interp(-high, -np.asarray(values), x) + gap
        page.text(place, high, f"{n}" if page.narrow else f"{n} keys", at=side, colour="weight", size=13, ax=ax)
    curve(page, ax, x, formula, colour="ink", dash="--", width=1.6)
    for i, (words, (deviation, colour)) in enumerate(places.items(), 1):
        with page.step(i):
            ax.axvline(np.log2(deviation), color=page.colour(colour), linewidth=2 * POINT, zorder=1)
            page.text(np.log2(deviation), 1.06, words, at="bottom", colour=colour, weight="bold", size=14, ax=ax)
    ticks = [t for t in (1 / 16, 1 / 4, 1, 4, 16) if deviations[0] <= t <= deviations[-1]]
    ax.set_xticks(np.log2(ticks), ["1/16", "1/4", "1", "4", "16"][: len(ticks)])
    ax.set_yticks([0, 0.5, 1], ["0 %", "50 %", "100 %"])
    page.headline("At standard deviation 1, it's as if most keys shared the weight equally")
    page.key(r"upright: the three rules at $d_k$ = 64; dashed: $e^{-\sigma^2/2}$, the formula for many keys")
    one = int(np.argmin(np.abs(np.asarray(deviations) - 1)))
    at_one = "; ".join(f"{n} keys, {percent(values[one])}" for n, values in shares.items())
    return (
        "Falling curves: the effective number of keys as a share of all, against the scores' standard deviation from "
        f"{deviations[0]:.2f} to {deviations[-1]:.0f}. On the left all keys are equal, on the right one has it all. At "
        f"standard deviation 1: {at_one}; the dashed formula says {percent(formula[one])}."
    )


@picture(height={"book": 196, "phone": 690, "slide": 220})
def drowning(page: Page, weights: dict) -> str:
    """The weights of a row, largest first, for more and more keys, drawn to one scale: {number of keys: weights}."""
    top, told = max(ranked[0] for ranked in weights.values()), []
    for i, (block, (n, ranked)) in enumerate(
        zip(page.panels(len(weights), high=160, gap=26), weights.items(), strict=True)
    ):
        floor, steps = block.y + 164, np.linspace(block.x, block.x + block.wide, n + 1)
        heights = floor - 108 * np.asarray(ranked) / top
        sides = zip(np.repeat(steps, 2)[1:-1], np.repeat(heights, 2), strict=True)
        best = f"{100 * ranked[0]:.{0 if ranked[0] > 0.1 else 1}f} %"
        with page.step(i):
            page.text(block.x, block.y, f"{n:,} keys", at="top left", weight="bold", size=16)
            page.shape((block.x, floor), *sides, (block.x + block.wide, floor), fill="weight", edge=None)
            page.line((block.x, floor), (block.x + block.wide, floor), colour="grey", width=1)
            page.text(block.x, heights[0] - 6, best, at="bottom left", colour="weight", weight="bold", size=16)
        told.append(f"{n} keys, {best}")
    page.caption("weights of a row from the largest to the smallest, averaged over rows; one scale for all")
    return f"Rows of weights, largest first, drawn to one scale. The largest weight is, with {'; with '.join(told)}."
