"""The truths behind the predictions of notebook 10."""

from ...experiments.cures import Followed
from ...figures.beyond import match_among
from ..questions import Truth


def both_runs(calm: Followed, reckless: Followed) -> Truth:
    """How sharp the weights of the run that works have become."""
    return Truth(
        "nearly 0",
        f"It ends at {calm.last('entropy'):.3f}: one key takes everything, as in the run that failed, and "
        f"{100 * calm.accuracy.mean():.0f} % of its answers are right. A collapsed head isn't a broken head.",
    )


def survivors(shares: dict[str, float]) -> Truth:
    """Which of the cures still learn at the reckless rate: rule -> right answers."""
    told = ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares.items())
    return Truth("learned and QK-norm", f"Right answers: {told}.")


def after_the_norm(shares: dict[str, float]) -> Truth:
    """What the factor after QK-norm changes at a calm rate: factor -> right answers."""
    told = ", ".join(f"{name}: {100 * share:.0f} %" for name, share in shares.items())
    return Truth(
        "none of them", f"All three learn the task at the rate 0.003. {told}. The gains make up the difference."
    )


def agreeing_products(sizes: list[float]) -> Truth:
    """How the dot product of aligned vectors grows with their width."""
    return Truth(sizes, f"Like the width itself: from {sizes[0]:.0f} to {sizes[-1]:.0f} for a correlation of one half.")


def in_a_crowd(shares: dict[int, float]) -> Truth:
    """The weight of a matching key among more and more others."""
    first, last = min(shares), max(shares)
    return Truth(
        list(shares.values()),
        f"From {100 * shares[first]:.0f} % among {first} keys to {100 * shares[last]:.0f} % among {last:,}. No score "
        "has changed: each newcomer takes a little.",
        match_among.drawn(shares),
    )
