"""Sliders of notebook 11: the knob m with what the model writes, and every head on a sentence."""

from functools import lru_cache, partial
from html import escape
from typing import NamedTuple

import ipywidgets as widgets
import numpy as np

from ..experiments.knob import FACTORS, PROMPTS
from ..experiments.language import KINDS, SENTENCE_FOR_SLICE, Slice, causal_weights, load_slice, make_slice
from ..experiments.language import stored_reading as stored
from ..figures.drawing import Canvas
from ..figures.kit.matrices import percent
from ..figures.language import head_map, knob
from ..model import Model, has_model, load
from .explorer import Explorer, slider

LONGEST = 40  # tokens of a sentence, so that the map can still be read


class Turned(NamedTuple):
    """One position of the knob."""

    m: float
    prompt: str
    text: str  # what the model writes
    factors: tuple[float, ...]
    losses: dict[str, list[float]]  # kind of text -> loss at each factor


class Head(NamedTuple):
    """One head on a sentence."""

    layer: int
    head: int
    words: list[str]
    weights: np.ndarray  # (T, T)


def turn(m: float = 1.0, prompt: str = PROMPTS[0]) -> Turned:
    """What's stored for this m."""
    found = stored()
    losses = {kind: [row[kind][0] for _, row in found["loss_by_factor"]] for kind in KINDS}
    return Turned(m, prompt, dict(map(tuple, found["text_by_factor"][prompt]))[m], FACTORS, losses)


@lru_cache(maxsize=1)
def the_model() -> Model:
    """The reader's model, loaded once."""
    return load()


@lru_cache(maxsize=4)
def read_sentence(sentence: str) -> Slice:
    """The stored slice for the course's sentence; the model itself for any other."""
    if sentence == SENTENCE_FOR_SLICE:
        return load_slice()
    tokens = len(the_model().tokenizer.encode(sentence))
    if not 2 <= tokens <= LONGEST:
        raise ValueError(f"sentence: got {tokens} tokens, expected 2 to {LONGEST}")
    return make_slice(the_model(), sentence)


def one_head(sentence: str, layer: int = 5, head: int = 0) -> Head:
    """The weights of one head."""
    seen = read_sentence(sentence)
    return Head(layer, head, [word.strip() for word in seen.words], causal_weights(seen.scores[layer, head]))


def knob_explorer() -> Explorer:
    """Notebook 11: turn the knob m, and see what becomes of the loss and of the text."""
    return Explorer(
        turn,
        knob,
        canvas=Canvas(1, 2, size=(9.6, 4)),
        numbers=lambda result: {
            f"loss on {kind}": f"{losses[result.factors.index(result.m)]:.1f}" for kind, losses in result.losses.items()
        },
        m=slider("m", FACTORS, 1.0),
        prompt=slider("prompt", PROMPTS, PROMPTS[0]),
    )


def head_explorer(sentence: str = SENTENCE_FOR_SLICE) -> Explorer:
    """Notebook 11: every head of the model on a sentence. With the model there, the reader types one of their own."""
    layers, heads, *_ = read_sentence(sentence).scores.shape
    explorer = Explorer(
        partial(one_head, sentence),
        head_map,
        canvas=Canvas(size=(8.4, 4.6)),
        numbers=lambda result: {
            "the last word looks at the first": percent(result.weights[-1, 0]),
            "at the word before": percent(result.weights[-1, -2]),
        },
        layer=slider("layer", range(layers), min(5, layers - 1)),
        head=slider("head", range(heads), 0),
    )
    if has_model():
        explorer.children = [sentence_box(explorer, sentence, (layers, heads)), *explorer.children]
    return explorer


def sentence_box(explorer: Explorer, first: str, shape: tuple[int, int]) -> widgets.VBox:
    """A line to type a sentence into: on Enter its heads are shown. An empty line brings back the first sentence."""
    line = widgets.Text(
        description="your sentence",
        placeholder="type one and press Enter",
        continuous_update=False,
        style={"description_width": "initial"},
        layout={"width": "480px"},
    )
    answer = widgets.HTML()

    def read(change) -> None:
        sentence = line.value.strip() or first
        answer.value = "The model is reading …"
        try:
            got = read_sentence(sentence).scores.shape[:2]
            if got != shape:
                raise ValueError(
                    f"your model has {got[0]} layers of {got[1]} heads, expected {shape[0]} of {shape[1]}; "
                    'head_explorer("your sentence") makes sliders that fit it'
                )
        except (ValueError, OSError) as problem:
            answer.value = escape(str(problem))
            return
        answer.value = ""
        explorer.experiment = partial(one_head, sentence)
        explorer.update()

    line.observe(read, names="value")
    return widgets.VBox([line, answer])
