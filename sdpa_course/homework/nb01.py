"""The exercise inside notebook 01: distances made of dot products."""

import numpy as np

from .tasks import Mistake, Task


def queries_and_keys(rng) -> list[dict]:
    """Queries and keys of different number, width and length."""
    cases = []
    for queries, keys, d_k in ((3, 5, 2), (4, 2, 7)):
        q, k = rng.normal(size=(queries, d_k)), 3 * rng.normal(size=(keys, d_k))
        cases.append({"Q": q, "K": k})
    return cases


def squares(x):
    """The squared length of each row."""
    return (x**2).sum(axis=1)


def squared(Q, K):
    """The squared distance of every query from every key."""
    return ((Q[:, None] - K) ** 2).sum(axis=-1)


TASKS = (
    Task(
        "nb01.squared_distances",
        points=0,
        asks="an array of shape (queries, keys): the squared distance of every query from every key",
        read="notebook 01",
        cases=queries_and_keys,
        right=squared,
        mistakes=(
            Mistake(
                "without the 2",
                lambda Q, K: squares(Q)[:, None] + squares(K) - Q @ K.T,
                "When you multiply out (q − k)·(q − k), the mixed product turns up more than once.",
            ),
            Mistake(
                "plus",
                lambda Q, K: squares(Q)[:, None] + squares(K) + 2 * Q @ K.T,
                "This is the squared length of q + k. Two vectors that agree should be close to each other.",
            ),
            Mistake(
                "not squared",
                lambda Q, K: np.sqrt(squared(Q, K)),
                "These are distances. The question is about their squares, which need no root.",
            ),
            Mistake(
                "lengths not squared",
                lambda Q, K: np.sqrt(squares(Q))[:, None] + np.sqrt(squares(K)) - 2 * Q @ K.T,
                "You've added the lengths of the vectors. The formula has their squares.",
            ),
            Mistake(
                "turned",
                lambda Q, K: squared(Q, K).T,
                "These are the right numbers, with a row for every key. The row asks: one row for every query.",
            ),
            Mistake(
                "only keys",
                lambda Q, K: squares(K) - 2 * Q @ K.T,
                "One of the two squared lengths is missing. Softmax wouldn't notice that, but a distance does.",
            ),
        ),
    ),
)
