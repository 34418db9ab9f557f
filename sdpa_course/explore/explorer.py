"""The widget behind every slider: an experiment, a figure of its result, and the controls that feed the experiment."""

from collections.abc import Callable
from html import escape
from typing import NamedTuple

import ipywidgets as widgets
from IPython.display import Markdown, display

from ..figures.drawing import Canvas, show_picture, words_html

THREE_SCALES = ("1", "1/sqrt(d_k)", "1/d_k")
WIDGET = "application/vnd.jupyter.widget-view+json"
# While the widget is connected to its kernel, it takes the place of the stored picture and text in the same cell.
LIVE_CSS = """<style>
.jp-OutputArea:has(.explorer:not(.jupyter-widgets-disconnected)) > .jp-OutputArea-child:has(
  > .jp-RenderedImage, > .jp-RenderedMarkdown) { display: none }
.explorer.jupyter-widgets-disconnected { display: none }
</style>"""
# In a copy that a reader has saved, the widget is a line of text, "model not found". The stored picture is enough.
STORED_CSS = "<style>.jp-OutputArea-output.jupyter-widgets:not(:has(*)) { display: none }</style>"


class View(NamedTuple):
    """What a reader sees for one choice of values: a picture, the same in words, and the numbers that matter."""

    picture: bytes  # PNG
    size: tuple[int, int]  # of the picture in pixels: width, height
    alt: str
    numbers: dict[str, str]  # label -> number, formatted


class Explorer(widgets.VBox):
    """An experiment that is repeated, and drawn again, when a control moves.

    In a notebook it's one figure. With a kernel the reader sees the controls, the picture and the live numbers;
    without one, the picture as it was when the cell ran, with the caption.

    Parameters
    ----------
    experiment : callable
        `experiment(**values) -> result`, with one keyword for each control.
    figure : callable
        `figure(axes, result) -> alt text`. It computes nothing.
    canvas : Canvas
        The axes to draw on. They belong to this explorer alone.
    numbers : callable
        `numbers(result) -> {label: text}`, what is written under the picture.
    main : names of controls, optional
        The one or two controls that a page without a kernel can move (see `frames`); the first two by default.
    **controls : ipywidgets controls
        Each with a `value` and a `description`.
    """

    def __init__(
        self,
        experiment: Callable,
        figure: Callable,
        *,
        canvas: Canvas,
        numbers: Callable,
        main: tuple[str, ...] = (),
        **controls,
    ):
        self.experiment, self.figure, self.canvas, self.format_numbers = experiment, figure, canvas, numbers
        self.controls, self.main = controls, main or tuple(controls)[:2]
        width, height = canvas.size
        # The picture's box has a fixed size, so nothing jumps while a new picture arrives.
        self.picture = widgets.Image(format="png", layout={"width": f"{width}px", "height": f"{height}px"})
        self.numbers, self.caption = widgets.HTML(), widgets.HTMLMath(LIVE_CSS)
        for control in controls.values():
            control.style.description_width = "initial"
            control.layout.width = "auto" if isinstance(control, widgets.Checkbox) else "480px"
            control.observe(self.update, names="value")
        self.update()
        super().__init__([*controls.values(), self.picture, self.caption, self.numbers])
        self.add_class("explorer")

    def values(self) -> dict:
        """What the controls are set to."""
        return {name: control.value for name, control in self.controls.items()}

    def view(self, **changes) -> View:
        """What the reader sees with the controls as they are, except for these changes."""
        result = self.experiment(**self.values() | changes)
        picture, alt = self.canvas.draw(self.figure, result)
        return View(picture, self.canvas.size, alt, self.format_numbers(result))

    def update(self, change=None) -> None:
        """Show what the controls are set to now."""
        view = self.view()
        self.picture.value = view.picture
        self.numbers.value = numbers_html(view.numbers) + words_html(view.alt)

    def show(self, *, caption: str = "") -> None:
        """Put the explorer into the notebook: first what is stored in the file, then the widget in its place."""
        view = self.view()
        numbers = " · ".join(f"{label}: **{number}**" for label, number in view.numbers.items())
        parts = [f"*{caption}*"] * bool(caption) + [numbers, words_html(view.alt) + STORED_CSS]
        show_picture(view.picture, view.alt)
        display(Markdown("\n\n".join(parts)))
        self.caption.value = f"{LIVE_CSS}<em>{escape(caption)}</em>"
        # Without any other form of the output: run_notebooks.py then leaves it out of the stored notebook.
        display({WIDGET: {"version_major": 2, "version_minor": 0, "model_id": self.model_id}}, raw=True)

    def _ipython_display_(self, **keywords) -> None:
        self.show()


def numbers_html(numbers: dict[str, str]) -> str:
    """The live numbers as one line of text."""
    items = (f"<span>{escape(label)}: <b>{escape(number)}</b></span>" for label, number in numbers.items())
    return '<div style="font-size: 15px; display: flex; flex-wrap: wrap; gap: 0 1.5em">' + "".join(items) + "</div>"


def slider(label: str, options, value) -> widgets.SelectionSlider:
    """A slider over a fixed set of options, such as d_k = 1, 2, 4, … or the names of the scales.

    Names too, because JupyterLab keeps the up and down keys of a drop-down list to itself and moves to another cell.
    """
    return widgets.SelectionSlider(options=list(options), value=value, description=label)


def checkbox(label: str, value: bool) -> widgets.Checkbox:
    """A box to tick."""
    return widgets.Checkbox(value=value, description=label, indent=False)


def number_slider(label: str, value: float, low: float, high: float, step: float) -> widgets.FloatSlider:
    """A slider over evenly spaced numbers."""
    return widgets.FloatSlider(value=value, min=low, max=high, step=step, description=label)
