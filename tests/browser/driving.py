"""Move every control of a slider by keyboard and compare the page with what the package computes."""

import io
import time
from urllib.request import urlopen

import ipywidgets as widgets
from PIL import Image

from lectures.frames import MOST, mathematics, track
from sdpa_course.explore.explorer import Explorer
from tools.lab import options_of, there_and_back

PATIENCE = 20  # seconds until a picture must have arrived; the machine may be busy
MOVES = 30  # in quick succession


def keys_there_and_back(handle, at: int) -> tuple[str, str, int]:
    """`(key, key back, step)` that move a control without a kernel away from its place `at`, counted from 0."""
    if handle.get_attribute("type") == "checkbox":
        return "Space", "Space", -1 if at else 1
    return ("ArrowLeft", "ArrowRight", -1) if at else ("ArrowRight", "ArrowLeft", 1)


def drive_frames(figure, explorer: Explorer) -> None:
    """Every control of a slider without a kernel one step and back."""
    tracks = [track(name, explorer.controls[name], most) for name, most in zip(explorer.main, MOST, strict=False)]
    starts = [t.start for t in tracks]
    settle_frames(figure, explorer, tracks, starts)
    for t, control in enumerate(figure.query_selector_all(".control")):
        handle = chosen(control)
        there, back, step = keys_there_and_back(handle, starts[t])
        handle.press(there)
        settle_frames(figure, explorer, tracks, [at + step * (i == t) for i, at in enumerate(starts)])
        chosen(control).press(back)
        settle_frames(figure, explorer, tracks, starts)


def chosen(control):
    """What takes the keys: the slider, the box, or the button that's pressed."""
    return control.query_selector("input[type=radio]:checked") or control.query_selector("input")


def reading(control) -> str:
    """What a control says it's set to, as HTML; of buttons, the one that's pressed."""
    return (control.query_selector("output") or control.query_selector("label:has(:checked) span")).inner_html()


def settle_frames(figure, explorer: Explorer, tracks, places) -> None:
    """The page's slider stands at these positions, with the package's picture, words and numbers."""
    view = explorer.view(**{t.name: t.values[place] for t, place in zip(tracks, places, strict=True)})
    image = figure.query_selector("img")
    figure.owner_frame().wait_for_function("([image, words]) => image.alt === words", arg=[image, view.alt])
    readings = [reading(control) for control in figure.query_selector_all(".control")]
    assert readings == [mathematics(t.readings[place]) for t, place in zip(tracks, places, strict=True)]
    for name, value in view.numbers.items():
        assert f"{name}: {value}" in figure.query_selector(".numbers").inner_text()
    shown = urlopen(image.evaluate("image => image.src")).read()  # a file of the site, or in the deck itself
    assert pixels(shown) == pixels(view.picture)


def pixels(picture: bytes) -> bytes:
    """An image without its compression."""
    return Image.open(io.BytesIO(picture)).convert("RGB").tobytes()


def settle(slider, expected, what: str) -> None:
    """Wait until the page shows the expected view: one picture, its numbers, its words."""
    end = time.monotonic() + PATIENCE
    while True:
        pictures, text = slider.pictures(), slider.text()
        wanted = [f"{name}: {value}" for name, value in expected.numbers.items()]
        missing = [words for words in (*wanted, expected.alt) if words not in text]
        if pictures == [expected.picture] and not missing:
            return
        if time.monotonic() > end:
            raise AssertionError(complain(pictures, expected, missing, text, what))
        slider.page.wait_for_timeout(20)


def complain(pictures, expected, missing, text: str, what: str) -> str:
    """What is wrong with the page."""
    if len(pictures) != 1:
        return f"{what}: {len(pictures)} pictures are shown, expected one"
    if pictures[0] != expected.picture:
        return f"{what}: the picture on the page is not the one that the package draws for this value"
    return f"{what}: the page does not say {missing[0]!r}; it says {text[:200]!r}"


def drive(slider, explorer: Explorer) -> None:
    """Every control one step and back, then the first slider fast to its end and back."""
    settle(slider, explorer.view(), "before anything was moved")
    for name, control in explorer.controls.items():
        before = control.value
        value, there, back = there_and_back(control)
        slider.press(control.description, there)
        settle(slider, explorer.view(**{name: value}), f"{name} = {value}")
        slider.press(control.description, back)
        settle(slider, explorer.view(**{name: before}), f"{name} back at {before}")
    drag(slider, explorer)


def drag(slider, explorer: Explorer) -> None:
    """Thirty quick moves, to and fro, end on the last value's picture, and it stays."""
    name, control = next((n, c) for n, c in explorer.controls.items() if not isinstance(c, widgets.Checkbox))
    value, there, back = there_and_back(control)
    slider.press(control.description, *(there, back) * (MOVES // 2 - 1), there, there)
    expected = explorer.view(**{name: two_steps(control, value)})
    settle(slider, expected, f"after {MOVES} quick moves of {name}")
    slider.page.wait_for_timeout(500)
    settle(slider, expected, f"half a second after {MOVES} quick moves of {name}")


def two_steps(control, first):
    """Where a second step in the same direction leads; at the end of the range it leads nowhere."""
    if hasattr(control, "options"):
        values = options_of(control)
        step = values.index(first) - values.index(control.value)
        return values[min(max(values.index(first) + step, 0), len(values) - 1)]
    return min(max(2 * first - control.value, control.min), control.max)
