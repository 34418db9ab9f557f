"""Figures of notebook 06: what multiplies on the way to dQ, the typical row against the norm, position by position."""

import math

import numpy as np

from .drawing import styled
from .rules import RULES
from .saturation import means_and_spreads

LEAST, MOST, BINS_PER_DECADE = -6, 2, 2  # the histogram's range, as powers of ten
EDGES = np.linspace(LEAST, MOST, (MOST - LEAST) * BINS_PER_DECADE + 1)
BELOW = (LEAST - 0.9, LEAST - 0.4)  # where the bar of the rows below the range stands
SMALLEST_WEIGHT = 1e-8


@styled
def factors_by_width(axes, groups) -> str:
    """The factors of the gradient on Q against d_k, one chart for each scale; theory dashed over the measured product.

    Parameters
    ----------
    axes : as many matplotlib axes as groups, sharing their y axis
    groups : dict of scale -> list of experiments.gradients.GradientFactors, in order of d_k
    """
    words = []
    for ax, (scale, line) in zip(axes, groups.items(), strict=True):
        widths = [f.d_k for f in line]
        ax.plot(widths, [f.jacobian.mean for f in line], "C3v:", ms=11, mfc="none", label=r"$\|J\|_F$")
        ax.plot(widths, [f.factor * math.sqrt(f.d_k) for f in line], "C5D-.", label=r"scale × $\sqrt{d_k}$")
        ax.errorbar(widths, *means_and_spreads(line, "dq"), fmt="C0o", capsize=4, label=r"row of $dQ$")
        ax.plot(widths, [f.theory for f in line], "k--", lw=1.6, label="product (theory)")
        ax.set(xscale="log", yscale="log", xlabel="$d_k$", title=RULES[scale].label, ylim=(1e-3, 200))
        ax.set_xticks([d for d in widths if math.log2(d) % 3 == 0])
        ax.set_xticklabels([str(int(d)) for d in ax.get_xticks()])
        ax.minorticks_off()
        low, high = line[0], line[-1]
        words.append(
            f"{RULES[scale].words}: the Jacobian goes from {low.jacobian.mean:.2f} to {high.jacobian.mean:.2f}, "
            f"scale times √d_k from {low.factor * math.sqrt(low.d_k):.2g} to {high.factor * math.sqrt(high.d_k):.2g}, "
            f"a row of dQ from {low.dq.mean:.2g} to {high.dq.mean:.2g}, theory {high.theory:.2g}"
        )
    axes[0].set_ylabel("root mean square")
    handles = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(*handles, loc="outside lower center", ncols=len(handles[0]))
    return (
        f"Line charts against d_k from {widths[0]} to {widths[-1]}, one for each of {len(words)} scales, all axes "
        f"logarithmic. From the first to the last d_k, {'; '.join(words)}."
    )


@styled
def rows_by_width_and_keys(axes, by_width, by_keys) -> str:
    """Root mean square and median row of dQ against d_k on the left, against the number of keys on the right.

    Parameters
    ----------
    axes : two matplotlib axes that share their y axis
    by_width, by_keys : lists of experiments.layers.LayerStatistics
        Several d_k for one number of keys; several numbers of keys for one d_k.
    """
    left = _rms_and_median(axes[0], by_width, "d_k")
    right = _rms_and_median(axes[1], by_keys, "n")
    axes[0].set(title=f"n = {by_width[0].n} keys", xlabel="$d_k$", ylabel="length of a row of $dQ$")
    axes[1].set(title=f"$d_k$ = {by_keys[0].d_k}", xlabel="number of keys n")
    handles = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(*handles, loc="outside right upper")
    return (
        "Two line charts of the root mean square (solid) and the median (dashed) length of a row of dQ, both axes "
        f"logarithmic. Left, against d_k for {by_width[0].n} keys: {left}. Right, against the number of keys for "
        f"d_k = {by_keys[0].d_k}: {right}."
    )


def _rms_and_median(ax, results, along: str) -> str:
    """Two lines for each scale, with the spread between draws; the lines in words."""
    words = []
    for scale in dict.fromkeys(r.scale for r in results):
        rows = [r for r in results if r.scale == scale]
        rule = RULES[scale]
        x = [getattr(r, along) for r in rows]
        looks = {"color": rule.colour, "marker": rule.marker}
        for field, style, filled in (("rms", "-", rule.colour), ("median", "--", "white")):
            values, spread = means_and_spreads(rows, field)
            spread = np.minimum(spread, 0.9 * values)  # a bar down to zero has no place on a log axis
            ax.errorbar(x, values, spread, ls=style, mfc=filled, label=f"{rule.label}, {field}", **looks)
        low, high = rows[0], rows[-1]
        words.append(
            f"{rule.words}: rms from {low.rms.mean:.2g} at {x[0]} to {high.rms.mean:.2g} at {x[-1]}, median from "
            f"{low.median.mean:.2g} to {high.median.mean:.2g}"
        )
    ax.set(xscale="log", yscale="log", ylim=(3e-8, 30))
    ax.set_xticks(x, labels=map(str, x))
    ax.minorticks_off()
    return "; ".join(words)


