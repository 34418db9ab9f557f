"""What attention makes of words: the same output in any order, a mix that stays among its values. For notebook 05."""

from itertools import pairwise

import numpy as np

from .kit import Page, picture
from .kit.matrices import frame, matrix, percent
from .kit.palette import SCALES


@picture(height={"book": 276, "phone": 276, "slide": 296})
def same_outputs(page: Page, sentences, outputs) -> str:
    """Two orders of the same words, above and below, with the output of each word, and lines between equal ones."""
    n, wide, high = len(sentences[0]), 58, 26
    room = page.width / n
    tops = 32, page.height - 32 - 3 * high
    places = [room * (j + 0.5) for j in range(n)]
    left = list(range(n))  # words below that have no line yet
    for j, word in enumerate(sentences[0]):
        other = next(i for i in left if sentences[1][i] == word)
        left.remove(other)
        moved = other != j
        with page.step(1):
            page.line(
                (places[j], tops[0] + 3 * high + 4), (places[other], tops[1] - 4), width=4 if moved else 2,
                colour="lit edge" if moved else "line", under=True,
            )  # fmt: skip
    for i, (words, rows) in enumerate(zip(sentences, outputs, strict=True)):
        for word, x, row in zip(words, places, rows, strict=True):
            column = np.reshape(row, (-1, 1))
            y = tops[i] + (-8 if i == 0 else 3 * high + 8)
            with page.step(i):
                matrix(page, x - wide / 2, tops[i], column, colour="out", cell=(wide, high), digits=2, size=14)
                page.text(x, y, word, at="top" if i else "bottom", weight="bold", size=16)
    page.caption("boxes: the first three numbers that attention returns for each word; lines: the same word in both")
    told = (f"{word} {', '.join(f'{x:.2f}' for x in row)}" for word, row in zip(sentences[0], outputs[0], strict=True))
    return (
        f"“{' '.join(sentences[0])}” above and “{' '.join(sentences[1])}” below, with three numbers of each word’s "
        f"output, and a line between equal words. Every word has the same numbers in both: {'; '.join(told)}."
    )


@picture(height={"book": 274, "phone": 256, "slide": 280})
def projected(page: Page, x, matrices: dict, tokens, *, token: int = 0) -> str:
    """X beside and the three matrices above: Q, K and V are where a token's row meets a matrix's columns.

    `matrices` is "q", "k" and "v" -> W. The rows that a token of zeros and ones picks out are framed.
    """
    cell = (20, 24) if page.narrow else (30, 26)
    gap, y = (8, 20) if page.narrow else (26, 22)
    high, start = cell[1], 0 if page.narrow else 60
    below, picked = y + 18 + len(x[0]) * high, np.flatnonzero(x[token])
    size = 12 if page.narrow else 14
    named = () if page.narrow else tokens
    left = matrix(page, start, below, x, cell=cell, rows=named, size=size)
    frame(page, left, np.shape(x), rows=(token, token))
    page.text(left.bottom[0], left.bottom[1] + 5, "X", at="top", weight="bold", size=15, colour="score")
    across = start + left.wide + gap / 2
    for i, (name, w) in enumerate(matrices.items()):
        with page.step(i):
            above = matrix(page, across, y, w, cell=cell, colour="line", size=size)
            for row in picked:
                frame(page, above, np.shape(w), rows=(row, row))
            page.text(above.x + above.wide / 2, y - 4, f"$W_{name.upper()}$", at="bottom", size=14, colour="grey")
            made = matrix(page, across, below, np.asarray(x) @ w, cell=cell, colour=name, size=size)
            frame(page, made, (len(x), np.shape(w)[1]), rows=(token, token))
            page.text(made.bottom[0], made.bottom[1] + 5, name.upper(), at="top", weight="bold", size=15, colour=name)
        across += above.wide + gap
    places = [str(row + 1) for row in picked]
    rows = " and ".join(places)
    page.caption(f"framed: {tokens[token]} has ones at places {rows}, so its query is row {' plus row '.join(places)}")
    return (
        f"X, {len(x)} by {len(x[0])}, is on the left, three matrices are above, and Q, K and V are in the corners. "
        f"{tokens[token]} has ones at places {rows}, which picks out these rows of each matrix. Its query is "
        f"{', '.join(f'{v:g}' for v in (np.asarray(x) @ matrices['q'])[token])}."
    )


