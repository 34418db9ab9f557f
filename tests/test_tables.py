"""Tables of results: the same numbers as HTML and as text, whatever the rows are."""

from html.parser import HTMLParser
from typing import NamedTuple

import numpy as np
import pytest

from sdpa_course.experiments import Estimate
from sdpa_course.tables import table


class Row(NamedTuple):
    d_k: int
    variance: Estimate
    note: str


ROWS = [Row(4, Estimate(-3.9512, 0.04, 10), "small"), Row(512, Estimate(518.87, 5.26, 10), "large & wide")]
FORMATS = {"d_k": "d", "variance": ".2f", "note": ""}
TEXT = """\
d_k        variance   note
  4    −3.95 ± 0.04   small
512   518.87 ± 5.26   large & wide"""


@pytest.fixture
def shown(monkeypatch):
    """`shown(rows, …)` is what the table puts into the notebook."""
    outputs = []
    monkeypatch.setattr("sdpa_course.tables.display", lambda data, raw: outputs.append(data))

    def show(*arguments, **keywords):
        table(*arguments, **keywords)
        return outputs[-1]

    return show


class Cells(HTMLParser):
    """Tags, attributes and texts of the cells, in order, and whether every tag is closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.cells = [], []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        if tag in ("th", "td", "caption"):
            self.cells.append((tag, dict(attributes), ""))

    def handle_data(self, data):
        if {"th", "td", "caption"} & set(self.open):
            tag, attributes, text = self.cells[-1]
            self.cells[-1] = tag, attributes, text + data

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    "rows", [ROWS, [row._asdict() for row in ROWS], [tuple(row) for row in ROWS], (list(row) for row in ROWS)]
)
def test_rows_of_any_kind_give_the_same_table(shown, rows):
    assert shown(rows, FORMATS)["text/plain"] == TEXT


def test_html_has_the_same_texts_and_says_what_a_header_is_for(shown):
    html = shown(ROWS, FORMATS, caption="Two widths")["text/html"]
    assert "large &amp; wide" in html
    cells = Cells(html).cells
    assert cells[0] == ("caption", {}, "Two widths")
    texts = [text.replace("\N{NO-BREAK SPACE}", " ") for _, _, text in cells[1:]]
    assert texts == ["d_k", "variance", "note", "4", "−3.95 ± 0.04", "small", "512", "518.87 ± 5.26", "large & wide"]
    scopes = [attributes.get("scope") for tag, attributes, _ in cells[1:]]
    assert scopes == ["col", "col", "col", "row", None, None, "row", None, None]
    assert [tag for tag, *_ in cells[1:]] == ["th" if scope else "td" for scope in scopes]
    sides = [attributes["style"].removeprefix("text-align: ") for _, attributes, _ in cells[1:]]
    assert sides == ["right", "right", "left"] * 3


def test_a_caption_is_the_first_line_of_the_text(shown):
    assert shown(ROWS, FORMATS, caption="After $d_k$ steps")["text/plain"] == f"After d_k steps\n{TEXT}"


def test_names_come_from_the_rows_if_no_columns_are_given(shown):
    assert shown(ROWS)["text/plain"].splitlines()[0].split() == ["d_k", "variance", "note"]
    assert shown([{"a": 1.23456, "b": "x"}])["text/plain"] == "   a   b\n1.23   x"


def test_columns_pick_and_order_what_is_shown(shown):
    assert shown(ROWS, ["note", "d_k"])["text/plain"] == "note           d_k\nsmall            4\nlarge & wide   512"


def test_mathematics_is_tex_in_html_and_letters_in_text(shown):
    data = shown([(r"$1/\sqrt{d_k}$", 1.0)], {"scale": "", r"$d_{model}$": ".1f"})
    assert data["text/plain"] == "scale    d_model\n1/√d_k       1.0"
    assert r'<span class="math">\(1/\sqrt{d_k}\)</span>' in data["text/html"]
    assert r'<span class="math">\(d_{model}\)</span>' in data["text/html"]
    assert "$" not in data["text/html"]


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (-0.04, ".1f", "0.0"),  # the sign of a rounded zero isn't the same on every machine
        (-0.04, ".2f", "−0.04"),
        (-0.0004, ".0%", "0%"),
        (-10.0, ".0f", "−10"),
        (1.6e-7, ".1e", "1.6e−07"),
        (-1e-7, ".0e", "−1e−07"),
        (4_194_304, ",", "4,194,304"),
        (np.float32(0.5), ".2f", "0.50"),
        (np.int64(7), "", "7"),
        (2 / 3, "", "0.667"),
        (np.array(2.0), ".1f", "2.0"),
        (Estimate(-0.001, 0.06), ".2f", "0.00 ± 0.06"),
        (Estimate(0.7, 0.06), "+.1f", "+0.7 ± 0.1"),
        (None, ".2f", ""),
        ("well-known", "", "well-known"),
    ],
)
def test_values_as_they_are_written(shown, value, spec, text):
    line = shown([("row", value)], {"name": "", "value": spec})["text/plain"].splitlines()[1]
    assert line == f"row    {text:>5}".rstrip()


def test_text_goes_right_when_asked(shown):
    assert shown([("9/5", 1), ("3", 2)], {"a": ">", "b": ""})["text/plain"] == "  a   b\n9/5   1\n  3   2"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([],), "rows: got none, expected at least one"),
        (([(1, 2)],), "columns: got none, expected their names, because these rows have no names of their own"),
        (([(1, 2), (3,)], ["a", "b"]), "row 1: got 1 values, expected 2, one for each column"),
        ((ROWS, ["d_k", "mean"]), "columns: got 'mean', expected names that row 0 has: d_k, variance, note"),
    ],
)
def test_bad_rows_get_one_sentence(shown, arguments, words):
    with pytest.raises(ValueError, match=words):
        shown(*arguments)


def test_a_fold_hides_the_table_until_its_line_is_clicked(shown):
    folded, plain = (shown(ROWS, FORMATS, fold=fold) for fold in ("All $d_k$ & more", ""))
    assert folded["text/html"].startswith(
        '<details><summary>All <span class="math">\\(d_k\\)</span> &amp; more</summary>'
    )
    assert folded["text/html"].endswith(f"{plain['text/html']}\n</details>")
    assert folded["text/plain"] == plain["text/plain"]
