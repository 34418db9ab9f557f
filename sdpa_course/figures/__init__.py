"""Figures of the course: one function each, axes first, results in, alt text out; one module for each notebook's.

A figure function draws what it is given and computes nothing but positions. It returns its alt text, so
that picture and description come from the same numbers. `new` makes the axes in the course's style and
`show` puts the picture with alt text and caption into the notebook.
"""

from .drawing import new, show, show_view

__all__ = ["new", "show", "show_view"]
