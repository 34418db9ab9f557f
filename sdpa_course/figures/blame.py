"""Blame runs backwards: the gradient of attention on its graph. Notebook 06."""

import numpy as np

from .kit import Block, Page, picture
from .kit.matrices import blame, matrix, number

WIDE, HIGH = 41, 27  # of a cell
LOOKS = {
    "q": ("q", None),
    "products": ("score", None),
    "scores": ("score", 1),
    "weights": ("weight", 2),
    "out": ("out", 2),
}


@picture(height={"book": 272, "phone": 552})
def blame_graph(page: Page, values, gradients, *, known: int = 5, lit=(), factors=(), says: str = "") -> str:
    """One query's way to its output and the blame's way back, from left to right or down a phone.

    Parameters
    ----------
    values, gradients : experiments.tiny.Steps and Blame
    known : int
        How many of the gradients are known, counted from the loss; the others are question marks.
    lit : list of (field, index)
        Gradients to look at, such as ("q", 1).
    factors : words under the first arrows of the way back, from the query on
    says : str
        The caption.
    """
    titles = ("Apple’s q", "dot products", "scores", "weights", "out")
    hidden = tuple(LOOKS)[: len(LOOKS) - known]
    gradients = gradients._replace(**{name: np.full_like(getattr(gradients, name), np.nan) for name in hidden})
    forward, backward = [], []
    for i, ((field, (colour, digits)), title) in enumerate(zip(LOOKS.items(), titles, strict=True)):
        numbers, blamed = (as_column(page, getattr(each, field)) for each in (values, gradients))
        names = {"columns" if page.narrow else "rows": values.tokens if i == 1 else ()}
        (x, y), (x_back, y_back) = corners(page, i, numbers.shape)
        forward.append(matrix(page, x, y, numbers, colour=colour, cell=(WIDE, HIGH), digits=digits, **names))
        above = 24 if page.narrow and i == 1 else 6
        page.text(forward[-1].top[0], y - above, title, at="bottom", colour=colour, weight="bold")
        cells = [(0, at) if page.narrow else (at, 0) for name, at in lit if name == field]
        with page.step(0 if factors else min(len(LOOKS) - i, known + 1)):
            backward.append(blame(page, x_back, y_back, blamed, cell=(WIDE, HIGH), lit=cells))
    for lane, (x, y), colour in zip(
        (forward, backward), corners(page, len(LOOKS), (0, 0)), ("ink", "blame"), strict=True
    ):
        page.text(x, y, "loss", colour=colour)
        lane.append(Block(x - 17, y - 10, 34, 20))
    half = f"÷ √{len(values.q)}"
    operations = (("meet K", "through K"), (half, half), ("softmax", "softmax"), ("mix V", "through V"), ("", ""))
    for i, (there, back) in enumerate(operations):
        join(page, forward[i], forward[i + 1], there, names=i == 0)
        with page.step(0 if factors else min(len(LOOKS) - i, known + 1)):
            join(page, backward[i], backward[i + 1], back, names=i == 0, back=True)
    for i, words in enumerate(factors):
        with page.step(len(factors) - i):
            below(page, backward[i], backward[i + 1], words)
    first, last = ("top", "bottom") if page.narrow else ("left", "right")
    order = f"values fill in from the {first}, blame from the {last}"
    page.caption(says or f"{order}; every blame has the shape of its value")
    told = "; ".join(
        f"{name} {', '.join(f'{v:+.2f}' for v in each) if np.isfinite(each).all() else 'not known yet'}"
        for name, each in zip(titles, gradients, strict=True)
    )
    if factors:
        told += f". On the first arrows of the way back, from the query on: {', '.join(factors).replace('$', '')}"
    return (
        f"The computation graph of attention for the query of Apple, with its numbers, from q through dot products "
        f"{', '.join(f'{v:g}' for v in values.products)}, scores and weights to out. Beside every value is its blame, "
        f"in a dashed box, filled in from the end: {told}."
    )


