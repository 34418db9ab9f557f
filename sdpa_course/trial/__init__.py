"""The claims of the course on trial: what people say, how it's tried, what was found. Notebook 12."""

from importlib import import_module

from .claims import CLAIMS, THEMES, always, decide, happens, reason, try_claims
from .flashcards import make_cards, show_cards
from .tables import count_verdicts, show_parts, show_verdicts

for theme in THEMES:  # importing a theme's module puts its claims into the register
    import_module(f".{theme}", __name__)

__all__ = [
    "CLAIMS",
    "THEMES",
    "always",
    "count_verdicts",
    "decide",
    "happens",
    "make_cards",
    "reason",
    "show_cards",
    "show_parts",
    "show_verdicts",
    "try_claims",
]
