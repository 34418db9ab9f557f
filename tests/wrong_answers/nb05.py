"""The exercise inside notebook 05, the way readers answer it: with typical mistakes, and in several right ways."""

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def band(n, reach, ahead=0):
    return np.tri(n, k=ahead, dtype=bool) & ~np.tri(n, k=-reach - 1, dtype=bool)


def scores_of(Q, K):
    return Q @ K.T / np.sqrt(Q.shape[1])


def minus_infinity(Q, K, reach):
    return softmax(np.where(band(len(Q), reach), scores_of(Q, K), -np.inf))


def row_by_row(Q, K, reach):
    weights = np.zeros((len(Q), len(K)))
    for i, row in enumerate(scores_of(Q, K)):
        first = max(0, i - reach)
        weights[i, first : i + 1] = softmax(row[first : i + 1])
    return weights


def added(Q, K, reach):
    mask = np.full((len(Q), len(K)), -np.inf)
    mask[band(len(Q), reach)] = 0
    return softmax(scores_of(Q, K) + mask)


def covered_late(Q, K, reach):
    weights = softmax(scores_of(Q, K))
    weights[~band(len(Q), reach)] = 0
    return weights


def covered_late_and_divided(Q, K, reach):
    weights = covered_late(Q, K, reach)
    return weights / weights.sum(axis=1)[:, None]


def zero_scores(Q, K, reach):
    return softmax(np.where(band(len(Q), reach), scores_of(Q, K), 0.0))


def causal(Q, K, reach):
    return softmax(np.where(np.tri(len(Q), dtype=bool), scores_of(Q, K), -np.inf))


def both_sides(Q, K, reach):
    return softmax(np.where(band(len(Q), reach, ahead=reach), scores_of(Q, K), -np.inf))


def one_short(Q, K, reach):
    return minus_infinity(Q, K, reach - 1)


def columns_ask(Q, K, reach):
    return softmax(np.where(band(len(Q), reach).T, scores_of(Q, K), -np.inf))


def down_the_columns(Q, K, reach):
    open_scores = np.where(band(len(Q), reach), scores_of(Q, K), -np.inf)
    exps = np.exp(open_scores - open_scores.max(axis=0))
    return exps / exps.sum(axis=0)


WRONG = {
    "look_back": [
        (covered_late, "mask after softmax"),
        (covered_late_and_divided, "divided again"),
        (zero_scores, "score 0"),
        (causal, "no window"),
        (both_sides, "looks ahead"),
        (one_short, "one too few"),
        (columns_ask, "mirrored"),
        (down_the_columns, "wrong axis"),
        (lambda Q, K, reach: band(len(Q), reach), "only the stencil"),
        (lambda Q, K, reach: minus_infinity(Q * Q.shape[1] ** 0.5, K, reach), "no scale"),
        (lambda Q, K, reach: softmax(scores_of(Q, K)), ""),
    ],
}
RIGHT = {"look_back": [minus_infinity, row_by_row, added]}
