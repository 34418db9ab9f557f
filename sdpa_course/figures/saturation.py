"""How sharp are the weights? Softmax bars, the sweep over d_k, the number of keys, distributions. For notebook 03."""

import numpy as np

from .drawing import styled

# scale -> (label, colour, marker): never told apart by colour alone.
LOOKS = {
    "1": ("no scale", "C1", "o"),
    "1/sqrt(d_k)": (r"$1/\sqrt{d_k}$", "C0", "s"),
    "1/d_k": (r"$1/d_k$", "C2", "^"),
}
# For the slider: √ as a letter keeps all titles at one height.
TITLES = {"1": "no scale", "1/sqrt(d_k)": "scale 1/√$d_k$", "1/d_k": "scale 1/$d_k$"}
BINS = np.linspace(0, 1, 26)  # of a top weight


@styled
def softmax_bars(axes, scores, weights, temperature: float) -> str:
    """Scores as bars on the left, their softmax at one temperature on the right.

    Parameters
    ----------
    axes : two matplotlib axes
    scores, weights : (n,) arrays
    """
    n = len(scores)
    places = np.arange(1, n + 1)
    axes[0].bar(places, scores, color="C5")
    axes[0].axhline(0, color="black", linewidth=1)
    axes[0].set(title="scores", xlabel="key", ylabel="score", xticks=places, yticks=range(-8, 9, 4))
    axes[0].set_ylim(-9, 9)
    axes[1].bar(places, weights, color="C0")
    axes[1].axhline(1 / n, color="black", linestyle=":", label=f"uniform, 1/{n}")
    axes[1].set(
        title=f"softmax(scores ÷ {temperature:g})", xlabel="key", ylabel="weight", xticks=places, ylim=(0, 1.05)
    )
    axes[1].legend(loc="upper right")
    return (
        f"Two bar charts over {n} keys. Left, scores from {np.max(scores):.1f} down to {np.min(scores):.1f}. Right, "
        f"their softmax at temperature {temperature:g}: the largest weight is {np.max(weights):.3f}, the smallest "
        f"{np.min(weights):.3f}; a dotted line marks the uniform weight {1 / n:.3f}."
    )


@styled
def sharpness_by_width(axes, results, theory) -> str:
    """Mean top weight and mean entropy against d_k for several scales, with the spread between seeds.

    Parameters
    ----------
    axes : two matplotlib axes
    results : sequence of Saturation
        All with the same number of keys.
    theory : dict of scale -> (widths, entropies)
        Dashed lines for the right side.
    """
    seen = []
    for scale, rows in by_scale(results).items():
        label, colour, marker = LOOKS[scale]
        widths = [row.d_k for row in rows]
        for ax, name in zip(axes, ("top", "entropy"), strict=True):
            values, spread = ([getattr(row, field) for row in rows] for field in (name, f"{name}_spread"))
            ax.errorbar(widths, values, yerr=spread, color=colour, marker=marker, capsize=5, label=label)
        low, high = rows[0], rows[-1]
        seen.append(
            f"{scale}: top weight from {low.top:.2f} to {high.top:.2f}, entropy from {low.entropy:.2f} to "
            f"{high.entropy:.2f}"
        )
    for i, (widths, entropies) in enumerate(theory.values()):
        axes[1].plot(widths, entropies, "k--", linewidth=1.6, zorder=5, label=None if i else "theory")
    n = results[0].n
    axes[0].axhline(1 / n, color="black", linestyle=":", label=f"uniform, 1/{n}")
    axes[0].set(title="mean top weight", ylim=(0, 1.03))
    axes[1].set(title="mean entropy ÷ log n", ylim=(0, 1.03))
    for ax in axes:
        ax.set_xscale("log", base=2)
        ax.set(xlabel="$d_k$", xticks=[row.d_k for row in rows], xticklabels=[str(row.d_k) for row in rows])
        ax.legend(loc="center right", bbox_to_anchor=(1.0, 0.48))
    return (
        f"Two line charts against d_k from {low.d_k} to {high.d_k}, with {n} keys: mean top weight on the left, "
        f"relative entropy on the right, with dashed lines for the theory. From the first to the last d_k, scale "
        f"{'; scale '.join(seen)}."
    )


