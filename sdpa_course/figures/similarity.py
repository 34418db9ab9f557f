"""Dot products as pictures: a score matrix, shadows on a query, and how far scores spread. Notebook 01."""

import numpy as np

from .drawing import styled

MARKERS = "osD^v"


@styled
def score_matrix(ax, scores, tokens) -> str:
    """An (n, n) matrix of scores with its numbers written in, rows and columns named by the tokens."""
    scores = np.asarray(scores)
    ax.imshow(scores, cmap="Blues", vmin=scores.min(), vmax=scores.max() * 1.8)  # pale enough for black digits
    for (i, j), score in np.ndenumerate(scores):
        ax.text(j, i, f"{score:g}".replace("-", "−"), ha="center", va="center", fontsize=18)
    ax.set_xticks(range(len(tokens)), tokens)
    ax.set_yticks(range(len(tokens)), tokens)
    ax.grid(False)
    ax.set(xlabel="who is asked (key)", ylabel="who asks (query)", title="scores")
    rows = "; ".join(
        f"{token} asks: {', '.join(f'{s:g}' for s in row)}" for token, row in zip(tokens, scores, strict=True)
    )
    return f"A {len(tokens)} by {len(tokens)} grid of scores, columns {', '.join(tokens)} (the keys). {rows}."


@styled
def shadows(axes, name, query, keys, tokens, scores, cosines) -> str:
    """A query and its keys as arrows with the keys' shadows on the query; beside it the scores and the cosines.

    Parameters
    ----------
    axes : three matplotlib axes
    name : str
        Of the token that asks.
    query : (2,) array
    keys : (n, 2) array
    tokens : n names
    scores, cosines : (n,) arrays
    """
    plane, *charts = axes
    feet = np.outer(np.asarray(scores) / (query @ query), query)  # where each shadow ends
    plane.axline((0, 0), query, color="0.6", linewidth=1, linestyle=":")
    plane.quiver(0, 0, *query, angles="xy", scale_units="xy", scale=1, width=0.02, color="C0", zorder=3)
    at_tip = {"textcoords": "offset points", "ha": "center"}
    plane.annotate(f"query\n{name}", query, xytext=(-9, -14), va="top", **at_tip)
    for key, foot, token, colour in zip(keys, feet, tokens, ("C1", "C2", "C6"), strict=False):
        plane.quiver(0, 0, *key, angles="xy", scale_units="xy", scale=1, width=0.011, color=colour, zorder=2)
        drop = {"linewidth": 1.3, "linestyle": "--", "marker": "o", "markersize": 8, "markevery": [1], "zorder": 4}
        plane.plot(*np.transpose([key, foot]), color=colour, **drop)
        above = query[0] * key[1] > query[1] * key[0]  # of the query's line
        side, offset = ("bottom", (14, 5)) if above else ("top", (0, -7))
        plane.annotate(f"key {token}", key, xytext=offset, va=side, **at_tip)
    plane.set(xlim=(-0.4, 5.6), ylim=(-2.2, 3), aspect="equal", title="a dot marks the end of each shadow")
    plane.set(xlabel="technology", ylabel="feeling")
    for chart, values, title, form in zip(
        charts, (scores, cosines), ("dot product", "cosine"), ("{:g}", "{:.2f}"), strict=True
    ):
        bars = chart.barh(tokens, values, color="C4")
        bars[int(np.argmax(values))].set(facecolor="C5", edgecolor="black", hatch="//")
        chart.bar_label(bars, [form.format(value) for value in values], padding=3)
        chart.set(title=title, xlim=(0, 1.35 * np.max(values)))
        chart.invert_yaxis()
        chart.grid(axis="y", visible=False)
    listed = "; ".join(
        f"{token}: dot product {score:g}, cosine {cosine:.2f}"
        for token, score, cosine in zip(tokens, scores, cosines, strict=True)
    )
    return (
        f"Left: the query of {name} and {len(tokens)} keys as arrows in a plane, each key with its shadow on the line "
        f"of the query, a dot at its end. Right: two bar charts. {listed}. The largest dot product belongs to "
        f"{tokens[int(np.argmax(scores))]}, the largest cosine to {tokens[int(np.argmax(cosines))]}."
    )


