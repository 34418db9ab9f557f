"""Write the answer card of notebook 12 to downloads/: one page to print or to send, as SVG and as PDF.

python tools/card.py                  downloads/
python tools/card.py /some/folder     there

Its words are those of the claims, so it tries the ones it quotes first. The same claims give the same bytes.
"""

import html
import io
import sys
from pathlib import Path

from sdpa_course.experiments.answer import whole_answer_in_numbers
from sdpa_course.figures.guessed import symbols
from sdpa_course.figures.kit.defects import defects
from sdpa_course.figures.kit.page import Page
from sdpa_course.figures.kit.papers import on_paper
from sdpa_course.figures.kit.rendering import svg
from sdpa_course.figures.verdict import draw_answer
from sdpa_course.trial import CLAIMS
from sdpa_course.trial.claims import Trial

ROOT = Path(__file__).parent.parent
ANSWER = (
    "A score adds up d_k products; if they’re unrelated, its spread grows like √d_k. The root starts every width "
    "alike. Without it, a few queries of a wide head get nearly all of the gradient."
)
CARD = 998  # pixels: with its margins, a sheet of A4
QUOTED = ("C02", "C08", "C06", "C31")  # the condition, and what people get wrong
NUMBER = (
    "Leave it out at d_k = 512, and our trained head is right {SGD_512_none:.0%} of the time instead of "
    "{SGD_512_root:.0%}."
)


@on_paper
def answer_card(answer: str, answers, said: dict[str, tuple[str, str]], number: str) -> tuple[Page, str]:
    """One page to print: the question, the answer, the picture, what people say and what to say instead, the number.

    `said` is claim -> (ruling, say instead).
    """
    page = Page(CARD)
    question = "Why does attention divide by √$d_k$?"
    page.text(0, 22, question, at="left", weight="bold", size=30)
    y = paragraph(page, answer, 62, size=17)
    told = draw_answer(page, answers, y + 12)
    y += 446
    for claim, (ruling, instead) in said.items():
        page.line((0, y - 10), (page.width, y - 10), colour="line", width=1)
        y = paragraph(page, f"“{claim}”: {ruling}.", y + 8, size=14, weight="bold")
        y = paragraph(page, instead, y, size=14) + 14
    page.box(0, CARD - 46, page.width, 46, fill="lit", tint=0.3, edge=None)
    page.text(page.width / 2, CARD - 23, symbols(number), weight="bold", size=16)
    instead = " ".join(f"“{claim}”: {ruling}. {words}" for claim, (ruling, words) in said.items())
    if found := defects(page):
        raise ValueError(f"the card can't be drawn: {'; '.join(found)}")
    return page, f"{question} {answer} {told}. {instead} {number}".replace("$", "")


def paragraph(page: Page, words: str, y: float, *, size: float, weight: str = "normal") -> float:
    """Lines over the page's width, and where the next one would be."""
    for line in page.fill(symbols(words), size, weight, page.width):
        page.text(0, y, line, at="left", size=size, weight=weight)
        y += 1.4 * size
    return y


def draw_card() -> tuple[Page, str]:
    """The page and everything it says."""
    trials = [CLAIMS[name].try_it() for name in QUOTED]
    said = {trial.claim.statement: (trial.ruling, trial.instead) for trial in trials}
    return answer_card(ANSWER, whole_answer_in_numbers(), said, number())


def number() -> str:
    """The number to remember, from the claim that it belongs to."""
    trial = CLAIMS["C19"].try_it()
    return Trial(trial.claim._replace(number=NUMBER), trial.parts, trial.numbers).number


@on_paper
def pdf(page: Page, words: str) -> bytes:
    """The page as a PDF without the time of day."""
    buffer = io.BytesIO()
    about = {"Title": "Why does attention divide by the root of d_k?", "Subject": words, "CreationDate": None}
    page.figure.savefig(buffer, format="pdf", metadata=about)
    return buffer.getvalue()


def write_card(folder: Path) -> None:
    """Write both files; the words are in the SVG's description and in the PDF's subject."""
    folder.mkdir(parents=True, exist_ok=True)
    page, words = draw_card()
    picture = svg(page)
    start = picture.index(">") + 1
    described = f"{picture[:start]}<desc>{html.escape(words)}</desc>{picture[start:]}"
    (folder / "answer_card.svg").write_text(described, encoding="utf-8")
    (folder / "answer_card.pdf").write_bytes(pdf(page, words))


if __name__ == "__main__":
    write_card(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "downloads")