@picture(height={"book": 180, "phone": 380, "slide": 190})
def edge_and_fork(page: Page, values, gradients) -> str:
    """An edge multiplies, a fork adds: the scale on Apple's score, and the weight of phones that feeds both outputs.

    `values` and `gradients` are `experiments.tiny.Steps` and `Blame`.
    """
    left, right = page.panels(2, high=180, gap=20)
    page.text(left.x, left.y, "an edge multiplies", at="top left", weight="bold", size=16)
    ends = [left.x + x for x in (66, 256)]
    for x, name, field in zip(ends, ("Apple’s dot product", "its score"), ("products", "scores"), strict=True):
        page.text(x, left.y + 54, name, at="bottom", size=13, colour="score")
        page.box(x - 38, left.y + 60, 76, 36, number(getattr(values, field)[1]), fill="score", tint=0.16)
        blame(page, x - 38, left.y + 124, getattr(gradients, field)[1], cell=(76, 32), digits=3, size=15)
    back = {"colour": "blame", "dash": "--", "below": True}
    page.arrow((ends[0] + 44, left.y + 78), (ends[1] - 44, left.y + 78), "÷ 2")
    page.arrow((ends[1] - 44, left.y + 140), (ends[0] + 44, left.y + 140), "÷ 2, again", **back)
    page.text(right.x, right.y, "a fork adds", at="top left", weight="bold", size=16)
    looks = {"fill": "weight", "tint": 0.16, "edge": "weight"}
    weight = page.box(right.x + 8, right.y + 78, 76, 36, f"{values.weights[2]:.2f}", **looks)
    page.text(right.x + 46, right.y + 72, "weight of phones", at="bottom", size=13, colour="weight")
    slopes, total = values.v[2], float(gradients.weights[2])
    with page.step(1):
        blame(page, right.x + 8, right.y + 124, total, cell=(76, 32), digits=0, size=15)
        for i, (slope, value, blamed) in enumerate(zip(slopes, values.out, gradients.out, strict=True)):
            y = right.y + 64 + 76 * i
            page.box(right.x + 230, y - 36, 76, 34, f"{value:.2f}", fill="out", tint=0.16, edge="out")
            end = blame(page, right.x + 230, y + 2, blamed, cell=(76, 32), digits=0, size=15)
            tip = (weight.right[0] + 6, weight.right[1] + 12 * (2 * i - 1))
            page.arrow((end.left[0] - 4, end.left[1]), tip, f"× {slope:g}", **(back | {"below": i == 1}))
        page.text(right.x + 306, right.y + 22, "out", at="bottom right", size=13, colour="out")
    signed = [number(b) if b > 0 else f"({number(b)})" for b in gradients.out]
    terms = " + ".join(f"{s:g} × {b}" for s, b in zip(slopes, signed, strict=True))
    page.caption(f"right: {terms} = {number(total)}, where {' and '.join(f'{s:g}' for s in slopes)} are phones’ value")
    return (
        f"Two rules. An edge that divided by 2 on the way forward divides the blame by 2 on the way back: "
        f"{gradients.scores[1]:+.3f} becomes {gradients.products[1]:+.3f}. A weight that feeds both outputs collects "
        f"blame from both: {terms} makes {number(total)}."
    )


def as_column(page: Page, values):
    """A vector as a column, or as a row on a phone."""
    return values[None] if page.narrow else values[:, None]


def corners(page: Page, i: int, shape: tuple[int, int]) -> tuple[tuple[float, float], tuple[float, float]]:
    """The top left corners of the i-th value and of its blame."""
    if page.narrow:
        y = 40 + 104 * i - (24 if i == len(LOOKS) else 0)
        places = (82, y), (258, y)
    else:
        x = (26, 226, 342, 470, 592, 684)[i]
        places = (x, 86), (x, 212)
    return tuple((x - shape[1] * WIDE / 2, y - shape[0] * HIGH / 2) for x, y in places)


def below(page: Page, one: Block, other: Block, words: str) -> None:
    """A factor under the arrow from one stage back to the one before, or left of it on a phone."""
    if page.narrow:
        y = (one.bottom[1] + other.top[1]) / 2
        place = one.bottom[0] + 14, y - 13
    else:
        place = (one.right[0] + other.left[0]) / 2 - 33, one.right[1] + 10
    page.box(*place, 66, 26, words, fill="lit", edge=None, colour="on lit", weight="bold")


def join(page: Page, one: Block, other: Block, words: str, *, names: bool, back: bool = False) -> None:
    """The arrow from one stage to the next, or the dashed one back. `names` leaves room for the tokens."""
    if page.narrow:
        start, end = (one.bottom[0], one.bottom[1] + 5), (one.bottom[0], other.top[1] - (42 if names else 24))
    else:
        start, end = (one.right[0] + 6, one.right[1]), (other.left[0] - (54 if names and not back else 6), one.right[1])
    looks = {"colour": "blame", "dash": "--", "below": page.narrow} if back else {}
    page.arrow(*((end, start) if back else (start, end)), words, size=13, **looks)