@styled
def agreement_by_width(axes, curves, chance) -> str:
    """Left: how often the largest dot product is the largest cosine; right: how much the keys' lengths differ.

    Parameters
    ----------
    axes : two matplotlib axes
    curves : dict of str -> list of Agreement
        The first one is of unstretched N(0, 1) keys, for which 1/√(2 d_k) on the right is close, if they are wide.
    chance : float
        One over the number of keys.
    """
    widths = [point.d_k for point in next(iter(curves.values()))]
    for (name, points), marker in zip(curves.items(), MARKERS, strict=False):
        shares, errors = [p.share.mean for p in points], [2 * p.share.error for p in points]
        axes[0].errorbar(widths, shares, errors, marker=marker, capsize=3, label=name)
        axes[1].plot(widths, [p.length_spread for p in points], marker=marker, label=name)
    axes[0].axhline(chance, color="C6", linestyle=":", label="guessing")
    axes[1].plot(widths, 1 / np.sqrt(2 * np.array(widths)), "k--", label=r"approximation $1/\sqrt{2d_k}$")
    axes[0].set(title="same winner?", ylabel="share of queries", ylim=(0, 1))
    axes[1].set(title="spread of key lengths", ylabel="std ÷ mean", yscale="log")
    for ax in axes:
        ax.set(xscale="log", xlabel="$d_k$")
        ax.set_xticks(widths[::2], widths[::2])
        ax.minorticks_off()
    axes[1].set_yticks([0.03, 0.1, 0.3, 1], ["0.03", "0.1", "0.3", "1"])
    axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 0.08))
    axes[1].legend(loc="lower left")
    ends = "; ".join(
        f"{name}: from {points[0].share.mean:.2f} at d_k = {widths[0]} "
        f"to {points[-1].share.mean:.2f} at d_k = {widths[-1]}"
        for name, points in curves.items()
    )
    plain = next(iter(curves.values()))
    return (
        f"Two line charts against d_k. Left, the share of queries whose largest dot product is also the largest "
        f"cosine, with error bars of two standard errors: {ends}; guessing gives {chance:.2f}. Right, the standard "
        f"deviation of the key lengths over their mean: for N(0, 1) keys it falls from {plain[0].length_spread:.2f} to "
        f"{plain[-1].length_spread:.2f} close to the dashed approximation 1/√(2 d_k), for stretched keys it levels off."
    )


@styled
def ranges_by_draw(axes, widths, found, quoted) -> str:
    """Ranges of repeated draws as vertical bars, one panel for each d_k, with a quoted range as dashed lines.

    Parameters
    ----------
    axes : matplotlib axes that share their y axis
    widths : the values of d_k, one for each panel
    found : list of Ranges
    quoted : list of (low, high)
    """
    words = []
    for ax, d_k, draws, (low, high) in zip(axes, widths, found, quoted, strict=True):
        draw = np.arange(1, len(draws.low) + 1)
        ax.vlines(draw, draws.low, draws.high, color="C0", linewidth=4)
        for edge in (low, high):
            ax.axhline(edge, color="C1", linestyle="--", label="quoted range" if edge == low else None)
        ax.set(title=f"$d_k$ = {d_k}", xlabel="draw")
        words.append(
            f"d_k = {d_k}: the lowest score lies between {draws.low.min():.0f} and {draws.low.max():.0f}, the highest "
            f"between {draws.high.min():.0f} and {draws.high.max():.0f}; dashed lines at {low} and {high}"
        )
    axes[0].set_ylabel("lowest to highest score")
    axes[0].legend(loc="upper left")
    return f"Bars from the lowest to the highest score of {len(draw)} draws. {'. '.join(words)}."


