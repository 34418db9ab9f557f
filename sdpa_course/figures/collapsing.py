"""The collapse in one draw: sixteen keys, their scores as dots and their weights as bars. Notebook 00."""

from itertools import pairwise

import numpy as np

from .kit import Block, Page, picture
from .kit.charts import bars
from .kit.matrices import number, percent
from .kit.numberlines import NumberLine, number_line
from .kit.palette import SCALES

STOPS = (1, 64, 512)
REACH, TALL = 46, 54  # of the scores' axis, up and down, and that in pixels


@picture(height={"book": 306, "phone": 520, "slide": 276})
def collapsing_weights(page: Page, result) -> str:
    """Scores and weights of one query at one width, as they are and divided by √d_k.

    Parameters
    ----------
    result : experiments.typical.OneCollapse
    """
    track = NumberLine(112, 16, page.width - 124, 1, 512, log=True)
    number_line(page, track, (1, 8, 64, 512), arrow=False)
    page.dot(track.at(result.d_k), track.y, colour="lit edge", size=13)
    page.text(0, track.y, f"$d_k$ = {int(result.d_k)}", at="left", weight="bold", size=18)
    panels = page.panels(2, high=222 if page.narrow else page.height - 60, gap=30, top=52)
    told = []
    for i, (block, scale, scores) in enumerate(zip(panels, SCALES, (result.raw, result.divided), strict=False)):
        with page.step(i):
            told.append(key_columns(page, block, *SCALES[scale], scores, result.weights[i]))
    page.key("one query and sixteen random keys; dotted: all weights equal")
    return (
        f"One query and {len(result.raw)} keys at d_k = {int(result.d_k)}: scores as dots, weights as bars below. "
        f"Without the scale {told[0]}. Divided by the root of d_k {told[1]}."
    )


def key_columns(page: Page, block: Block, name: str, colour: str, scores, weights) -> str:
    """One panel: a column for each key, its score above its weight. Returns what the winner has."""
    x, y, wide, high = block
    zero, best = y + 72, int(np.argmax(weights))
    columns = x + (np.arange(len(scores)) + 0.5) * wide / len(scores)
    page.text(x, y, name, at="top left", colour=colour, weight="bold", size=15)
    page.text(x, y + 22, "scores", at="top left", colour="grey", size=13)
    page.text(x, zero + TALL + 4, "weights", at="top left", colour="grey", size=13)
    page.line((x, zero), (x + wide, zero), colour="line", width=1.2, under=True)
    for i, (at, height) in enumerate(zip(columns, zero - TALL * scores / REACH, strict=True)):
        page.line((at, zero), (at, height), colour=colour, width=1.6, tint=1 if i == best else 0.4)
        page.dot(at, height, colour=colour if i == best else "grey", size=9 if i == best else 6)
        if i == best:
            page.text(
                np.clip(at, x + 14, x + wide - 14),
                height - 7,
                number(scores[i], 1),
                at="bottom",
                colour=colour,
                size=13,
            )
    floor = Block(x, zero + TALL + 24, wide, y + high - zero - TALL - 24)
    bars(page, floor, weights, colour=colour, top=1, lit=best, words=percent(weights[best]))
    equal = y + high - floor.high / len(scores)
    page.line((x, equal), (x + wide, equal), colour="grey", width=1.2, dash=":")
    return f"the winner has the score {scores[best]:.1f} and {percent(weights[best])} of the weight"


def collapse_loop(result_at) -> None:
    """Show the loop in a notebook. `result_at(d_k)` gives what one frame shows, as `experiments.one_collapse` does."""
    widths, milliseconds = stops_and_ways()
    stops = [result_at(d_k).weights for d_k in STOPS]
    raw, divided = (", ".join(percent(side.max()) for side in sides) for sides in zip(*stops, strict=True))
    alt = (
        f"A loop: one query and {len(stops[0][0])} random keys, scores as dots, weights as bars, while d_k grows. At "
        f"d_k = {', '.join(map(str, STOPS))} the largest weight is {raw} without the scale, and {divided} divided by "
        f"the root of d_k. It begins and ends at {STOPS[-1]}."
    )
    collapsing_weights.loop([(result_at(d_k),) for d_k in widths], milliseconds, alt)


def stops_and_ways(frames: int = 12, rest: int = 2600, hurry: int = 90) -> tuple[list[float], list[int]]:
    """The widths that the loop shows, and for how many milliseconds: long at the stops, with ease between them.

    It begins with a glance at the last stop, so that a loop that holds still on its first frame makes its point.
    """
    widths, milliseconds = [float(STOPS[-1]), float(STOPS[0])], [rest // 2, rest]
    part = np.arange(1, frames + 1) / frames
    for start, end in pairwise(STOPS):
        way = start * (end / start) ** (part**2 * (3 - 2 * part))
        widths += [*way[:-1].tolist(), float(end)]  # the stop itself, without rounding
        milliseconds += [hurry] * (frames - 1) + [rest]
    return widths, milliseconds
