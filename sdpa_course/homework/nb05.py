"""The exercise inside notebook 05: weights under a stencil that lets each token look back a little."""

import numpy as np

from ..kernels.softmax import softmax_forward
from .tasks import Mistake, Task


def tokens_and_reach(rng) -> list[dict]:
    """Queries and keys of a few tokens, and how far each may look back; once with a hidden score that's huge."""
    cases = []
    for n, d_k, reach in ((5, 3, 2), (8, 4, 3), (6, 2, 1)):
        q, k = rng.normal(0, 1.5, (2, n, d_k))
        cases.append({"Q": q, "K": k, "reach": reach})
    q, k = cases[-1]["Q"], cases[-1]["K"]
    k[-1] = 900 * 2**0.5 * q[0] / (q[0] @ q[0])  # a score of 900 that the first token mustn't see
    return cases


def scores_of(q, k):
    """Q Kᵀ / √d_k."""
    return q @ k.T / np.sqrt(q.shape[-1])


def back(q):
    """How many places before token i (row) token j (column) is."""
    places = np.arange(len(q))
    return places[:, None] - places


def window(q, reach):
    """0 ≤ i − j ≤ reach."""
    return (back(q) >= 0) & (back(q) <= reach)


def weights(scores, mask, axis=-1):
    """Softmax of what a mask leaves open."""
    return softmax_forward(np.where(mask, scores, -np.inf), axis=axis)


def after(q, k, reach):
    """Softmax of everything, and the covered weights set to 0."""
    return softmax_forward(scores_of(q, k)) * window(q, reach)


TASKS = (
    Task(
        "nb05.look_back",
        points=0,
        asks="rows of weights that add up to 1, with 0 for every token that's ahead or too far back",
        read='notebook 05, section "Stencils"',
        cases=tokens_and_reach,
        right=lambda q, k, reach: weights(scores_of(q, k), window(q, reach)),
        mistakes=(
            Mistake(
                "no scale",
                lambda q, k, reach: weights(q @ k.T, window(q, reach)),
                "The stencil is right. But you've made weights of the plain dot products: step 3 is missing.",
            ),
            Mistake(
                "divided again",
                lambda q, k, reach: (w := after(q, k, reach)) / w.sum(axis=-1, keepdims=True),
                "Ordinary scores work. But you cover after softmax, and one hidden score of 900 leaves 0/0.",
            ),
            Mistake(
                "mask after softmax",
                after,
                "You cover after softmax: the hidden scores are still in the sum, and your rows don't add up to 1.",
            ),
            Mistake(
                "score 0",
                lambda q, k, reach: softmax_forward(scores_of(q, k) * window(q, reach)),
                "Your covered scores are 0, and that's a score like any other. What's e to the 0?",
            ),
            Mistake(
                "no window",
                lambda q, k, reach: weights(scores_of(q, k), back(q) >= 0),
                "Nobody looks ahead, which is right. But token i still sees everything before it, however far back.",
            ),
            Mistake(
                "looks ahead",
                lambda q, k, reach: weights(scores_of(q, k), abs(back(q)) <= reach),
                "Your window is open on both sides: token i also sees the tokens after it.",
            ),
            Mistake(
                "one too few",
                lambda q, k, reach: weights(scores_of(q, k), window(q, reach - 1)),
                "You count the token itself among the `reach`. It comes on top: row i has up to reach + 1 open cells.",
            ),
            Mistake(
                "mirrored",
                lambda q, k, reach: weights(scores_of(q, k), window(q, reach).T),
                "This is the mirror image: your tokens look ahead. The row is the one who asks.",
            ),
            Mistake(
                "wrong axis",
                lambda q, k, reach: weights(scores_of(q, k), window(q, reach), axis=0),
                "The right cells are open, but your columns add up to 1. One query's keys are along a row.",
            ),
            Mistake(
                "only the stencil",
                lambda q, k, reach: window(q, reach),
                "That's the right stencil. Now lay it on the scores and make weights.",
            ),
        ),
    ),
)
