"""Scales and scoring rules beside each other: metrics, exponents, additive attention. For notebook 07."""

import numpy as np

from .drawing import styled
from .rules import RULES
from .saturation import by_scale, means_and_spreads

PANELS = {
    "variance": "variance of the scores",
    "entropy": "mean entropy ÷ log n",
    "rms": "rms row of dQ",
    "median": "median row of dQ",
}
WIDTHS = {8: ("C2", "-", "^"), 64: ("C0", "--", "s"), 512: ("C1", "-.", "o")}  # d_k -> colour, dash, marker


@styled
def metrics_by_width(axes, results, theory) -> str:
    """Score variance, entropy, and the rms and median row of dQ against d_k, for several rules.

    Parameters
    ----------
    axes : (2, 2) array of matplotlib axes
    results : sequence of LayerStatistics
    theory : dict of rule -> (widths, variances)
        Dashed lines in the first panel.
    """
    widths = sorted({row.d_k for row in results})
    seen = []
    for rule, rows in by_scale(results).items():
        looks = {"color": RULES[rule].colour, "marker": RULES[rule].marker, "label": RULES[rule].label}
        for ax, name in zip(np.ravel(axes), PANELS, strict=True):
            ax.errorbar([row.d_k for row in rows], *means_and_spreads(rows, name), capsize=4, **looks)
        low, high = rows[0], rows[-1]
        seen.append(
            f"{rule}: variance {low.variance.mean:.3g} to {high.variance.mean:.3g}, entropy {low.entropy.mean:.2f} to "
            f"{high.entropy.mean:.2f}, median row {low.median.mean:.3f} to {high.median.mean:.3f}"
        )
    for i, (place, variances) in enumerate(theory.values()):
        axes[0, 0].plot(place, variances, "k--", linewidth=1.6, zorder=5, label=None if i else "theory")
    for ax, (name, title) in zip(np.ravel(axes), PANELS.items(), strict=True):
        ax.set_xscale("log", base=2)
        if name == "entropy":
            ax.set_ylim(0, 1.03)
        else:
            ax.set_yscale("log")
        ax.set(title=title, xlabel="$d_k$")
        ax.set_xticks(widths, [str(width) for width in widths])
    axes[0, 0].legend(*([handles[0]] for handles in axes[0, 0].get_legend_handles_labels()), loc="upper left")
    axes[0, 1].legend(loc="center right", bbox_to_anchor=(1.0, 0.55))
    return (
        f"Four line charts against d_k from {widths[0]} to {widths[-1]}: variance of the scores with dashed theory, "
        f"relative entropy, rms row of dQ, median row of dQ. From the first to the last d_k, {'; '.join(seen)}."
    )


@styled
def exponents(axes, result) -> str:
    """Entropy for the scale d_k^(−exponent): against the exponent for some d_k, against d_k for this exponent.

    Parameters
    ----------
    axes : two matplotlib axes that share their y axis
    result : experiments.scales.ExponentSweep
    """
    exponent, widths, entropies = result.exponent, list(result.by_width), list(result.by_width.values())
    for d_k, entropy in result.curves.items():
        colour, dash, marker = WIDTHS[d_k]
        axes[0].plot(result.grid, entropy, color=colour, linestyle=dash, label=f"$d_k$ = {d_k}")
        axes[0].plot([exponent], [result.by_width[d_k]], color=colour, marker=marker, markersize=9, linestyle="none")
    axes[0].axvline(exponent, color="black", linewidth=1)
    axes[0].set(title="entropy ÷ log n for three widths", xlabel="exponent", ylabel="entropy ÷ log n")
    axes[0].set(xlim=(-0.03, 1.03), ylim=(0, 1.05), xticks=(0, 0.25, 0.5, 0.75, 1))
    # A white ground, because the vertical line may run behind it.
    axes[0].legend(loc="lower right", frameon=True, facecolor="white", edgecolor="none", framealpha=1)
    places = np.log2(widths)  # a log axis would set its ticks again, slowly
    axes[1].plot(places, entropies, color="C6", marker="o")
    axes[1].set(title=f"the same with scale $d_k^{{-{exponent:.2f}}}$", xlabel="$d_k$ (log scale)", xlim=(-0.4, 10.4))
    axes[1].set_xticks(places[::3], [str(width) for width in widths[::3]])
    axes[1].text(0.1, 0.04, f"n = {result.n} keys", va="bottom")
    return (
        f"Left, relative entropy with {result.n} keys against the exponent from 0 to 1, one curve each for d_k = "
        f"{', '.join(map(str, result.curves))}, and a vertical line at exponent {exponent:.2f}. Right, the entropy at "
        f"this exponent for d_k from {widths[0]} to {widths[-1]}: from {entropies[0]:.3f} to {entropies[-1]:.3f}, "
        f"between {min(entropies):.3f} and {max(entropies):.3f}."
    )


