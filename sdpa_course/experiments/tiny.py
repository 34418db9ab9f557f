"""*love Apple phones*: the example that's small enough to follow by hand. Used in notebooks 00, 05 and 06.

Axes: three tokens · Dk = 4 · Dv = 2
"""

from typing import NamedTuple

import numpy as np

from ..kernels.scores import dot_scores_forward
from ..kernels.sdpa import attention_backward, attention_forward
from ..kernels.softmax import softmax_backward

TOKENS = ("love", "Apple", "phones")
Q = np.array([[1.0, 0, 2, 1], [0, 2, 1, 3], [1, 2, 0, 1]])
K = np.array([[2.0, 1, 1, 0], [0, 1, 2, 1], [1, 1, 0, 2]])
V = np.array([[1.0, 0], [0, 1], [2, 2]])


class Steps(NamedTuple):
    """What attention computes on the way from Q, K and V to its output."""

    tokens: tuple[str, ...]
    q: np.ndarray  # (3, 4)
    k: np.ndarray  # (3, 4)
    v: np.ndarray  # (3, 2)
    products: np.ndarray  # (3, 3), q·k
    scores: np.ndarray  # (3, 3), divided by √d_k
    weights: np.ndarray  # (3, 3)
    out: np.ndarray  # (3, 2)


def tiny_steps() -> Steps:
    """All three tokens ask."""
    out, cache = attention_forward(Q, K, V)
    return Steps(TOKENS, Q, K, V, dot_scores_forward(Q, K, scale=1)[0], dot_scores_forward(Q, K)[0], cache.weights, out)


class Blame(NamedTuple):
    """The gradient of a loss on everything that one query's answer was made from."""

    q: np.ndarray  # (4,)
    products: np.ndarray  # (3,)
    scores: np.ndarray  # (3,)
    weights: np.ndarray  # (3,)
    out: np.ndarray  # (2,)


def tiny_blame(dout=(1.0, -1.0), token: str = "Apple") -> tuple[Steps, Blame]:
    """One token asks, and a loss wants less of its first output and more of its second: values and gradients."""
    steps, at = tiny_steps(), TOKENS.index(token)
    values = steps._replace(
        **{name: getattr(steps, name)[at] for name in ("q", "products", "scores", "weights", "out")}
    )
    dout = np.asarray(dout, dtype=float)
    _, cache = attention_forward(Q[at : at + 1], K, V)
    dq, _, _ = attention_backward(dout[None], cache)
    dweights = V @ dout  # (3, 2) @ (2,) -> (3,)
    dscores = softmax_backward(dweights, values.weights)
    return values, Blame(dq[0], dscores * cache.scale, dscores, dweights, dout)
