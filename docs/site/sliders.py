"""Sliders on a page without a kernel: their views as files, and the HTML that lectures/deck/frames.js moves."""

import json
from concurrent.futures import Executor
from html import escape
from pathlib import Path
from typing import NamedTuple

from lectures.frames import Frames, controls_html, frames
from sdpa_course.explore import all_explorers

from .pictures import Pictures, compact, picture_html


class Slider(NamedTuple):
    """An explorer as a page shows it."""

    frames: Frames
    more: bool  # whether something else moves with a kernel


def draw(name: str) -> Slider:
    """All views of an explorer, with compressed pictures."""
    explorer = all_explorers()[name]()
    drawn = frames(explorer)
    drawn = drawn._replace(views=[view._replace(picture=compact(view.picture)) for view in drawn.views])
    return Slider(drawn, len(explorer.controls) > len(drawn.tracks))


def draw_all(names: list[str], pool: Executor) -> dict[str, Slider]:
    """The sliders of the course by name."""
    return dict(zip(names, pool.map(draw, names), strict=True))


def slider_html(slider: Slider, pictures: Pictures, root: str, run: str | None) -> str:
    """A slider in its starting position. `root` leads from the page to the root of the site, `run` to where it runs.

    The other views are in a separate file, which is loaded when the slider scrolls into view.
    """
    drawn = slider.frames
    start = drawn.start()
    views = [
        {
            "picture": Path(pictures.keep(view.picture, "webp")).name,
            "alt": view.alt,
            "numbers": list(view.numbers.items()),
        }
        for view in drawn.views
    ]
    stored = json.dumps({"readings": [t.readings for t in drawn.tracks], "views": views}, ensure_ascii=False)
    place = pictures.keep(stored.encode(), "json")
    numbers = "".join(f"<span>{escape(name)}: <b>{escape(value)}</b></span>" for name, value in start.numbers.items())
    more = f'<p class="more"><a href="{run}">More to move, live</a></p>' if run and slider.more else ""
    return (
        f'<figure class="frames" data-views="{root}{place}">{controls_html(drawn.tracks)}{more}'
        f"{picture_html(start.picture, start.alt, start.size, pictures, root)}"
        f'<div class="numbers" aria-live="polite">{numbers}</div>'
        f"<details><summary>The picture in words</summary><p>{escape(start.alt)}</p></details></figure>"
    )
