"""Flashcards: every measured number comes from its trial, and the files are what the cards say."""

import csv
import html
import io
import json
import re
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from sdpa_course.trial import THEMES, make_cards, show_cards, try_claims
from sdpa_course.trial.claims import Trial
from sdpa_course.trial.flashcards import MEASURED, Card, as_markdown, read_questions, with_dollars
from tools.flashcards import write_files

ROOT = Path(__file__).parent.parent
DOWNLOADS = ROOT / "downloads"
DECIMAL = re.compile(r"−?\d+\.\d+(?: %)?")
EXACT = {"0.02", "0.5", "0.3", "0.2", "0.03", "0.002"}  # definitions, not measurements
QUESTIONS = {card.front: card.back for card in read_questions()}


@pytest.fixture(scope="module")
def trials() -> list[Trial]:
    return [trial for theme in THEMES for trial in try_claims(theme)]


@pytest.fixture(scope="module")
def cards(trials) -> list[Card]:
    return make_cards(trials)


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


def test_there_are_enough_cards_and_no_question_twice(cards):
    assert 25 <= len(cards) <= 45
    assert len({card.front for card in cards}) == len(cards)
    for card in cards:
        assert len(card.back.split()) <= 60, card.front


def test_numbers_are_filled_in_as_people_write_them(cards):
    backs = {card.front: card.back for card in cards}
    assert not any(MEASURED.search(back) for back in backs.values())
    assert "0.89 of the queries" in backs["Is the key with the largest dot product the most similar one?"]
    assert "loses 99.6 % of the" in backs["“The scale is there for numerical stability.” Answer?"]
    assert "slope is −0.450." in backs["Use p(1 − p) as the gradient of a loss: what can go wrong?"]


def test_cards_need_every_trial(trials):
    with pytest.raises(ValueError, match="trials: got none of C18, C19, C20, C30, C31, expected one of every claim"):
        make_cards([trial for trial in trials if trial.claim.theme != "training"])


@pytest.mark.parametrize("front", QUESTIONS, ids=lambda front: front[:30])
def test_no_measured_number_is_typed_in(front):
    typed = DECIMAL.findall(MEASURED.sub("", QUESTIONS[front]))
    assert set(typed) <= EXACT
    assert not re.search(r"half true|holds if|not shown|[Tt]he claim (holds|fails)", MEASURED.sub("", QUESTIONS[front]))


@pytest.mark.parametrize("front", QUESTIONS, ids=lambda front: front[:30])
def test_mathematics_is_written_for_anki(front):
    for text in (front, QUESTIONS[front]):
        assert text.count(r"\(") == text.count(r"\)")
        assert "$" not in text
        assert "\\" not in re.sub(r"\\\(.*?\\\)", "", text)  # no command outside of mathematics


def test_dollars_for_the_notebook():
    assert with_dollars(r"a \(x_1\) and \(\sqrt{d_k}\).") == r"a $x_1$ and $\sqrt{d_k}$."


def test_markdown_unfolds(cards):
    text = as_markdown(cards)
    assert text.count("<details>") == text.count("</details>") == len(cards) + len(THEMES)
    assert text.count("<summary>") == len(cards) + len(THEMES)
    assert r"\(" not in text
    assert f"<summary><b>Heads</b>: {sum(card.theme == 'heads' for card in cards)} cards</summary>" in text


def test_cards_are_shown(monkeypatch, cards):
    shown = []
    monkeypatch.setattr("sdpa_course.trial.flashcards.display", lambda data, raw: shown.append(data))
    show_cards(cards)
    assert shown[0]["text/plain"].startswith(f"{len(cards)} flashcards in 7 groups")


def test_csv_file_is_what_the_cards_say(cards):
    rows = list(csv.DictReader(io.StringIO((DOWNLOADS / "flashcards.csv").read_text(encoding="utf-8"))))
    assert [(row["front"], row["back"]) for row in rows] == [(card.front, card.back) for card in cards]
    assert {row["tags"].split()[0] for row in rows} == {"sdpa"}


def test_deck_is_what_the_cards_say(cards):
    notes = read_notes(DOWNLOADS / "flashcards.apkg")
    fields = [html.unescape(note[2]).split("\x1f") for note in notes]
    assert fields == [[card.front, card.back] for card in cards]
    assert len({note[0] for note in notes}) == len(notes)
    assert len({note[3] for note in notes}) == 1  # one fixed time


def test_files_are_rebuilt_alike(tmp_path, cards):
    """Notes are compared, not bytes, because another SQLite or zlib may pack the same notes differently."""
    for folder in ("one", "two"):
        write_files(tmp_path / folder, cards)
    assert (tmp_path / "one" / "flashcards.csv").read_bytes() == (DOWNLOADS / "flashcards.csv").read_bytes()
    assert read_notes(tmp_path / "one" / "flashcards.apkg") == read_notes(DOWNLOADS / "flashcards.apkg")
    one, two = ((tmp_path / folder / "flashcards.apkg").read_bytes() for folder in ("one", "two"))
    assert one == two  # on one machine they're equal byte for byte
