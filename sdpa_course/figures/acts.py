"""The map of the course: the sentence of 2017 with one part lit, and the four acts with their notebooks."""

from .kit import Page, picture

# The sentence, cut into its parts. A part is lit in the notebooks that investigate it.
SENTENCE = (
    ("“We suspect that", "suspect"),
    ("for large values of $d_k$,", ""),
    ("the dot products grow large in magnitude,", "grow"),
    ("pushing the softmax function into regions", "softmax"),
    ("where it has", ""),
    ("extremely small gradients.", "gradients"),
    ("To counteract this effect,", "effect"),
    (r"we scale the dot products by $1/\sqrt{d_k}$.”", "scale"),
)
ACTS = {
    "I  The clue": ("00", "01", "02"),
    "II  The mechanism": ("03", "04", "05", "06"),
    "III  The choice": ("07", "08"),
    "IV  The trial": ("09", "10", "11", "12"),
}
PARTS = {
    "00": "suspect", "01": "grow", "02": "grow", "03": "softmax", "04": "gradients", "05": "softmax", "06": "gradients",
    "07": "scale", "08": "scale", "09": "effect", "10": "effect", "11": "effect",
    "12": "effect",
}  # fmt: skip


@picture(height={"book": 160, "phone": 330, "slide": 230})
def act_map(page: Page, notebook: str) -> str:
    """Where we are: the part of the sentence that this notebook investigates, its act, and the notebook."""
    size = 20 if page.paper.box else 16
    bottom = sentence(page, PARTS[notebook], size)
    across = 2 if page.narrow else 4
    gap, high = 10, 66
    wide = (page.width - gap * (across - 1)) / across
    here = next(name for name, notebooks in ACTS.items() if notebook in notebooks)
    for i, (name, notebooks) in enumerate(ACTS.items()):
        x, y = (wide + gap) * (i % across), bottom + 16 + (high + gap) * (i // across)
        lit = name == here
        page.box(
            x + 1, y, wide - 2, high, fill="lit", tint=0.14 if lit else 0, edge="lit edge" if lit else "line",
            width=2 if lit else 1.2,
        )  # fmt: skip
        page.text(x + 12, y + 20, name, at="left", weight="bold" if lit else "normal", colour="ink" if lit else "grey")
        for j, number in enumerate(notebooks):
            now = number == notebook
            page.box(
                x + 11 + 37 * j, y + 35, 29, 24, number, fill="lit edge" if now else "paper", corner=12, size=13,
                edge="lit edge" if now else "line", width=1.2, weight="bold" if now else "normal",
                colour="paper" if now else "grey",
            )  # fmt: skip
    lit_words = " ".join(words for words, part in SENTENCE if part == PARTS[notebook]).strip("“,.”")
    lit_words = lit_words.replace(r"$1/\sqrt{d_k}$", "1 over the root of d_k")  # read out
    return (
        f"The sentence of 2017 with the words “{lit_words}” lit up. Below it the four acts: "
        f"{', '.join(name.split('  ')[1] for name in ACTS)}. Lit: act {here.replace('  ', ', ')}, and notebook "
        f"{notebook}."
    )


def sentence(page: Page, lit: str, size: float) -> float:
    """Write the sentence over the page's width, one part lit, and return where it ends."""
    x, y, high = 0.0, size * 0.9, size * 1.6
    space = page.measure("a a", size)[0] - page.measure("aa", size)[0]
    for words, part in SENTENCE:
        bright = bool(lit) and part == lit
        weight = "bold" if bright else "normal"
        for word in words.split():
            wide = page.measure(word, size, weight)[0]
            if x + wide > page.width:
                x, y = 0.0, y + high
            if bright:
                page.box(
                    x - 3, y - size * 0.72, wide + space + 1, size * 1.44, fill="lit", tint=0.38, edge=None, corner=0
                )
            page.text(x, y, word, at="left", size=size, weight=weight, colour="ink" if bright else "grey")
            x += wide + space
    return y + high / 2
