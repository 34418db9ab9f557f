"""The page of questions: short answers with a number, and links that lead to a section that exists."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "questions.md"
MOST = 60  # words
LINK = re.compile(r"\[([^\]]+)\]\(([^)#\s]+)(?:#([^)\s]+))?\)")


def entries() -> dict[str, tuple[str, str]]:
    """Question -> its answer, and the line that says where to look."""
    found = {}
    for entry in re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        question, _, rest = re.split(r"^## ", entry, flags=re.MULTILINE)[0].partition("\n")
        answer, _, where = rest.partition("→")
        found[question] = (answer.strip(), where.strip())
    return found


ENTRIES = entries()


def anchors(path: Path) -> dict[str, str]:
    """The sections of a notebook: their anchor on the site -> their heading."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"): heading for heading in headings}


def test_there_are_the_questions_that_people_ask():
    assert len(ENTRIES) >= 55
    groups = re.findall(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(groups) >= 6
    assert len(set(groups)) == len(groups)


@pytest.mark.parametrize("question", ENTRIES)
def test_an_answer_is_short_and_has_its_link(question):
    answer, where = ENTRIES[question]
    assert 15 <= len(answer.split()) <= MOST, f"{len(answer.split())} words"
    assert answer.endswith("."), answer[-40:]
    assert len(LINK.findall(where)) == 1, where


@pytest.mark.parametrize("question", ENTRIES)
def test_a_link_leads_to_the_section_that_it_names(question):
    for words, target, anchor in LINK.findall(" ".join(ENTRIES[question])):
        path = (PAGE.parent / target).resolve()
        assert path.is_file(), target
        assert words.startswith(path.name[:2]), words
        if anchor:
            found = anchors(path)
            assert anchor in found, f"{target} has no section {anchor}"
            assert words == f"{path.name[:2]} · {found[anchor]}"


def test_a_heading_becomes_the_anchor_that_the_site_gives_it():
    assert "is-it-p1--p" in anchors(ROOT / "notebooks" / "04_softmax_gradient.ipynb")
    assert "whats-at-stake" in anchors(ROOT / "notebooks" / "02_variance.ipynb")
