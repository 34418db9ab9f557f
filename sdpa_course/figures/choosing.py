"""Which factor, and where it goes: four scales beside each other, places for one, what counts as width. Notebook 07."""

import numpy as np

from .kit import Block, Page, picture
from .kit.charts import bars, chart, curve

NAMES = {
    "1": ("no scale", "nothing"),
    "1/sqrt(d_k)": ("÷ √$d_k$", "root"),
    "1/d_k": ("÷ $d_k$", "full"),
    "1/sqrt(d_model)": ("÷ √$d_{model}$", "model"),
}
EDGE = 20  # how far the axes of score in, score out reach


@picture(height={"book": 336, "phone": 690, "slide": 350})
def four_scales(page: Page, d_k: int, found) -> str:
    """Each scale as a line from score in to score out, with both bells, and the weights of one query below it.

    `found` maps the name of a scale to (factor, spread of the scores, weights of the query).
    """
    wide, told = (page.width - 30) / (2 if page.narrow else 4), []
    bell = np.linspace(-EDGE, EDGE, 400)
    for i, (scale, (factor, spread, weights)) in enumerate(found.items()):
        (name, colour), x, y = NAMES[scale], 0.0, 0.0
        x, y = (i % 2 * (wide + 30), i // 2 * 352) if page.narrow else (i * (wide + 10), 0)
        with page.step(i):
            page.text(x + 8, y, name, at="top left", colour=colour, weight="bold", size=17)
            ax = chart(
                page, x + 8, y + 52, wide - 22, 150, xlim=(-EDGE, EDGE), ylim=(-EDGE, EDGE), xticks=(), yticks=()
            )
            heights = np.exp(-(bell**2) / (2 * d_k))
            ax.fill_between(bell, -EDGE, -EDGE + 8 * heights, color=page.colour("score", 0.35), linewidth=0)
            out = np.exp(-(bell**2) / (2 * spread**2))
            ax.fill_betweenx(bell, -EDGE, -EDGE + 10 * out, color=page.colour(colour, 0.75), linewidth=0)
            curve(page, ax, (-EDGE, EDGE), (-EDGE * factor, EDGE * factor), colour=colour, width=2.5)
            page.text(
                x + wide - 14, y + 26, f"{np.sqrt(d_k):.0f} → {spread:.3g}", at="top right", size=14, weight="bold"
            )
            block = Block(x + 8, y + 244, wide - 22, 84)
            top = int(np.argmax(weights))
            bars(page, block, weights, colour=colour, top=1, lit=top, words=f"{100 * weights[top]:.0f} %")
        said = name.replace("$", "").replace("{model}", "model")
        told.append(f"{said}: spread {spread:.3g}, largest weight {100 * weights[top]:.0f} %")
    page.key(f"above: dot product in (grey bell), score out (coloured); below: one query's {len(weights)} weights")
    return (
        f"Four scales at d_k = {d_k}, each as a line from dot product to score. The dot products have a spread of "
        f"{np.sqrt(d_k):.0f}. Scores and weights: {'; '.join(told)}."
    )


@picture(height={"book": 262, "slide": 280})
def scale_places(page: Page) -> str:
    """Attention's scores as a flow, with the five places where the scale may stand."""
    x = page.box(0, 107, 54, 44, "$X$", fill="score", tint=0.16)
    product = page.box(452, 107, 76, 44, r"$q \cdot k$", fill="score", tint=0.16)
    last = page.box(620, 107, 80, 44, "softmax", fill="weight", tint=0.16, edge="weight")
    rows = ((55, "q", "$W_Q$", -1), (203, "k", "$W_K$", 1))
    for y, colour, name, _ in rows:
        project = page.box(106, y - 22, 66, 44, name, fill=colour, tint=0.16, edge=colour)
        vector = page.box(352, y - 22, 48, 44, f"${colour}$", fill=colour, tint=0.16, edge=colour)
        page.arrow(x.right, project.left)
        page.line(project.right, (330, y), colour="grey", under=True)
        page.arrow((325, y), vector.left)
        page.arrow(vector.right, product.left)
    page.line(product.right, (600, 129), colour="grey", under=True)
    page.arrow((595, 129), last.left)
    spots = (
        ("A", "÷ √$d_k$", ((572, 129, -1),)), ("B", "÷ √$d_k$", ((220, 55, -1),)), ("C", "÷ √$d_k$", ((220, 203, 1),)),
        ("D", "÷ $d_k^{1/4}$", ((296, 55, -1), (296, 203, 1))), ("E", "starts smaller", ((139, 29, -1),)),
    )  # fmt: skip
    for i, (letter, words, where) in enumerate(spots):
        with page.step(i):
            for left, y, side in where:
                page.box(left - 13, y - 13, 26, 26, letter, fill="lit", edge="lit edge", corner=13, size=15,
                         weight="bold", colour="on lit")  # fmt: skip
                page.text(left, y + side * 19, words, at="bottom" if side < 0 else "top", size=14, colour="lit text")
    page.caption("A on the scores, B on q, C on k, D a fourth root on both; E: its matrix starts smaller")
    return (
        "A flow: tokens X go through W_Q to q and through W_K to k, the two meet in a product, and softmax follows. "
        "Five places for the scale: A after the product, B on q, C on k, D on both as a fourth root, and E in W_Q, "
        "which starts smaller by the root."
    )


@picture(height={"book": 196, "phone": 196, "slide": 210})
def folded_steps(page: Page, ratios: dict[str, float], d_k: int) -> str:
    """How far one step moves the scores when the scale is inside W_Q, next to the same step with the scale outside."""
    unit = (page.width - 140) / max(ratios.values())
    for i, (name, ratio) in enumerate(ratios.items()):
        y = 8 + 64 * i
        page.text(0, y + 22, name, at="left", weight="bold", size=16)
        page.box(92, y, unit, 18, fill="grey", edge=None, corner=0)
        with page.step(i + 1):
            page.box(92, y + 24, ratio * unit, 18, fill="lit", edge=None, corner=0)
            page.text(
                92 + ratio * unit + 7, y + 33, f"× {ratio:.0f}", at="left", weight="bold", size=16, colour="lit text"
            )
    page.key(f"how far one step moves the scores, $d_k$ = {d_k}: grey with the scale outside, amber with it folded in")
    told = ", ".join(f"{ratio:.0f} times as far with {name}" for name, ratio in ratios.items())
    return f"Bars for one step on W_Q at d_k = {d_k}. With the scale folded into W_Q the scores move {told}."


@picture(height={"book": 226, "slide": 240})
def which_width(page: Page, strips) -> str:
    """Columns of a product to scale: those that matter filled, padding hollow; and what stands under the root.

    `strips` are (title, columns that count, columns added for the hardware, the width under the root).
    """
    unit, told = (page.width - 250) / 576, []
    for i, (title, columns, padding, root) in enumerate(strips):
        y = 8 + 56 * i
        with page.step(i):
            page.text(0, y + 16, title, at="left", size=15)
            page.box(170, y, columns * unit, 32, fill="q", tint=0.5, edge="q", corner=0)
            if padding:
                page.box(170 + columns * unit, y, padding * unit, 32, fill="pale", edge="grey", dash=":", corner=0)
            words = f"{columns} + {padding} zeros" if padding else f"{columns}"
            page.text(
                170 + (columns + padding) * unit + 8, y + 16, f"{words}:  ÷ √{root}", at="left", weight="bold", size=15
            )
        told.append(f"{title}: {words} columns, divided by the root of {root}")
    page.caption("under the root: the number the model was trained with, however the product is computed")
    return f"Columns of a product, drawn to scale. {'; '.join(told)}."
