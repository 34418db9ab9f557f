"""Squares to scale: one for each number, its area the number's share. Those too small to count are crosses."""

import numpy as np

from .blocks import Block
from .page import Page
from .papers import POINT


def squares(
    page: Page, block: Block, shares, *, colour: str, dead, filled: float = 0.36, ordered: bool = False
) -> None:
    """Fill a square box with squares: row by row, each on its own place, or packed from the largest to the smallest.

    Parameters
    ----------
    shares : (n,) array, not negative
        Areas. Together they make up the part `filled` of the box, so boxes compare how evenly they're spread.
    dead : (n,) array of bool
        The ones that are crosses.
    ordered : bool
        Pack them. Otherwise large squares reach over others.
    """
    shares = np.asarray(shares, dtype=float)
    sides = block.wide * np.sqrt(filled * shares / shares.sum())
    page.box(*block, fill="pale", edge=None, corner=4)
    order = np.argsort(-shares)
    corners = packed(block, np.where(dead, 5, sides), order) if ordered else on_grid(block, sides)
    for i in order:
        (x, y), side = corners[i], sides[i]
        if not dead[i]:
            edge = "paper" if side > 4 else None
            page.shape(
                (x, y), (x + side, y), (x + side, y + side), (x, y + side), fill=colour, tint=0.85, edge=edge, width=0.8
            )
    middles = corners[dead] + (2.5 if ordered else sides[dead, None] / 2)
    page.sheet.plot(
        *middles.T, "x", color=page.colour("grey"), markersize=4.5 * POINT, markeredgewidth=0.9 * POINT, zorder=3
    )


def on_grid(block: Block, sides: np.ndarray) -> np.ndarray:
    """(n, 2) top left corners: centred on a grid, but inside the box."""
    columns = int(np.ceil(np.sqrt(len(sides))))
    at = np.arange(len(sides))
    middles = block.wide / columns * (np.stack([at % columns, at // columns], axis=1) + 0.5)
    return np.clip(middles - sides[:, None] / 2, 0, block.wide - sides[:, None]) + (block.x, block.y)


def packed(block: Block, sides: np.ndarray, order: np.ndarray, gap: float = 2.5) -> np.ndarray:
    """(n, 2) top left corners: in this order, on shelves from left to right."""
    corners = np.empty((len(sides), 2))
    x, y, shelf = gap, gap, 0.0
    for i in order:
        if x + sides[i] > block.wide:
            x, y, shelf = gap, y + shelf + gap, 0.0
        corners[i] = block.x + x, block.y + y
        x, shelf = x + sides[i] + gap, max(shelf, sides[i])
    return corners
