"""Additive scores: what was compared in 2017, how a score is made, and what makes it grow. For appendix A3."""

import numpy as np

from .kit import Page, picture
from .kit.charts import chart, curve
from .kit.matrices import matrix, number
from .kit.papers import POINT


@picture(height={"book": 250, "phone": 270, "slide": 280})
def bleu_by_width(page: Page, widths, additive, dot) -> str:
    """The experiment that the authors of 2017 cite: translation quality against the width of the scoring layer.

    `additive` and `dot` have a (mean, ±) for each width.
    """
    x = np.log2(widths)
    right = 20 if page.narrow else 118
    ax = chart(page, 40, 24, page.width - 40 - right, 180, xlabel="width", ylabel="BLEU",
               xlim=(x[0] - 0.2, x[-1] + (0.2 if not page.narrow else 0.3)), ylim=(17, 24))  # fmt: skip
    ax.set_xticks(x, list(map(str, widths)))
    for results, colour, marker, name, step in ((additive, "ink", "s", "additive", 0),
                                                (dot, "nothing", "o", "dot product, unscaled", 1)):  # fmt: skip
        values, errors = zip(*results, strict=True)
        with page.step(step):
            curve(page, ax, x, values, colour=colour)
            ax.errorbar(x, values, errors, fmt=marker, color=page.colour(colour), markersize=7 * POINT,
                        elinewidth=2 * POINT, capsize=4 * POINT)  # fmt: skip
            side = 0.45 if step == 0 else -0.45
            page.text(x[0], values[0] + side, name, at="bottom left" if step == 0 else "top left", colour=colour,
                      weight="bold", ax=ax)  # fmt: skip
            page.text(x[-1] + (0.12 if not page.narrow else 0), values[-1] - (0 if not page.narrow else 0.5),
                      f"{values[-1]:.1f}", at="left" if not page.narrow else "top", colour=colour, weight="bold",
                      ax=ax, size=16)  # fmt: skip
    page.headline("At width 1024 the unscaled dot product falls behind")
    told = [", ".join(f"{value:.1f} ± {error:.1f}" for value, error in results) for results in (additive, dot)]
    return (
        f"Translation quality, BLEU, against the width {', '.join(map(str, widths))}. Additive scores: {told[0]}. "
        f"Unscaled dot products: {told[1]}."
    )


@picture(height={"book": 206, "slide": 220})
def additive_flow(page: Page, from_q, from_k, v) -> str:
    """One additive score: what q and k bring is added, squeezed by tanh, weighted by v and summed."""
    total = np.add(from_q, from_k)
    squeezed = np.tanh(total)
    score = float(squeezed @ v)
    columns = (
        (from_q, "q", r"$W_q^\top q$", None), (from_k, "k", r"$W_k^\top k$", None), (total, "score", "sum", None),
        (squeezed, "weight", "tanh", 2), (v, "v", "$v$", None),
    )  # fmt: skip
    signs = ("+", "=", "→", "·", "=")
    for i, (values, colour, name, digits) in enumerate(columns):
        x = 126 * i
        with page.step(max(0, i - 2)):
            block = matrix(page, x, 46, np.reshape(values, (-1, 1)), colour=colour, name=name, cell=(62, 34),
                           digits=digits, size=15)  # fmt: skip
            page.text(x + 94, block.middle[1], signs[i], size=22, colour="grey")
    with page.step(3):
        page.box(628, 88, 72, 52, number(score, 2), fill="lit", tint=0.75, edge="lit edge", size=19, weight="bold",
                 colour="on lit")  # fmt: skip
    page.caption("after tanh nothing is larger than 1; what the score can reach is up to $v$ and the number of rows")
    parts = ("from the query", from_q), ("from the key", from_k), ("their sum", total)
    said = "; ".join(f"{name}, {', '.join(number(x) for x in values)}" for name, values in parts)
    return (
        f"An additive score step by step: {said}; after tanh, {', '.join(number(x, 2) for x in squeezed)}; times v, "
        f"which is {', '.join(map(number, v))}, and added up: the score is {number(score, 2)}."
    )


@picture(height={"book": 270, "phone": 300, "slide": 300})
def additive_growth(page: Page, widths, dot, unshrunk, shrunk) -> str:
    """Variance of a score against d_k: dot products grow, additive scores level off whether W is shrunk or not."""
    x = np.log2(widths)
    right = 20 if page.narrow else 150
    ax = chart(page, 44, 24, page.width - 44 - right, 200, xlabel="$d_k$", ylabel="variance of a score",
               xlim=(x[0] - 0.2, x[-1] + 0.3), ylim=(-1.6, 3.6))  # fmt: skip
    ax.set_xticks(x, list(map(str, widths)))
    ax.set_yticks([-1, 0, 1, 2, 3], ["0.1", "1", "10", "100", "1000"])
    lines = (
        (dot, "nothing", "o", "dot product", 0.0), (unshrunk, "ink", "s", "additive", 0.14),
        (shrunk, "grey", "D", "additive,\nW shrunk", -0.42),
    )  # fmt: skip
    for i, (values, colour, marker, name, lift) in enumerate(lines):
        with page.step(i):
            y = np.log10(values)
            curve(page, ax, x, y, colour=colour)
            ax.plot(x, y, marker, color=page.colour(colour), markersize=7 * POINT)
            at = (x[1], y[1] + (0.85, 0.3, -0.5)[i]) if page.narrow else (x[-1] + 0.35, y[-1] + lift)
            words = name.replace("\n", " ") if page.narrow else name
            page.text(*at, words, at="left", colour=colour, weight="bold", ax=ax)
    page.caption("both axes are logarithmic; dots are measured")
    ends = [f"from {v[0]:.1f} to {v[-1]:.1f}" if v[-1] < 10 else f"from {v[0]:.0f} to {v[-1]:.0f}"
            for v in (dot, unshrunk, shrunk)]  # fmt: skip
    return (
        f"Variance of a score against d_k from {widths[0]} to {widths[-1]}, both axes logarithmic. Unscaled dot "
        f"products climb {ends[0]}; additive scores go {ends[1]} and stay below 1; with W shrunk, {ends[2]}: flat."
    )
