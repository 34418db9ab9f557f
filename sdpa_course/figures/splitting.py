"""What's cut when attention gets several heads, what each of them looks at, and how they add up. Notebook 08."""

import numpy as np

from .kit import Block, Page, picture
from .kit.matrices import matrix, number
from .kit.ribbons import cut, ribbon


@picture(height={"book": 306, "phone": 640})
def two_stories(page: Page, token, w_q, heads: int) -> str:
    """Two stories: a token cut into pieces, one for each head; or each head reads all of it, and the query is cut."""
    d_k, q = w_q.shape[1] // heads, token @ w_q
    titles = ("first story: the token is cut", "second story: the query is cut")
    for i, (block, title) in enumerate(zip(page.panels(2, high=306, gap=28), titles, strict=True)):
        x, y = block.x + (block.wide - 272) / 2, block.y
        slots = [Block(each.x, y + 122, 36, 96) for each in cut(Block(x + 13, 0, 144, 0), heads, 34)]
        looks = {"colour": "ink", "numbers": False}
        page.text(block.x + block.wide / 2, y, title, at="top", weight="bold", size=16)
        page.text(x - 10, y + 46, "x", at="right", weight="bold", size=16)
        with page.step(i):
            if i == 0:
                for part, slot, piece in zip(
                    cut(Block(x, y + 34, 248, 24), heads, 8), slots, np.split(token, heads), strict=True
                ):
                    matrix(page, part.x, part.y, [piece], cell=(part.wide / d_k, 24), **looks)
                    ribbon(page, part, Block(slot.x, y + 256, 36, 24), colour="ink", tint=0.14)
            else:
                matrix(page, x, y + 34, [token], cell=(272 / len(token), 24), **looks)
                page.text(x - 10, y + 170, "$W_Q$", at="right", weight="bold", colour="q", size=16)
                for slot, columns in zip(slots, np.split(w_q, heads, axis=1), strict=True):
                    ribbon(page, Block(x, y + 34, 272, 24), slot, colour="ink", tint=0.12)
                    ribbon(page, slot, Block(slot.x, y + 256, 36, 24), colour="q")
                    matrix(page, slot.x, slot.y, columns, colour="q", cell=(18, 12), numbers=False, shade=True)
        page.text(x - 10, y + 268, "q", at="right", weight="bold", colour="q", size=16)
        for h, (slot, piece) in enumerate(zip(slots, np.split(q, heads), strict=True)):
            matrix(page, slot.x, y + 256, [piece], colour="q", cell=(18, 24), numbers=False)
            page.text(slot.x + 18, y + 286, f"head {h + 1}", at="top", colour="grey", size=13)
    page.caption("A piece of the token for each head, or the whole token for every head, through columns of its own?")
    return (
        f"Two drawings. In the first story, a token of {len(token)} numbers is cut into {heads} pieces, one for each "
        f"head. In the second, the whole token goes into each of {heads} slices of W_Q, {d_k} columns each, and "
        f"every slice makes its own {d_k} numbers of the query."
    )


@picture(height={"book": 132, "phone": 200})
def reached(page: Page, entries: int, heads) -> str:
    """Which numbers of a query change if one entry of the token does; `heads` is (heads, d_k), the changes."""
    count, d_k = np.shape(heads)
    cell = page.width / 2 / (entries + 1)
    looks = {"numbers": False, "cell": (cell, 30)}
    token = matrix(page, 0, 52, [np.zeros(entries)], colour="ink", lit=[(0, 0)], **looks)
    page.text(0, 40, "the token: entry 1 is nudged", at="bottom left", weight="bold", size=15)
    wide = 0.19 * page.width if page.narrow else 0.105 * page.width
    left, top = (0, 140) if page.narrow else (page.width - count * wide - (count - 1) * 8, 52)
    words = "what changes in its query, by head"
    page.text(left, top - 12, words, at="bottom left", colour="q", weight="bold", size=15)
    with page.step(1):
        for h, change in enumerate(heads):
            part = matrix(
                page, left + h * (wide + 8), top, [change], colour="q", cell=(wide / d_k, 30), digits=2, size=13,
                lit=[(0, j) for j in range(d_k) if abs(change[j]) > 1e-9],
            )  # fmt: skip
            page.text(part.middle[0], top + 36, f"head {h + 1}", at="top", colour="grey", size=13)
    if not page.narrow:
        page.arrow(token.right, (left - 8, 67), "$W_Q$")
    page.caption("amber: what moved, when entry 1 of the token grew by 1")
    told = "; ".join(f"head {h + 1}: {', '.join(number(c, 2) for c in row)}" for h, row in enumerate(heads))
    return f"Entry 1 of a token of {entries} numbers grows by 1, and all heads' queries change. {told}."


