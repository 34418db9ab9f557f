"""Proof lines: what's shown, in a formula, with a tag for each assumption that it uses."""

from typing import NamedTuple

from .page import Page


class Line(NamedTuple):
    """One line of a proof."""

    letter: str
    says: str
    formula: str
    uses: tuple[str, ...] = ()  # the assumptions; none is worth saying too


def proof_line(page: Page, x: float, y: float, line: Line) -> None:
    """A line of a proof with its top left corner at (x, y). It's 88 pixels high."""
    page.text(x, y, line.letter, at="top left", weight="bold", size=17, colour="lit text")
    page.text(x + 24, y, line.says, at="top left", weight="bold", size=16)
    page.text(x + 24, y + 39, line.formula, at="left", size=17)
    tags(page, x + 24, y + 59, line.uses or ("nothing new",), plain=not line.uses)


def tags(page: Page, x: float, y: float, names, *, plain: bool = False) -> None:
    """Small boxes in a row: amber for an assumption, grey for a remark."""
    for name in names:
        wide = page.measure(name, 13)[0] + 16
        page.box(
            x, y, wide, 22, name, fill="lit", tint=0 if plain else 0.22, edge="line" if plain else "lit edge",
            width=1.2, size=13, corner=6, colour="grey" if plain else "lit text",
        )  # fmt: skip
        x += wide + 8
