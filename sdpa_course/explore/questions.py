"""What a prediction asks for, checked: one sentence for each thing that can be wrong with it."""

import math
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

CLOSEST = 0.1  # two points of a curve, as a share of the axis: a finger has to fit between them
SETTINGS = {  # of a kind: those it needs, and those it takes
    "number": ({"low", "high"}, {"step", "start", "label"}),
    "curve": ({"x", "low", "high"}, {"xlabel", "ylabel", "log"}),
}


class Truth(NamedTuple):
    """What `reveal()` returns."""

    answer: Any  # one of the options, a number, or one y for each x of the curve
    words: str  # a sentence or two
    picture: Any = None  # (PNG or matplotlib figure, alt text), or anything with `.picture` and `.alt`


def checked_kind(options, number, curve) -> dict:
    """The kind of a prediction with its settings, completed."""
    given = {"options": options, "number": number, "curve": curve}
    kinds = [kind for kind, settings in given.items() if settings is not None]
    if len(kinds) != 1:
        raise ValueError(f"predict: got {' and '.join(kinds) or 'none'} of options, number and curve, expected one")
    if options is not None:
        if len(options) < 2 or not all(isinstance(o, str) for o in options) or len(set(options)) < len(options):
            raise ValueError(f"options: got {options!r}, expected at least two different texts")
        return {"kind": "pick", "options": list(options)}
    (kind,) = kinds
    settings, (needs, takes) = given[kind], SETTINGS[kind]
    if not needs <= set(settings) <= needs | takes:
        raise ValueError(f"{kind}: got {sorted(settings)}, expected {sorted(needs)} and, if you like, {sorted(takes)}")
    low, high = settings["low"], settings["high"]
    if not (is_number(low) and is_number(high) and low < high):
        raise ValueError(f"{kind}: got low = {low!r} and high = {high!r}, expected numbers with low < high")
    complete = checked_number if kind == "number" else checked_curve
    return {"kind": kind, **settings, **complete(**settings)}


def checked_number(low, high, step=None, start=None, label="") -> dict:
    """How a number's slider moves and where it starts."""
    step, start = (high - low) / 100 if step is None else step, (low + high) / 2 if start is None else start
    if not (is_number(step) and 0 < step <= high - low and is_number(start) and low <= start <= high):
        raise ValueError(f"number: got step = {step!r} and start = {start!r}, expected them to fit {low} to {high}")
    return {"step": step, "start": start}


def checked_curve(x, low, high, xlabel="", ylabel="", log=False) -> dict:
    """Where a curve's points are along the axis, from 0 to 1: a true axis, on which a root doesn't look straight."""
    x = list(x)
    if not 4 <= len(x) <= 9 or not all(map(is_number, x)) or any(b <= a for a, b in pairwise(x)):
        raise ValueError(f"curve: got x = {x!r}, expected 4 to 9 numbers, each larger than the one before")
    if log and x[0] <= 0:
        raise ValueError(f"curve: got x = {x!r} with log=True, expected numbers above 0")
    along = [math.log(value) if log else value for value in x]
    places = [round((value - along[0]) / (along[-1] - along[0]), 4) for value in along]
    if min(b - a for a, b in pairwise(places)) < CLOSEST:
        raise ValueError(f"curve: got x = {x!r}, expected a tenth of the axis between points; log=True may help")
    return {"x": [float(value) for value in x], "places": places}


def checked_truth(asked: dict, truth) -> Truth:
    """The truth, if it answers what's asked, with its numbers as a page compares them."""
    if not isinstance(truth, Truth):
        raise ValueError(f"reveal: returned {type(truth).__name__}, expected Truth(answer, words)")
    if asked["kind"] == "pick":
        if truth.answer not in asked["options"]:
            raise ValueError(f"answer: got {truth.answer!r}, expected one of the options {asked['options']!r}")
        return truth
    low, high, number = asked["low"], asked["high"], asked["kind"] == "number"
    values = [truth.answer] if number else list(truth.answer) if hasattr(truth.answer, "__len__") else []
    expected = "a number" if number else f"{len(asked['x'])} numbers"
    right_length = len(values) == (1 if number else len(asked["x"]))
    if not right_length or not all(is_number(value) and low <= value <= high for value in values):
        raise ValueError(f"answer: got {truth.answer!r}, expected {expected} from {low} to {high}")
    rounded = [float(f"{value:.6g}") for value in values]
    return truth._replace(answer=rounded[0] if number else rounded)


def is_number(value) -> bool:
    """Whether it's a finite number."""
    return isinstance(value, Real) and math.isfinite(value)
