"""What a head learns to look at, with the scale and without it: maps of its weights while it trains. Notebook 09."""

from matplotlib.colors import LinearSegmentedColormap

from .kit import Page, picture
from .kit.matrices import percent

NAMES = {"1": ("no scale", "nothing"), "1/sqrt(d_k)": ("÷ √$d_k$", "root")}


def draw_map(page: Page, x: float, y: float, side: float, brightness) -> None:
    """A map of (n, n) weights as a square: darker for more weight. `brightness` is the root of the weight."""
    ax = page.axes(x, y, side, side)
    shades = LinearSegmentedColormap.from_list("weights", [page.colour("weight", 0.06), page.colour("weight")])
    ax.imshow(brightness, vmin=0, vmax=1, cmap=shades, interpolation="nearest", aspect="auto")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set(visible=True, color=page.colour("line"))


@picture(height={"book": 366, "phone": 286})
def maps_while_learning(page: Page, steps, runs: dict) -> str:
    """Maps at a few steps of two runs; scale -> a list of (brightness, accuracy), one for each step."""
    gap, left = (8, 0) if page.narrow else (14, 92)
    side = (page.width - left - gap * (len(steps) - 1)) / len(steps)
    told = []
    for row, (scale, maps) in enumerate(runs.items()):
        name, colour = NAMES[scale]
        y = 24 + row * (side + (62 if page.narrow else 42))
        for column, (step, (brightness, accuracy)) in enumerate(zip(steps, maps, strict=True)):
            x = left + column * (side + gap)
            with page.step(column):
                top = y + 22 if page.narrow else y
                if row == 0:
                    page.text(x + side / 2, y - 6, f"step {step}", at="bottom", colour="grey", size=13)
                draw_map(page, x, top, side, brightness)
                lit = {"weight": "bold", "colour": colour} if column == len(steps) - 1 else {"colour": "grey"}
                page.text(x + side / 2, top + side + 4, f"{percent(accuracy)} right", at="top", size=13, **lit)
        place = (0, y + 18, "bottom left") if page.narrow else (left - 12, y + side / 2, "right")
        page.text(*place[:2], name, at=place[2], weight="bold", colour=colour, size=16)
        accuracies = ", ".join(percent(accuracy) for _, accuracy in maps)
        told.append(f"{'without the scale' if scale == '1' else 'divided by the root of d_k'} {accuracies}")
    page.caption("each row is a query, each column a key; to be right, a row has to look at its mirror image")
    return (
        f"Two rows of maps of attention weights, at steps {', '.join(map(str, steps))} of training. With the root of "
        f"d_k a clean anti-diagonal grows; without the scale it stays broken, and the other rows look at a few "
        f"columns. Right answers: {'; '.join(told)}."
    )


@picture(height={"book": 356, "phone": 214})
def two_maps(page: Page, step: int, last: int, runs: dict) -> str:
    """One step of two runs side by side; scale -> (brightness, accuracy). The frames of the loop."""
    gap = 14 if page.narrow else 100
    side = min((page.width - gap) / 2, 286)
    start = (page.width - 2 * side - gap) / 2
    page.line((start, 4), (start + 2 * side + gap, 4), colour="line", width=4)
    page.line((start, 4), (start + (2 * side + gap) * step / last, 4), colour="lit edge", width=4)
    said = []
    for i, (scale, (brightness, accuracy)) in enumerate(runs.items()):
        name, colour = NAMES[scale]
        x = start + i * (side + gap)
        with page.step(i):
            page.text(x, 34, name, at="bottom left", weight="bold", colour=colour, size=16)
            page.text(x + side, 34, percent(accuracy), at="bottom right", weight="bold", colour=colour, size=16)
            draw_map(page, x, 40, side, brightness)
        said.append(f"{'without the scale' if scale == '1' else 'divided by the root of d_k'} {percent(accuracy)}")
    page.key(f"step {step} of {last}; at the top right of each map, the share of right answers")
    return f"Two maps of attention weights side by side at step {step} of training. Right answers: {', '.join(said)}."


def learning_loop(frames: list[tuple]) -> None:
    """Show both runs as a loop; each frame is `(step, last, runs)`. It begins with a glance at the end."""
    *_, (last, _, runs) = frames
    none, root = (percent(right) for _, right in runs.values())
    alt = (
        f"A loop: two maps of attention weights side by side while a head learns, from step 0 to {last}. On one side "
        f"an anti-diagonal grows, on the other it stays broken. At the end {none} are right without the scale, "
        f"{root} with it."
    )
    two_maps.loop([frames[-1], *frames], [1600, 1200, *[260] * (len(frames) - 2), 2600], alt)


@picture(height={"book": 236, "phone": 470})
def two_lookups(page: Page, tokens: str, pairs: dict, asked) -> str:
    """The two tasks: say a sequence backwards, and say the value that was shown with a key."""
    left, right = page.panels(2, high=220, gap=30)
    n, cell = len(tokens), 34
    x, y = left.x + (left.wide - n * cell) / 2, left.y
    page.text(left.x, y, "reverse: look at the mirrored place", at="top left", weight="bold", size=15)
    for i, token in enumerate(tokens):
        page.box(x + i * cell + 3, y + 162, cell - 6, 30, token, fill="k", tint=0.16, edge="k", size=15)
        page.box(x + i * cell + 3, y + 42, cell - 6, 30, tokens[-1 - i], fill="out", tint=0.16, edge="out", size=15)
        lit = i == 1
        page.line((x + (i + 0.5) * cell, y + 74), (x + (n - i - 0.5) * cell, y + 160), under=True,
                  colour="lit edge" if lit else "line", width=3.4 if lit else 1.4)  # fmt: skip
    page.text(left.x + left.wide / 2, y + 198, "what's there", at="top", colour="grey", size=13)
    with page.step(1):
        x, y = right.x, right.y
        page.text(x, y, "recall: look for the key, say its value", at="top left", weight="bold", size=15)
        wide = right.wide / len(pairs)
        for j, (key, value) in enumerate(pairs.items()):
            at = x + j * wide + 4
            page.box(at, y + 126, wide - 8, 30, key, fill="k", tint=0.16, edge="k", size=15)
            page.box(at, y + 162, wide - 8, 30, value, fill="v", tint=0.16, edge="v", size=15)
            if key in asked:
                to = x + (list(asked).index(key) + 0.5) * right.wide / len(asked)
                page.line((at + wide / 2 - 4, y + 124), (to, y + 76), colour="lit edge", width=3.4, under=True)
                page.box(to - 44, y + 42, 88, 32, f"{key}?  {value}", fill="q", tint=0.16, edge="q", size=15)
        page.text(right.x + right.wide / 2, y + 198, "pairs that were shown", at="top", colour="grey", size=13)
    page.caption("two tasks that are nothing but looking up: by place, and by content")
    return (
        f"Two drawings. Reverse: below the sequence {' '.join(tokens)}, above it backwards, a line from each place to "
        f"its mirror image. Recall: pairs of a key and a value; the queries {' and '.join(asked)} find their keys and "
        f"say the values beneath."
    )
