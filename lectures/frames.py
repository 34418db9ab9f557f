"""A slider without a kernel: its views over one or two controls, drawn beforehand."""

import itertools
import re
from base64 import b64encode
from html import escape
from json import dumps
from typing import NamedTuple

import ipywidgets as widgets
import numpy as np

from sdpa_course.explore.explorer import Explorer, View

MOST = (9, 4)  # values of the first and of the second control: enough to see them move, few enough to send
SYMBOL = re.compile(r"\b([dhmnqkvTσμρ])(?:_(k|model))?\b")


class Track(NamedTuple):
    """What a page without a kernel keeps of a control: a few of its positions."""

    name: str  # the keyword of the view
    label: str
    readings: list[str]  # the positions as they are read
    values: list
    start: int  # the position at which it stands


class Frames(NamedTuple):
    """One view for each combination of positions, the last track's changing fastest."""

    tracks: list[Track]
    views: list[View]

    def at(self, *positions: int) -> View:
        """The view at these positions, one for each track."""
        return self.views[np.ravel_multi_index(positions, [len(track.values) for track in self.tracks])]

    def start(self) -> View:
        """The view with which it begins."""
        return self.at(*(track.start for track in self.tracks))


def frames(explorer: Explorer, most: tuple[int, ...] = MOST) -> Frames:
    """The explorer's views over its main controls; the others stay where they are."""
    tracks = [track(name, explorer.controls[name], count) for name, count in zip(explorer.main, most, strict=False)]
    settings = itertools.product(*(t.values for t in tracks))
    names = [t.name for t in tracks]
    views = [explorer.view(**dict(zip(names, values, strict=True))) for values in settings]
    return Frames(tracks, views)


def track(name: str, control, most: int) -> Track:
    """At most `most` positions of a control, evenly thinned; its ends and its present value are among them."""
    steps = values_of(control)
    at = [value for _, value in steps].index(control.value)
    chosen = thinned(len(steps), at, most)
    readings, values = zip(*(steps[i] for i in chosen), strict=True)
    return Track(name, control.description, list(readings), list(values), chosen.index(at))


def values_of(control) -> list[tuple[str, object]]:
    """`(as it is read, value)` for every position of a control."""
    if isinstance(control, widgets.Checkbox):
        return [("no", False), ("yes", True)]
    if hasattr(control, "options"):
        return [option if isinstance(option, tuple) else (str(option), option) for option in control.options]
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
    even = np.linspace(0, count - 1, most).round().astype(int).tolist()
    if at not in even:
        even = np.linspace(0, count - 1, most - 1).round().astype(int).tolist()
    return sorted({*even, at})


def mathematics(label: str) -> str:
    """The label as HTML, with its symbols as mathematics.

    >>> mathematics("1/sqrt(d_k)")
    '1/√<i>d</i><sub>k</sub>'
    """
    roots = re.sub(r"sqrt\((.*?)\)", r"√\1", escape(label))
    return SYMBOL.sub(lambda found: f"<i>{found[1]}</i>" + (f"<sub>{found[2]}</sub>" if found[2] else ""), roots)


def control_html(track: Track) -> str:
    """The control where it starts: a box to tick for no and yes, buttons for names, a slider for numbers."""
    reading = escape(track.readings[track.start])
    if all(isinstance(value, str) for value in track.values):
        buttons = "".join(
            f'<label><input type="radio" name="{track.name}" value="{place}"{" checked" * (place == track.start)} '
            f'autocomplete="off"> <span>{mathematics(name)}</span></label>'
            for place, name in enumerate(track.readings)
        )
        return f'<fieldset class="control"><legend>{mathematics(track.label)}</legend><div>{buttons}</div></fieldset>'
    if track.values == [False, True]:
        kind = f'type="checkbox"{" checked" * track.start}'
    else:
        kind = f'type="range" min="0" max="{len(track.values) - 1}" value="{track.start}" aria-valuetext="{reading}"'
    return (
        f'<label class="control"><span>{mathematics(track.label)}</span> <input {kind} autocomplete="off"> '
        f"<output>{reading}</output></label>"
    )


def controls_html(tracks: list[Track]) -> str:
    """All controls of a slider. The form keeps its buttons apart from those of the page's other sliders."""
    return f'<form class="knobs">{"".join(control_html(t) for t in tracks)}</form>'


def frames_html(explorer: Explorer) -> str:
    """The slider as HTML with its frames in it; a few lines of script on the page move it (lectures/deck/deck.js)."""
    drawn = frames(explorer)
    first = drawn.start()
    width, height = first.size
    data = {
        "readings": [t.readings for t in drawn.tracks],
        "views": [
            {"picture": b64encode(v.picture).decode(), "alt": v.alt, "numbers": list(v.numbers.items())}
            for v in drawn.views
        ],
    }
    stored = dumps(data).replace("</", "<\\/")  # nothing in it ends the script
    return (
        f'<figure class="frames">{controls_html(drawn.tracks)}'
        f'<img alt="{escape(first.alt)}" width="{width}" height="{height}" '
        f'src="data:image/png;base64,{b64encode(first.picture).decode()}"><figcaption class="numbers"></figcaption>'
        f'<script type="application/json">{stored}</script></figure>'
    )
