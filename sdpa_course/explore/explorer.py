"""The widget behind every slider: controls, a picture, and live numbers under it.

What a slider shows is computed by an ordinary function `view(**values) -> View`, which a test or a page
without widgets can call as well. The widget only passes the controls' values on.
"""

from html import escape

import ipywidgets as widgets

from ..figures.drawing import View, words_html


class Explorer(widgets.VBox):
    """Controls that redraw a picture when they move.

    Parameters
    ----------
    view : callable
        `view(**values) -> View`, with one keyword for each control.
    main : names of controls, optional
        The one or two controls that a page without a kernel can move (see `frames`); the first two unless named.
    **controls : ipywidgets controls
        Each with a `value` and a `description`.
    """

    def __init__(self, view, *, main=(), **controls):
        self.view, self.controls = view, controls
        self.main = main or tuple(controls)[:2]
        first = view(**self.values())
        width, height = first.size
        # A picture in a box of its own size: nothing jumps when it changes.
        self.picture = widgets.Image(format="png", layout={"width": f"{width}px", "height": f"{height}px"})
        self.numbers = widgets.HTML()
        for control in controls.values():
            control.style.description_width = "initial"
            control.layout.width = "auto" if isinstance(control, widgets.Checkbox) else "480px"
            control.observe(self.redraw, names="value")
        self.show(first)
        super().__init__([*controls.values(), self.picture, self.numbers])

    def values(self) -> dict:
        """What the controls are set to."""
        return {name: control.value for name, control in self.controls.items()}

    def redraw(self, change=None) -> None:
        """Show what the controls are set to now."""
        self.show(self.view(**self.values()))

    def show(self, view: View) -> None:
        """Replace picture and numbers, in place."""
        self.picture.value = view.picture
        self.numbers.value = numbers_html(view.numbers) + words_html(view.alt)

    def _repr_mimebundle_(self, **keywords):
        """Stored in a notebook, the words say what stands here; the figure above it is the same one at rest."""
        names = ", ".join(control.description for control in self.controls.values())
        bundle = super()._repr_mimebundle_(**keywords)
        bundle["text/plain"] = f"Interactive figure (needs a running kernel). Controls: {names}."
        return bundle


def numbers_html(numbers: dict[str, str]) -> str:
    """The live numbers as one line of text."""
    items = (f"<span>{escape(name)}: <b>{escape(value)}</b></span>" for name, value in numbers.items())
    return '<div style="font-size: 15px; display: flex; flex-wrap: wrap; gap: 0 1.5em">' + "".join(items) + "</div>"


def steps_slider(name: str, steps, value) -> widgets.SelectionSlider:
    """A slider over a fixed set of values, such as d_k = 1, 2, 4, … or the names of the scales.

    Names too: JupyterLab takes the up and down keys of a drop-down list for itself and moves to another cell.
    """
    return widgets.SelectionSlider(options=list(steps), value=value, description=name)
