"""Predictions: what a notebook stores, what's refused in which words, and guesses that survive a bad file."""

import json
import re
import subprocess
import sys
from base64 import b64decode
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest

from sdpa_course.explore import Truth, forget, guesses, predict, prediction
from sdpa_course.explore.explorer import WIDGET
from sdpa_course.explore.memory import GUESSES
from sdpa_course.explore.prediction import Form
from sdpa_course.figures.drawing import draw, new
from tests import predictions
from tools import run_notebooks

ROOT = Path(__file__).parent.parent

X = (1, 2, 4, 8)
CURVE = {"x": X, "low": 0, "high": 10, "log": True}
RECORD = {"kind": "pick", "guess": "b", "gap": 1, "question": "Which?", "when": "2020-02-02T20:20:20"}


@pytest.fixture(autouse=True)
def file(monkeypatch, tmp_path):
    """A file of guesses for this test alone."""
    monkeypatch.setenv("SDPA_GUESSES", str(tmp_path / "guesses.json"))
    monkeypatch.setattr(GUESSES, "unsaved", {})
    monkeypatch.setattr(GUESSES, "trouble", "")
    yield tmp_path / "guesses.json"
    for form in list(Form.open_forms):
        form.close()
    Form.open_forms.clear()


@pytest.fixture
def shown(monkeypatch):
    """What a cell displays."""
    found = []
    monkeypatch.setattr(prediction, "display", lambda data, raw: found.append(data))
    return found


def ask(truth=None, **kind):
    return predict("What of d_k < 8?", **kind, reveal=lambda: truth, name="t/1")


