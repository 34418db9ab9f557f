"""Sliders on a page without a kernel: their views as files, and the HTML that lectures/deck/frames.js moves."""

import hashlib
import io
import json
from concurrent.futures import Executor
from html import escape
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from lectures.frames import Frames, control_html, frames
from sdpa_course.explore import all_explorers


class Slider(NamedTuple):
    """An explorer as a page shows it."""

    frames: Frames
    resting: list[str]  # controls that move only with a kernel


class Pictures:
    """A folder of the site whose files are named by a hash of their content, so that no cache serves an old one."""

    def __init__(self, site: Path, folder: str = "_static/views"):
        self.site, self.folder = site, folder
        (site / folder).mkdir(parents=True, exist_ok=True)

    def keep(self, content: bytes, kind: str) -> str:
        """Store the content once and return its address from the root of the site."""
        place = f"{self.folder}/{hashlib.sha256(content).hexdigest()[:16]}.{kind}"
        (self.site / place).write_bytes(content)
        return place


def compact(picture: bytes) -> bytes:
    """The same pixels in less than half the bytes: PNG to WebP, without loss."""
    image = Image.open(io.BytesIO(picture))
    opaque = image.mode == "RGBA" and image.getchannel("A").getextrema() == (255, 255)
    buffer = io.BytesIO()
    (image.convert("RGB") if opaque else image).save(buffer, format="WEBP", lossless=True)
    return buffer.getvalue()


def draw(name: str) -> Slider:
    """All views of an explorer, with compressed pictures."""
    explorer = all_explorers()[name]()
    drawn = frames(explorer)
    drawn = drawn._replace(views=[view._replace(picture=compact(view.picture)) for view in drawn.views])
    moving = {track.name for track in drawn.tracks}
    return Slider(drawn, [c.description for name, c in explorer.controls.items() if name not in moving])


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
    controls = "".join(control_html(t) for t in drawn.tracks)
    numbers = "".join(f"<span>{escape(name)}: <b>{escape(value)}</b></span>" for name, value in start.numbers.items())
    where = f'when you <a href="{run}">run this page in your browser</a>' if run else "in a running notebook"
    more = f'<p class="more">You can also move these {where}: {escape(", ".join(slider.resting))}.</p>'
    return (
        f'<figure class="frames" data-views="{root}{place}">{controls}{more if slider.resting else ""}'
        f"{picture_html(start.picture, start.alt, start.size, pictures, root)}"
        f'<div class="numbers" aria-live="polite">{numbers}</div>'
        f"<details><summary>The picture in words</summary><p>{escape(start.alt)}</p></details></figure>"
    )


def picture_html(picture: bytes, alt: str, size: tuple[int, int], pictures: Pictures, root: str) -> str:
    """A compressed picture with its alt text; clicking shows it at full size, which helps on a phone."""
    place = root + pictures.keep(picture, "webp")
    width, height = size
    return (
        f'<a class="picture" href="{place}"><img src="{place}" alt="{escape(alt)}" width="{width}" height="{height}" '
        f'style="--own-width: {width}px" loading="lazy"></a>'
    )
