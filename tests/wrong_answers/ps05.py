"""Problem set 05, the way students answer it: with typical mistakes, and in several right ways."""

import math

import numpy as np


def softmax_rows(scores):
    exps = np.exp(scores - np.max(scores, axis=1)[:, None])
    return exps / np.sum(exps, axis=1)[:, None]


def attention_unscaled(Q, K, V):
    return softmax_rows(np.einsum("ic,jc->ij", Q, K)) @ V


def attention_over_width(Q, K, V):
    return softmax_rows((Q / Q.shape[1]) @ K.T) @ V


def attention_over_root_of_keys(Q, K, V):
    return softmax_rows(np.dot(Q, K.T) / np.sqrt(K.shape[0])) @ V


def attention_weights_scaled(Q, K, V):
    weights = softmax_rows(Q @ K.T) / math.sqrt(K.shape[1])
    return weights @ V


def attention_down_the_columns(Q, K, V):
    scores = K @ Q.T / math.sqrt(K.shape[1])
    return softmax_rows(scores).T @ V


def attention_stops_early(Q, K, V):
    return softmax_rows(Q @ K.T / math.sqrt(len(Q[0])))


def attention_textbook(Q, K, V):
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    return exps / exps.sum(axis=1, keepdims=True) @ V


def attention_one_maximum(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    exps = np.exp(scores - np.max(scores))
    return (exps @ V) / exps.sum(axis=1, keepdims=True)


def attention_clipped(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    exps = np.array([[math.exp(min(max(s, -700), 700)) for s in row] for row in scores])
    return exps / exps.sum(axis=1, keepdims=True) @ V


def attention_clipped_for_float32(Q, K, V):
    exps = np.exp((Q @ K.T / np.sqrt(Q.shape[1])).clip(-80, 80))
    return exps / exps.sum(axis=1, keepdims=True) @ V


def attention_nan_to_num(Q, K, V):
    return np.nan_to_num(attention_textbook(Q, K, V))


def softmax_shifted(scores, shift):
    exps = np.exp(scores - shift)
    return exps / exps.sum(axis=1, keepdims=True)


def attention_times_root(Q, K, V):
    return softmax_rows(Q @ K.T * math.sqrt(Q.shape[1])) @ V


def attention_about_the_mean(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    return softmax_shifted(scores, scores.mean(axis=1, keepdims=True)) @ V


def attention_above_the_minimum(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    return softmax_shifted(scores, np.min(scores, axis=1)[:, None]) @ V


def attention_above_the_first(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    return softmax_shifted(scores, scores[:, :1]) @ V


def attention_over_root_of_value_width(Q, K, V):
    return softmax_rows(Q @ K.T / np.sqrt(V.shape[1])) @ V


def attention_by_loops(Q, K, V):
    out = np.zeros((len(Q), V.shape[1]))
    for i, q in enumerate(Q):
        scores = [sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q)) for k in K]
        exps = [math.exp(s - max(scores)) for s in scores]
        for e, v in zip(exps, V, strict=True):
            out[i] += e / sum(exps) * v
    return out


def attention_by_logarithms(Q, K, V):
    scores = (Q * Q.shape[1] ** -0.5) @ K.T
    return np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)) @ V


def attention_key_by_key(Q, K, V):
    """A running maximum, a running sum and a running output: never all scores at once."""
    top = np.full((len(Q), 1), -np.inf)
    total, out = np.zeros((len(Q), 1)), np.zeros((len(Q), V.shape[1]))
    for k, v in zip(K, V, strict=True):
        score = (Q @ k)[:, None] / math.sqrt(len(k))
        higher = np.maximum(top, score)
        total = total * np.exp(top - higher) + np.exp(score - higher)
        out = out * np.exp(top - higher) + np.exp(score - higher) * v
        top = higher
    return out / total


def masked_unscaled(Q, K, V, mask):
    return masked_by_loops(Q * math.sqrt(Q.shape[1]), K, V, mask)


def masked_over_width(Q, K, V, mask):
    return masked_by_loops(Q / math.sqrt(Q.shape[1]), K, V, mask)


def masked_too_late(Q, K, V, mask):
    weights = softmax_rows(Q @ K.T / np.sqrt(Q.shape[1]))
    weights[~mask] = 0
    return weights @ V


def masked_and_divided_again(Q, K, V, mask):
    weights = np.where(mask, softmax_rows(Q @ K.T / np.sqrt(Q.shape[1])), 0)
    return weights / weights.sum(axis=1, keepdims=True) @ V


def maximum_before_mask(Q, K, V, mask):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    scores = scores - scores.max(axis=1, keepdims=True)
    scores[~mask] = -np.inf
    return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True) @ V


