"""Notebook 04: move two of four scores, and see which entries of the softmax Jacobian live and which die."""

import ipywidgets as widgets
import numpy as np

from ..experiments.saturation import jacobian_norm
from ..figures.drawing import Canvas, View
from ..figures.jacobian import weights_and_jacobian
from ..kernels.softmax import softmax_forward, softmax_jacobian
from .explorer import Explorer

canvas = Canvas(1, 2, size=(8.4, 4), width_ratios=[1, 1.1])


def jacobian_view(first: float = 2.0, second: float = 1.0) -> View:
    """Weights and Jacobian for the scores (first, second, 0, 0)."""
    scores = np.array([first, second, 0.0, 0.0])
    weights, jacobian = softmax_forward(scores), softmax_jacobian(scores)
    numbers = {
        "top weight": f"{weights.max():.3f}",
        "norm of J": f"{jacobian_norm(weights):.3f}",
        "largest eigenvalue": f"{np.linalg.eigvalsh(jacobian)[-1]:.3f}",
    }
    return canvas.view(weights_and_jacobian, weights, jacobian, numbers=numbers)


def jacobian_explorer() -> Explorer:
    """A slider for the first score and one for the second; the other two scores stay at 0."""
    first, second = (
        widgets.FloatSlider(min=0, max=10, step=0.5, value=value, description=f"{name} score", readout_format=".1f")
        for name, value in (("first", 2.0), ("second", 1.0))
    )
    return Explorer(jacobian_view, first=first, second=second)
