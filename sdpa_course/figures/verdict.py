"""The verdict: the sentence of 2017 word by word and corrected, all claims, and the whole answer on one page."""

import numpy as np

from .guessed import symbols
from .kit import Block, Page, picture
from .kit.charts import bars, chart
from .kit.matrices import percent
from .kit.palette import SCALES

# verdict -> (its colour, its mark): the word stands beside both
LOOKS = {"holds": ("root", "✓"), "holds if": ("lit edge", "◐"), "not shown": ("grey", "?"), "fails": ("nothing", "✗")}


@picture(height={"book": 340, "phone": 640, "slide": 380})
def sentence_tried(page: Page, rows) -> str:
    """The sentence of 2017 word by word; `rows` has (words, verdict in a word or two, exhibit)."""
    high = page.height / len(rows)
    for i, (words, verdict, exhibit) in enumerate(rows):
        y = i * high
        if i:
            page.line((0, y), (page.width, y), colour="line", width=1)
        page.text(0, y + (20 if page.narrow else high / 2), f"“{symbols(words)}”", at="left", weight="bold", size=16)
        with page.step(i + 1):
            place = (page.width, y + 20, "right") if page.narrow else (236, y + high / 2, "left")
            page.text(*place[:2], verdict, at=place[2], weight="bold", colour="lit", size=15)
            if page.paper.words:  # in a lecture that's for the speaker to say
                place = (0, y + 62) if page.narrow else (400, y + high / 2)
                page.text(*place, symbols(exhibit), at="left", size=13, colour="grey")
    said = "; ".join(f"{words}: {verdict}, {' '.join(exhibit.split())}" for words, verdict, exhibit in rows)
    return f"The sentence of 2017 word by word, each with what the course found. {said}.".replace("$", "")


@picture(height={"book": 210, "phone": 420, "slide": 260})
def sentence_corrected(page: Page, parts) -> str:
    """The sentence with words struck out and others put in; `parts` has (words, "keep", "strike" or "new")."""
    size, x, y = (16 if page.narrow else 19), 0.0, 16.0
    size = page.size(size)
    space = page.measure("a a", size)[0] - page.measure("aa", size)[0]
    for words, kind in parts:
        for word in words.split():
            wide = page.measure(word, size, "bold" if kind == "new" else "normal")[0]
            if x + wide > page.width:
                x, y = 0.0, y + 1.75 * size
            with page.step({"keep": 0, "strike": 1, "new": 2}[kind]):
                if kind == "new":
                    page.box(x - 3, y - 0.72 * size, wide + 6, 1.44 * size, fill="lit", tint=0.3, edge=None, corner=2)
                if kind == "strike":
                    page.line((x, y + 1), (x + wide, y + 1), colour="nothing", width=2)
            weight, ink = ("bold", "ink") if kind == "new" else ("normal", "grey" if kind == "strike" else "ink")
            with page.step(2 if kind == "new" else 0):
                page.text(x, y, word, at="left", size=size, weight=weight, colour=ink)
            x += wide + space
    page.height = y + size
    page.fit()
    said = {kind: "; ".join(words for words, other in parts if other == kind) for kind in ("strike", "new")}
    said = {kind: words.replace("$", "").replace("\\sqrt{d_k}", "the root of d_k") for kind, words in said.items()}
    return f"The sentence of 2017, corrected. Struck out: {said['strike']} Put in: {said['new']}"


@picture(height={"book": 400, "slide": 420})
def verdict_map(page: Page, groups: dict[str, list[str]]) -> str:
    """All claims in a few words, in a column for each verdict."""
    wide = page.width / len(groups)
    row = (page.height - 48) / max(map(len, groups.values()))
    for i, (verdict, claims) in enumerate(groups.items()):
        x, (colour, mark) = i * wide, LOOKS[verdict]
        name = f"{len(claims)} {verdict.replace('holds', 'hold') if len(claims) > 1 else verdict}"
        with page.step(i):
            page.text(x + 4, 16, f"{mark}  {name.replace('fails', 'fail')}", at="left", weight="bold", size=18,
                      colour=colour)  # fmt: skip
            page.line((x + 4, 34), (x + wide - 14, 34), colour=colour, width=3)
            for j, words in enumerate(claims):
                if page.paper.box:  # no room for its id on a slide
                    words = words.partition("  ")[2] or words
                page.text(x + 4, 48 + (j + 0.5) * row, symbols(words), at="left", size=13)
    said = "; ".join(f"{verdict}: {', '.join(claims)}" for verdict, claims in groups.items())
    return f"All claims in four columns. {said}.".replace("$", "")


