"""Boxes on a page: where they are, and the points of them that arrows start from and end at."""

from typing import NamedTuple


class Block(NamedTuple):
    """A box on the page, with the points where arrows start and end."""

    x: float
    y: float
    wide: float
    high: float

    @property
    def left(self) -> tuple[float, float]:
        """The middle of the left side."""
        return self.x, self.y + self.high / 2

    @property
    def right(self) -> tuple[float, float]:
        """The middle of the right side."""
        return self.x + self.wide, self.y + self.high / 2

    @property
    def top(self) -> tuple[float, float]:
        """The middle of the upper side."""
        return self.x + self.wide / 2, self.y

    @property
    def bottom(self) -> tuple[float, float]:
        """The middle of the lower side."""
        return self.x + self.wide / 2, self.y + self.high

    @property
    def middle(self) -> tuple[float, float]:
        """The centre."""
        return self.x + self.wide / 2, self.y + self.high / 2
