"""The claims of the course on trial: what people say, how it's tried, what was found. Notebook 11."""

from importlib import import_module

from .claims import CLAIMS, THEMES, Claim, Finding, Part, Trial, Verdict, decide, try_claims
from .flashcards import Card, as_csv, make_cards, show_cards
from .tables import MARKS, SYMBOLS, count_verdicts, show_verdicts

__all__ = [
    "CLAIMS",
    "MARKS",
    "SYMBOLS",
    "THEMES",
    "Card",
    "Claim",
    "Finding",
    "Part",
    "Trial",
    "Verdict",
    "as_csv",
    "count_verdicts",
    "decide",
    "make_cards",
    "show_cards",
    "show_verdicts",
    "try_claims",
]

for theme in THEMES:  # importing a theme's module puts its claims into the register
    import_module(f".{theme}", __name__)
