"""Scales and scoring rules beside each other: metrics by width, and exponents. For notebook 07."""

import numpy as np

from ..experiments.layers import LayerStatistics
from ..experiments.scales import ExponentSweep
from .axes import by, ends, log_axes, means, means_and_spreads, theory_lines
from .choosing import NAMES
from .drawing import styled
from .kit.palette import colour
from .rules import RULES

PANELS = {
    "variance": "variance of the scores",
    "entropy": "mean entropy ÷ log n",
    "rms": "rms row of dQ",
    "median": "median row of dQ",
}
# d_k -> colour, dash, marker: greys, because colours are for the rules
WIDTHS = {8: ("#8a95a1", "-", "^"), 64: (colour("score"), "--", "s"), 512: (colour("ink"), "-.", "o")}


@styled
def metrics_by_width(axes, results: list[LayerStatistics], theory: dict) -> str:
    """Score variance with theory, rule -> (widths, variances), entropy, rms and median row of dQ against d_k."""
    widths = sorted({row.d_k for row in results})
    seen = []
    for scale, rows in by(results, "scale").items():
        rule, places = RULES[scale], [row.d_k for row in rows]
        looks = rule.looks | ({"color": colour(NAMES[scale][1])} if scale in NAMES else {})
        for ax, name in zip(np.ravel(axes), PANELS, strict=True):
            ax.errorbar(places, *means_and_spreads(rows, name), capsize=4, label=rule.label, **looks)
        seen.append(
            f"{scale}: variance {ends(means(rows, 'variance'), '.3g')}, entropy {ends(means(rows, 'entropy'))}, "
            f"median row {ends(means(rows, 'median'), '.3f')}"
        )
    theory_lines(axes[0, 0], theory.values())
    for ax, (name, title) in zip(np.ravel(axes), PANELS.items(), strict=True):
        log_axes(ax, widths)
        ax.set(title=title, xlabel="$d_k$")
        ax.set(**{"ylim": (0, 1.03)} if name == "entropy" else {"yscale": "log"})
    axes[0, 0].legend(*([handles[0]] for handles in axes[0, 0].get_legend_handles_labels()), loc="upper left")
    axes[0, 1].legend(loc="center right", bbox_to_anchor=(1.0, 0.55))
    return (
        f"Four line charts against d_k from {widths[0]} to {widths[-1]}: variance of the scores with dashed theory, "
        f"relative entropy, rms row of dQ, median row of dQ. From the first to the last d_k, {'; '.join(seen)}."
    )


@styled
def exponents(axes, result: ExponentSweep) -> str:
    """Entropy for the scale d_k^(−exponent): against the exponent for some d_k, against d_k for this exponent."""
    exponent, widths, entropies = result.exponent, list(result.by_width), list(result.by_width.values())
    for d_k, entropy in result.curves.items():
        shade, dash, marker = WIDTHS[d_k]
        axes[0].plot(result.grid, entropy, color=shade, linestyle=dash, label=f"$d_k$ = {d_k}")
        axes[0].plot([exponent], [result.by_width[d_k]], color=shade, marker=marker, markersize=9, linestyle="none")
    axes[0].axvline(exponent, color="black", linewidth=1)
    axes[0].set(title="entropy ÷ log n for three widths", xlabel="exponent", ylabel="entropy ÷ log n")
    axes[0].set(xlim=(-0.03, 1.03), ylim=(0, 1.05), xticks=(0, 0.25, 0.5, 0.75, 1))
    # A white ground, because the vertical line may run behind it.
    axes[0].legend(loc="lower right", frameon=True, facecolor="white", edgecolor="none", framealpha=1)
    places = np.log2(widths)  # a log axis would set its ticks again, slowly
    axes[1].plot(places, entropies, color=colour("ink"), marker="o")
    axes[1].set(title=f"the same with scale $d_k^{{-{exponent:.2f}}}$", xlabel="$d_k$ (log scale)", xlim=(-0.4, 10.4))
    axes[1].set_xticks(places[::3], [str(width) for width in widths[::3]])
    axes[1].text(0.1, 0.04, f"n = {result.n} keys", va="bottom")
    return (
        f"Left, relative entropy with {result.n} keys against the exponent from 0 to 1, one curve each for d_k = "
        f"{', '.join(map(str, result.curves))}, and a vertical line at exponent {exponent:.2f}. Right, the entropy at "
        f"this exponent for d_k from {widths[0]} to {widths[-1]}: from {ends(entropies, '.3f')}, "
        f"between {min(entropies):.3f} and {max(entropies):.3f}."
    )
