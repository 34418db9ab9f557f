"""The claims of the course on trial: what people say, how it's tried, what was found. Notebook 11."""

from importlib import import_module

from .claims import CLAIMS, THEMES, decide, try_claims
from .flashcards import make_cards, show_cards
from .tables import count_verdicts, show_verdicts

for theme in THEMES:  # importing a theme's module puts its claims into the register
    import_module(f".{theme}", __name__)

__all__ = ["CLAIMS", "THEMES", "count_verdicts", "decide", "make_cards", "show_cards", "show_verdicts", "try_claims"]
