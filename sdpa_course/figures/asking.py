"""The question before the answers: attention as a soft look-up, softmax in one row, what a gap does. Notebook 00."""

import numpy as np

from .acts import ACTS
from .kit import Block, Page, picture
from .kit.charts import bars
from .kit.matrices import number, percent

# What each act asks of the sentence: its words, and the question.
QUESTIONS = (
    ("“the dot products grow large”", "Do they? How fast, and why?"),
    ("“… extremely small gradients”", "What does softmax do then? Do gradients die?"),
    ("“we scale … by $1/\\sqrt{d_k}$”", "Why the root? Why the head’s width?"),
    ("“To counteract this effect”", "Does a model learn worse without it?"),
)


@picture(height={"book": 166, "phone": 366, "slide": 220})
def hard_and_soft(page: Page, tokens, values, weights, out) -> str:
    """A dictionary gives the value of the one key that fits; attention mixes all values, by how well each key fits."""
    left, right = page.panels(2, high=168 if page.narrow else page.height, gap=30)
    names = [f"({', '.join(number(v) for v in value)})" for value in values]
    hard = [0.0] * (len(tokens) - 1) + [1.0]
    drawer(page, left, "a dictionary: hard look-up", tokens[-1], tokens, names, hard, names[-1])
    with page.step(1):
        mixed = f"({', '.join(number(v, 2) for v in out)})"
        drawer(page, right, "attention: soft look-up", f"{tokens[1]}’s", tokens, names, weights, mixed)
    page.caption(
        "a dictionary returns one value; attention returns a bit of every value, most from the keys that fit best"
    )
    shares = ", ".join(f"{percent(w)} from {token}" for w, token in zip(weights, tokens, strict=True))
    return (
        f"Two look-ups in a drawer with the keys {', '.join(tokens)} and their values. A dictionary finds the one key "
        f"that equals the query and returns its value, {names[-1]}. Attention compares {tokens[1]}'s query with every "
        f"key and returns a mixture: {shares}, which makes {mixed}."
    )


def drawer(page: Page, block: Block, name: str, query: str, tokens, values, weights, out: str) -> None:
    """A query on the left, a drawer of keys and values, and what comes back. Lines as thick as their weights."""
    x, y, wide, tall = block
    page.text(x, y, name, at="top left", weight="bold", size=16)
    key_at, value_at, out_at, high = x + 86, x + 142, x + 250, 30
    rows = [y + 46 + (tall - 40) / 3 * i for i in range(len(tokens))]
    middle = rows[1] + high / 2
    asks = page.box(x, middle - 24, 60, 48, f"query:\n{query}", fill="q", tint=0.16, edge="q", size=13)
    for top, token, value, weight in zip(rows, tokens, values, weights, strict=True):
        below = top == rows[-1]  # its stroke goes up, so its share is written below
        there = weight > 0
        looks = {"tint": 0.16 if there else 0.05, "size": 13, "colour": "ink" if there else "grey"}
        page.box(key_at, top, 56, high, token, fill="k", edge="k" if there else "line", **looks)
        page.box(value_at, top, 46, high, value, fill="v", edge="v" if there else "line", **looks)
        if there:
            thick = {"colour": "weight", "width": 1 + 10 * weight, "tint": 0.7, "under": True}
            page.line(asks.right, (key_at, top + high / 2), **thick)
            page.line((value_at + 46, top + high / 2), (out_at, middle), **thick)
            place = (value_at + 53, top + high / 2 + (6 if below else -5))
            at = "top left" if below else "bottom left"
            page.text(*place, percent(weight), at=at, colour="weight", size=13)
    page.box(out_at, middle - 17, wide - 250, 34, out, fill="out", tint=0.16, edge="out", size=13, weight="bold")
    for at, words, colour in ((key_at + 28, "keys", "k"), (value_at + 23, "values", "v")):
        page.text(at, rows[0] - 5, words, at="bottom", colour=colour, size=13)
    page.text(out_at + (wide - 250) / 2, middle - 22, "out", at="bottom", colour="out", size=13)


@picture(height={"book": 178, "phone": 590, "slide": 250})
def softmax_steps(page: Page, tokens, scores, exps, weights) -> str:
    """Softmax of one row: exponentiate every score, add up, and take shares of the sum."""
    panels = page.panels(3, high=150 if page.narrow else page.height - 28, gap=60 if page.narrow else 70)
    total = float(np.sum(exps))
    columns = (
        ("scores", "score", scores, [number(s, 1) for s in scores]),
        ("exponentials", "score", exps, [f"{e:.1f}" for e in exps]),
        ("weights", "weight", weights, [percent(w) for w in weights]),
    )
    for i, (block, (name, colour, values, words)) in enumerate(zip(panels, columns, strict=True)):
        with page.step(i):
            page.text(block.x, block.y, name, at="top left", weight="bold", colour=colour, size=16)
            low = Block(block.x, block.y + 42, block.wide, block.high - 42)
            bars(page, low, values, colour=colour, top=max(values) * 1.02, words=words, names=tokens)
            if i:
                x, y = block.x - (70 if not page.narrow else -170), block.y + 90
                words = "exp" if i == 1 else f"÷ {total:.1f}"
                if page.narrow:
                    page.arrow((170, block.y - 30), (170, block.y + 12), words)
                else:
                    page.arrow((x + 8, y), (x + 62, y), words)
    page.caption(
        f"softmax takes the exponential of each score and divides by the sum of the exponentials, here {total:.1f}: a "
        "small lead becomes a large share"
    )
    told = "; ".join(
        f"{token} {s:.1f} to {e:.1f} to {percent(w)}"
        for token, s, e, w in zip(tokens, scores, exps, weights, strict=True)
    )
    return f"Softmax of one row as bars: scores, their exponentials, which add up to {total:.1f}, and weights. {told}."


