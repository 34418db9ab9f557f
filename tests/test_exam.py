"""The exam questions: every number in an answer is one that was given or is computed, and every link leads on.

After changing the numbers of a question, change them in its function in `exam_answers.py`, too: the test then says
which number in the answer no longer fits.
"""

import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from sdpa_course.experiments import rms, share_by_deviation, stored_cells, stored_reading
from tests.exam_answers import COMPUTED, LAYER
from tests.test_questions import LINK, anchors

PAGE = Path(__file__).parent.parent / "docs" / "exam.md"
QUESTION = re.compile(
    r"^### (?P<number>\d+)\. .+\n\n\*Notebook (?P<notebook>\d\d), (?P<kind>.+), (?P<points>\d+) points, "
    r"(?P<minutes>\d+) minutes\.\*\n\n(?P<asked>(?:.|\n)+?)<details><summary>Answer</summary>\n\n"
    r"\*\*Full marks\.\*\* (?P<full>.+(?:\n.+)*)\n\n\*\*Part marks\.\*\* (?P<part>.+(?:\n.+)*)\n\n"
    r"\*\*Expect\.\*\* (?P<expect>.+(?:\n.+)*)\n\n\*\*Tests\*\* (?P<where>.+(?:\n.+)*)\n\n</details>$",
    re.MULTILINE,
)
NOT_NUMBERS = re.compile(r"`[^`]*`|^\d\. |\(\d\)|10\^9|\d+\s+points?|\bC\d\d\b|\b100\s+%", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.,])([-−]?\d+(?:,\d{3})*(?:\.\d+)?)(?:/(\d+))?(\s+%)?")
FREE = {0.0, 1.0, 2.0}  # numbers that may stand in any answer; so may 100 %


class Number(NamedTuple):
    """A number as it's printed."""

    value: float
    decimals: int
    fraction: Fraction | None
    percent: bool

    def prints(self, value: float) -> bool:
        """Whether `value`, rounded like this number, is this number."""
        if self.fraction is not None:
            return abs(float(self.fraction) - value) < 1e-9
        return f"{value * (100 if self.percent else 1):.{self.decimals}f}" == f"{self.value:.{self.decimals}f}"


def numbers_in(text: str) -> list[Number]:
    found = []
    for whole, below, percent in NUMBER.findall(NOT_NUMBERS.sub(" ", text)):
        plain = whole.replace(",", "").replace("−", "-")
        fraction = Fraction(int(plain), int(below)) if below and int(below) else None
        found.append(Number(float(plain), len(plain.partition(".")[2]), fraction, bool(percent)))
    return found


QUESTIONS = {int(found["number"]): found for found in QUESTION.finditer(PAGE.read_text(encoding="utf-8"))}


def test_there_are_thirty_over_all_notebooks():
    assert list(QUESTIONS) == list(range(1, 31)) == sorted(COMPUTED)
    assert PAGE.read_text(encoding="utf-8").count("\n### ") == 30
    each = Counter(found["notebook"] for found in QUESTIONS.values())
    assert sorted(each) == [f"{number:02}" for number in range(13)]
    order = [found["notebook"] for found in QUESTIONS.values()]
    assert order == sorted(order)


def test_the_totals_are_as_said():
    said = re.search(r"worth (\d+)\s+points and would take (\d+)\s+minutes", PAGE.read_text(encoding="utf-8"))
    for total, name in zip(said.groups(), ("points", "minutes"), strict=True):
        assert int(total) == sum(int(found[name]) for found in QUESTIONS.values())


@pytest.mark.parametrize("number", QUESTIONS)
def test_part_marks_add_up(number):
    found = QUESTIONS[number]
    assert sum(int(points) for points in re.findall(r"(\d+)\s+points?", found["part"])) == int(found["points"])


@pytest.mark.parametrize("number", QUESTIONS)
def test_every_number_of_an_answer_is_given_or_computed(number):
    found = QUESTIONS[number]
    asked = numbers_in(found["asked"])
    given = {abs(each.value) for each in asked} | {each.fraction.denominator for each in asked if each.fraction} | FREE
    values = [float(value) for value in COMPUTED[number]()]
    printed = numbers_in(f"{found['full']} {found['expect']}")
    for each in printed:
        free = abs(each.value) in given and (each.fraction is None or each.fraction.denominator in given)
        assert free or any(each.prints(value) for value in values), f"{each} is neither given nor computed"
    rest = iter(printed)
    for value in values:  # in the order in which the answer has them
        assert any(each.prints(value) for each in rest), f"{value} isn't in the answer, or not where it should be"


def given_10():
    return [n * float(share_by_deviation([1.0], n)[0]) for n in (8, 64, 512, 4096)]


def given_17():
    return [x for pool in LAYER.values() for x in (rms(pool.slopes), pool.tops.mean(), pool.dead)]


def given_25():
    cells = [cell for cell in stored_cells("reverse") if cell.setting.d_k != 16]
    return [x for c in cells for x in (c.mean("rms_row", 0), c.mean("median_row", 0), c.mean("accuracy"))]


def given_28():
    stored = stored_reading()
    rules, caps = stored["loss_by_rule"], dict(map(tuple, stored["loss_by_softcap"]))
    names = ("1/sqrt(d_k)", "1/sqrt(d_model)", "1/d_k", "1")
    return [*(rules[name]["prose"][0] for name in names), caps[50.0]["prose"][0],
            np.median(stored["heads"]["variance"])]  # fmt: skip


GIVEN = {10: given_10, 17: given_17, 25: given_25, 28: given_28}


@pytest.mark.parametrize("number", GIVEN)
def test_a_table_in_a_question_is_what_the_package_measures(number):
    printed = numbers_in(QUESTIONS[number]["asked"])
    for value in GIVEN[number]():
        assert any(each.prints(value) for each in printed), value


@pytest.mark.parametrize("number", QUESTIONS)
def test_a_question_names_its_notebook_and_section(number):
    found = QUESTIONS[number]
    ((words, target, anchor),) = LINK.findall(" ".join(found["where"].split()))
    path = (PAGE.parent / target).resolve()
    assert path.name[:2] == found["notebook"]
    assert words == f"{path.name[:2]} · {anchors(path)[anchor]}"
