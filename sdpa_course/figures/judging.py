"""How a claim gets its verdict: three questions in order, and reasons that were taken away. Notebook 12."""

from .kit import Page, picture
from .verdict import LOOKS

QUESTIONS = (
    ("1. Does it\nhappen?", "fails"),
    ("2. For the reason\nthat’s given?", "not shown"),
    ("3. Whatever else\nchanges?", "holds if"),
)


@picture(height={"book": 150, "phone": 420, "slide": 200})
def three_questions(page: Page) -> str:
    """A claim goes from question to question, and the first “no” is its verdict."""
    wide, high, places = 150, 58, []
    for i, (words, verdict) in enumerate(QUESTIONS):
        x, y = (6, 10 + 132 * i) if page.narrow else (4 + 208 * i, 10)
        with page.step(i):
            box = page.box(x, y, wide, high, fill="score", tint=0.16)
            page.text(x + wide / 2, y + high / 2, words, size=15)
            places.append(box)
            if i:
                ends = (places[i - 1].bottom, box.top) if page.narrow else (places[i - 1].right, box.left)
                page.arrow(*ends)
                (x0, y0), (x1, y1) = ends
                spot = (x0 + 10, (y0 + y1) / 2, "left") if page.narrow else ((x0 + x1) / 2 - 3, y0 - 6, "bottom")
                page.text(*spot[:2], "yes", at=spot[2], colour="grey", size=13)
            colour, mark = LOOKS[verdict]
            if page.narrow:
                end = (x + wide + 44, y + high / 2)
                page.arrow(box.right, end)
                page.text(x + wide + 20, y + high / 2 - 6, "no", at="bottom", colour="grey", size=13)
                page.text(end[0] + 8, end[1], f"{mark} {verdict}", at="left", colour=colour, weight="bold", size=16)
            else:
                end = (box.bottom[0], y + high + 40)
                page.arrow(box.bottom, end)
                page.text(end[0] + 8, y + high + 18, "no", at="left", colour="grey", size=13)
                page.text(end[0], end[1] + 6, f"{mark} {verdict}", at="top", colour=colour, weight="bold", size=17)
    colour, mark = LOOKS["holds"]
    with page.step(3):
        last = places[-1]
        if page.narrow:
            end = (last.bottom[0], last.bottom[1] + 40)
            page.arrow(last.bottom, end)
            page.text(end[0] + 10, end[1] - 22, "yes", at="left", colour="grey", size=13)
            page.text(end[0], end[1] + 4, f"{mark} holds", at="top", colour=colour, weight="bold", size=16)
        else:
            end = (last.right[0] + 50, last.right[1])
            page.arrow(last.right, end)
            page.text(last.right[0] + 22, end[1] - 6, "yes", at="bottom", colour="grey", size=13)
            page.text(end[0] + 6, end[1], f"{mark} holds", at="left", colour=colour, weight="bold", size=17)
    page.caption("the first “no” is the verdict; a claim holds as people say it only if there’s none")
    return (
        "Three boxes with questions. Does it happen? If not, the claim fails. For the reason that's given? If not, "
        "it's not shown. Whatever else changes? If not, it holds if a condition is met, and otherwise it holds."
    )


@picture(height={"book": 216, "phone": 560, "slide": 240})
def only_the_reason(page: Page, rows: list) -> str:
    """Claims that got stuck at the second question; `rows` has (they say, the control, what it did)."""
    heads = ("they say", "the control", "what it did")
    gap = 22
    wide = page.width if page.narrow else (page.width - 2 * gap) / 3
    told = []
    for j, words in enumerate(heads if not page.narrow else ()):
        page.text(j * (wide + gap), 8, words, at="left", colour="grey", size=14)
    for i, cells in enumerate(rows):
        before = None
        for j, words in enumerate(cells):
            x, y = (0, 6 + 184 * i + 58 * j) if page.narrow else (j * (wide + gap), 26 + 62 * i)
            looks = {"fill": "lit", "tint": 0.3, "edge": "lit edge"} if j == 2 else {"fill": "score", "tint": 0.16}
            with page.step(i + (j > 0)):
                box = page.box(x, y, wide, 48, **looks)
                page.text(x + wide / 2, y + 24, words, size=14, weight="bold" if j == 2 else "normal")
                if before:
                    page.arrow(*((before.bottom, box.top) if page.narrow else (before.right, box.left)))
            before = box
        told.append("; ".join(" ".join(words.split()) for words in cells))
    page.caption("if the reason they give decided it, each of these would have come out the other way")
    return f"Three claims, each with a control. {'. '.join(told)}.".replace("$", "")
