"""The exercise inside notebook 04, the way readers answer it: with typical mistakes, and in several right ways."""

import numpy as np


def softmax(s):
    e = np.exp(s - s.max())
    return e / e.sum()


def by_formula(scores, t):
    p = softmax(scores)
    dp = np.zeros(len(p))
    dp[t] = -1 / p[t]
    return p * (dp - (p * dp).sum())


def subtract_one(scores, t):
    p = softmax(scores)
    p[t] -= 1
    return p


def with_the_table(scores, t):
    p = softmax(scores)
    return -(np.diag(p) - np.outer(p, p))[t] / p[t]


def add_one(scores, t):
    p = softmax(scores)
    p[t] += 1
    return p


def without_log(scores, t):
    p = softmax(scores)
    dp = np.zeros(len(p))
    dp[t] = -1
    return p * (dp - p @ dp)


def on_the_weights(scores, t):
    dp = np.zeros(len(scores))
    dp[t] = -1 / softmax(scores)[t]
    return dp


def no_average(scores, t):
    return softmax(scores) * on_the_weights(scores, t)


def diagonal(scores, t):
    p = softmax(scores)
    return on_the_weights(scores, t) * p * (1 - p)


WRONG = {
    "exit_blame": [
        (lambda scores, t: np.eye(len(scores))[t] - softmax(scores), "sign turned"),
        (lambda scores, t: softmax(scores), "weights"),
        (without_log, "no logarithm"),
        (on_the_weights, "on the weights"),
        (no_average, "no average"),
        (diagonal, "diagonal only"),
        (lambda scores, t: -np.log(softmax(scores)[t]), "the loss itself"),
        (add_one, ""),
    ],
}
RIGHT = {"exit_blame": [by_formula, subtract_one, with_the_table]}
