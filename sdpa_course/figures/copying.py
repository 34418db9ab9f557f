"""A task for two heads: copy the left neighbour and the right one. What one head makes of it. Notebook 08."""

import numpy as np

from .kit import Block, Page, picture
from .kit.charts import bars
from .kit.matrices import percent


@picture(height={"book": 286, "phone": 590})
def copy_task(page: Page, kinds, places, wanted) -> str:
    """The blank between two words copies both: two heads, one word each, or one head that mixes them.

    `kinds` are the words there are, `places` the two neighbours, and `wanted` title -> ((p of each head), out), out
    being (2, kinds), what's in the left and in the right half of the output.
    """
    told = []
    for i, (block, (title, (heads, out))) in enumerate(
        zip(page.panels(2, high=286, gap=32), wanted.items(), strict=True)
    ):
        x, y, wide = block.x, block.y, block.wide
        with page.step(i):
            page.text(x, y, title, at="top left", weight="bold", size=16)
            cells = []
            for j, (word, looks) in enumerate(((places[0], ("v", 0.2)), ("?", ("pale", 1)), (places[1], ("v", 0.2)))):
                left = x + j * (wide - 84) / 2
                cells.append(page.box(left, y + 32, 84, 34, word, fill=looks[0], tint=looks[1], edge=None, size=15))
            for h, shares in enumerate(heads):
                middle = (cells[1].middle[0] + (2 * h - 1) * 28 * (len(heads) - 1), y + 118)
                page.box(middle[0] - 26, y + 104, 52, 28, f"head {h + 1}" if len(heads) > 1 else "head", fill="weight",
                         tint=0.16, edge="weight", size=13)  # fmt: skip
                for share, cell in zip(shares, (cells[0], cells[2]), strict=True):
                    if share > 0.01:
                        page.arrow((cell.bottom[0], cell.bottom[1] + 2), (middle[0] + np.sign(cell.x - middle[0]) * 26,
                                   y + 114), colour="weight", width=1 + 3 * share)  # fmt: skip
                        side = -1 if cell is cells[0] else 1
                        page.text(cell.bottom[0] + side * 6, y + 96, percent(share), colour="weight", size=13,
                                  weight="bold", at="right" if side < 0 else "left")  # fmt: skip
            for half, (name, row) in enumerate(zip(("left half", "right half"), out, strict=True)):
                inner = Block(x + half * (wide / 2 + 6), y + 186, wide / 2 - 12, 56)
                page.text(inner.x, y + 150, name, at="top left", size=13, colour="grey")
                bars(page, inner, row, colour="out", top=1, words=[percent(v) if v > 0.01 else "" for v in row])
                for j, kind in enumerate(kinds):
                    page.text(inner.x + (j + 0.5) * inner.wide / len(kinds), y + 247, kind, at="top", size=12,
                              rotation=0, colour="grey")  # fmt: skip
        halves = (" and ".join(f"{percent(v)} {k}" for k, v in zip(kinds, row, strict=True) if v > 0.01) for row in out)
        told.append(f"{title}: left half {', right half '.join(halves)}")
    page.caption(
        "The blank should hand on its left neighbour in one half of its output and its right one in the other."
    )
    return f"A blank between {places[0]} and {places[1]} should copy both. {'. '.join(told)}."


@picture(height={"book": 222, "phone": 222})
def either_half(page: Page, errors: dict, two_heads: float) -> str:
    """The error of one head on the left and on the right half, stacked, for each weight p on the left word."""
    unit, floor = 130, 172
    wide = page.width / (len(errors) + 1.4)
    top = max(sum(pair) for pair in errors.values())
    for i, (p, (left, right)) in enumerate(errors.items()):
        x = wide * (i + 0.15)
        lower, upper = unit * left / top, unit * right / top
        page.box(x, floor - lower, 0.7 * wide, lower, fill="out", edge=None, corner=0)
        page.box(x, floor - lower - upper, 0.7 * wide, upper, fill="out", tint=0.35, edge=None, corner=0)
        page.text(x + 0.35 * wide, floor - unit - 6, f"{left + right:.2f}", at="bottom", weight="bold", size=15)
        page.text(x + 0.35 * wide, floor + 6, percent(p), at="top", colour="grey", size=13)
        if lower > 30:
            page.text(x + 0.35 * wide, floor - lower / 2, "left", colour="paper", size=13)
        if upper > 30:
            page.text(x + 0.35 * wide, floor - lower - upper / 2, "right", size=13)
    x = wide * (len(errors) + 0.45)
    page.line((0, floor), (page.width, floor), colour="grey", width=1)
    with page.step(1):
        page.text(x + 0.4 * wide, floor - 6, f"{two_heads:.2f}", at="bottom", weight="bold", size=15, colour="root")
        page.text(x + 0.4 * wide, floor + 6, "two heads", at="top", colour="root", weight="bold", size=13)
    page.text(0, floor + 27, "weight of the one head on the left word", at="top left", colour="grey", size=13)
    page.caption("the best error of one head: which half goes wrong is up to it, how much isn’t")
    told = "; ".join(f"{percent(p)}: {a:.3f} and {b:.3f}" for p, (a, b) in errors.items())
    return (
        f"Stacked bars of the error on the left and on the right half, by the weight of one head on the left word. "
        f"{told}. Each pair adds up to {top:.3f}. Two heads: {two_heads:.3f}."
    )
