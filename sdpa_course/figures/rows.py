"""What softmax sees: scores row by row, the part of their variance that counts, a key that stands out. Notebook 02."""

import numpy as np

from .kit import Block, Page, picture
from .kit.charts import bars, chart, outline
from .kit.matrices import percent


@picture(height={"book": 180, "phone": 420, "slide": 200})
def rows_apart(page: Page, scores, weights) -> str:
    """Rows of scores where they are, and slid onto each other, which softmax doesn't notice.

    `scores` and `weights` are (queries, keys).
    """
    scores = np.asarray(scores)
    panels = page.panels(2, high=190, gap=30)
    centred = scores - scores.mean(axis=1, keepdims=True)
    moved = (("what the total variance sees", scores), ("what softmax sees", centred))
    reach = np.abs(scores).max() * 1.08
    for i, (block, (title, places)) in enumerate(zip(panels, moved, strict=True)):
        with page.step(i):
            page.text(*block.top, title, at="top", weight="bold", size=15)
            left, wide = block.x + 66, block.wide - 132
            for row, (values, share) in enumerate(zip(places, weights, strict=True)):
                y = block.y + 56 + 48 * row
                page.line((left, y), (left + wide, y), colour="line", width=1.2, under=True)
                page.text(left - 8, y, f"query {row + 1}", at="right", colour="q")
                for value in values:
                    page.dot(left + wide * (value + reach) / (2 * reach), y, colour="score", size=8)
                middle = left + wide * (values.mean() + reach) / (2 * reach)
                page.line((middle, y - 14), (middle, y + 14), colour="lit edge", width=3)
                page.text(left + wide + 8, y, percent(share.max()), at="left", colour="weight", weight="bold")
    page.key("dots: scores of one query’s keys; bar: their average; right: the largest weight")
    return (
        f"{len(scores)} queries, each with a row of {scores.shape[1]} scores. Left, the rows lie apart: their averages "
        f"run from {scores.mean(axis=1).min():.1f} to {scores.mean(axis=1).max():.1f}. Right, slid onto a common "
        f"average. The largest weights are the same on both sides: {', '.join(percent(w.max()) for w in weights)}."
    )


@picture(height={"book": 330, "phone": 480, "slide": 330})
def broken_rows(page: Page, names, within, between, tops) -> str:
    """Total variance as within plus between, one bar for each broken assumption, and the top weight beside it."""
    label, right = (0, 60) if page.narrow else (230, 110)
    pitch = (480 if page.narrow else 330) / (len(names) + 0.8)
    long = (page.width - label - right) / (1.12 * np.max(np.add(within, between)))
    usual = within[list(names).index("nothing broken")]
    plain = label + long * usual
    page.line((plain, 22), (plain, pitch * (len(names) + 0.7)), colour="grey", dash="--", width=1.4)
    page.text(page.width, 4, "top weight", at="top right", colour="weight")
    page.text(plain, 4, f"{usual:.0f}: nothing broken", at="top", colour="grey", size=13)
    for i, (name, inside, outside, top) in enumerate(zip(names, within, between, tops, strict=True)):
        y = pitch * (i + 1.1) - 13 + (8 if page.narrow else 0)
        with page.step(i):
            page.text(0, y - 13 if page.narrow else y + 13, name, at="left", fill="paper" if page.narrow else None)
            page.box(label, y, long * inside, 26, fill="score", tint=0.75, edge=None, corner=0)
            words = f"{inside:.0f}"
            if outside > 0.5:
                words += f" + {outside:.0f}"
                edge = {"edge": "score", "width": 1, "corner": 0}
                page.box(label + long * inside, y, long * outside, 26, fill="score", tint=0.08, **edge)
            page.text(label + long * (inside + outside) + 6, y + 13, words, at="left", colour="grey")
            page.text(page.width, y + 13, percent(top), at="right", colour="weight", weight="bold", size=16)
    page.key("bars: variance of q·k, predicted, within a row (filled) + between rows (hollow); top weight: measured")
    said = "; ".join(
        f"{name}: {inside:.0f} within, {outside:.0f} between, top weight {percent(top)}"
        for name, inside, outside, top in zip(names, within, between, tops, strict=True)
    )
    return f"Bars of the variance of the scores, within a row and between rows, by broken assumption. {said}."


