"""How to measure a slope: subtract two values that nearly agree, or step off into the imaginary. For appendix A3."""

import numpy as np

from .kit import Page, picture
from .kit.charts import chart, curve
from .kit.matrices import number
from .kit.papers import POINT


@picture(height={"book": 150, "phone": 182, "slide": 170})
def lost_digits(page: Page, up: str, down: str, difference: str) -> str:
    """Two values of a function digit by digit, and their difference: the digits that agree are gone.

    Each is a string with as many digits after the point as the others.
    """
    same = next(i for i, (a, b) in enumerate(zip(up, down, strict=True)) if a != b)
    left, cell = (0, page.width / len(up)) if page.narrow else (150, (page.width - 150) / len(up))
    rows = (("$f(x + h)$", up), ("$f(x - h)$", down), ("difference", difference))
    for i, (name, digits) in enumerate(rows):
        y = (24, 82, 150)[i] if page.narrow else (10, 54, 116)[i]
        page.text(0, y - 4 if page.narrow else y + 13, name, at="bottom left" if page.narrow else "left", colour="grey")
        with page.step(1 if i == 2 else 0):
            for j, digit in enumerate(digits):
                kept = j >= same
                if i == 2 and not kept:
                    continue
                page.box(left + cell * j, y, cell - 2, 27, digit, fill="lit" if kept else "pale", tint=0.75, edge=None,
                         corner=2, size=15, colour="on lit" if kept else "grey")  # fmt: skip
    rule = 117 if page.narrow else 98
    page.line((left, rule), (page.width, rule), colour="grey", width=1.2)
    kept = len(up) - same
    page.caption(f"{same - 2} digits after the point agree, and subtracting wipes them out; {kept} are left")
    return (
        "Two values of a function written out digit by digit, one above the other, and below them their difference. "
        f"After the point the first {same - 2} digits agree and cancel, and only the last {kept} are left."
    )


@picture(height={"book": 250, "phone": 500, "slide": 260})
def complex_nudge(page: Page, x: float, value: float, slope: float) -> str:
    """An imaginary nudge: the value stays on the real axis, and the slope comes out as height above it."""
    planes = (("into the function", x, 120.0, "$h$"), ("out of it", value, 120.0 * slope, "slope × $h$"))
    for i, (block, (name, place, rise, words)) in enumerate(
        zip(page.panels(2, high=240, gap=20 if page.narrow else 60), planes, strict=True)
    ):
        ground, middle = block.y + 178, block.x + 0.45 * block.wide
        apart = 92.0 if i == 0 else 92.0 * slope
        with page.step(i):
            page.text(block.x, block.y, name, at="top left", weight="bold")
            page.arrow((block.x, ground), (block.x + block.wide, ground), colour="grey", width=1.6)
            page.text(block.x + block.wide, ground + 8, "real", at="top right", colour="grey", size=12)
            page.arrow((block.x + 12, ground), (block.x + 12, block.y + 34), colour="grey", width=1.6)
            page.text(block.x + 20, block.y + 40, "imaginary", at="left", colour="grey", size=12)
            for side in (-1, 1):
                page.line((middle + side * apart, ground - 5), (middle + side * apart, ground + 5), colour="score")
            page.line((middle - apart, ground), (middle + apart, ground), colour="score", width=5)
            page.dot(middle, ground, size=11)
            page.text(middle, ground + 12, number(place, None if i == 0 else 2), at="top", weight="bold")
            page.text(middle, ground + 36, "differences: there and back" if i == 0 else "subtract the two ends",
                      at="top", colour="score", size=13)  # fmt: skip
            tip = ground - rise
            page.arrow((middle, ground - 4), (middle, tip - 4), colour="lit edge", width=4)
            page.text(middle + 12, (ground + tip) / 2 - 4, words, at="left", colour="lit edge", weight="bold", size=15)
    page.caption("amber: the nudge at a right angle to the values; what comes out on that axis is the slope alone")
    return (
        f"Two planes with a real and an imaginary axis. In the first, the point {number(x)} is nudged up by h; "
        f"in the second, the value {value:.2f} stays on the real axis, and above it stands the slope times h. Along "
        "the real axis, differences go there and back and subtract two ends."
    )


@picture(height={"book": 260, "phone": 290, "slide": 290})
def step_sizes(page: Page, steps, differences, imaginary) -> str:
    """The error of a slope against the size of the nudge: differences turn up again, the complex step doesn't."""
    x, floor = np.log10(steps), 1e-17
    ax = chart(page, 46, 24, page.width - 60, 190, xlabel="size of the nudge $h$", ylabel="error of the slope",
               xlim=(x.min() - 0.3, x.max() + 0.3), ylim=(-18, 1))  # fmt: skip
    ticks = [power for power in range(-20, 1, 5) if power >= x.min()]
    ax.set_xticks(ticks, [f"$10^{{{power}}}$" for power in ticks])
    ax.set_yticks([-15, -10, -5, 0], [f"$10^{{{power}}}$" for power in (-15, -10, -5, 0)])
    for errors, colour, marker, words, left, height, step in (
        (differences, "nothing", "o", "differences", 0.2, -3.4, 0),
        (imaginary, "root", "s", "complex step", 0.2, -13.6, 1),
    ):
        with page.step(step):
            y = np.log10(np.maximum(errors, floor))
            curve(page, ax, x, y, colour=colour)
            ax.plot(x, y, marker, color=page.colour(colour), markersize=6 * POINT)
            page.text(x.min() + left, height, words, at="left", colour=colour, weight="bold", ax=ax)
    page.caption("to the left the nudge gets smaller; an error of exactly 0 is drawn at the bottom")
    best = int(np.argmin(differences))
    return (
        f"Error of a measured slope against the size of the nudge from {steps[0]:.0e} to {steps[-1]:.0e}, both axes "
        f"logarithmic. Differences draw a V with its lowest point at {steps[best]:.0e}, and for the smallest nudges "
        "they give nothing. The complex step falls to the rounding error and stays there."
    )