@picture(height={"book": 176, "phone": 540, "slide": 240})
def gap_panels(page: Page, changes, weights) -> str:
    """Two scores changed in several ways, and the two weights that softmax makes of them.

    `changes` are (name, (score, score)).
    """
    panels = page.panels(len(changes), high=150 if page.narrow else page.height - 26, gap=30)
    told = []
    for i, (block, (name, scores), row) in enumerate(zip(panels, changes, weights, strict=True)):
        gap, words = number(scores[0] - scores[1]), [percent(w) for w in row]
        with page.step(i):
            page.text(block.x, block.y, name, at="top left", weight="bold", size=15)
            page.text(block.x + block.wide, block.y, f"gap {gap}", at="top right", colour="lit text", size=15)
            low = Block(block.x, block.y + 44, block.wide, block.high - 44)
            bars(page, low, row, colour="weight", top=1.02, words=words, names=[number(s) for s in scores])
        told.append(f"{name}: {number(scores[0])} and {number(scores[1])}, a gap of {gap}, give {' and '.join(words)}")
    page.key("below each bar its score, above it its weight")
    return f"Weights of two scores. {'; '.join(told)}."


@picture(height={"book": 150, "phone": 330, "slide": 240})
def ranked_weights(page: Page, rows: dict) -> str:
    """Average weights of the same divided scores at several sizes of the entries, the largest first."""
    panels, told = page.panels(len(rows), high=150 if page.narrow else page.height, gap=30), []
    for i, (block, (name, weights)) in enumerate(zip(panels, rows.items(), strict=True)):
        with page.step(i):
            page.text(block.x, block.y, name, at="top left", weight="bold", size=15)
            low = Block(block.x, block.y + 40, block.wide, block.high - 40)
            bars(page, low, weights, colour="root", top=1, lit=0, words=percent(weights[0]))
        told.append(f"{name}: {percent(weights[0])}")
    page.key("average weights after the division, the largest first")
    return f"Bars of average weights after the division by the root of d_k. The largest weight: {'; '.join(told)}."


@picture(height={"book": 168, "phone": 140, "slide": 210})
def words_and_width(page: Page, sentences) -> str:
    """Queries and scores of two sentences, to scale: words are rows, and the width of a row is d_k.

    `sentences` are (words, shape of Q, shape of the scores).
    """
    cell, told, y = 3.4 if page.narrow else 5, [], 22
    for i, (text, queries, scores) in enumerate(sentences):
        with page.step(i):
            page.text(0, y - 8, text, at="bottom left", weight="bold", size=14)
            strips(page, y, queries, scores, cell)
        told.append(f"{queries[0]} words: Q is {queries[0]} by {queries[1]}, the scores {scores[0]} by {scores[1]}")
        y += queries[0] * cell + 62
    d_k = sentences[0][1][1]
    page.caption(f"more words make more rows; $d_k$ stays {d_k}, the number of products in each score")
    return f"Queries and scores of two sentences, drawn to scale. {'; '.join(told)}. The width d_k is {d_k} in both."


def strips(page: Page, y: float, queries: tuple[int, int], scores: tuple[int, int], cell: float) -> None:
    """Queries as strips of cells, and the table of scores that they make with the keys."""
    (n, d_k), (rows, columns) = queries, scores
    wide, high = d_k * cell, n * cell
    page.box(0, y, wide, high, fill="q", tint=0.3, edge="q", corner=0, width=1.5)
    for i in range(1, n):
        page.line((0, y + i * cell), (wide, y + i * cell), colour="paper", width=0.8)
    for j in range(1, d_k):
        page.line((j * cell, y), (j * cell, y + high), colour="paper", width=0.5)
    page.text(wide / 2, y + high + 4, f"queries: {n} words × {d_k} entries", at="top", colour="q", size=13)
    x = wide + (60 if page.narrow else 206)
    page.arrow((wide + 6, y + high / 2), (x - 6, y + high / 2), "" if page.narrow else "dot product with every key")
    page.box(x, y, columns * cell, rows * cell, fill="score", tint=0.3, edge="score", corner=0, width=1.5)
    place = (page.width, y + rows * cell + 4) if page.narrow else (x + columns * cell + 10, y + rows * cell / 2)
    words, at = f"scores: {rows} × {columns}", "top right" if page.narrow else "left"
    page.text(*place, words, at=at, colour="score", size=13)


@picture(height={"book": 226, "phone": 430, "slide": 290})
def four_acts(page: Page) -> str:
    """The acts of the course: for each its words of the sentence, its question and its notebooks."""
    high, told = page.height / 4 - 7, []
    for i, ((name, notebooks), (words, question)) in enumerate(zip(ACTS.items(), QUESTIONS, strict=True)):
        numbers, y = f"{notebooks[0]}–{notebooks[-1]}", i * (high + 9)
        places = (
            ((12, y + 20), (page.width - 12, y + 20), (12, y + 48), (12, y + 76))
            if page.narrow
            else ((14, y + high / 2 - 10), (14, y + high / 2 + 11), (170, y + high / 2), (398, y + high / 2))
        )
        with page.step(i):
            page.box(0, y, page.width, high, fill="lit", tint=0 if i else 0.14, edge="line" if i else "lit edge")
            page.text(*places[0], name, at="left", weight="bold", size=15)
            page.text(*places[1], f"notebooks {numbers}", at="right" if page.narrow else "left", colour="grey", size=13)
            page.text(*places[2], words, at="left", colour="lit text", size=15)
            page.text(*places[3], question, at="left", size=15)
        told.append(f"{name.split('  ')[1]}, notebooks {numbers}: {question}")
    return f"The four acts of the course, each with its part of the sentence and its question. {' '.join(told)}"
