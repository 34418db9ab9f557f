"""What the number of heads changes about the scores: the slider of notebook 08."""

import numpy as np

from ..experiments.heads import HeadChoice
from .axes import log_axes, outline
from .drawing import styled
from .rules import RULES

EDGES = np.arange(-6.25, 6.5, 0.5)  # of a score, one bin around zero


def heads_axis(ax, heads, y=()) -> None:
    """The axis of h, and plain ticks at these places of y."""
    log_axes(ax, heads, y)
    ax.set(xlabel="number of heads h", xlim=(heads[0] / 1.3, heads[-1] * 1.3))


@styled
def one_choice(axes, result: HeadChoice) -> str:
    """Variance against h with one h marked on the left, the scores at that h as outlines on the right."""
    marked = []
    axes[0].axvline(result.h, color="C5", linewidth=9, alpha=0.45, zorder=0)
    for scale, found in result.by_scale.items():
        rule, heads = RULES[scale], list(found.variances)
        single = np.concatenate([[np.full(h, h), found.variances[h]] for h in heads], axis=1)  # (2, all heads)
        axes[0].plot(*single, color=rule.colour, marker="_", linestyle="none", ms=20, mew=1, alpha=0.4)
        middle = [found.variances[h].mean() for h in heads]
        axes[0].plot(heads, middle, linestyle="none", mec="black", label=f"scale {rule.label}", **rule.looks)
        axes[0].plot(heads, list(found.theory.values()), "k--", linewidth=1.4)
        outline(axes[1], found.scores, EDGES, color=rule.colour, linestyle=rule.dash, linewidth=2.4, label=rule.label)
        marked.append(f"{rule.words} {found.variance:.3f}")
    heads_axis(axes[0], heads, (0.01, 0.1, 1, 10))
    axes[0].set(title=f"$d_{{model}}$ = {result.d_model}, $σ$ = {result.sigma:g}")
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