@styled
def sharpness_by_keys(axes, results, share: float) -> str:
    """Mean top weight and effective number of keys against the number of keys n, at one d_k and scale.

    Parameters
    ----------
    axes : two matplotlib axes
    results : sequence of Saturation
    share : float
        Effective number of keys ÷ n in theory: a dashed line on the right.
    """
    n = np.array([row.n for row in results])
    effective = n ** np.array([row.entropy for row in results])  # exp(H), for H = entropy · log n
    axes[0].plot(n, [row.top for row in results], color="C0", marker="s", label="mean top weight")
    axes[0].plot(n, 1 / n, "k:", label="uniform, 1/n")
    axes[1].plot(n, effective, color="C0", marker="s", linestyle="none", label="exp(entropy)")
    axes[1].plot(n, share * n, "k--", linewidth=1.6, label=f"theory, {share:.3f} n")
    axes[1].plot(n, n, "k:", label="all n keys")
    axes[0].set(title="mean top weight", ylim=(1e-4, 1))
    axes[1].set(title="effective number of keys", ylim=(1, 1e4))
    for ax in axes:
        ax.set(xscale="log", yscale="log", xlabel="number of keys n")
        ax.set_xticks(n, [str(m) for m in n])
        ax.minorticks_off()
        ax.legend()
    return (
        f"Two line charts against the number of keys from {n[0]} to {n[-1]}, both axes logarithmic. Left, the mean top "
        f"weight falls from {results[0].top:.3f} to {results[-1].top:.4f}. Right, the effective number of keys rises "
        f"from {effective[0]:.1f} to {effective[-1]:.0f}, approaching a dashed line at {share:.3f} of all keys."
    )


@styled
def top_weights(ax, tops: dict) -> str:
    """How the largest weight of a row is distributed: one outline for each setting.

    Parameters
    ----------
    ax : matplotlib axes
    tops : dict of label -> (rows,) array
    """
    means = []
    styles = zip(("C0", "C1", "C2"), ("-", "--", "-."), strict=True)
    for (label, top), (colour, line) in zip(tops.items(), styles, strict=False):
        ax.stairs(shares(top), BINS, color=colour, linestyle=line, linewidth=2.4, label=label)
        means.append(f"{label}: mean {np.mean(top):.2f}")
    ax.set(xlabel="top weight of a row", ylabel="share of rows", xlim=(0, 1.01))  # the last edge is at 1
    ax.legend()
    return (
        f"Outlines of the distribution of the top weight of a row between 0 and 1, for {len(tops)} settings. "
        f"{'; '.join(means)}."
    )


@styled
def sharpness(axes, weights, scale: str, d_k: int) -> str:
    """One setting: mean weight by rank on the left, the distribution of the top weight on the right.

    Parameters
    ----------
    axes : two matplotlib axes
    weights : (rows, n) array
    """
    _, colour, _ = LOOKS[scale]
    n = weights.shape[-1]
    ranked = -np.sort(-weights, axis=-1)  # (rows, n), largest first
    mean, top = ranked.mean(axis=0), ranked[:, 0]
    if axes[0].get_xscale() != "log":  # setting it anew makes all ticks anew, slowly
        axes[0].set(xscale="log", yscale="log")
        # Plain labels: a slider cannot wait for typeset powers of ten.
        axes[0].set_xticks([1, 8, 64, 512], ["1", "8", "64", "512"])
        axes[0].set_yticks([1e-5, 1e-4, 1e-3, 0.01, 0.1, 1], ["0.00001", "0.0001", "0.001", "0.01", "0.1", "1"])
        axes[0].minorticks_off()
    axes[0].plot(np.arange(1, n + 1), np.maximum(mean, 1e-9), color=colour)
    axes[0].axhline(1 / n, color="black", linestyle=":", label=f"uniform, 1/{n}")
    axes[0].set(title=f"mean weight, {TITLES[scale]}", xlabel="rank of the key (log scale, up to 512)")
    axes[0].set(ylabel="weight (log scale)", xlim=(0.9, 600), ylim=(1e-5, 3))  # the slider goes to 512 keys
    axes[0].legend(loc="upper right")
    axes[1].stairs(shares(top), BINS, color=colour, fill=True, alpha=0.6)
    axes[1].axvline(top.mean(), color="black", linestyle="--", label="mean")
    axes[1].set(title="top weight of a row", xlabel="top weight", ylabel="share of rows", xlim=(0, 1), ylim=(0, 1.03))
    axes[1].legend(loc="upper center")
    return (
        f"Left, a line: the mean weight of {n} keys in order of rank at d_k = {d_k} and scale {scale} falls from "
        f"{mean[0]:.3f} to {mean[-1]:.1e}, beside the uniform weight {1 / n:.4f}. Right, a histogram of the top weight "
        f"of {len(top)} rows, from {top.min():.2f} to {top.max():.2f}."
    )


def shares(top) -> np.ndarray:
    """Share of rows in each bin."""
    return np.histogram(top, BINS)[0] / len(top)


def by_scale(results) -> dict:
    """Results grouped by the name of their scale, in the order they come."""
    groups = {}
    for row in results:
        groups.setdefault(row.scale, []).append(row)
    return groups