@picture(height={"book": 196, "phone": 420})
def wrong_split(page: Page, labels, right, wrong, token: int = 1) -> str:
    """A table of labelled cells cut into heads, properly and by `reshape` alone, with the cells of one token lit."""
    n, m = labels.shape

    def draw(values, x, y, name, cell):
        lit = [(int(i), int(j)) for i, j in np.argwhere(values // 10 == token + 1)]
        return matrix(page, x, y, values, colour="q", cell=cell, lit=lit, name=name, size=13)

    cell = (30, 30) if page.narrow else (27, 30)
    draw(labels, (page.width - 6 * cell[0]) / 2 if page.narrow else 0, 42, "Q", cell)
    tops = (226, 226) if page.narrow else (42, 42)
    starts = (0, page.width / 2 + 6) if page.narrow else (257, 526)
    step = 0 if page.narrow else 3 * cell[0] + 12
    for i, (name, heads, colour) in enumerate((("cut into heads", right, "root"), ("reshape alone", wrong, "nothing"))):
        with page.step(i + 1):
            x, y = starts[i], tops[i]
            page.text(x, y - 36, name, at="bottom left", weight="bold", colour=colour, size=15)
            for h, values in enumerate(heads):
                smaller = (27, 18) if page.narrow else cell
                place = (x, y + h * (n * 18 + 26)) if page.narrow else (x + h * step, y)
                draw(values, *place, f"head {h + 1}", smaller)
    page.caption("tens: the token, ones: the column. Amber: everything that comes from token 2")
    return (
        f"A table of {n} tokens by {m} columns, each cell labelled with its token and column, and two ways to make "
        f"{len(right)} heads of it. Cut by columns, each head has one row of token {token + 1}. With reshape alone, "
        f"head 1 has both halves of token {token + 1} as two rows, and head 2 has nothing of it."
    )


@picture(height={"book": 262, "phone": 560})
def who_asks_whom(page: Page, words, weights, titles, lit: int) -> str:
    """For each head, lines from every word to the words it looks at, as strong as the weights; one word's lines lit."""
    across, high = (2, 290) if page.narrow else (len(titles), 262)
    wide = page.width / across
    told = []
    for h, (title, table) in enumerate(zip(titles, weights, strict=True)):
        x, y = wide * (h % across), high * (h // across)
        left, right = x + 0.36 * wide, x + 0.63 * wide
        line = (high - 40) / len(words)
        with page.step(h):
            page.text(x + wide / 2, y, f"head {h + 1}\n{title}", at="top", size=13, weight="bold")
            for i, word in enumerate(words):
                at = y + 54 + line * 0.93 * (i + 0.2)
                bright = i == lit
                page.text(left - 6, at, word, at="right", size=13, colour="q" if bright else "grey",
                          weight="bold" if bright else "normal")  # fmt: skip
                page.text(right + 6, at, word, at="left", size=13, weight="bold" if table[lit, i] > 0.3 else "normal",
                          colour="k" if table[lit, i] > 0.3 else "grey")  # fmt: skip
                for j in np.flatnonzero(table[i] > 0.05):
                    to = y + 54 + line * 0.93 * (j + 0.2)
                    page.line((left, at), (right, to), colour="weight", tint=1 if bright else 0.25,
                              width=5 * table[i, j] if bright else 2.5 * table[i, j], under=not bright)  # fmt: skip
        found = [words[j] for j in np.flatnonzero(table[lit] > 0.3)]
        told.append(f"head {h + 1}, {title.replace(chr(10), ' ')}: {' and '.join(found)}")
    page.caption(f"left the word that asks, right the words it looks at; dark: what “{words[lit]}” asks")
    return (
        f"Lines from each word of the sentence to the words it looks at, a panel for each head. {words[lit]} looks at: "
        f"{'; '.join(told)}."
    )


@picture(height={"book": 300, "phone": 300})
def added_up(page: Page, heads, blocks) -> str:
    """One token's heads, each times its own rows of W_O, and the sum: what the layer hands on."""
    heads, blocks = np.asarray(heads), np.asarray(blocks)
    count, d_v, d_model = blocks.shape
    cell = page.width / (26 if page.narrow else 27)
    looks = {"numbers": False, "shade": True}
    columns = (4 * cell, 9 * cell, 18.6 * cell)
    for x, name in zip(columns, ("head", "its rows of $W_O$", "what it adds"), strict=True):
        page.text(x, 0, name, at="top left", size=14, weight="bold")
    for h, (head, block) in enumerate(zip(heads, blocks, strict=True)):
        y = 34 + 50 * h
        with page.step(h):
            page.text(columns[0] - 10, y + 20, f"head {h + 1}", at="right", size=13, colour="grey")
            matrix(page, columns[0], y + 9, [head], colour="out", cell=(cell, 22), **looks)
            page.text((columns[0] + 2 * cell + columns[1]) / 2, y + 20, "×", size=18)
            matrix(page, columns[1], y, block, colour="grey", cell=(cell, 20), **looks)
            page.text((columns[1] + 8 * cell + columns[2]) / 2, y + 20, "=", size=18)
            matrix(page, columns[2], y + 9, [head @ block], colour="out", cell=(cell, 22), **looks)
    bottom = 34 + 50 * count
    with page.step(count):
        page.line((columns[2], bottom + 2), (columns[2] + d_model * cell, bottom + 2), width=1.5)
        matrix(page, columns[2], bottom + 12, [np.einsum("hd,hdm->m", heads, blocks)], colour="out",
               cell=(cell, 24), **looks)  # fmt: skip
        page.text(columns[2] - 12, bottom + 24, "added up: out", at="right", weight="bold", colour="out", size=15)
    page.caption("Side by side and then times $W_O$ is the same as this: each head adds a line of its own.")
    return (
        f"{count} heads of one token, {d_v} numbers each. Every head is multiplied by its own {d_v} rows of W_O, which "
        f"gives a line of {d_model} numbers, and the {count} lines are added up to the output."
    )


@picture(height={"book": 216, "phone": 216})
def short_sums(page: Page, products, heads: int) -> str:
    """The products of one query and one key, added up by one head, or by several, each over its own columns."""
    products = np.asarray(products)
    d_k, each = len(products) // heads, page.width / (len(products) + 2.2)
    for row, (count, y) in enumerate(((1, 30), (heads, 136))):
        with page.step(row):
            width = len(products) // count
            page.text(0, y - 10, "1 head" if count == 1 else f"{count} heads", at="bottom left", weight="bold", size=15)
            for h, part in enumerate(np.split(products, count)):
                gap = 0 if count == 1 else 0.7 * each * h
                x = gap + h * width * each
                block = matrix(page, x, y, [part], colour="score", cell=(each, 30), digits=1, size=13)
                page.line((x + 3, y + 36), (x + block.wide - 3, y + 36), colour="grey", width=1.5)
                page.text(block.middle[0], y + 44, f"add up: {number(part.sum(), 1)}" if not page.narrow or count == 1
                          else number(part.sum(), 1), at="top", size=13)  # fmt: skip
                if count == 1:
                    words = f"{width} products: ÷ √{width}"
                    page.text(block.wide - 4, y - 10, words, at="bottom right", colour="root", size=14, weight="bold")
    page.text(page.width, 126, f"{d_k} products each: ÷ √{d_k}, not √{len(products)}", at="bottom right", colour="root",
              size=14, weight="bold")  # fmt: skip
    page.caption("boxes: the products of one query and one key, column by column")
    return (
        f"{len(products)} products of a query and a key. One head adds up all {len(products)}, so it divides by the "
        f"root of {len(products)}. With {heads} heads, each adds up {d_k} of them and divides by the root of {d_k}."
    )
