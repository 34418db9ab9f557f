"""Figures of the course: one function each, axes first, results in, alt text out.

A figure function draws what it's given and computes nothing but positions. It returns its alt text, so picture and
description come from the same numbers. `new` makes the axes in the course's style, and `show` puts the picture with
alt text and caption into the notebook.
"""

from .drawing import new, show

__all__ = ["new", "show"]
