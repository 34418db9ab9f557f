"""The exercises inside notebook 03, the way readers answer them: with typical mistakes, and in several right ways."""

import math

import numpy as np


def added_last(scores):
    scores = scores - scores.max(axis=-1, keepdims=True)
    return np.exp(scores) / (np.exp(scores).sum(axis=-1, keepdims=True) + 1)


def textbook(scores):
    return np.exp(scores) / (1 + np.exp(scores).sum(axis=-1, keepdims=True))


def usual(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def half_shifted(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.exp(scores) / (1 + np.exp(shifted).sum(axis=-1, keepdims=True))


def down_the_columns(scores):
    m = np.maximum(scores.max(axis=0), 0)
    return np.exp(scores - m) / (np.exp(-m) + np.exp(scores - m).sum(axis=0))


def minus_sign(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / (exps.sum(axis=-1, keepdims=True) - 1)


def with_e_to_minus_m(scores):
    m = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - m)
    return exps / (np.exp(-m) + exps.sum(axis=-1, keepdims=True))


def with_a_zero_key(scores):
    zero = np.zeros_like(scores[..., :1])
    padded = np.concatenate([scores, zero], axis=-1)
    exps = np.exp(padded - padded.max(axis=-1, keepdims=True))
    return (exps / exps.sum(axis=-1, keepdims=True))[..., :-1]


def row_by_row(scores):
    rows = []
    for row in scores:
        m = max(0.0, max(row))
        total = math.exp(-m) + sum(math.exp(s - m) for s in row)
        rows.append([math.exp(s - m) / total for s in row])
    return np.array(rows)


WRONG = {
    "softmax_plus_one": [
        (added_last, "one added after the shift"),
        (textbook, "no maximum"),
        (usual, "plain softmax"),
        (half_shifted, "maximum not subtracted above"),
        (down_the_columns, "wrong axis"),
        (minus_sign, ""),
    ],
    "keep_half": [
        (lambda n, m: np.log(m) / np.log(n), "all keys are rivals"),
        (lambda n, m: m / n, "ratio of the numbers"),
        (lambda n, m: math.log(n - 1) / np.log(m - 1), "upside down"),
        (lambda n, m: np.sqrt(np.log(m - 1) / np.log(n - 1)), "the root"),
        (lambda n, m: np.log((m - 1) / (n - 1)), "what to add"),
        (lambda n, m: m - n, ""),
    ],
}
RIGHT = {
    "softmax_plus_one": [with_e_to_minus_m, with_a_zero_key, row_by_row],
    "keep_half": [
        lambda n, m: np.log2(m - 1) / np.log2(n - 1),
        lambda n, m: [math.log(each - 1, n - 1) for each in m],
    ],
}
