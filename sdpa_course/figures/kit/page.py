"""A page to draw on, measured in pixels: 700 across, in a column of 720; x to the right, y down.

The same picture is drawn for several papers (`PAPERS`) and for a light or a dark room. A page knows three texts apart:
its *headline*, its *caption* and its *key*. In the book all of them show. On a slide the title says what the headline
and the caption would, so only the key to the marks stays, and all type grows to what a lecture room can read.

Parts inside `with page.step(n):` appear with the n-th click on a slide. In the book they're simply there.
"""

import re
from contextlib import contextmanager

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Polygon
from matplotlib.text import Text

from .blocks import Block
from .palette import colour, contrast, text_colour
from .papers import BODY, MARGIN, PAPERS, POINT, greek_in_math, on_paper


class Page:
    """A blank page of one height for one paper and room.

    `width` and `height` are those of the body, which is where pictures draw; headline, key and caption get their own
    room above and below it. All drawing methods take colours by their names in `palette.COLOURS`.
    """

    @on_paper
    def __init__(self, height: float, *, paper: str = "book", room: str = "light", width: float | None = None):
        self.paper, self.room = PAPERS[paper], room
        self.width, self.height = width or self.paper.width, height
        self.head = self.foot = 0.0  # room above and below the body
        wide, high = self.paper.box or (self.width, height)
        self.scale = min(wide / self.width, high / height)  # from the page's pixels to the screen's
        self.narrow = self.width < 600
        self.figure = Figure(dpi=100, facecolor=self.colour("paper"))
        FigureCanvasAgg(self.figure)
        self.sheet = self.figure.add_axes((0, 0, 1, 1), zorder=0)
        self.sheet.axis("off")
        self.charts: list = []  # (axes, box): placed when the page has its final size
        self.tight: list[str] = []  # words that don't fit their box or their arrow
        self.fit()

    def fit(self) -> None:
        """Give the figure the size of body, headline and caption, and put everything in its place."""
        wide, high = self.width + 2 * MARGIN, self.head + self.height + self.foot + 2 * MARGIN
        self.figure.set_size_inches(wide / 100, high / 100)
        self.sheet.set(
            xlim=(-MARGIN, self.width + MARGIN), ylim=(self.height + self.foot + MARGIN, -self.head - MARGIN)
        )
        for ax, box in self.charts:
            bottom = high - MARGIN - self.head - box.y - box.high
            ax.set_position(((box.x + MARGIN) / wide, bottom / high, box.wide / wide, box.high / high))

    def colour(self, name: str, tint: float = 1.0) -> str:
        """A colour in this page's room."""
        return colour(name, self.room, tint=tint)

    def size(self, pixels: float) -> float:
        """A type size that this paper's readers can read."""
        return max(pixels, self.paper.smallest / self.scale)

    # ------------------------------------------------------------ the three texts around the body

    def headline(self, words: str) -> None:
        """What the chart shows, as a sentence. A slide says it in its title."""
        if self.paper.words:
            lines = self.wrap(words, 18, "bold")
            self.head = 26 * len(lines) + 10
            self.fit()
            self.text(0, -self.head + 4, "\n".join(lines), size=18, weight="bold", at="top left")

    def caption(self, words: str) -> None:
        """What to see, in one grey line. A slide says it in its title."""
        if self.paper.words:
            self.below(words)

    def key(self, words: str) -> None:
        """How to read the marks. Stays on a slide."""
        self.below(words)

    def below(self, words: str) -> None:
        lines = self.wrap(words, 14)
        top = self.height + self.foot + 8
        self.foot += 20 * len(lines) + 10
        self.fit()
        self.text(self.width / 2, top, "\n".join(lines), colour="grey", at="top")

    def wrap(self, words: str, size: float, weight: str = "normal") -> list[str]:
        """Lines that fit the page's width and are about equally long; formulas stay whole."""
        lines = self.fill(words, size, weight, self.width - 4)
        wide = self.measure(words, size, weight)[0] / len(lines)
        while len(balanced := self.fill(words, size, weight, wide)) > len(lines):
            wide *= 1.05
        return balanced

    def fill(self, words: str, size: float, weight: str, wide: float) -> list[str]:
        """Lines of at most this width, each as long as it can be."""
        lines = [""]
        for word in re.findall(r"(?:\$[^$]*\$|[^\s$])+", words):
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and self.measure(longer, size, weight)[0] > wide:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    # ------------------------------------------------------------ marks

    def text(
        self, x: float, y: float, words: str, *, size: float = BODY, colour: str = "ink", weight: str = "normal",
        at: str = "centre", fill: str | None = None, style: str = "normal", rotation: float = 0, ax=None,
    ) -> Text:  # fmt: skip
        """Words whose point `at` ("centre", "left", "top right" …) is at (x, y). `fill` puts paper behind them."""
        sides = at.split()
        ha = next((side for side in sides if side in ("left", "right")), "center")
        va = next((side for side in sides if side in ("top", "bottom", "baseline")), "center")
        family = ["Source Sans Pro Semibold", "DejaVu Sans"] if weight == "bold" else None
        box = {"facecolor": self.colour(fill), "edgecolor": "none", "pad": 1.5} if fill else None
        return (ax or self.sheet).text(
            x, y, greek_in_math(words), fontsize=self.size(size) * POINT, color=text_colour(colour, self.room),
            ha=ha, va=va, family=family, style=style, rotation=rotation, bbox=box, zorder=6, clip_on=False,
            **({"linespacing": 1.4} if "\n" in words else {}),
        )  # fmt: skip

    def measure(self, words: str, size: float = BODY, weight: str = "normal") -> tuple[float, float]:
        """How wide and high some words are, in pixels."""
        trial = self.text(0, 0, words, size=size, weight=weight)
        extent = trial.get_window_extent(self.figure.canvas.get_renderer())
        trial.remove()
        return extent.width, extent.height

    def must_fit(self, words: str, size: float, weight: str, room: float) -> None:
        """Note a defect if some words are wider than their room."""
        if self.measure(words, size, weight)[0] > room:
            self.tight.append(words)

    def line(self, *points, colour: str = "ink", width: float = 2, dash: str = "-", tint: float = 1.0, under=False):
        """A line through points."""
        looks = {"solid_capstyle": "round", "zorder": 1 if under else 3}
        (drawn,) = self.sheet.plot(
            *zip(*points, strict=True),
            color=self.colour(colour, tint),
            linewidth=width * POINT,
            linestyle=dash,
            **looks,
        )
        return drawn

    def dot(self, x: float, y: float, *, colour: str = "ink", size: float = 9) -> None:
        """A round mark."""
        self.sheet.plot(x, y, "o", color=self.colour(colour), markersize=size * POINT, zorder=5)

    def shape(self, *corners, fill: str, tint: float = 1.0, edge: str | None = None, width: float = 1.5):
        """A filled polygon."""
        outline = self.colour(edge) if edge else "none"
        return self.sheet.add_patch(
            Polygon(corners, facecolor=self.colour(fill, tint), edgecolor=outline, linewidth=width * POINT, zorder=2)
        )

    def box(
        self, x: float, y: float, wide: float, high: float, words: str = "", *, fill: str = "paper", tint: float = 1.0,
        edge: str | None = "score", width: float = 1.8, dash: str = "-", corner: float = 5, size: float = BODY,
        weight: str = "normal", colour: str | None = None, hollow: bool = False,
    ) -> Block:  # fmt: skip
        """A rounded box with words in it, or only its outline. `x, y` is its top left corner."""
        inside = "none" if hollow else self.colour(fill, tint)
        outline = self.colour(edge) if edge else "none"
        self.sheet.add_patch(
            FancyBboxPatch(
                (x, y), wide, high, boxstyle=f"round,pad=0,rounding_size={corner}", facecolor=inside,
                edgecolor=outline, linewidth=width * POINT, linestyle=dash, zorder=4 if hollow else 2,
            )
        )  # fmt: skip
        if words:
            ink = colour or self.ink_on(self.colour("paper") if hollow else inside)
            self.text(x + wide / 2, y + high / 2, words, size=size, weight=weight, colour=ink)
            self.must_fit(words, size, weight, wide)
        return Block(x, y, wide, high)

    def ink_on(self, background: str) -> str:
        """The name of the ink that's easier to read on a colour: "ink", or "paper" on a dark fill."""
        return max(("ink", "paper"), key=lambda name: contrast(self.colour(name), background))

    def arrow(
        self, start, end, words: str = "", *, colour: str = "grey", dash: str = "-", width: float = 2, bend: float = 0,
        size: float = BODY, below: bool = False,
    ) -> None:  # fmt: skip
        """An arrow between two points, words above or `below` it, right or left. Going right, `bend` > 0 bows up."""
        shared = {"color": self.colour(colour), "mutation_scale": 13, "zorder": 3, "shrinkA": 0}
        shared["connectionstyle"] = f"arc3,rad={-bend}"
        stem = FancyArrowPatch(
            start, end, arrowstyle="-", linewidth=width * POINT, linestyle=dash, shrinkB=5, capstyle="butt", **shared
        )
        head = FancyArrowPatch(
            start, end, arrowstyle="-|>,head_width=0.33,head_length=0.68", linewidth=0, shrinkB=0, **shared
        )
        self.sheet.add_patch(stem)
        self.sheet.add_patch(head)
        if words:
            across, down = end[0] - start[0], end[1] - start[1]
            x, y = (start[0] + end[0] + bend * down) / 2, (start[1] + end[1] - bend * across) / 2  # on the arc
            side = 1 if below else -1
            if start[0] == end[0]:
                self.text(x - side * 10, y, words, size=size, at="right" if below else "left", colour=colour)
                return
            if start[1] == end[1]:
                self.must_fit(words, size, "normal", abs(end[0] - start[0]))
            self.text(x, y + side * 7, words, size=size, at="top" if below else "bottom", colour=colour)

    def axes(self, x: float, y: float, wide: float, high: float, *, bare: bool = False, **keywords):
        """Axes for a chart, in this box. `bare` leaves out ticks and frame."""
        ax = self.figure.add_axes((0, 0, 1, 1), zorder=1, **keywords)
        ax.patch.set_visible(False)
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set(color=self.colour("grey"), linewidth=1 * POINT)
        ax.tick_params(
            color=self.colour("grey"), labelcolor=self.colour("grey"), labelsize=self.size(12) * POINT, width=POINT
        )
        for axis in (ax.xaxis, ax.yaxis):
            axis.label.set(color=self.colour("ink"), fontsize=self.size(13) * POINT)
        if bare:
            ax.axis("off")
        self.charts.append((ax, Block(x, y, wide, high)))
        self.fit()
        return ax

    def panels(self, count: int, *, high: float, gap: float = 24, top: float = 0) -> list[Block]:
        """Equal boxes side by side, or one below the other on a phone. Heights are those of one panel."""
        if self.narrow:
            return [Block(0, top + i * (high + gap), self.width, high) for i in range(count)]
        wide = (self.width - gap * (count - 1)) / count
        return [Block(i * (wide + gap), top, wide, high) for i in range(count)]

    @contextmanager
    def step(self, number: int):
        """What's drawn in here appears with this click on a slide; with 0, it's there from the start."""
        before = {id(part) for part in self.parts()}
        yield
        for part in self.parts():
            if number and id(part) not in before:
                part.set_gid(f"step-{number}")

    def parts(self) -> list:
        """Everything drawn so far: the marks on every set of axes, and the axes themselves."""
        charts = [ax for ax, _ in self.charts]
        return [*charts, *(part for ax in (self.sheet, *charts) for part in ax.get_children())]
