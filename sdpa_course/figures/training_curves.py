"""Figures of notebook 09: curves over the steps, the weights at one step, rows at the end, small training sets."""

import numpy as np
from matplotlib.colors import PowerNorm

from .drawing import styled
from .rules import RULES
from .training import LIMITS, by, legend_below, small

STUCK_EDGES = np.arange(-20, 1)  # powers of ten of ‖J‖_F; what is below goes into the first bin


@styled
def curves(axes, groups) -> str:
    """Accuracy (above) and entropy (below) of every stored run against the step, one column for each group.

    Parameters
    ----------
    axes : (2, len(groups)) matplotlib axes
    groups : dict of title -> list of experiments.ablation.Cell
    """
    words = []
    for column, (title, cells) in zip(np.transpose(axes), groups.items(), strict=True):
        for scale, same in by(cells, lambda s: s.scale).items():
            rule = RULES[scale]
            runs = [run.result for cell in same for run in cell.runs]
            steps = np.linspace(0, same[0].setting.steps, len(runs[0]["entropy_curve"]))
            for ax, field in zip(column, ("accuracy_curve", "entropy_curve"), strict=True):
                for i, run in enumerate(runs):
                    label = None if i else rule.label
                    ax.plot(steps, run[field], rule.dash, color=rule.colour, lw=1.1, alpha=0.75, label=label)
            start, end = (np.mean([run["entropy_curve"][at] for run in runs]) for at in (0, -1))
            right = np.mean([run["accuracy_curve"][-1] for run in runs])
            words.append(
                f"{title.replace('$', '')}, {rule.text}: entropy {start:.2f} to {end:.2f}, accuracy at the end "
                f"{right:.2f}"
            )
        column[0].set(title=title, ylim=(-0.03, 1.05))
        column[1].set(xlabel="step", ylim=(-0.03, 1.05))
    axes[0][0].set_ylabel("accuracy")
    axes[1][0].set_ylabel("entropy ÷ log n")
    legend_below([axes[0][0]])
    return f"Curves of every run over the training steps. Means, {'; '.join(words)}."


@styled
def train_and_held_out(axes, cells, chance: float) -> str:
    """Accuracy on the training set (open, dashed) and on fresh sequences against the size of the training set.

    Parameters
    ----------
    axes : one matplotlib axes for each d_k, sharing their y axis
    cells : list of experiments.ablation.Cell
    chance : float
    """
    words = []
    for ax, (d_k, group) in zip(axes, by(cells, lambda s: s.d_k).items(), strict=True):
        for scale, line in by(group, lambda s: s.scale).items():
            rule = RULES[scale]
            places = range(len(line))
            for field, style, fill, what in (
                ("train_accuracy", "--", "white", "training set"),
                ("accuracy", "-", rule.colour, "fresh"),
            ):
                middle = [cell.values(field).mean() for cell in line]
                looks = {"color": rule.colour, "marker": rule.marker, "ls": style, "mfc": fill}
                ax.plot(places, middle, label=f"{rule.label}, {what}", **looks)
                words.append(f"d_k = {d_k}, {rule.text}, {what} {', '.join(f'{m:.2f}' for m in middle)}")
            for place, cell in zip(places, line, strict=True):
                ax.plot([place] * len(cell.runs), cell.values("accuracy"), rule.marker, **small(rule.colour))
        ax.axhline(chance, color="black", linestyle=":", label="chance")
        ax.set(title=f"$d_k$ = {d_k}", xlabel="sequences in the training set", ylim=LIMITS)
        ax.set_xticks(places, [str(cell.setting.examples) for cell in line])
    axes[0].set_ylabel("accuracy")
    legend_below(axes, 3)
    return f"Line charts of accuracy against the size of the training set. {'; '.join(words)}."


