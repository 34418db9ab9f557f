"""What softmax does to a row: slide; overflow; share; cool down. For notebook 03."""

import numpy as np

from .kit import Block, Page, picture
from .kit.charts import bars
from .kit.matrices import number, percent


@picture(height={"book": 270, "phone": 862})
def sliding(page: Page, rows: dict, weights) -> str:
    """A row of scores shifted up and down as a whole, and below it the weights, which stay."""
    low, high = min(min(row) for row in rows.values()), max(max(row) for row in rows.values())
    unit = 120 / (high - low)
    for i, (block, (title, row)) in enumerate(zip(page.panels(len(rows), high=254, gap=48), rows.items(), strict=True)):
        zero, wide = block.y + 46 + unit * high, block.wide / len(row)
        with page.step(i):
            page.text(block.x, block.y, title, at="top left", weight="bold", size=15)
            page.line((block.x, zero), (block.x + block.wide, zero), colour="grey", width=1)
            for j, score in enumerate(row):
                x, tall = block.x + wide * (j + 0.12), max(abs(score) * unit, 1.5)
                page.box(x, zero - max(score, 0) * unit, 0.76 * wide, tall, fill="score", edge=None, corner=0)
                up = score >= 0
                page.text(
                    x + 0.38 * wide, zero - score * unit - (4 if up else -4), number(score),
                    at="bottom" if up else "top", colour="score", weight="bold",
                )  # fmt: skip
            floor = Block(block.x, block.y + 206, block.wide, 48)
            bars(page, floor, weights, colour="weight", top=max(weights), words=[percent(w) for w in weights])
    page.caption("above, the scores; below, their weights: only the gaps between the scores count")
    told = "; ".join(f"{title}: {', '.join(number(s) for s in row)}" for title, row in rows.items())
    return (
        f"Scores as bars, shifted as a whole. {told}. Below each of them the same weights: "
        f"{', '.join(percent(w) for w in weights)}."
    )


@picture(height={"book": 176, "phone": 176})
def leader(page: Page, shares: dict) -> str:
    """One key some way ahead of all others, which are equal: its share as the part of a band, for several crowds."""
    left = 84
    long = page.width - left
    for i, (n, share) in enumerate(shares.items()):
        with page.step(i):
            y = 6 + 44 * i
            page.text(left - 12, y + 16, f"{n} keys", at="right", weight="bold", size=15)
            page.box(left, y, long, 32, fill="weight", tint=0.14, edge=None, corner=0)
            for rival in range(1, n) if n <= 64 else ():  # 511 lines would be a grey block
                x = left + long * (share + (1 - share) * rival / (n - 1))
                page.line((x, y), (x, y + 32), colour="paper", width=1.2)
            page.box(left, y, long * share, 32, fill="weight", edge=None, corner=0)
            inside = share > 0.2
            page.text(
                left + long * share - 10 if inside else left + long * share + 8, y + 16, percent(share),
                at="right" if inside else "left", colour="paper" if inside else "weight", weight="bold", size=16,
            )  # fmt: skip
    page.caption("a key that is 4 ahead; the pale rest is shared by all the others equally")
    told = "; ".join(f"{n} keys, {percent(share)}" for n, share in shares.items())
    return f"Bands of equal length. The dark part is the weight of one key that is 4 ahead of all others: {told}."


@picture(height={"book": 290, "phone": 620})
def two_troubles(page: Page, troubles: dict) -> str:
    """Two rows of scores in trouble, and what each of the two cures does for them.

    `troubles` is name -> (scores in words, {treatment: weights}).
    """
    told = []
    for i, (name, (scores, treated)) in enumerate(troubles.items()):
        top = i * (315 if page.narrow else 150)
        page.text(0, top, name, at="top left", weight="bold", size=17)
        page.text(page.measure(name, 17, "bold")[0] + 12, top + 3, scores, at="top left", colour="grey", size=14)
        for j, (treatment, weights) in enumerate(treated.items()):
            wide = page.width if page.narrow else page.width / len(treated) - 16
            x, y = (0, top + 30 + 92 * j) if page.narrow else (j * (wide + 24), top + 32)
            lost = np.isnan(weights).any()
            cured = not lost and max(weights) < 0.9
            with page.step(j):
                page.box(x, y, wide, 84 if page.narrow else 104, fill="root" if cured else "pale",
                         tint=0.16 if cured else 1, edge="root" if cured else None, width=2)  # fmt: skip
                page.text(x + 12, y + 10, treatment, at="top left", size=14, weight="bold" if cured else "normal")
                if lost:
                    page.text(x + wide / 2, y + 62, "nan", size=22, weight="bold", colour="nothing")
                else:
                    words = [percent(w) for w in weights]
                    bars(page, Block(x + 30, y + 52, wide - 60, 32 if page.narrow else 48), weights, colour="weight",
                         top=1, words=words)  # fmt: skip
            told.append(f"{name}, {treatment}: {'nan' if lost else ', '.join(percent(w) for w in weights)}")
    page.caption("green: cured. Subtracting the maximum is for overflow, dividing is for saturation")
    return f"A table of two troubles and two cures. {'; '.join(told)}."


