"""Attention block by block: what's in memory, three numbers carried along a row, and a growing cache. Appendix A2."""

import numpy as np

from .kit import Block, Page, picture
from .kit.charts import bars
from .kit.matrices import number


@picture(height={"book": 300, "slide": 320})
def to_scale(page: Page, tokens: int, width: int) -> str:
    """Q, K, V and the output beside the scores, all drawn to the same scale."""
    side = page.height - 40
    wide, y = side * width / tokens, 28
    for i, (name, colour) in enumerate((("Q", "q"), ("K", "k"), ("V", "v"), ("out", "out"))):
        x = 30 + i * 62
        page.box(x, y, wide, side, fill=colour, tint=0.35, edge=colour, corner=0)
        page.text(x + wide / 2, y - 8, name, at="bottom", colour=colour, weight="bold")
    with page.step(1):
        x = page.width - side - 60
        page.box(x, y, side, side, fill="score", tint=0.2, edge="score", corner=0)
        page.text(x + side / 2, y - 8, "scores", at="bottom", colour="score", weight="bold")
        size = tokens * tokens / (4 * tokens * width)
        page.text(x + side / 2, y + side / 2, f"{number(size)} times as large\nas the four together", size=17)
    page.caption(f"{tokens:,} tokens, one head of width {width}, drawn to scale")
    return (
        f"Q, K, V and the output as four narrow strips, {tokens} by {width}, and the scores as a square of {tokens} by "
        f"{tokens}, to the same scale: the square is {number(size)} times as large as the strips together."
    )


@picture(height={"book": 330, "slide": 360})
def carried(page: Page, scores, blocks: list) -> str:
    """A row of scores in blocks, and what's carried from block to block: (top, correction, total, acc) after each."""
    each, told = len(scores) // len(blocks), []
    wide = page.width / len(blocks)
    for i, (top, correction, total, acc) in enumerate(blocks):
        x, part = i * wide, scores[i * each : (i + 1) * each]
        with page.step(i):
            space = Block(x + wide * 0.2, 30, wide * 0.6, 110)
            words = [number(score) for score in part]
            lit = int(np.argmax(part)) if correction < 1 else None
            bars(page, space, part, colour="score", top=max(scores), words=words)
            if lit is not None:
                page.text(x + wide / 2, 160, "a new maximum", colour="lit text", weight="bold", size=14)
            lines = (f"top = {number(top)}", f"total = {total:.3f}", f"acc = {acc:.2f}")
            box = page.box(x + wide * 0.16, 198, wide * 0.68, 96, edge="weight", fill="weight", tint=0.1)
            for j, line in enumerate(lines):
                page.text(box.x + box.wide / 2, box.y + 20 + 28 * j, line, size=15)
            if i:
                page.arrow((x - wide * 0.16, 246), (box.x, 246), f"× {correction:.3f}", colour="lit edge")
        told.append(f"after {', '.join(words)}: top {number(top)}, total {total:.3f}, acc {acc:.2f}")
    page.caption("before a block is added, the old total and acc are corrected for the new maximum")
    return f"Six scores in blocks of {each} and three numbers carried along. {'; '.join(told)}."


@picture(height={"book": 250, "slide": 270})
def three_orders(page: Page, orders: dict, right: float) -> str:
    """The same keys in several orders: name -> {way: average}; the right average as a line through all bars."""
    names = list(next(iter(orders.values())))
    wide, told, top = page.width / len(orders), [], 1.25 * right
    for i, (order, found) in enumerate(orders.items()):
        space = Block(i * wide + 18, 40, wide - 36, 150)
        with page.step(i):
            page.text(space.x + space.wide / 2, 4, order, at="top", weight="bold")
            wrong = [abs(value - right) > 1e-6 for value in found.values()]
            for j, (value, bad) in enumerate(zip(found.values(), wrong, strict=True)):
                part = Block(space.x + j * space.wide / len(names), space.y, space.wide / len(names), space.high)
                colour = "nothing" if bad else "root"
                bars(page, part, [value], colour=colour, top=top, words=[f"{value:.1f}"], names=[names[j]])
        told.append(f"{order}: " + ", ".join(f"{name} {value:.1f}" for name, value in found.items()))
    page.caption("green: the right average, whatever the order; orange: wrong")
    return f"Bars of a weighted average, computed in blocks in three ways. {'; '.join(told)}."


@picture(height={"book": 185, "slide": 220})
def growing(page: Page, steps: int) -> str:
    """The scores of every step of writing: all of them again, or only the new row, thanks to the cache."""
    unit, gap = 13, 22
    for row, (name, colour) in enumerate((("everything again", "nothing"), ("with the cache", "root"))):
        y = 34 + 124 * row
        with page.step(row):
            page.text(0, y - 10, name, at="bottom left", weight="bold", colour=colour)
            x = 6
            for t in range(1, steps + 1):
                for i in range(t):
                    new = i == t - 1
                    if row and not new:
                        continue
                    for j in range(t):
                        page.box(
                            x + j * unit, y + (0 if row else i * unit), unit, unit, fill=colour,
                            tint=0.75 if new else 0.25, edge="paper", width=1, corner=0,
                        )  # fmt: skip
                x += unit * t + gap
            count = sum(t if row else t * t for t in range(1, steps + 1))
            page.text(page.width, y + unit / 2, f"{count} scores", at="right", colour=colour, weight="bold", size=17)
    page.caption("one column of pictures for each token written; dark: the row that's needed")
    squares, sums = (sum(t**power for t in range(1, steps + 1)) for power in (2, 1))
    return (
        f"Squares of scores for {steps} steps of writing. Everything again: 1 by 1, 2 by 2, up to {steps} by {steps}, "
        f"{squares} scores in all. With the cache: one new row each time, {sums} scores in all."
    )
