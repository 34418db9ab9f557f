"""Masks as stencils laid over the scores, and what leaks if they're laid too late. For notebook 05."""

import numpy as np

from .kit import Block, Page, picture
from .kit.matrices import matrix, number, percent


def stencil(page: Page, block: Block, mask, *, words: str = "") -> None:
    """A stencil over a table: what may be seen stays open, the rest is covered."""
    n, m = np.shape(mask)
    wide, high = block.wide / m, block.high / n
    for (i, j), seen in np.ndenumerate(mask):
        if not seen:
            page.box(
                block.x + j * wide, block.y + i * high, wide, high, words, fill="score", tint=0.75, edge="paper",
                width=1.2, corner=0, size=14, colour="paper",
            )  # fmt: skip


@picture(height={"book": 178, "phone": 400, "slide": 220})
def stencils(page: Page, masks: dict) -> str:
    """Several masks as stencils, a row for each query and a column for each key. `masks` is name -> (words, mask)."""
    told = []
    for i, (name, (words, mask)) in enumerate(masks.items()):
        across, side = 2 if page.narrow else len(masks), 126
        cell = side / len(mask)
        wide = cell * len(mask[0])
        across = across if wide < page.width / across else 1  # below each other on a phone
        room = page.width / across
        x, y = room * (i % across) + (room - wide) / 2, 200 * (i // across)
        with page.step(i):
            page.text(x + wide / 2, y, name, at="top", weight="bold", size=15)
            block = Block(x, y + 26, wide, side)
            matrix(page, block.x, block.y, np.zeros(np.shape(mask)), colour="weight", cell=cell, numbers=False)
            stencil(page, block, mask)
            page.text(x + wide / 2, y + side + 32, words, at="top", colour="grey", size=13)
        told.append(f"{name}, {int(np.sum(mask))} of {np.size(mask)} cells open: {words}")
    page.caption("a row asks, a column is asked; solid: covered")
    tables = "Square tables" if len(mask) == len(mask[0]) else "Tables"
    return f"{tables} with covered cells. {'; '.join(told)}."


@picture(height={"book": 176, "phone": 520, "slide": 190})
def covered(page: Page, tokens, scores, mask, weights) -> str:
    """Scores, the same scores under a stencil, and the weights that softmax makes of what's left open."""
    n, wide, high = len(tokens), 56, 40
    step = 0 if page.narrow else (page.width - 62 - n * wide) / 2
    stages = (
        ("scores", "score", scores, 1, ""),
        ("covered", "score", scores, 1, "−∞"),
        ("weights", "weight", weights, 2, "0"),
    )
    blocks = []
    for i, (name, colour, values, digits, hidden) in enumerate(stages):
        x, y = 62 + i * step, 28 + (170 * i if page.narrow else 0)
        with page.step(i):
            shown = np.where(mask, values, np.nan) if hidden else values
            block = matrix(page, x, y, shown, colour=colour, cell=(wide, high), digits=digits, size=15,
                           rows=tokens if i == 0 or page.narrow else ())  # fmt: skip
            if hidden:
                stencil(page, block, mask, words=hidden)
            page.text(x + block.wide / 2, y - 6, name, at="bottom", weight="bold", colour=colour, size=15)
            if i and not page.narrow:
                words = ("mask", "softmax")[i - 1]
                page.arrow((blocks[-1].right[0] + 8, y + 60), (x - 8, y + 60), words)
        blocks.append(block)
    page.caption("a covered score becomes −∞, and e to the −∞ is 0: no weight, and nothing in the sum either")
    told = "; ".join(
        f"{token}: {', '.join(f'{w:.2f}' if seen else 'hidden' for w, seen in zip(row, open_, strict=True))}"
        for token, row, open_ in zip(tokens, weights, mask, strict=True)
    )
    return f"The scores of {', '.join(tokens)}, the same with the keys to the right covered, and the weights. {told}."


@picture(height={"book": 216, "phone": 224, "slide": 224})
def leak(page: Page, tokens, exps, hidden: int) -> str:
    """One row's exponentials and the weights they become, with a key covered before the division or after it."""
    total, seen = np.sum(exps), np.arange(len(exps)) != hidden
    left, long = 0, page.width * 0.44
    told = []
    for i, (title, before) in enumerate((("cover, then softmax", True), ("softmax, then cover", False))):
        y = 108 * i
        divisor = np.sum(exps, where=seen) if before else total
        with page.step(i):
            page.text(left, y, title, at="top left", weight="bold", size=16)
            parts = strip(
                page, Block(left, y + 44, long, 36), np.asarray(exps) / total, tokens, seen | (not before), "score"
            )
            strip(page, Block(page.width - long, y + 44, long, 36), np.asarray(exps) / divisor, tokens, seen, "weight")
            middle = page.width / 2
            page.arrow((left + long + 6, y + 62), (page.width - long - 6, y + 62))
            page.text(middle, y + 52, f"÷ {divisor:.1f}", at="bottom", size=13 if page.narrow else 15)
            if not before:
                page.text(parts[hidden], y + 86, f"{tokens[hidden]} is in the sum", at="top", colour="nothing",
                          weight="bold")  # fmt: skip
            left_over = np.sum(np.asarray(exps) / divisor, where=seen)
            page.text(page.width, y + 86, f"adds up to {percent(left_over)}", at="top right", weight="bold",
                      colour="ink" if before else "nothing")  # fmt: skip
        told.append(f"{title}: {', '.join(percent(e / divisor) for e in np.asarray(exps)[seen])}")
    page.caption("left, the exponentials of Apple’s scores; right, its weights; solid: covered")
    return (
        f"Bands for Apple’s row, with {tokens[hidden]} hidden. Exponentials {', '.join(f'{e:.1f}' for e in exps)}. "
        f"{'; '.join(told)}. In the second case {tokens[hidden]} is still in the sum that everyone is divided by."
    )


def strip(page: Page, block: Block, shares, names, seen, colour: str) -> list[float]:
    """A band cut into shares of its length, the unseen ones solid, and the middle of each part."""
    x, middles = block.x, []
    for share, name, open_ in zip(shares, names, seen, strict=True):
        wide = share * block.wide
        if open_ or x + wide <= block.x + block.wide + 0.5:
            fits = page.measure(name, 13)[0] < wide - 4
            page.box(x, block.y, wide, block.high, name if fits else "", fill=colour if open_ else "score",
                     tint=0.3 if open_ else 0.75, edge="paper", width=1.2, corner=0, size=13,
                     colour=None if open_ else "paper")  # fmt: skip
            if not fits and open_ and not page.narrow:
                page.text(x + wide / 2, block.y - 3, name, at="bottom", size=12, colour="grey")
        middles.append(x + wide / 2)
        x += wide
    return middles


@picture(height={"book": 236, "phone": 430, "slide": 250})
def four_ways(page: Page, tokens, hidden_scores, ways: dict) -> str:
    """Ways to hide a key, tried with several hidden scores. `ways` is name -> a row of weights for each of them."""
    told, wide = [], (page.width if page.narrow else page.width - 150) / len(hidden_scores) - 12
    left = 0 if page.narrow else 150
    for j, score in enumerate(hidden_scores):
        x = left + j * (wide + 12) + wide / 2
        page.text(x, 0, f"{tokens[-1]}: {number(score)}", at="top", colour="grey", size=14)
    for i, (name, rows) in enumerate(ways.items()):
        y = 30 + i * (96 if page.narrow else 52) + (24 if page.narrow else 0)
        good = all(np.allclose(row, rows[0]) for row in rows) and rows[0][-1] == 0
        ink = {"weight": "bold", "colour": "root" if good else "ink", "size": 15}
        with page.step(i):
            page.text(0, y - 6 if page.narrow else y + 19, name, at="bottom left" if page.narrow else "left", **ink)
            for j, row in enumerate(rows):
                block = Block(left + j * (wide + 12), y, wide, 38)
                page.box(*block, fill="pale", edge="root" if good else None, width=2, corner=0)
                if np.isnan(row).any():
                    page.text(*block.middle, "nan", colour="nothing", weight="bold", size=16)
                    continue
                x = block.x
                for k, weight in enumerate(row):
                    fill, tint = ("nothing", 1) if k == len(row) - 1 else ("weight", 0.25 * (k + 1))
                    words = percent(weight) if weight > 0.25 else ""
                    page.box(x, y, weight * wide, 38, words, fill=fill, tint=tint, edge=None, corner=0, size=13)
                    x += weight * wide
        told.append(
            f"{name}: " + "; ".join("nan" if np.isnan(row).any() else ", ".join(map(percent, row)) for row in rows)
        )
    page.key(
        f"from the left {', '.join(tokens[:-1])}, and in orange {tokens[-1]}, which should be hidden; empty: missing"
    )
    return (
        f"Apple’s weights with the hidden score at {', '.join(number(s) for s in hidden_scores)}, as bands, one line "
        f"for each way to hide it. {'. '.join(told)}."
    )


@picture(height={"book": 244, "phone": 536, "slide": 270})
def nothing_fits(page: Page, cases: dict) -> str:
    """Rows without a good key: what their scores are and what softmax makes of them.

    `cases` is title -> (scores in words, weights or None for nan, remark, whether it's fine).
    """
    for i, (title, (scores, weights, remark, fine)) in enumerate(cases.items()):
        y = i * (108 if page.narrow else 50)
        colour = "root" if fine else "nothing"
        with page.step(i):
            page.text(0, y + (6 if page.narrow else 22), title, at="left", weight="bold", size=15)
            x, top, wide = (0, y + 20, 38) if page.narrow else (172, y, 40)
            for word in scores:
                page.box(x, top, wide, 40, word, fill="score", tint=0.2, edge="paper", corner=0, size=13)
                x += wide
            x = 174 if page.narrow else 358
            page.arrow((x - 18, top + 20), (x - 2, top + 20))
            for weight in weights if weights is not None else ():
                page.box(x, top, wide, 40, percent(weight), fill="weight", tint=0.1 + 0.5 * weight, edge="paper",
                         corner=0, size=12)  # fmt: skip
                x += wide
            if weights is None:
                page.text(x + 30, top + 20, "nan", colour="nothing", weight="bold", size=17)
            at = (0, top + 58) if page.narrow else (530, y + 20)
            page.text(*at, remark, at="left", colour=colour, weight="bold", size=14)
    page.caption("left, the scores that three keys get from a query; right, their weights")
    told = (
        f"{title}: {'nan' if weights is None else ', '.join(map(percent, weights))}, {remark}"
        for title, (_, weights, remark, _) in cases.items()
    )
    return f"Rows of scores without a good key, and their weights. {'. '.join(told)}."
