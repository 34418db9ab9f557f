"""How sharp are the weights? The figures behind the sliders of notebook 03."""

import numpy as np

from ..experiments.saturation import RandomWeights, SoftmaxAtTemperature
from .axes import log_axes, outline
from .drawing import styled
from .kit.palette import colour
from .rules import RULES

BINS = np.linspace(0, 1, 26)  # of a top weight


@styled
def softmax_bars(axes, result: SoftmaxAtTemperature) -> str:
    """Scores as bars on the left, their softmax at one temperature on the right."""
    scores, weights, n = result.scores, result.weights, len(result.scores)
    places = np.arange(1, n + 1)
    for ax, values, name in zip(axes, (scores, weights), ("score", "weight"), strict=True):
        ax.vlines(places, 0, values, color=colour(name), linewidth=34)  # one artist: faster than n bars
        ax.set(xlabel="key", xticks=places, xlim=(0.3, n + 0.7))
    axes[0].axhline(0, color="black", linewidth=1)
    axes[0].set(title="scores", ylabel="score", yticks=range(-8, 9, 4), ylim=(-9, 9))
    axes[1].axhline(1 / n, color="black", linestyle=":")
    axes[1].text(n + 0.6, 1 / n + 0.02, f"uniform, 1/{n}", ha="right", va="bottom", fontsize=12)
    axes[1].set(title=f"softmax(scores ÷ {result.temperature:g})", ylabel="weight", ylim=(0, 1.05))
    return (
        f"Two bar charts over {n} keys. Left, scores from {np.max(scores):.1f} down to {np.min(scores):.1f}. Right, "
        f"their softmax at temperature {result.temperature:g}: the largest weight is {np.max(weights):.3f}, the "
        f"smallest {np.min(weights):.3f}; a dotted line marks the uniform weight {1 / n:.3f}."
    )


@styled
def sharpness(axes, result: RandomWeights) -> str:
    """One setting: mean weight by rank on the left, the distribution of the top weight on the right."""
    rule, n, mean, top = RULES[result.scale], result.n, result.by_rank, result.top
    log_axes(axes[0], (1, 8, 64, 512), (1e-5, 1e-4, 1e-3, 0.01, 0.1, 1))
    axes[0].plot(np.arange(1, n + 1), np.maximum(mean, 1e-9), color=rule.colour)
    axes[0].axhline(1 / n, color="black", linestyle=":")
    axes[0].text(550, 1.1 / n, f"uniform, 1/{n}", ha="right", va="bottom", fontsize=12)
    axes[0].set(title=f"mean weight, {rule.title}", xlabel="rank of the key (log scale, up to 512)")
    axes[0].set(ylabel="weight (log scale)", xlim=(0.9, 600), ylim=(1e-5, 3))  # the slider goes to 512 keys
    outline(axes[1], top, BINS, color=rule.colour, fill=True, alpha=0.6)
    axes[1].axvline(result.sharpness.top, color="black", linestyle="--")
    side, away = ("left", 0.02) if result.sharpness.top < 0.5 else ("right", -0.02)  # where there's room
    axes[1].text(result.sharpness.top + away, 0.98, "mean", ha=side, va="top")
    axes[1].set(title="top weight of a row", xlabel="top weight", ylabel="share of rows", xlim=(0, 1), ylim=(0, 1.03))
    return (
        f"Left, a line: the mean weight of {n} keys in order of rank at d_k = {result.d_k} and scale {result.scale} "
        f"falls from {mean[0]:.3f} to {mean[-1]:.1e}, beside the uniform weight {1 / n:.4f}. Right, a histogram of the "
        f"top weight of {len(top)} rows, from {top.min():.2f} to {top.max():.2f}."
    )
