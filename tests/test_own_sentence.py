"""The line above the map of heads in notebook 11, into which a reader with a model types a sentence."""

import ipywidgets as widgets
import numpy as np
import pytest

from sdpa_course.experiments.language import make_slice
from sdpa_course.explore import head_explorer
from sdpa_course.explore.language import read_sentence, the_model
from sdpa_course.model import load
from tests.model import tiny


@pytest.fixture
def own_model(tmp_path, monkeypatch):
    """A small model that's the reader's own."""
    path = tmp_path / "own.gguf"
    tiny.write_tiny(path, tiny.draw_tensors(np.random.default_rng(3)))
    monkeypatch.setenv("SDPA_MODEL", str(path))
    for cached in (the_model, read_sentence):
        cached.cache_clear()
    yield load(path)
    for cached in (the_model, read_sentence):
        cached.cache_clear()


def typed(explorer) -> tuple[widgets.Text, widgets.HTML]:
    """The line, and what's said below it."""
    return explorer.children[0].children


def test_a_sentence_that_is_typed_is_read_by_the_model(own_model):
    explorer = head_explorer("the the the")
    line, answer = typed(explorer)
    before = explorer.picture.value
    line.value = " there, the thing "
    assert answer.value == ""
    assert explorer.picture.value != before
    expected = make_slice(own_model, "there, the thing").scores[1, 4]
    seen = explorer.experiment(layer=1, head=4)
    weights = np.exp(expected) * np.tri(len(expected))
    np.testing.assert_allclose(seen.weights, weights / weights.sum(axis=-1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("x", "got 1 tokens, expected 2 to 40"),
        ("xy" * 25, "got 50 tokens"),
        ("there " * 41, "tokens, expected 2 to 40"),
    ],
)
def test_what_cannot_be_shown_gets_a_sentence_and_the_map_stays(own_model, sentence, said):
    explorer = head_explorer("the the the")
    line, answer = typed(explorer)
    line.value = "the th"
    before = explorer.picture.value
    line.value = sentence
    assert said in answer.value
    assert explorer.picture.value == before


def test_an_empty_line_brings_back_the_first_sentence(own_model):
    explorer = head_explorer("the the the")
    first = explorer.picture.value
    for sentence, same in (("there", False), ("", True)):
        typed(explorer)[0].value = sentence
        assert (explorer.picture.value == first) == same


def test_another_model_than_the_slice_is_refused_with_a_way_out(own_model):
    line, answer = typed(head_explorer())
    line.value = "the the the"
    assert "your model has 2 layers of 6 heads, expected 30 of 9; head_explorer(" in answer.value


def test_without_a_model_there_is_no_line(tmp_path, monkeypatch):
    monkeypatch.setenv("SDPA_MODEL", str(tmp_path / "none.gguf"))
    assert not any(isinstance(child, widgets.VBox) for child in head_explorer().children)
