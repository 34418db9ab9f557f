"""Sliders of notebook 11: the knob m with what the model writes, and every head on a sentence."""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ..experiments.knob import FACTORS, PROMPTS
from ..experiments.language import KINDS, SENTENCE_FOR_SLICE, Slice, causal_weights, load_slice, make_slice
from ..experiments.language import stored_reading as stored
from ..figures.drawing import Canvas
from ..figures.kit.matrices import percent
from ..figures.language import head_map, knob
from ..model import load
from .explorer import Explorer, slider


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


@lru_cache(maxsize=4)
def read_sentence(sentence: str) -> Slice:
    """The stored slice for the course's sentence; the model itself for any other."""
    return load_slice() if sentence == SENTENCE_FOR_SLICE else make_slice(load(), sentence)


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
    """Notebook 11: every head of the model on a sentence; one of your own needs the model."""
    return Explorer(
        partial(one_head, sentence),
        head_map,
        canvas=Canvas(size=(8.4, 4.6)),
        numbers=lambda result: {
            "the last word looks at the first": percent(result.weights[-1, 0]),
            "at the word before": percent(result.weights[-1, -2]),
        },
        layer=slider("layer", range(read_sentence(sentence).scores.shape[0]), 5),
        head=slider("head", range(read_sentence(sentence).scores.shape[1]), 0),
    )
