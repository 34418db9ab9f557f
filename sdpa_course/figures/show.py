"""Make axes in the course's style, and show a figure with its alt text and caption."""

import functools
import io
from importlib.resources import as_file, files

import matplotlib
from IPython.display import Markdown, display
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
    return figure, figure.subplots(rows, columns, **keywords)


@styled
def png(figure: Figure) -> bytes:
    """The figure as a picture."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def show(figure: Figure, *, alt: str, caption: str) -> None:
    """Put the figure into the notebook: its picture, what it shows in words, and what to notice."""
    for name, text in (("alt", alt), ("caption", caption)):
        if not text.strip():
            raise ValueError(f"{name}: got nothing, expected a sentence")
    width, height = (int(inches * figure.dpi) for inches in figure.get_size_inches())
    data = {"image/png": png(figure), "text/plain": alt}
    display(data, raw=True, metadata={"image/png": {"alt": alt, "width": width, "height": height}})
    display(Markdown(f"*{caption}*"))
