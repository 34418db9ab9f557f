"""How sharp are the weights? Softmax bars, the sweep over d_k, the number of keys, distributions. For notebook 03."""

import numpy as np

from .drawing import styled
from .rules import RULES

BINS = np.linspace(0, 1, 26)  # of a top weight


@styled
def softmax_bars(axes, result) -> str:
    """Scores as bars on the left, their softmax at one temperature on the right.

    Parameters
    ----------
    axes : two matplotlib axes
    result : experiments.saturation.SoftmaxAtTemperature
    """
    scores, weights, n = result.scores, result.weights, len(result.scores)
    places = np.arange(1, n + 1)
    axes[0].vlines(places, 0, scores, color="C5", linewidth=34)  # one artist: faster than n bars
    axes[0].axhline(0, color="black", linewidth=1)
    axes[0].set(title="scores", xlabel="key", ylabel="score", xticks=places, yticks=range(-8, 9, 4))
    axes[0].set(xlim=(0.3, n + 0.7), ylim=(-9, 9))
    axes[1].vlines(places, 0, weights, color="C0", linewidth=34)
    axes[1].axhline(1 / n, color="black", linestyle=":")
    axes[1].text(n + 0.6, 1 / n + 0.02, f"uniform, 1/{n}", ha="right", va="bottom", fontsize=12)
    axes[1].set(title=f"softmax(scores ÷ {result.temperature:g})", xlabel="key", ylabel="weight", xticks=places)
    axes[1].set(xlim=(0.3, n + 0.7), ylim=(0, 1.05))
    return (
        f"Two bar charts over {n} keys. Left, scores from {np.max(scores):.1f} down to {np.min(scores):.1f}. Right, "
        f"their softmax at temperature {result.temperature:g}: the largest weight is {np.max(weights):.3f}, the "
        f"smallest {np.min(weights):.3f}; a dotted line marks the uniform weight {1 / n:.3f}."
    )


@styled
def sharpness_by_width(axes, results, theory) -> str:
    """Mean top weight and mean entropy against d_k for several scales, with the spread between seeds.

    Parameters
    ----------
    axes : two matplotlib axes
    results : sequence of LayerStatistics
        All with the same number of keys.
    theory : dict of scale -> (widths, entropies)
        Dashed lines for the right side.
    """
    seen = []
    for scale, rows in by_scale(results).items():
        rule = RULES[scale]
        widths = [row.d_k for row in rows]
        for ax, name in zip(axes, ("top", "entropy"), strict=True):
            looks = {"color": rule.colour, "marker": rule.marker, "label": rule.label}
            ax.errorbar(widths, *means_and_spreads(rows, name), capsize=5, **looks)
        low, high = rows[0], rows[-1]
        seen.append(
            f"{scale}: top weight from {low.top.mean:.2f} to {high.top.mean:.2f}, "
            f"entropy from {low.entropy.mean:.2f} to {high.entropy.mean:.2f}"
        )
    for i, (widths, entropies) in enumerate(theory.values()):
        axes[1].plot(widths, entropies, "k--", linewidth=1.6, zorder=5, label=None if i else "theory")
    n = results[0].n
    axes[0].axhline(1 / n, color="black", linestyle=":", label=f"uniform, 1/{n}")
    axes[0].set(title="mean top weight", ylim=(0, 1.03))
    axes[1].set(title="mean entropy ÷ log n", ylim=(0, 1.03))
    for ax in axes:
        ax.set_xscale("log", base=2)
        ax.set(xlabel="$d_k$", xticks=[row.d_k for row in rows], xticklabels=[str(row.d_k) for row in rows])
        ax.legend(loc="center right", bbox_to_anchor=(1.0, 0.48))
    return (
        f"Two line charts against d_k from {low.d_k} to {high.d_k}, with {n} keys: mean top weight on the left, "
        f"relative entropy on the right, with dashed lines for the theory. From the first to the last d_k, scale "
        f"{'; scale '.join(seen)}."
    )


