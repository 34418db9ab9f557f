"""Problem set 07, the way students answer it: with typical mistakes, and in several right ways."""

import math

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def head_scores(q, k, heads):
    """One head after the other, on its own columns."""
    d_k = q.shape[1] // heads
    columns = [slice(h * d_k, (h + 1) * d_k) for h in range(heads)]
    return np.array([q[:, cut] @ k[:, cut].T for cut in columns])


def scores_as_given(x, y, w_q, b_q, w_k, heads):
    return head_scores(x @ (w_q / np.sqrt(x.shape[-1])) + b_q, y @ w_k, heads)


def scores_without_bias_scaled(x, y, w_q, b_q, w_k, heads):
    d_k = w_q.shape[1] // heads
    return head_scores(x @ (w_q / np.sqrt(d_k)) + b_q, y @ w_k, heads)


def scores_by_token_width(x, y, w_q, b_q, w_k, heads):
    return head_scores((x @ w_q + b_q) / math.sqrt(w_q.shape[0]), y @ w_k, heads)


def scores_by_all_columns(x, y, w_q, b_q, w_k, heads):
    root = w_q.shape[1] ** 0.5
    return head_scores(x @ (w_q / root) + b_q / root, y @ w_k, heads)


def scores_by_token_width_over_heads(x, y, w_q, b_q, w_k, heads):
    d_k = x.shape[-1] // heads
    k = np.stack(np.split(y @ w_k, heads, axis=1))
    q = np.stack(np.split(x @ w_q + b_q, heads, axis=1))
    return q @ k.swapaxes(1, 2) / np.sqrt(d_k)


def scores_without_bias(x, y, w_q, b_q, w_k, heads):
    d_k = w_q.shape[1] // heads
    return head_scores(x @ (w_q / np.sqrt(d_k)), y @ w_k, heads)


def scores_over_width(x, y, w_q, b_q, w_k, heads):
    d_k = w_q.shape[1] // heads
    return head_scores(x @ (w_q / d_k) + b_q / d_k, y @ w_k, heads)


def scores_unscaled(x, y, w_q, b_q, w_k, heads):
    return head_scores(x @ w_q + b_q, y @ w_k, heads)


def scores_scaled_twice(x, y, w_q, b_q, w_k, heads):
    root = math.sqrt(w_q.shape[1] // heads)
    return head_scores((x @ (w_q / root) + b_q) / root, y @ w_k, heads)


def scores_folded(x, y, w_q, b_q, w_k, heads):
    root = math.sqrt(w_q.shape[1] // heads)
    return head_scores(x @ (w_q / root) + b_q / root, y @ w_k, heads)


def scores_plain(x, y, w_q, b_q, w_k, heads):
    q = np.stack(np.split(x @ w_q + b_q, heads, axis=1))
    k = np.stack(np.split(y @ w_k, heads, axis=1))
    return np.einsum("htd,hsd->hts", q, k) / np.sqrt(q.shape[-1])


def scores_folded_into_both(x, y, w_q, b_q, w_k, heads):
    quarter = (len(b_q) / heads) ** 0.25
    return head_scores(x @ (w_q / quarter) + b_q / quarter, y @ (w_k / quarter), heads)


def scores_with_bias_as_a_row(x, y, w_q, b_q, w_k, heads):
    """A column of ones turns the bias into one more row of the matrix."""
    ones = np.concatenate([x, np.ones((len(x), 1))], axis=1)
    w = np.concatenate([w_q, b_q[None]], axis=0) * (w_q.shape[1] // heads) ** -0.5
    return head_scores(ones @ w, y @ w_k, heads)


def stranger(q, k, divisor):
    """Its scores, and what comes after each query."""
    scores = np.einsum("bhid,bhjd->bhij", q, k) / divisor
    return scores, np.triu(np.ones(scores.shape[-2:], dtype=bool), 1)


def stranger_repaired(q, k, v):
    scores, future = stranger(q, k, math.sqrt(q.shape[3]))
    return softmax(np.where(future, -1e30, scores)) @ v


def stranger_with_right_scale(q, k, v):
    scores, future = stranger(q, k, math.sqrt(k.shape[3]))
    weights = softmax(scores)
    weights[..., future] = 0
    return weights @ v


def stranger_that_sums_to_one(q, k, v):
    scores, future = stranger(q, k, math.sqrt(k.shape[1] * k.shape[3]))
    scores[..., future] = -np.inf
    return softmax(scores) @ v


def stranger_renormalised(q, k, v):
    scores, future = stranger(q, k, math.sqrt(q.shape[1] * q.shape[3]))
    weights = softmax(scores) * ~future
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def stranger_without_mask(q, k, v):
    return softmax(stranger(q, k, (q.shape[1] * q.shape[3]) ** 0.5)[0]) @ v


def stranger_unscaled(q, k, v):
    scores, future = stranger(q, k, 1)
    return softmax(scores) * (1 - future) @ v


def stranger_over_width(q, k, v):
    scores, future = stranger(q, k, q.shape[-1])
    return softmax(scores) * (1 - future) @ v


def stranger_of_the_past(q, k, v):
    scores, future = stranger(q, k, math.sqrt(q.shape[1] * q.shape[3]))
    return softmax(scores) * future @ v


def stranger_by_loops(q, k, v):
    out = np.zeros(v.shape)
    for b, h, i in np.ndindex(q.shape[:3]):
        exps = np.exp(k[b, h] @ q[b, h, i] / math.sqrt(q.shape[1] * q.shape[3]))
        out[b, h, i] = exps[: i + 1] @ v[b, h, : i + 1] / exps.sum()
    return out


def stranger_written_out(q, k, v):
    scores, future = stranger(q, k, math.sqrt(q.shape[1]) * math.sqrt(q.shape[3]))
    return np.where(future, 0, softmax(scores)) @ v


def identified_without_itself(q, k, v):
    weights = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[1] * q.shape[3]))
    return np.tril(weights, -1) @ v


def identified_one_ahead(q, k, v):
    weights = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[1] * q.shape[3]))
    return np.tril(weights, 1) @ v