@styled
def pushes_by_weight(axes, groups, weights, bound) -> str:
    """|dscores| of every (query, key) pair against its weight, one chart for each group; the bound dashed.

    Parameters
    ----------
    axes : as many matplotlib axes as groups, sharing their y axis
    groups : dict of title -> (weights, pushes), two arrays of the same shape
        A push is |dscores| ÷ the range of dweights in its row.
    weights, bound : arrays of the same length
        The curve that no pair lies above.
    """
    words, looks = [], (("C1", "o", 5, 0.7), ("C0", "s", 3, 0.4))  # fewer points on the left: larger, less pale
    for ax, (title, (x, y)), (colour, marker, points, alpha) in zip(axes, groups.items(), looks, strict=True):
        shown = (x >= SMALLEST_WEIGHT) & (y >= SMALLEST_WEIGHT)
        ax.plot(x[shown], y[shown], marker, color=colour, ms=points, alpha=alpha, mew=0, zorder=3)
        ax.plot(weights, bound, "k--", lw=1.8, zorder=1, label="bound $p(1-p)$")
        ax.axvline(0.01, color="black", linestyle=":", label="weight 0.01")
        ax.set(xscale="log", yscale="log", xlim=(SMALLEST_WEIGHT, 2), ylim=(SMALLEST_WEIGHT, 1), xlabel="weight $p$")
        ax.set(title=f"{title}: {1 - shown.mean():.0%} of the pairs off the chart")
        ax.legend(loc="upper left")
        words.append(
            f"{title}: weights from {x.min():.0e} to {x.max():.2f}, {np.mean(x < 0.01):.0%} of them below 0.01, "
            f"{1 - shown.mean():.0%} of the pairs too small for the chart"
        )
    axes[0].set_ylabel("push on the score (relative)")
    return (
        "Two scatter charts of the push on a score against its attention weight, both axes logarithmic. "
        f"{'; '.join(words).replace('$', '')}. No point lies above the dashed bound p(1 − p)."
    )


@styled
def row_histogram(ax, result) -> str:
    """How long are the rows of dQ? A histogram over powers of ten, with a bar for what lies below its range.

    Parameters
    ----------
    ax : matplotlib axes
    result : experiments.row_gradients.RowLengths
        The same layer with 1/√d_k is drawn as an outline.
    """
    rule = RULES[result.scale]
    (share, below), (other, other_below) = shares(result.lengths), shares(result.reference)
    ax.stairs(share, EDGES, color=rule.colour, fill=True, alpha=0.55, label=f"rows, {rule.title}")
    ax.stairs([below], BELOW, color=rule.colour, fill=True, alpha=0.55, hatch="///")
    ax.stairs(other, EDGES, color="black", lw=1.4, label="for comparison: 1/√$d_k$")
    for value, style, name in ((result.rms, "-", "root mean square"), (result.median, "--", "median")):
        ax.vlines(place(value), 0, 1, color="#7a2d5c", ls=style, lw=2.6, label=name)
    ax.set(title=f"$d_k$ = {result.d_k}, {result.n} keys, {rule.title}")
    ax.set(xlabel="length of a row of $dQ$", ylabel="share of rows", yticks=[0, 0.25, 0.5, 0.75, 1])
    ax.set(xlim=(BELOW[0] - 0.1, MOST + 0.1), ylim=(0, 1.3))
    ax.set_xticks([sum(BELOW) / 2, -5, -4, -3, -2, -1, 0, 1, 2])
    ax.set_xticklabels(["below", "0.00001", "0.0001", "0.001", "0.01", "0.1", "1", "10", "100"])
    ax.legend(loc="upper center", ncols=2)
    return (
        f"A histogram of the lengths of {len(result.lengths)} rows of dQ on a logarithmic axis from 0.000001 to 100, "
        f"at d_k = {result.d_k}, {result.n} keys and {rule.words}. {below:.0%} of the rows are below that range; root "
        f"mean square {result.rms:.2g}, median {result.median:.2g}. An outline shows the same layer with scale "
        f"1/√d_k, {other_below:.0%} of it below the range."
    )


def place(length: float) -> float:
    """Where a length stands on the histogram's axis; what is below the range stands in the bar for it."""
    return math.log10(length) if length >= 10**LEAST else sum(BELOW) / 2


def shares(lengths) -> tuple[np.ndarray, float]:
    """Share of rows in each bin (what is above the range goes into the last one), and below the range."""
    kept = np.asarray(lengths)[np.asarray(lengths) >= 10.0**LEAST]
    counts = np.histogram(np.clip(np.log10(kept), LEAST, MOST), EDGES)[0]
    return counts / len(lengths), 1 - len(kept) / len(lengths)