@styled
def growth_with_pairs(axes, pairs, found, theory) -> str:
    """Width of the range (left) and standard deviation (right) against the number of pairs, one line for each d_k.

    Parameters
    ----------
    axes : two matplotlib axes that share their y axis
    pairs : sequence of int
    found : dict of d_k -> list of Ranges, one for each number of pairs
    theory : dict of d_k -> list of expected widths of normal samples
    """
    words, names = [], {}
    for (d_k, row), marker, colour, dash in zip(
        found.items(), MARKERS, ("C0", "C1", "C2"), ("--", ":", "-."), strict=False
    ):
        widths, stds = np.array([r.width for r in row]), np.array([r.std for r in row])  # (pairs, repeats)
        for ax, values in zip(axes, (widths, stds), strict=True):
            points = ax.errorbar(
                pairs, values.mean(axis=-1), values.std(axis=-1), color=colour, marker=marker, capsize=4,
                linestyle="none",
            )  # fmt: skip
        # In the colour of its points: at d_k = 2 they climb up to the line of d_k = 5.
        axes[0].plot(pairs, theory[d_k], color=colour, linestyle=dash, linewidth=1.8)
        line = axes[1].axhline(np.sqrt(d_k), color=colour, linestyle=dash, linewidth=1.8)
        names[f"$d_k$ = {d_k}"] = points, line
        words.append(
            f"d_k = {d_k}: width from {widths[0].mean():.1f} to {widths[-1].mean():.1f}, standard deviation from "
            f"{stds[0].mean():.2f} to {stds[-1].mean():.2f}"
        )
    axes[0].set(title="range: highest − lowest", ylabel="size of the scores", yscale="log")
    axes[1].set(title="standard deviation")
    for ax in axes:
        ax.set(xlabel="pairs drawn", xscale="log")
    (names["lines: theory"],) = axes[1].plot([], [], "k--", linewidth=1.8)
    axes[1].legend(names.values(), names.keys(), loc="upper right", ncols=2, handlelength=3)
    return (
        f"Two charts against the number of pairs, {pairs[0]} to {pairs[-1]}, with error bars over repeats and "
        "theory as broken lines in the same colours. Left, the range grows; right, the standard deviation stays near "
        f"the root of d_k. {'; '.join(words)}."
    )


@styled
def score_histogram(ax, result) -> str:
    """A histogram of scores as steps, with the normal curve of the same variance dashed over it.

    Parameters
    ----------
    ax : matplotlib axes
    result : experiments.histograms.ScoreSpread
    """
    ax.stairs(result.percent, result.edges, fill=True, color="C4", label="simulated scores")
    ax.plot(result.x, result.curve, "k--", label="normal curve")
    what = "scores ÷ √$d_k$" if result.divided else "scores as they are"  # a typeset root would make the title taller
    highest, peak = np.max(result.percent), np.max(result.curve)
    top = next(limit for limit in (4, 10, 20, 40, 100) if max(highest, peak) <= 0.95 * limit)
    ax.set(title=f"{what}, $d_k$ = {result.d_k}", xlabel="score", ylabel="% of scores in a step")
    ax.set(xlim=(result.edges[0], result.edges[-1]), ylim=(0, top))
    # Labels of one width, padded with figure spaces, so there's room for all of them.
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}".rjust(4, "\u2007"))
    ax.legend(loc="upper right")
    named = "the dot product divided by the root of d_k" if result.divided else "the dot product"
    return (
        f"A histogram of {named} of random vectors at d_k = {result.d_k}, on an axis from {result.edges[0]:g} to "
        f"{result.edges[-1]:g}. Its highest step holds {highest:.1f} % of the scores; the dashed normal curve of the "
        f"same variance peaks at {peak:.1f} %."
    )
