"""Problem set 01, the way students answer it: with typical mistakes, and in several right ways."""

import math

import numpy as np


def scores_keys_first(Q, K):
    return np.array([[np.dot(k, q) for q in Q] for k in K])


def scores_not_summed(Q, K):
    scores = np.zeros((len(Q), len(K), Q.shape[1]))
    for i in range(len(Q)):
        for j in range(len(K)):
            scores[i, j] = Q[i] * K[j]
    return scores


def scores_overwritten(Q, K):
    scores = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for c in range(Q.shape[1]):
                scores[i, j] = Q[i, c] * K[j, c]
    return scores


def scores_of_queries(Q, K):
    return np.einsum("ic,jc->ij", Q, Q)


def scores_reshaped(Q, K):
    return np.dot(Q, np.reshape(K, (Q.shape[1], -1)))


def scores_scaled(Q, K):
    return np.matmul(Q, np.transpose(K)) / math.sqrt(K.shape[1])


def scores_elementwise(Q, K):
    return (Q * K).sum(axis=1)


def scores_square(Q, K):
    scores = np.zeros((len(Q), len(Q)))
    for i in range(len(Q)):
        for j in range(min(len(Q), len(K))):
            scores[i, j] = Q[i] @ K[j]
    return scores


def scores_copied_from_the_notebook(Q, K):
    scores = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for c in range(2):
                scores[i, j] += Q[i, c] * K[j, c]
    return scores


def scores_of_two_entries(Q, K):
    scores = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for c in range(2):
                scores[i, j] += Q[i, c] * K[j, c]
    return scores


def scores_loops_over_queries(Q, K):
    scores = np.zeros((Q.shape[0], Q.shape[0]))
    for i in range(Q.shape[0]):
        for j in range(Q.shape[0]):
            scores[i, j] = np.sum(Q[i] * K[j])
    return scores


def scores_returned_too_early(Q, K):
    scores = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            scores[i, j] = Q[i] @ K[j]
        return scores


def scores_by_loops(Q, K):
    return [[sum(a * b for a, b in zip(q, k, strict=True)) for k in K] for q in Q]


def scores_by_broadcasting(Q, K):
    return (Q[:, np.newaxis] * K[np.newaxis]).sum(axis=-1)


def scores_by_distances(Q, K):
    squares = ((Q[:, None] - K) ** 2).sum(axis=-1)
    return ((Q**2).sum(axis=1)[:, None] + (K**2).sum(axis=1) - squares) / 2


def cosines_over_keys(Q, K):
    return Q @ (K / np.linalg.norm(K, axis=1, keepdims=True)).T


def cosines_over_queries(Q, K):
    return np.array([[q @ k / math.sqrt(q @ q) for k in K] for q in Q])


def cosines_without_root(Q, K):
    return (Q @ K.T) / np.outer(np.sum(Q * Q, axis=1), np.sum(K * K, axis=1))


def cosines_one_norm(Q, K):
    return Q @ K.T / (np.linalg.norm(Q) * np.linalg.norm(K))


def cosines_of_columns(Q, K):
    return (Q / np.linalg.norm(Q, axis=0)) @ (K / np.linalg.norm(K, axis=0)).T


def cosines_without_brackets(Q, K):
    q_length = np.sqrt((Q**2).sum(axis=1, keepdims=True))
    k_length = np.sqrt((K**2).sum(axis=1, keepdims=True))
    return Q @ K.T / q_length * k_length.T


def cosines_without_keepdims(Q, K):
    return Q @ K.T / (np.linalg.norm(Q, axis=1) * np.linalg.norm(K, axis=1))


def cosines_without_transposing(Q, K):
    q_length = np.sqrt((Q**2).sum(axis=1, keepdims=True))
    k_length = np.sqrt((K**2).sum(axis=1, keepdims=True))
    return (Q @ K.T) / (q_length * k_length)


def cosines_keys_first(Q, K):
    return [[k @ q / math.sqrt((k @ k) * (q @ q)) for q in Q] for k in K]


def cosines_without_one_root(Q, K):
    return Q @ K.T / np.outer(np.linalg.norm(Q, axis=1), (K**2).sum(axis=1))


