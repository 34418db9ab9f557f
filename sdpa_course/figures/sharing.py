"""What more heads cost, heads that share keys and values, and a bias on the keys. Notebook 08."""

import numpy as np

from .kit import Block, Page, picture
from .kit.matrices import number
from .kit.ribbons import cut, ribbon

SIDE = 104  # of a matrix


@picture(height={"book": 206, "phone": 440})
def same_columns(page: Page, counts: dict) -> str:
    """The same matrix cut into more and more heads, and a map for each of them; heads -> (parameters, weights)."""
    for i, (heads, (parameters, weights)) in enumerate(counts.items()):
        across = 2 if page.narrow else len(counts)
        wide = page.width / across
        x, y = wide * (i % across) + (wide - SIDE) / 2, 234 * (i // across)
        with page.step(i):
            page.text(x + SIDE / 2, y, "1 head" if heads == 1 else f"{heads} heads", at="top", weight="bold", size=15)
            for part in cut(Block(x, y + 28, SIDE, 60), heads):
                page.box(*part, fill="q", tint=0.2, edge="q", width=1.4, corner=0)
            page.text(x + SIDE / 2, y + 94, f"{parameters:,} parameters", at="top", size=13, colour="grey")
            for h in range(heads):
                left = x + SIDE / 2 - min(heads, 4) * 13 + (h % 4) * 26
                page.box(left + 1, y + 124 + (h // 4) * 26, 23, 23, fill="weight", tint=0.45, edge="weight", width=1.2,
                         corner=0)  # fmt: skip
            page.text(x + SIDE / 2, y + 182, f"{weights:,} weights", at="top", size=14, colour="weight", weight="bold")
    page.caption(
        "green: $W_Q$, cut in more places. Blue: one map of weights for each head. Counts are for a whole layer"
    )
    told = "; ".join(f"number of heads {h}: {p:,} parameters, {w:,} weights" for h, (p, w) in counts.items())
    return f"The same matrix W_Q cut into more and more heads, and below it a map of weights for each. {told}."


@picture(height={"book": 210, "phone": 660})
def shared_heads(page: Page, heads: int, kv_counts: dict) -> str:
    """Query heads above, and the key/value heads that they share below; kv heads -> a name."""
    for i, (block, (kv_heads, name)) in enumerate(
        zip(page.panels(len(kv_counts), high=202, gap=30), kv_counts.items(), strict=True)
    ):
        group = heads // kv_heads
        above = cut(Block(block.x, block.y + 48, block.wide - 3 * (heads - 1), 30), heads, 3)
        with page.step(i):
            page.text(block.x, block.y, name, at="top left", weight="bold", size=15)
            for j in range(kv_heads):
                mine = above[j * group : (j + 1) * group]
                left, right = mine[0].x, mine[-1].x + mine[-1].wide
                middle, wide = (left + right) / 2, min(44, right - left)
                k = Block(middle - wide / 2, block.y + 140, wide, 24)
                v = Block(middle - wide / 2, block.y + 168, wide, 24)
                for query in mine:
                    ribbon(page, query, Block(*k), colour="k", tint=0.28)
                words = ("K", "V") if wide > 20 else ("", "")
                page.box(*k, words[0], fill="k", tint=0.35, edge="k", corner=2, size=13)
                page.box(*v, words[1], fill="v", tint=0.35, edge="v", corner=2, size=13)
            for query in above:
                page.box(*query, fill="q", tint=0.3, edge="q", width=1.4, corner=2)
            page.text(block.x, block.y + 28, f"{heads} query heads", at="top left", colour="q", size=13)
    page.caption("above the queries, below the keys and values that have to be kept while a model writes")
    told = "; ".join(f"{name}: {kv} of keys and values" for kv, name in kv_counts.items())
    return f"{heads} query heads, and below them the heads of keys and values that they share. {told}."


@picture(height={"book": 192, "phone": 400})
def turning_bias(page: Page, words, plain, turned, angles) -> str:
    """The same bias on every key, as an arrow, and what it adds to one query's scores: plain, and with rotations."""
    panels = (
        ("no rotation: the same for every key", np.zeros(len(words)), plain),
        ("rotary: a turn for each place", angles, turned),
    )
    for i, (block, (title, turns, shifts)) in enumerate(zip(page.panels(2, high=186, gap=32), panels, strict=True)):
        each = block.wide / len(words)
        with page.step(i):
            page.text(block.x, block.y, title, at="top left", weight="bold", size=15)
            for j, (word, turn, shift) in enumerate(zip(words, turns, shifts, strict=True)):
                x, y = block.x + (j + 0.5) * each, block.y + 74
                tip = 22 * np.array([np.cos(turn), -np.sin(turn)])
                page.dot(x, y, size=5, colour="k")
                page.arrow((x, y), (x + tip[0], y + tip[1]), colour="k", width=3)
                page.text(x, block.y + 116, word, at="top", colour="grey", size=13)
                signed = number(shift, 2) if shift < 0 else "+" + number(shift, 2)
                page.text(x, block.y + 146, signed, at="top", size=14, weight="bold", colour="score")
    page.caption("arrows: the bias on the keys; below each word: what the bias adds to its score")
    told = "; ".join(f"{name.split(':')[0]}: {', '.join(number(s, 2) for s in shifts)}" for name, _, shifts in panels)
    return (
        f"The bias on the keys, an arrow for each of {len(words)} words, and what it adds to a query's scores. {told}."
    )
