"""What half precision does to scores: products beyond the end of float16, and bfloat16's coarse ruler. Notebook 07."""

import math

from .floats import LARGEST
from .kit import Page, picture
from .kit.numberlines import NumberLine, mark, number_line


@picture(height={"book": 246, "slide": 262})
def lost_product(page: Page, routes: dict[str, tuple]) -> str:
    """The same score by three orders of multiplication, as routes along float16's number line.

    `routes` maps an order to (entry of q before the product, score); the score is infinity if it got lost.
    """
    line, told = NumberLine(128, 196, page.width - 180, 4, 200_000, log=True), []
    end = line.at(LARGEST)
    page.box(end, 8, page.width - end, line.y - 8, fill="lit", tint=0.25, edge=None, corner=0)
    number_line(page, line, (10, 100, 1_000, 10_000))
    mark(page, line, LARGEST, rise=line.y - 8, colour="lit edge")
    page.text(end, line.y + 8, f"{LARGEST:,}", at="top", size=14, colour="lit text", weight="bold")
    for i, (name, values) in enumerate(routes.items()):
        y, lost = 34 + 54 * i, math.isinf(values[-1])
        places = [page.width - 20 if math.isinf(value) else line.at(value) for value in values]
        with page.step(i):
            page.text(0, y, name, at="left", size=15, weight="bold")
            page.arrow((places[0], y), (places[-1] - 4, y), colour="nothing" if lost else "root", width=2.5)
            page.dot(places[0], y, colour="grey")
            if lost:
                page.text(page.width - 18, y, "∞", size=20, colour="nothing", weight="bold", at="left")
            else:
                page.dot(places[-1], y, colour="root", size=12)
                page.text(places[-1], y - 10, f"{values[-1]:,.0f}", at="bottom", size=14, colour="root", weight="bold")
        told.append(f"{name}: {'lost beyond the end' if lost else f'arrives at {values[-1]:,.0f}'}")
    page.caption("the score itself would fit: what doesn't is the product before it's divided")
    return f"Float16's number line ends at {LARGEST:,}. Three orders to compute one score: {'; '.join(told)}."


@picture(height={"book": 190, "phone": 190, "slide": 204})
def coarse_rulers(page: Page, rulers) -> str:
    """Two stretches of bfloat16's numbers of the same length, and two scores that are rounded to them.

    `rulers` are (title, low, high, the numbers there are, score, what it's rounded to).
    """
    told = []
    for i, (title, low, high, there_are, score, rounded) in enumerate(rulers):
        line = NumberLine(8, 74 + 90 * i, page.width - 30, low, high)
        with page.step(i):
            page.text(8, line.y - 52, title, at="left", weight="bold")
            for value in there_are:
                page.line((line.at(value), line.y - 11), (line.at(value), line.y + 1), colour="score", width=1)
            number_line(page, line, range(math.ceil(low), math.floor(high) + 1), arrow=False)
            x = line.at(score)
            page.arrow((x, line.y - 34), (x, line.y - 12), colour="lit edge", width=2.5)
            where = "left" if x < page.width / 2 else "right"
            shift = 9 if where == "left" else -9
            page.text(x + shift, line.y - 28, f"{score:g} → {rounded:.4g}", at=where, weight="bold", colour="lit text")
        between = f"{len(there_are)} numbers between {low:g} and {high:g}"
        told.append(f"{title.replace('$', '')}: {between}, and {score:g} is rounded to {rounded:.4g}")
    page.caption("every tick is a number that bfloat16 has")
    return f"Two rulers of the same length, with the numbers of bfloat16 as ticks. {'; '.join(told)}."
