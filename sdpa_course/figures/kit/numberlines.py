"""Number lines, linear or logarithmic: marks with names, and ranges as bands."""

import math
from typing import NamedTuple

from .page import Page


class NumberLine(NamedTuple):
    """A line on the page from one number to another."""

    x: float
    y: float
    wide: float
    low: float
    high: float
    log: bool = False

    def at(self, value: float) -> float:
        """Where a number stands, in pixels from the page's left."""
        low, high, value = (math.log(each) if self.log else each for each in (self.low, self.high, value))
        return self.x + self.wide * (value - low) / (high - low)


def number_line(page: Page, line: NumberLine, ticks, *, names=None, arrow: bool = True) -> NumberLine:
    """Draw the line with its ticks, each under its number or its name. With `arrow`, it goes on to the right."""
    end = (line.x + line.wide + (14 if arrow else 0), line.y)
    (page.arrow if arrow else page.line)((line.x, line.y), end, colour="grey", width=1.6)
    for tick, name in zip(ticks, names or [f"{tick:,g}" for tick in ticks], strict=True):
        page.line((line.at(tick), line.y - 4), (line.at(tick), line.y + 4), colour="grey", width=1.6)
        page.text(line.at(tick), line.y + 8, name, at="top", colour="grey", size=12)
    return line


def mark(page: Page, line: NumberLine, value: float, words: str = "", *, rise: float = 26, colour: str = "ink") -> None:
    """A pin at a number, and its name to the right of the pin's top, like a flag."""
    x = line.at(value)
    page.line((x, line.y), (x, line.y - rise), colour=colour, width=1.8)
    page.dot(x, line.y, colour=colour)
    page.text(x + 6, line.y - rise + 7, words, at="left", colour=colour)


def span(
    page: Page, line: NumberLine, low: float, high: float, words: str = "", *, colour: str, rise: float = 0, thick=14
) -> None:
    """A band over the numbers from low to high, centred `rise` pixels above the line, its name to its right."""
    left = line.at(low)
    wide = max(line.at(high) - left, 5)
    page.box(
        left, line.y - rise - thick / 2, wide, thick, fill=colour, tint=0.6, edge=None, corner=min(wide, thick, 8) / 2
    )  # fmt: skip
    page.text(left + wide + 7, line.y - rise, words, at="left", colour=colour, size=13)
