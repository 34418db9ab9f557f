"""Scores that grow while a head learns, how they can, and what each cure does to them. Notebook 10."""

import numpy as np

from ..experiments.cures import Followed
from .drawing import styled
from .kit import Page, picture
from .kit.charts import chart
from .kit.matrices import number
from .kit.papers import POINT

# What can be trained with, by name: the words on a picture, their colour and dash.
CURE_LOOKS = {
    "1": ("no scale", "nothing", ":"),
    "1/sqrt(d_k)": ("÷ √$d_k$", "root", "-"),
    "1/d_k": ("÷ $d_k$", "full", "--"),
    "cap 50": ("cap 50", "k", (0, (6, 2))),
    "cap 5": ("cap 5", "out", ":"),
    "learned": ("learned", "v", "-."),
    "QK-norm": ("QK-norm", "weight", "--"),
    "QK-norm, no gains": ("no gains", "model", (0, (4, 1, 1, 1))),
    "QK-norm, 1": ("QK-norm, · 1", "nothing", ":"),
    "QK-norm, 1/d_k": ("QK-norm, ÷ $d_k$", "full", "-."),
}
TICKS = {1: "1", 100: "100", 10_000: "10⁴"}


@picture(height={"book": 236, "slide": 262})
def three_curves(page: Page, runs: dict[str, Followed], result: str, looks: dict | None = None) -> str:
    """Largest score, entropy and loss while training, every seed pale and their median bold; name -> runs."""
    looks = looks or {name: CURE_LOOKS[name] for name in runs}
    blocks, told = page.panels(3, high=190, gap=44, top=44), []
    titles = (("largest score", "largest"), ("entropy ÷ log n", "entropy"), ("loss", "loss"))
    x = 0.0
    for i, (words, colour, dash) in enumerate(looks[name] for name in runs):
        with page.step(i):
            page.line((x, 8), (x + 28, 8), colour=colour, dash=dash, width=3)
            page.text(x + 34, 8, words, at="left", colour=colour, weight="bold", size=14)
        x += 34 + page.measure(words, page.size(14), "bold")[0] + 18
    for block, (title, field) in zip(blocks, titles, strict=True):
        ax = chart(page, block.x + 46, block.y, block.wide - 50, 142, xlabel="step", ylabel=title, xlim=(0, 600))
        for i, (name, run) in enumerate(runs.items()):
            _, colour, dash = looks[name]
            values = getattr(run, field)
            values = np.log10(np.maximum(values, 1)) if field == "largest" else values
            with page.step(i):
                bold = {"color": page.colour(colour), "linestyle": dash, "linewidth": 2.6 * POINT}
                ax.plot(run.steps, values.T, color=page.colour(colour), linewidth=0.8 * POINT, alpha=0.35)
                ax.plot(run.steps, np.median(values, axis=0), **bold)
        ax.set_xticks([0, 300, 600])
        if field == "largest":
            ax.set(ylim=(0, 5.3), yticks=np.log10(list(TICKS)), yticklabels=list(TICKS.values()))
        else:
            ax.set(**{"ylim": (-0.02, 1.02), "yticks": [0, 1]} if field == "entropy" else {"ylim": (-0.2, 10)})
    for name, run in runs.items():
        words = looks[name][0].replace("$", "")
        size = number(float(f"{run.last('largest'):.1g}"))
        right = f"right answers {100 * np.mean(run.accuracy):.0f} %"
        told.append(f"{words}, largest score about {size}, entropy {run.last('entropy'):.1f}, {right}")
    page.headline(result)
    return f"Three charts over 600 steps: largest score, entropy and loss. At the end, {'; '.join(told)}."


@picture(height={"book": 178, "phone": 470})
def feedback(page: Page) -> str:
    """Why nothing stops a score from growing once its key is the right one."""
    steps = [
        "the right key\nis ahead",
        "a longer lead\nlowers the loss",
        "q and k turn\nand stretch",
        "its score\ngrows",
    ]
    wide, places = 138, []
    for i, words in enumerate(steps):
        x, y = (100, 8 + 112 * i) if page.narrow else (8 + 180 * i, 34)
        with page.step(i):
            places.append(page.box(x, y, wide, 66, fill="score" if i % 2 else "weight", tint=0.16))
            page.text(x + wide / 2, y + 33, words, size=15)
            if i:
                before = places[i - 1]
                ends = (before.bottom, places[i].top) if page.narrow else (before.right, places[i].left)
                page.arrow(*ends)
    with page.step(3):
        if page.narrow:
            page.line(places[3].left, (50, places[3].left[1]), (50, places[0].left[1]), colour="lit edge")
            page.arrow((50, places[0].left[1]), places[0].left, colour="lit edge")
        else:
            last, first = places[3].bottom, places[0].bottom
            page.line(last, (last[0], 134), (first[0], 134), colour="lit edge")
            page.arrow((first[0], 134), first, colour="lit edge")
            page.text(page.width / 2, 146, "and again: no step asks for less", at="top", colour="lit text", size=14)
    page.caption("The loss never says “enough”. Each step that helps makes the score a little larger.")
    return (
        "A loop of four boxes: the right key is ahead; a longer lead lowers the loss; so q and k turn and stretch; its "
        "score grows; and again. No step asks for less."
    )


