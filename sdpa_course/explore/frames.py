"""A slider without a kernel: its views over one control, drawn beforehand."""

from base64 import b64encode
from html import escape
from json import dumps
from typing import NamedTuple

import ipywidgets as widgets
import numpy as np

from ..figures.drawing import View
from .explorer import Explorer

MOST = 13  # frames of one slider: enough to see it move, few enough to send


class Frame(NamedTuple):
    """What the slider shows at one value of its control."""

    value: str  # as it is read
    view: View


def frames(explorer: Explorer, control: str | None = None, most: int = MOST) -> tuple[int, list[Frame]]:
    """`(which one it starts at, frames)` over one control, the first that is not a checkbox unless another is named.

    The other controls stay where they are. A control with more than `most` values is thinned out evenly;
    its ends and its present value always have a frame.
    """
    if control is None:
        control = next(name for name, c in explorer.controls.items() if not isinstance(c, widgets.Checkbox))
    steps = values_of(explorer.controls[control])
    at = [value for _, value in steps].index(explorer.controls[control].value)
    chosen = thinned(len(steps), at, most)
    drawn = [Frame(steps[i][0], explorer.view(**{**explorer.values(), control: steps[i][1]})) for i in chosen]
    return chosen.index(at), drawn


def values_of(control) -> list[tuple[str, object]]:
    """`(as it is read, value)` for every position of a control."""
    if hasattr(control, "options"):
        return [option if isinstance(option, tuple) else (str(option), option) for option in control.options]
    if isinstance(control, widgets.IntSlider):
        values = range(control.min, control.max + 1, control.step)
    else:
        values = np.arange(control.min, control.max + control.step / 2, control.step).round(10).tolist()
    return [(f"{value:g}", value) for value in values]


def thinned(count: int, at: int, most: int) -> list[int]:
    """At most `most` of the positions 0 … count − 1, evenly spread, with both ends and `at` among them.

    >>> thinned(5, 2, 13)
    [0, 1, 2, 3, 4]
    >>> thinned(21, 10, 5)
    [0, 5, 10, 15, 20]
    """
    if count <= most:
        return list(range(count))
    places = set(np.linspace(0, count - 1, most - 1).round().astype(int).tolist())
    return sorted(places | {at})


def frames_html(explorer: Explorer, control: str | None = None) -> str:
    """The slider as HTML with its frames in it; a few lines of script on the page move it (lectures/deck/deck.js)."""
    start, drawn = frames(explorer, control)
    names = list(explorer.controls)
    moved = explorer.controls[control or names[0]]
    data = [
        {
            "value": frame.value,
            "picture": b64encode(frame.view.picture).decode(),
            "alt": frame.view.alt,
            "numbers": list(frame.view.numbers.items()),
        }
        for frame in drawn
    ]
    width, height = drawn[start].view.size
    stored = dumps(data).replace("</", "<\\/")  # nothing in it ends the script
    return (
        f'<figure class="frames"><label>{escape(moved.description)} '
        f'<input type="range" min="0" max="{len(drawn) - 1}" value="{start}"> <output></output></label>'
        f'<img alt="{escape(drawn[start].view.alt)}" width="{width}" height="{height}" '
        f'src="data:image/png;base64,{data[start]["picture"]}">'
        '<figcaption class="numbers"></figcaption>'
        f'<script type="application/json">{stored}</script></figure>'
    )
