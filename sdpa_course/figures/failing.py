"""Too sharp and too flat: what the right key gets, which rows are stuck, and a trained row rescaled. Notebook 09."""

import numpy as np

from .kit import Block, Page, picture
from .kit.charts import bars
from .kit.matrices import percent
from .learning_charts import RULES, plain

RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
ROWS = (
    ("right, stuck", "root", 0.75),
    ("right", "root", 0.3),
    ("wrong", "nothing", 0.3),
    ("wrong, stuck", "nothing", 0.75),
)


def short(value: float) -> str:
    """A share in one digit, however small.

    Examples
    --------
    >>> short(0.0459), short(6.1e-7)
    ('0.05', '6·10⁻⁷')
    """
    if value >= 1e-4:
        return f"{value:.1g}"
    digit, power = f"{value:.0e}".split("e")
    return f"{digit}·10{str(int(power)).translate(RAISED)}"


@picture(height={"book": 242, "phone": 770, "slide": 262})
def two_ways_to_fail(page: Page, panels: dict, right: int) -> str:
    """One row of weights under each scale, and the gradient of the right key's score and of its dot product.

    `panels` is scale -> (weights, pull on the right key's score, on its dot product).
    """
    told = []
    for i, (block, (scale, (weights, pull, left))) in enumerate(
        zip(page.panels(3, high=230, gap=34), panels.items(), strict=True)
    ):
        name, colour = RULES[scale]
        with page.step(i):
            page.text(block.x, block.y + 8, name, at="left", colour=colour, weight="bold", size=16)
            room = Block(block.x, block.y + 44, block.wide, 96)
            bars(page, room, weights, colour="weight", top=1, lit=right)
            wide = block.wide / len(weights)
            foot = block.x + (right + 0.5) * wide
            page.arrow((foot, room.y + room.high + 22), (foot, room.y + room.high + 4), colour="lit edge")
            page.text(foot, room.y + room.high + 24, "the right key", at="top", colour="lit text", size=13)
            for row, (words, value) in enumerate((("pull on its score", pull), ("pull on its q · k", left))):
                y = room.y + room.high + 62 + 22 * row
                page.text(block.x, y, words, at="left", colour="grey", size=13)
                page.text(block.x + block.wide, y, short(value), at="right", weight="bold", size=14)
        pulls = f"pull {short(pull)} on the score, {short(left)} on the dot product"
        told.append(f"{plain(name)}: largest weight {percent(max(weights))}, {pulls}")
    page.caption("too sharp, hardly any pull on the right key at all; too flat, a pull that only the scale makes small")
    return f"The weights of 16 keys under three scales, the right key marked. {'; '.join(told)}."


@picture(height={"book": 236, "phone": 420, "slide": 250})
def stuck_or_moving(page: Page, rows: list) -> str:
    """All rows of a head after training, sorted; `rows` has (d_k, scale, shares as in ROWS, the right key's weight)."""
    left, room = (0, 0) if page.narrow else (154, 120)
    wide, told = page.width - left - room, []
    page.text(page.width, 8, "right key’s weight\nbefore training", at="top right", colour="grey", size=13)
    for i, (d_k, scale, shares, before) in enumerate(rows):
        name, colour = RULES[scale]
        y = (70 + 84 * i) if page.narrow else (54 + 44 * i)
        with page.step(i):
            label = (0, y - 14, "left") if page.narrow else (left - 12, y + 16, "right")
            page.text(*label[:2], f"$d_k$ = {d_k}, {name}", at=label[2], colour=colour, weight="bold", size=14)
            x = left
            for (kind, fill, tint), share in zip(ROWS, shares, strict=True):
                if share < 0.005:
                    continue
                page.box(x, y, share * wide, 32, fill=fill, tint=tint, edge="paper", width=1, corner=0)
                longest = share * wide - 8
                for words in (f"{percent(share)} {kind}", f"{percent(share)} {kind.split()[-1]}", percent(share), ""):
                    if page.measure(words, page.size(13), "bold")[0] < longest:
                        break
                ink = page.ink_on(page.colour(fill, tint))
                page.text(x + share * wide / 2, y + 16, words, weight="bold", size=13, colour=ink)
                x += share * wide
            page.text(page.width, y - 14 if page.narrow else y + 16, short(before), at="right", weight="bold", size=15)
        said = ", ".join(f"{percent(share)} {kind}" for (kind, *_), share in zip(ROWS, shares, strict=True))
        told.append(f"d_k = {d_k}, {plain(name)}: {said}; the right key starts with {short(before)}")
    page.caption("strong colour: stuck, softmax passes on less than a millionth of the gradient; faint: free to move")
    return f"Bars of a head's rows after training, right or wrong, stuck or not. {'. '.join(told)}."


@picture(height={"book": 176, "phone": 590, "slide": 210})
def row_rescaled(page: Page, panels: dict, right: int) -> str:
    """One row of a trained head under other factors than its own; `panels` is words -> weights."""
    told = []
    for i, (block, (words, weights)) in enumerate(zip(page.panels(3, high=170, gap=34), panels.items(), strict=True)):
        with page.step(i):
            page.text(block.x, block.y + 8, words, at="left", weight="bold", size=15)
            room = Block(block.x, block.y + 52, block.wide, 100)
            bars(page, room, weights, colour="weight", top=1, lit=right, words=percent(weights[right]))
        told.append(f"{words}, {percent(weights[right])} for the right key")
    page.caption("one row of weights over 64 keys, the right one named by its share")
    return f"Bars of one trained row's weights over {len(np.ravel(weights))} keys. {'; '.join(told)}."
