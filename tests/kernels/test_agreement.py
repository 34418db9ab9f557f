"""`agree` says so in one line, or says where two results differ."""

import re

import numpy as np
import pytest

from sdpa_course.verify import agree


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (0.1 + 0.2, 0.3),
        (np.array([[1.0, -np.inf]]), [[1.0, -np.inf]]),
        ((np.ones((2, 3)), np.zeros(4)), (np.ones((2, 3)), np.zeros(4))),
        (np.zeros((0, 3)), np.zeros((0, 3))),
        (np.array([True, False]), np.array([True, False])),
        (np.uint8([3]), np.array([3.0 + 1e-14])),
        (np.array([1 + 2j]), [1 + 2j]),
    ],
)
def test_agreement_is_one_line_without_digits_of_rounding(first, second, capsys):
    agree(first, second)
    assert capsys.readouterr().out == "largest gap below 1e-12\n"


def test_the_tolerance_is_what_is_printed_and_what_is_allowed(capsys):
    agree(1.0, 1.0004, tolerance=5e-4)
    assert capsys.readouterr().out == "largest gap below 0.0005\n"
    with pytest.raises(AssertionError, match=r"the largest gap is 0\.0004, expected below 0\.0004"):
        agree(0.0004, 0.0, tolerance=4e-4)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (np.ones((2, 3)), np.ones((3, 2)), "the shapes differ: (2, 3) and (3, 2)"),
        (np.ones(3), 1.0, "the shapes differ: (3,) and ()"),
        ((np.ones(3),), (np.ones(3), np.ones(3)), "the two differ in number: 1 and 2 arrays"),
        (2.0, 3.0, "the largest gap is 1, expected below 1e-12: the number is 2 in the first and 3 in the second"),
        ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[1.0, 2.5], [3.0, 4.0], [5.0, 9.0]], "entry [2, 1] is 6 in the first"),
        (np.uint8([3]), np.uint8([5]), "the largest gap is 2, expected below 1e-12"),
        ([1.0, np.nan], [1.0, np.nan], "entry [1] is nan in the first and nan in the second"),
        ([1.0, np.inf], [1.0, -np.inf], "entry [1] is inf in the first and -inf in the second"),
        ((np.ones(2), np.ones(3)), (np.ones(2), np.zeros(3)), "part 1: the largest gap is 1, expected below 1e-12"),
    ],
)
def test_disagreement_is_one_sentence(first, second, words, capsys):
    with pytest.raises(AssertionError, match=re.escape(words)):
        agree(first, second)
    assert capsys.readouterr().out == ""
