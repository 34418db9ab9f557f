"""Sliders, one module for each notebook's: a function `x_view(**values) -> View` and the widget `x_explorer()` around it."""
