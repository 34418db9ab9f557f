"""A real model, opened: its parts, what each layer would say, RMSNorm, rotary positions, the gate. Notebook 11."""

import numpy as np

from .kit import Block, Page, picture
from .kit.charts import chart, curve
from .kit.flows import Item, flow
from .kit.matrices import number, percent

SHOWN = (0, 1, 5, 10, 15, 20, 25, 28, 29, 30)  # layers


@picture(height={"book": 262, "phone": 262, "slide": 290})
def each_layer(page: Page, prompt: str, layers) -> str:
    """What the model would say if it stopped after a layer. `layers` has the likeliest words of each: (word, share)."""
    told, high, left = [], page.height / len(SHOWN), 96
    for i, layer in enumerate(SHOWN):
        word, share = layers[layer][0]
        y, last = i * high, layer == SHOWN[-1]
        name = word.strip() or "(a space)"
        with page.step(1 if last else 0):
            page.text(left - 10, y + high / 2, f"after {layer}" if layer else "before any", at="right", colour="grey")
            page.box(
                left, y + 4, max(2.0, share * (page.width - left - 110)), high - 8, fill="lit" if last else "weight",
                tint=1 if last else 0.45, edge=None, corner=0,
            )  # fmt: skip
            words = f"{name}  {percent(share)}"
            x = left + 8 + share * (page.width - left - 110)
            page.text(x, y + high / 2, words, at="left", size=15, weight="bold" if last else "normal")
        told.append(f"{'after layer ' + str(layer) if layer else 'before the first layer'} {name}, {percent(share)}")
    page.caption(f"“{prompt} …”: the likeliest next word, if the model had to answer after so many of its 30 layers")
    return f"The likeliest next word after “{prompt}”, with its probability, layer by layer: {'; '.join(told)}."


@picture(height={"book": 248, "slide": 270})
def stack(page: Page, layers: int) -> str:
    """The model as a stack of our kernels: what's been built in earlier notebooks, and the three new parts, lit."""
    looking = {"RMSNorm": "", "$W_Q$ $W_K$ $W_V$": "08", "turn": "", "attention": "05", "$W_O$": "08"}
    rows = {"tokens look at each other": looking, "each thinks on its own": {"RMSNorm": "", "SwiGLU": ""}}
    side, middle = 100, page.height / 2 - 19
    inside = Block(side + 22, 22, page.width - 2 * side - 44, page.height - 30)
    page.box(*inside, edge="grey", fill="pale")
    page.text(page.width / 2, 16, f"{layers} layers, one after the other", at="bottom", colour="grey")
    start = page.box(0, middle, side, 52, "words in", fill="q", tint=0.16, edge="q")
    end = page.box(page.width - side, middle, side, 52, "next word", fill="out", tint=0.16, edge="out")
    page.arrow(start.right, inside.left)
    page.arrow(inside.right, end.left)
    gap, told = 18, []
    wide = (inside.wide - 24 - 4 * gap) / 5
    for j, (title, parts) in enumerate(rows.items()):
        y = inside.y + 14 + j * inside.high / 2
        page.text(inside.x + 12, y + 6, f"{title}, and the result is added", at="left", size=13, colour="grey")
        for i, (name, notebook) in enumerate(parts.items()):
            x, new = inside.x + 12 + i * (wide + gap), not notebook
            looks = {"fill": "lit", "tint": 0.3, "edge": "lit edge"} if new else {"edge": "score"}
            with page.step(int(new)):
                page.box(x, y + 24, wide, 40, name, size=13, **looks)
                colour = "lit text" if new else "grey"
                page.text(x + wide / 2, y + 69, notebook or "new", at="top", size=12, colour=colour)
            if i:
                page.arrow((x - gap, y + 44), (x, y + 44))
            told.append(name.replace("$", "").replace("_", ""))
    page.caption("white: built in the notebook whose number is below it; amber: new here")
    return (
        f"The model as a stack: words in, {layers} layers, next word out. In each layer, first {', '.join(told[:5])}, "
        f"then {', '.join(told[5:])}, each time added to what came in. RMSNorm, turn and SwiGLU are new."
    )