@picture(height={"book": 170, "phone": 590, "slide": 190})
def aligned_key(page: Page, correlation, widths, others, gaps, weights) -> str:
    """The crowd of other keys, of width 1 at every d_k, and one aligned key that stands ever further outside it."""
    end = 1.15 * max(gaps)
    for i, (block, d_k) in enumerate(zip(page.panels(len(widths), high=180, gap=20), widths, strict=True)):
        with page.step(i):
            page.text(*block.top, f"$d_k$ = {d_k}", at="top", weight="bold", size=15)
            ax = chart(page, block.x, block.y + 30, block.wide, 112, xlim=(-3.5, end), ylim=(0, 1.5), yticks=[])
            ax.spines["left"].set_visible(False)
            ax.set_xticks(np.arange(-2, end, 2))
            outline(page, ax, others[i], colour="score", bins=np.linspace(-3.5, 3.5, 36))
            ax.plot([gaps[i]] * 2, [0, 1.0], color=page.colour("lit edge"), linewidth=3)
            page.text(gaps[i], 1.05, percent(weights[i]), at="bottom", colour="weight", weight="bold", size=16, ax=ax)
    page.key("one aligned key among 64; grey: the others’ scores ÷ $\\sqrt{d_k}$; bar: its score, with its weight")
    said = "; ".join(
        f"at d_k = {d}, {gap:.0f} standard deviations out with {percent(w)} of the weight"
        for d, gap, w in zip(widths, gaps, weights, strict=True)
    )
    return (
        f"Histograms of scores divided by the root of d_k, equally wide in every panel, and one key of 64 aligned with "
        f"the query at correlation {correlation:g}: {said}."
    )


@picture(height={"book": 180, "phone": 320, "slide": 200})
def stake(page: Page, widths, weights) -> str:
    """What's at stake: the average weights of a row of keys at several d_k, undivided; (widths, n), largest first."""
    weights_by_width(page, widths, {"undivided": weights}, colours=("nothing",), high=104)
    n = len(weights[0])
    page.caption(f"average weights of {n} random keys, the largest first; its share is on the bar")
    shares = ", ".join(f"{percent(row[0])} at d_k = {d_k}" for d_k, row in zip(widths, weights, strict=True))
    return f"Bars of the average weights of {n} random keys, undivided. The largest grows with the width: {shares}."


@picture(height={"book": 420, "phone": 660, "slide": 380})
def repaired(page: Page, widths, rows: dict) -> str:
    """The same weights divided by √d_k: repaired, and with the bet lost. `rows`: name -> (widths, n)."""
    weights_by_width(page, widths, rows, colours=("root", "lit edge"), high=page.height / 2 - 66)
    n = len(next(iter(rows.values()))[0])
    page.caption(f"average weights of {n} random keys, the largest first, all divided by $\\sqrt{{d_k}}$")
    said = (f"{name}: {', '.join(percent(row[0]) for row in weights)}" for name, weights in rows.items())
    return (
        f"Bars of average weights after dividing by the root of d_k, at d_k = {', '.join(map(str, widths))}. The "
        f"largest share by row. {'; '.join(said)}."
    )


def weights_by_width(page: Page, widths, rows: dict, *, colours: tuple[str, ...], high: float) -> None:
    """Rows of bar charts, one for each width. A row appears with a click; if there's only one, a chart does."""
    for i, ((name, weights), colour) in enumerate(zip(rows.items(), colours, strict=True)):
        top = i * (335 if page.narrow else high + 72)
        page.text(0, top, name, at="top left", weight="bold", colour=colour, size=15)
        for j, (d_k, row) in enumerate(zip(widths, weights, strict=True)):
            wide = page.width if page.narrow else page.width / len(widths) - 20
            x, y = (0, top + 50 + 92 * j) if page.narrow else (j * (wide + 30), top + 46)
            block = Block(x, y, wide, 74 if page.narrow else high)
            with page.step(i if len(rows) > 1 else j):
                bars(page, block, row, colour=colour, top=1.15, lit=0, words=percent(row[0]))
            page.text(x + wide, y + 8, f"$d_k$ = {d_k}", at="right", colour="grey")