@picture(height={"book": 206, "phone": 560})
def turn_or_stretch(page: Page) -> str:
    """Two ways to a larger score, and the one that a normalisation leaves."""
    told = (("turn", 18, 1.0, 1.0), ("stretch", 52, 1.7, 1.5), ("normalise: only the turn is left", 18, 1.0, 1.0))
    for i, (block, (words, angle, long_q, long_k)) in enumerate(
        zip(page.panels(3, high=166, gap=24), told, strict=True)
    ):
        with page.step(i):
            corner = (block.x + 46, block.y + 150)
            page.text(block.x, block.y, words, at="top left", weight="bold", size=15)
            if i == 2:
                turns = np.radians(np.linspace(0, 90, 40))
                arc = zip(corner[0] + 72 * np.cos(turns), corner[1] - 72 * np.sin(turns), strict=True)
                page.line(*arc, colour="line", dash="--")
            else:
                tip(page, corner, 10, 72, "grey")
                tip(page, corner, 62, 72, "grey")
            tip(page, corner, 10, 72 * long_k, "k", "k")
            tip(page, corner, 10 + angle, 72 * long_q, "q", "q")
    page.caption("A score is length × length × cosine. Lengths have no limit; a cosine ends at 1.")
    return (
        "Three drawings of a query and a key as arrows. Their score grows if one turns towards the other, or if they "
        "get longer. With both on a circle, only the turn is left."
    )


def tip(page: Page, corner, degrees: float, length: float, colour: str, words: str = "") -> None:
    """An arrow at an angle, with its name beyond its tip."""
    way = np.array([np.cos(np.radians(degrees)), -np.sin(np.radians(degrees))])
    end = np.array(corner) + length * way
    page.arrow(corner, tuple(end), colour=colour, width=1.4 if colour == "grey" else 2.6, dash="-")
    if words:
        page.text(*(end + 13 * way), words, colour=colour, weight="bold", size=16)


@picture(height={"book": 196, "phone": 800, "slide": 214})
def in_and_out(page: Page) -> str:
    """Score in, score out, for each cure; the dashed diagonal changes nothing."""
    given = np.linspace(0, 100, 101)
    panels = {
        "soft cap at 50": [(50 * np.tanh(given / 50), "k", "-", "")],
        "soft cap at 5": [(5 * np.tanh(given / 5), "out", "-", "")],
        "learned": [(1.4 * given, "v", "-", "× 1.4"), (0.5 * given, "v", "-", "× 0.5")],
        "QK-norm": [
            (8 * np.ones(101), "weight", "-", "cosine 1"),
            (2.4 * np.ones(101), "weight", "-", "cosine 0.3"),
        ],
    }
    for i, (block, (name, curves)) in enumerate(zip(page.panels(4, high=170, gap=18), panels.items(), strict=True)):
        with page.step(i):
            page.text(block.x, block.y, name, at="top left", weight="bold", size=15)
            ax = page.axes(block.x + 22, block.y + 30, block.wide - 24, 118)
            ax.plot(given, given, "--", color=page.colour("grey"), linewidth=1.2 * POINT)
            for j, (values, colour, dash, words) in enumerate(curves):
                ax.plot(given, values, dash, color=page.colour(colour), linewidth=2.6 * POINT)
                place = ((44, 88, "right"), (96, 32, "right"))[j] if name == "learned" else (98, 36 - 17 * j, "right")
                page.text(place[0], place[1], words, at=place[2], colour=colour, size=13, ax=ax)
            ax.set(xlim=(0, 100), ylim=(0, 100), xticks=[0, 50, 100], yticks=[0, 50, 100])
            if i:
                ax.set_yticklabels([])
    page.key("across: the score as q and k make it, growing with their lengths; up: the score that softmax sees")
    page.caption(
        "A cap bends, a learned factor tilts, QK-norm takes the lengths away: two cosines, 0.3 and 1, at √$d_k$ = 8."
    )
    return (
        "Four curves of score out against score in, from 0 to 100. A cap at 50 bends off gently, a cap at 5 is "
        "flat almost at once, a learned factor is a straight line of any slope, and QK-norm is flat: the length of q "
        "and k doesn't count."
    )