@picture(height={"book": 158, "phone": 640})
def shared(page: Page, rows) -> str:
    """Rows of weights, and beside each of them how many keys would share the same weight equally.

    `rows` is a list of (weights, effective number of keys).
    """
    for i, (block, (weights, keys)) in enumerate(zip(page.panels(len(rows), high=142, gap=24), rows, strict=True)):
        unit = 22 * block.wide / 157
        floor, left = block.y + 142, block.x + unit * (len(weights) + 0.6)
        with page.step(i):
            for j, weight in enumerate(weights):  # they touch, so that their areas add up to the even block's
                x, tall = block.x + unit * j, max(108 * weight, 0.8)
                page.box(x, floor - tall, unit, tall, fill="weight", edge="paper", width=0.8, corner=0)
            for start in (block.x, left):
                page.line((start, floor), (start + unit * len(weights), floor), colour="grey", width=1)
            high = 108 / keys
            page.box(left, floor - high, unit * keys, high, fill="lit", tint=0.6, edge="lit edge", corner=0)
            words = f"{keys:.1f} key" + ("s" if keys > 1.05 else "")
            page.text(left, floor - high - 6, words, at="bottom left", weight="bold", size=16, colour="lit text")
    page.caption(
        "blue: three weights. Amber: the same area with an even top; its width is the effective number of keys"
    )
    told = "; ".join(f"{', '.join(percent(w) for w in weights)}: {keys:.1f}" for weights, keys in rows)
    return f"Rows of three weights as bars, and how many keys would share the weight equally. {told}."


@picture(height={"book": 250, "phone": 560})
def dials(page: Page, names, by_temperature: dict) -> str:
    """A dial for the temperature at several settings, and one row's weights at each."""
    low, high = np.log(min(by_temperature)), np.log(max(by_temperature))
    for i, (tau, weights) in enumerate(by_temperature.items()):
        wide = page.width / (2 if page.narrow else len(by_temperature)) - 16
        x, top = (wide + 21) * (i % 2 if page.narrow else i), 285 * (i // 2) if page.narrow else 0
        middle, y, radius = x + wide / 2, top + 74, 56
        angles = np.linspace(np.pi, 0, 25)
        with page.step(i):
            arc = [(middle + radius * np.cos(a), y - radius * np.sin(a)) for a in angles]
            page.line(*arc, colour="line", width=7)
            turn = np.pi * (1 - (np.log(tau) - low) / (high - low)) * 0.86 + 0.07 * np.pi
            page.line((middle, y), (middle + 46 * np.cos(turn), y - 46 * np.sin(turn)), colour="nothing", width=4)
            page.dot(middle, y, size=12)
            page.text(middle, y + 12, f"τ = {tau:g}", at="top", weight="bold", size=16)
            page.text(middle - radius, y + 6, "cold", at="top", colour="grey", size=12)
            page.text(middle + radius, y + 6, "hot", at="top", colour="grey", size=12)
            block = Block(x, top + 140, wide, 84)
            bars(page, block, weights, colour="weight", top=1, words=[percent(w) for w in weights], names=names)
    page.caption("the same three scores, divided by a temperature τ before softmax")
    told = "; ".join(f"{tau:g}: {', '.join(percent(w) for w in weights)}" for tau, weights in by_temperature.items())
    return f"Dials from cold to hot with the weights of {', '.join(names)} at each temperature. {told}."
