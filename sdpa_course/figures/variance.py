"""A histogram of scores."""

from ..experiments.histograms import ScoreDistribution
from .drawing import styled


@styled
def score_density(ax, result: ScoreDistribution) -> str:
    """Histogram of q·k ÷ √d_k over N(0, 1), dashed, and the normal curve of the predicted mean and variance."""
    ax.stairs(result.density, result.edges, fill=True, color="C4", alpha=0.7, label="measured")
    ax.plot(result.x, result.standard, "k--", label="N(0, 1)")
    if result.predicted is not None:
        ax.plot(result.x, result.predicted, color="C1", label="normal curve,\npredicted mean\nand variance")
    elif result.std == 0:
        ax.axvline(result.mean, color="C1", label="predicted: one value")
    end = result.x[-1]
    top = next(limit for limit in (0.45, 0.9, 1.8, 2.7) if limit == 2.7 or result.density.max() <= 0.95 * limit)
    ax.set(xlim=(-end, end), ylim=(0, top), ylabel="density", xlabel="scores $q \\cdot k$ ÷ $\\sqrt{d_k}$")
    ax.legend(loc="upper left" if result.mean > 0 else "upper right")
    return (
        f"Histogram of scores divided by the root of d_k, from {-end:g} to {end:g}, with the curve of N(0, 1) dashed. "
        f"The predicted mean is {result.mean:.2f} and the predicted standard deviation {result.std:.2f}."
    )
