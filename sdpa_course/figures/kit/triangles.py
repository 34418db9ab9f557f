"""The triangle of weights: three keys at its corners, and three weights that add up to 1 are a point in it."""

from typing import NamedTuple

import numpy as np

from .blocks import Block
from .page import Page
from .papers import POINT


class Triangle(NamedTuple):
    """A triangle on the page: its corners, one for each key."""

    corners: np.ndarray  # (3, 2), left, right, top

    def at(self, weights) -> np.ndarray:
        """(..., 2) places of (..., 3) weights: the corners, mixed as the weights say."""
        return np.asarray(weights) @ self.corners


def triangle(page: Page, block: Block, names=(), *, size: float = 12) -> Triangle:
    """An equal-sided triangle as large as the box allows; `names` stand at its corners, left, right and top."""
    side = min(block.wide, block.high / (3**0.5 / 2))
    x, base = block.bottom
    found = Triangle(np.array([(x - side / 2, base), (x + side / 2, base), (x, base - side * 3**0.5 / 2)]))
    page.shape(*found.corners, fill="pale", edge="grey")
    sides = (("top left", 5), ("top right", 5), ("bottom", -5))
    for (x, y), name, (at, down) in zip(found.corners, names, sides, strict=bool(names)):
        page.text(x, y + down, name, at=at, colour="grey", size=size)
    return found


def cloud(page: Page, place: Triangle, weights, *, colour: str, size: float = 5) -> None:
    """One dot for each row of three weights; where many lie on each other it's darker."""
    dots = page.sheet.scatter(
        *place.at(weights).T, s=(size * POINT) ** 2, color=page.colour(colour), alpha=0.55, linewidth=0
    )
    dots.set_zorder(4)
