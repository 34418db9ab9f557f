"""How scores are made: multiply and add, rows that meet columns, and the shapes to scale. Notebook 01."""

import numpy as np

from .kit import Page, picture
from .kit.matrices import frame, matrix, number


def vector(values, digits: int | None = None) -> str:
    """A vector in brackets, for a label."""
    return f"({', '.join(number(value, digits) for value in values)})"


@picture(height={"book": 214, "phone": 214, "slide": 220})
def multiply_add(page: Page, query, keys, tokens, *, asks: str = "Apple") -> str:
    """One query meets every key: multiply entry by entry, then add. One row of boxes for each key."""
    cell, x0 = 40, 64 if page.narrow else 118
    step = 96 if page.narrow else 196  # from one entry's boxes to the next one's
    told = []
    for j, name in enumerate(("technology", "feeling")):
        page.text(x0 + j * step + cell, 8, name, colour="grey", size=13)
    for i, (token, key) in enumerate(zip(tokens, keys, strict=True)):
        y, terms = 32 + 62 * i, query * key
        with page.step(i):
            page.text(x0 - 10, y + cell / 2, token, at="right", colour="k", weight="bold", size=15)
            for j, (a, b) in enumerate(zip(query, key, strict=True)):
                x = x0 + j * step
                page.box(x, y, cell - 6, cell, number(a), fill="q", tint=0.16, edge="q", size=16)
                page.text(x + cell, y + cell / 2, "·", size=18)
                page.box(x + cell + 6, y, cell - 6, cell, number(b), fill="k", tint=0.16, edge="k", size=16)
                if not page.narrow:
                    page.text(x + 2 * cell + 12, y + cell / 2, "=", size=16)
                    page.box(x + 2 * cell + 26, y, 46, cell, number(terms[j]), edge="line", size=16)
                plus = x + step - (8 if page.narrow else 22)
                page.text(plus, y + cell / 2, "+" if j == 0 else "=", size=16)
            x = x0 + 2 * step + (4 if page.narrow else 2)
            page.box(x, y, 56, cell, number(terms.sum()), fill="score", tint=0.3, edge="score", weight="bold", size=18)
            told.append(f"{token}, {' plus '.join(map(number, terms))} is {number(terms.sum())}")
    page.caption(f"{asks}’s query (green) with each of the three keys (purple): multiply entry by entry, then add")
    return (
        f"Rows of boxes: {asks}’s query {vector(query)} times each key, entry by entry, then added. {'; '.join(told)}."
    )


@picture(height={"book": 254, "phone": 398, "slide": 254})
def row_meets_column(page: Page, q, k, tokens, *, asks: int = 1, asked: int = 0) -> str:
    """Q beside, K transposed above, and the scores where a query's row meets a key's column."""
    scores, wide, high, n = q @ k.T, 48, 42, len(tokens)
    x, y = 62, 122
    rows = matrix(page, x, y, q, colour="q", cell=(wide, high), rows=tokens, size=15)
    page.text(x + wide, y - 8, "Q", at="bottom", colour="q", weight="bold", size=16)
    across = x + 2 * wide + 14
    columns = matrix(page, across, y - 2 * high - 14 + 4, k.T, colour="k", cell=(wide, high), columns=tokens, size=15)
    page.text(across + n * wide + 8, y - high - 10, "Kᵀ", at="left", colour="k", weight="bold", size=16)
    pair = [(asks, asked), (asked, asks)]
    matrix(page, across, y, scores, cell=(wide, high), size=16, lit=pair)
    frame(page, rows, (n, 2), rows=(asks, asks))
    frame(page, columns, (2, n), columns=(asked, asked))
    x, y = (4, 286) if page.narrow else (across + n * wide + 40, 140)
    page.text(x, y, "the row asks, the column is asked", at="left", weight="bold", size=15)
    for i, (a, b) in enumerate(pair):
        with page.step(1):
            sum_of = " + ".join(f"{number(left)}·{number(right)}" for left, right in zip(q[a], k[b], strict=True))
            page.text(x, y + 36 * (i + 1), f"{tokens[a]} asks {tokens[b]}:", at="left", colour="grey", size=15)
            page.text(x + 122, y + 36 * (i + 1), f"{sum_of} = {number(scores[a, b])}", at="left", size=15)
    first, second = tokens[asks], tokens[asked]
    page.caption(f"framed: {first}’s query and the key of {second}; their score is where the two meet")
    told = "; ".join(f"{token} asks: {', '.join(map(number, row))}" for token, row in zip(tokens, scores, strict=True))
    return (
        f"Q, 3 by 2, is on the left and K transposed, 2 by 3, above; in the corner a 3 by 3 table of scores with "
        f"columns {', '.join(tokens)}. {told}. Lit: {first} asks {second}, {number(scores[asks, asked])}, and {second} "
        f"asks {first}, {number(scores[asked, asks])}."
    )


