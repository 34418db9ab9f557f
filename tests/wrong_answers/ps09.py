"""Problem set 09, the way students answer it: with typical mistakes, and in several right ways."""

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


def mean_gradient_of_added_loss(logits, targets):
    loss, dlogits = loss_by_loops(logits, targets)
    return loss * len(targets), dlogits


def loss_without_minus(logits, targets):
    picked = [log_softmax(logits)[i, t] for i, t in enumerate(targets)]
    return sum(picked) / len(picked), (probabilities(logits) - one_hot(logits, targets)) / len(picked)


def gradient_is_p(logits, targets):
    return loss_by_loops(logits, targets)[0], probabilities(logits) / len(targets)


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


def loss_one_maximum_in_log_p(logits, targets):
    shifted = logits - logits.max()
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    loss = -np.take_along_axis(log_p, targets[:, None], axis=1).mean()
    return loss, (np.exp(log_p) - one_hot(logits, targets)) / len(targets)


def loss_no_maximum_in_log_p(logits, targets):
    log_p = logits - np.log(np.exp(logits).sum(axis=1))[:, None]
    loss = -sum(log_p[i, t] for i, t in enumerate(targets)) / len(targets)
    return loss, (np.exp(log_p) - one_hot(logits, targets)) / len(targets)


def loss_overflows_gradient_does_not(logits, targets):
    costs = [np.log(np.exp(z).sum()) - z[t] for z, t in zip(logits, targets, strict=True)]
    return np.mean(costs), (probabilities(logits) - one_hot(logits, targets)) / len(costs)


def loss_of_changed_p(logits, targets):
    p = probabilities(logits)
    dlogits = p
    dlogits[np.arange(len(p)), targets] -= 1
    return -np.log(p[np.arange(len(p)), targets]).mean(), dlogits / len(p)


def loss_less_the_mean(logits, targets):
    """In float64, because in float32 the row with the nearly impossible target overflows too."""
    logits = np.array(logits, dtype=float)
    return loss_no_maximum_in_log_p(logits - np.mean(logits, axis=1)[:, None], targets)


def loss_log_of_rounded(logits, targets):
    return loss_textbook(logits - logits.max(axis=1)[:, None], targets)


def loss_with_epsilon(epsilon):
    def loss(logits, targets):
        p, hot = probabilities(logits), one_hot(logits, targets)
        return -(hot * np.log(p + epsilon)).sum(axis=1).mean(), (p - hot) / len(p)

    return loss


def loss_clipped(least):
    def loss(logits, targets):
        p, n = probabilities(logits), len(targets)
        kept = np.clip(p, least, 1.0)
        return -np.log(kept[np.arange(n), targets]).mean(), (p - one_hot(logits, targets)) / n

    return loss


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


def step_with_scale_on_one(which):
    def step(x_queries, x_keys, W_Q, W_K, dscores, rate):
        dW_Q = x_queries.T @ (dscores @ (x_keys @ W_K))
        dW_K = x_keys.T @ (dscores.T @ (x_queries @ W_Q))
        if which == "W_Q":
            dW_Q = dW_Q / math.sqrt(W_Q.shape[1])
        else:
            dW_K = dW_K / math.sqrt(W_K.shape[1])
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


def step_keys_first(x_queries, x_keys, W_Q, W_K, dscores, rate):
    scale = 1 / np.sqrt(W_Q.shape[1])
    W_K = W_K - rate * scale * x_keys.T @ dscores.T @ (x_queries @ W_Q)
    W_Q = W_Q - rate * scale * x_queries.T @ dscores @ (x_keys @ W_K)
    return W_Q, W_K


def step_without_rate(x_queries, x_keys, W_Q, W_K, dscores, rate):
    middle = x_queries.T @ dscores @ x_keys / np.sqrt(W_Q.shape[1])
    return W_Q - middle @ W_K, W_K - middle.T @ W_Q


def step_rate_typed_in(x_queries, x_keys, W_Q, W_K, dscores, rate):
    return step_by_loops(x_queries, x_keys, W_Q, W_K, dscores, 0.2)


def step_keys_come_first(x_queries, x_keys, W_Q, W_K, dscores, rate):
    W_Q, W_K = step_by_loops(x_queries, x_keys, W_Q, W_K, dscores, rate)
    return W_K, W_Q


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


