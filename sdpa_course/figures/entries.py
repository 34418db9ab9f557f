"""What the usual initialisers make of the variance of a query's entries. For appendix A3."""

from .kit import Page, picture


@picture(height={"book": 274, "phone": 470, "slide": 300})
def entry_bars(page: Page, rows) -> str:
    """Var(q_c) under each initialiser, measured as a bar, theory as a tick, and the scaled score's variance beside it.

    `rows` are (name, measured, theory, variance of the score).
    """
    narrow = page.narrow
    left, pitch = (4, 62) if narrow else (218, 34)
    unit = (page.width - left - (70 if narrow else 150)) / max(row[1] for row in rows)
    top = 34
    floor = top + pitch * len(rows)
    page.line((left + unit, top - 8), (left + unit, floor - 6), dash="--", colour="grey", width=1.6, under=True)
    page.text(left + unit, top - 12, "1", at="bottom", colour="grey")
    page.text(page.width, top - 12, "score", at="bottom right", colour="score", weight="bold")
    for i, (name, measured, theory, score) in enumerate(rows):
        y = top + pitch * i + (22 if narrow else 0)
        if narrow:
            page.text(left, y - 4, name, at="bottom left", size=13, fill="paper")
        else:
            page.text(left - 10, y + 11, name, at="right")
        page.box(left, y, unit * measured, 22, fill="q", tint=0.55, edge=None, corner=0)
        page.line((left + unit * theory, y - 3), (left + unit * theory, y + 25), width=2.4)
        page.text(left + unit * max(measured, theory) + 8, y + 11, f"{measured:.2f}", at="left", colour="q",
                  weight="bold", fill="paper")  # fmt: skip
        with page.step(1):
            page.text(page.width, y + 11, f"{score:.2f}", at="right", colour="score", weight="bold")
    page.key("bars: variance of an entry of $q$, with a tick for theory; right: variance of the scaled score")
    said = "; ".join(f"{name}, {measured:.2f} and {score:.2f}" for name, measured, _, score in rows)
    return (
        "Bars of the variance of a query's entries under the usual initialisers, after LayerNorm, with a tick for "
        f"theory and a dashed line at 1; beside each, the variance of the scaled score. {said.replace('$', '')}."
    )
