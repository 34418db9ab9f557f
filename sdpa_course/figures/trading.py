"""Softmax as a market: raise one score and its key takes weight from the others, at the rates of the Jacobian.

For notebook 04.
"""

import numpy as np

from .kit import Block, Page, picture
from .kit.charts import bars, chart, curve
from .kit.matrices import matrix, number, percent

RADIUS = 34  # of the largest key


@picture(height={"book": 250, "phone": 260, "slide": 300})
def going_flat(page: Page, lead, weight, spots) -> str:
    """A weight against the lead of its score, with the tangent at a few spots: the knob that stops working.

    `spots` is a list of (lead, weight, slope).
    """
    wide = page.width - 60
    ax = chart(
        page, 40, 24, wide, page.height - 70, xlabel="lead of the first score over the second",
        ylabel="weight of the first key", xlim=(lead[0], lead[-1]), ylim=(0, 1.3),
        xticks=range(-2, 11, 2), yticks=(0, 0.5, 1),
    )  # fmt: skip
    ax.set_yticklabels(["0", "50 %", "100 %"])
    curve(page, ax, lead, weight, colour="weight", width=3)
    for i, (at, height, slope) in enumerate(spots):
        with page.step(i):
            reach = np.array([-1.6, 1.6])
            curve(page, ax, at + reach, height + slope * reach, colour="lit edge", width=3.2)
            ax.plot(at, height, "o", color=page.colour("ink"), markersize=6, zorder=5)
            side = (at + 0.9, height - 0.12, "top left") if i == 0 else (at, height + 0.1, "bottom")
            if page.narrow and i == 1:  # no room beside the next one
                side = (at, height - 0.1, "top")
            page.text(*side[:2], f"slope {number(slope, 2 if slope > 0.1 else 4)}", at=side[2], weight="bold", ax=ax)
    page.caption("amber: the tangent, which is what a gradient tells you")
    told = ", ".join(f"{slope:.2g} at a lead of {at:g}" for at, _, slope in spots)
    return f"An S-shaped curve: the weight of the first of two keys against the lead of its score. Its slope is {told}."


@picture(height={"book": 190, "phone": 400, "slide": 240})
def before_and_after(page: Page, before, after) -> str:
    """Weights before and after the first score has been raised: what it gained and what each other key paid."""
    panels = page.panels(2, high=175, gap=60)
    for i, (block, weights, title) in enumerate(zip(panels, (before, after), ("before", "after"), strict=True)):
        space = Block(block.x, block.y + 36, block.wide, block.high - 60)
        words = [percent(w) for w in weights]
        if i:
            words = [
                f"{percent(w)} ({100 * (w - old):+.0f})".replace("-", "−")
                for w, old in zip(weights, before, strict=True)
            ]
        with page.step(i):
            page.text(block.x, block.y, title, at="top left", weight="bold")
            bars(page, space, weights, colour="weight", top=1, words=words, names=("key 1", "key 2", "key 3"))
    page.caption("the two that pay keep their ratio: each loses the same part of what it has")
    told = ", ".join(f"from {percent(a)} to {percent(b)}" for a, b in zip(before, after, strict=True))
    return f"Bars of three weights before and after the first score rises. They go {told}."


@picture(height={"book": 226, "phone": 700, "slide": 260})
def who_takes(page: Page, weights) -> str:
    """One panel for each score that's raised: arrows show from whom its key takes, as thick as the rate is large."""
    n, told = len(weights), []
    panels = page.panels(n, high=226, gap=10)
    for i, block in enumerate(panels):
        x, y = block.top
        places = [(x, y + 62), (x - 62, y + 160), (x + 62, y + 160)]
        with page.step(i):
            page.text(x, y, f"raise score {i + 1}", at="top", weight="bold")
            for j, (place, weight) in enumerate(zip(places, weights, strict=True)):
                half = RADIUS * np.sqrt(weight / max(weights))
                page.box(
                    place[0] - half, place[1] - half, 2 * half, 2 * half, percent(weight), fill="weight",
                    tint=0.22 if i == j else 0.1, edge="weight" if i == j else "line", corner=half,
                    width=2.6 if i == j else 1.4,
                )  # fmt: skip
            for j in set(range(n)) - {i}:
                taken(page, places[j], places[i], weights[j], weights[i], max(weights))
            gain = weights[i] * (1 - weights[i])
            page.text(x, y + 206, f"key {i + 1} gains {gain:.2f}", at="top", colour="weight", weight="bold")
            told.append(f"raising score {i + 1} gains {gain:.2f}")
    page.key("on an arrow: the product of the two weights, which is how fast weight changes hands")
    return f"Three keys with weights {', '.join(map(percent, weights))} and arrows between them: {'; '.join(told)}."