@picture(height={"book": 252, "slide": 300})
def edge_map(page: Page, rows: list[str], columns: list[str], shares, result: str, lit=()) -> str:
    """Right answers as a table, darker for more: one row for each rule, one column for each learning rate."""
    shares = np.asarray(shares)
    left, wide = 190, (page.width - 200) / len(columns)
    high = min(30, (page.height - 70) / len(rows))
    page.text(left, 8, "learning rate", at="left", colour="grey", size=13)
    for j, name in enumerate(columns):
        page.text(left + (j + 0.5) * wide, 32, name, colour="grey", size=14)
    for i, name in enumerate(rows):
        y = 46 + i * high
        with page.step(i):
            page.text(left - 10, y + high / 2, name, at="right", size=14)
            for j, share in enumerate(shares[i]):
                bright = (i, j) in lit
                page.box(
                    left + j * wide, y, wide, high, f"{100 * share:.0f} %", fill="lit" if bright else "weight",
                    tint=1 if bright else 0.05 + 0.45 * share, edge="paper", corner=0, size=14,
                    colour="on lit" if bright else None,
                )  # fmt: skip
    page.headline(result)
    best = [
        f"{name.replace('$', '')}: {', '.join(f'{100 * s:.0f}' for s in row)}"
        for name, row in zip(rows, shares, strict=True)
    ]
    return f"A table of right answers in per cent at the learning rates {', '.join(columns)}. {'; '.join(best)}."


@picture(height={"book": 232, "phone": 440, "slide": 262})
def widths_beside(page: Page, groups: dict[str, dict[int, Followed]], result: str) -> str:
    """The largest score while training at several widths, one panel for each scale: its name -> d_k -> runs."""
    told = []
    for i, (block, (name, runs)) in enumerate(
        zip(page.panels(2, high=176, gap=44, top=22), groups.items(), strict=True)
    ):
        with page.step(i):
            ax = chart(
                page, block.x + 46, block.y + 8, block.wide - 150, 136, xlabel="step", ylabel=name, xlim=(0, 600)
            )
            ends = []
            for run, dash in zip(runs.values(), ("-", "--", ":"), strict=True):
                middle = np.log10(np.maximum(np.median(run.largest, axis=0), 0.1))
                ax.plot(run.steps, middle, dash, color=page.colour("score"), linewidth=2.6 * POINT)
                ends.append(middle[-1])
            if np.ptp(ends) < 0.3:  # one name for curves that end together
                names = {", ".join(str(d_k) for d_k in runs): np.mean(ends)}
            else:
                names, floor = {}, -np.inf
                for d_k, end in zip(runs, ends, strict=True):
                    names[str(d_k)] = floor = max(end - 0.35, floor + 0.72)
            for words, end in names.items():
                page.text(616, end, f"$d_k$ = {words}", at="left", colour="score", size=14, ax=ax)
            ax.set(ylim=(-1, 4), yticks=(0, 2, 4), yticklabels=list(TICKS.values()))
        sizes = {d_k: number(float(f"{run.last('largest'):.2g}")) for d_k, run in runs.items()}
        ends = ", ".join(f"{size} at {d_k}" for d_k, size in sizes.items())
        told.append(f"{name.replace('$', '')}: {ends}")
    page.headline(result)
    return f"Two charts over 600 steps, the largest score at three widths d_k. At the end, {'; '.join(told)}."


@styled
def run_curves(axes, result: Followed) -> str:
    """The slider's picture: largest score, entropy and loss of the stored runs of one setting, and their median."""
    shown = {
        "largest score": np.log10(np.maximum(result.largest, 0.1)),
        "entropy ÷ log n": result.entropy,
        "loss": result.loss,
    }
    for ax, (title, values) in zip(axes, shown.items(), strict=True):
        ax.plot(result.steps, values.T, color="C0", linewidth=0.8, alpha=0.5)
        ax.plot(result.steps, np.median(values, axis=0), color="black", linewidth=2.2)
        ax.set(title=title, xlabel="step", xlim=(0, 600), xticks=(0, 300, 600))
    axes[0].set(ylim=(-1, 6.2), yticks=(-1, 0, 2, 4, 6), yticklabels=("0.1", "1", "100", "10,000", "1,000,000"))
    axes[1].set(ylim=(-0.03, 1.03), yticks=(0, 0.5, 1))
    axes[2].set(ylim=(-0.3, 12), yticks=(0, 4, 8, 12))
    rule, right = result.rule.replace("sqrt(d_k)", "√d_k"), f"{100 * result.accuracy.mean():.0f} % right"
    return (
        f"Three charts over 600 steps, {rule} at learning rate {result.learning_rate:g} and d_k = {result.d_k}, five "
        f"runs and their median. At the end: largest score about {result.last('largest'):.1g}, entropy "
        f"{result.last('entropy'):.1f}, {right}."
    )