def cosines_manhattan(Q, K):
    return Q @ K.T / np.outer(abs(Q).sum(axis=1), abs(K).sum(axis=1))


def cosines_by_loops(Q, K):
    out = np.empty((len(Q), len(K)))
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            out[i, j] = sum(q * k) / (math.hypot(*q) * math.hypot(*k))
    return out


def cosines_of_unit_vectors(Q, K):
    return np.inner(Q / np.linalg.norm(Q, axis=1)[:, None], K / np.linalg.norm(K, axis=1)[:, None])


def cosines_by_distances(Q, K):
    units_q, units_k = (x / np.sqrt((x * x).sum(1, keepdims=True)) for x in (Q, K))
    return 1 - ((units_q[:, None] - units_k) ** 2).sum(-1) / 2


def mended_still_reshaped(X, W_Q, W_K):
    queries, keys = np.dot(X, W_Q), np.dot(X, W_K)
    return np.dot(queries, keys.ravel().reshape(W_K.shape[1], len(X)))


def mended_column_major(X, W_Q, W_K):
    K = X @ W_K
    return X @ W_Q @ K.reshape(K.shape[::-1], order="F")


def mended_keys_ask(X, W_Q, W_K):
    return (X @ W_K) @ (X @ W_Q).T


def mended_one_matrix(X, W_Q, W_K):
    return X @ W_K @ W_K.T @ X.T


def mended_only_queries(X, W_Q, W_K):
    Q, K = X @ W_Q, X @ W_Q
    return Q @ K.T


def mended_if_the_shapes_differ(X, W_Q, W_K):
    Q, K = X @ W_Q, X @ W_K
    tokens, d_k = K.shape
    if tokens != d_k:
        return Q @ K.T
    return Q @ K.reshape(d_k, tokens)


def mended_embeddings(X, W_Q, W_K):
    return np.array([[x @ y for y in X] for x in X])


def mended_over_tokens(X, W_Q, W_K):
    return np.einsum("tc,td->cd", X @ W_Q, X @ W_K)


def mended_scaled(X, W_Q, W_K):
    Q, K = X @ W_Q, X @ W_K
    return np.einsum("ic,jc->ij", Q, K) / np.sqrt(Q.shape[-1])


def mended_by_loops(X, W_Q, W_K):
    out = np.zeros((len(X), len(X)))
    for i, asking in enumerate(X):
        for j, asked in enumerate(X):
            out[i, j] = np.dot(asking @ W_Q, asked @ W_K)
    return out


def mended_folded(X, W_Q, W_K):
    return X @ (W_Q @ W_K.T) @ X.T


def mended_reshape_that_is_right(X, W_Q, W_K):
    K = X @ W_K
    return (X @ W_Q) @ K.ravel(order="F").reshape(K.shape[1], K.shape[0])