def taken(page: Page, start, end, giver: float, taker: float, largest: float) -> None:
    """An arrow from the key that gives to the one that takes, with the rate beside it."""
    start, end = np.array(start, dtype=float), np.array(end, dtype=float)
    along = (end - start) / np.linalg.norm(end - start)
    first = start + along * (RADIUS * np.sqrt(giver / largest) + 3)
    last = end - along * (RADIUS * np.sqrt(taker / largest) + 3)
    rate = giver * taker
    page.arrow(first, last, colour="blame", width=1.5 + 24 * rate)
    x, y = (first + last) / 2
    down, across = (8, 0) if along[1] == 0 else (-2, 10 * np.sign(along[0] * along[1]))
    at = {0: "top", 1: "left", -1: "right"}[int(np.sign(across))]
    page.text(x + across, y + down, f"{rate:.2f}", at=at, colour="blame", weight="bold", size=13)


@picture(height={"book": 210, "phone": 470, "slide": 240})
def jacobian_to_scale(page: Page, weights, jacobian) -> str:
    """A square whose sides are cut as the weights are, so that areas are products; beside it, J in numbers."""
    square, x, y = (Block(46, 30, 180, 180), 100, 290) if page.narrow else (Block(60, 28, 180, 180), 420, 54)
    market(page, square, weights, numbers=True)
    for weight, end in zip(weights, np.cumsum(weights), strict=True):
        middle = (end - weight / 2) * square.wide
        page.text(square.x - 8, square.y + middle, percent(weight), at="right", colour="grey", size=13)
        page.text(square.x + middle, square.y - 5, percent(weight), at="bottom", colour="grey", size=13)
    with page.step(1):
        names = range(1, len(weights) + 1)
        block = matrix(
            page, x, y, jacobian, colour="blame", cell=(64, 50), digits=2, rows=[f"weight {i}" for i in names],
            columns=[f"score {i}" for i in names], lit=[(i, i) for i in range(len(weights))],
        )  # fmt: skip
        if not page.narrow:
            page.arrow((square.right[0] + 14, block.middle[1]), (x - 78, block.middle[1]))
    first = weights[0]
    page.caption(
        f"left, areas: row 1 holds {first:.2f}, its grey block is {first**2:.2f}; what's left, {jacobian[0][0]:.2f}, "
        "changes hands"
    )
    return (
        f"A square whose sides are cut into {', '.join(map(percent, weights))}; its blocks are the products of two "
        f"weights. Beside it J: {'; '.join(', '.join(number(slope, 2) for slope in row) for row in jacobian)}."
    )


def market(page: Page, block: Block, weights, *, numbers: bool = False) -> None:
    """The square of all products: grey where a key meets itself, in the gradient's colour where two keys trade."""
    x, y, side, _ = block
    ends = np.cumsum(weights)
    page.box(*block, fill="blame", tint=0.3, edge=None, corner=0)
    for end, weight in zip(ends, weights, strict=True):
        at = (end - weight) * side
        page.box(x + at, y + at, weight * side, weight * side, fill="line", tint=0.55, edge=None, corner=0)
    for end in ends[:-1] * side:
        thin = 1.5 if len(weights) < 10 else 0.5
        page.line((x + end, y), (x + end, y + side), colour="paper", width=thin)
        page.line((x, y + end), (x + side, y + end), colour="paper", width=thin)
    for i, j in np.ndindex(len(weights), len(weights)) if numbers else ():
        middle = (ends - weights / 2) * side
        page.text(x + middle[j], y + middle[i], f"{weights[i] * weights[j]:.2f}", size=13)
    page.box(*block, edge="grey", width=1.2, corner=0, hollow=True)


