"""Figures of the course: one function each, axes first, results in, alt text out.

A figure function draws what it is given and computes nothing but positions. It returns its alt text, so
that picture and description come from the same numbers. `new` makes the axes in the course's style and
`show` puts the picture with alt text and caption into the notebook.
"""

from .collapse import weights_beside, weights_by_width
from .show import new, png, show, show_view

__all__ = ["new", "png", "show", "show_view", "weights_beside", "weights_by_width"]