@styled
def rows_at_the_end(axes, by_key, jacobians) -> str:
    """How often each key is answered rightly (left), and the size of the softmax Jacobian of rows (right).

    Parameters
    ----------
    axes : two matplotlib axes
    by_key : dict of scale -> (keys,) array
        Share of right answers for each key.
    jacobians : dict of label -> (rows,) array
        ‖J‖_F of groups of rows.
    """
    words = []
    for scale, shares in by_key.items():
        rule = RULES[scale]
        counts, edges = np.histogram(shares, np.linspace(0, 1, 11))
        axes[0].stairs(counts, edges, color=rule.colour, ls=rule.dash, lw=2.4, label=rule.label)
        words.append(f"{rule.text}: {counts[0]} keys below a tenth, {counts[-1]} above nine tenths")
    axes[0].set(title="keys", xlabel="share of right answers", ylabel="number of keys")
    axes[0].legend(loc="upper center")
    for (label, norms), colour, style in zip(jacobians.items(), ("C1", "C6", "C0"), ("--", "-.", "-"), strict=False):
        places = np.log10(np.maximum(norms, 10.0 ** STUCK_EDGES[0]))
        counts, _ = np.histogram(places, STUCK_EDGES)
        axes[1].stairs(counts / len(norms), STUCK_EDGES, color=colour, ls=style, lw=2.2, label=label)
        words.append(f"{label}: {np.mean(norms < 1e-6):.0%} of the rows below 1e-6")
    axes[1].axvline(-6, ymax=0.62, color="black", lw=1, ls=":")
    axes[1].text(-6.3, 0.6, "← stuck", ha="right", fontsize=12)
    axes[1].set(title="rows", xlabel=r"$\|J\|_F$ of the row's softmax", ylabel="share of rows", ylim=(0, 1.05))
    axes[1].set_xticks([-19.5, -15, -10, -5, 0], ["smaller", "1e−15", "1e−10", "1e−5", "1"])
    axes[1].legend(loc="upper center")
    return (
        f"Two charts of outlines. Left, keys by their share of right answers; right, rows by their Jacobian, a thin "
        f"line at 1e-6. {'; '.join(words)}."
    )


@styled
def weights_at_step(axes, result) -> str:
    """The weights of one sequence at one recorded step beside the curves of its run.

    Parameters
    ----------
    axes : two matplotlib axes
    result : experiments.training.Snapshot
    """
    history, weights, d_k, step = result.history, result.weights, result.setting.d_k, result.step
    rule, n = RULES[result.setting.scale], len(result.weights)
    # The square root of a weight as brightness: 1/64 can be told from 0.
    axes[0].imshow(weights, norm=PowerNorm(0.5, vmin=0, vmax=1), aspect="auto", interpolation="nearest")
    axes[0].grid(False)
    axes[0].set(title=f"weights at step {step}", xlabel="key", ylabel="query")
    axes[0].set_xticks([0, n // 2, n - 1])
    axes[0].set_yticks([0, n // 2, n - 1])
    axes[1].plot(history.step, history.accuracy, color=rule.colour, label="accuracy")
    axes[1].plot(history.step, history.entropy, color="C6", ls="--", label="entropy ÷ log n")
    axes[1].axvline(step, ymax=1.05 / 1.23, color="C3", lw=1.6)  # ends below the legend
    for value, fill in ((result.now.accuracy, rule.colour), (result.now.entropy, "C6")):
        axes[1].plot(step, value, "o", color=fill, ms=9, mec="white")
    axes[1].set(title=f"$d_k$ = {d_k}, {rule.title}", xlabel="step", xlim=(-10, history.step[-1] + 10))
    axes[1].set(ylim=(-0.03, 1.2), yticks=[0, 0.2, 0.4, 0.6, 0.8, 1])
    axes[1].legend(loc="upper center", ncols=2)
    return (
        f"Left, a map of the weights of {n} queries over {n} keys at step {step}, d_k = {d_k}, {rule.text}: mean "
        f"weight {result.mirrored:.2f} on the anti-diagonal. Right, curves of accuracy and entropy over the steps; "
        f"at this step they are {result.now.accuracy:.2f} and {result.now.entropy:.2f}."
    )