@picture(height={"book": 196, "phone": 420, "slide": 230})
def dead_or_alive(page: Page, titles, weights, norms) -> str:
    """The square of products for several rows of weights: one winner leaves nothing to trade."""
    told = []
    for i, (title, p, norm) in enumerate(zip(titles, weights, norms, strict=True)):
        column, line = (i % 2, i // 2) if page.narrow else (i, 0)
        wide = page.width / (2 if page.narrow else len(norms))
        x, y = column * wide + wide / 2, line * 214
        with page.step(i):
            page.text(x, y, title, at="top", size=15, weight="bold")
            market(page, Block(x - 58, y + 28, 116, 116), p)
            page.text(x, y + 152, f"‖J‖ = {norm:.3f}", at="top", size=15, colour="blame", weight="bold")
        told.append(f"{title}: norm {norm:.3f}")
    page.key("grey: a key meets itself; coloured: two keys can trade weight")
    return f"Squares of all products of two weights, for {len(norms)} rows of {len(p)} keys. {'; '.join(told)}."


@picture(height={"book": 190, "phone": 400, "slide": 240})
def from_the_average(page: Page, costs, weights, names=("key 1", "key 2", "key 3"), *, what="cost", digits=1) -> str:
    """What each key costs, seen from the row's average, and the blame on its score: gap times weight.

    `what` names the costs, and `digits` is for gaps and weights.
    """
    average = float(np.dot(weights, costs))
    left, right = (Block(0, 30, 300, 150), 0) if page.narrow else (Block(0, 30, 330, 150), 400)
    low, high = min(0, *costs), max(costs)
    unit = (left.high - 24 * (low < 0)) / (1.1 * (high - low))
    floor = left.y + left.high + unit * low - 24 * (low < 0)  # where 0 is, with room for words below
    line = floor - unit * average
    page.line((left.x, line), (left.x + left.wide, line), colour="ink", width=1.6, dash="--")
    place = (line + 4, "top right") if low < 0 else (line - 5, "bottom right")
    page.text(left.x + left.wide, place[0], f"average {number(average, 2)}", at=place[1], size=13)
    top = 228 if page.narrow else 36
    head = f"({what} − average) × weight = blame on its score"
    page.text(right, top - 30, head, at="top left", colour="grey", size=13)
    pushes = [w * (cost - average) for w, cost in zip(weights, costs, strict=True)]
    for i, (name, cost, weight, push) in enumerate(zip(names, costs, weights, pushes, strict=True)):
        x, y = left.x + 44 + 84 * i, floor - unit * cost
        page.line((x - 22, y), (x + 22, y), colour="weight", width=5)
        (page.arrow if abs(y - line) > 12 else page.line)((x, line), (x, y), colour="blame", width=2)
        page.text(x, y + (14 if cost < average else -14), f"{what} {number(cost)}", size=13)
        with page.step(1):
            words, blame = (
                text.replace("-", "−")
                for text in (f"{cost - average:+.{digits}f} × {weight:.{digits}f}", f"{push:+.2f}")
            )
            page.text(right, top + 40 * i + 20, f"{name}:  {words}", at="left", size=15)
            page.text(right + 270, top + 40 * i + 20, blame, at="right", colour="blame", weight="bold", size=16)
    page.caption("a score is blamed for how its key differs from the average, in proportion to the key's weight")
    told = ", ".join(f"{name} {push:+.2f}" for name, push in zip(names, pushes, strict=True))
    kinds = f"{what.capitalize()}s"
    return f"{kinds} of three keys above or below their average of {average:.2f}. Blame on their scores: {told}."
