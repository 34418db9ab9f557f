"""Why a root? A dot product as a walk, a crowd of walks, one step squared, steps at right angles. For notebook 02."""

from itertools import pairwise

import numpy as np

from .kit import Block, Page, picture
from .kit.charts import chart, curve, outline, staircase, walks
from .kit.matrices import number, percent

SIGNS = {1: "+", -1: "−"}


@picture(height=92)
def lost_terms(page: Page, terms: int, found: float) -> str:
    """What the terms would add up to if they were all alike, and what they do add up to, to scale."""
    long = page.width - (0 if page.narrow else 160)
    for y, length, colour, words in (
        (18, terms, "line", f"{terms}: all alike"),
        (66, found, "lit", f"{found:.0f}: what we measured"),
    ):
        page.box(0, y - 12, long * length / terms, 24, fill=colour, edge=None, corner=0)
        if page.narrow and length == terms:
            page.text(long / 2, y, words, colour="ink")
        else:
            page.text(long * length / terms + 10, y, words, at="left", weight="bold")
    page.caption(f"{terms} terms of typical size 1, added up: lengths to scale")
    return (
        f"Two bars to scale. {terms} terms that are all copies of the first reach {terms}; the measured sums are about "
        f"{found:.0f}."
    )


@picture(height={"book": 230, "phone": 470, "slide": 260})
def two_walks(page: Page, q, k, coins_q, coins_k) -> str:
    """A dot product term by term: Apple · phones only climbs, eight coins times eight coins go up and down."""
    terms, steps = np.multiply(q, k), np.multiply(coins_q, coins_k)
    left, right = (Block(0, 0, 260, 230), Block(320, 0, 380, 230))
    if page.narrow:
        left, right = Block(0, 0, 340, 230), Block(0, 245, 340, 225)
    page.text(left.x, 0, "Apple · phones: always up", at="top left", weight="bold")
    products = [f"{a} · {b}" for a, b in zip(q, k, strict=True)]
    staircase(page, left._replace(y=18, high=left.high - 18), terms, products, unit=20, end=number(terms.sum()))
    with page.step(1):
        page.text(right.x, right.y, "eight coins times eight coins: steps cancel", at="top left", weight="bold")
        signs = [f"{SIGNS[a]} · {SIGNS[b]}" for a, b in zip(coins_q, coins_k, strict=True)]
        end = f"{steps.sum():+d}".replace("-", "−")
        staircase(page, right._replace(y=right.y + 18, high=right.high - 18), steps, signs, unit=32, end=end)
    page.key("under each step, the two entries whose product it is")
    return (
        f"Two staircases. Apple · phones takes the steps {', '.join(map(number, terms))} and only climbs, to "
        f"{number(terms.sum())}. Eight coins times eight coins take steps of +1 and −1 and end at {end}."
    )


