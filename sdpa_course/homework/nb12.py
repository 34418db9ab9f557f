"""The exercise inside notebook 12: how far a score has to lead."""

import numpy as np

from .tasks import Mistake, Task


def sizes(rng) -> list[dict]:
    """Numbers of keys, and the shares of the weight that are wanted."""
    return [{"n": n, "share": rng.uniform(0.3, 0.98, wanted)} for n, wanted in ((2, 3), (64, 4), (500, 5))]


TASKS = (
    Task(
        "nb12.lead",
        points=0,
        asks="for each share, how far one score has to be ahead of n − 1 equal ones to get it",
        read='notebook 03, section "How many keys share the weight?"',
        cases=sizes,
        right=lambda n, share: np.log(share * (n - 1) / (1 - share)),
        mistakes=(
            Mistake(
                "one rival",
                lambda n, share: np.log(share / (1 - share)),
                "That's the lead over a single rival. The others take weight as well, all n − 1 of them.",
            ),
            Mistake(
                "counts itself",
                lambda n, share: np.log(share * n / (1 - share)),
                "You've counted n rivals. The leader is one of the n keys itself.",
            ),
            Mistake(
                "ratio",
                lambda n, share: share * (n - 1) / (1 - share),
                "That's how many times the weight of one rival the leader has. How far ahead is a score whose "
                "e-power is "
                "that many times as large?",
            ),
            Mistake(
                "upside down",
                lambda n, share: np.log((1 - share) / (share * (n - 1))),
                "That's how far a rival is ahead of the leader.",
            ),
        ),
    ),
)