@styled
def two_rules(axes, x, dot, additive, bound: float, samples: dict) -> str:
    """One score against one coordinate of the query, and the distribution of scores, for both scoring rules.

    Parameters
    ----------
    axes : two matplotlib axes
    x, dot, additive : (m,) arrays
        Value of the coordinate, and the score by each rule.
    bound : float
        ‖v‖₁, the additive rule's limit: dashed lines.
    samples : dict of label -> array of scores
        For the right side.
    """
    axes[0].plot(x, dot, color="C0", label="dot product ÷ $\\sqrt{d_k}$")
    axes[0].plot(x, additive, color="C1", linestyle="-.", label="additive")
    for sign, label, side, away in ((1, r"$\|v\|_1$", "bottom", 3), (-1, r"$-\|v\|_1$", "top", -4)):
        axes[0].axhline(sign * bound, color="black", linestyle="--", linewidth=1.4)
        place = x[0] if sign == 1 else x[-1]  # the corners that the straight line leaves free
        axes[0].annotate(
            label,
            (place, sign * bound),
            (0, away),
            textcoords="offset points",
            va=side,
            ha="left" if sign == 1 else "right",
        )
    axes[0].set(title="one score", xlabel="one coordinate of the query", ylabel="score")
    axes[0].set_ylim(min(dot.min(), -bound) - bound, max(dot.max(), bound) + bound / 5)  # room for the legend
    axes[0].legend(loc="lower right")
    edge = max(np.abs(scores).max() for scores in samples.values())
    bins = np.linspace(-edge, edge, 49)
    spreads = []
    looks = (("C0", "-"), ("C1", "-."), ("C2", ":"))
    for (label, scores), (colour, line) in zip(samples.items(), looks, strict=False):
        shares = np.histogram(scores, bins)[0] / np.size(scores)
        axes[1].stairs(shares, bins, color=colour, linestyle=line, linewidth=2.2, label=label)
        spreads.append(f"{label}: standard deviation {np.std(scores):.2f}")
    axes[1].set(title="many scores", xlabel="score", ylabel="share of pairs")
    axes[1].legend(loc="upper right")
    return (
        f"Left, one score against one coordinate of the query from {x[0]:g} to {x[-1]:g}: the dot product is a "
        f"straight line from {dot[0]:.1f} to {dot[-1]:.1f}, the additive one an S-shaped curve from {additive[0]:.1f} "
        f"to {additive[-1]:.1f}, between dashed limits at ±{bound:.1f}. Right, outlines of the distribution of random "
        f"scores. {'; '.join(spreads)}."
    )


@styled
def additive_variance(ax, results: dict, theory: dict) -> str:
    """Variance of additive scores against the hidden width d_a.

    Parameters
    ----------
    ax : matplotlib axes
    results : dict of label -> sequence of AdditiveSpread
    theory : dict of the same labels -> variances, dashed
    """
    seen = []
    for (label, rows), colour, marker in zip(results.items(), ("C1", "C0"), "os", strict=False):
        widths = [row.d_a for row in rows]
        values, errors = [row.variance.mean for row in rows], [2 * row.variance.error for row in rows]
        shown = label.replace("d_a", "$d_a$")
        ax.errorbar(widths, values, yerr=errors, color=colour, marker=marker, linestyle="none", capsize=5, label=shown)
        ax.plot(widths, theory[label], "k--", linewidth=1.6)
        seen.append(f"{label}: from {values[0]:.2f} at d_a = {widths[0]} to {values[-1]:.2f} at d_a = {widths[-1]}")
    ax.plot([], [], "k--", linewidth=1.6, label="theory")
    ax.set_xscale("log", base=2)
    ax.set(yscale="log", xlabel="hidden width $d_a$", ylabel="variance of the scores")
    ax.set_xticks(widths, [str(width) for width in widths])
    ax.legend()
    return (
        f"Variance of additive scores against the hidden width, both axes logarithmic, with dashed theory. "
        f"{'; '.join(seen)}."
    )


@styled
def times_by_length(ax, lengths, dot, additive) -> str:
    """Time for an n × n matrix of scores against n, for both scoring rules, in milliseconds."""
    for values, label, colour, marker in ((dot, "dot product", "C0", "s"), (additive, "additive", "C1", "o")):
        ax.plot(lengths, 1000 * np.asarray(values), color=colour, marker=marker, label=label)
    ax.set_xscale("log", base=2)
    ax.set(yscale="log", xlabel="queries and keys, n each", ylabel="milliseconds")
    ax.set_xticks(lengths, [str(n) for n in lengths])
    ax.legend()
    return (
        f"Time for n × n scores on this machine against n from {lengths[0]} to {lengths[-1]}, both axes logarithmic. "
        f"At the last n: dot product {1000 * dot[-1]:.2f} ms, additive {1000 * additive[-1]:.2f} ms."
    )
