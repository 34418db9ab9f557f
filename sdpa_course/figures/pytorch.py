"""Two programs side by side: how far apart they are, in one call and over a training run. For appendix A1."""

import math

import numpy as np

from .kit import Page, picture
from .kit.charts import chart, curve
from .kit.matrices import matrix
from .kit.numberlines import NumberLine, number_line
from .kit.palette import SCALES

LEAST = 1e-17  # a difference of exactly 0 has no place on a logarithmic axis
TINY, VISIBLE = 1e-12, 0.01


def drift(losses, others) -> np.ndarray:
    """Largest |difference| up to each step."""
    return np.maximum(np.maximum.accumulate(np.abs(np.asarray(losses) - others)), LEAST)


def size(difference: float) -> str:
    """A difference in words, coarse: what may not depend on the machine that computed it."""
    if difference < TINY:
        return "below 1e-12"
    return "above 0.01" if difference > VISIBLE else "between 1e-12 and 0.01"


@picture(height={"book": 300, "slide": 330})
def parting(page: Page, pairs: dict, names: dict) -> str:
    """How far two runs that should be equal have come apart so far, step by step, on a logarithmic axis.

    `pairs` is scale -> name -> the two lists of losses; `names` is how each name is written at the end of its curve.
    """
    steps = max(len(a) for runs in pairs.values() for a, _ in runs.values())
    ax = chart(
        page, 62, 26, page.width - 330, page.height - 72, xlabel="training step",
        ylabel="largest difference in the loss", xlim=(0, steps), ylim=(-17.5, 1.5), yticks=[-16, -12, -8, -4, 0],
    )  # fmt: skip
    ax.set_yticklabels(["$10^{%d}$" % power if power else "1" for power in ax.get_yticks()])  # noqa: UP031
    told = []
    for scale, runs in pairs.items():
        label, colour = SCALES[scale]
        for i, (name, (a, b)) in enumerate(runs.items()):
            gap = drift(a, b)
            last = np.log10(gap[-1]) + (0.7 - 1.4 * i if len(runs) > 1 else 0)  # two names don't touch
            with page.step(i):
                curve(page, ax, np.arange(len(gap)), np.log10(gap), colour=colour, dash=("-", (0, (4, 2)))[i])
                page.text(len(gap), last, f" {label}: {names[name]}", at="left", colour=colour, size=14, ax=ax)
            told.append(f"{label.replace('$', '')}, {names[name]}: {size(gap[0])} at first, {size(gap[-1])} at the end")
    page.caption("higher: further apart; each curve shows the largest difference so far")
    return f"Differences between two runs of {steps} training steps, on a logarithmic axis. {'; '.join(told)}."


@picture(height={"book": 214, "slide": 240})
def gaps_apart(page: Page, groups: dict) -> str:
    """Gaps as dots on a logarithmic line, a row for each group: name -> (what they are, colour, gaps)."""
    rows, told = 52, []
    line = NumberLine(178, 28 + rows * len(groups), page.width - 210, LEAST, 10, log=True)
    powers = (1e-16, 1e-12, 1e-8, 1e-4, 1)
    number_line(page, line, powers, names=["$10^{-16}$", "$10^{-12}$", "$10^{-8}$", "$10^{-4}$", "1"])
    for i, (name, (words, colour, gaps)) in enumerate(groups.items()):
        y = 24 + rows * i
        with page.step(i):
            page.text(0, y - 9, name, at="left", weight="bold")
            page.text(0, y + 11, words, at="left", colour="grey", size=13)
            for gap in gaps:
                page.dot(line.at(max(gap, LEAST)), y, colour=colour, size=11)
        low, high = min(gaps), max(gaps)
        told.append(f"{name}, {words}: " + (f"from {low:.1f} to {high:.1f}" if low > VISIBLE else below(high)))
    page.caption("each dot is one comparison: the largest difference, relative to the largest entry")
    return f"Gaps between two programs on a logarithmic line. {'; '.join(told)}."


def below(gap: float) -> str:
    """A bound on rounding that holds on other machines, too."""
    return f"all below 1e{max(-12, math.ceil(math.log10(max(gap, LEAST))) + 1)}"


@picture(height={"book": 230, "slide": 250})
def forgetful(page: Page, sizes, out_gaps, gradient_gaps) -> str:
    """What a forgotten scale does to the output and to the gradient of Q, as queries and keys shrink."""
    ax = chart(
        page, 40, 26, page.width - 250, page.height - 78, xlabel="size of the entries of Q and K",
        ylabel="gap", xlim=(-0.06, 2.06), ylim=(0, 3.6), yticks=(0, 1, 2, 3), xticks=(0, 1, 2),
    )  # fmt: skip
    ax.set_xticklabels([f"{each:g}" for each in sizes])
    for i, (values, name, colour) in enumerate(
        ((out_gaps, "gap of out", "out"), (gradient_gaps, "gap of dQ", "blame"))
    ):
        with page.step(i):
            curve(page, ax, [0, 1, 2], values, colour=colour)
            words = f"{name}: {values[-1]:.2g}"
            page.text(2.1, values[-1] + 0.12, words, at="left", colour=colour, weight="bold", ax=ax)
    page.headline("Small inputs hide a missing scale from the output, not from the gradient")
    pairs = zip(sizes, out_gaps, gradient_gaps, strict=True)
    told = "; ".join(f"size {each:g}: {out:.2f} and {gradient:.2f}" for each, out, gradient in pairs)
    return f"Two curves: the gaps of the output and of dQ when the scale is forgotten, by the size of Q and K. {told}."


@picture(height={"book": 262, "slide": 280})
def stacked(page: Page, d_model: int, d_k: int, heads: int) -> str:
    """Three projections, turned and stacked into PyTorch's one tall matrix; the rows of one head are lit."""
    unit = 78 / d_model
    for i, (name, colour) in enumerate((("Q", "q"), ("K", "k"), ("V", "v"))):
        flat = np.zeros((d_model, d_model))
        x = 18 + 120 * i
        matrix(
            page, x, 92, flat, colour=colour, cell=unit, numbers=False, name=f"$W_{name}$",
            lit=[(row, column) for row in range(d_model) for column in range(d_k)] if i == 1 else (),
            below=f"({d_model}, {d_model})",
        )  # fmt: skip
        with page.step(1):
            matrix(
                page, 520, 10 + (78 + 4) * i, flat, colour=colour, cell=unit, numbers=False,
                lit=[(row, column) for row in range(d_k) for column in range(d_model)] if i == 1 else (),
            )  # fmt: skip
            page.text(608, 49 + (78 + 4) * i, rf"$W_{name}^\top$", at="left", colour=colour, weight="bold", size=16)
    page.arrow((372, 131), (506, 131), "turn and stack")
    page.caption(f"amber: the keys of head 0, {d_k} of {heads * d_k} columns here and {d_k} rows there")
    return (
        f"W_Q, W_K and W_V, each {d_model} by {d_model}, turned on their side and stacked into one matrix of "
        f"{3 * d_model} by {d_model}. Lit: the keys of head 0, {d_k} columns of W_K, which become rows {d_model} to "
        f"{d_model + d_k - 1}."
    )
