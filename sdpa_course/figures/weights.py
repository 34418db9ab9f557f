"""Figures of notebook 05: weights as a heat map, and as arcs from one word to the words it looks at."""

import numpy as np

from ..experiments.sentence import RandomAttention
from .axes import cell_ticks
from .cells import write_in_cells
from .drawing import styled
from .kit import Page, picture
from .kit.matrices import percent
from .rules import RULES

MAP = "Blues"


@styled
def weight_map(ax, result: RandomAttention) -> str:
    """One heat map of weights, described by its sharpest row: what a slider redraws."""
    weights, words, rule = result.weights, result.words, RULES[result.scale]
    ax.imshow(weights, cmap=MAP, vmin=0, vmax=1, aspect="auto")  # cells as wide as there's room for words
    write_in_cells(ax, cell_texts(weights, result.allowed), weights, MAP, 12)
    cell_ticks(ax, range(len(words)), words)
    ax.set(title=f"weights, $d_k$ = {result.d_k}, {rule.title}", xlabel="key", ylabel="query")
    row, column = np.unravel_index(np.argmax(weights), weights.shape)
    tops = weights.max(axis=-1)
    hidden = "" if result.allowed is None else f" {int((~result.allowed).sum())} cells above the diagonal are hidden."
    return (
        f"weights, d_k = {result.d_k}, {rule.words}: attention weights as a {len(words)} by {len(words)} heat map, a "
        f"row for each query. The largest weight of a row lies between {tops.min():.2f} and {tops.max():.2f}; the "
        f"largest of all is that of {words[row]} on {words[column]}.{hidden}"
    )


def cell_texts(weights, allowed) -> np.ndarray:
    """Each weight with two decimals; a cross in place of the weights that are not allowed."""
    texts = np.array([[f"{weight:.2f}" for weight in row] for row in weights])
    return texts if allowed is None else np.where(allowed, texts, "×")


@picture(height={"book": 120, "phone": 120, "slide": 160})
def one_look(page: Page, words, weights, *, asks: str = "it") -> str:
    """A sentence and arcs from one of its words to those it looks at, as thick as their weights."""
    arcs(page, 0, words, weights, asks, click=1)
    page.caption(f"arcs: where “{asks}” looks, as thick as the weight; those below 5 % aren’t drawn")
    return f"“{' '.join(words)}”, with arcs from “{asks}”. {told(words, weights)}."


@picture(height={"book": 316, "phone": 316, "slide": 320})
def several_looks(page: Page, sentences, rows, *, asks: str = "it") -> str:
    """The same for several sentences, one below the other."""
    for i, (words, weights) in enumerate(zip(sentences, rows, strict=True)):
        with page.step(i):
            arcs(page, 104 * i, words, weights, asks)
    page.caption(f"arcs: where “{asks}” looks in the second pass, as thick as the weight")
    each = (f"“{' '.join(words)}”: {told(words, row)}" for words, row in zip(sentences, rows, strict=True))
    return f"Sentences with arcs from “{asks}” to the words it looks at. {'. '.join(each)}."


def arcs(page: Page, top: float, words, weights, asks: str, *, click: int = 0) -> None:
    """One sentence along a line, and its arcs above it, with a click of their own on a slide."""
    size = 12 if page.narrow else 16
    long = [page.measure(word, size)[0] for word in words]
    gap = min(38.0, (page.width - sum(long)) / (len(words) - 1))
    starts = (page.width - sum(long) - gap * (len(words) - 1)) / 2 + np.cumsum([0, *np.add(long, gap)[:-1]])
    centres, line = starts + np.array(long) / 2, top + 92
    here = words.index(asks)
    for word, x, weight in zip(words, centres, weights, strict=True):
        lit = weight > 0.3
        page.text(x, line, word, at="top", size=size, weight="bold" if word == asks or lit else "normal",
                  colour="q" if word == asks else "ink")  # fmt: skip
        if weight >= 0.05 and word != asks:
            side = 1 if x > centres[here] else -1
            bend = 0.5 * min(1.0, 150 / abs(x - centres[here]))
            with page.step(click):
                page.arrow(
                    (centres[here], line - 4), (x, line - 4), colour="weight", width=1 + 6 * weight, bend=side * bend
                )
                high = 0.5 * bend * abs(x - centres[here])
                page.text((x + centres[here]) / 2, line - 4 - high - 6, percent(weight), at="bottom", colour="weight",
                          weight="bold", size=14)  # fmt: skip


def told(words, weights) -> str:
    """The words with a notable weight, the largest first."""
    order = np.argsort(weights)[::-1]
    return ", ".join(f"{words[i]} {percent(weights[i])}" for i in order if weights[i] >= 0.02)