def exponentials_times_mask(Q, K, V, mask):
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[1])) * mask
    return exps / exps.sum(axis=1, keepdims=True) @ V


def masked_divided_again_no_nan(Q, K, V, mask):
    weights = softmax_rows(Q @ K.T / np.sqrt(Q.shape[1]))
    weights[~mask] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    return np.nan_to_num(weights) @ V


def maximum_of_all_keys_safe_sum(Q, K, V, mask):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    exps = np.where(mask, np.exp(scores - scores.max(axis=1, keepdims=True)), 0)
    total = exps.sum(axis=1, keepdims=True)
    total[total == 0] = 1
    return exps @ V / total


def hidden_score(number):
    def masked(Q, K, V, mask):
        scores = Q @ K.T / np.sqrt(Q.shape[1])
        scores[~mask] = number
        return softmax_rows(scores) @ V

    return masked


def mask_added_as_thousands(Q, K, V, mask):
    return softmax_rows(np.where(mask, Q @ K.T / np.sqrt(Q.shape[1]), 0) - 1000 * ~mask) @ V


def visible_exponentials_only(Q, K, V, mask):
    exps = np.where(mask, np.exp(Q @ K.T / np.sqrt(Q.shape[1])), 0)
    return exps @ V / exps.sum(axis=1, keepdims=True)


def score_0_and_weight_0(Q, K, V, mask):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    scores[~mask] = 0
    weights = softmax_rows(scores)
    weights[~mask] = 0
    return weights @ V


def masked_the_other_way(Q, K, V, mask):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    scores[mask] = -np.inf
    return softmax_rows(scores) @ V


def scores_times_mask(Q, K, V, mask):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    return softmax_rows(np.where(mask, scores, 0)) @ V


def minus_one_where_hidden(Q, K, V, mask):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    return softmax_rows(np.where(mask, scores, scores - 1)) @ V


def mask_forgotten(Q, K, V, mask):
    return attention_by_loops(Q, K, V)


def thousand_times_one_minus_mask(Q, K, V, mask):
    return softmax_rows(Q @ K.T / np.sqrt(Q.shape[1]) - 1000 * (1 - mask)) @ V


def masked_shifted(shift):
    def masked(Q, K, V, mask):
        scores = Q @ K.T / np.sqrt(Q.shape[1])
        exps = np.where(mask, np.exp(scores - shift(scores)), 0)
        return exps / exps.sum(axis=1, keepdims=True) @ V

    return masked


def masked_down_the_columns(Q, K, V, mask):
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[1])) * mask
    return exps / exps.sum(axis=0) @ V


def masked_one_maximum(Q, K, V, mask):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    scores[~mask] = -np.inf
    return softmax_shifted(scores, np.max(scores)) @ V


def masked_plain(Q, K, V, mask):
    scores = np.where(mask, Q @ K.T / np.sqrt(Q.shape[1]), -np.inf)
    return softmax_rows(scores) @ V


def masked_minus_a_billion(Q, K, V, mask):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    scores[~mask] = -1e9
    return softmax_rows(scores) @ V


def blind_sees_all(Q, K, V, mask):
    mask = mask.copy()
    for row in mask:
        if not row.any():
            row[:] = True
    return masked_plain(Q, K, V, mask)


def masked_by_loops(Q, K, V, mask):
    out = np.zeros((len(Q), V.shape[1]))
    for i in range(len(Q)):
        seen = [j for j in range(len(K)) if mask[i, j]]
        if seen:
            out[i] = attention_by_loops(Q[i : i + 1], K[seen], V[seen])[0]
    return out


def masked_then_nan_to_num(Q, K, V, mask):
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(masked_plain(Q, K, V, mask))


def masked_safe_division(Q, K, V, mask):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    top = np.max(scores, axis=1, keepdims=True, where=mask, initial=-1e30)
    exps = np.exp(scores - top, where=mask, out=np.zeros_like(scores))
    total = exps.sum(axis=1, keepdims=True)
    return exps @ V / np.where(total == 0, 1, total)


