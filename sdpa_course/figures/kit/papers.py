"""What pictures are drawn for: book, phone and slide."""

import re
from typing import NamedTuple

from ..drawing import within
from ..typeface import typeface

POINT = 0.72  # of a pixel, at 100 pixels an inch
BODY = 14  # pixels: the size of plain text
MARGIN = 10  # pixels around everything


class Paper(NamedTuple):
    """What a picture is drawn for."""

    width: int  # of the body, in the page's pixels
    smallest: int  # text, in pixels of the screen
    words: bool  # headline and caption show
    box: tuple[int, int] | None = None  # pixels of the screen that the body is enlarged to fill


PAPERS = {
    "book": Paper(700, 12, True),
    "phone": Paper(340, 12, True),
    "slide": Paper(700, 22, False, (1160, 500)),
}


def style() -> dict:
    """matplotlib's settings for a page."""
    return typeface() | {"text.hinting": "none", "svg.hashsalt": "sdpa", "svg.fonttype": "path"}


on_paper = within(style)  # draw or render with the settings of a page


def greek_in_math(words: str) -> str:
    """Set Greek letters as mathematics in a text that has some: the typeface has none, mathematics finds others."""
    parts = words.split("$")
    if len(parts) > 1:
        parts[::2] = [re.sub("[α-ωΑ-Ω]", r"$\g<0>$", part) for part in parts[::2]]
    return "$".join(parts)
