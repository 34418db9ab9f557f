"""Problem set 09, as students write it: wrong in the ways of students, and right in several."""

import math

import numpy as np


def log_softmax(logits):
    return logits - np.logaddexp.reduce(logits, axis=1)[:, None]


def probabilities(logits):
    return np.exp(log_softmax(logits))


def one_hot(logits, targets):
    hot = np.zeros_like(logits)
    for row, target in enumerate(targets):
        hot[row, target] = 1
    return hot


def loss_added_up(logits, targets):
    hot = one_hot(logits, targets)
    return -(hot * log_softmax(logits)).sum(), probabilities(logits) - hot


def gradient_not_divided(logits, targets):
    dlogits = probabilities(logits)
    dlogits[np.arange(len(targets)), targets] -= 1
    return -np.mean([log_softmax(logits)[i, t] for i, t in enumerate(targets)]), dlogits


def softmax_of_softmax(logits, targets):
    p = probabilities(probabilities(logits))
    n = len(targets)
    return -np.log(p[range(n), targets]).sum() / n, (p - one_hot(logits, targets)) / n


def wanted_minus_given(logits, targets):
    loss, dlogits = loss_by_loops(logits, targets)
    return loss, [[-d for d in row] for row in dlogits]


def columns_picked(logits, targets):
    p = probabilities(logits)
    loss = -np.log(p[:, targets]).mean()
    p[:, targets] = p[:, targets] - 1
    return loss, p / p.shape[0]


def loss_down_the_columns(logits, targets):
    p = np.exp(logits) / np.exp(logits).sum(axis=0)
    return -np.log(p[np.arange(len(targets)), targets]).mean(), (p - one_hot(logits, targets)) / len(targets)


def loss_textbook(logits, targets):
    exps = np.exp(logits)
    p = exps / exps.sum(axis=1, keepdims=True)
    loss = np.mean([-np.log(p[i, t]) for i, t in enumerate(targets)])
    return loss, (p - one_hot(logits, targets)) / len(targets)


def loss_log_of_infinite_sum(logits, targets):
    sums = np.exp(logits).sum(axis=1)
    loss = np.mean(np.log(sums) - logits[np.arange(len(targets)), targets])
    return loss, (np.exp(logits) / sums[:, None] - one_hot(logits, targets)) / len(targets)


def loss_one_maximum(logits, targets):
    return loss_textbook(logits - np.amax(logits), targets)


def loss_one_maximum_in_logs(logits, targets):
    return loss_log_of_infinite_sum(logits - np.amax(logits), targets)


def loss_log_of_rounded(logits, targets):
    return loss_textbook(logits - logits.max(axis=1)[:, None], targets)


def loss_with_epsilon(logits, targets):
    p, hot = probabilities(logits), one_hot(logits, targets)
    return -(hot * np.log(p + 1e-12)).sum(axis=1).mean(), (p - hot) / len(p)


def loss_with_larger_epsilon(logits, targets):
    p, hot = probabilities(logits), one_hot(logits, targets)
    return -(hot * np.log(p + 1e-7)).sum(axis=1).mean(), (p - hot) / len(p)


def loss_by_loops(logits, targets):
    loss, dlogits, n = 0.0, [], len(targets)
    for row, target in zip(logits.tolist(), targets.tolist(), strict=True):
        top = max(row)
        total = sum(math.exp(z - top) for z in row)
        loss += (math.log(total) + top - row[target]) / n
        dlogits.append([(math.exp(z - top) / total - (j == target)) / n for j, z in enumerate(row)])
    return loss, dlogits


def loss_by_logaddexp(logits, targets):
    at = (np.arange(len(targets)), targets)
    logs = log_softmax(logits)
    dlogits = np.exp(logs)
    dlogits[at] -= 1
    return -logs[at].mean(), dlogits / len(targets)


def loss_by_differences(logits, targets):
    """p_j = 1 / Σ exp(z_i − z_j), and −ln p is the logarithm of that sum."""
    differences = logits[:, None, :] - logits[:, :, None]
    picked = np.take_along_axis(np.logaddexp.reduce(differences, axis=2), targets[:, None], axis=1)
    hot = targets[:, None] == np.arange(logits.shape[1])
    return picked.mean(), (1 / np.exp(differences).sum(axis=2) - hot) / len(logits)


def step_with(scale_of):
    """One step with a scale of (d_model, d_k), by einsum."""

    def step(x_queries, x_keys, W_Q, W_K, dscores, rate):
        scale = scale_of(*W_Q.shape)
        dW_Q = np.einsum("im,ij,jn,nk->mk", x_queries, dscores, x_keys, W_K) * scale
        dW_K = np.einsum("jn,ij,im,mk->nk", x_keys, dscores, x_queries, W_Q) * scale
        return W_Q - rate * dW_Q, W_K - rate * dW_K

    return step


def step_uphill(x_queries, x_keys, W_Q, W_K, dscores, rate):
    ddots = dscores / np.sqrt(W_Q.shape[1])
    q, k = x_queries @ W_Q, x_keys @ W_K
    return W_Q + rate * (x_queries.T @ (ddots @ k)), W_K + rate * (x_keys.T @ (ddots.T @ q))


