"""Sliders and predictions: `x_explorer()` makes a slider, `predict()` asks the reader what they expect."""

from . import reveals
from .explorer import Explorer
from .language import head_explorer, knob_explorer
from .learning import (
    blocks_explorer,
    cures_explorer,
    folk_explorer,
    gradients_explorer,
    jacobian_explorer,
    training_explorer,
)
from .memory import guesses
from .prediction import forget, predict, show_guesses
from .questions import Truth
from .scores import (
    angles_explorer,
    collapse_explorer,
    exponent_explorer,
    heads_explorer,
    range_explorer,
    sharpness_explorer,
    temperature_explorer,
    variance_explorer,
    weights_explorer,
)


def all_explorers() -> dict:
    """Every slider of the course: name -> the function that makes it, such as `collapse_explorer`."""
    return {name: value for name, value in globals().items() if name.endswith("_explorer")}
