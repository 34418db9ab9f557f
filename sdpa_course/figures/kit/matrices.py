"""Matrices drawn to scale: one cell for each number, rows and columns named, single cells lit."""

import numpy as np

from .blocks import Block
from .page import Page


def matrix(
    page: Page, x: float, y: float, values, *, colour: str = "score", name: str = "", cell=38.0,
    digits: int | None = None, rows=(), columns=(), lit=(), shade: bool = False, numbers: bool = True,
    below: str = "", size: float = 13, faint: bool = False,
) -> Block:  # fmt: skip
    """Draw a table of numbers with its top left corner at (x, y), and return its box.

    Parameters
    ----------
    values : (n, m) array
        A NaN leaves its cell empty.
    colour : str
        What it is: "q", "k", "v", "score", "weight", "out", "blame". Fills the cells as a tint.
    cell : float or (wide, high)
        Size of a cell in pixels.
    digits : int, optional
        Digits after the point. By default as many as the number needs.
    rows, columns : names beside and above it
    lit : list of (i, j), optional
        Cells to look at: in amber, their numbers bold.
    shade : bool
        Darker cells for larger sizes, relative to the largest.
    numbers : bool
        Write the numbers into the cells.
    below : str
        A few grey words under it, such as its shape.
    faint : bool
        In the background, because something else is to be looked at.
    """
    values = np.atleast_2d(np.asarray(values, dtype=float))
    wide, high = (cell, cell) if np.isscalar(cell) else cell
    n, m = values.shape
    largest = np.max(np.abs(values), where=np.isfinite(values), initial=0.0) or 1.0
    colour, ink = ("line", "grey") if faint else (colour, None)
    for (i, j), value in np.ndenumerate(values):
        bright = (i, j) in lit
        tint = 0.12 + 0.5 * abs(value) / largest if shade and np.isfinite(value) else 0.16
        words = number(value, digits) if numbers else ""
        page.box(
            x + j * wide, y + i * high, wide, high, words, fill="lit" if bright else colour, tint=1 if bright else tint,
            edge="paper", width=min(2, 0.08 * min(wide, high)), corner=0, size=size,
            weight="bold" if bright else "normal", colour="on lit" if bright else ink,
        )  # fmt: skip
    block = Block(x, y, m * wide, n * high)
    page.box(*block, edge=colour, width=2, corner=0, hollow=True)
    for i, text in enumerate(rows):
        page.text(x - 8, y + (i + 0.5) * high, text, at="right", colour="grey", size=size)
    for j, text in enumerate(columns):
        page.text(x + (j + 0.5) * wide, y - 6, text, at="bottom", colour="grey", size=size)
    if name:
        page.text(
            x + m * wide / 2, y - (26 if len(columns) else 8), name, at="bottom", colour=colour, weight="bold", size=16
        )
    if below:
        page.text(x + m * wide / 2, y + n * high + 7, below, at="top", colour="grey", size=12)
    return block


def number(value: float, digits: int | None = None) -> str:
    """A number for a cell or a label, with a real minus sign.

    Examples
    --------
    >>> number(-0.5), number(2.0), number(0.514, 2), number(float("nan"))
    ('−0.5', '2', '0.51', '')
    """
    if not np.isfinite(value):
        return ""
    text = f"{value:g}" if digits is None else f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def percent(share: float) -> str:
    """A share in whole per cent.

    Examples
    --------
    >>> percent(0.257)
    '26 %'
    """
    return f"{100 * share:.0f} %"


def blame(page: Page, x: float, y: float, values, *, cell, digits: int = 2, size: float = 13, lit=()) -> Block:
    """The gradient of a matrix, in its shape: a dashed outline, and numbers that show their sign.

    A NaN is a gradient that isn't known yet: a question mark. `lit` lists cells (i, j) to look at.
    """
    values = np.atleast_2d(np.asarray(values, dtype=float))
    wide, high = cell
    for (i, j), value in np.ndenumerate(values):
        corner, bright = (x + j * wide, y + i * high), (i, j) in lit
        if bright:
            page.box(*corner, wide, high, fill="lit", edge=None, corner=0)
        words = f"{'+' if round(value, digits) > 0 else ''}{number(value, digits)}" if np.isfinite(value) else "?"
        looks = {"colour": "on lit" if bright else "blame", "weight": "bold" if bright else "normal"}
        page.text(corner[0] + wide / 2, corner[1] + high / 2, words, size=size, **looks)
    n, m = values.shape
    return page.box(x, y, m * wide, n * high, edge="blame", dash="--", width=1.6, corner=3, hollow=True)


def frame(
    page: Page, block: Block, shape: tuple[int, int], *, rows=None, columns=None, colour: str = "lit edge"
) -> Block:
    """A frame around some rows and columns, `(first, last)` each, of a matrix of this shape."""
    (top, bottom), (left, right) = rows or (0, shape[0] - 1), columns or (0, shape[1] - 1)
    wide, high = block.wide / shape[1], block.high / shape[0]
    part = Block(block.x + left * wide, block.y + top * high, (right - left + 1) * wide, (bottom - top + 1) * high)
    page.box(*part, edge=colour, width=3.2, corner=2, hollow=True)
    return part
