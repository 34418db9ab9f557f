"""The question of the course in one picture: weights without and with the scale, as d_k grows."""

import numpy as np

from .show import styled

TITLES = ("scores as they are", r"scores ÷ $\sqrt{d_k}$")


@styled
def weights_by_width(axes, widths, unscaled, scaled) -> str:
    """Average attention weights, largest first, for several d_k: unscaled on the left, scaled on the right.

    Parameters
    ----------
    axes : two matplotlib axes that share their y axis
    widths : sequence of int
        The values of d_k.
    unscaled, scaled : (len(widths), queries, n) arrays
        Weights of each query over n keys.
    """
    tops = []
    for ax, weights, title in zip(axes, (unscaled, scaled), TITLES, strict=True):
        ranked = -np.sort(-np.asarray(weights), axis=-1).mean(axis=1)  # (len(widths), n)
        for d_k, row, marker in zip(widths, ranked, "osD^v", strict=False):
            ax.plot(np.arange(1, len(row) + 1), row, marker=marker, label=f"$d_k$ = {d_k}")
        ax.set(title=title, xlabel="keys, largest weight first", ylim=(0, 1.02))
        ax.set_xticks([1, *range(4, len(row) + 1, 4)])
        tops.append(ranked[:, 0])
    axes[0].set_ylabel("average weight")
    axes[0].legend()
    return (
        f"Two line charts of the average attention weights over {len(row)} keys, largest first, for d_k = "
        f"{', '.join(map(str, widths))}. Left, without a scale: the largest weight goes from {tops[0][0]:.2f} at "
        f"d_k = {widths[0]} to {tops[0][-1]:.2f} at d_k = {widths[-1]}. Right, divided by the root of d_k: it stays "
        f"between {tops[1].min():.2f} and {tops[1].max():.2f}."
    )


@styled
def weights_beside(axes, d_k: int, unscaled, scaled) -> str:
    """Average weights, largest first, as bars for one d_k: unscaled on the left, scaled on the right.

    Parameters
    ----------
    axes : two matplotlib axes that share their y axis
    unscaled, scaled : (queries, n) arrays
        Weights of each query over n keys.
    """
    tops = []
    for ax, weights, title, colour in zip(axes, (unscaled, scaled), TITLES, ("C1", "C0"), strict=True):
        ranked = -np.sort(-np.asarray(weights), axis=-1).mean(axis=0)  # (n,)
        ax.bar(np.arange(1, len(ranked) + 1), ranked, color=colour)
        ax.set(title=title, xlabel="keys, largest weight first", ylim=(0, 1))
        ax.set_xticks([1, *range(4, len(ranked) + 1, 4)])
        tops.append(ranked[0])
    axes[0].set_ylabel("average weight")
    return (
        f"Two bar charts of the average attention weights over {len(ranked)} keys at d_k = {d_k}, largest first. Left, "
        f"without a scale, the largest weight is {tops[0]:.2f}; right, divided by the root of d_k, it is {tops[1]:.2f}."
    )