def masked_twice(Q, K, V, mask):
    scores = np.where(mask, Q @ K.T / np.sqrt(Q.shape[1]), -1e9)
    return (softmax_rows(scores) * mask) @ V


def self_as_given(X, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    exps = np.exp(K @ Q.T / np.sqrt(Q.shape[-1]))
    weights = exps / exps.sum(axis=-1)
    return weights @ V


def self_scores_mended(X, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    exps = np.exp(Q @ K.T / np.sqrt(K.shape[-1]))
    return (exps / exps.sum(axis=-1)) @ V


def self_scores_mended_and_maximum(X, W_Q, W_K, W_V):
    scores = X @ W_Q @ (X @ W_K).T / np.sqrt(W_K.shape[-1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (exps / exps.sum(axis=-1)) @ (X @ W_V)


def self_rows_mended(X, W_Q, W_K, W_V):
    return softmax_rows(X @ W_K @ W_Q.T @ X.T / math.sqrt(W_K.shape[1])) @ X @ W_V


def self_columns(X, W_Q, W_K, W_V):
    scores = (X @ W_Q) @ (X @ W_K).T / np.sqrt(W_Q.shape[-1])
    exps = np.exp(scores - scores.max(axis=0))
    return exps / exps.sum(axis=0) @ (X @ W_V)


def self_columns_as_given(X, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    exps = np.exp(K @ Q.T / np.sqrt(Q.shape[-1]))
    weights = exps / exps.sum(axis=0)
    return weights @ V


def self_one_sum(X, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[-1]))
    return exps / exps.sum() @ V


def self_over_root_of_tokens(X, W_Q, W_K, W_V):
    return softmax_rows((X @ W_Q) @ (X @ W_K).T / math.sqrt(len(X))) @ (X @ W_V)


def self_unscaled(X, W_Q, W_K, W_V):
    return attention_unscaled(X @ W_Q, X @ W_K, X @ W_V)


def self_over_width(X, W_Q, W_K, W_V):
    return attention_over_width(X @ W_Q, X @ W_K, X @ W_V)


def self_by_loops(X, W_Q, W_K, W_V):
    return attention_by_loops(*([x @ W for x in X] for W in (W_Q, W_K)), np.array([x @ W_V for x in X]))


def self_folded(X, W_Q, W_K, W_V):
    compare = W_Q / math.sqrt(W_Q.shape[1]) @ W_K.T
    return softmax_rows(X @ compare @ X.T) @ X @ W_V


def masked_by_products_with_infinity(Q, K, V, mask):
    return softmax_rows(Q @ K.T / np.sqrt(Q.shape[1]) + (1 - mask) * -np.inf) @ V


def masked_over_root_of_value_width(Q, K, V, mask):
    return softmax_rows(np.where(mask, Q @ K.T, -np.inf) / math.sqrt(len(V[0]))) @ V


def masked_softmax_of_the_columns(Q, K, V, mask):
    scores = np.where(mask, Q @ K.T / np.sqrt(Q.shape[1]), -np.inf)
    exps = np.exp(scores - scores.max(axis=0))
    return np.nan_to_num(exps / exps.sum(axis=0)) @ V


WRONG = {
    "attention": [
        (attention_unscaled, "no scale"),
        (attention_over_width, "1/d_k"),
        (attention_over_root_of_keys, "number of keys"),
        (attention_weights_scaled, "scaled after softmax"),
        (attention_down_the_columns, "wrong axis"),
        (attention_stops_early, "weights"),
        (attention_times_root, "multiplied"),
        (attention_about_the_mean, "mean or minimum subtracted"),
        (attention_above_the_minimum, "mean or minimum subtracted"),
        (attention_above_the_first, "mean or minimum subtracted"),
        (attention_textbook, "no maximum"),
        (attention_one_maximum, "global maximum"),
        (attention_clipped, "clipped"),
        (attention_clipped_for_float32, "clipped"),
        (attention_nan_to_num, "NaN replaced"),
        (attention_over_root_of_value_width, "sqrt(d_v)"),
    ],
    "first_weight": [
        (0.982, "no scale"),
        (0.562, "1/d_k"),
        (0.245, "mask after softmax"),
        (0.665, "score 0"),
        (0.269, "second key"),
        (73.1, "percent"),
        (0.73, "two decimals"),
        (0.5, ""),
    ],
    "masked_attention": [
        (masked_by_products_with_infinity, "zero times infinity"),
        (masked_over_root_of_value_width, "sqrt(d_v)"),
        (masked_softmax_of_the_columns, "wrong axis"),
        (masked_unscaled, "no scale"),
        (masked_over_width, "1/d_k"),
        (masked_too_late, "mask after softmax"),
        (masked_and_divided_again, "divided again"),
        (masked_divided_again_no_nan, "pushed down to 0"),
        (maximum_of_all_keys_safe_sum, "pushed down to 0"),
        (maximum_before_mask, "divided again"),
        (exponentials_times_mask, "no maximum, mask afterwards"),
        (masked_the_other_way, "mask inverted"),
        (scores_times_mask, "score 0"),
        (score_0_and_weight_0, "score 0, weight 0"),
        (hidden_score(-20), "finite score"),
        (hidden_score(-50), "finite score"),
        (hidden_score(-100), "finite score"),
        (hidden_score(-1000), "finite score"),
        (mask_added_as_thousands, "finite score"),
        (visible_exponentials_only, "no maximum"),
        (minus_one_where_hidden, "mask added"),
        (mask_forgotten, "mask ignored"),
        (thousand_times_one_minus_mask, "finite number subtracted"),
        (masked_shifted(lambda s: s.mean(axis=1, keepdims=True)), "mean or minimum subtracted"),
        (masked_shifted(lambda s: s.min(axis=1, keepdims=True)), "mean or minimum subtracted"),
        (masked_shifted(lambda s: s[:, :1]), "mean or minimum subtracted"),
        (masked_down_the_columns, "wrong axis"),
        (masked_one_maximum, "global maximum"),
    ],
    "masked_attention_blind": [
        (masked_unscaled, "no scale"),
        (masked_over_width, "1/d_k"),
        (mask_forgotten, "mask ignored"),
        (masked_plain, "not a number"),
        (masked_and_divided_again, "not a number"),
        (masked_minus_a_billion, "uniform"),
        (hidden_score(-100), "uniform"),
        (blind_sees_all, "sees everything"),
        (masked_too_late, ""),
    ],
    "counterexample": [
        ((np.array([[1.0, 2.0]]), np.eye(2), np.eye(2), np.eye(2)), "one token"),
        ((np.eye(2), np.zeros((2, 1)), np.ones((2, 1)), np.eye(2)), "scores alike"),
        ((np.eye(4), np.eye(4), np.eye(4), np.eye(4)), "same matrices"),
        ((np.array([[1.0], [2.0]]), np.ones((1, 1)), -np.ones((1, 1)), np.zeros((1, 1))), "values alike"),
        ((100 * np.eye(2), np.eye(2), np.ones((2, 2)), np.eye(2)), ""),  # exp overflows
        ((np.eye(2), np.eye(2), np.eye(2)), ""),  # no values
        ((np.eye(2), np.eye(3), np.eye(3), np.eye(2)), ""),
    ],
    "mended_self_attention": [
        (self_as_given, "as given"),
        (self_rows_mended, "query and key swapped"),
        (self_scores_mended, "row sums"),
        (self_columns, "wrong axis"),
        (self_columns_as_given, "wrong axis, swapped"),
        (self_one_sum, "one sum"),
        (self_over_root_of_tokens, "number of tokens"),
        (self_unscaled, "no scale"),
        (self_over_width, "1/d_k"),
        (self_scores_mended_and_maximum, ""),
    ],
}

RIGHT = {
    "attention": [attention_by_loops, attention_by_logarithms, attention_key_by_key],
    "first_weight": [0.731, np.float32(0.73106), 1 / (1 + math.exp(-1))],
    "masked_attention": [masked_by_loops, masked_plain, masked_safe_division, masked_minus_a_billion],
    "masked_attention_blind": [masked_by_loops, masked_then_nan_to_num, masked_safe_division, masked_twice],
    "counterexample": [
        (np.eye(2), np.array([[1, 0], [0, 1]]), np.array([[0, 1], [0, 0]]), np.eye(2)),  # four arrays of one shape
        ([[1, 2], [0, 1], [1, 1]], [[1], [0]], [[0], [1]], [[1, 0, 2], [0, 1, 1]]),
        ([[1], [2]], [[1]], [[1]], [[1]]),  # the rows of its weights don't sum to 1
    ],
    "mended_self_attention": [self_by_loops, self_folded],
}
