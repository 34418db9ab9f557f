"""The curve that a prediction asked for, once it's known."""

import re

from .kit import Page, picture
from .kit.charts import chart, curve
from .kit.papers import POINT


@picture(height=290)
def true_curve(page: Page, asked: dict, answer: list[float]) -> str:
    """The axes that the reader drew on, and the true curve. On a slide it waits for a click."""
    places, name = asked["places"], {key: symbols(asked.get(key, "")) for key in ("xlabel", "ylabel")}
    ax = chart(page, 40, 26, 630, 206, xlim=(-0.03, 1.03), ylim=(asked["low"], asked["high"]), **name)
    ax.set_xticks(places, [f"{x:g}" for x in asked["x"]])
    with page.step(1):
        curve(page, ax, places, answer, colour="ink")
        ax.plot(places, answer, "s", color=page.colour("ink"), markersize=8 * POINT, zorder=4)
    points = ", ".join(f"{y:.3g} at {x:g}" for x, y in zip(asked["x"], answer, strict=True))
    return f"The curve: {points}."


def symbols(words: str) -> str:
    """Plain text with d_k set as mathematics.

    >>> symbols("the size at d_k")
    'the size at $d_{k}$'
    """
    return re.sub(r"\b([dW])_(k|v|model|[QKVO])\b", r"$\1_{\2}$", words)
