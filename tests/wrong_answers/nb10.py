"""The exercise inside notebook 10, the way readers answer it: with typical mistakes, and in several right ways."""

import numpy as np


def with_loops(x, gains):
    out = np.zeros(x.shape)
    for i, row in enumerate(x):
        size = (sum(entry**2 for entry in row) / len(row)) ** 0.5
        out[i] = [gain * entry / size for gain, entry in zip(gains, row, strict=True)]
    return out


def by_length(x, gains):
    return gains * np.sqrt(x.shape[-1]) * x / np.linalg.norm(x, axis=-1)[:, None]


WRONG = {
    "normed": [
        (lambda x, gains: x / np.sqrt((x**2).mean(-1, keepdims=True)), "no gains"),
        (lambda x, gains: gains * x / np.linalg.norm(x, axis=-1, keepdims=True), "unit length"),
        (lambda x, gains: gains * x / np.sqrt(np.mean(x**2)), "one size for all"),
        (lambda x, gains: gains * x / np.sqrt((x**2).mean(0)), "down the columns"),
        (lambda x, gains: gains * x / (x**2).mean(-1, keepdims=True), "no root"),
        (lambda x, gains: gains * (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True), "layer norm"),
        (lambda x, gains: x / gains, ""),
    ]
}
RIGHT = {"normed": [with_loops, by_length]}