def step_in_turn(x_queries, x_keys, W_Q, W_K, dscores, rate):
    ddots = dscores / np.sqrt(W_Q.shape[1])
    W_Q = W_Q - rate * x_queries.T @ (ddots @ (x_keys @ W_K))
    W_K = W_K - rate * x_keys.T @ (ddots.T @ (x_queries @ W_Q))
    return W_Q, W_K


def step_exchanged(x_queries, x_keys, W_Q, W_K, dscores, rate):
    new_q, new_k = step_by_loops(x_queries, x_keys, W_Q, W_K, dscores, rate)
    return W_Q - (W_K - new_k), W_K - (W_Q - new_q)


def step_by_loops(x_queries, x_keys, W_Q, W_K, dscores, rate):
    new_q, new_k = W_Q.copy(), W_K.copy()
    for i, x_q in enumerate(x_queries):
        for j, x_k in enumerate(x_keys):
            slope = dscores[i, j] / math.sqrt(W_Q.shape[1])
            new_q -= rate * slope * np.outer(x_q, x_k @ W_K)
            new_k -= rate * slope * np.outer(x_k, x_q @ W_Q)
    return new_q, new_k


def step_through_both(x_queries, x_keys, W_Q, W_K, dscores, rate):
    """The scores are x W_Q W_Kᵀ xᵀ: both gradients come from the middle matrix."""
    middle = x_queries.T @ dscores @ x_keys * W_Q.shape[-1] ** -0.5
    return W_Q - rate * middle @ W_K, W_K - rate * middle.T @ W_Q


def step_scale_shared(x_queries, x_keys, W_Q, W_K, dscores, rate):
    """A fourth root on each side is a root on both."""
    a = W_Q.shape[1] ** -0.25
    q, k = a * (x_queries @ W_Q), a * (x_keys @ W_K)
    return W_Q - a * rate * x_queries.T @ dscores @ k, W_K - a * rate * x_keys.T @ dscores.T @ q


def gap_same_rate(first, second, tuning):
    best = np.argmax(np.mean(first[:, :tuning], axis=1))
    return np.mean(first[best, tuning:]) - np.mean(second[best, tuning:])


def gap_of_tuning_means(first, second, tuning):
    return first[:, :tuning].mean(axis=1).max() - second[:, :tuning].mean(axis=1).max()


def gap_of_best_reports(first, second, tuning):
    return max(row[tuning:].mean() for row in first) - max(row[tuning:].mean() for row in second)


def gap_of_champions(first, second, tuning):
    rows = [arm[np.unravel_index(arm[:, :tuning].argmax(), (len(arm), tuning))[0]] for arm in (first, second)]
    return rows[0][tuning:].mean() - rows[1][tuning:].mean()


def gap_all_seeds(first, second, tuning):
    return first.mean(axis=1).max() - second.mean(axis=1).max()


def gap_by_sorting(first, second, tuning):
    def report(arm):
        ranked = sorted(arm.tolist(), key=lambda row: sum(row[:tuning]))
        return sum(ranked[-1][tuning:]) / len(ranked[-1][tuning:])

    return report(first) - report(second)


def gap_by_split(first, second, tuning):
    reports = []
    for arm in (first, second):
        choose, report = np.split(arm, [tuning], axis=1)
        reports.append(report.mean(axis=1)[np.argmax(choose.sum(axis=1))])
    return np.subtract(*reports)


WRONG = {
    "cross_entropy": [
        (loss_added_up, "sum"),
        (gradient_not_divided, "gradient of the sum"),
        (softmax_of_softmax, "softmax twice"),
        (wanted_minus_given, "uphill"),
        (columns_picked, "whole columns"),
        (loss_down_the_columns, ""),
    ],
    "cross_entropy_large": [
        (loss_textbook, "no maximum"),
        (loss_log_of_infinite_sum, "no maximum"),
        (loss_one_maximum, "global maximum"),
        (loss_one_maximum_in_logs, ""),
        (loss_log_of_rounded, "log of zero"),
        (loss_with_epsilon, "epsilon"),
        (loss_with_larger_epsilon, ""),
    ],
    "score_step": [
        (step_with(lambda d_model, d_k: 1), "no scale"),
        (step_with(lambda d_model, d_k: 1 / d_k), "1/d_k"),
        (step_with(lambda d_model, d_k: 1 / math.sqrt(d_model)), "sqrt(d_model)"),
        (step_uphill, "uphill"),
        (step_in_turn, "one after the other"),
        (step_exchanged, ""),
    ],
    "mended_gap": [
        (gap_same_rate, "as given"),
        (gap_of_tuning_means, "tuning seeds reported"),
        (gap_of_best_reports, "tuned on the reported"),
        (gap_of_champions, "best single run"),
        (gap_all_seeds, ""),
    ],
    "matching_rate": [
        (0.8, "no scale"),
        (0.003125, "1/d_k"),
        (0.2, "one factor only"),
        (12.8, "wrong way round"),
        (0.4, ""),
    ],
}

RIGHT = {
    "cross_entropy": [loss_by_loops, loss_by_logaddexp, loss_by_differences, loss_textbook],
    "cross_entropy_large": [loss_by_loops, loss_by_logaddexp, loss_by_differences],
    "score_step": [
        step_by_loops,
        step_through_both,
        step_scale_shared,
        step_with(lambda d_model, d_k: d_k**-0.5),
    ],
    "mended_gap": [gap_by_sorting, gap_by_split],
    "matching_rate": [0.05, 0.8 / 16, np.float32(0.05)],
}
