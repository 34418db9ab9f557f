"""Figures of notebook 09: every seed of the ablation, learning rates, first gradients, alternatives, after training.

Small open marks are runs, one for each seed. A filled mark is their mean, with the bootstrap 95 % interval.
"""

import numpy as np

from .drawing import styled
from .rules import RULES, Rule

# (init, scale) -> how a line is drawn
STARTS = {
    ("unit", "1"): RULES["1"]._replace(dash="-"),
    ("unit", "1/sqrt(d_k)"): RULES["1/sqrt(d_k)"],
    ("folded", "1"): Rule("folded", "no scale with small W", "no scale, $W$ small", "C2", "^", "--"),
    ("hot", "1/sqrt(d_k)"): Rule("hot", "1/√d_k with large W", r"$1/\sqrt{d_k}$, $W$ large", "C3", "D", "--"),
}
# field of a record -> how it is called in plain text
AFTER = {"dot_variance": "Var(q·k)/d_k", "alignment": "cosine", "max_logit": "largest score"}
LIMITS = (-0.04, 1.06)  # of an accuracy


@styled
def seeds_by_width(axes, groups, chance) -> str:
    """Final accuracy of every seed against d_k, one chart for each group, scales side by side.

    Parameters
    ----------
    axes : as many matplotlib axes as groups, sharing their y axis
    groups : dict of title -> list of experiments.ablation.Cell
    chance : float, or one for each group
        Accuracy of a guess: a dotted line.
    """
    words, guesses = [], np.broadcast_to(chance, len(groups))
    for ax, (title, cells), guess in zip(axes, groups.items(), guesses, strict=True):
        widths = sorted({cell.setting.d_k for cell in cells})
        scales = list(dict.fromkeys(cell.setting.scale for cell in cells))
        for cell in cells:
            beside = (scales.index(cell.setting.scale) - (len(scales) - 1) / 2) * 0.8 / len(scales)
            strip(ax, widths.index(cell.setting.d_k) + beside, cell, RULES[cell.setting.scale], 0.09)
        ax.axhline(guess, color="black", linestyle=":", label="chance")
        ax.set(title=title, xlabel="$d_k$", ylim=LIMITS, xlim=(-0.5, len(widths) - 0.5))
        ax.set_xticks(range(len(widths)), map(str, widths))
        words.append(
            f"{title.replace('$', '')}: {'; '.join(means(cells, lambda s: f'd_k = {s.d_k}, {RULES[s.scale].text}'))}"
        )
    axes[0].set_ylabel("accuracy")
    legend_below(axes)
    return (
        f"Charts of the final accuracy against d_k, one mark for each seed, with means and intervals; chance is "
        f"{', '.join(f'{guess:.2f}' for guess in dict.fromkeys(guesses))}. Mean accuracies, {'. '.join(words)}."
    )


@styled
def accuracy_by_rate(axes, groups, chance: float) -> str:
    """Final accuracy against the learning rate, one chart for each group, one line for each initialisation and scale.

    Parameters
    ----------
    axes : as many matplotlib axes as groups
    groups : dict of title -> list of experiments.ablation.Cell
    chance : float
    """
    words = []
    for ax, (title, cells) in zip(np.ravel(axes), groups.items(), strict=True):
        best = []
        for start, line in by(cells, lambda s: (s.init, s.scale)).items():
            rule = STARTS[start]
            rates = [cell.setting.learning_rate for cell in line]
            for cell, rate in zip(line, rates, strict=True):
                ax.plot([rate] * len(cell.runs), cell.values("accuracy"), rule.marker, **small(rule.colour))
            middle = [cell.values("accuracy").mean() for cell in line]
            ax.plot(rates, middle, color=rule.colour, marker=rule.marker, linestyle=rule.dash, label=rule.label)
            best.append(f"{rule.text} {max(middle):.2f} at {rates[int(np.argmax(middle))]:g}")
        ax.axhline(chance, color="black", linestyle=":", label="chance")
        ax.set(title=title, xscale="log", ylim=LIMITS)
        ax.set_xticks(rates, [f"{rate:g}" for rate in rates])
        ax.minorticks_off()
        words.append(f"{title.replace('$', '')}: {', '.join(best)}")
    grid = np.atleast_2d(axes)
    for ax in grid[-1]:
        ax.set_xlabel("learning rate")
    for ax in grid[:, 0]:
        ax.set_ylabel("accuracy")
    legend_below(np.ravel(axes))
    return (
        f"Line charts of the final accuracy against the learning rate, one mark for each seed. Best mean and its "
        f"learning rate, {'; '.join(words)}."
    )


@styled
def gradient_and_accuracy(ax, cells, chance: float) -> str:
    """Each run's row gradient before training against its accuracy after it.

    Parameters
    ----------
    ax : matplotlib axes
    cells : list of experiments.ablation.Cell
    chance : float
    """
    words = []
    for scale, group in by(cells, lambda s: s.scale).items():
        rule = RULES[scale]
        for i, cell in enumerate(group):
            x, y = cell.values("rms_row", 0), cell.values("accuracy")
            label = None if i else rule.label
            ax.plot(x, y, rule.marker, color=rule.colour, ms=8, alpha=0.7, mec="white", label=label)
            words.append(f"{rule.text}, d_k = {cell.setting.d_k}: gradient {x.mean():.2f}, accuracy {y.mean():.2f}")
            if scale == "1":
                ax.annotate(f"$d_k$ = {cell.setting.d_k}", (x.mean(), 1.06), ha="center", fontsize=12)
    ax.axhline(chance, color="black", linestyle=":", label="chance")
    ax.set(xscale="log", xlabel="rms length of a row of $dQ$ before the first step", ylabel="accuracy at the end")
    ax.set_xticks([0.2, 0.5, 1, 2, 5], ["0.2", "0.5", "1", "2", "5"])
    ax.set(ylim=(-0.04, 1.15), xlim=(0.17, 6))
    ax.minorticks_off()
    ax.legend(loc="lower left", bbox_to_anchor=(0.1, 0.12))
    return f"Scatter chart of the first gradient against the final accuracy, a mark for each run. {'; '.join(words)}."


