"""Ask the reader for a prediction, and show the truth beside it once they've committed to one.

Like a slider, a cell has two outputs: what's stored in the file, with the answer folded, and the live form in its
place. predict.js draws the form from the stored HTML: in JupyterLab, in JupyterLite and on the site.
"""

import json
import re
import struct
import sys
import weakref
from base64 import b64encode
from collections.abc import Callable
from html import escape
from importlib.resources import files
from typing import ClassVar

import anywidget
import ipywidgets as widgets
import traitlets
from IPython.display import display
from matplotlib.figure import Figure

from ..figures.drawing import draw, words_html
from ..figures.guessed import true_curve
from ..figures.kit.picture import Drawn
from .explorer import STORED_CSS, WIDGET
from .memory import GUESSES
from .questions import Truth, checked_kind, checked_truth

WIDEST = 720  # pixels, of a picture in the text
SYMBOL = re.compile(r"\b([dW])_(k|v|model|[QKVO])\b")


def predict(question: str, options=None, number=None, curve=None, *, reveal: Callable[[], Truth], name: str) -> None:
    """Ask for a guess: pick an option, set a number, or draw a curve. The truth appears when the reader commits.

    Parameters
    ----------
    question : str
        Plain text; d_k and its relatives are typeset.
    options : list of str
        What to pick from.
    number : dict
        `low`, `high`; if you like `step`, `start`, `label`.
    curve : dict
        `x` (4 to 9 values), `low`, `high`; if you like `xlabel`, `ylabel`, and `log=True` for the x axis.
    reveal : callable
        `reveal() -> Truth`. It runs with the cell, because the stored page needs the answer, so keep it fast. The
        reader sees its name.
    name : str
        What the guess is remembered by, such as "02/spread". Keep it when you reword the question.

    It returns nothing, so that no answer ends up in `Out[…]`.
    """
    if not question or not name:
        raise ValueError(f"predict: got question = {question!r} and name = {name!r}, expected a text for each")
    asked = checked_kind(options, number, curve)
    truth = checked_truth(asked, reveal())
    asks_curve = asked["kind"] == "curve" and truth.picture is None
    curve_drawn = true_curve.drawn(asked, truth.answer) if asks_curve else None
    html = stored_html(question, name, asked, truth, curve_drawn)
    plain = "".join([f"Predict: {question}", *(f"\n  - {option}" for option in options or [])])
    show(html, plain, name, others=getattr(curve_drawn or truth.picture, "others", {}))


def forget(name: str | None = None) -> None:
    """Forget one guess, or all of them."""
    if Form.in_browser:
        Form(forgets=name or "*")  # the page does it, because the guesses are in its storage
    GUESSES.put(dict.fromkeys([name] if name else GUESSES.all()))
    refresh()


def show_guesses(groups: dict[str, list[str]]) -> None:
    """Show how well the reader has predicted: `groups` is title -> what the guesses' names start with.

    For example {"I. The clue": ["00", "01", "02"]} has "02/spread" in it.
    """
    data = escape(json.dumps({"kind": "scores", "groups": list(groups.items())}, ensure_ascii=False))
    words = "How well did you predict? Run this cell to see."
    show(f'<div class="predict-stored" data-predict="{data}"><p>{words}</p></div>', words)


