"""The exercise inside notebook 04: the blame on the scores at a model's exit, where the loss has a logarithm."""

import numpy as np

from ..kernels.softmax import softmax_forward
from .tasks import Mistake, Task


def scores_and_target(rng) -> list[dict]:
    """A row of scores and the number of the right word, once the likeliest and once not."""
    cases = []
    for n, t in ((4, 2), (6, 1)):
        cases.append({"scores": rng.normal(0, 1.5, n), "t": t})
    return cases


def one_hot(scores, t):
    """1 at the right word, 0 elsewhere."""
    return np.eye(len(scores))[t]


def right(scores, t):
    """p − onehot."""
    return softmax_forward(scores) - one_hot(scores, t)


TASKS = (
    Task(
        "nb04.exit_blame",
        points=0,
        asks="the slope of −ln p_t with respect to each score",
        read='notebook 04, section "Backwards, without the table"',
        cases=scores_and_target,
        right=right,
        mistakes=(
            Mistake(
                "sign turned",
                lambda scores, t: -right(scores, t),
                "The sizes are right and the signs aren't. If the right word's score rises, does −ln p_t rise or fall?",
            ),
            Mistake(
                "weights",
                lambda scores, t: softmax_forward(scores),
                "Now every score is to blame, that of the right word too. Your slopes add up to 1; what should they "
                "add up to?",
            ),
            Mistake(
                "no logarithm",
                lambda scores, t: softmax_forward(scores)[t] * right(scores, t),
                "This is the blame for a loss of −p_t. The loss here is −ln p_t: what's its slope in p_t?",
            ),
            Mistake(
                "on the weights",
                lambda scores, t: -one_hot(scores, t) / softmax_forward(scores),
                "This is the blame on the weights. It still has to go back through softmax.",
            ),
            Mistake(
                "no average",
                lambda scores, t: -one_hot(scores, t),
                "You've multiplied each blame by its weight, but the row's average blame isn't subtracted yet.",
            ),
            Mistake(
                "diagonal only",
                lambda scores, t: one_hot(scores, t) * right(scores, t),
                "You blame only the right word's score. The other scores take weight from it, too.",
            ),
            Mistake(
                "the loss itself",
                lambda scores, t: -np.log(softmax_forward(scores)[t]),
                "This is the loss. The question is how fast it rises with each score.",
            ),
        ),
    ),
)
