"""Flashcards: the course as questions with short answers, for the notebook, as CSV and as an Anki deck.

Mathematics stands in \\( … \\), which Anki renders. A number that was measured names the trial it comes from, so
that a test can compare it with that trial: no card goes stale in silence.
"""

import csv
import io
import re
from itertools import groupby
from typing import NamedTuple

from IPython.display import display

from .deck import CARDS

COLUMNS = ("front", "back", "tags")


class Source(NamedTuple):
    """Where a number on a card comes from: the claim, the name of its number, how it is written."""

    claim: str
    name: str
    form: str


class Card(NamedTuple):
    """A question and its answer."""

    front: str
    back: str
    theme: str
    sources: dict[str, Source]  # each measured number as it stands on the card


def all_cards() -> list[Card]:
    """The deck, theme by theme."""
    return [
        Card(front, back, theme, {digits: Source(*source) for digits, source in sources.items()})
        for theme, cards in CARDS.items()
        for front, back, sources in cards
    ]


def as_csv(cards: list[Card]) -> str:
    """Columns front, back, tags; one card a line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((card.front, card.back, f"sdpa {card.theme}") for card in cards)
    return text.getvalue()


def in_dollars(text: str) -> str:
    """The mathematics as a notebook writes it.

    Examples
    --------
    >>> in_dollars(r"the root \\(\\sqrt{d_k}\\)")
    'the root $\\\\sqrt{d_k}$'
    """
    return re.sub(r"\\\((.*?)\\\)", r"$\1$", text)


def as_markdown(cards: list[Card], titles: dict[str, str]) -> str:
    """Cards that unfold, in groups that unfold: works with no network and no kernel."""
    blocks = []
    for theme, group in groupby(cards, key=lambda card: card.theme):
        group = list(group)
        blocks.append(f"<details><summary><b>{titles[theme]}</b>: {len(group)} cards</summary>\n")
        for card in group:
            front, back = in_dollars(card.front), in_dollars(card.back)
            blocks.append(f"<details><summary>{front}</summary>\n\n{back}\n\n</details>\n")
        blocks.append("</details>\n")
    return "\n".join(blocks)


def show_cards(cards: list[Card], titles: dict[str, str]) -> None:
    """Put the cards into the notebook."""
    words = f"{len(cards)} flashcards in {len({card.theme for card in cards})} groups; click a question to turn it."
    display({"text/markdown": as_markdown(cards, titles), "text/plain": words}, raw=True)
