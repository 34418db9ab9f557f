"""Problem set 03, the way students answer it: with typical mistakes, and in several right ways."""

import math

import numpy as np


def softmax_down_the_columns(scores):
    exps = np.exp(scores - scores.max(axis=0))
    return exps / exps.sum(axis=0)


def softmax_of_everything(scores):
    exps = np.exp(scores - np.max(scores))
    return exps / np.sum(exps)


def shares_of_scores(scores):
    return scores / np.sum(scores, axis=1)[:, None]


def only_exponentials(scores):
    weights = np.zeros_like(scores)
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            weights[i, j] = math.exp(scores[i, j])
    return weights


def softmax_textbook(scores):
    return np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)


def softmax_one_maximum(scores):
    shifted = np.exp(scores - scores.max())
    return shifted / shifted.sum(axis=1, keepdims=True)


def softmax_of_ratios(scores):
    ratios = scores / np.max(scores, axis=1)[:, None]
    return np.array([np.exp(row) / np.exp(row).sum() for row in ratios])


def softmax_about_the_mean(scores):
    out = []
    for row in scores:
        exps = np.exp(row - np.mean(row))
        out.append(exps / np.sum(exps))
    return np.stack(out)


def softmax_above_the_minimum(scores):
    exps = np.exp((scores.T - scores.min(axis=1)).T)
    return exps / exps.sum(axis=1).reshape(-1, 1)


def softmax_of_everything_textbook(scores):
    return np.exp(scores) / np.exp(scores).sum()


def softmax_down_the_columns_textbook(scores):
    return np.exp(scores) / np.exp(scores).sum(0, keepdims=True)


def softmax_below_column_maxima(scores):
    exps = np.exp(scores - np.max(scores, axis=0))
    return exps / np.sum(exps, axis=1)[:, None]


def softmax_above_the_first(scores):
    exps = np.exp(scores - scores[:, :1])
    return exps / exps.sum(axis=1, keepdims=True)


def softmax_clipped(scores):
    exps = np.exp(np.minimum(np.maximum(scores, -80), 80))
    return exps / exps.sum(axis=1, keepdims=True)


def softmax_by_loops(scores):
    rows = []
    for row in scores:
        top = max(row)
        exps = [math.exp(score - top) for score in row]
        rows.append([e / sum(exps) for e in exps])
    return rows


def softmax_by_logarithms(scores):
    log_total = np.logaddexp.reduce(scores, axis=-1)
    return np.exp(scores - log_total[:, np.newaxis])


def softmax_by_differences(scores):
    return 1 / np.exp(scores[:, None, :] - scores[:, :, None]).sum(axis=-1)


def log_softmax_as_given(scores):
    shifted = scores - scores.max()
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def log_of_weights(scores):
    return np.log(np.array(softmax_by_loops(scores)))


def log_of_weights_where_it_exists(scores):
    weights = np.array(softmax_by_loops(scores))
    return np.log(weights, where=weights > 0, out=np.zeros_like(weights))


def log_of_weights_with_a_floor(scores):
    return np.log(np.maximum(softmax_by_loops(scores), 1e-30))


def log_of_weights_plus_a_little(scores):
    return np.log(np.array(softmax_by_loops(scores)) + 1e-12)


def log_softmax_textbook_sum(scores):
    rows = []
    for row in scores:
        rows.append(row - np.log(sum(np.exp(row))))
    return np.array(rows)


def log_softmax_about_the_mean(scores):
    shifted = scores - scores.mean(axis=1)[:, None]
    return shifted - np.log(np.exp(shifted).sum(axis=1))[:, None]


def log_softmax_above_the_minimum(scores):
    lowest = scores.min(axis=-1, keepdims=True)
    return scores - lowest - np.log(np.exp(scores - lowest).sum(axis=-1, keepdims=True))


def log_softmax_above_the_first(scores):
    shifted = scores - scores[:, :1]
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def log_softmax_half_shifted(scores):
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores - np.log(exps.sum(axis=1, keepdims=True))


def log_softmax_down_the_columns(scores):
    return scores - np.logaddexp.reduce(scores, axis=0)


def log_softmax_logaddexp(scores):
    return (scores.T - np.logaddexp.reduce(scores, axis=1)).T


def log_softmax_by_loops(scores):
    out = np.empty_like(scores)
    for i, row in enumerate(scores):
        top = row.max()
        out[i] = row - top - math.log(sum(math.exp(score - top) for score in row))
    return out


def entropy_with_nan(weights):
    return np.array([-sum(w * np.log(w) for w in row) for row in weights])


def entropy_in_bits(weights):
    kept = np.maximum(weights, 1e-30)
    return -np.sum(weights * np.log2(kept), axis=-1)


def entropy_negative(weights):
    return np.sum(weights * np.log(weights + 1e-12), axis=-1)


def entropy_averaged(weights):
    return -np.mean(weights * np.log(weights + 1e-12), axis=-1)


