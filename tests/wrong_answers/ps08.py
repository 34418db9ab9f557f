"""Problem set 08, the way students answer it: with typical mistakes, and in several right ways."""

import math

import numpy as np


def softmax(scores, axis=-1):
    exps = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exps / exps.sum(axis=axis, keepdims=True)


def split_one_reshape(Y, heads):
    T, width = Y.shape
    return np.reshape(Y, (heads, T, width // heads))


def split_tokens_first(Y, heads):
    return np.stack(np.split(Y, heads, axis=1), axis=1)


def split_strided(Y, heads):
    return np.array([Y[:, i::heads] for i in range(heads)])


def split_of_the_transpose(Y, heads):
    return Y.T.reshape(heads, -1, Y.shape[0])


def split_by_slices(Y, heads):
    d_k = Y.shape[1] // heads
    return np.array([Y[:, i * d_k : (i + 1) * d_k] for i in range(heads)])


def split_by_loops(Y, heads):
    T, d_k = Y.shape[0], Y.shape[1] // heads
    out = np.zeros((heads, T, d_k))
    for i in range(heads):
        for t in range(T):
            for c in range(d_k):
                out[i, t, c] = Y[t, i * d_k + c]
    return out


def merge_one_reshape(heads_out):
    h, T, d_v = heads_out.shape
    return np.reshape(heads_out, (T, h * d_v))


def merge_alternating(heads_out):
    return np.stack(list(heads_out), axis=-1).reshape(heads_out.shape[1], -1)


def merge_concatenated_down(heads_out):
    return np.concatenate(list(heads_out), axis=0)


def merge_left_in_two_axes(heads_out):
    return [[head[t] for head in heads_out] for t in range(heads_out.shape[1])]


def merge_added(heads_out):
    total = 0
    for head in heads_out:
        total = total + head
    return total


def merge_transposed(heads_out):
    return np.hstack(list(heads_out)).T


def merge_by_loops(heads_out):
    h, T, d_v = heads_out.shape
    return [[heads_out[i, t, c] for i in range(h) for c in range(d_v)] for t in range(T)]


def layer_by_slices(X, W_Q, W_K, W_V, W_O, heads, root=None, axis=-1):
    """A loop over the heads; `root` is what the scores are divided by."""
    d_k, d_v = W_Q.shape[1] // heads, W_V.shape[1] // heads
    found = []
    for i in range(heads):
        q, k = X @ W_Q[:, i * d_k : (i + 1) * d_k], X @ W_K[:, i * d_k : (i + 1) * d_k]
        v = X @ W_V[:, i * d_v : (i + 1) * d_v]
        found.append(softmax(q @ k.T / (root or math.sqrt(d_k)), axis) @ v)
    return np.concatenate(found, axis=1) @ W_O


def layer_unscaled(X, W_Q, W_K, W_V, W_O, heads):
    return layer_by_slices(X, W_Q, W_K, W_V, W_O, heads, root=1)


def layer_by_d_k(X, W_Q, W_K, W_V, W_O, heads):
    return layer_by_slices(X, W_Q, W_K, W_V, W_O, heads, root=W_Q.shape[1] // heads)


def layer_by_model_width(X, W_Q, W_K, W_V, W_O, heads):
    d_model = X.shape[-1]
    return layer_by_slices(X, W_Q, W_K, W_V, W_O, heads, root=d_model**0.5)


def layer_by_width_of_q(X, W_Q, W_K, W_V, W_O, heads):
    Q = X @ W_Q
    return layer_by_slices(X, W_Q, W_K, W_V, W_O, heads, root=np.sqrt(Q.shape[1]))


def layer_scaled_by_convention(X, W_Q, W_K, W_V, W_O, heads):
    return layer_by_slices(X, W_Q, W_K, W_V, W_O, heads, root=np.sqrt(X.shape[1] // heads))


def layer_copied_from_the_notebook(X, W_Q, W_K, W_V, W_O, heads):
    d_k = X.shape[1] // heads
    each_head = []
    for i in range(heads):
        columns = slice(i * d_k, (i + 1) * d_k)
        q, k, v = X @ W_Q[:, columns], X @ W_K[:, columns], X @ W_V[:, columns]
        each_head.append(softmax(q @ k.T / math.sqrt(d_k)) @ v)
    return np.concatenate(each_head, axis=1) @ W_O


def layer_reshaped_by_convention(X, W_Q, W_K, W_V, W_O, heads):
    """Raises an error, which gets no hint but does show the line and what was expected."""
    T, d_model = X.shape
    Q, K, V = ((X @ W).reshape(T, heads, d_model // heads).swapaxes(0, 1) for W in (W_Q, W_K, W_V))
    return merge_by_loops(attend(Q, K, V)) @ W_O


def layer_by_width_of_v(X, W_Q, W_K, W_V, W_O, heads):
    return layer_by_slices(X, W_Q, W_K, W_V, W_O, heads, root=math.sqrt(W_V.shape[1] // heads))


def layer_divided_late(X, W_Q, W_K, W_V, W_O, heads):
    Q, K, V = (split_by_slices(X @ W, heads) for W in (W_Q, W_K, W_V))
    weights = softmax(Q @ K.transpose(0, 2, 1)) / np.sqrt(Q.shape[-1])
    return np.hstack(list(weights @ V)) @ W_O


def layer_keys_ask(X, W_Q, W_K, W_V, W_O, heads):
    Q, K, V = (split_by_slices(X @ W, heads) for W in (W_Q, W_K, W_V))
    return np.hstack(list(softmax(K @ Q.transpose(0, 2, 1) / np.sqrt(Q.shape[-1])) @ V)) @ W_O


def layer_down_the_columns(X, W_Q, W_K, W_V, W_O, heads):
    return layer_by_slices(X, W_Q, W_K, W_V, W_O, heads, axis=0)


def layer_not_split(X, W_Q, W_K, W_V, W_O, heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    return softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V @ W_O


def layer_without_last_matrix(X, W_Q, W_K, W_V, W_O, heads):
    Q, K, V = (split_by_slices(X @ W, heads) for W in (W_Q, W_K, W_V))
    return np.hstack(list(softmax(Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[2])) @ V))


def layer_with(split, merge):
    def layer(X, W_Q, W_K, W_V, W_O, heads):
        Q, K, V = split(X @ W_Q, heads), split(X @ W_K, heads), split(X @ W_V, heads)
        scores = np.einsum("htc,hsc->hts", Q, K) * Q.shape[-1] ** -0.5
        return np.asarray(merge(np.einsum("hts,hsc->htc", softmax(scores), V))) @ W_O

    return layer


def layer_heads_added(X, W_Q, W_K, W_V, W_O, heads):
    return layer_with(split_by_slices, merge_added)(X, W_Q, W_K, W_V, W_O, heads)


def layer_as_a_sum(X, W_Q, W_K, W_V, W_O, heads):
    total = np.zeros_like(X)
    cut = [np.split(W, heads, axis=1) for W in (W_Q, W_K, W_V)] + [np.split(W_O, heads)]
    for w_q, w_k, w_v, w_o in zip(*cut, strict=True):
        scores = X @ (w_q @ w_k.T) @ X.T / np.sqrt(w_q.shape[1])
        total = total + softmax(scores) @ X @ (w_v @ w_o)
    return total


def attend(Q, K, V, root=None):
    scores = Q @ np.swapaxes(K, -1, -2) / (root or np.sqrt(Q.shape[-1]))
    return softmax(scores) @ V


def grouped_as_given(Q, K, V):
    heads, Tq, d_k = Q.shape
    groups = Q.reshape(heads // len(K), len(K), Tq, d_k)
    return attend(groups, K, V).reshape(heads, Tq, V.shape[-1])


def grouped_by_tile(Q, K, V):
    g = Q.shape[0] // K.shape[0]
    return attend(Q, np.tile(K, (g, 1, 1)), np.tile(V, (g, 1, 1)))


def grouped_by_remainder(Q, K, V):
    return [attend(q, K[i % len(K)], V[i % len(V)]) for i, q in enumerate(Q)]


def grouped_keys_only(Q, K, V):
    g = len(Q) // len(K)
    return np.array([attend(Q[i], K[i // g], V[i % len(V)]) for i in range(len(Q))])


def grouped_values_only(Q, K, V):
    g = len(Q) // len(K)
    return attend(Q, np.tile(K, (g, 1, 1)), np.repeat(V, g, axis=0))


def grouped_swapped_and_left(Q, K, V):
    heads, Tq, d_k = Q.shape
    groups = Q.reshape(len(K), heads // len(K), Tq, d_k).swapaxes(0, 1)  # (g, h_kv, Tq, d_k)
    return attend(groups, K, V).reshape(heads, Tq, V.shape[2])


def grouped_by_repeat(Q, K, V, root=None):
    g = Q.shape[0] // K.shape[0]
    return attend(Q, np.repeat(K, g, axis=0), np.repeat(V, g, axis=0), root)


def grouped_swapped_and_back(Q, K, V):
    heads, Tq, d_k = Q.shape
    groups = Q.reshape(len(K), -1, Tq, d_k).swapaxes(0, 1)
    return attend(groups, K, V).swapaxes(0, 1).reshape(heads, Tq, -1)


def grouped_by_loop(Q, K, V):
    g = len(Q) // len(K)
    return [attend(q, K[i // g], V[i // g]) for i, q in enumerate(Q)]


def grouped_as_longer_queries(Q, K, V):
    heads, Tq, d_k = Q.shape
    return attend(Q.reshape(len(K), -1, d_k), K, V).reshape(heads, Tq, -1)


def grouped_down_the_columns(Q, K, V):
    g = len(Q) // len(K)
    return [softmax(q @ K[i // g].T / math.sqrt(len(q[0])), axis=0) @ V[i // g] for i, q in enumerate(Q)]


def grouped_mean(Q, K, V):
    return attend(Q, K.mean(axis=0), V.mean(axis=0))


def multihead_of_the_first(X, W_Q, W_K, W_V, W_O, heads):
    d_k, d_v, out = W_Q.shape[1] // heads, W_V.shape[1] // heads, []
    for _ in range(heads):
        weights = softmax(X @ W_Q[:, :d_k] @ (X @ W_K[:, :d_k]).T / np.sqrt(d_k))
        out.append(weights @ X @ W_V[:, :d_v])
    return np.hstack(out) @ W_O


def grouped_first_for_all(Q, K, V):
    return np.stack([softmax(q @ K[0].T / math.sqrt(len(q[0]))) @ V[0] for q in Q])


WRONG = {
    "split_heads": [
        (split_one_reshape, "reshape alone"),
        (split_tokens_first, "heads not in front"),
        (split_strided, "every h-th column"),
        (split_of_the_transpose, "transposed"),
    ],
    "merge_heads": [
        (merge_one_reshape, "reshape alone"),
        (merge_alternating, "columns in turn"),
        (merge_concatenated_down, "below each other"),
        (merge_left_in_two_axes, "not joined"),
        (merge_added, "summed"),
        (merge_transposed, ""),
    ],
    "multihead": [
        (multihead_of_the_first, "one head for all"),
        (layer_unscaled, "no scale"),
        (layer_by_d_k, "1/d_k"),
        (layer_by_model_width, "sqrt(d_model)"),
        (layer_by_width_of_q, "sqrt(h d_k)"),
        (layer_down_the_columns, "wrong axis"),
        (layer_not_split, "one big head"),
        (layer_without_last_matrix, "no W_O"),
        (layer_with(split_one_reshape, merge_by_loops), "split by reshape"),
        (layer_with(split_by_slices, merge_one_reshape), "merge by reshape"),
        (layer_with(split_one_reshape, merge_one_reshape), ""),
        (layer_copied_from_the_notebook, "d_model / h"),
        (layer_scaled_by_convention, "sqrt(d_model / h)"),
        (layer_by_width_of_v, "sqrt(d_v)"),
        (layer_divided_late, "scale after softmax"),
        (layer_keys_ask, "queries and keys exchanged"),
        (layer_reshaped_by_convention, ""),
        (layer_heads_added, ""),
    ],
    "kept_percent": [
        (20, "heads only"),
        (40, "saved"),
        (46.67, "W_O left out"),
        (80, "keys only"),
        (3 / 5, "a fraction"),
        (36, ""),
    ],
    "cache_mib": [
        (2880, "all query heads"),
        (288, "half"),
        (16, "one layer"),
        (360, "a group"),
        (604, "megabytes"),
        (72, "no heads"),
        (2 * 2 * 36 * 8 * 128 * 4096, "bytes"),
        (0.5625, "gibibytes"),
        (500, ""),
    ],
    "counterexample": [
        ((np.ones((6, 1, 1)), np.ones((1, 2, 1)), np.array([[[1.0], [2.0]]])), "one for all"),
        ((np.ones((2, 1, 1)), np.ones((2, 1, 1)), np.array([[[1.0]], [[2.0]]])), "one for each"),
        ((np.ones((4, 1, 1)), np.ones((2, 3, 1)), np.full((2, 3, 2), 5.0)), "heads alike"),
        ((np.ones((5, 1, 1)), np.ones((2, 1, 1)), np.ones((2, 1, 1))), ""),  # five can't share two
        ((np.ones((4, 3)), np.ones((2, 3)), np.ones((2, 3))), ""),
    ],
    "mended_grouped": [
        (grouped_first_for_all, "one head for all"),
        (grouped_as_given, "as given"),
        (grouped_by_tile, "as given"),
        (grouped_by_remainder, "as given"),
        (grouped_keys_only, "values as given"),
        (grouped_values_only, "keys as given"),
        (grouped_swapped_and_left, "order not put back"),
        (lambda Q, K, V: grouped_by_repeat(Q, K, V, root=1), "no scale"),
        (lambda Q, K, V: grouped_by_repeat(Q, K, V, root=Q.shape[2]), "1/d_k"),
        (grouped_down_the_columns, "wrong axis"),
        (grouped_mean, ""),
    ],
}

RIGHT = {
    "split_heads": [
        split_by_slices,
        split_by_loops,
        lambda Y, heads: np.split(Y, heads, axis=1),
        lambda Y, heads: Y.T.reshape(heads, -1, len(Y)).transpose(0, 2, 1),
    ],
    "merge_heads": [
        merge_by_loops,
        lambda heads_out: np.hstack(list(heads_out)),
        lambda heads_out: heads_out.transpose(0, 2, 1).reshape(-1, heads_out.shape[1]).T,
    ],
    "multihead": [layer_by_slices, layer_as_a_sum, layer_with(split_by_loops, merge_by_loops)],
    "kept_percent": [60, 100 * (2 * 40 + 2 * 8) / (4 * 40), np.array(60.0)],
    "cache_mib": [576, 2 * 36 * 8 * 128 * 4096 * 2 / 1024**2, np.array(576.0)],
    "counterexample": [
        (np.ones((6, 1, 1)), np.ones((2, 1, 1)), np.array([[[0]], [[1]]])),
        (np.ones((4, 2, 1)), np.array([[[0.0], [1.0]], [[1.0], [0.0]]]), np.array([[[1.0], [2.0]]] * 2)),  # by keys
    ],
    "mended_grouped": [
        grouped_by_repeat,
        grouped_by_loop,
        grouped_swapped_and_back,
        grouped_as_longer_queries,
    ],
}
