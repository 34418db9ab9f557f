"""Problem set 10, the way students answer it: with typical mistakes, and in several right ways."""

import math

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def cap_without_scale(q, k, b):
    return b * np.tanh(np.dot(q, k.T) / b)


def cap_over_width(q, k, b):
    d_k = k.shape[1]
    scores = np.einsum("id,jd->ij", q, k) / d_k
    return np.tanh(scores / b) * b


def cap_then_scale(q, k, b):
    scores = b * np.tanh((q @ k.T) / b)
    return scores / math.sqrt(len(q[0]))


def cap_without_outer_b(q, k, b):
    return np.tanh(q @ k.T / (b * np.sqrt(q.shape[-1])))


def cap_by_clipping(q, k, b):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    return np.minimum(np.maximum(scores, -b), b)


def cap_without_inner_b(q, k, b):
    return b * np.tanh(q @ k.T / np.sqrt(q.shape[-1]))


def cap_and_softmax(q, k, b):
    s = q @ k.T / math.sqrt(k.shape[1])
    exps = np.exp(b * np.tanh(s / b))
    return exps / exps.sum(axis=1, keepdims=True)


def cap_by_loops(q, k, b):
    out = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            score = sum(q[i, m] * k[j, m] for m in range(q.shape[1])) / math.sqrt(q.shape[1])
            out[i, j] = b * math.tanh(score / b)
    return out


def cap_by_exponentials(q, k, b):
    scores = (q / q.shape[1] ** 0.25) @ (k / k.shape[1] ** 0.25).T
    doubled = np.exp(2 * scores / b)
    return b - 2 * b / (doubled + 1)


def norm_bare_cosine(q, k, a):
    q = q / np.linalg.norm(q, axis=2, keepdims=True)
    k = k / np.linalg.norm(k, axis=2, keepdims=True)
    return softmax(q @ k.transpose(0, 2, 1))


def norm_times_a(q, k, a):
    q = q / np.linalg.norm(q, axis=2, keepdims=True)
    k = k / np.linalg.norm(k, axis=2, keepdims=True)
    return softmax(np.stack([a[h] * q[h] @ k[h].T for h in range(len(a))]))


def norm_and_root(q, k, a):
    q = q / np.sqrt((q**2).sum(axis=-1))[..., None]
    k = k / np.sqrt((k**2).sum(axis=-1))[..., None]
    return softmax(np.exp(a).reshape(-1, 1, 1) * (q @ k.swapaxes(1, 2)) / np.sqrt(q.shape[-1]))


def norm_queries_only(q, k, a):
    q = q / np.sqrt((q**2).sum(axis=-1))[..., None]
    return softmax(np.exp(a).reshape(-1, 1, 1) * (q @ k.swapaxes(1, 2)))


def norm_across_tokens(q, k, a):
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    k = k / np.linalg.norm(k, axis=1, keepdims=True)
    return softmax(np.einsum("h,htd,hsd->hts", np.exp(a), q, k))


def norm_of_everything(q, k, a):
    return softmax(np.einsum("h,htd,hsd->hts", np.exp(a), q / np.linalg.norm(q), k / np.linalg.norm(k)))


def norm_forgotten(q, k, a):
    return softmax(np.exp(a)[:, None, None] * (q @ k.swapaxes(1, 2)))


def norm_a_on_the_keys(q, k, a):
    q = q / np.linalg.norm(q, axis=2, keepdims=True)
    k = k / np.linalg.norm(k, axis=2, keepdims=True)
    return softmax(np.exp(a) * (q @ k.swapaxes(1, 2)))


def norm_to_mean_square_one(q, k, a):
    """The notebook's form, √d_k cos, with g in front."""
    q, k = (x / np.sqrt((x**2).mean(axis=-1, keepdims=True)) for x in (q, k))
    return softmax(np.exp(a)[:, None, None] * (q @ k.swapaxes(1, 2)) / np.sqrt(q.shape[-1]))