@picture(height={"book": 250, "slide": 270})
def trained_heads(page: Page, top, started: float) -> str:
    """The average top weight of every head of a trained model; `started` is a random head's, after the division."""
    edges = np.linspace(0, 1, 21)
    counts, _ = np.histogram(top, edges)
    high = 10 * np.ceil(counts.max() / 10)
    ax = chart(page, 40, 26, page.width - 60, page.height - 74, xlabel="average weight of a query’s top token",
               ylabel="heads", xlim=(0, 1), ylim=(0, high), xticks=(0, 0.5, 1))  # fmt: skip
    ax.set_xticklabels(["0", "one half", "1"])
    for i, count in enumerate(counts):
        full = edges[i] >= 0.5
        ax.bar(edges[i] + 0.025, count, 0.046, color=page.colour("weight", 1 if full else 0.4))
    many = int((np.asarray(top) > 0.5).sum())
    page.text(0.97, 0.8 * high, f"{many} of {len(top)} heads:\nover half of the weight\nto one token", at="right",
              weight="bold", colour="weight", ax=ax)  # fmt: skip
    with page.step(1):
        ax.plot([started, started], [0, 0.86 * high], color=page.colour("root"), linewidth=2)
        page.text(started, 0.88 * high, "random, ÷ √$d_k$", at="bottom", colour="root", weight="bold", ax=ax)
    page.headline("A trained model doesn’t stay where the root put it")
    return (
        f"A histogram of {len(top)} heads by the average weight of a query's top token. {many} of them give it more "
        f"than half. A random head after dividing by the root of d_k gives it {started:.2f}."
    )


@picture(height={"book": 424, "phone": 560, "slide": 424})
def whole_answer(page: Page, answers) -> str:
    """The whole answer: `answers` is d_k -> [`Answer` without the scale, `Answer` with it], one column for each."""
    if page.narrow:
        page.key("orange, above: no scale; green, below: ÷ √$d_k$")
    return f"The whole answer, by width, without the scale and with it. {draw_answer(page, answers, 0)}."


QUANTITIES = ("a score’s spread", "the weights of\n16 random keys", "what a tenth of\nthe queries get\nof the gradient",
              "right answers\nafter training")  # fmt: skip


def draw_answer(page: Page, answers, top: float) -> str:
    """Draw it with its upper side at `top`, and return it in words."""
    side, down = (0, 24) if page.narrow else (186, 0)
    wide = (page.width - side) / len(answers)
    rows = [top + y + down * i for i, y in enumerate((48, 128, 274, 354))]
    for name, y in zip(QUANTITIES, rows, strict=True):
        page.line((0, y - 14), (page.width, y - 14), colour="line", width=1)
        page.text(0, y + (4 if page.narrow else 26), name.replace("\n", " ") if page.narrow else name, at="left",
                  weight="bold")  # fmt: skip
    for i, scale in enumerate(("1", "1/sqrt(d_k)")):
        name, colour = SCALES[scale]
        if not page.narrow:
            page.text(90 * i, top + 14, name, at="left", weight="bold", colour=colour)
    largest, told = max(pair[0].spread for pair in answers.values()), []
    for j, (d_k, pair) in enumerate(answers.items()):
        x, room = side + j * wide + 4, wide - 20
        page.text(x, top + 14, f"$d_k$ = {d_k}", at="left", weight="bold", size=17)
        for i, answer in enumerate(pair):
            name, colour = SCALES[answer.scale]
            shares = {0: (answer.spread / largest, f"{answer.spread:.3g}"), 2: (answer.tenth, percent(answer.tenth)),
                      3: (answer.accuracy, percent(answer.accuracy))}  # fmt: skip
            with page.step(i):
                for row, (share, words) in shares.items():
                    y = rows[row] + down + 28 * i
                    page.box(x, y, max((room - 46) * share, 2), 20, fill=colour, edge=None, corner=0)
                    page.text(x + (room - 46) * share + 5, y + 10, words, at="left", colour=colour, weight="bold")
                block = Block(x, rows[1] + down + 4 + 62 * i, room, 44)
                bars(page, block, answer.weights, colour=colour, top=1, lit=0, words="")
                largest_weight = percent(answer.weights[0])
                page.text(x + room, block.y + 18, largest_weight, at="right", colour=colour, weight="bold")
            told.append(
                f"d_k = {d_k}, {name.replace('$', '')}: spread {answer.spread:.3g}, largest weight {largest_weight}, a "
                f"tenth of the queries get {percent(answer.tenth)} of the gradient, {percent(answer.accuracy)} right"
            )
    return "; ".join(told)
