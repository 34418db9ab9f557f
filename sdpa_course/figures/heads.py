"""What the number of heads changes: variance, entropy, and what one head cannot copy. For notebook 08."""

import numpy as np

from .drawing import styled
from .rules import RULES
from .saturation import by_scale

EDGES = np.arange(-6.25, 6.5, 0.5)  # of a score, one bin around zero


def heads_axis(ax, heads) -> None:
    """A logarithmic axis with one plain tick for each number of heads."""
    if ax.get_xscale() != "log":  # setting it again makes all ticks again, slowly
        ax.set_xscale("log", base=2)
        ax.set_xticks(heads, [str(h) for h in heads])
        ax.minorticks_off()
    ax.set(xlabel="number of heads h", xlim=(heads[0] / 1.3, heads[-1] * 1.3))


@styled
def variance_and_entropy(axes, results, theory) -> str:
    """Score variance of one head and entropy of its weights against h, for both scales.

    Parameters
    ----------
    axes : two matplotlib axes
    results : sequence of HeadScores
    theory : dict of scale -> (heads, variances, entropies)
        Dashed lines.
    """
    seen = []
    for scale, rows in by_scale(results).items():
        rule = RULES[scale]
        looks = {"color": rule.colour, "marker": rule.marker, "linestyle": "none", "capsize": 5, "label": rule.label}
        heads = [row.h for row in rows]
        line, *dashed = theory[scale]
        columns = (
            ([row.variance.mean for row in rows], [row.head_spread for row in rows]),
            ([row.entropy.mean for row in rows], [row.entropy.error for row in rows]),
        )
        for ax, (values, errors), curve in zip(axes, columns, dashed, strict=True):
            ax.errorbar(heads, values, yerr=errors, **looks)
            ax.plot(line, curve, "k--", linewidth=1.5)
        seen.append(
            f"{rule.words}: variance from {rows[0].variance.mean:.3f} to {rows[-1].variance.mean:.3f}, entropy from "
            f"{rows[0].entropy.mean:.3f} to {rows[-1].entropy.mean:.3f}"
        )
    axes[0].plot([], [], "k--", linewidth=1.5, label="theory")
    axes[0].set(title="variance of a score", yscale="log", ylim=(0.01, 3))
    axes[0].set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    axes[1].set(title="entropy of the weights ÷ log n", ylim=(0.85, 1.01))
    for ax in axes:
        heads_axis(ax, heads)
    axes[0].legend(loc="lower left")
    return (
        f"Two charts against the number of heads from {heads[0]} to {heads[-1]} at d_model = {results[0].d_model}: "
        f"variance of the scores on the left, relative entropy of the weights on the right, with dashed lines for the "
        f"theory. From the first to the last, {'; '.join(seen)}."
    )


@styled
def one_choice(axes, result) -> str:
    """Variance against h with one h marked on the left, the scores at that h as outlines on the right.

    Parameters
    ----------
    axes : two matplotlib axes
    result : experiments.heads.HeadChoice
    """
    marked = []
    if axes[0].get_yscale() != "log":
        axes[0].set(yscale="log")
        axes[0].set_yticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
        axes[0].minorticks_off()
    axes[0].axvline(result.h, color="C5", linewidth=9, alpha=0.45, zorder=0)
    for scale, found in result.by_scale.items():
        rule, heads = RULES[scale], list(found.variances)
        single = np.concatenate([[np.full(h, h), found.variances[h]] for h in heads], axis=1)  # (2, all heads)
        axes[0].plot(*single, color=rule.colour, marker="_", linestyle="none", ms=20, mew=1, alpha=0.4)
        means = [found.variances[h].mean() for h in heads]
        looks = {"color": rule.colour, "marker": rule.marker, "linestyle": "none", "mec": "black"}
        axes[0].plot(heads, means, label=f"scale {rule.label}", **looks)
        axes[0].plot(heads, list(found.theory.values()), "k--", linewidth=1.4)
        shares = np.histogram(found.scores, EDGES)[0] / found.scores.size
        axes[1].stairs(shares, EDGES, color=rule.colour, linestyle=rule.dash, linewidth=2.4, label=rule.label)
        marked.append(f"{rule.words} {found.variance:.3f}")
    heads_axis(axes[0], heads)
    axes[0].set(title=f"$d_{{model}}$ = {result.d_model}, σ = {result.sigma:g}")
    axes[0].set(ylabel="variance of a score", ylim=(3e-3, 50))
    # A white ground, because the mark of the chosen h may run behind it.
    axes[0].legend(loc="lower left", frameon=True, facecolor="white", edgecolor="none", framealpha=1)
    axes[1].set(title=f"h = {result.h}, $d_k$ = {result.d_model // result.h}")
    axes[1].set(xlabel="score", ylabel="share of all scores", xlim=(-6.3, 6.3), ylim=(0, 1.02))
    axes[1].legend(loc="upper right")
    return (
        f"Left, the variance of a score against the number of heads from {heads[0]} to {heads[-1]} at d_model = "
        f"{result.d_model}, a faint tick for each head and a marker for their mean, with dashed lines for the theory "
        f"and h = {result.h} marked; there the mean is, with {', with '.join(marked)}, for tokens of standard "
        f"deviation {result.sigma:g}. Right, outlines of the distribution of the scores at that h for both scales."
    )


@styled
def mixture_errors(ax, p, left, right, theory, two_heads: float) -> str:
    """The best error of one head for each half of the target, against its weight p on the left token.

    Parameters
    ----------
    ax : matplotlib axes
    p, left, right : (points,) arrays
        Weight on the left token; mean squared error of the two halves.
    theory : (p, left, right) of arrays
        Dashed.
    two_heads : float
        Error of two heads, both halves together.
    """
    total = np.add(left, right)
    for values, colour, marker, label in (
        (left, "C0", "s", "left half"),
        (right, "C2", "^", "right half"),
        (total, "C1", "o", "both halves"),
    ):
        ax.plot(p, values, color=colour, marker=marker, linestyle="none", label=f"one head, {label}")
    for line in (theory[1], theory[2], np.add(theory[1], theory[2])):
        ax.plot(theory[0], line, "k--", linewidth=1.5)
    ax.axhline(two_heads, color="C3", linewidth=4, zorder=1, label="two heads, both halves")  # under the markers
    ax.plot([], [], "k--", linewidth=1.5, label="theory")
    ax.set(
        xlabel="p, the one head's weight on the left token",
        ylabel="mean squared error",
        ylim=(-0.06, 1.05 * total.max()),
    )
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    low, high = f"{total.min():.2f}", f"{total.max():.2f}"
    level = f"at {low}" if low == high else f"between {low} and {high}"
    return (
        f"Mean squared error against the weight p of one head on the left token, from {p[0]:g} to {p[-1]:g}. The error "
        f"of the left half falls from {left[0]:.2f} to {left[-1]:.2f}, that of the right half rises from "
        f"{right[0]:.2f} to {right[-1]:.2f}, and their sum stays {level}. Two heads lie at {two_heads:.2f}."
    )