@styled
def seeds_by_scale(axes, groups) -> str:
    """Final accuracy of every seed, one line for each scale, one chart for each group.

    Parameters
    ----------
    axes : as many matplotlib axes as groups, sharing their y axis
    groups : dict of title -> list of experiments.ablation.Cell
    """
    words = []
    scales = list(dict.fromkeys(cell.setting.scale for cells in groups.values() for cell in cells))
    for ax, (title, cells) in zip(axes, groups.items(), strict=True):
        for cell in cells:
            strip(ax, scales.index(cell.setting.scale), cell, RULES[cell.setting.scale], 0.25, upright=False)
        ax.set(title=title, xlabel="accuracy", xlim=LIMITS)
        words.append(f"{title.replace('$', '')}: {'; '.join(means(cells, lambda s: RULES[s.scale].text))}")
    axes[0].set_yticks(range(len(scales)), [RULES[scale].label for scale in scales])
    axes[0].set_ylim(len(scales) - 0.5, -0.5)
    return f"Charts of the final accuracy for {len(scales)} scales. Mean accuracies, {'. '.join(words)}."


@styled
def after_training(axes, cells) -> str:
    """Var(q·k)/d_k, alignment and largest score at the end against d_k; colour says scale, line says optimiser.

    Parameters
    ----------
    axes : three matplotlib axes
    cells : list of experiments.ablation.Cell
    """
    words = []
    for (optimiser, scale), line in by(cells, lambda s: (s.optimiser, s.scale)).items():
        rule = RULES[scale]
        widths = [cell.setting.d_k for cell in line]
        style, fill = ("-", rule.colour) if optimiser == "Adam" else ("--", "white")
        looks = {"color": rule.colour, "marker": rule.marker, "ls": style, "mfc": fill}
        for ax, (field, said) in zip(axes, AFTER.items(), strict=True):
            middle = [cell.values(field).mean() for cell in line]
            ax.plot(widths, middle, label=f"{rule.label}, {optimiser}", **looks)
            for cell in line:
                ax.plot([cell.setting.d_k] * len(cell.runs), cell.values(field), rule.marker, **small(rule.colour))
            words.append(f"{rule.text} with {optimiser}, {said} {middle[0]:.2f} to {middle[-1]:.2f}")
    for ax in axes:
        ax.set(xscale="log", xlabel="$d_k$")
        ax.set_xticks(widths, map(str, widths))
        ax.minorticks_off()
    axes[0].axhline(1, color="black", linestyle=":", label="at the start")
    axes[0].set(title=r"$\mathrm{Var}(q \cdot k) \,/\, d_k$", yscale="log")
    axes[1].axhline(0, color="black", linestyle=":")
    axes[1].set(title=r"cos($q$, matching $k$)", ylim=(-0.05, 1.05))
    axes[2].set(title="largest |score|", yscale="log")
    axes[2].set_yticks([4, 8, 16, 32], ["4", "8", "16", "32"])
    axes[2].minorticks_off()
    legend_below(axes, 3)
    return (
        f"Three line charts against d_k from {widths[0]} to {widths[-1]}, after training. From the first to the last "
        f"d_k: {'; '.join(words)}."
    )


def strip(ax, at: float, cell, rule: Rule, width: float, *, upright: bool = True) -> None:
    """The runs of one cell side by side around `at`, their mean and its interval."""
    values, (low, high) = cell.values("accuracy"), cell.interval("accuracy")
    mean = values.mean()
    places = at + np.linspace(-width, width, len(values))
    spread = np.clip([[mean - low], [high - mean]], 0, None)
    label = None if rule.label in ax.get_legend_handles_labels()[1] else rule.label
    looks = {
        "color": rule.colour,
        "marker": rule.marker,
        "ms": 9,
        "mec": "white",
        "capsize": 5,
        "zorder": 4,
        "label": label,
    }
    if upright:
        ax.plot(places, values, rule.marker, **small(rule.colour))
        ax.errorbar([at], [mean], yerr=spread, ls="none", **looks)
    else:
        ax.plot(values, places, rule.marker, **small(rule.colour))
        ax.errorbar([mean], [at], xerr=spread, ls="none", **looks)


def small(colour: str) -> dict:
    """How a single run is drawn."""
    return {"ms": 4.5, "mfc": "none", "mec": colour, "alpha": 0.75}


def by(cells, key) -> dict:
    """Cells grouped by something of their setting, in the order they come."""
    groups = {}
    for cell in cells:
        groups.setdefault(key(cell.setting), []).append(cell)
    return groups


def means(cells, name) -> list[str]:
    """The mean accuracy of each cell, in words."""
    return [f"{name(cell.setting)} {cell.values('accuracy').mean():.2f}" for cell in cells]


def legend_below(axes, columns: int = 5) -> None:
    """One legend for all axes, with every label once."""
    found = {}
    for ax in axes:
        found |= {label: handle for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    axes[0].figure.legend(found.values(), found, loc="outside lower center", ncols=columns)
