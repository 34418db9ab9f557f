"""The exercise inside appendix A3, the way readers answer it: with typical mistakes, and in several right ways."""

import numpy as np


def by_squares(scores):
    squares = (scores - np.mean(scores)) ** 2
    return np.std(squares) / np.sqrt(np.size(squares))


def by_loop(scores):
    mean = sum(scores) / len(scores)
    second = sum((s - mean) ** 2 for s in scores) / len(scores)
    fourth = sum((s - mean) ** 4 for s in scores) / len(scores)
    return ((fourth - second**2) / len(scores)) ** 0.5


def by_kurtosis(scores):
    d = scores - scores.mean()
    excess = (d**4).mean() / scores.var() ** 2 - 3
    return scores.var() * np.sqrt((excess + 2) / len(scores))


WRONG = {
    "error_of_variance": [
        (lambda scores: np.std(scores) / len(scores) ** 0.5, "of the mean"),
        (lambda scores: np.std((scores - scores.mean()) ** 2), "not divided"),
        (lambda scores: np.var((scores - scores.mean()) ** 2) / scores.size, "no root"),
        (lambda scores: np.std(scores**2) / np.sqrt(len(scores)), "not centred"),
        (lambda scores: (2 / len(scores)) ** 0.5 * scores.var(), "as for a bell"),
        (lambda scores: (((scores - scores.mean()) ** 4).mean() / len(scores)) ** 0.5, "nothing taken off"),
        (np.var, ""),
    ],
}
RIGHT = {"error_of_variance": [by_squares, by_loop, by_kurtosis]}
