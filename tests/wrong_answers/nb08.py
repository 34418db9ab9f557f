"""The exercises inside notebook 08, the way readers answer them: with typical mistakes, and in several right ways."""

import math

import numpy as np


def scores_of(X, W_Q, W_K, columns, root):
    return X @ W_Q[:, columns] @ (X @ W_K[:, columns]).T / root


def columns_of(W_Q, heads, i):
    d_k = W_Q.shape[1] // heads
    return list(range(i * d_k, i * d_k + d_k))


def by_the_model(X, W_Q, W_K, heads, i):
    return scores_of(X, W_Q, W_K, columns_of(W_Q, heads, i), math.sqrt(X.shape[-1]))


def by_all_columns(X, W_Q, W_K, heads, i):
    return scores_of(X, W_Q, W_K, columns_of(W_Q, heads, i), math.sqrt(W_Q.shape[-1]))


def by_the_heads(X, W_Q, W_K, heads, i):
    return scores_of(X, W_Q, W_K, columns_of(W_Q, heads, i), heads**0.5)


def by_the_width(X, W_Q, W_K, heads, i):
    return scores_of(X, W_Q, W_K, columns_of(W_Q, heads, i), W_Q.shape[1] // heads)


def undivided(X, W_Q, W_K, heads, i):
    return scores_of(X, W_Q, W_K, columns_of(W_Q, heads, i), 1)


def pieces_of_tokens(X, W_Q, W_K, heads, i):
    x = np.split(X, heads, axis=1)[i]
    w_q, w_k = (np.split(np.split(W, heads, axis=0)[i], heads, axis=1)[i] for W in (W_Q, W_K))
    return (x @ w_q) @ (x @ w_k).T / math.sqrt(w_q.shape[1])


def one_wide_head(X, W_Q, W_K, heads, i):
    return scores_of(X, W_Q, W_K, slice(None), math.sqrt(W_Q.shape[1] // heads))


def dealt_columns(X, W_Q, W_K, heads, i):
    return scores_of(X, W_Q, W_K, slice(i, None, heads), math.sqrt(W_Q.shape[1] // heads))


def the_next_head(X, W_Q, W_K, heads, i):
    return by_splitting(X, W_Q, W_K, heads, i - 1)


def by_splitting(X, W_Q, W_K, heads, i):
    q, k = (np.split(X @ W, heads, axis=1)[i] for W in (W_Q, W_K))
    return q @ k.T / np.sqrt(q.shape[1])


def all_then_one(X, W_Q, W_K, heads, i):
    Q, K = ((X @ W).reshape(len(X), heads, -1).swapaxes(0, 1) for W in (W_Q, W_K))
    return (Q @ K.swapaxes(1, 2))[i] * Q.shape[-1] ** -0.5


def by_loop(X, W_Q, W_K, heads, i):
    part = columns_of(W_Q, heads, i)
    q, k = X @ W_Q, X @ W_K
    scores = [[sum(a[c] * b[c] for c in part) / math.sqrt(len(part)) for b in k] for a in q]
    return np.array(scores)


def summed_by_loop(dK, kv_heads):
    total = np.zeros((kv_heads, *dK.shape[1:]))
    for i, gradient in enumerate(dK):
        total[i // (len(dK) // kv_heads)] += gradient
    return total


WRONG = {
    "head_scores": [
        (by_the_model, "root of the model's width"),
        (by_all_columns, "root of all columns"),
        (by_the_heads, "root of the number of heads"),
        (by_the_width, "no root"),
        (undivided, "no scale"),
        (pieces_of_tokens, "token cut"),
        (one_wide_head, "all columns"),
        (dealt_columns, "every h-th column"),
        (the_next_head, ""),
    ],
    "shared_gradient": [
        (lambda dK, kv_heads: np.stack([part.mean(axis=0) for part in np.split(dK, kv_heads)]), "average"),
        (lambda dK, kv_heads: np.stack([dK[j::kv_heads].sum(axis=0) for j in range(kv_heads)]), "dealt out"),
        (lambda dK, kv_heads: np.stack([part[0] for part in np.split(dK, kv_heads)]), "one of the group"),
        (lambda dK, kv_heads: np.stack([dK.sum(axis=0)] * kv_heads), "all heads together"),
        (lambda dK, kv_heads: np.stack([part.max(axis=0) for part in np.split(dK, kv_heads)]), ""),
    ],
}
RIGHT = {
    "head_scores": [by_splitting, all_then_one, by_loop],
    "shared_gradient": [
        summed_by_loop,
        lambda dK, kv_heads: np.stack([part.sum(axis=0) for part in np.split(dK, kv_heads)]),
    ],
}