def norm_keys_only(q, k, a):
    k = k / np.linalg.norm(k, axis=-1)[..., None]
    return softmax(np.exp(a).reshape(-1, 1, 1) * (q @ k.transpose(0, 2, 1)))


def norm_without_softmax(q, k, a):
    lengths = np.linalg.norm(q, axis=-1)[:, :, None] * np.linalg.norm(k, axis=-1)[:, None, :]
    return np.einsum("h,htd,hsd->hts", np.exp(a), q, k) / lengths


def norm_without_sign(q, k, a):
    return norm_after_the_product(q, k, abs(a))


def norm_shared_out_among_queries(q, k, a):
    exps = np.exp(norm_without_softmax(q, k, a))
    return exps / exps.sum(axis=1, keepdims=True)


def norm_over_temperature(q, k, a):
    lengths = np.linalg.norm(q, axis=-1)[:, :, None] * np.linalg.norm(k, axis=-1)[:, None, :]
    return softmax(q @ k.swapaxes(1, 2) / lengths / np.exp(a)[:, None, None])


def norm_by_loops(q, k, a):
    weights = np.zeros((len(a), q.shape[1], k.shape[1]))
    for h, g in enumerate(np.exp(a)):
        for i, query in enumerate(q[h]):
            exps = []
            for key in k[h]:
                cosine = query @ key / math.sqrt((query @ query) * (key @ key))
                exps.append(math.exp(g * cosine))
            weights[h, i] = np.array(exps) / sum(exps)
    return weights


def norm_by_mean_square(q, k, a):
    """Rows of mean square 1, then the usual scale, then g divided by the remaining root."""
    d_k = q.shape[-1]
    q, k = (x / np.sqrt((x**2).mean(axis=-1, keepdims=True)) for x in (q, k))
    return softmax(np.einsum("h,htd,hsd->hts", np.exp(a), q, k) / d_k)


def norm_after_the_product(q, k, a):
    lengths = np.sqrt((q**2).sum(-1))[:, :, None] * np.sqrt((k**2).sum(-1))[:, None, :]
    return softmax(np.exp(a)[:, None, None] * (q @ k.swapaxes(1, 2)) / lengths)


def parts(q, k, a, dweights):
    """cosines, scores, dscores: what most answers start from."""
    q = q / np.linalg.norm(q, axis=2, keepdims=True)
    k = k / np.linalg.norm(k, axis=2, keepdims=True)
    cosines = q @ k.swapaxes(1, 2)
    scores = np.exp(a)[:, None, None] * cosines
    weights = softmax(scores)
    return cosines, scores, weights * (dweights - (weights * dweights).sum(axis=2, keepdims=True))


def slope_of_g(q, k, a, dweights):
    cosines, _, dscores = parts(q, k, a, dweights)
    return np.einsum("hts,hts->h", dscores, cosines)


def slope_without_softmax(q, k, a, dweights):
    _, scores, _ = parts(q, k, a, dweights)
    return [np.sum(d * s) for d, s in zip(dweights, scores, strict=True)]


def slope_by_diagonal(q, k, a, dweights):
    _, scores, _ = parts(q, k, a, dweights)
    p = softmax(scores)
    return ((p - p**2) * dweights * scores).sum(axis=2).sum(axis=1)


def slope_of_products(q, k, a, dweights):
    _, scores, _ = parts(q, k, a, dweights)
    return np.einsum("hts,hts,hts->h", softmax(scores), dweights, scores)


def slope_of_log_temperature(q, k, a, dweights):
    _, scores, dscores = parts(q, k, a, dweights)
    return -(dscores * scores).sum(axis=(1, 2))


def slope_of_all_heads(q, k, a, dweights):
    _, scores, dscores = parts(q, k, a, dweights)
    return np.sum(dscores * scores)


def slope_averaged(q, k, a, dweights):
    _, scores, dscores = parts(q, k, a, dweights)
    return (dscores * scores).mean(axis=(1, 2))


