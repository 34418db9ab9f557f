"""The exercise inside notebook 11: how much a head looks at the word before."""

import numpy as np

from ..kernels.softmax import softmax_forward
from .tasks import Mistake, Task


def some_heads(rng) -> list[dict]:
    """Queries and keys of a few heads; heads, tokens and widths all differ."""
    return [{"q": 2 * rng.normal(size=shape), "k": rng.normal(size=shape)} for shape in ((3, 5, 4), (2, 7, 6))]


def weights_of(q, k, causal=True, root=True):
    """Weights of each head, (heads, T, T)."""
    scores = q @ k.swapaxes(-1, -2) / (np.sqrt(q.shape[-1]) if root else 1)
    return softmax_forward(np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf) if causal else scores)


def one_below(q, k, offset=-1, **keywords):
    """The mean of one diagonal of each head."""
    return np.diagonal(weights_of(q, k, **keywords), offset, 1, 2).mean(axis=-1)


TASKS = (
    Task(
        "nb11.previous",
        points=0,
        asks="for each head, the mean weight on the token just before, of shape (heads,)",
        read='notebook 11, section "What heads do"',
        cases=some_heads,
        right=one_below,
        mistakes=(
            Mistake(
                "its own token",
                lambda q, k: one_below(q, k, 0),
                "That's the weight of every token on itself. The token before is one column to the left.",
            ),
            Mistake(
                "the token after",
                lambda q, k: one_below(q, k, 1),
                "Your diagonal is on the side of the future, where the mask has left nothing but zeros.",
            ),
            Mistake(
                "first row counted",
                lambda q, k: one_below(q, k) * (q.shape[1] - 1) / q.shape[1],
                "You divide by the number of tokens. The first one has no token before it, so it can't take part.",
            ),
            Mistake(
                "heads averaged too",
                lambda q, k: one_below(q, k).mean(),
                "One number for all heads together. Each head should get its own.",
            ),
            Mistake(
                "last row only",
                lambda q, k: weights_of(q, k)[:, -1, -2],
                "You look from the last token alone. Every token that has one before it counts.",
            ),
            Mistake(
                "no mask",
                lambda q, k: one_below(q, k, causal=False),
                "Your heads look into the future too. The model is causal.",
            ),
            Mistake(
                "no scale",
                lambda q, k: one_below(q, k, root=False),
                "Your scores aren't divided by the root of d_k.",
            ),
            Mistake(
                "first token",
                lambda q, k: weights_of(q, k)[:, 1:, 0].mean(axis=-1),
                "That's the weight on the first token of all. It should be the one just before.",
            ),
        ),
    ),
)
