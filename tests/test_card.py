"""The answer card: its words are those of the claims, and its files are what the tool writes."""

import html
import re
from pathlib import Path

import pytest

from sdpa_course.trial import CLAIMS
from tools.card import QUOTED, draw_card, write_card

DOWNLOADS = Path(__file__).parent.parent / "downloads"


@pytest.fixture(scope="module")
def words() -> str:
    return draw_card()[1]


def test_it_says_what_the_claims_say(words):
    for name in QUOTED:
        trial = CLAIMS[name].try_it()
        assert f"“{trial.claim.statement}”: {trial.ruling}. {trial.instead}" in words
    learned = CLAIMS["C19"].try_it().numbers
    assert (
        f"right {learned['SGD_512_none']:.0%} of the time instead of {learned['SGD_512_root']:.0%}".replace("%", " %")
        in words
    )


def test_a_claim_that_changes_changes_the_card(monkeypatch, words):
    monkeypatch.setitem(CLAIMS, "C08", CLAIMS["C08"]._replace(condition="it rains"))
    assert draw_card()[1] != words


def test_the_stored_card_is_what_the_tool_draws(words):
    """Words are compared, not bytes: another processor may draw the last digit of a curve differently."""
    (described,) = re.findall("<desc>(.*?)</desc>", (DOWNLOADS / "answer_card.svg").read_text(encoding="utf-8"))
    assert html.unescape(described) == words


def test_it_is_light_and_drawn_alike_each_time(tmp_path):
    for folder in ("one", "two"):
        write_card(tmp_path / folder)
    for name in ("answer_card.svg", "answer_card.pdf"):
        one, two, stored = (path / name for path in (tmp_path / "one", tmp_path / "two", DOWNLOADS))
        assert one.read_bytes() == two.read_bytes()
        assert stored.stat().st_size < 400_000
    assert len(re.findall(rb"/Type /Page\b(?!s)", (tmp_path / "one" / "answer_card.pdf").read_bytes())) == 1
