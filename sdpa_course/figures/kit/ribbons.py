"""Ribbons: the columns of a matrix, cut into parts, on their way down the page."""

import numpy as np

from .blocks import Block
from .page import Page


def ribbon(page: Page, start: Block, end: Block, *, colour: str, tint: float = 0.3) -> None:
    """A band from the lower side of one box to the upper side of another, without a corner on the way."""
    t = np.linspace(0, 1, 25)
    ease = t**2 * (3 - 2 * t)
    y = start.y + start.high + t * (end.y - start.y - start.high)
    left = start.x + ease * (end.x - start.x)
    right = left + start.wide + ease * (end.wide - start.wide)
    edges = [*zip(left, y, strict=True), *zip(right[::-1], y[::-1], strict=True)]
    page.shape(*edges, fill=colour, tint=tint).set(alpha=0.8, zorder=1)


def cut(block: Block, parts: int, gap: float = 0) -> list[Block]:
    """A box in equal parts side by side, `gap` pixels apart; the gaps widen it."""
    wide = block.wide / parts
    return [Block(block.x + i * (wide + gap), block.y, wide, block.high) for i in range(parts)]