@styled
def sharpness_by_keys(axes, results, share: float) -> str:
    """Mean top weight and effective number of keys against the number of keys n, at one d_k and scale.

    Parameters
    ----------
    axes : two matplotlib axes
    results : sequence of LayerStatistics
    share : float
        Effective number of keys ÷ n in theory: a dashed line on the right.
    """
    n = np.array([row.n for row in results])
    effective = n ** np.array([row.entropy.mean for row in results])  # exp(H), for H = entropy · log n
    axes[0].plot(n, [row.top.mean for row in results], color="C0", marker="s", label="mean top weight")
    axes[0].plot(n, 1 / n, "k:", label="uniform, 1/n")
    axes[1].plot(n, effective, color="C0", marker="s", linestyle="none", label="exp(entropy)")
    axes[1].plot(n, share * n, "k--", linewidth=1.6, label=f"theory, {share:.3f} n")
    axes[1].plot(n, n, "k:", label="all n keys")
    axes[0].set(title="mean top weight", ylim=(1e-4, 1))
    axes[1].set(title="effective number of keys", ylim=(1, 1e4))
    for ax in axes:
        ax.set(xscale="log", yscale="log", xlabel="number of keys n")
        ax.set_xticks(n, [str(m) for m in n])
        ax.minorticks_off()
        ax.legend()
    return (
        f"Two line charts against the number of keys from {n[0]} to {n[-1]}, both axes logarithmic. Left, the mean top "
        f"weight falls from {results[0].top.mean:.3f} to {results[-1].top.mean:.4f}. Right, the effective number of "
        f"keys rises from {effective[0]:.1f} to {effective[-1]:.0f}, approaching a dashed line at {share:.3f} of "
        "all keys."
    )


@styled
def top_weights(ax, tops: dict) -> str:
    """How the largest weight of a row is distributed: one outline for each setting.

    Parameters
    ----------
    ax : matplotlib axes
    tops : dict of label -> (rows,) array
    """
    means = []
    styles = zip(("C0", "C1", "C2"), ("-", "--", "-."), strict=True)
    for (label, top), (colour, line) in zip(tops.items(), styles, strict=False):
        ax.stairs(shares(top), BINS, color=colour, linestyle=line, linewidth=2.4, label=label)
        means.append(f"{label}: mean {np.mean(top):.2f}")
    ax.set(xlabel="top weight of a row", ylabel="share of rows", xlim=(0, 1.01))  # the last edge is at 1
    ax.legend()
    return (
        f"Outlines of the distribution of the top weight of a row between 0 and 1, for {len(tops)} settings. "
        f"{'; '.join(means)}."
    )


@styled
def sharpness(axes, result) -> str:
    """One setting: mean weight by rank on the left, the distribution of the top weight on the right.

    Parameters
    ----------
    axes : two matplotlib axes
    result : experiments.saturation.RandomWeights
    """
    rule, n, mean, top = RULES[result.scale], result.n, result.by_rank, result.top
    if axes[0].get_xscale() != "log":  # setting it again makes all ticks again, slowly
        axes[0].set(xscale="log", yscale="log")
        # Plain labels: a slider can't wait for typeset powers of ten.
        axes[0].set_xticks([1, 8, 64, 512], ["1", "8", "64", "512"])
        axes[0].set_yticks([1e-5, 1e-4, 1e-3, 0.01, 0.1, 1], ["0.00001", "0.0001", "0.001", "0.01", "0.1", "1"])
        axes[0].minorticks_off()
    axes[0].plot(np.arange(1, n + 1), np.maximum(mean, 1e-9), color=rule.colour)
    axes[0].axhline(1 / n, color="black", linestyle=":")
    axes[0].text(550, 1.1 / n, f"uniform, 1/{n}", ha="right", va="bottom", fontsize=12)
    axes[0].set(title=f"mean weight, {rule.title}", xlabel="rank of the key (log scale, up to 512)")
    axes[0].set(ylabel="weight (log scale)", xlim=(0.9, 600), ylim=(1e-5, 3))  # the slider goes to 512 keys
    axes[1].stairs(shares(top), BINS, color=rule.colour, fill=True, alpha=0.6)
    axes[1].axvline(result.sharpness.top, color="black", linestyle="--")
    right = result.sharpness.top < 0.5  # of the line, where there's room
    axes[1].text(
        result.sharpness.top + (0.02 if right else -0.02), 0.98, "mean", ha="left" if right else "right", va="top"
    )
    axes[1].set(title="top weight of a row", xlabel="top weight", ylabel="share of rows", xlim=(0, 1), ylim=(0, 1.03))
    return (
        f"Left, a line: the mean weight of {n} keys in order of rank at d_k = {result.d_k} and scale {result.scale} "
        f"falls from {mean[0]:.3f} to {mean[-1]:.1e}, beside the uniform weight {1 / n:.4f}. Right, a histogram of the "
        f"top weight of {len(top)} rows, from {top.min():.2f} to {top.max():.2f}."
    )


def shares(top) -> np.ndarray:
    """Share of rows in each bin."""
    return np.histogram(top, BINS)[0] / len(top)


def means_and_spreads(results, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Means of the estimates called `name`, and standard deviations between their draws."""
    estimates = [getattr(result, name) for result in results]
    return np.array([each.mean for each in estimates]), np.array([each.spread for each in estimates])


def by_scale(results) -> dict:
    """Results grouped by the name of their scale, in the order they come."""
    groups = {}
    for row in results:
        groups.setdefault(row.scale, []).append(row)
    return groups
