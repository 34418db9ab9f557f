"""Problem set 03, as students write it: wrong in the ways of students, and right in several."""

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
    return np.log(softmax_by_logarithms(scores))


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


def entropy_by_loops(weights):
    return [sum(-w * math.log(w) for w in row if w > 0) for row in weights]


def entropy_nansum(weights):
    with np.errstate(all="ignore"):
        return -np.nansum(weights * np.log(weights), axis=1)


WRONG = {
    "softmax": [
        (softmax_down_the_columns, "wrong axis"),
        (softmax_of_everything, "one sum for all"),
        (shares_of_scores, "no exponential"),
        (only_exponentials, "not divided"),
    ],
    "softmax_large": [
        (softmax_textbook, "no maximum"),
        (softmax_one_maximum, "global maximum"),
        (softmax_clipped, "clipped"),
        (softmax_down_the_columns, "wrong axis"),
    ],
    "top_weight": [
        (7 / 10, "share of the scores"),
        (0.018, "the other weight"),
        (54.6, "the ratio"),
        (0.8808, "difference halved"),
    ],
    "mended_log_softmax": [
        (log_softmax_as_given, "as given"),
        (log_softmax_half_shifted, "maximum not put back"),
        (log_softmax_down_the_columns, "wrong axis"),
        (lambda scores: np.log(softmax_textbook(scores)), "no maximum"),
    ],
    "entropy": [
        (entropy_with_nan, "zero times infinity"),
        (entropy_in_bits, "bits"),
        (entropy_negative, "no minus"),
        (entropy_averaged, "mean"),
        (entropy_of_everything, "one number"),
    ],
}

RIGHT = {
    "softmax": [softmax_by_loops, softmax_by_logarithms, softmax_by_differences, softmax_textbook],
    "softmax_large": [softmax_by_loops, softmax_by_logarithms],
    "top_weight": [0.982, np.float32(0.98201), np.array(0.98201379)],
    "mended_log_softmax": [log_softmax_logaddexp, log_softmax_by_loops],
    "entropy": [entropy_by_loops, entropy_nansum, lambda w: -(w * np.log(np.where(w > 0, w, 1))).sum(-1)],
}
