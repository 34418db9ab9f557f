"""The function to identify in problem set 07. If you're working on that, this is the file not to open."""

import numpy as np

from ..kernels.scores import dot_scores_forward
from ..kernels.softmax import softmax_forward
from .tasks import any_sizes


def tokens(rng, sizes=((2, 3, 5, 4, 6), (1, 2, 4, 9, 3))) -> list[dict]:
    """Queries, keys and values of as many tokens each, in several heads."""
    cases = []
    for batch, heads, t, d_k, d_v in sizes:
        q, k = rng.normal(size=(2, batch, heads, t, d_k))
        cases.append({"q": q, "k": k, "v": rng.normal(size=(batch, heads, t, d_v))})
    return cases


def other_tokens(rng) -> list[dict]:
    """Any sizes: one sequence, one head, one token, width 1."""
    return tokens(rng, any_sizes(rng, 5))


def attend(q, k, v, width, early=False, late=True, diagonal=0, flip=False):
    """Attention with the scale 1/√width, and the future hidden before softmax, after it, or not at all."""
    scores = dot_scores_forward(q, k, scale=float(width**-0.5))[0]
    seen = np.tri(*scores.shape[-2:], diagonal, dtype=bool)
    seen = seen.T if flip else seen
    weights = softmax_forward(np.where(seen, scores, -np.inf) if early else scores)
    return (weights * seen if late else weights) @ v


def mystery(q, k, v):
    """Attention of some kind, for arrays (B, H, T, D)."""
    return attend(q, k, v, q.shape[1] * q.shape[-1])
