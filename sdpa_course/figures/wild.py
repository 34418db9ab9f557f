"""Bugs from the wild and their look-alikes: what each does to a row of weights, who notices. Notebook 07."""

import numpy as np

from .kit import Block, Page, picture
from .kit.charts import bars


@picture(height={"book": 336, "phone": 660, "slide": 350})
def wild_gallery(page: Page, cards) -> str:
    """One row of weights as each piece of code computes it.

    `cards` are (name, variance of the scores in words, weights, whether it's right).
    """
    columns, told = (2 if page.narrow else 4), []
    wide = (page.width - 12 * (columns - 1)) / columns
    for i, (name, variance, weights, right) in enumerate(cards):
        x, y = i % columns * (wide + 12), i // columns * (164 if page.narrow else 170)
        colour = "root" if right else "nothing"
        with page.step(i // columns):
            page.box(x, y, wide, 156, fill="paper", edge=colour, width=2)
            page.text(x + wide / 2, y + 8, name, at="top", weight="bold", size=14)
            top = int(np.argmax(weights))
            words = f"{100 * weights[top]:.0f} %"
            bars(page, Block(x + 12, y + 50, wide - 24, 56), weights, colour=colour, top=1, lit=top, words=words)
            page.text(x + wide / 2, y + 113, f"variance {variance}", at="top", size=14)
            page.text(
                x + wide / 2, y + 133, "fine" if right else "a bug", at="top", size=14, colour=colour, weight="bold"
            )
        told.append(
            f"{name}: variance {variance}, largest weight {np.max(weights):.2f}, {'fine' if right else 'a bug'}"
        )
    page.key(f"one query's {len(cards[0][2])} weights with the largest named; the scores' variance, right is 1")
    return f"Cards with the weights of one query. {'; '.join(told)}."


@picture(height={"book": 344, "slide": 350})
def who_notices(page: Page, bugs, checks, caught) -> str:
    """A row for each bug and a column for each check: which one notices which."""
    left, top, wide, high = 150, 46, (page.width - 150) / len(checks), 36
    for j, check in enumerate(checks):
        page.text(left + (j + 0.5) * wide, top - 8, check, at="bottom", size=14)
    for i, bug in enumerate(bugs):
        page.text(left - 10, top + (i + 0.5) * high, bug, at="right", size=14)
        for j, found in enumerate(caught[i]):
            look = (
                {"fill": "lit", "colour": "on lit", "weight": "bold"} if found else {"fill": "pale", "colour": "grey"}
            )
            with page.step(j):
                page.box(left + j * wide, top + i * high, wide, high, "caught" if found else "–", edge="paper",
                         corner=0, width=3, size=14, **look)  # fmt: skip
    counts = np.sum(caught, axis=0)
    page.caption(f"each check on its own: {', '.join(map(str, counts))} of {len(bugs)} bugs")
    found = [[bug for bug, row in zip(bugs, caught, strict=True) if row[j]] for j in range(len(checks))]
    told = "; ".join(
        f"{' '.join(check.split())} catches {', '.join(each) or 'nothing'}"
        for check, each in zip(checks, found, strict=True)
    )
    return f"A table of {len(bugs)} bugs and {len(checks)} checks. {told}."