def entropy_of_everything(weights):
    return -np.sum(weights * np.log(weights + 1e-12))


def entropy_relative(weights):
    return np.array(entropy_by_loops(weights)) / math.log(len(weights[0]))


def entropy_of_the_columns(weights):
    return -sum(row * np.log(np.maximum(row, 1e-30)) for row in weights)


def entropy_of_three_rows(weights):
    return [entropy_by_loops(weights)[i] for i in range(3)]


def entropy_kept_axis(weights):
    logs = np.log(weights, where=weights > 0, out=np.zeros_like(weights))
    return -np.sum(weights * logs, axis=-1, keepdims=True)


def entropy_by_loops(weights):
    return [sum(-w * math.log(w) for w in row if w > 0) for row in weights]


def entropy_nansum(weights):
    with np.errstate(all="ignore"):
        return -np.nansum(weights * np.log(weights), axis=1)


def log_softmax_in_bits(scores):
    shifted = scores - scores.max(axis=1, keepdims=True)
    return shifted * np.log2(np.e) - np.log2(np.sum(np.exp(shifted), axis=1, keepdims=True))


WRONG = {
    "softmax": [
        (softmax_down_the_columns, "wrong axis"),
        (softmax_of_everything, "one sum for all"),
        (softmax_below_column_maxima, "maximum of the columns"),
        (shares_of_scores, "no exponential"),
        (only_exponentials, "not divided"),
        (softmax_of_ratios, "divided by the maximum"),
    ],
    "softmax_large": [
        (softmax_textbook, "no maximum"),
        (softmax_one_maximum, "global maximum"),
        (softmax_clipped, "clipped"),
        (softmax_down_the_columns, "wrong axis"),
        (softmax_about_the_mean, "mean subtracted"),
        (softmax_above_the_minimum, "minimum subtracted"),
        (softmax_of_everything, "one sum for all"),
        (softmax_down_the_columns_textbook, "wrong axis, no maximum"),
        (softmax_above_the_first, "first score subtracted"),
        (softmax_of_everything_textbook, "one sum, no maximum"),
        (shares_of_scores, "no exponential"),
        (softmax_of_ratios, "divided by the maximum"),
    ],
    "top_weight": [
        (0.4545, "share of the scores"),
        (0.881, "one rival"),
        (math.exp(3) / (math.exp(5) + 2 * math.exp(3)), "another weight"),
        (7.389, "the ratio"),
        (math.exp(5) / (math.exp(5) + math.exp(6)), "rivals added"),
        (78.7, "percent"),
        (0.982, ""),
    ],
    "counterexample": [
        ([[-2000.0, 0.0, 2000.0]], "one row"),
        ([[900.0, 0.0], [-900.0, 900.0]], "far within a row"),
        ([[0.0, 100.0], [-100.0, -50.0]], "small scores"),
        ([0.0, 1000.0], ""),  # no table
        ([[0.0, np.inf], [0.0, 1.0]], ""),
    ],
    "mended_log_softmax": [
        (log_softmax_in_bits, "log base 2"),
        (log_softmax_as_given, "as given"),
        (log_softmax_half_shifted, "maximum not put back"),
        (log_softmax_down_the_columns, "wrong axis"),
        (lambda scores: np.log(softmax_textbook(scores)), "no maximum"),
        (log_softmax_textbook_sum, "no maximum in the sum"),
        (log_of_weights, "weights made first"),
        (log_of_weights_where_it_exists, "zero put in"),
        (log_of_weights_with_a_floor, ""),
        (log_of_weights_plus_a_little, ""),
        (log_softmax_about_the_mean, "mean or minimum subtracted"),
        (log_softmax_above_the_first, "first score subtracted"),
        (log_softmax_above_the_minimum, "mean or minimum subtracted"),
    ],
    "entropy": [
        (entropy_with_nan, "zero times infinity"),
        (entropy_in_bits, "bits"),
        (entropy_negative, "no minus"),
        (entropy_averaged, "mean"),
        (entropy_of_everything, "one number"),
        (entropy_of_the_columns, "wrong axis"),
        (entropy_of_three_rows, ""),
        (entropy_relative, "relative"),
        (entropy_kept_axis, "a column"),
    ],
}

RIGHT = {
    "softmax": [softmax_by_loops, softmax_by_logarithms, softmax_by_differences, softmax_textbook],
    "softmax_large": [softmax_by_loops, softmax_by_logarithms, softmax_by_differences],
    "top_weight": [0.787, np.float32(0.78699), np.array(0.7869860421)],
    "counterexample": [
        [[0, 0], [-1000, -1000]],
        ((0.0, 800.0), (1.0, 2.0)),  # a tuple of rows
        np.array([[5.0], [-5000.0], [0.0]]),
    ],
    "mended_log_softmax": [log_softmax_logaddexp, log_softmax_by_loops],
    "entropy": [entropy_by_loops, entropy_nansum, lambda w: -(w * np.log(np.where(w > 0, w, 1))).sum(-1)],
}