@picture(height={"book": 236, "phone": 236, "slide": 250})
def head_shapes(page: Page, n: int, d_model: int, d_v: int) -> str:
    """One head's input and output, widths to scale, and how many heads it takes to be as wide as the input again."""
    heads, left = d_model // d_v, 4
    long, high = page.width - 2 * left, 34
    part = long / heads
    looks = {"tint": 0.3, "corner": 0, "size": 14}
    page.text(left, 0, f"X: {n} × {d_model}", at="top left", weight="bold", colour="score")
    whole = page.box(left, 24, long, high, fill="score", edge="score", **looks)
    page.arrow((left + part / 2, 62), (left + part / 2, 112))
    page.text(left + part / 2 + 14, 86, "one head", at="left", colour="grey")
    page.box(left, 116, part, high, fill="out", edge="out", **looks)
    page.text(left + part + 10, 133, f"out: {n} × {d_v}", at="left", weight="bold", colour="out")
    with page.step(1):
        for i in range(heads):
            page.box(left + i * part, 176, part, high, fill="out", edge="out", **looks)
        page.text(left, 214, f"{heads} heads side by side: {n} × {heads * d_v}", at="top left", colour="grey")
    page.caption("widths to scale; how eight heads work together is notebook 08")
    return (
        f"Bars to scale. The input is {n} by {d_model}, one head’s output {n} by {d_v}, {whole.wide / part:.0f} times "
        f"narrower. Side by side, {heads} heads are as wide as the input again."
    )


@picture(height={"book": 228, "phone": 496, "slide": 240})
def inside(page: Page, values, names, panels: dict) -> str:
    """One query's answer as a point among its values, pulled towards each of them by its weight.

    `panels` is a scale of `kernels.scores.SCALES` -> that query's weights.
    """
    told, top = [], np.max(values)
    for i, (block, (scale, weights)) in enumerate(zip(page.panels(2, high=228), panels.items(), strict=True)):
        title, colour = SCALES[scale]
        unit, base = 84, (block.x + 92, block.y + 34 + 84 * top)

        def at(point, unit=unit, base=base):
            return base[0] + unit * point[0], base[1] - unit * point[1]

        out = np.asarray(weights) @ values
        with page.step(i):
            page.text(block.x, block.y, title, at="top left", weight="bold", size=16, colour=colour)
            page.shape(*map(at, values), fill="v", tint=0.14, edge="v")
            for value, name, weight in zip(values, names, weights, strict=True):
                x, y = at(value)
                page.line(at(out), (x, y), colour="weight", width=0.6 + 11 * weight, tint=0.55)
                page.dot(x, y, colour="v", size=11)
                side, right, down = (
                    ("right", -12, 0) if value[0] == 0 else ("top", 0, 9) if y == base[1] else ("bottom", 0, -9)
                )
                page.text(x + right, y + down, f"{name}: {percent(weight)}", at=side, size=14)
            page.dot(*at(out), colour="out", size=15)
            answer = f"({out[0]:.2f}, {out[1]:.2f})"
            page.text(at(out)[0] - 12, at(out)[1] - 14, answer, at="right", colour="out", weight="bold")
        told.append(f"{title.replace('$', '')}: {', '.join(map(percent, weights))}, answer {out[0]:.2f}, {out[1]:.2f}")
    page.caption("corners: the three values; red: Apple’s answer; blue: as thick as the weight that pulls it")
    return (
        f"A triangle whose corners are the values of {', '.join(names)}, and Apple’s answer inside it, pulled by its "
        f"weights. {'; '.join(told)}."
    )


