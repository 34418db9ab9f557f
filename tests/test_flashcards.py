"""Flashcards: every measured number is that of its trial, and the files are what the cards say."""

import csv
import html
import io
import json
import re
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from sdpa_course.trial.cards import all_cards, as_csv, as_markdown, in_dollars, show_cards
from sdpa_course.trial.claims import CLAIMS, THEMES
from sdpa_course.trial.deck import CARDS

ROOT = Path(__file__).parent.parent
DOWNLOADS = ROOT / "downloads"
DECIMAL = re.compile(r"−?\d+\.\d+(?: %)?")
EXACT = {"0.02", "0.5", "0.3", "0.2", "0.03", "0.002"}  # definitions, not measurements


@pytest.fixture(scope="module")
def numbers():
    names = {source.claim for card in all_cards() for source in card.sources.values()}
    return {name: CLAIMS[name].try_it(CLAIMS[name].seed).numbers for name in names}


def read_notes(path: Path) -> list[tuple]:
    """guid, tags and fields of every note in a deck, with nothing but the standard library."""
    with zipfile.ZipFile(path) as package:
        data = package.read("collection.anki2")
    with closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(data)
        cards = base.execute("select count(*) from cards").fetchone()[0]
        notes = base.execute("select guid, tags, flds, mod from notes order by id").fetchall()
        decks = json.loads(base.execute("select decks from col").fetchone()[0])
    assert cards == len(notes)
    assert any(deck["name"] == "Why divide by √d_k?" for deck in decks.values())
    return notes


def test_there_are_enough_cards_and_no_question_twice():
    cards = all_cards()
    assert 25 <= len(cards) <= 40
    assert len({card.front for card in cards}) == len(cards)
    assert list(CARDS) == list(THEMES)
    for card in cards:
        assert len(card.back.split()) <= 60, card.front


@pytest.mark.parametrize("card", all_cards(), ids=lambda card: card.front[:30])
def test_measured_numbers_are_those_of_the_trials(card, numbers):
    for digits, (claim, name, form) in card.sources.items():
        measured = format(numbers[claim][name], form).replace("%", " %").replace("-", "−")
        assert measured == digits, f"{claim} {name}: measured {measured}, on the card {digits}"
        assert digits in card.back


@pytest.mark.parametrize("card", all_cards(), ids=lambda card: card.front[:30])
def test_every_decimal_has_a_source(card):
    for digits in DECIMAL.findall(card.back):
        assert digits in card.sources or digits in EXACT, digits


@pytest.mark.parametrize("card", all_cards(), ids=lambda card: card.front[:30])
def test_mathematics_is_written_for_anki(card):
    for text in (card.front, card.back):
        assert text.count(r"\(") == text.count(r"\)")
        assert "$" not in text
        assert "\\" not in re.sub(r"\\\(.*?\\\)", "", text)  # no command outside of mathematics


def test_dollars_for_the_notebook():
    assert in_dollars(r"a \(x_1\) and \(\sqrt{d_k}\).") == r"a $x_1$ and $\sqrt{d_k}$."


def test_markdown_unfolds():
    cards = all_cards()
    text = as_markdown(cards, THEMES)
    assert text.count("<details>") == text.count("</details>") == len(cards) + len(THEMES)
    assert text.count("<summary>") == len(cards) + len(THEMES)
    assert r"\(" not in text
    assert f"<summary><b>Heads</b>: {len(CARDS['heads'])} cards</summary>" in text


def test_cards_are_shown(monkeypatch):
    shown = []
    monkeypatch.setattr("sdpa_course.trial.cards.display", lambda data, raw: shown.append(data))
    show_cards(all_cards(), THEMES)
    assert shown[0]["text/plain"].startswith(f"{len(all_cards())} flashcards in 7 groups")


def test_csv_file_is_what_the_cards_say():
    text = (DOWNLOADS / "flashcards.csv").read_text(encoding="utf-8")
    assert text == as_csv(all_cards())
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["front"], row["back"]) for row in rows] == [(card.front, card.back) for card in all_cards()]
    assert {row["tags"].split()[0] for row in rows} == {"sdpa"}


def test_deck_is_what_the_cards_say():
    notes = read_notes(DOWNLOADS / "flashcards.apkg")
    fields = [html.unescape(note[2]).split("\x1f") for note in notes]
    assert fields == [[card.front, card.back] for card in all_cards()]
    assert len({note[0] for note in notes}) == len(notes)
    assert len({note[3] for note in notes}) == 1  # one fixed time


def test_files_are_rebuilt_alike(tmp_path):
    """Notes are compared, not bytes: another SQLite or zlib may pack the same notes differently."""
    for folder in ("one", "two"):
        run = [sys.executable, str(ROOT / "tools" / "flashcards.py"), str(tmp_path / folder)]
        subprocess.run(run, check=True, cwd=ROOT)
    assert (tmp_path / "one" / "flashcards.csv").read_bytes() == (DOWNLOADS / "flashcards.csv").read_bytes()
    assert read_notes(tmp_path / "one" / "flashcards.apkg") == read_notes(DOWNLOADS / "flashcards.apkg")
    one, two = ((tmp_path / folder / "flashcards.apkg").read_bytes() for folder in ("one", "two"))
    assert one == two  # on one machine also byte for byte
