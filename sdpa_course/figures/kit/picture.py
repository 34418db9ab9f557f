"""`@picture`: a function that draws on a page becomes a picture that a notebook shows with one call.

@picture(height=200)
def two_boxes(page, left, right) -> str:
    page.box(40, 60, 120, 50, left)
    page.box(300, 60, 120, 50, right)
    page.caption("Two boxes.")
    return f"Two boxes, {left} and {right}."  # the alt text

two_boxes("Q", "K")                                      # in a notebook: shows it
two_boxes.draw("Q", "K", paper="slide", room="dark")     # elsewhere: gives (page, alt text)
"""

import functools
import os
from base64 import b64encode
from collections.abc import Callable
from typing import NamedTuple

from IPython.display import Markdown, display

from ..drawing import words_html
from .defects import defects
from .page import Page
from .palette import ROOMS
from .papers import PAPERS, on_paper
from .rendering import loop_png, loop_svg, png, svg

# What a picture is drawn for besides the notebook, if $SDPA_PAPER names it ("slide", "page" or both):
SLIDE = "application/vnd.sdpa.slide+json"  # for the wall: SVG for either room, and the scale it's drawn for
PAGE = "application/vnd.sdpa.page+json"  # for a web page: PNGs by paper and room, such as "phone dark"
ALL: dict[str, "Picture"] = {}  # every picture of the course, for the gallery and the tests


class Drawn(NamedTuple):
    """A picture on its way into a notebook."""

    picture: bytes  # PNG
    alt: str
    size: tuple[int, int]  # in the notebook: width, height
    others: dict  # what else it was drawn for: media type -> data


class Picture:
    """A function `draw(page, …) -> alt text` with the height of its page: a number, or one for each paper."""

    def __init__(self, function: Callable, height: float | dict[str, float]):
        self.function, self.height = function, height
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        ALL[self.__name__] = self

    @property
    def papers(self) -> list[str]:
        """What it's drawn for: book and slide, and a phone if it has a height for one."""
        own = isinstance(self.height, dict) and "phone" in self.height
        return ["book", "slide", *(["phone"] if own else [])]

    @on_paper
    def draw(self, *args, paper: str = "book", room: str = "light", **keywords) -> tuple[Page, str]:
        """Draw it for one paper and room: `(page, alt text)`. A picture with a defect is refused."""
        if paper not in PAPERS:
            raise ValueError(f"paper: got {paper!r}, expected one of {', '.join(PAPERS)}")
        if room not in ROOMS:
            raise ValueError(f"room: got {room!r}, expected one of {', '.join(ROOMS)}")
        height = self.height.get(paper, self.height["book"]) if isinstance(self.height, dict) else self.height
        page = Page(height, paper=paper, room=room)
        alt = self.function(page, *args, **keywords)
        if not isinstance(alt, str) or not alt.strip() or "$" in alt:
            raise ValueError(
                f"{self.__name__} returned {alt!r}, expected its alt text: a sentence to read out, without $"
            )
        found = defects(page)
        if found:
            raise ValueError(f"{self.__name__} can't be drawn on {paper} paper: {'; '.join(found)}")
        return page, alt

    def __call__(self, *args, **keywords) -> None:
        """Show it in the notebook."""
        show_drawn(self.drawn(*args, **keywords))

    def drawn(self, *args, **keywords) -> Drawn:
        """Draw it for the book, or for the wall while slides are shown; and for web pages while the site is built."""
        others = self.for_a_page(lambda paper, room: png(self.draw(*args, paper=paper, room=room, **keywords)[0]))
        if not wanted("slide"):
            page, alt = self.draw(*args, **keywords)
            return Drawn(png(page), alt, size_of(page), others)
        rooms = {room: self.draw(*args, paper="slide", room=room, **keywords) for room in ROOMS}
        page, alt = rooms["light"]
        slide = {room: svg(page) for room, (page, _) in rooms.items()} | {"scale": page.scale}
        return Drawn(png(page), alt, size_of(page), others | {SLIDE: slide})

    def loop(self, frames: list[tuple], milliseconds: list[int], alt: str) -> None:
        """Show it in the notebook as a loop: one frame for each tuple of arguments. It plays three times."""

        @functools.cache
        def moving(paper: str, room: str) -> bytes:
            return loop_png([self.draw(*frame, paper=paper, room=room)[0] for frame in frames], milliseconds)

        size, others = size_of(self.draw(*frames[0])[0]), self.for_a_page(moving)
        if wanted("slide"):
            last = {room: self.draw(*frames[-1], paper="slide", room=room)[0] for room in ROOMS}
            rooms = {room: loop_svg(moving("slide", room), png(page), size_of(page)) for room, page in last.items()}
            others[SLIDE] = {**rooms, "scale": last["light"].scale}
        show_drawn(Drawn(moving("book", "light"), alt, size, others))

    def for_a_page(self, render: Callable[[str, str], bytes]) -> dict:
        """What `render(paper, room)` gives for book and phone and both rooms, if it's wanted."""
        papers = [paper for paper in self.papers if paper != "slide"] if wanted("page") else []
        forms = {f"{paper} {room}": encoded(render(paper, room)) for paper in papers for room in ROOMS}
        return {PAGE: forms} if forms else {}


def picture(height: float | dict[str, float]) -> Callable[[Callable], Picture]:
    """Turn a function that draws on a page into a `Picture` of this height."""
    if callable(height):
        raise TypeError("height: got a function, expected a number; write @picture(height=200)")
    return lambda function: Picture(function, height)


def wanted(paper: str) -> bool:
    """Whether $SDPA_PAPER asks for it."""
    return paper in os.environ.get("SDPA_PAPER", "").split()


def encoded(picture: bytes) -> str:
    """A picture as notebooks store it."""
    return b64encode(picture).decode("ascii")


def size_of(page: Page) -> tuple[int, int]:
    """How large a page is in the notebook, in pixels."""
    wide, high = (round(100 * inches) for inches in page.figure.get_size_inches())
    return wide, high


def show_drawn(drawn: Drawn) -> None:
    """Put a picture into the notebook, at its size on the page, and the picture in words below it."""
    wide, high = drawn.size
    data = {"image/png": encoded(drawn.picture), "text/plain": drawn.alt} | drawn.others
    display(data, raw=True, metadata={"image/png": {"alt": drawn.alt, "width": wide, "height": high}})
    display(Markdown(words_html(drawn.alt)))