def gap_joint(first, second, tuning):
    best = (first + second)[:, :tuning].mean(1).argmax()
    return first[best, tuning:].mean() - second[best, tuning:].mean()


def gap_groups_exchanged(first, second, tuning):
    reports = [arm[arm[:, tuning:].mean(axis=1).argmax()][:tuning].mean() for arm in (first, second)]
    return reports[0] - reports[1]


def gap_by_median(first, second, tuning):
    one = np.argmax(np.median(first[:, :tuning], axis=1))
    other = np.argmax(np.median(second[:, :tuning], axis=1))
    return first[one, tuning:].mean() - second[other, tuning:].mean()


def gap_last_of_ties(first, second, tuning):
    def report(arm):
        ranked = sorted(arm.tolist(), key=lambda row: sum(row[:tuning]))
        return sum(ranked[-1][tuning:]) / len(ranked[-1][tuning:])

    return report(first) - report(second)


def gap_other_sign(first, second, tuning):
    return gap_by_split(second, first, tuning)


def gap_as_distance(first, second, tuning):
    return np.abs(gap_by_split(first, second, tuning))


def gap_chosen_by_all(first, second, tuning):
    one, other = first.mean(axis=1).argmax(), second.mean(axis=1).argmax()
    return first[one, tuning:].mean() - second[other, tuning:].mean()


def gap_reported_on_all(first, second, tuning):
    return np.subtract(*(arm[arm[:, :tuning].mean(axis=1).argmax()].mean() for arm in (first, second)))


def gap_by_sorting(first, second, tuning):
    def report(arm):
        ranked = sorted(arm.tolist(), key=lambda row: -sum(row[:tuning]))  # the first of ties stays first
        return sum(ranked[0][tuning:]) / len(ranked[0][tuning:])

    return report(first) - report(second)


def gap_by_loops(first, second, tuning):
    reports = []
    for arm in (first, second):
        top, best = -1.0, 0
        for rate, row in enumerate(arm):
            if row[:tuning].mean() > top:
                top, best = row[:tuning].mean(), rate
        reports.append(arm[best, tuning:].mean())
    return reports[0] - reports[1]


def gap_by_split(first, second, tuning):
    reports = []
    for arm in (first, second):
        choose, report = np.split(arm, [tuning], axis=1)
        reports.append(report.mean(axis=1)[np.argmax(choose.sum(axis=1))])
    return np.subtract(*reports)


def gradient_of_whole_columns(logits, targets):
    p = probabilities(logits)
    p[:, targets] -= 1
    return loss_by_loops(logits, targets)[0], p / len(targets)


def loss_in_bits(logits, targets):
    loss, dlogits = loss_by_loops(logits, targets)
    return loss / math.log(2), dlogits


def minus_everything(logits, targets):
    loss, dlogits = loss_by_loops(logits, targets)
    return -loss, -1 * np.array(dlogits)


