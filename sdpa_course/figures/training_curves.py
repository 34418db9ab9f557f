"""The figure behind the slider of notebook 09: the weights at one step, and the curves of their run."""

from matplotlib.colors import PowerNorm

from ..experiments.training import Snapshot
from .axes import cell_ticks
from .drawing import styled
from .rules import RULES


@styled
def weights_at_step(axes, result: Snapshot) -> str:
    """The weights of one sequence at one recorded step beside the curves of its run."""
    history, weights, d_k, step = result.history, result.weights, result.setting.d_k, result.step
    rule, n = RULES[result.setting.scale], len(result.weights)
    # The square root of a weight as brightness: 1/64 can be told from 0.
    axes[0].imshow(weights, norm=PowerNorm(0.5, vmin=0, vmax=1), aspect="auto", interpolation="nearest")
    axes[0].set(title=f"weights at step {step}", xlabel="key", ylabel="query")
    cell_ticks(axes[0], [0, n // 2, n - 1])
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
