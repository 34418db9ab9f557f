"""Figures of notebook 04: the softmax Jacobian, its norm, and the error of numerical derivatives."""

import math

import numpy as np

from .cells import write_in_cells
from .drawing import styled
from .rules import RULES

LIMIT = 0.25  # no entry of the Jacobian is larger: p (1 − p) ≤ 1/4, and p_i p_j ≤ 1/4 as well
XLABELS = {"d_k": "$d_k$", "n": "number of keys n"}
CLOUDS = (("C0", "o"), ("C1", "s"), ("C2", "D"), ("#7a2d5c", "^"))  # the last one is dark: pale triangles are lost


@styled
def weights_and_jacobian(axes, result) -> str:
    """Bars of p on the left, its Jacobian as a heat map with the values written in on the right.

    Parameters
    ----------
    axes : two matplotlib axes
    result : experiments.saturation.SoftmaxJacobian
    """
    weights, jacobian, n = result.weights, result.jacobian, len(result.weights)
    ticks, names = np.arange(n), [str(i + 1) for i in range(n)]
    bars, heat = axes
    bars.vlines(ticks, 0, weights, color="C0", linewidth=60)  # one artist: faster than n bars
    for position, weight in enumerate(weights):
        bars.text(position, weight + 0.02, plain(weight), ha="center")
    bars.set(title="weights p", xlabel="key", ylabel="weight", xlim=(-0.6, n - 0.4), ylim=(0, 1.1))
    bars.set_xticks(ticks, names)
    bars.set_yticks([0, 0.5, 1])

    heat.imshow(jacobian, cmap="RdBu_r", vmin=-LIMIT, vmax=LIMIT)
    texts = np.array([[plain(value) for value in row] for row in jacobian])
    write_in_cells(heat, texts, (jacobian / LIMIT + 1) / 2, "RdBu_r", 13)
    heat.set(title="Jacobian ∂weight i / ∂score j", xlabel="score j", ylabel="weight i")
    heat.set_xticks(ticks, names)
    heat.set_yticks(ticks, names)
    heat.grid(False)
    return (
        f"Left, a bar chart of {n} weights: {', '.join(map(plain, weights))}. Right, their {n} by {n} Jacobian as a "
        f"heat map with the values written in: on the diagonal {', '.join(map(plain, np.diag(jacobian)))}; "
        f"beside it zero or negative, lowest {plain(np.min(jacobian))}."
    )


def plain(value: float) -> str:
    """Three decimals, and never a minus zero."""
    return f"{np.round(value, 3) + 0.0:.3f}"


@styled
def norm_by_top(ax, groups, top, lower, upper) -> str:
    """Jacobian norm against the largest weight: a cloud for each group of rows, theory dashed.

    Parameters
    ----------
    ax : matplotlib axes
    groups : dict of label -> (largest weights, norms), two arrays of the same length
    top, lower, upper : arrays of the same length
        The curves between which every row lies, as functions of its largest weight.
    """
    words = []
    for (label, (tops, norms)), (colour, marker) in zip(groups.items(), CLOUDS, strict=False):
        ax.plot(tops, norms, marker, color=colour, ms=5, alpha=0.55, mew=0, label=label)
        words.append(f"{label}: largest weight {np.mean(tops):.2f}, norm {np.mean(norms):.2f} on average")
    ax.plot(top, upper, "k--", lw=1.8, label="upper bound")
    ax.plot(top, lower, "k:", lw=1.8, label="lower bound")
    ax.set(xlabel="largest weight of the row", ylabel="norm of J", xlim=(0, 1.01), ylim=(0, 0.55))
    legend = ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    for handle in legend.legend_handles[: len(groups)]:  # one point, not a cloud: larger, and not pale
        handle.set(alpha=1, markersize=9)
    return (
        "A scatter chart of the norm of the softmax Jacobian against the largest weight, one point for each row. "
        f"{'; '.join(words).replace('$', '')}. All points lie between a lower and an upper bound "
        f"that meet at 0 where the largest weight is 0 or 1; the upper one peaks at {np.max(upper):.2f}, where it is "
        f"{top[np.argmax(upper)]:.2f}."
    )


