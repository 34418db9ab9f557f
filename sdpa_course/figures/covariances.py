"""How steps move together: tables of covariances, the proof beside them, and every pair of coins. For notebook 02."""

import numpy as np

from .kit import Page, picture
from .kit.matrices import frame, matrix, number
from .kit.proofs import Line, proof_line


@picture(height={"book": 290, "phone": 900, "slide": 300})
def covariance_tables(page: Page, measured) -> str:
    """Covariances of the steps: independent in theory, as measured, and when every step copies the first."""
    n = len(measured)
    tables = (
        ("independent, in theory", np.eye(n), None, f"{n} ones: the sum is {n}"),
        ("independent, measured", np.asarray(measured), 2, f"the sum is {np.sum(measured):.2f}"),
        ("every step copies the first", np.ones((n, n)), None, f"{n * n} ones: the sum is {n * n}"),
    )
    for i, (block, (title, table, digits, total)) in enumerate(
        zip(page.panels(3, high=285, gap=16), tables, strict=True)
    ):
        cell = (block.wide - 2) / n
        lit = tuple(zip(*np.nonzero(np.abs(table) > 0.5), strict=True))
        with page.step(i):
            page.text(*block.top, title, at="top", weight="bold")
            matrix(page, block.x + 1, block.y + 26, table, cell=(cell, 36), digits=digits, lit=lit, size=12)
            page.text(block.top[0], block.y + 26 + 36 * n + 10, total, at="top")
    page.key("row $c$, column $c′$: how much steps $c$ and $c′$ move together")
    return (
        f"Three tables of {n} by {n} covariances. In theory, ones on the diagonal and zeros elsewhere: they add up to "
        f"{n}. Measured: nearly the same, adding up to {np.sum(measured):.2f}. If every step copies the first, all "
        f"cells are 1 and add up to {n * n}."
    )


@picture(height={"book": 290, "phone": 470, "slide": 300})
def sixteen(page: Page, vectors, scores) -> str:
    """Every query of coins with every key: all the dot products there are, and the average of their squares."""
    names = [", ".join(f"{int(entry):+d}".replace("-", "−") for entry in vector) for vector in vectors]
    n, cell = len(names), (62, 50)
    x, y = 76, 70
    lit = tuple(zip(*np.nonzero(scores), strict=True))
    matrix(page, x, y, scores, cell=cell, rows=names, columns=names, lit=lit, size=15)
    page.text(x + n * cell[0] / 2, y - 34, "every key $k$", at="bottom", colour="k", weight="bold", size=15)
    page.text(0, y - 34, "every query $q$", at="bottom left", colour="q", weight="bold", size=15)
    left, right, top = (0, 320, 310) if page.narrow else (390, 690, 84)
    values, counts = np.unique(scores, return_counts=True)
    squares = values**2 * counts
    with page.step(1):
        for i, (value, count, square) in enumerate(zip(values, counts, squares, strict=True)):
            shown = f"({number(value)})²" if value < 0 else f"{number(value)}²"
            page.text(left, top + 34 * i, f"{count} scores of {number(value)}", at="left", colour="grey")
            page.text(right, top + 34 * i, f"{count} × {shown} = {number(square)}", at="right", size=15)
        bottom = top + 34 * len(values)
        page.line((left, bottom - 14), (right, bottom - 14), colour="grey", width=1)
        total = f"{number(squares.sum())} / {scores.size} = {number(squares.sum() / scores.size)}"
        page.text(left, bottom + 8, f"average over all {scores.size}", at="left", colour="grey")
        page.text(right, bottom + 8, total, at="right", weight="bold", size=17)
    page.caption("no sampling and no algebra: every pair there is, once each")
    listed = ", ".join(f"{count} are {number(value)}" for value, count in zip(values, counts, strict=True))
    return (
        f"A table of all {scores.size} dot products of two coin vectors of width {len(vectors[0])}: {listed}. The "
        f"average square is {total}."
    )


PROOF = (
    Line(
        "A",
        "each cell on the diagonal is 1",
        r"$\mathrm{Var}(q_c k_c) \;=\; E[q_c^2]\,E[k_c^2] \;=\; 1 \cdot 1$",
        ("q and k independent", "mean 0", "variance 1"),
    ),
    Line(
        "B",
        "every other cell is 0",
        r"$\mathrm{Cov}(q_c k_c,\, q_{c′} k_{c′}) \;=\; E[q_c q_{c′}]\,E[k_c k_{c′}] \;=\; 0 \cdot 0$",
        ("q and k independent", "mean 0", "coordinates uncorrelated"),
    ),
    Line("C", "add up the table", r"$\mathrm{Var}(q \cdot k) \;=\; 1 + 1 + \cdots + 1 \;=\; d_k$"),
)


@picture(height={"book": 300, "slide": 300})
def proof(page: Page, n: int = 6) -> str:
    """The proof that Var(q·k) = d_k in three lines, beside the table they fill in."""
    table = np.where(np.eye(n) == 1, 1.0, np.nan)
    cell = 34
    matrix(page, 0, 40, np.full((n, n), np.nan), cell=cell)
    with page.step(1):
        block = matrix(page, 0, 40, table, cell=cell, lit=[(i, i) for i in range(n)], size=16)
    with page.step(2):
        for i, j in zip(*np.nonzero(np.isnan(table)), strict=True):
            page.text((j + 0.5) * cell, 40 + (i + 0.5) * cell, "0", colour="grey", size=15)
    with page.step(3):
        frame(page, block, table.shape)
        page.text(n * cell / 2, 40 + n * cell + 14, "the table adds up to $d_k$", at="top", weight="bold")
    for i, line in enumerate(PROOF):
        with page.step(i + 1):
            proof_line(page, n * cell + 36, 8 + 100 * i, line)
    page.key("amber tags: what a line assumes")
    return (
        "The proof beside a table of covariances. A: each cell on the diagonal is 1, because q and k are independent, "
        "with mean 0 and variance 1. B: every other cell is 0, because q and k are independent, with mean 0 and "
        "uncorrelated coordinates. C: the cells add up to d_k, which needs nothing new."
    )
