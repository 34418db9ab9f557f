"""The exercise inside notebook 11, the way readers answer it: with typical mistakes, and in several right ways."""

import numpy as np


def weights_of(q, k, mask=True, divisor=None):
    exps = np.exp(np.einsum("hid,hjd->hij", q, k) / (divisor or np.sqrt(q.shape[-1])))
    exps = np.tril(exps) if mask else exps
    return exps / exps.sum(axis=-1, keepdims=True)


def traced(weights, offset, count=None):
    return np.array([np.trace(head, offset) / (count or len(head) - abs(offset)) for head in weights])


def by_loop(q, k):
    return np.array([np.mean([head[i, i - 1] for i in range(1, len(head))]) for head in weights_of(q, k)])


def by_index(q, k):
    i = np.arange(1, q.shape[1])
    return weights_of(q, k)[:, i, i - 1].mean(axis=1)


def by_shift(q, k):
    return traced(weights_of(q, k)[:, 1:, :-1], 0)


WRONG = {
    "previous": [
        (lambda q, k: traced(weights_of(q, k), 0), "its own token"),
        (lambda q, k: traced(weights_of(q, k), 1), "the token after"),
        (lambda q, k: traced(weights_of(q, k), -1, q.shape[1]), "first row counted"),
        (lambda q, k: by_loop(q, k).mean(), "heads averaged too"),
        (lambda q, k: np.array([head[-1][-2] for head in weights_of(q, k)]), "last row only"),
        (lambda q, k: traced(weights_of(q, k, mask=False), -1), "no mask"),
        (lambda q, k: traced(weights_of(q, k, divisor=1), -1), "no scale"),
        (lambda q, k: np.array([head[1:, 0].mean() for head in weights_of(q, k)]), "first token"),
        (lambda q, k: np.median(np.diagonal(weights_of(q, k), -1, 1, 2), axis=-1), ""),
    ],
}
RIGHT = {"previous": [by_loop, by_index, by_shift]}
