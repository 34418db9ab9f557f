"""Sliders, one module a notebook: a function `x_view(**values) -> View` and the widget `x_explorer()` around it."""
