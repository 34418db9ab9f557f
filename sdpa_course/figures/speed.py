"""Figures of notebook 10: time and memory against the number of tokens, and the map of tiles."""

import numpy as np
from matplotlib.colors import ListedColormap

from ..experiments.speed import CUT, SKIPPED, WHOLE
from .drawing import styled

LOOKS = (("C1", "o"), ("C2", "D"), ("C0", "s"), ("C3", "^"))  # colour and marker, in the order of the contestants
BARS = ("median", "lower", "upper")  # of a Timing: the mark, and the ends of its bar
BLUES = ListedColormap(["white", "#56B4E9", "#004A75"])  # skipped, cut, whole: told apart by lightness alone
KINDS = {SKIPPED: "skipped", CUT: "partly hidden", WHOLE: "computed whole"}


@styled
def cost_by_length(axes, lengths, times, peaks, powers) -> str:
    """Time on the left, peak memory on the right, against the number of tokens; powers of T dashed and dotted.

    Parameters
    ----------
    axes : two matplotlib axes
    lengths : sequence of int
    times : dict of name -> sequence of Timing
    peaks : dict of name -> sequence of bytes
        Their names are among those of `times`.
    powers : dict of name -> float
        The power of T that each of the peaks grows with (`experiments.speed.growth`).
    """
    lengths = np.asarray(lengths)
    looks = dict(zip(times, LOOKS, strict=False))
    words = []
    for name, timings in times.items():
        colour, marker = looks[name]
        middle, low, high = (1e3 * np.array([getattr(t, field) for t in timings]) for field in BARS)
        bars = (middle - low, high - middle)
        axes[0].errorbar(lengths, middle, yerr=bars, color=colour, marker=marker, capsize=4, label=name)
        words.append(f"{name} from {middle[0]:.3g} to {middle[-1]:.3g} ms")
    said = []
    for name, values in peaks.items():
        colour, marker = looks[name]
        mebibytes = np.array(values) / 2**20
        power = powers[name]
        axes[1].plot(lengths, mebibytes, color=colour, marker=marker, label=f"{name}: $T^{{{power:.1f}}}$")
        said.append(f"{name} from {mebibytes[0]:.3g} to {mebibytes[-1]:.3g} MiB, like T to the power {power:.1f}")
    square = 1.6e3 * max(
        np.max([t.upper for t in timings] / lengths**2) for timings in times.values()
    )  # above every line
    axes[0].plot(lengths, square * lengths**2, "k--", lw=1.6, label="$T^2$ (slope only)")
    top, bottom = (max(p[-1] for p in peaks.values()), min(p[-1] for p in peaks.values()))
    for height, power, line in ((2 * top, 2, "k--"), (bottom / 2, 1, "k:")):
        name = "$T^2$ (slope only)" if power == 2 else "$T$ (slope only)"
        axes[1].plot(lengths, height / 2**20 * (lengths / lengths[-1]) ** power, line, lw=1.6, label=name)
    axes[0].set(title="time of one call", ylabel="milliseconds")
    axes[1].set(title="peak memory of one call", ylabel="MiB")
    for ax in axes:
        ax.set(xscale="log", yscale="log", xlabel="number of tokens T")
        ax.set_xticks(lengths, [str(T) for T in lengths])
        ax.minorticks_off()
        ax.legend(loc="upper left", bbox_to_anchor=(0, -0.2))
    return (
        f"Two line charts against the number of tokens from {lengths[0]} to {lengths[-1]}, both axes logarithmic. "
        f"Left, the time of one call: {'; '.join(words)}; a dashed line has the slope of T squared. Right, the peak "
        f"memory: {'; '.join(said)}; guides have the slopes of T squared and of T."
    )


@styled
def tile_map(axes, tiling) -> str:
    """The score matrix cut into tiles on the left, how many scores that makes on the right.

    Parameters
    ----------
    axes : two matplotlib axes
    tiling : experiments.speed.Tiling
    """
    T, n = tiling.T, len(tiling.kinds)
    ax, bars = axes
    full = n * tiling.block / T  # the last tiles may reach beyond the edge: the limits cut them off
    ax.imshow(tiling.kinds, cmap=BLUES, vmin=SKIPPED, vmax=WHOLE, extent=(0, full, full, 0), interpolation="nearest")
    ax.set(xlim=(0, 1), ylim=(1, 0))
    if n <= 32:  # finer lines would hide the tiles
        edges = np.minimum(np.arange(n + 1) * tiling.block, T) / T
        ax.hlines(edges, 0, 1, color="#9a9a9a", lw=0.7)
        ax.vlines(edges, 0, 1, color="#9a9a9a", lw=0.7)
    ax.grid(False)
    ax.set_xticks([0, 1], ["1", "T"])
    ax.set_yticks([0, 1], ["1", "T"])
    ax.set(title=f"T = {T}: {tiling.tiles} of {n * n} tiles", xlabel="keys", ylabel="queries")
    for kind, y in zip(KINDS, (0.05, 0.17, 0.29), strict=True):
        ax.text(1.06, y, "     ", bbox={"facecolor": BLUES(kind), "edgecolor": "#9a9a9a"}, va="center", fontsize=9)
        ax.text(1.2, y, KINDS[kind], va="center", fontsize=12)

    values = {"all": T * T, "computed": tiling.computed, "needed": tiling.needed, "held": tiling.held}
    for place, (value, colour) in enumerate(zip(values.values(), ("C6", "C0", "C2", "C1"), strict=True)):
        bars.hlines(place, 0, value / T**2, color=colour, lw=20)
        bars.text(value / T**2 + 0.03, place, f"{value}", va="center")
    bars.set_xticks([0, 0.5, 1], ["0", "half", "all"])
    bars.grid(axis="y", visible=False)
    bars.set_yticks(range(4), ["all scores", "computed", "needed", "held at once"])
    bars.set(title="scores", xlabel="share of all scores", xlim=(0, 1.5), ylim=(3.6, -0.6))
    kind = "causal" if tiling.causal else "not causal"
    return (
        f"Left, a square map of the scores of {T} queries against {T} keys, {kind}, in "
        f"tiles of {tiling.block} by {tiling.block}: {tiling.tiles} of {n * n} are computed, {count(tiling, CUT)} of "
        f"them partly hidden, {count(tiling, SKIPPED)} skipped. Right, bars: {T * T} scores in all, {tiling.computed} "
        f"computed, {tiling.needed} needed, {tiling.held} held at once."
    )


def count(tiling, kind: int) -> int:
    """How many tiles are of this kind."""
    return int((tiling.kinds == kind).sum())