def slope_with_plain_mean(q, k, a, dweights):
    _, scores, _ = parts(q, k, a, dweights)
    centred = dweights - dweights.mean(axis=2, keepdims=True)
    return (softmax(scores) * centred * scores).sum(axis=(1, 2))


def slope_averaged_over_queries(q, k, a, dweights):
    _, scores, dscores = parts(q, k, a, dweights)
    return (dscores * scores).sum(axis=2).mean(axis=1)


def slope_with_raw_dots(q, k, a, dweights):
    """e^a r, with the raw products r."""
    _, _, dscores = parts(q, k, a, dweights)
    r = np.einsum("htd,hsd->hts", q, k)
    return (dscores * np.exp(a)[:, None, None] * r).sum(axis=(1, 2))


def slope_by_full_jacobian(q, k, a, dweights):
    slopes = []
    for h in range(len(a)):
        slope = 0.0
        for i, query in enumerate(q[h]):
            scores = np.exp(a[h]) * (k[h] @ query) / np.linalg.norm(k[h], axis=1) / np.linalg.norm(query)
            p = softmax(scores)
            slope += dweights[h, i] @ (np.diag(p) - np.outer(p, p)) @ scores
        slopes.append(slope)
    return np.array(slopes)


def slope_as_covariance(q, k, a, dweights):
    """Each row adds the covariance of dweights and scores under the weights."""
    _, scores, _ = parts(q, k, a, dweights)
    p = softmax(scores)
    both = (p * dweights * scores).sum(-1)
    return (both - (p * dweights).sum(-1) * (p * scores).sum(-1)).sum(-1)


def slope_from_logarithms(q, k, a, dweights):
    """log weight is the score up to a constant per row, and a row of dscores sums to 0."""
    _, scores, dscores = parts(q, k, a, dweights)
    return (dscores * np.log(softmax(scores))).sum(axis=(1, 2))


WRONG = {
    "capped_scores": [
        (cap_without_scale, "no scale"),
        (cap_over_width, "1/d_k"),
        (cap_then_scale, "cap before scaling"),
        (cap_without_outer_b, "b only inside"),
        (cap_by_clipping, "clipped"),
        (cap_without_inner_b, "b only outside"),
        (cap_and_softmax, "softmax on top"),
    ],
    "qk_norm_weights": [
        (norm_bare_cosine, "no g"),
        (norm_times_a, "a for g"),
        (norm_and_root, "scaled twice"),
        (norm_queries_only, "only q"),
        (norm_across_tokens, "normalised over the tokens"),
        (norm_of_everything, "one length for all"),
        (norm_to_mean_square_one, "times the root"),
        (norm_keys_only, "only k"),
        (norm_without_softmax, "no softmax"),
        (norm_shared_out_among_queries, "wrong axis"),
        (norm_without_sign, ""),
        (norm_over_temperature, "a temperature"),
        (norm_forgotten, ""),
        (norm_a_on_the_keys, ""),
    ],
    "gradient_on_a": [
        (slope_of_g, "gradient on g"),
        (slope_without_softmax, "softmax skipped"),
        (slope_by_diagonal, "diagonal only"),
        (slope_of_products, "no row sum"),
        (slope_of_log_temperature, "opposite sign"),
        (slope_of_all_heads, "all heads together"),
        (slope_with_plain_mean, "plain mean"),
        (slope_averaged_over_queries, "averaged over the queries"),
        (slope_with_raw_dots, "raw dot products"),
        (slope_averaged, ""),
    ],
    "largest_score": [(1.0, "a cosine"), (128.0, "no scale"), (0.0884, "one length"), (50, "the cap"), (64.0, "")],
}
RIGHT = {
    "capped_scores": [cap_by_loops, cap_by_exponentials, lambda q, k, b: np.tanh(q @ k.T / len(q.T) ** 0.5 / b) * b],
    "qk_norm_weights": [norm_by_loops, norm_by_mean_square, norm_after_the_product],
    "gradient_on_a": [slope_by_full_jacobian, slope_as_covariance, slope_from_logarithms],
    "largest_score": [11.314, 8 * math.sqrt(2)],
}
