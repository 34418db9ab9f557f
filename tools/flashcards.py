"""Write the flashcards of notebook 12 to downloads/: as CSV, and as a deck for Anki.

python tools/flashcards.py                  downloads/
python tools/flashcards.py /some/folder     there

Needs genanki, and tries all claims first, because the cards quote their numbers. The same cards give the same files:
ids, guids and times are fixed.
"""

import csv
import html
import sys
import tempfile
import zipfile
from pathlib import Path

import genanki

from sdpa_course.trial import THEMES, make_cards, try_claims
from sdpa_course.trial.flashcards import Card

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


def make_deck(cards: list[Card]) -> genanki.Deck:
    """The cards as notes. Anki knows a note by its question, so a corrected answer replaces the old one."""
    deck = genanki.Deck(DECK_ID, "Why divide by √d_k?")
    for card in cards:
        fields = [html.escape(text, quote=False) for text in (card.front, card.back)]
        tags = ["sdpa", THEMES[card.theme].replace(",", "").replace(" ", "-").lower()]
        deck.add_note(genanki.Note(MODEL, fields, tags=tags, guid=genanki.guid_for("sdpa", card.front)))
    return deck


def write_deck(path: Path, cards: list[Card]) -> None:
    """Write the Anki package, zipped again without the time of day."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "deck.apkg"
        genanki.Package(make_deck(cards)).write_to_file(raw, timestamp=TIME)
        with zipfile.ZipFile(raw) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for name in sorted(old.namelist()):
                new.writestr(zipfile.ZipInfo(name, (2025, 1, 1, 0, 0, 0)), old.read(name), zipfile.ZIP_DEFLATED)


def write_csv(path: Path, cards: list[Card]) -> None:
    """Write one line per card with the columns front, back and tags."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("front", "back", "tags"))
        writer.writerows((card.front, card.back, f"sdpa {card.theme}") for card in cards)


def write_files(folder: Path, cards: list[Card]) -> None:
    """Write the cards as CSV and as a deck for Anki."""
    folder.mkdir(parents=True, exist_ok=True)
    write_csv(folder / "flashcards.csv", cards)
    write_deck(folder / "flashcards.apkg", cards)


def main(folder: Path) -> None:
    """Try all claims and write both files."""
    write_files(folder, make_cards([trial for theme in THEMES for trial in try_claims(theme)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "downloads")
