"""What a student's process sends: only real arrays are accepted, and text can't do anything."""

import json

import numpy as np
import pytest

from sdpa_classroom.messages import decode, encode, read_answer
from sdpa_classroom.pages import sanitize_markdown


@pytest.mark.parametrize(
    "entry",
    [
        {},
        None,
        {"arrays": [{"dtype": "object", "shape": [1], "data": ""}], "problem": "", "several": False},
        {"arrays": [{"dtype": "float64", "shape": [10**12], "data": ""}], "problem": "", "several": False},
        {"arrays": [{"dtype": "float64", "shape": [-1], "data": ""}], "problem": "", "several": False},
        {"arrays": [{"dtype": "float64", "shape": [True], "data": "AAAAAAAAAAA="}], "problem": "", "several": False},
        {"arrays": [{"dtype": "float64", "shape": [2], "data": "AAAA"}], "problem": "", "several": False},
        {"arrays": [{"dtype": "float64", "shape": [1], "data": "????"}], "problem": "", "several": False},
        {"arrays": [3.0], "problem": "", "several": False},
    ],
)
def test_anything_but_an_array_is_refused(entry):
    assert read_answer(entry).problem


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("$a<b$, <b>bold</b>", "$a< b$, < b>bold< /b>"),
        ("[x](javascript:boo)", "[x](#)"),
        ("[x](  javascript&#58;boo 'title')", "[x](  # 'title')"),
        (
            "!![x](http://a.b/c) !\\[y](http://a.b) ! [z](http://a.b)",
            "[x](http://a.b/c) !\\[y](http://a.b) ! [z](http://a.b)",
        ),
        ("![x!](data:y)![z]", "[x!](#)[z]"),
        (r"$\style{a}{b}$, $\styled$", r"$\ style{a}{b}$, $\styled$"),
        ("> [x]: data:text/html,boo", "> [x] : data:text/html,boo"),
        ("[x]: https://example.org ![y](z)", "[x]: https://example.org [y](#)"),
        ("[a](https://example.org/a_b) and [below](#below)", "[a](https://example.org/a_b) and [below](#below)"),
    ],
)
def test_a_students_text_is_shown_without_html_and_scripts(text, shown):
    assert sanitize_markdown(text) == shown


def test_arrays_survive_the_round_trip():
    for array in (np.arange(6.0).reshape(2, 3), np.float32([np.nan, np.inf]), np.array(3.0), np.zeros((0, 4))):
        back = decode(json.loads(json.dumps(encode(array))))
        np.testing.assert_array_equal(back, array)
        assert back.dtype == array.dtype
        assert back.shape == array.shape
