"""Flashcards: the course as questions with short answers, for the notebook and, through `make exercises`, for Anki.

Their text is in flashcards.toml, which also says how a measured number is written there.
"""

import re
import tomllib
from importlib.resources import files
from itertools import groupby
from typing import NamedTuple

from IPython.display import display

from .claims import CLAIMS, THEMES, Trial, Written

MEASURED = re.compile(r"\{(C\d\d)\.(\w+)(?::([^}]+))?\}")  # claim, name of the number, format; a verdict has no format


class Card(NamedTuple):
    """A question and its answer."""

    front: str
    back: str
    theme: str


def read_questions() -> list[Card]:
    """All cards, theme by theme, with places for the measured numbers."""
    decks = tomllib.loads((files(__package__) / "flashcards.toml").read_text(encoding="utf-8"))
    return [Card(card["front"], " ".join(card["back"].split()), theme) for theme in decks for card in decks[theme]]


def make_cards(trials: list[Trial]) -> list[Card]:
    """All cards, with the verdicts and numbers that these trials of all claims found."""
    found = {trial.claim.id: trial for trial in trials}
    missing = sorted(set(CLAIMS) - set(found))
    if missing:
        raise ValueError(f"trials: got none of {', '.join(missing)}, expected one of every claim")

    def measured(match: re.Match) -> str:
        claim, name, form = match.groups()
        if name == "ruling":
            return found[claim].ruling
        return format(Written(found[claim].numbers[name]), form)

    return [card._replace(back=MEASURED.sub(measured, card.back)) for card in read_questions()]


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
