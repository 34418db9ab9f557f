"""Make axes in the course's style, turn figures into pictures, and show them with alt text and caption."""

import functools
import io
from base64 import b64encode
from html import escape
from importlib.resources import as_file, files
from typing import NamedTuple

import matplotlib
import numpy as np
from IPython.display import Markdown, display
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


@functools.cache
def course_style() -> dict:
    """The settings of course.mplstyle."""
    with as_file(files(__package__) / "course.mplstyle") as path:
        return matplotlib.rc_params_from_file(path, use_default_template=False)


def styled(function):
    """Let a figure function draw in the course's style, whatever matplotlib is set to outside."""

    @functools.wraps(function)
    def draw(*args, **keywords):
        with matplotlib.rc_context(course_style()):
            return function(*args, **keywords)

    return draw


@styled
def new(rows: int = 1, columns: int = 1, *, size=None, **keywords):
    """`(figure, axes)` in the course's style; `size` is (wide, high) in inches, the rest goes to `subplots`."""
    figure = Figure(figsize=size)
    FigureCanvasAgg(figure)  # one for the figure's life: it remembers how wide each text is
    return figure, figure.subplots(rows, columns, **keywords)


@styled
def png(figure: Figure) -> bytes:
    """The figure as a picture."""
    buffer = io.BytesIO()
    figure.canvas.print_png(buffer, pil_kwargs={"compress_level": 1})  # lines and text: as small as with 6
    return buffer.getvalue()


class View(NamedTuple):
    """What a reader gets of one setting: a picture, the same in words, and the numbers that matter."""

    picture: bytes  # PNG
    size: tuple[int, int]  # of the picture in pixels: wide, high
    alt: str
    numbers: dict[str, str]  # name -> value, as they are read


class Canvas:
    """Axes that are drawn on again and again: a slider moves faster when the figure is kept.

    `Canvas(1, 2, size=(9, 4))` takes what `new` takes. The layout is worked out at the first drawing and kept:
    labels that grow later may be cut, so give axes fixed limits and titles of one height.
    """

    def __init__(self, *args, **keywords):
        self.figure, self.axes = new(*args, **keywords)

    @styled
    def view(self, figure_function, *results, numbers: dict[str, str]) -> View:
        """Wipe the axes, let the figure function draw its results on them, and take the picture."""
        for ax in np.ravel(self.axes):
            wipe(ax)
        alt = figure_function(self.axes, *results)
        picture = png(self.figure)
        self.figure.set_layout_engine("none")
        return View(picture, pixels(self.figure), alt, numbers)


def wipe(ax) -> None:
    """Take everything off the axes but the axes themselves: `ax.clear()` would make its ticks anew, slowly."""
    for artist in [*ax.lines, *ax.patches, *ax.collections, *ax.images, *ax.texts]:
        artist.remove()
    ax.containers.clear()
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    ax.set_prop_cycle(matplotlib.rcParams["axes.prop_cycle"])
    ax.relim()


def pixels(figure: Figure) -> tuple[int, int]:
    """Width and height of the figure's picture."""
    width, height = (round(inches * figure.dpi) for inches in figure.get_size_inches())
    return width, height


def show(figure: Figure, *, alt: str, caption: str) -> None:
    """Put the figure into the notebook: its picture, what it shows in words, and what to notice."""
    show_view(View(png(figure), pixels(figure), alt, {}), caption=caption)


def show_view(view: View, *, caption: str) -> None:
    """`show` for a view: how a slider's figure stands on a page without a kernel.

    The words are stored with the picture and stand under it as well, to unfold: JupyterLab shows no alt text.
    """
    for name, text in (("alt", view.alt), ("caption", caption)):
        if not text.strip():
            raise ValueError(f"{name}: got nothing, expected a sentence")
    width, height = view.size
    metadata = {"image/png": {"alt": view.alt, "width": width, "height": height}}
    picture = b64encode(view.picture).decode("ascii")  # as notebooks store it: a browser's kernel does not encode bytes
    display({"image/png": picture, "text/plain": view.alt}, raw=True, metadata=metadata)
    numbers = " · ".join(f"{name}: **{value}**" for name, value in view.numbers.items())
    display(Markdown("\n\n".join(part for part in (f"*{caption}*", numbers, words_html(view.alt)) if part)))


def words_html(alt: str) -> str:
    """The picture in words, to unfold."""
    return f"<details><summary>The picture in words</summary>{escape(alt)}</details>"
