"""The exercises inside notebook 07, the way readers answer them: with typical mistakes, and in several right ways."""

import math

import numpy as np


def slope_by_pairs(weights, q, k):
    """All pairs of keys of the last query."""
    logs, dots = np.log(weights[-1]), k @ q[-1]
    return (logs[0] - logs[-1]) / (dots[0] - dots[-1])


def slope_by_rows(weights, q, k):
    """Centred rows, and the multiple that fits."""
    logs, dots = np.log(weights), q @ k.T
    logs, dots = (x - x.mean(axis=1, keepdims=True) for x in (logs, dots))
    return (logs * dots).sum() / (dots * dots).sum()


def reciprocal(weights, q, k):
    return 1 / slope_by_rows(weights, q, k)


def crossed(weights, q, k):
    return (math.log(weights[0, 1]) - math.log(weights[0, 0])) / (q[0] @ k[0] - q[0] @ k[1])


def single(weights, q, k):
    return np.log(weights[0, 0]) / (q[0] * k[0]).sum()


def of_weights(weights, q, k):
    return (weights[0, 0] - weights[0, 1]) / (q[0] @ k[0] - q[0] @ k[1])


def relative(weights, q, k):
    return slope_by_pairs(weights, q, k) / q.shape[1] ** -0.5


WRONG = {
    "hand_over": [
        (lambda q, trained_width: q / np.sqrt(trained_width), "scaled already"),
        (lambda q, trained_width: q, "as it is"),
        (lambda q, trained_width: q * np.sqrt(trained_width / q.shape[1]), "upside down"),
        (lambda q, trained_width: q * q.shape[1] / trained_width, "no root"),
        (lambda q, trained_width: q * (q.shape[1] / trained_width) ** 0.25, "fourth root"),
        (lambda q, trained_width: q * np.sqrt(len(q) / trained_width), ""),
    ],
    "applied_factor": [
        (reciprocal, "what it divides by"),
        (crossed, "sign"),
        (single, "one weight"),
        (of_weights, "no logarithm"),
        (relative, "next to the root"),
        (lambda weights, q, k: q.shape[1] ** -0.5, ""),
    ],
}
RIGHT = {
    "hand_over": [
        lambda q, trained_width: q * np.sqrt(q.shape[1] / trained_width),
        lambda q, trained_width: q / math.sqrt(trained_width) * math.sqrt(q.shape[-1]),
    ],
    "applied_factor": [slope_by_pairs, slope_by_rows],
}
