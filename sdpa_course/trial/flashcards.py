r"""Flashcards: the course as questions with short answers, for the notebook and, through `make flashcards`, for Anki.

Each theme's module lists its own cards, question -> answer, in `CARDS`. Mathematics is in \( … \), which Anki renders.
`{C15.plain_64:.2f}` in an answer is filled in with that number from the trial of C15. All other numbers are exact:
definitions, counts or algebra.
"""

import re
from importlib import import_module
from itertools import groupby
from typing import NamedTuple

from IPython.display import display

from .claims import CLAIMS, THEMES, Trial

MEASURED = re.compile(r"\{(C\d\d)\.(\w+):([^}]+)\}")  # claim, name of the number, format


class Card(NamedTuple):
    """A question and its answer."""

    front: str
    back: str
    theme: str


def make_cards(trials: list[Trial]) -> list[Card]:
    """All cards, theme by theme, with the numbers that these trials of all claims measured."""
    numbers = {trial.claim.id: trial.numbers for trial in trials}
    missing = sorted(set(CLAIMS) - set(numbers))
    if missing:
        raise ValueError(f"trials: got none of {', '.join(missing)}, expected one of every claim")

    def measured(match: re.Match) -> str:
        claim, name, form = match.groups()
        return format(numbers[claim][name], form).replace("%", " %").replace("-", "−")

    return [
        Card(front, MEASURED.sub(measured, back), theme)
        for theme in THEMES
        for front, back in import_module(f".{theme}", __package__).CARDS.items()
    ]


def with_dollars(text: str) -> str:
    """Write mathematics the way notebooks do, in dollars."""
    return re.sub(r"\\\((.*?)\\\)", r"$\1$", text)


def as_markdown(cards: list[Card]) -> str:
    """Cards that unfold, in groups that unfold, without a kernel or a network."""
    blocks = []
    for theme, group in groupby(cards, key=lambda card: card.theme):
        group = list(group)
        blocks.append(f"<details><summary><b>{THEMES[theme]}</b>: {len(group)} cards</summary>\n")
        for card in group:
            front, back = with_dollars(card.front), with_dollars(card.back)
            blocks.append(f"<details><summary>{front}</summary>\n\n{back}\n\n</details>\n")
        blocks.append("</details>\n")
    return "\n".join(blocks)


def show_cards(cards: list[Card]) -> None:
    """Show the cards in a notebook."""
    words = f"{len(cards)} flashcards in {len({card.theme for card in cards})} groups; click a question to turn it."
    display({"text/markdown": as_markdown(cards), "text/plain": words}, raw=True)