@picture(height={"book": 262, "phone": 546, "slide": 270})
def copies(page: Page, words, panels: dict) -> str:
    """Each word's answer among all the words' values: near the middle if it mixes, at a corner if it copies.

    `panels` is a scale -> (n, n) weights; the values are drawn as the corners of a regular polygon.
    """
    told, angles = [], np.pi / 2 - 2 * np.pi * np.arange(len(words)) / len(words)
    for i, (block, (scale, weights)) in enumerate(zip(page.panels(2, high=260), panels.items(), strict=True)):
        title, colour = SCALES[scale]
        middle, radius = (block.x + block.wide / 2, block.y + 140), 98
        corners = np.array([(middle[0] + radius * np.cos(a), middle[1] - radius * np.sin(a)) for a in angles])
        with page.step(i):
            page.text(block.x, block.y, title, at="top left", weight="bold", size=16, colour=colour)
            page.shape(*corners, fill="v", tint=0.14, edge="v")
            for word, a, corner in zip(words, angles, corners, strict=True):
                side = "bottom" if abs(np.cos(a)) < 0.1 else "left" if np.cos(a) > 0 else "right"
                x, y = corner[0] + 10 * np.cos(a), corner[1] - 10 * np.sin(a)
                page.text(x, y, word, at=side, size=13, colour="grey")
            for x, y in weights @ corners:
                page.dot(x, y, colour="out", size=12)
        most = int((weights.max(axis=-1) > 0.9).sum())
        told.append(f"{title.replace('$', '')}: {most} of {len(words)} words give one value more than 90 %")
    page.caption("a corner is a word’s value; a red dot is the answer that one of the nine words gets")
    return f"Two polygons with a word’s value at each corner and a dot for each word’s answer. {'; '.join(told)}."


@picture(height={"book": 120, "phone": 150, "slide": 150})
def cost_strip(page: Page, d_k: int, d_v: int) -> str:
    """What a score costs in multiplications, as one strip to scale: compare, scale, average."""
    total, y = d_k + 1 + d_v, 34
    long = page.width - 4
    starts = np.cumsum([0, d_k, 1, d_v]) / total * long + 2
    looks = (("q", f"compare: {d_k}"), ("nothing", ""), ("v", f"average: {d_v}"))
    for (colour, words), (start, end) in zip(looks, pairwise(starts), strict=True):
        page.box(start, y, end - start, 44, words, fill=colour, tint=0.3 if words else 1, edge=None, corner=0, size=15)
    middle = (starts[1] + starts[2]) / 2
    with page.step(1):
        page.arrow((middle, 20), (middle, y - 1), colour="nothing")
        page.text(middle, 16, "scale: 1", at="bottom", colour="nothing", weight="bold", size=15)
        page.text(
            middle, y + 54, f"1 of {total}, or {100 / total:.2f} %", at="top", colour="nothing", weight="bold", size=15
        )
    page.caption("to scale: the multiplications behind one weight")
    return (
        f"A strip to scale: of {total} multiplications, {d_k} compare a query with a key, 1 scales the score and "
        f"{d_v} go into the average. That is {100 / total:.2f} %."
    )


@picture(height={"book": 232, "phone": 260, "slide": 244})
def bags(page: Page, rows: dict) -> str:
    """What each word sees, as a bag of words without an order. `rows` is a sentence -> [(who asks, what it sees)]."""
    known = sorted({word for bag in rows.values() for _, words in bag for word in words})
    spots = dict(zip(known, ((0.3, 0.3), (0.66, 0.5), (0.34, 0.74)), strict=True))  # equal bags look alike
    first, wide, high = next(iter(rows.values())), min(170, page.width / 3 - 12), 76
    before = {asks: set(words) for asks, words in first}
    for i, (sentence, bag) in enumerate(rows.items()):
        y = i * (page.height / len(rows))
        page.text(0, y, sentence, at="top left", weight="bold", size=15)
        for j, (asks, words) in enumerate(bag):
            x = j * (page.width / 3) + (0 if page.narrow else 56)
            changed = set(words) != before[asks]
            with page.step(i):
                page.box(x, y + 28, wide, high, fill="lit" if changed else "k", tint=0.2 if changed else 0.1, corner=26,
                         edge="lit edge" if changed else "k", width=2.5 if changed else 1.5)  # fmt: skip
                for word in words:
                    across, down = spots[word]
                    page.text(x + across * wide, y + 28 + down * high, word, size=13 if page.narrow else 15)
                if page.narrow:
                    page.text(x + wide / 2, y + 30 + high, f"{asks} asks", at="top", colour="q", size=12)
                else:
                    page.text(x - 6, y + 28 + high / 2, asks, at="right", colour="q", weight="bold", size=14)
    amber = any(set(words) != before[asks] for bag in rows.values() for asks, words in bag)
    more = "; amber: another bag than before" if amber else ", in no order"
    page.caption(f"beside each bag the word that asks, in it the keys it sees{more}")
    seen = {name: (f"{asks} sees {', '.join(sorted(words))}" for asks, words in bag) for name, bag in rows.items()}
    told = (f"{name}: {'; '.join(each)}" for name, each in seen.items())
    return f"Bags of words that each word sees. {'. '.join(told)}."
