"""Pictures as files of the site, and the HTML that shows them."""

import hashlib
import io
from html import escape
from pathlib import Path

from PIL import Image

from sdpa_course.figures.kit.palette import ROOMS

NARROW = "(max-width: 600px)"  # as in site.css
STILL = "(prefers-reduced-motion: reduce)"


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


def picture_html(picture: bytes, alt: str, size: tuple[int, int], pictures: Pictures, root: str) -> str:
    """A compressed picture with its alt text; clicking shows it at full size, which helps on a phone."""
    place = root + pictures.keep(picture, "webp")
    width, height = size
    return (
        f'<a class="picture" href="{place}"><img src="{place}" alt="{escape(alt)}" width="{width}" height="{height}" '
        f'style="--own-width: {width}px" loading="lazy"></a>'
    )


def drawing_html(forms: dict[str, bytes], alt: str, pictures: Pictures, root: str) -> str:
    """A picture of the drawing kit, which follows the page's switch for light and dark.

    `forms` are PNGs by paper and room, such as "book light". On a narrow screen the one for a phone shows, if there is
    one. A loop holds still on its first frame where the system asks for that.
    """
    return "".join(in_a_room(forms, room, alt, pictures, root) for room in ROOMS if f"book {room}" in forms)


def in_a_room(forms: dict[str, bytes], room: str, alt: str, pictures: Pictures, root: str) -> str:
    """The picture for one room, in a place of its own. The browser loads only what it shows."""
    book, phone = forms[f"book {room}"], forms.get(f"phone {room}")
    moves = Image.open(io.BytesIO(book)).n_frames > 1
    sources = [(f"{STILL} and {NARROW}", phone, True), (STILL, book, True)] if moves else []
    sources += [(NARROW, phone, False)]
    chosen = "".join(
        f'<source media="{media}" srcset="{root}{kept(picture, pictures, still=still)}" {size_of(picture)}>'
        for media, picture, still in sources
        if picture
    )
    place, stacks = root + kept(book, pictures), " stacks" * bool(phone)
    return (
        f'<a class="picture drawing only-{room}{stacks}" href="{place}"><picture>{chosen}'
        f'<img src="{place}" alt="{escape(alt)}" {size_of(book)} loading="lazy"></picture></a>'
    )


def kept(picture: bytes, pictures: Pictures, *, still: bool = False) -> str:
    """Where a PNG of the kit is kept: a loop as it is, or its first frame; anything else compressed."""
    if Image.open(io.BytesIO(picture)).n_frames > 1 and not still:
        return pictures.keep(picture, "png")
    return pictures.keep(compact(picture), "webp")


def size_of(picture: bytes) -> str:
    """The size of a PNG of the kit on the page, which is half of its pixels, as attributes."""
    width, height = Image.open(io.BytesIO(picture)).size
    return f'width="{width // 2}" height="{height // 2}"'
