"""Write the flashcards of notebook 11 to downloads/: as CSV, and as a deck for Anki.

python tools/flashcards.py                  downloads/
python tools/flashcards.py /some/folder     there

Needs genanki. The same cards always give the same files, because ids and times are fixed.
"""

import html
import sys
import tempfile
import zipfile
from pathlib import Path

import genanki

from sdpa_course.trial.cards import all_cards, as_csv
from sdpa_course.trial.claims import THEMES

ROOT = Path(__file__).parent.parent
DECK_ID, MODEL_ID = 1_706_110_064, 1_706_110_512  # chosen once; Anki recognises a deck by its id
TIME = 1_735_689_600.0  # 2025-01-01, for every note
MODEL = genanki.Model(
    MODEL_ID,
    "sdpa course: question and answer",
    fields=[{"name": "Front"}, {"name": "Back"}],
    templates=[
        {
            "name": "Card 1",
            "qfmt": "{{Front}}",
            "afmt": "{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}",
        }
    ],
    css=".card { font-family: sans-serif; font-size: 20px; text-align: left; max-width: 36em; margin: 1em auto; }",
)


def make_deck() -> genanki.Deck:
    """The cards as notes. A note is identified by its question, so a corrected answer replaces the old one."""
    deck = genanki.Deck(DECK_ID, "Why divide by √d_k?")
    for card in all_cards():
        fields = [html.escape(text, quote=False) for text in (card.front, card.back)]
        tags = ["sdpa", THEMES[card.theme].replace(",", "").replace(" ", "-").lower()]
        deck.add_note(genanki.Note(MODEL, fields, tags=tags, guid=genanki.guid_for("sdpa", card.front)))
    return deck


def write_deck(path: Path) -> None:
    """Write the deck, zipped again without time stamps."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "deck.apkg"
        genanki.Package(make_deck()).write_to_file(raw, timestamp=TIME)
        with zipfile.ZipFile(raw) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for name in sorted(old.namelist()):
                new.writestr(zipfile.ZipInfo(name, (2025, 1, 1, 0, 0, 0)), old.read(name), zipfile.ZIP_DEFLATED)


def main(folder: Path) -> None:
    """Write both files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "flashcards.csv").write_text(as_csv(all_cards()), encoding="utf-8", newline="\n")
    write_deck(folder / "flashcards.apkg")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "downloads")
