"""Pictures of notebook 02: Var(q·k) against d_k, broken assumptions, kurtosis, and a histogram of scores."""

import numpy as np

from .drawing import styled


@styled
def variance_by_width(axes, widths, variances, errors) -> str:
    """Measured variance of q·k with ±2 standard errors over the line Var = d_k: as it is, and divided by d_k.

    Parameters
    ----------
    axes : two matplotlib axes
    widths, variances, errors : sequences of equal length
        d_k, the measured variance, its standard error.
    """
    widths, variances, errors = (np.asarray(x, dtype=float) for x in (widths, variances, errors))
    axes[0].set(title="variance of $q \\cdot k$", ylabel="variance", xscale="log", yscale="log")
    axes[1].set(title="the same ÷ $d_k$", ylabel="variance ÷ $d_k$", xscale="log", ylim=(0.9, 1.1))
    for ax, divisor in zip(axes, (np.ones_like(widths), widths), strict=True):
        ax.errorbar(widths, variances / divisor, 2 * errors / divisor, fmt="o", capsize=5, label="measured, ±2 s.e.")
        ax.plot(widths, widths / divisor, "k--", label="theory: $d_k$" if divisor[-1] == 1 else "theory: 1")
        ax.set(xlabel="$d_k$", xlim=(widths[0] / 1.7, widths[-1] * 1.7))
        ax.set_xticks(widths, [f"{d_k:.0f}" for d_k in widths])
        ax.minorticks_off()
        ax.legend()
    ratio = variances / widths
    across = int((abs(ratio - 1) <= 2 * errors / widths).sum())
    return (
        f"Two charts against d_k = {', '.join(f'{d_k:.0f}' for d_k in widths)} on a logarithmic axis. Left, the "
        f"measured variance of q·k lies on the dashed line d_k, from {variances[0]:.2f} to {variances[-1]:.0f}. Right, "
        f"divided by d_k it stays between {ratio.min():.3f} and {ratio.max():.3f}; {across} of "
        f"{len(widths)} error bars reach across the dashed line at 1."
    )


@styled
def broken_assumptions(ax, names, measured, errors, predicted) -> str:
    """Var(q·k) ÷ d_k for each broken assumption: measured with ±2 standard errors, predicted as a diamond.

    Parameters
    ----------
    ax : matplotlib axes
    names : sequence of str
        From the top down.
    measured, errors, predicted : sequences of float
        All divided by d_k.
    """
    rows = -np.arange(len(names))
    ax.axvline(1, color="k", linestyle="--", label="all assumptions hold: 1")
    ax.plot(predicted, rows, "D", color="C1", markerfacecolor="none", markersize=13, label="predicted")
    ax.errorbar(measured, rows, xerr=2 * np.asarray(errors), fmt="o", color="C0", capsize=5, label="measured, ±2 s.e.")
    ax.set_yticks(rows, names)
    ax.set(xlabel="variance of $q \\cdot k$ ÷ $d_k$", xlim=(0, 1.18 * max(predicted)), ylim=(rows[-1] - 0.6, 0.6))
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    parts = (f"{name}: {m:.2f} ({p:.2f})" for name, m, p in zip(names, measured, predicted, strict=True))
    return (
        "Dot chart of the variance of q·k divided by d_k, measured (and predicted), with one assumption broken in each "
        f"row. {'; '.join(parts)}. A dashed line marks 1, where all assumptions hold."
    )


@styled
def kurtosis_by_width(ax, series) -> str:
    """Size of the excess kurtosis against d_k on logarithmic axes, over dashed lines that fall like 1/d_k.

    Parameters
    ----------
    ax : matplotlib axes
    series : dict of str to (widths, excess, errors, predicted)
        One for each distribution; a negative excess is drawn by its size.
    """
    parts = []
    for (name, (widths, excess, errors, predicted)), marker in zip(series.items(), "osD^", strict=False):
        sign = -1 if predicted[0] < 0 else 1
        label = name + (", sign reversed" if sign < 0 else "")
        ax.errorbar(widths, sign * np.asarray(excess), 2 * np.asarray(errors), fmt=marker, capsize=5, label=label)
        ax.plot(widths, sign * np.asarray(predicted), "k--", label=None if parts else "theory, like $1/d_k$")
        parts.append(f"{name}: from {excess[0]:.2f} at d_k = {widths[0]} to {excess[-1]:.2f} at d_k = {widths[-1]}")
    ax.set(xscale="log", yscale="log", xlabel="$d_k$", ylabel="|excess kurtosis| of $q \\cdot k$", ylim=(0.02, 12))
    ax.set_xticks(widths, [str(d_k) for d_k in widths])
    ax.minorticks_off()
    ax.legend(title="entries")
    return (
        "Size of the excess kurtosis of q·k against d_k, both on logarithmic axes, with dashed lines of theory that "
        f"fall like 1/d_k. {'; '.join(parts)}. Error bars are ±2 standard errors."
    )


@styled
def score_density(ax, result) -> str:
    """Histogram of q·k ÷ √d_k over N(0, 1), dashed, and the normal curve of the predicted mean and variance.

    Parameters
    ----------
    ax : matplotlib axes
    result : experiments.histograms.ScoreDistribution
    """
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
