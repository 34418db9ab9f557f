"""Sliders: `x_explorer()` makes one, and `Explorer` is the widget that they all are."""

from .explorer import Explorer
from .learning import blocks_explorer, folk_explorer, gradients_explorer, jacobian_explorer, training_explorer
from .scores import (
    collapse_explorer,
    exponent_explorer,
    heads_explorer,
    sharpness_explorer,
    spread_explorer,
    temperature_explorer,
    variance_explorer,
    weights_explorer,
)

__all__ = [
    "Explorer",
    "all_explorers",
    "blocks_explorer",
    "collapse_explorer",
    "exponent_explorer",
    "folk_explorer",
    "gradients_explorer",
    "heads_explorer",
    "jacobian_explorer",
    "sharpness_explorer",
    "spread_explorer",
    "temperature_explorer",
    "training_explorer",
    "variance_explorer",
    "weights_explorer",
]


def all_explorers() -> dict:
    """Every slider of the course: name -> the function that makes it, such as `collapse_explorer`."""
    return {name: value for name, value in globals().items() if name.endswith("_explorer")}
