"""Sliders: `x_explorer()` for each, and `Explorer`, the widget that they all are."""

from . import explorers
from .explorer import Explorer
from .explorers import collapse_explorer, variance_explorer

__all__ = ["Explorer", "all_explorers", "collapse_explorer", "variance_explorer"]


def all_explorers() -> dict:
    """Every slider of the course: name -> the function that makes it, such as `collapse_explorer`."""
    return {name: value for name, value in vars(explorers).items() if name.endswith("_explorer")}
