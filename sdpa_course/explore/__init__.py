"""Sliders. Each is a function `x_view(**values) -> View` and the widget `x_explorer()` around it."""

from .collapse import collapse_explorer, collapse_view

__all__ = ["collapse_explorer", "collapse_view"]