WRONG = {
    "cross_entropy": [
        (gradient_of_whole_columns, "whole columns in the gradient"),
        (loss_in_bits, "log base 2"),
        (minus_everything, "all signs flipped"),
        (loss_added_up, "sum"),
        (gradient_not_divided, "gradient of the sum"),
        (softmax_of_softmax, "softmax twice"),
        (wanted_minus_given, "uphill"),
        (columns_picked, "whole columns"),
        (mean_gradient_of_added_loss, "loss of the sum"),
        (loss_without_minus, "no minus"),
        (gradient_is_p, "no target"),
        (loss_down_the_columns, "wrong axis"),
        (loss_of_changed_p, "p changed before the loss"),
        (loss_with_epsilon(1e-5), "epsilon 1e-05"),
        (loss_with_epsilon(1e-6), "epsilon 1e-06"),
        (loss_with_epsilon(1e-7), "epsilon 1e-07"),
        (loss_with_epsilon(1e-8), "epsilon 1e-08"),
    ],
    "cross_entropy_large": [
        (gradient_of_whole_columns, "whole columns in the gradient"),
        (loss_in_bits, "log base 2"),
        (minus_everything, "all signs flipped"),
        (loss_textbook, "no maximum"),
        (loss_log_of_infinite_sum, "no maximum"),
        (loss_one_maximum, "global maximum"),
        (loss_one_maximum_in_log_p, "global maximum in the logs"),
        (loss_one_maximum_in_logs, ""),
        (loss_no_maximum_in_log_p, "no maximum in the logs"),
        (loss_overflows_gradient_does_not, "no maximum in the loss"),
        (loss_of_changed_p, "no maximum in the loss"),
        (loss_less_the_mean, "row mean"),
        (loss_log_of_rounded, "log of zero"),
        (loss_with_epsilon(1e-12), "epsilon 1e-12"),
        (loss_clipped(1e-12), "epsilon 1e-12"),
        (loss_with_epsilon(1e-7), "epsilon 1e-07"),
        (loss_clipped(1e-8), "epsilon 1e-08"),
        (loss_with_epsilon(1e-10), "epsilon 1e-10"),
        (loss_clipped(1e-15), "epsilon 1e-15"),
        (loss_clipped(1e-20), ""),
        (loss_added_up, "sum"),
        (gradient_not_divided, "gradient of the sum"),
        (mean_gradient_of_added_loss, "loss of the sum"),
        (loss_without_minus, "no minus"),
        (gradient_is_p, "no target"),
        (softmax_of_softmax, "softmax twice"),
        (wanted_minus_given, "uphill"),
        (columns_picked, "whole columns"),
    ],
    "score_step": [
        (step_with(lambda d_model, d_k: 1), "no scale"),
        (step_with(lambda d_model, d_k: 1 / d_k), "1/d_k"),
        (step_with(lambda d_model, d_k: 1 / math.sqrt(d_model)), "sqrt(d_model)"),
        (step_with_scale_on_one("W_Q"), "scale on W_Q only"),
        (step_with_scale_on_one("W_K"), "scale on W_K only"),
        (step_uphill, "uphill"),
        (step_in_turn, "queries first"),
        (step_keys_first, "keys first"),
        (step_without_rate, "no rate"),
        (step_keys_come_first, "other order"),
        (step_rate_typed_in, ""),
        (step_exchanged, ""),
    ],
    "counterexample": [
        (([[0.9, 0.8]], [[0.3, 0.2]], 1), "one rate"),
        (([[0.3, 0.3], [0.9, 0.9]], [[0.1, 0.2], [0.6, 0.5]], 1), "same best rate"),
        (([[0.9, 0.9], [0.1, 0.1]], [[0.5, 0.7], [0.6, 0.7]], 1), "second arm indifferent"),
        (([[90.0, 80.0], [10.0, 20.0]], [[10.0, 20.0], [90.0, 80.0]], 1), ""),  # per cent
        (([[0.9, 0.8], [0.1, 0.2]], [[0.1, 0.2], [0.9, 0.8]], 2), ""),  # no seed is left to report
        (([[0.9, 0.8], [0.1, 0.2]], [[0.1, 0.2], [0.9, 0.8]]), ""),
        (([[0.1, 0.1], [0.9, 0.9]], [[0.5, 0.1], [0.5, 0.9]], 1), ""),  # a tie, so the comparison is fair
    ],
    "mended_gap": [
        (gap_same_rate, "as given"),
        (gap_of_tuning_means, "tuning seeds reported"),
        (gap_of_best_reports, "tuned on the reported"),
        (gap_of_champions, "best single run"),
        (gap_joint, "one joint rate"),
        (gap_all_seeds, "all seeds"),
        (gap_groups_exchanged, "groups exchanged"),
        (gap_by_median, "median"),
        (gap_last_of_ties, "last of ties"),
        (gap_other_sign, "second minus first"),
        (gap_as_distance, "no sign"),
        (gap_chosen_by_all, "chosen by all seeds"),
        (gap_reported_on_all, ""),
    ],
    "matching_rate": [
        (0.8, "no scale"),
        (0.003125, "1/d_k"),
        (0.2, "one factor only"),
        (12.8, "wrong way round"),
        (3.2, "one factor, wrong way round"),
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
    "counterexample": [
        ([[0.9, 0.8], [0.1, 0.2]], [[0.1, 0.2], [0.9, 0.8]], 1),
        (np.eye(3), np.eye(3)[::-1], 2),
        ([[0.5, 0.5], [0.5, 0.5]], [[0.1, 0.1], [0.9, 0.9]], 1),  # a tie in the first arm excuses nothing
    ],
    "mended_gap": [gap_by_sorting, gap_by_split, gap_by_loops],
    "matching_rate": [0.05, 0.8 / 16, np.float32(0.05)],
}
