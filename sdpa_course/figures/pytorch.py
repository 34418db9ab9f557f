"""Figure of appendix A1: one training run in NumPy and in PyTorch, and how far the two drift apart."""

import math

import numpy as np

from .drawing import styled
from .rules import RULES

EVERY = 25  # a marker every so many steps
LAST = 50  # the loss "at the end" is the mean over so many steps
LEAST = 1e-17  # a difference of exactly 0 has no place on a log axis
TINY, VISIBLE = 1e-12, 0.01


@styled
def runs_and_drift(axes, ours, theirs, nudged) -> str:
    """Loss by step on the left; on the right, the largest difference so far between two runs that should be equal.

    Parameters
    ----------
    axes : two matplotlib axes
    ours, theirs, nudged : dict of scale -> (steps,) array of losses
        NumPy, PyTorch, and NumPy with one weight moved by its last bit. `theirs` is empty without PyTorch.
    """
    left, right = axes
    words = []
    for scale, losses in ours.items():
        rule = RULES[scale]
        name, look = rule.label, {"color": rule.colour, "ls": rule.dash}
        steps = np.arange(len(losses))
        left.plot(steps, losses, lw=1.4, label=f"{name}, NumPy", **look)
        text = f"{rule.words}: the NumPy loss goes from {losses[0]:.1f} to {halves(losses)}"
        if scale in theirs:
            left.plot(
                steps[::EVERY], theirs[scale][::EVERY], rule.marker, color="black", mfc="none", label=f"{name}, PyTorch"
            )
            gap = drift(losses, theirs[scale])
            right.semilogy(steps, gap, label=f"{name}: PyTorch", **look)
            text += f", PyTorch's to {halves(theirs[scale])}"
            text += f"; their difference starts {size(gap[0])}, ends {size(gap[-1])}"
        gap = drift(losses, nudged[scale])
        right.semilogy(steps, gap, color="black", ls=rule.dash, lw=1.2, label=f"{name}: last bit")
        words.append(f"{text}; with the last bit of one weight changed the difference ends {size(gap[-1])}")
    left.set(xlabel="step", ylabel="loss of the batch", title="The same run, twice", ylim=(-0.1, 3.3))
    right.set(xlabel="step", ylabel="largest difference so far", title="How far apart?", ylim=(LEAST, 10))
    right.set_yticks([1e-16, 1e-12, 1e-8, 1e-4, 1])
    for ax in axes:
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, columnspacing=1.2, handlelength=2.4)
    return (
        f"Two charts over {len(steps)} training steps. Left, the loss, NumPy as lines and PyTorch as markers; right, "
        f"the largest difference so far between two runs, on a logarithmic axis. {'. '.join(words)}."
    )


def drift(losses, others) -> np.ndarray:
    """Largest |difference| up to each step."""
    return np.maximum(np.maximum.accumulate(np.abs(np.asarray(losses) - others)), LEAST)


def halves(losses) -> str:
    """The mean at the end, to the half: what may not depend on the machine that computed it."""
    end = 2 * float(np.mean(losses[-LAST:]))
    return f"between {math.floor(end) / 2} and {math.floor(end) / 2 + 0.5}"


def size(difference: float) -> str:
    """A difference in words, coarse for the same reason."""
    if difference < TINY:
        return "below 1e-12"
    return "above 0.01" if difference > VISIBLE else "between 1e-12 and 0.01"