@picture(height={"book": 146, "slide": 176})
def same_length(page: Page, before, after) -> str:
    """Tokens before and after RMSNorm: (T, D) each, with the root mean square of each row."""
    sizes = [[number(value, 1) for value in np.sqrt(np.mean(np.square(x), axis=1))] for x in (before, after)]
    parts = [
        Item("x", before, "q", 1, [f"rms {size}" for size in sizes[0]], below=" "),
        "÷ its rms",
        Item("norm(x)", after, "out", 1, below=f"rms {sizes[1][0]} in every row"),
    ]
    flow(page, 80, parts, cell=(46, 30), steps=True)
    page.caption("a row is a token: whatever its size before, its root mean square is 1 afterwards")
    return (
        f"{len(before)} tokens of {len(before[0])} numbers before and after RMSNorm. Their root mean squares were "
        f"{', '.join(sizes[0])}, and are {', '.join(sizes[1])}."
    )


@picture(height={"book": 214, "slide": 240})
def clocks(page: Page, pairs, angle: float, scores) -> str:
    """A query and a key of two numbers as the hands of a clock, turned by `angle` a place; pairs are (place, place)."""
    panels, told = page.panels(len(pairs), high=page.height), []
    for i, (block, (q, k), score) in enumerate(zip(panels, pairs, scores, strict=True)):
        x, y, r = block.x + block.wide / 2, block.y + 102, 68
        with page.step(i):
            round_ = np.linspace(0, 2 * np.pi, 80)
            page.line(*zip(x + r * np.cos(round_), y + r * np.sin(round_), strict=True), colour="line", width=1.5)
            for place, colour, name in ((q, "q", "query"), (k, "k", "key")):
                turn = angle * place
                tip = x + r * np.sin(turn), y - r * np.cos(turn)
                page.arrow((x, y), tip, colour=colour, width=3)
                page.text(x + 1.24 * (tip[0] - x), y + 1.18 * (tip[1] - y), name, colour=colour, size=13)
            page.text(x, block.y, f"places {q} and {k}", at="top", weight="bold")
            page.text(x, y + r + 22, f"score {number(score, 2)}", at="top", colour="score", weight="bold")
        told.append(f"places {q} and {k}: score {number(score, 2)}")
    page.caption(
        f"both hands have length 1 and turn by {angle:g} radians a place; the score is the cosine of the angle between "
        "them, and that depends on the distance alone"
    )
    return f"A query and a key as two hands of a clock, each turned by its place. {'; '.join(told)}."


@picture(height={"book": 200, "slide": 230})
def gate(page: Page, z, silu) -> str:
    """What a gate lets through: silu(z) against z, with the straight line that an open gate would be."""
    limits = {"xlim": (z[0], z[-1]), "ylim": (-0.7, z[-1] + 0.3)}
    names = {"xlabel": "z, the gate’s number", "ylabel": "silu(z)"}
    ax = chart(page, 40, 24, page.width - 110, page.height - 72, **names, **limits)
    curve(page, ax, z, np.maximum(z, 0), colour="grey", dash=":", width=1.5)
    with page.step(1):
        curve(page, ax, z, silu, colour="weight", name="silu")
    for at, words in ((0.15, "shut"), (0.91, "about times z")):
        page.text(40 + at * (page.width - 110), page.height - 92, words, colour="lit text", weight="bold")
    page.caption("far left next to nothing passes; just below 0 a little, its sign turned; on the right about z times")
    low = z[np.argmin(silu)]
    return (
        f"The curve silu(z): near 0 for very negative z, lowest, {number(min(silu), 2)}, near z = {number(low, 1)}, "
        "and close to z itself for large z."
    )