class Form(anywidget.AnyWidget):
    """The live form, and the line between the page and the file of guesses."""

    _esm = files(__package__).joinpath("predict.js").read_text(encoding="utf-8")
    _css = files(__package__).joinpath("predict.css").read_text(encoding="utf-8")
    open_forms: ClassVar = weakref.WeakSet()
    in_browser = sys.platform == "emscripten"  # then the page keeps the guesses, in the storage that the site uses too

    html = traitlets.Unicode().tag(sync=True)
    guesses = traitlets.Dict().tag(sync=True)
    heard = traitlets.Unicode().tag(sync=True)  # the page's last message
    note = traitlets.Unicode().tag(sync=True)
    forgets = traitlets.Unicode().tag(sync=True)
    browser = traitlets.Bool().tag(sync=True)

    def __init__(self, *, name: str | None = None, **traits):
        self.name = name
        super().__init__(guesses=self.own_guesses(), browser=self.in_browser, **traits)
        self.on_msg(self.keep)
        self.open_forms.add(self)

    def own_guesses(self) -> dict:
        """The guess that belongs to this form; all of them if it has no name."""
        return {name: guess for name, guess in GUESSES.all().items() if self.name in (None, name)}

    def keep(self, form, message: dict, buffers) -> None:
        """Remember what the reader has just committed to, or cleared."""
        GUESSES.put(message["changes"])
        with self.hold_sync():
            self.heard = message["token"]
            refresh()


def refresh() -> None:
    """Tell every form on the page what's remembered now."""
    for form in list(Form.open_forms):
        form.note, form.guesses = GUESSES.trouble, form.own_guesses()


def show(html: str, plain: str, name: str | None = None, others: dict | None = None) -> None:
    """Put stored HTML into the notebook, and then the form in its place; `others` is what its picture was drawn for."""
    display({"text/html": STORED_CSS + html, "text/plain": plain} | (others or {}), raw=True)
    box = widgets.VBox([Form(html=html, name=name)])  # an anywidget alone isn't told that its kernel is gone
    box.add_class("predict-live")
    # Without any other form of the output: run_notebooks.py then leaves it out of the stored notebook.
    display({WIDGET: {"version_major": 2, "version_minor": 0, "model_id": box.model_id}}, raw=True)


def stored_html(question: str, name: str, asked: dict, truth: Truth, curve: Drawn | None = None) -> str:
    """The question, the options and the answer, folded. It never depends on the guess, so nbval can compare it."""
    listed = "".join(f"<li>{typeset(option)}</li>" for option in asked.get("options", []))
    short = {"pick": str, "number": "{:g}".format, "curve": lambda answer: ""}[asked["kind"]](truth.answer)
    answer = f'<p class="predict-answer"><b>{typeset(short)}</b></p>' if short else ""
    picture = picture_html(*png_and_alt(curve or truth.picture)) if curve or truth.picture else ""
    if curve:  # the form draws it itself
        picture = f'<div class="predict-answer">{picture}</div>'
    data = escape(json.dumps({"name": name, "question": question, **asked, "answer": truth.answer}, ensure_ascii=False))
    return (
        f'<div class="predict-stored" data-predict="{data}"><p><b>Predict.</b> '
        f'<span class="predict-question">{typeset(question)}</span></p>{f"<ul>{listed}</ul>" if listed else ""}'
        f'<details class="predict-fold"><summary>Show the answer</summary>{answer}<p>{typeset(truth.words)}</p>'
        f"{picture}</details></div>"
    )


def typeset(text: str) -> str:
    """Plain text as HTML, with d_k as it should look."""
    return SYMBOL.sub(r"<i>\1<sub>\2</sub></i>", escape(text))


def png_and_alt(picture) -> tuple[bytes, str]:
    """A picture and its alt text, from any of the forms that the course draws them in."""
    if hasattr(picture, "alt"):
        picture = picture.picture, picture.alt
    image, alt = picture if isinstance(picture, tuple) and len(picture) == 2 else (picture, "")
    if isinstance(image, Figure):
        image = draw(image)
    if not isinstance(image, bytes) or not isinstance(alt, str) or not alt.strip():
        raise ValueError(f"picture: got {type(image).__name__} with {alt!r}, expected a PNG and its alt text")
    return image, alt


def picture_html(picture: bytes, alt: str) -> str:
    """A picture with its words to unfold."""
    width, height = struct.unpack(">II", picture[16:24])
    shown = min(width, WIDEST)
    size = f'width="{shown}" height="{round(height * shown / width)}"'
    source = b64encode(picture).decode("ascii")
    return f'<img alt="{escape(alt)}" {size} src="data:image/png;base64,{source}">{words_html(alt)}'