WRONG = {
    "all_scores": [
        (scores_keys_first, "transposed"),
        (scores_not_summed, "not summed"),
        (scores_overwritten, "last term only"),
        (scores_of_queries, "queries with queries"),
        (scores_reshaped, "reshaped"),
        (scores_scaled, "scaled"),
        (scores_copied_from_the_notebook, "sizes of the notebook"),
        (scores_of_two_entries, "two entries"),
        (scores_square, "queries counted twice"),
        (scores_loops_over_queries, "queries counted twice"),
        (scores_returned_too_early, "first row only"),
        (lambda Q, K: cosines_by_loops(Q, K), "cosines"),
        (scores_elementwise, ""),
    ],
    "all_cosines": [
        (scores_by_loops, "not divided"),
        (cosines_over_keys, "keys only"),
        (cosines_over_queries, "queries only"),
        (cosines_without_root, "squared lengths"),
        (cosines_one_norm, "one length for all"),
        (cosines_of_columns, "wrong axis"),
        (cosines_without_brackets, "no brackets"),
        (cosines_without_keepdims, "both along the columns"),
        (cosines_without_transposing, "both along the rows"),
        (cosines_keys_first, "transposed"),
        (cosines_without_one_root, ""),
        (cosines_manhattan, ""),
        (lambda Q, K: np.arccos(cosines_by_loops(Q, K)), ""),
    ],
    "new_score": [
        (4 * 12 + 3 * -5, "before"),
        (3 * 33, "not turned"),
        (-33, "not stretched"),
        (-9 * 33, "stretched twice"),
        (-4 * 36 - 3 * 15, "minus lost"),
        (-98, ""),
    ],
    "new_cosine": [
        (0.508, "not turned"),
        (-1.523, "old lengths"),
        (-0.169, "old score"),
        (-2.538, "keys only"),
        (-0.51, "two decimals"),
        (-0.5, ""),
    ],
    "counterexample": [
        ((np.array([[3.0, 1.0, 2.0]]), np.eye(3), np.diag([2.0, 1.0, 4.0])), "one token"),
        ((np.array([[1.0], [2.0]]), np.array([[3.0]]), np.array([[2.0]])), "width 1"),
        ((np.ones((2, 2)), np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones((2, 2))), "symmetric keys"),
        ((np.ones((3, 2)), np.eye(3), np.eye(3)), ""),  # sizes that don't fit
        ((np.ones((3, 2)), np.eye(2)), ""),  # W_K is missing
        ((np.ones((20, 2)), np.eye(2), np.eye(2)), ""),
        ((np.array([[1e200, 2.0], [3.0, np.inf]]), np.eye(2), np.eye(2)), ""),
        (np.array([[1.0, 2.0], [3.0, 4.0]]), ""),  # the keys alone
        ([np.eye(2), [[1.0], [2.0, 3.0]], np.eye(2)], ""),  # rows of two lengths
    ],
    "mended_scores": [
        (mended_still_reshaped, "as given"),
        (mended_keys_ask, "transposed"),
        (mended_one_matrix, "one matrix for both"),
        (mended_only_queries, "queries for both"),
        (mended_if_the_shapes_differ, "square left alone"),
        (mended_embeddings, "not projected"),
        (mended_over_tokens, "summed over tokens"),
        (mended_scaled, "scaled"),
        (mended_column_major, ""),
    ],
    "row_scores": [
        (lambda Q, K: np.inner(Q, K), "all pairs"),
        (lambda Q, K: sum(q * k for q, k in zip(Q, K, strict=True)), "wrong axis"),
        (lambda Q, K: np.vdot(Q, K), "one number"),
        (np.multiply, "not summed"),
        (lambda Q, K: [np.mean(Q[i] * K[i]) for i in range(len(Q))], "mean"),
        (lambda Q, K: np.einsum("pc,pc->p", Q, K) / math.sqrt(len(Q[0])), "scaled"),
        (lambda Q, K: [q @ k / (math.hypot(*q) * math.hypot(*k)) for q, k in zip(Q, K, strict=True)], "cosines"),
        (lambda Q, K: np.sum(Q * K, axis=-1, keepdims=True), "a column"),
    ],
}

RIGHT = {
    "all_scores": [scores_by_loops, scores_by_broadcasting, scores_by_distances, np.inner],
    "all_cosines": [cosines_by_loops, cosines_of_unit_vectors, cosines_by_distances],
    "new_score": [-99, np.float32(-99), 4 * -36 + 3 * 15.0],
    "new_cosine": [-0.508, -33 / 65, np.float32(-0.5077)],
    "counterexample": [
        (np.array([[1.0, 2.0], [3.0, 4.0]]), np.eye(2), np.eye(2)),  # three arrays of one shape
        ([[1, 2, 3], [4, 5, 6]], [[1, 0], [0, 1], [0, 0]], [[1, 2], [0, 1], [2, 2]]),
        [[[0, 1], [2, 3], [4, 5]], [[1, 0], [0, 1]], [[1, 0], [0, 1]]],  # a list of lists, each of its own shape
        (np.arange(12).reshape(4, 3), np.ones((3, 2)), np.array([[1, 0], [0, 1], [1, 1]])),
    ],
    "mended_scores": [mended_by_loops, mended_folded, mended_reshape_that_is_right],
    "row_scores": [
        lambda Q, K: np.diag(Q @ K.T),
        lambda Q, K: [float(q @ k) for q, k in zip(Q, K, strict=True)],
        lambda Q, K: np.einsum("pc,pc->p", Q, K),
    ],
}
