"""The colours of the course, each with a value for a light and for a dark room. There's no other place for them.

Q, K, V, scores, weights and out are boxes and matrices, filled with a tint of their colour. The scale rules are lines
and bars. Nothing is told apart by colour alone: things are labelled where they stand.
"""

import numpy as np
from matplotlib.colors import to_hex, to_rgb

# name: (light room, dark room)
COLOURS = {
    "paper": ("#ffffff", "#14181e"),
    "ink": ("#1f2933", "#e8ecf0"),
    "grey": ("#616b77", "#a5afba"),  # what's said in passing
    "line": ("#c5ccd3", "#4b555f"),
    "pale": ("#eef1f4", "#262d35"),
    "lit": ("#f5b838", "#e0a526"),  # where to look
    "lit edge": ("#b98900", "#e8bb4f"),
    "lit text": ("#7a5600", "#f4cc70"),
    "on lit": ("#1f2930", "#14181e"),  # ink on a lit cell
    # what attention is made of
    "q": ("#12897b", "#45c4b4"),
    "k": ("#8a56a5", "#c397da"),
    "v": ("#b8860b", "#e0b64a"),
    "score": ("#475569", "#a3b3c7"),
    "weight": ("#0072b2", "#5cb4e8"),
    "out": ("#b8434f", "#f0919a"),
    "blame": ("#a3195b", "#f283b6"),  # gradients, on their way back
    # what a score is divided by
    "nothing": ("#d55e00", "#ff8f45"),
    "root": ("#4d8f1f", "#8fcc5b"),
    "full": ("#8b5e34", "#d2a57c"),
    "model": ("#5b5fa8", "#a3a7ea"),
}
# As text on paper these need to be darker than as a line or a bar.
TEXT = {
    "q": "#0f766a",
    "v": "#8a6508",
    "nothing": "#b04d00",
    "root": "#3d7318",
    "lit": "#7a5600",
    "lit edge": "#7a5600",
}
ROOMS = ("light", "dark")
# The scales of `kernels.scores.SCALES`: name on a picture, colour.
SCALES = {"1": ("no scale", "nothing"), "1/sqrt(d_k)": ("÷ √$d_k$", "root"), "1/d_k": ("÷ $d_k$", "full")}


def colour(name: str, room: str = "light", *, tint: float = 1.0) -> str:
    """The hex value of a colour in a room; with `tint` < 1, mixed into the paper, as for a fill.

    Examples
    --------
    >>> colour("root"), colour("root", tint=0.5), colour("root", "dark")
    ('#4d8f1f', '#a6c78f', '#8fcc5b')
    """
    if name not in COLOURS:
        raise ValueError(f"name: got {name!r}, expected one of {', '.join(COLOURS)}")
    paper, full = (np.array(to_rgb(COLOURS[each][ROOMS.index(room)])) for each in ("paper", name))
    return to_hex(paper + tint * (full - paper))


def text_colour(name: str, room: str = "light") -> str:
    """The hex value of a colour for text on paper."""
    return TEXT[name] if room == "light" and name in TEXT else colour(name, room)


def luminance(hex_value: str) -> float:
    """How bright a colour is to the eye, from 0 to 1, as WCAG defines it."""
    rgb = np.array(to_rgb(hex_value))
    return float(np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio of two colours, from 1 to 21. Text needs 4.5."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
