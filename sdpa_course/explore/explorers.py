"""The sliders of the course, in the order of the notebooks."""

import ipywidgets as widgets

from ..experiments.histograms import score_distribution
from ..experiments.saturation import collapse
from ..experiments.variance import DISTRIBUTIONS
from ..figures.collapse import weights_beside
from ..figures.drawing import Canvas
from ..figures.variance import score_histogram
from .explorer import Explorer, slider

POWERS = tuple(2**i for i in range(13))


def collapse_explorer() -> Explorer:
    """Notebook 00: move d_k, and watch softmax collapse without the scale; σ breaks the assumption of unit variance."""
    return Explorer(
        collapse,
        weights_beside,
        canvas=Canvas(1, 2, size=(9, 3.8), sharey=True),
        numbers=lambda result: {
            "Spread of scores, no scale": f"{result.unscaled.score_std:.2f}",
            "Spread of scores, 1/√d_k": f"{result.scaled.score_std:.2f}",
            "Largest weight, no scale": f"{result.unscaled.largest:.3f}",
            "Largest weight, 1/√d_k": f"{result.scaled.largest:.3f}",
        },
        d_k=slider("d_k", POWERS[:11], 64),
        sigma=slider("σ of the entries", (0.5, 1.0, 2.0), 1.0),
    )


def variance_explorer() -> Explorer:
    """Notebook 02: break the assumptions behind Var(q·k) = d_k, and see the scores leave N(0, 1)."""
    return Explorer(
        score_distribution,
        score_histogram,
        canvas=Canvas(size=(9, 3.8)),
        numbers=lambda result: {
            "variance of q·k": f"{result.measured.variance:.2f}",
            "predicted": f"{result.measured.predicted_variance:.2f}",
            "measured ÷ d_k": f"{result.measured.variance / result.measured.setting.d_k:.2f}",
            "mean of q·k": f"{result.measured.mean:.2f}",
        },
        d_k=slider("d_k", POWERS[:9], 64),
        mean=widgets.FloatSlider(value=0, min=0, max=1, step=0.05, description="mean μ of q and k"),
        sigma_q=widgets.FloatSlider(value=1, min=0.25, max=3, step=0.25, description="σ of q"),
        correlation=widgets.FloatSlider(value=0, min=-1, max=1, step=0.05, description="correlation ρ of q and k"),
        distribution=slider("entries", DISTRIBUTIONS, "normal"),
    )
