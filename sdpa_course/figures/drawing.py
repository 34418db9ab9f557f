"""Make axes in the course's style, turn figures into pictures, and show them with alt text and caption."""

import functools
import struct
import zlib
from base64 import b64encode
from html import escape
from importlib.resources import as_file, files

import matplotlib
import numpy as np
from IPython.display import Markdown, display
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .typeface import typeface


@functools.cache
def course_style() -> dict:
    """The settings of course.mplstyle, in the course's typeface."""
    with as_file(files(__package__) / "course.mplstyle") as path:
        return dict(matplotlib.rc_params_from_file(path, use_default_template=False)) | typeface()


def within(settings):
    """A decorator: draw with what `settings()` gives, whatever matplotlib is set to outside."""

    def decorate(function):
        @functools.wraps(function)
        def draw(*args, **keywords):
            with matplotlib.rc_context(settings()):
                return function(*args, **keywords)

        return draw

    return decorate


styled = within(course_style)  # a figure in the course's style


@styled
def new(rows: int = 1, columns: int = 1, *, size=None, **keywords):
    """`(figure, axes)` in the course's style; `size` is (wide, high) in inches, the rest goes to `subplots`."""
    figure = Figure(figsize=size)
    FigureCanvasAgg(figure)  # keep one canvas: it remembers how wide each text is
    return figure, figure.subplots(rows, columns, **keywords)


def png(pixels: np.ndarray) -> bytes:
    """Encode (height, width, 3) bytes as a PNG.

    Pillow would try five filters on every row. For lines and text they save no space, and they'd take more than
    half of the time that a slider has.
    """
    height, width, channels = pixels.shape
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # each row starts with its filter: 0, none
    rows[:, 1:] = pixels.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))  # 8 bits, RGB
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


def picture_of(figure: Figure) -> bytes:
    """What was drawn last on the figure, as a PNG without transparency."""
    return png(np.asarray(figure.canvas.buffer_rgba())[..., :3])


@styled
def draw(figure: Figure) -> bytes:
    """Draw the figure and give its picture; in the course's style, because tick labels are only made now."""
    figure.canvas.draw()
    return picture_of(figure)


class Canvas:
    """Axes for pictures that follow each other, as fast as a slider needs them.

    `Canvas(1, 2, size=(9, 4))` takes what `new` takes. The layout is worked out for the first picture and stays, so
    the one who owns the canvas decides what comes first. Axes with their ticks and grid are half of the work; they're
    kept until their limits, ticks or labels change.
    """

    def __init__(self, *args, **keywords):
        self.figure, self.axes = new(*args, **keywords)
        self.panels = list(np.ravel(self.axes))
        self.size = tuple(round(inches * self.figure.dpi) for inches in self.figure.get_size_inches())
        self.drawn_axes, self.background = None, None

    @styled
    def draw(self, figure_function, result) -> tuple[bytes, str]:
        """`(picture, alt text)`: clear the axes and let the figure function draw the result on them."""
        for ax in self.panels:
            clear(ax)
        alt = figure_function(self.axes, result)
        if self.background is None:
            self.figure.draw_without_rendering()
            self.figure.set_layout_engine("none")
        renderer = self.figure.canvas.get_renderer()
        behind = [self.figure.patch, *(part for ax in self.panels for part in (ax.patch, ax.xaxis, ax.yaxis))]
        wanted = [axes_state(ax) for ax in self.panels]
        if wanted == self.drawn_axes:
            renderer.restore_region(self.background)
        else:
            renderer.clear()
            for part in behind:
                part.draw(renderer)
            self.drawn_axes, self.background = wanted, renderer.copy_from_bbox(self.figure.bbox)
        for part in behind:
            part.set_visible(False)
        self.figure.draw(renderer)
        for part in behind:
            part.set_visible(True)
        return picture_of(self.figure), alt


def clear(ax) -> None:
    """Remove what was drawn on the axes. `ax.clear()` would also make new ticks, which is slow."""
    for artist in [*ax.lines, *ax.patches, *ax.collections, *ax.images, *ax.texts]:
        artist.remove()
    ax.containers.clear()
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    ax.set_prop_cycle(matplotlib.rcParams["axes.prop_cycle"])
    ax.relim()


def axes_state(ax) -> list:
    """What the axes look like: place, limits, scale, ticks and labels."""
    ax.apply_aspect()
    state = [ax.get_position().bounds]
    for axis in (ax.xaxis, ax.yaxis):
        ticks = axis.get_majorticklocs()
        names = axis.get_major_formatter().format_ticks(ticks)
        state += [tuple(axis.get_view_interval()), axis.get_scale(), tuple(ticks), names, axis.label.get_text()]
    return state


def show(figure: Figure, *, alt: str, caption: str) -> None:
    """Put the figure into the notebook: its picture, what it shows in words, and what to notice."""
    for name, text in (("alt", alt), ("caption", caption)):
        if not text.strip():
            raise ValueError(f"{name} is empty. Expected a sentence.")
    show_picture(draw(figure), alt)
    display(Markdown(f"*{caption}*\n\n{words_html(alt)}"))


def show_picture(picture: bytes, alt: str) -> None:
    """Put a PNG into the notebook, with its alt text."""
    width, height = struct.unpack(">II", picture[16:24])
    encoded = b64encode(picture).decode("ascii")  # as notebooks store it: a kernel in a browser doesn't encode bytes
    metadata = {"image/png": {"alt": alt, "width": width, "height": height}}
    display({"image/png": encoded, "text/plain": alt}, raw=True, metadata=metadata)


def words_html(alt: str) -> str:
    """The picture in words, to unfold: JupyterLab doesn't show alt text."""
    return f"<details><summary>The picture in words</summary>{escape(alt)}</details>"
