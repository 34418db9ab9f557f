"""What pictures are drawn for, book, phone and slide, and the typeface they're set in."""

import dataclasses
import functools
import re
from importlib.resources import as_file, files
from typing import NamedTuple

from matplotlib import font_manager

from ..drawing import within

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


@functools.cache
def style() -> dict:
    """matplotlib's settings for a page: one typeface, which comes with the package, and no grid-fitting of letters."""
    for name in ("regular", "italic", "semibold"):
        with as_file(files(__package__) / "fonts" / f"source-sans-pro-{name}.ttf") as path:
            font_manager.fontManager.addfont(path)
        if name == "semibold":  # matplotlib's versions read its name differently
            fonts = font_manager.fontManager.ttflist
            fonts[-1] = dataclasses.replace(fonts[-1], name="Source Sans Pro Semibold", weight=400)
    return {
        "font.family": ["Source Sans Pro", "DejaVu Sans"],
        "mathtext.fontset": "custom",
        "mathtext.rm": "Source Sans Pro",
        "mathtext.it": "Source Sans Pro:italic",
        "mathtext.bf": "Source Sans Pro Semibold",
        "mathtext.cal": "Source Sans Pro",  # or matplotlib looks for a cursive font and warns
        "mathtext.fallback": "stixsans",
        "text.hinting": "none",
        "svg.hashsalt": "sdpa",
        "svg.fonttype": "path",
    }


on_paper = within(style)  # draw or render with the settings of a page


def greek_in_math(words: str) -> str:
    """Set Greek letters as mathematics in a text that has some: the typeface has none, mathematics finds others."""
    parts = words.split("$")
    if len(parts) > 1:
        parts[::2] = [re.sub("[α-ωΑ-Ω]", r"$\g<0>$", part) for part in parts[::2]]
    return "$".join(parts)