@picture(height={"book": 196, "phone": 410, "slide": 200})
def two_tables(page: Page, scores, shared, tokens) -> str:
    """The scores of queries with keys beside those of one shared vector for both: the second is its own mirror."""
    n, wide, high = len(tokens), 60, 40
    titles = ("a query and a key for each token", "one vector for both")
    for i, (block, title, values) in enumerate(zip(page.panels(2, high=200), titles, (scores, shared), strict=True)):
        x = block.x + (block.wide - n * wide) / 2 + 26
        with page.step(i):
            page.text(x + n * wide / 2, block.y + 2, title, at="top", weight="bold", size=15)
            matrix(
                page, x, block.y + 66, values, cell=(wide, high), rows=tokens, columns=tokens, size=16,
                lit=[(0, 1), (1, 0)],
            )  # fmt: skip
    page.caption("with one vector for both, the table is its own mirror image")
    return (
        f"Two tables of scores. With queries and keys, {tokens[1]} asks {tokens[0]} scores {number(scores[1, 0])} and "
        f"{tokens[0]} asks {tokens[1]} {number(scores[0, 1])}. With one vector for both, the two are "
        f"{number(shared[1, 0])} and {number(shared[0, 1])}, and the diagonal is {vector(np.diag(shared))}."
    )


@picture(height={"book": 300, "phone": 610, "slide": 320})
def shapes_to_scale(page: Page, tokens: int, d_model: int, d_k: int) -> str:
    """X meets W_Q in Q, and Q, enlarged, meets K transposed in the scores: every side to scale."""
    left, right = page.panels(2, high=300, gap=10)
    zoom = d_model // d_k
    for block, inner, outer, names, colours in (
        (left, d_model, d_k, ("$X$", "$W_Q$", "$Q$"), ("ink", "line", "q")),
        (right, d_k, tokens, ("$Q$", "$K^⊤$", "scores"), ("q", "k", "score")),
    ):
        unit = 216 / inner
        x, y, thin = block.x + 6, block.y + 250, tokens * unit
        across = x + 216 + 10
        side = outer * unit
        parts = (
            (x, y, 216, thin, f"{names[0]}  {tokens} × {inner}", (x + 108, y + thin + 8), "top"),
            (across, y - 226, side, 216, f"{names[1]}  {inner} × {outer}", (across + side + 8, y - 118), "left"),
            (across, y, side, thin, f"{names[2]}  {tokens} × {outer}", (across, y + thin + 8), "top left"),
        )
        with page.step(int(block is right)):
            for (px, py, wide, high, words, place, at), colour in zip(parts, colours, strict=True):
                page.box(px, py, max(wide, 2), max(high, 2), fill=colour, tint=0.7, edge=None, corner=0)
                page.text(*place, words, at=at, size=14, colour="grey" if colour in ("ink", "line") else colour)
            title = "to scale" if block is left else f"the same {zoom} times larger"
            page.text(x, block.y, title, at="top left", weight="bold", size=15)
            page.text(x, block.y + 26, f"{inner} meets {inner} and disappears", at="top left", colour="grey")
    page.caption(
        f"a product is in the corner of its two factors; the scores are {tokens} × {tokens}, whatever the widths"
    )
    return (
        f"Rectangles to scale. X, {tokens} by {d_model}, is a thin line and W_Q, {d_model} by {d_k}, a tall block; in "
        f"their corner is Q, {tokens} by {d_k}. Enlarged {zoom} times, Q meets K transposed, {d_k} by {tokens}, "
        f"in the scores, {tokens} by {tokens}."
    )
