"""The one typeface of the course, Source Sans, which comes with the package: pictures, charts and sliders use it."""

import dataclasses
import functools
from importlib.resources import as_file, files

from matplotlib import font_manager


@functools.cache
def typeface() -> dict:
    """matplotlib's settings for it. What it doesn't have, such as Greek, is taken from DejaVu Sans and STIX."""
    for name in ("regular", "italic", "semibold"):
        with as_file(files(__package__) / "kit" / "fonts" / f"source-sans-pro-{name}.ttf") as path:
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
    }
