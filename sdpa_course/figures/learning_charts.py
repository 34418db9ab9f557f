"""How fast a head learns, if it does: steps to 90 % by scale, additive scores, other starts. Notebook 09."""

import numpy as np

from .kit import Block, Page, picture
from .kit.charts import chart, curve
from .kit.matrices import matrix, percent

RULES = {
    "1": ("no scale", "nothing"),
    "1/sqrt(d_k)": ("÷ √$d_k$", "root"),
    "1/d_k": ("÷ $d_k$", "full"),
    "1/sqrt(d_model)": ("÷ √$d_{model}$", "model"),
    "additive": ("additive", "k"),
}
LAST = 600  # steps of a run
LINE = 21  # pixels of a row


def plain(name: str) -> str:
    """A rule's name without typesetting, to be read out."""
    return name.translate(str.maketrans("", "", "${}"))


@picture(height={"book": 446, "phone": 900})
def late_or_lost(page: Page, groups: dict) -> str:
    """When every run first gets 90 % right, one row of dots for each scale; the runs that never did are counted.

    `groups` is title -> {(optimiser, scale): steps, NaN for a run that never got there}.
    """
    blocks = page.panels(2, high=212, gap=26)
    blocks = [
        Block(b.x, b.y + row * (2 if page.narrow else 1) * 230, b.wide, b.high) for row in range(2) for b in blocks
    ]
    told = []
    for number, (block, (title, rows)) in enumerate(zip(blocks, groups.items(), strict=False)):
        left, wide = block.x + 88, block.wide - 88 - 76
        with page.step(number):
            page.text(block.x, block.y, title, at="top left", weight="bold", size=15)
            y, before, said = block.y + 22, None, []
            for (optimiser, scale), steps in sorted(rows.items(), key=lambda row: row[0][0], reverse=True):
                if optimiser != before:
                    page.text(left, y + 11, optimiser, at="left", colour="grey", size=13)
                    y, before = y + LINE, optimiser
                steps, (name, colour) = np.asarray(steps, dtype=float), RULES[scale]
                reached = steps[np.isfinite(steps)]
                page.text(left - 10, y + 10, name, at="right", colour=colour, weight="bold", size=13)
                page.line((left, y + 10), (left + wide, y + 10), colour="line", width=1, under=True)
                for step in reached:
                    page.dot(left + wide * step / LAST, y + 10, colour=colour, size=8)
                lost = len(steps) - len(reached)
                if lost:
                    page.text(left + wide + 12, y + 10, f"{lost} lost", at="left", size=13, colour="out")
                when = f"median {np.median(reached):.0f} steps" if len(reached) > lost else "most never"
                when = when if len(reached) else "never"
                said.append(f"{optimiser}, {plain(name)} {when}" + (f", {lost} lost" if lost else ""))
                y += LINE
            for step in (0, 200, 400, 600):
                page.text(left + wide * step / LAST, y + 4, str(step), at="top", colour="grey", size=12)
        told.append(f"{plain(title)}: {'; '.join(said)}")
    lost_somewhere = any(
        np.isnan(np.asarray(steps, dtype=float)).any() for rows in groups.values() for steps in rows.values()
    )
    page.key(
        "a dot is a run, at the step where it first got 90 % right"
        + (f"; lost: not within {LAST}" if lost_somewhere else "")
    )
    return f"Dots for runs along the steps to 90 % right, one row for each scale. {'. '.join(told)}."


@picture(height={"book": 290, "phone": 280})
def best_by_width(page: Page, widths, lines: dict) -> str:
    """Accuracy against d_k; scale -> (seeds, widths) accuracies, each at its best learning rate."""
    ax = chart(
        page, 44, 26, page.width - (110 if page.narrow else 150), page.height - 72, xlabel="$d_k$",
        ylabel="right answers", ylim=(0, 1.06), xlim=(-0.15, len(widths) - 0.9),
        xticks=range(len(widths)), yticks=(0, 0.5, 1),
    )  # fmt: skip
    ax.set_xticklabels(map(str, widths))
    ax.set_yticklabels(["0", "50 %", "100 %"])
    told = []
    for i, (scale, accuracies) in enumerate(lines.items()):
        name, colour = RULES[scale]
        x, means, accuracies = np.arange(len(widths)), np.mean(accuracies, axis=0), np.asarray(accuracies)
        with page.step(i):
            for seed in accuracies:
                ax.plot(x, seed, "o", color=page.colour(colour), markersize=4, alpha=0.5)
            curve(page, ax, x, means, colour=colour, dash="--" if scale == "additive" else "-", width=3)
            shift = {"additive": 0.045, "1/sqrt(d_k)": -0.045}.get(scale, 0)
            page.text(x[-1] + 0.06, means[-1] + shift, name, at="left", colour=colour, weight="bold", size=14, ax=ax)
        told.append(f"{plain(name)} {', '.join(percent(mean) for mean in means)}")
    page.caption("lines: the mean over seeds; dots: single seeds, each line at its best learning rate")
    return f"Right answers against d_k = {', '.join(map(str, widths))}, three lines. {'; '.join(told)}."


