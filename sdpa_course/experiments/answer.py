"""The whole answer in numbers: what the scale does at three widths, from a score to a trained model. Notebook 12."""

from typing import NamedTuple

import numpy as np

from .ablation import PLAIN, stored_cell
from .row_gradients import gradient_rows
from .saturation import collapse

WIDTHS = (8, 64, 512)


class Answer(NamedTuple):
    """One width, without the scale or with 1/√d_k."""

    d_k: int
    scale: str
    spread: float  # standard deviation of a score, by theory
    weights: np.ndarray  # (keys,), mean over random rows, the largest first
    tenth: float  # share of the squares of dQ that a tenth of the queries get, 64 keys
    accuracy: float  # of a trained head on reverse, SGD, 600 steps, mean of ten seeds


def whole_answer_in_numbers() -> dict[int, list[Answer]]:
    """Width -> without the scale and with it."""
    return {d_k: [answer(d_k, scale) for scale in PLAIN] for d_k in WIDTHS}


def answer(d_k: int, scale: str) -> Answer:
    """What one width and scale lead to."""
    drawn = collapse(d_k)
    plain = scale == "1"
    return Answer(
        d_k,
        scale,
        d_k**0.5 if plain else 1.0,
        (drawn.unscaled if plain else drawn.scaled).weights,
        gradient_rows(d_k, scale).top_tenth,
        stored_cell("reverse", d_k=d_k, scale=scale).mean("accuracy"),
    )