@styled
def norms_by_width_and_keys(axes, by_width, by_keys, flat_by_width, flat_by_keys, bound: float) -> str:
    """Mean Jacobian norm against d_k on the left and against the number of keys on the right, one line a scale.

    Parameters
    ----------
    axes : two matplotlib axes that share their y axis
    by_width, by_keys : lists of experiments.layers.LayerStatistics
        Several d_k for one number of keys; several numbers of keys for one d_k.
    flat_by_width, flat_by_keys : sequences of float
        The norm of a row of equal weights at each d_k (always the same) and at each number of keys.
    bound : float
        What no norm exceeds.
    """
    left = _norm_lines(axes[0], by_width, "d_k", flat_by_width, bound)
    right = _norm_lines(axes[1], by_keys, "n", flat_by_keys, bound)
    axes[0].set(title=f"n = {by_width[0].n} keys", ylabel="mean norm of J")
    axes[1].set(title=f"$d_k$ = {by_keys[0].d_k}")
    names = axes[0].get_legend_handles_labels()  # all scales are on the left, not all on the right
    axes[0].figure.legend(*names, loc="outside lower center", ncols=len(names[0]))
    return (
        f"Two line charts of the mean norm of the softmax Jacobian, one line for each scale. Left, against d_k for "
        f"{by_width[0].n} keys: {left}. Right, against the number of keys n for d_k = {by_keys[0].d_k}: {right}. "
        f"Dashed: the norm for equal weights, on the right from {flat_by_keys[0]:.2f} to {flat_by_keys[-1]:.2f}. All "
        f"lines stay below the bound of {bound:.2f}."
    )


def _norm_lines(ax, results, along: str, flat, bound: float) -> str:
    """One line a scale with the spread between seeds, dashed what theory says; the lines in words."""
    words = []
    for scale in dict.fromkeys(result.scale for result in results):
        line = [result for result in results if result.scale == scale]
        x, y = [getattr(result, along) for result in line], [result.jacobian.mean for result in line]
        rule = RULES[scale]
        keywords = {"color": rule.colour, "marker": rule.marker, "ls": rule.dash, "capsize": 3, "label": rule.label}
        ax.errorbar(x, y, yerr=[result.jacobian.spread for result in line], **keywords)
        top = int(np.argmax(y))
        peak = f", highest {y[top]:.2f} at {x[top]}" if 0 < top < len(y) - 1 and y[top] > 1.2 * max(y[0], y[-1]) else ""
        words.append(f"scale {scale} goes from {y[0]:.2f} at {x[0]} to {y[-1]:.2f} at {x[-1]}{peak}")
    ax.plot(x, flat, "k--", lw=1.6, label="equal weights")
    ax.axhline(bound, color="0.45", ls=(0, (1, 1)), lw=1.6, label="bound")
    ax.set_xscale("log", base=2)
    ticks = [value for value in x if math.log2(value) % 3 == 0]  # 1, 8, 64, ...
    ax.set_xticks(ticks, labels=map(str, ticks))
    ax.minorticks_off()
    ax.set(xlabel=XLABELS[along], ylim=(0, bound * 1.08))
    return "; ".join(words)


@styled
def step_errors(ax, steps, central, complex_step, theory) -> str:
    """Error of numerical derivatives against the step, both axes logarithmic, theory dashed.

    Parameters
    ----------
    ax : matplotlib axes
    steps, central, complex_step, theory : arrays of the same length
        The steps; the errors of central differences and of the complex step; what theory says of the former.
    """
    ax.loglog(steps, central, "C1o-", label="central differences")
    ax.loglog(steps, theory, "k--", lw=1.8, label=r"theory: $\varepsilon^2/48 + 2^{-53}/\varepsilon$")
    ax.loglog(steps, complex_step, "C0s-.", label="complex step")
    ax.set(xlabel=r"step $\varepsilon$", ylabel="largest error in J", ylim=(1e-18, 10))
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    best = int(np.argmin(central))
    return (
        f"Error of the numerical Jacobian against the step ε from {steps[0]:.0e} to {steps[-1]:.0e}, both axes "
        f"logarithmic. Central differences draw a V with its lowest point at ε = {steps[best]:.0e}, along the dashed "
        "line of theory. The complex step has no rise on the left: for small steps it stays at the rounding error."
    )
