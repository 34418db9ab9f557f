"""The exercises inside notebook 06, the way readers answer them: with typical mistakes, and in several right ways."""

import numpy as np


def with_loops(dscores, Q):
    dK = np.zeros((dscores.shape[1], Q.shape[1]))
    for i, query in enumerate(Q):
        for j, blame in enumerate(dscores[i]):
            dK[j] += blame * query / len(query) ** 0.5
    return dK


def scaled_queries(dscores, Q):
    return np.einsum("ij,ic->jc", dscores, Q * Q.shape[-1] ** -0.5)


def against_rms(lengths):
    size = np.sqrt((lengths**2).mean())
    return np.count_nonzero(lengths < size / 100) / len(lengths)


def by_norm(lengths):
    return (lengths * 100 < np.linalg.norm(lengths) / np.sqrt(lengths.size)).mean()


WRONG = {
    "key_blame": [
        (lambda dscores, Q: dscores.T @ Q, "no scale"),
        (lambda dscores, Q: dscores.T @ Q / Q.shape[-1], "1/d_k"),
        (lambda dscores, Q: dscores.T @ Q / dscores.shape[1] ** 0.5, "number of keys"),
        (lambda dscores, Q: Q.T @ dscores / Q.shape[1] ** 0.5, "transposed"),
        (lambda dscores, Q: dscores.T @ Q / Q.shape[1] ** 0.5 / Q.shape[0], "averaged"),
        (lambda dscores, Q: dscores.T @ Q * Q.shape[1] ** 0.5, ""),
    ],
    "dead_share": [
        (lambda lengths: (lengths < lengths.mean() / 100).mean(), "of the mean"),
        (lambda lengths: (lengths < 0.01 * np.median(lengths)).mean(), "of the median"),
        (lambda lengths: (lengths < 0.01).mean(), "a fixed number"),
        (lambda lengths: (lengths < 0.01 * (lengths**2).mean()).mean(), "no root"),
        (lambda lengths: (lengths < np.sqrt((lengths**2).mean())).mean(), "below the rms"),
        (lambda lengths: (lengths < np.sqrt((lengths**2).mean()) / 100).sum(), "counted"),
        (lambda lengths: (lengths >= np.sqrt((lengths**2).mean()) / 100).mean(), "the living"),
        (lambda lengths: (lengths < lengths.max() / 100).mean(), ""),
    ],
}
RIGHT = {"key_blame": [with_loops, scaled_queries], "dead_share": [against_rms, by_norm]}
