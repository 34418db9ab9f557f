"""Problem set 11, the way students answer it: with typical mistakes, and in several right ways."""

import statistics

import numpy as np


def table(q, k):
    return np.einsum("id,jd->ij", q, k) * q.shape[1] ** -0.5


def visible(q, k):
    return [row[: i + 1] for i, row in enumerate(table(q, k))]


def variance_by_hand(q, k):
    found = [((row - row.mean()) ** 2).sum() / (len(row) - 1) for row in visible(q, k)[2:]]
    return sum(found) / len(found)


def variance_with_nan(q, k):
    shown = np.where(np.tri(len(q), dtype=bool), table(q, k), np.nan)
    return np.nanvar(shown[2:], axis=1, ddof=1).mean()


def variance_by_library(q, k):
    return statistics.mean(statistics.variance(map(float, row)) for row in visible(q, k)[2:])


def lengths(values):
    return np.sqrt((values**2).sum(axis=1))


def share_by_loop(weights, values):
    shares = []
    for row in weights:
        parts = [w * length for w, length in zip(row, lengths(values), strict=True)]
        shares.append(parts[0] / sum(parts))
    return np.mean(shares)


def share_at_once(weights, values):
    return (weights[:, 0] * lengths(values)[0] / (weights @ lengths(values))).mean()


WRONG = {
    "row_variance": [
        (lambda q, k: np.mean([np.var(row, ddof=1) for row in table(q, k)[2:]]), "future included"),
        (lambda q, k: np.concatenate(visible(q, k)).var(ddof=1), "all scores together"),
        (lambda q, k: np.mean([np.var(row) for row in visible(q, k)[2:]]), "divided by the count"),
        (lambda q, k: np.mean([np.var(row, ddof=1) for row in visible(q, k)[1:]]), "row 1 counted"),
        (lambda q, k: variance_by_hand(q, k) * q.shape[1], "no scale"),
        (lambda q, k: np.mean([np.std(row, ddof=1) for row in visible(q, k)[2:]]), "standard deviation"),
        (lambda q, k: variance_by_hand(q, k) + 1, ""),
    ],
    "first_share": [
        (lambda weights, values: np.mean([row[0] for row in weights]), "weights alone"),
        (lambda weights, values: share_at_once(weights, values * lengths(values)[:, None]), "squared lengths"),
        (lambda weights, values: np.mean(weights[:, 0] * lengths(values)[0]), "not a share"),
        (
            lambda weights, values: (weights[:, 0] * lengths(values)[0]).sum() / (weights @ lengths(values)).sum(),
            "ratio of sums",
        ),
        (lambda weights, values: 1 - share_at_once(weights, values), ""),
    ],
    "undoing_m": [(0.16, "variance divided"), (2.5, "wrong way round"), (6.25, "both"), (1.0, "")],
}
RIGHT = {
    "row_variance": [variance_by_hand, variance_with_nan, variance_by_library],
    "first_share": [share_by_loop, share_at_once],
    "undoing_m": [0.4, 1 / 2.5, np.float64(0.4)],
}