@picture(height={"book": 224, "phone": 260})
def formula_or_size(page: Page, cells: dict) -> str:
    """The 2 × 2: formula with and without the scale, scores that start small or large; -> (SGD, Adam) accuracies."""
    left, top = (104, 56) if page.narrow else (150, 44)
    wide, high = (page.width - left - 10) / 2, 74
    for j, words in enumerate(("÷ √$d_k$ in the formula", "no scale in the formula")):
        narrow = words.replace(" in the", "\nin the")
        page.text(
            left + (j + 0.5) * (wide + 10),
            top - 8,
            narrow if page.narrow else words,
            at="bottom",
            weight="bold",
            size=14,
        )
    told = []
    for i, (start, variance) in enumerate((("small", "1"), ("large", "$d_k$"))):
        y = top + i * (high + 10)
        page.text(left - 12, y + high / 2 - 11, f"{start} scores", at="right", weight="bold", size=14)
        page.text(left - 12, y + high / 2 + 11, f"variance {variance}", at="right", colour="grey", size=13)
        for j, formula in enumerate(("1/sqrt(d_k)", "1")):
            sgd, adam = cells[start, formula]
            colour = "root" if min(sgd, adam) > 0.9 else "nothing"
            with page.step(1 + i):
                page.box(left + j * (wide + 10), y, wide, high, fill=colour, tint=0.14, edge=colour)
                x = left + j * (wide + 10) + wide / 2
                page.text(x, y + high / 2 - 12, f"SGD {percent(sgd)}", weight="bold", colour=colour, size=16)
                page.text(x, y + high / 2 + 13, f"Adam {percent(adam)}", weight="bold", colour=colour, size=16)
            told.append(
                f"{start} scores, {'root in' if j == 0 else 'no scale in'} the formula: {percent(sgd)}, {percent(adam)}"
            )
    page.caption("right answers after training; each box at its best learning rate. The rows differ, the columns don't")
    return f"A table of four boxes with right answers for SGD and Adam. {'; '.join(told)}."


@picture(height={"book": 232, "phone": 470})
def swapped_scales(page: Page, tables: dict) -> str:
    """Heads trained with one scale and run with another; title -> (3, 3) accuracies, rows trained, columns run."""
    names = [RULES[scale][0] for scale in ("1", "1/sqrt(d_k)", "1/d_k")]
    told = []
    for i, (block, (title, table)) in enumerate(
        zip(page.panels(len(tables), high=222, gap=28), tables.items(), strict=True)
    ):
        cell = ((block.wide - 84) / 3, 42)
        with page.step(i):
            page.text(block.x, block.y, title, at="top left", weight="bold", size=15)
            x, y = block.x + 84, block.y + 76
            page.text(x + 1.5 * cell[0], y - 30, "run with", at="bottom", colour="grey", size=13)
            page.text(block.x + 76, y - 8, "trained with", at="bottom right", colour="grey", size=13)
            matrix(page, x, y, 100 * np.asarray(table), colour="weight", cell=cell, digits=0, rows=names, columns=names,
                   shade=True, size=14, lit=[(1, 2)])  # fmt: skip
        rows = "; ".join(
            f"trained {n.replace('$', '')}: {', '.join(map(percent, row))}" for n, row in zip(names, table, strict=True)
        )
        told.append(f"{plain(title)}, {rows}")
    page.key("right answers in %; on the diagonal, the scale it was trained with. Amber: the factor twice")
    return (
        f"Tables of right answers, rows for the scale in training and columns for the scale afterwards: no scale, "
        f"root of d_k, d_k. {'. '.join(told)}.".replace("$", "")
    )


@picture(height={"book": 270, "phone": 270})
def other_starts(page: Page, variances, lines: dict) -> str:
    """Steps to 90 % against the variance at the start; d_k -> (seeds, variances) steps, NaN if lost."""
    lost, told, x = LAST + 80, [], np.arange(len(variances))
    ax = chart(
        page, 44, 40, page.width - 60, page.height - 88, xlabel="variance of the scores at the start",
        ylabel="steps to 90 %", ylim=(0, 1.04 * lost), xlim=(-0.2, len(variances) - 0.8), xticks=x,
        yticks=(0, 200, 400, 600, lost),
    )  # fmt: skip
    ax.set_yticklabels(["0", "200", "400", "600", "lost"])
    ax.set_xticklabels(["1/4" if variance == 1 / 4 else f"{variance:g}" for variance in variances])
    for i, ((d_k, steps), colour) in enumerate(zip(lines.items(), ("q", "k"), strict=True)):
        steps = np.nan_to_num(np.asarray(steps, dtype=float), nan=lost)
        middle = np.median(steps, axis=0)
        with page.step(i):
            for seed in steps:
                ax.plot(x, seed, "o", color=page.colour(colour), markersize=4, alpha=0.5)
            curve(page, ax, x, middle, colour=colour, dash="--" if i else "-", width=3)
            name = f"{'– –' if i else '——'} $d_k$ = {d_k}"
            page.text(page.width - 120 * (2 - i), 4, name, at="top left", colour=colour, weight="bold", size=14)
        told.append(f"d_k = {d_k}, {', '.join('lost' if m > LAST else f'{m:.0f}' for m in middle)}")
    page.caption("lines: the median of three seeds; dots: single seeds, each at its best learning rate")
    return f"Steps to 90 % right against the variance of the scores at the start. Medians: {'; '.join(told)}."
