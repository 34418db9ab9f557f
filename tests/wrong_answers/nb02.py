"""The exercise inside notebook 02, the way readers answer it: with typical mistakes, and in several right ways."""

import numpy as np


def by_loop(scores):
    total = 0.0
    for row in scores:
        total += np.mean((row - row.mean()) ** 2)
    return total / len(scores)


def total_minus_between(scores):
    return np.var(scores) - np.var(scores.mean(axis=-1))


def second_moment(scores):
    return (scores**2).mean()


def sample_variances(scores):
    return np.mean([np.var(row, ddof=1) for row in scores])


WRONG = {
    "within_row": [
        (np.var, "all together"),
        (lambda scores: np.mean(np.var(scores.T, axis=1)), "wrong axis"),
        (lambda scores: np.var([row.mean() for row in scores]), "between rows"),
        (lambda scores: [row.var() for row in scores], "not averaged"),
        (lambda scores: np.mean([row.std() for row in scores]), "standard deviation"),
        (sample_variances, "one less"),
        (second_moment, ""),
    ],
}
RIGHT = {
    "within_row": [
        by_loop,
        total_minus_between,
        lambda scores: ((scores - scores.mean(axis=1, keepdims=True)) ** 2).mean(),
    ],
}