@picture(height={"book": 300, "phone": 610, "slide": 300})
def crowd(page: Page, positions, *, shown: int = 200) -> str:
    """Many walks inside ±√c, and beside them the average of all squared positions, which grows by 1 a step.

    `positions` is (walkers, steps): where each walker is after 1, 2, … steps. The first `shown` walks are drawn.
    """
    walkers, steps = np.shape(positions)
    paths = np.hstack([np.zeros((walkers, 1)), positions])
    c, root = np.arange(steps + 1), np.sqrt(steps)
    fan = (34, 24, 300, 240) if page.narrow else (34, 24, 400, 236)
    square = (34, 336, 250, 230) if page.narrow else (500, 24, 160, 236)
    limit = 4 * root
    ax = chart(
        page, *fan, xlabel="steps taken so far, $c$", ylabel="position", xlim=(0, steps * 1.12), ylim=(-limit, limit)
    )
    ends = paths[:shown, -1]
    faces = [int(np.abs(ends - place).argmin()) for place in (1.4 * root, -0.2 * root, -1.3 * root)]
    walks(page, ax, paths[:shown], faces=faces)
    curve(page, ax, c, np.sqrt(c), colour="ink", dash="--", name=r"$\sqrt{c}$")
    curve(page, ax, c, -np.sqrt(c), colour="ink", dash="--", name=r"$-\sqrt{c}$")
    ax.set_xticks(np.linspace(0, steps, 6))
    with page.step(1):
        mean_square = (paths**2).mean(axis=0)
        side = chart(page, *square, xlabel="$c$", ylabel="average square", xlim=(0, steps), ylim=(0, 1.32 * steps))
        curve(page, side, c, c, colour="ink", dash="--", width=2)
        curve(page, side, c, mean_square, colour="score", width=3)
        page.text(0.04 * steps, 1.16 * steps, "+1 with every step", at="left", size=14, weight="bold", ax=side)
        side.set_xticks([0, steps // 2, steps])
        side.set_yticks([0, steps // 2, steps])
    page.caption(
        f"left: {len(ends)} of the {walkers:,} walkers, three of them coloured; right: all of them; dashed: predicted"
    )
    within = (np.abs(paths[:, -1]) <= root).mean()
    return (
        f"Left, {len(ends)} random walks of {steps} steps fan out around zero; dashed curves at plus and minus the "
        f"root of c. Of all {walkers:,} walks {percent(within)} end at or within them. Right, the average of their "
        f"squared positions climbs along a straight line from 0 to {mean_square[-1]:.0f} after {steps} steps: about 1 "
        "a step."
    )


@picture(height={"book": 150, "phone": 520, "slide": 170})
def one_step(page: Page, places) -> str:
    """From each place one more coin leads to two others; the average of their squares is the old square plus 1."""
    for block, s in zip(page.panels(len(places), high=150, gap=28), places, strict=True):
        x, y = block.x, block.y + 75
        page.text(x + 35, y - 30, f"square {s * s}", at="bottom", colour="grey", size=13)
        start = page.box(x, y - 20, 70, 40, f"at {s}", edge="score")
        for sign in (1, -1):
            t, end_y = s + sign, y - sign * 52
            squared = f"({number(t)})² = {t * t}" if t < 0 else f"{t}² = {t * t}"
            end = page.box(x + 112, end_y - 17, 98, 34, squared, fill="score", tint=0.16, edge=None)
            page.arrow(start.right, end.left, colour="score")
            page.text(x + 78, y - sign * 34, f"{SIGNS[sign]}1", size=14, colour="score", weight="bold")
        page.text(x + 161, y, f"average {s * s + 1}", weight="bold")
    page.caption("wherever you stand, one more step raises the average square by exactly 1")
    return "Small trees. " + " ".join(
        f"From {s}, with square {s * s}, a coin leads to {s + 1} or {s - 1}, whose squares average {s * s + 1}."
        for s in places
    )


@picture(height={"book": 330, "phone": 590, "slide": 330})
def spiral(page: Page, sides: int) -> str:
    """Sides of length 1, each at a right angle to the total so far: the total grows like a root."""
    unit, (x0, y0) = (38, (145, 140)) if page.narrow else (44, (165, 142))
    corners, angle = [np.array([1.0, 0.0])], 0.0
    for c in range(1, sides):
        angle += np.arctan(1 / np.sqrt(c))
        corners.append(np.sqrt(c + 1) * np.array([np.cos(angle), np.sin(angle)]))

    def at(point):
        return x0 + unit * point[0], y0 - unit * point[1]

    for c, (a, b) in enumerate(pairwise(corners)):
        page.shape(at((0, 0)), at(a), at(b), fill="score", tint=0.06 + 0.4 * c / sides, edge="paper")
        inward, along = -0.14 * a / np.linalg.norm(a), 0.14 * (b - a)
        page.line(at(a + inward), at(a + inward + along), at(a + along), colour="grey", width=1)
    for a, b in zip([np.zeros(2), *corners], corners, strict=False):
        page.line(at(a), at(b), colour="score", width=4)
    for c in (i * i for i in range(2, int(np.sqrt(sides)) + 1)):
        tip = corners[c - 1]
        page.line(at((0, 0)), at(tip), dash="--", width=2)
        page.text(*at(tip * (1 + 0.72 / np.sqrt(c))), rf"$\sqrt{{{c}}}$ = {int(np.sqrt(c))}", size=15)
    page.dot(x0, y0)
    x, y = (20, 340) if page.narrow else (420, 30)
    length = 260 / sides
    for i, (how, reach) in enumerate(
        (("at right angles", np.sqrt(sides)), ("all the same way", sides), ("there and back", 0))
    ):
        with page.step(i):
            top = y + 86 * i
            page.text(x, top, how, at="top left", weight="bold", size=15)
            page.text(x, top + 22, f"{sides} sides of length 1 reach {reach:.0f}", at="top left", colour="grey")
            for c in range(sides if reach == sides else 0):
                page.line((x + length * c + 2, top + 54), (x + length * (c + 1) - 2, top + 54), colour="score", width=4)
            if 0 < reach < sides:
                page.line((x, top + 54), (x + length * reach, top + 54), dash="--", width=2.5)
            for c in range(0 if reach else sides):
                page.line((x, top + 48 + 1.6 * c), (x + length, top + 48 + 1.6 * c), colour="score", width=0.9)
    page.caption("each new side is at a right angle to the total so far, so the total grows like a root")
    return (
        f"A spiral of {sides - 1} right triangles. Each adds a side of length 1 at a right angle to the total so far, "
        f"so the distance from the centre runs through the roots, up to {np.sqrt(sides):.0f} after {sides} sides. Laid "
        f"end to end the same sides reach {sides}; there and back they reach 0."
    )


@picture(height={"book": 300, "phone": 860, "slide": 330})
def three_rules(page: Page, scores: dict) -> str:
    """The same scores under three rules, d_k from top to bottom; the number is the standard deviation."""
    rules = (
        ("÷ nothing: it widens", "nothing", lambda d_k: 1.0),
        (r"÷ $\sqrt{d_k}$: it stays", "root", np.sqrt),
        (r"÷ $d_k$: it vanishes", "full", float),
    )
    words = []
    for i, (name, colour, divisor) in enumerate(rules):
        x, y, wide = (56, 290 * i, 280) if page.narrow else (58 + 220 * i, 0, 196)
        with page.step(i):
            page.text(x + wide / 2, y + 16, name, at="baseline", weight="bold", colour=colour, size=16)
            ax = page.axes(x, y + 30, wide, 232)
            ax.set(xlim=(-9, 9), ylim=(-0.02, len(scores)), yticks=[], xticks=[-8, -4, 0, 4, 8])
            ax.spines["left"].set_visible(False)
            for row, (d_k, samples) in enumerate(scores.items()):
                floor = len(scores) - 1 - row
                values = np.asarray(samples) / divisor(d_k)
                std = float(np.std(values))
                bins = np.linspace(-9, 9, 73 if std < 4 else 19)
                beyond = outline(page, ax, values, colour=colour, floor=floor, high=0.7, bins=bins)
                ax.axhline(floor, color=page.colour("line"), linewidth=0.8, zorder=0)
                label = f"{std:.0f}" if std >= 9.5 else f"{std:.1f}" if std >= 0.95 else f"{std:.2f}"
                page.text(8.8, floor + 0.78, label, at="bottom right", weight="bold", colour=colour, size=15, ax=ax)
                if beyond > 0.01:
                    page.text(
                        -8.8,
                        floor + 0.78,
                        f"{percent(beyond)} outside",
                        at="bottom left",
                        colour="grey",
                        size=12,
                        ax=ax,
                    )
                if i == 0 or page.narrow:
                    page.text(
                        x - 8, y + 30 + 232 * (row + 0.7) / len(scores), f"$d_k$ = {d_k}", at="right", colour="grey"
                    )
                words.append(f"{name.split(':')[0]} at d_k = {d_k}, {label}")
    page.key("the number is the standard deviation; every histogram is drawn to the same height")
    said = "; ".join(words).replace(r"$\sqrt{d_k}$", "root of d_k").replace("$", "")
    return f"Histograms of scores under three rules, with their standard deviations: {said}."
