"""The exercise inside notebook 01, the way readers answer it: with typical mistakes, and in several right ways."""

import numpy as np


def lengths(x):
    return np.linalg.norm(x, axis=1)


def by_loops(Q, K):
    found = np.zeros((len(Q), len(K)))
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            found[i, j] = np.sum((q - k) ** 2)
    return found


def by_products(Q, K):
    return (Q * Q).sum(axis=1, keepdims=True) + (K * K).sum(axis=1) - 2 * (Q @ K.T)


def by_diagonals(Q, K):
    return np.diag(Q @ Q.T)[:, None] + np.diag(K @ K.T)[None, :] - 2 * np.einsum("ic,jc->ij", Q, K)


WRONG = {
    "squared_distances": [
        (lambda Q, K: lengths(Q)[:, None] ** 2 + lengths(K) ** 2 - Q @ K.T, "without the 2"),
        (lambda Q, K: by_products(Q, -K), "plus"),
        (lambda Q, K: np.sqrt(by_loops(Q, K)), "not squared"),
        (lambda Q, K: lengths(Q)[:, None] + lengths(K) - 2 * Q @ K.T, "lengths not squared"),
        (lambda Q, K: by_loops(K, Q), "turned"),
        (lambda Q, K: (K**2).sum(axis=1) - 2 * (Q @ K.T), "only keys"),
        (lambda Q, K: Q @ K.T, ""),
    ],
}
RIGHT = {"squared_distances": [by_loops, by_products, by_diagonals]}
