"""Figures of appendix A2: time and memory against the number of tokens, and the map of tiles."""

import numpy as np
from matplotlib.colors import ListedColormap

from ..experiments.speed import CUT, SKIPPED, WHOLE, Tiling, Timing
from .axes import cell_ticks, ends, log_axes
from .drawing import styled

LOOKS = ("C1o-", "C2D-", "C0s-", "C3^-")  # in the order of the contestants
BARS = ("median", "lower", "upper")  # of a Timing: the mark, and the ends of its bar
BLUES = ListedColormap(["white", "#56B4E9", "#004A75"])  # skipped, cut, whole: told apart by lightness alone
KINDS = {SKIPPED: "skipped", CUT: "partly hidden", WHOLE: "computed whole"}


@styled
def cost_by_length(axes, lengths, times: dict[str, list[Timing]], peaks: dict, powers: dict[str, float]) -> str:
    """Time, and for some also peak memory in bytes with the power of T that it grows with, against T tokens."""
    lengths, looks = np.asarray(lengths), dict(zip(times, LOOKS, strict=False))
    words, said = [], []
    for name, timings in times.items():
        middle, low, high = (1e3 * np.array([getattr(t, field) for t in timings]) for field in BARS)
        axes[0].errorbar(lengths, middle, (middle - low, high - middle), fmt=looks[name], capsize=4, label=name)
        words.append(f"{name} from {ends(middle, '.3g')} ms")
    for name, values in peaks.items():
        mebibytes, power = np.array(values) / 2**20, powers[name]
        axes[1].plot(lengths, mebibytes, looks[name], label=f"{name}: $T^{{{power:.1f}}}$")
        said.append(f"{name} from {ends(mebibytes, '.3g')} MiB, like T to the power {power:.1f}")
    slowest = np.max([[t.upper for t in timings] for timings in times.values()], axis=0)
    square = 1.6e3 * np.max(slowest / lengths**2)  # above every line
    axes[0].plot(lengths, square * lengths**2, "k--", lw=1.6, label="$T^2$ (slope only)")
    last = [values[-1] for values in peaks.values()]
    for height, power, line, name in ((2 * max(last), 2, "k--", "$T^2$"), (min(last) / 2, 1, "k:", "$T$")):
        slope = height / 2**20 * (lengths / lengths[-1]) ** power
        axes[1].plot(lengths, slope, line, lw=1.6, label=f"{name} (slope only)")
    axes[0].set(title="time of one call", ylabel="milliseconds")
    axes[1].set(title="peak memory of one call", ylabel="MiB")
    for ax in axes:
        ax.set(yscale="log", xlabel="number of tokens T")
        log_axes(ax, lengths)
        ax.legend(loc="upper left", bbox_to_anchor=(0, -0.2))
    return (
        f"Two line charts against the number of tokens from {lengths[0]} to {lengths[-1]}, both axes logarithmic. "
        f"Left, the time of one call: {'; '.join(words)}; a dashed line has the slope of T squared. Right, the peak "
        f"memory: {'; '.join(said)}; guides have the slopes of T squared and of T."
    )


@styled
def tile_map(axes, tiling: Tiling) -> str:
    """The score matrix cut into tiles on the left, how many scores that makes on the right."""
    T, n = tiling.T, len(tiling.kinds)
    ax, bars = axes
    full = n * tiling.block / T  # the last tiles may reach beyond the edge: the limits cut them off
    ax.imshow(tiling.kinds, cmap=BLUES, vmin=SKIPPED, vmax=WHOLE, extent=(0, full, full, 0), interpolation="nearest")
    ax.set(xlim=(0, 1), ylim=(1, 0))
    if n <= 32:  # finer lines would hide the tiles
        edges = np.minimum(np.arange(n + 1) * tiling.block, T) / T
        ax.hlines(edges, 0, 1, color="#9a9a9a", lw=0.7)
        ax.vlines(edges, 0, 1, color="#9a9a9a", lw=0.7)
    cell_ticks(ax, [0, 1], ["1", "T"])
    ax.set(title=f"T = {T}: {tiling.tiles} of {n * n} tiles", xlabel="keys", ylabel="queries")
    for kind, y in zip(KINDS, (0.05, 0.17, 0.29), strict=True):
        ax.text(1.06, y, "     ", bbox={"facecolor": BLUES(kind), "edgecolor": "#9a9a9a"}, va="center", fontsize=9)
        ax.text(1.2, y, KINDS[kind], va="center", fontsize=12)

    values = {"all scores": T * T, "computed": tiling.computed, "needed": tiling.needed, "held at once": tiling.held}
    for place, (value, colour) in enumerate(zip(values.values(), ("C6", "C0", "C2", "C1"), strict=True)):
        bars.hlines(place, 0, value / T**2, color=colour, lw=20)
        bars.text(value / T**2 + 0.03, place, f"{value}", va="center")
    bars.set_xticks([0, 0.5, 1], ["0", "half", "all"])
    bars.grid(axis="y", visible=False)
    bars.set_yticks(range(4), values)
    bars.set(title="scores", xlabel="share of all scores", xlim=(0, 1.5), ylim=(3.6, -0.6))
    kind = "causal" if tiling.causal else "not causal"
    cut, skipped = (np.sum(tiling.kinds == each) for each in (CUT, SKIPPED))
    return (
        f"Left, a square map of the scores of {T} queries against {T} keys, {kind}, in "
        f"tiles of {tiling.block} by {tiling.block}: {tiling.tiles} of {n * n} are computed, {cut} of "
        f"them partly hidden, {skipped} skipped. Right, bars: {T * T} scores in all, {tiling.computed} "
        f"computed, {tiling.needed} needed, {tiling.held} held at once."
    )
