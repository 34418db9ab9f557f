"""The truths behind the predictions of notebook 11, about a trained model."""

import numpy as np

from ...figures.kit.matrices import percent
from ..questions import Truth


def when_it_says_so(layers: list) -> Truth:
    """After which layer the final answer first is the likeliest: `layers` has (word, share) rows, best first."""
    word, share = layers[-1][0]
    first = next(i for i, row in enumerate(layers) if row[0][0] == word)
    before, part = layers[-2][0]
    choice = "only after the last" if first == len(layers) - 1 else f"after {first}"
    words = f"After layer {len(layers) - 2} it would still say “{before.strip()}”, with {percent(part)}. "
    return Truth(choice, words + f"The last layer makes it “{word.strip()}”, with {percent(share)}.")


def within_a_row(variance) -> Truth:
    """The median over heads of the variance within a row."""
    values = np.ravel(variance)
    low, median, high = values.min(), np.median(values), values.max()
    return Truth(
        round(float(median), 1),
        f"Half of the heads are above {median:.1f}. The smallest has {low:.1f}, the largest {high:.0f}.",
    )


def told_apart(splits) -> Truth:
    """Whether the split by meaning, the first one, beats the other ways to split the adjectives."""
    real, *others = splits
    better = sum(value > real for value in others)
    return Truth(
        "no, other splits do better" if better else "yes, better than any other",
        f"Between the sides of the split by meaning, the best head's lean differs by {real:.2f}. The most that any of "
        f"the other {len(others)} gets is {max(others):.2f}.",
    )


def losses(rows: dict) -> Truth:
    """The loss at each factor: m -> loss."""
    least = min(rows, key=rows.get)
    words = f"It's lowest at m = {least:g}, with {rows[least]:.2f}, and rises on both sides."
    return Truth(list(rows.values()), words)


def worst_rule(change: dict) -> Truth:
    """Which of some rules costs most: name -> change of the loss."""
    worst = max(change, key=change.get)
    costs = {name: f"{value:+.2f}".replace("-0.00", "0.00") for name, value in change.items()}
    return Truth(worst, "In nats a token: " + ", ".join(f"{name} {cost}" for name, cost in costs.items()) + ".")


def hidden_first(change: float) -> Truth:
    """What it costs to hide the first token, in nats a token."""
    choice = "less than 0.3" if change < 0.3 else "0.3 to 1" if change < 1 else "more than 1"
    return Truth(choice, f"The loss on prose rises by {change:.2f}.")