KINDS = {
    "pick": ({"options": ["a", "b"]}, Truth("a", "It's a.")),
    "number": ({"number": {"low": 0, "high": 9}}, Truth(3, "It's 3.")),
    "curve": ({"curve": CURVE}, Truth(np.array([1, 2, 3, 4.5]), "It's that.")),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def test_a_cell_stores_the_question_and_the_folded_answer(shown, kind):
    given, truth = KINDS[kind]
    assert ask(truth, **given) is None  # nothing for Out[…]
    stored, widget = shown
    assert list(widget) == [WIDGET]  # nothing else, so that it's left out of what is stored
    assert truth.words not in stored["text/plain"]
    before, fold = stored["text/html"].split('<details class="predict-fold">')
    assert "What of <i>d<sub>k</sub></i> &lt; 8?" in before
    assert "It&#x27;s" in fold
    data = json.loads(unescape(re.search(r'data-predict="([^"]*)"', before)[1]))
    assert data["kind"] == kind
    assert data["answer"] == {"pick": "a", "number": 3, "curve": [1, 2, 3, 4.5]}[kind]
    assert (kind == "curve") == ("data:image/png" in fold)


def test_what_is_stored_does_not_depend_on_the_guess(shown, kind):
    given, truth = KINDS[kind]
    ask(truth, **given)
    GUESSES.put({"t/1": RECORD})
    ask(truth, **given)
    assert shown[0] == shown[2]


def picture():
    figure, ax = new(size=(2, 1))
    ax.plot(X, X)
    return figure


@pytest.mark.parametrize("form", ["figure", "bytes", "object"])
def test_a_picture_comes_in_any_form_that_the_course_draws(shown, form):
    png, alt = draw(picture()), "A line & more."
    given = {"figure": (picture(), alt), "bytes": (png, alt), "object": SimpleNamespace(picture=png, alt=alt)}[form]
    ask(Truth("a", "Words.", given), options=["a", "b"])
    html = shown[0]["text/html"]
    assert b64decode(re.search('base64,([^"]+)', html)[1]) == png
    assert 'alt="A line &amp; more."' in html.split("<details")[1]


WRONG = {
    "none of options": {},
    "options and number": {"options": ["a", "b"], "number": {"low": 0, "high": 1}},
    "at least two": {"options": ["a"]},
    "different texts": {"options": ["a", "a"]},
    r"number: got \['low'\]": {"number": {"low": 0}},
    "expected .* 'start'": {"number": {"low": 0, "high": 1, "begin": 2}},
    "low < high": {"number": {"low": 1, "high": 1}},
    "step = 5": {"number": {"low": 0, "high": 1, "step": 5}},
    "each larger than the one before": {"curve": CURVE | {"x": (1, 4, 2, 8)}},
    "4 to 9 numbers": {"curve": CURVE | {"x": (1, 2)}},
    "above 0": {"curve": CURVE | {"x": (0, 1, 2, 4)}},
    "log=True may help": {"curve": CURVE | {"log": False, "x": (1, 8, 64, 512)}},
    "returned NoneType": {"options": ["a", "b"]},
}
WRONG_TRUTH = {
    "one of the options": ("pick", Truth("c", "w")),
    "a number from 0 to 9": ("number", Truth("3", "w")),
    "got nan": ("number", Truth(float("nan"), "w")),
    "got 10": ("number", Truth(10, "w")),
    "4 numbers from 0 to 10": ("curve", Truth([1, 2, 3], "w")),
    r"got \[1, 2, 3, 99\]": ("curve", Truth([1, 2, 3, 99], "w")),
    "got 3, expected 4 numbers": ("curve", Truth(3, "w")),
    "got bytes with ''": ("pick", Truth("a", "w", (b"", ""))),
    "got int with .* expected a PNG and its alt text": ("pick", Truth("a", "w", 3)),
}


@pytest.mark.parametrize("words", WRONG)
def test_a_bad_question_gets_one_sentence(words, shown):
    with pytest.raises(ValueError, match=words) as refused:
        ask(**WRONG[words])
    assert "\n" not in str(refused.value)
    assert shown == []


@pytest.mark.parametrize("words", WRONG_TRUTH)
def test_a_bad_truth_gets_one_sentence(words, shown):
    kind, truth = WRONG_TRUTH[words]
    with pytest.raises(ValueError, match=words):
        ask(truth, **KINDS[kind][0])
    assert shown == []


def test_a_prediction_needs_a_name():
    with pytest.raises(ValueError, match="name = ''"):
        predict("Which?", ["a", "b"], reveal=lambda: Truth("a", "w"), name="")


def test_guesses_are_remembered_and_forgotten(file):
    GUESSES.put({"1/a": RECORD, "1/b": RECORD, "2/c": RECORD})
    assert guesses() == {"1/a": RECORD, "1/b": RECORD, "2/c": RECORD}
    GUESSES.put({"1/b": None})
    forget("1/a")
    assert list(guesses()) == ["2/c"]
    assert json.loads(file.read_text())["version"] == 1
    forget()
    assert guesses() == {}
    assert [path.name for path in file.parent.iterdir()] == ["guesses.json"]


def test_a_commit_on_the_page_reaches_the_file_and_every_form(shown):
    for given, truth in KINDS.values():
        ask(truth, **given)
    first, *others = sorted(Form.open_forms, key=id)
    first.keep(first, {"changes": {"t/1": RECORD}, "token": "x"}, [])
    assert guesses() == {"t/1": RECORD}
    assert first.heard == "x"
    assert [form.guesses for form in others] == [{"t/1": RECORD}] * 2


DAMAGE = ["", "nonsense", "[]", "{}", "3", '{"guesses": 3}', '{"guesses": []}', "[" * 100_000, b"\xff\xfe\x00"]


@pytest.mark.parametrize("damage", DAMAGE, ids=range(len(DAMAGE)))
def test_a_damaged_file_is_put_aside(file, damage):
    file.write_bytes(damage if isinstance(damage, bytes) else damage.encode())
    assert guesses() == {}
    GUESSES.put({"1/a": RECORD})
    assert guesses() == {"1/a": RECORD}
    assert file.with_suffix(".damaged").exists()
    assert GUESSES.trouble == ""


def test_entries_that_are_no_guesses_are_ignored(file):
    file.write_text(json.dumps({"guesses": {"1/a": RECORD, "1/b": 3, "1/c": None}}))
    assert guesses() == {"1/a": RECORD}


@pytest.mark.parametrize("obstacle", ["a folder in its place", "a file in the way", "no home", "a locked file"])
def test_what_cannot_be_saved_is_kept_for_the_session(file, monkeypatch, obstacle):
    if obstacle == "a folder in its place":
        file.mkdir()
    elif obstacle == "a file in the way":
        file.parent.joinpath("file").touch()
        monkeypatch.setenv("SDPA_GUESSES", str(file.parent / "file" / "guesses.json"))
    elif obstacle == "no home":
        monkeypatch.delenv("SDPA_GUESSES")
        monkeypatch.setattr("pathlib.Path.home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    else:
        monkeypatch.setattr("os.replace", lambda *paths: (_ for _ in ()).throw(PermissionError("locked")))
    GUESSES.put({"1/a": RECORD})
    assert guesses() == {"1/a": RECORD}
    assert GUESSES.trouble.startswith("Kept only until the kernel stops")
    monkeypatch.undo()
    assert not list(file.parent.glob("*.part"))


def test_what_was_kept_for_the_session_is_saved_when_the_obstacle_is_gone(file):
    file.mkdir()
    GUESSES.put({"1/a": RECORD})
    file.rmdir()
    GUESSES.put({"1/b": RECORD})
    assert set(json.loads(file.read_text())["guesses"]) == {"1/a", "1/b"}
    assert GUESSES.trouble == ""


def nbval(path):
    """Compare a notebook with what its cells give now, as `make test` does."""
    options = [
        "--nbval",
        "--nbval-current-env",
        "--nbval-sanitize-with",
        ROOT / "tools" / "nbval.cfg",
        "-p",
        "no:cacheprovider",
    ]
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", *options, path], cwd=path.parent, capture_output=True)
    return run.returncode == 0


def test_nbval_accepts_a_stored_notebook_whatever_was_guessed(file, tmp_path):
    path = tmp_path / "predictions.ipynb"
    nbformat.write(predictions.notebook(), path)
    run_notebooks.run(path)
    GUESSES.put({"test/pick": {**RECORD, "guess": "it stays about 1"}})
    stored = path.read_text(encoding="utf-8")
    assert "SECRET" in stored
    assert WIDGET not in stored
    path.write_text(stored.replace("base64,iVBOR", "base64,anothermachine"), encoding="utf-8")
    assert nbval(path)
    path.write_text(stored.replace("Show the answer", "Show it"), encoding="utf-8")
    assert not nbval(path)
