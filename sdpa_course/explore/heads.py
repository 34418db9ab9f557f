"""Notebook 08: cut the same columns into more and more heads, and compare 1/√d_k with 1/√d_model."""

import functools

import numpy as np

from ..experiments.heads import SCALES, head_scores, predicted_variance, projections
from ..experiments.saturation import relative_entropy
from ..figures.drawing import Canvas, View
from ..figures.heads import LOOKS, one_choice
from ..kernels.softmax import softmax_forward
from .explorer import Explorer, steps_slider

HEADS = (1, 2, 4, 8, 16, 32, 64)
MODELS = (64, 128, 256, 512, 1024)
SIGMAS = (1.0, 1.25, 1.5, 2.0)
TOKENS = 48
canvas = Canvas(1, 2, size=(9, 4))


@functools.cache
def unit_projections(d_model: int) -> tuple[np.ndarray, np.ndarray]:
    """Queries and keys of 48 tokens with N(0, 1) entries, not yet cut into heads."""
    return projections(d_model, TOKENS, rng=np.random.default_rng(8))


@functools.cache
def unit_scores(h: int, d_model: int, scale: str) -> np.ndarray:
    """(h, 48, 48) scores for σ = 1."""
    return head_scores(*unit_projections(d_model), h, scale)


@functools.cache
def unit_variances(d_model: int, scale: str) -> dict[int, np.ndarray]:
    """Variance of each head's scores for σ = 1, for each number of heads."""
    return {h: unit_scores(h, d_model, scale).var(axis=(-1, -2)) for h in HEADS}


def heads_view(h: int = 8, d_model: int = 512, sigma: float = 1.0) -> View:
    """Score variance against the number of heads under both scales, and the scores at one h; σ is the tokens'."""
    results, scores, numbers = {}, {}, {"d_k": str(d_model // h)}
    for scale in SCALES:
        variances = {heads: sigma**4 * v for heads, v in unit_variances(d_model, scale).items()}  # σ² on q, σ² on k
        theory = {heads: predicted_variance(heads, d_model, scale, sigma) for heads in HEADS}
        results[scale] = (variances, list(theory.values()))
        scores[scale] = sigma**2 * unit_scores(h, d_model, scale)
        entropy = relative_entropy(softmax_forward(scores[scale])).mean()
        name = LOOKS[scale][1].removeprefix("scale ").replace("/", "/\u2060")  # no line break behind the slash
        numbers[f"variance with {name}"] = f"{variances[h].mean():.3f} (theory {theory[h]:.3f})"
        numbers[f"entropy ÷ log n with {name}"] = f"{entropy:.3f}"
    return canvas.view(one_choice, h, d_model, sigma, results, scores, numbers=numbers)


def heads_explorer() -> Explorer:
    """Sliders over the number of heads, the model width, and one that breaks the assumption σ = 1."""
    return Explorer(
        heads_view,
        h=steps_slider("heads h", HEADS, 8),
        d_model=steps_slider("d_model", MODELS, 512),
        sigma=steps_slider("σ of the tokens' entries", SIGMAS, 1.0),
    )