def identified_flipped(q, k, v):
    weights = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[1] * q.shape[3]))
    return np.triu(weights) @ v


WRONG = {
    "score_std": [
        (0.0625, "the variance"),
        (1, "right scale"),
        (16, "no scale"),
        (0.0156, "the scale"),
        (4, "upside down"),
        (0.5, ""),
    ],
    "counterexample": [
        ((np.eye(2), np.eye(2), np.eye(2), np.zeros(2), np.eye(2), 1), "as tested"),
        ((np.eye(2), np.eye(2), np.ones((2, 6)), np.zeros(6), np.ones((2, 6)), 3), "wide heads"),
        ((np.ones((2, 1)), np.ones((3, 1)), np.ones((1, 2)), np.ones(2), np.ones((1, 2)), 2), "width 1"),
        ((np.eye(2), np.eye(2), np.ones((2, 3)), np.ones(3), np.ones((2, 3)), 2), ""),  # three columns, two heads
        ((np.eye(2), np.eye(2), np.eye(2), np.zeros(2), np.eye(2), 0.5), ""),
        ((np.eye(2), np.eye(2), np.eye(2), np.zeros(2), np.eye(2), 0), ""),
    ],
    "mended_scores": [
        (scores_as_given, "as given"),
        (scores_without_bias_scaled, "bias forgotten"),
        (scores_by_token_width, "sqrt(d_model)"),
        (scores_by_all_columns, "width of all heads"),
        (scores_by_token_width_over_heads, "d_model / heads"),
        (scores_without_bias, "bias left out"),
        (scores_over_width, "1/d_k"),
        (scores_unscaled, "no scale"),
        (scores_scaled_twice, ""),
    ],
    "identified": [
        (identified_without_itself, "diagonal hidden"),
        (identified_one_ahead, "one token ahead"),
        (identified_flipped, "past hidden"),
        (stranger_repaired, "repaired"),
        (stranger_with_right_scale, "right scale"),
        (stranger_that_sums_to_one, "hidden before softmax"),
        (stranger_renormalised, "hidden before softmax"),
        (stranger_without_mask, "nothing hidden"),
        (stranger_unscaled, "no scale"),
        (stranger_over_width, ""),
        (stranger_of_the_past, ""),
    ],
}

RIGHT = {
    "score_std": [0.25, 256 ** (0.5 - 0.75), np.array(1 / 4)],
    "counterexample": [
        (np.eye(2), np.eye(2), np.eye(2), np.ones(2), np.eye(2), 1),  # one head and a bias
        (np.eye(4), np.eye(4), np.ones((4, 2)), np.zeros(2), np.ones((4, 2)), 1),  # a narrow head
        (np.eye(4), np.eye(4), np.eye(4), np.zeros(4), np.eye(4), 2),
    ],
    "mended_scores": [scores_folded, scores_plain, scores_folded_into_both, scores_with_bias_as_a_row],
    "identified": [stranger_by_loops, stranger_written_out],
}
