"""Problem set 02, the way students answer it: with typical mistakes, and in several right ways."""

import math

import numpy as np


def variance_without_means(mu_q, sigma_q, mu_k, sigma_k):
    return ((sigma_q * sigma_k) ** 2).sum()


def variance_as_second_moment(mu_q, sigma_q, mu_k, sigma_k):
    total = 0.0
    for c in range(len(mu_q)):
        total += (mu_q[c] ** 2 + sigma_q[c] ** 2) * (mu_k[c] ** 2 + sigma_k[c] ** 2)
    return total


def variance_minus_square_of_mean(mu_q, sigma_q, mu_k, sigma_k):
    mean = mu_q @ mu_k
    return (mu_q**2 + sigma_q**2) @ (mu_k**2 + sigma_k**2) - mean**2


def variance_from_unsquared(mu_q, sigma_q, mu_k, sigma_k):
    return np.sum(sigma_q * sigma_k + sigma_q * mu_k**2 + sigma_k * mu_q**2)


def variance_averaged(mu_q, sigma_q, mu_k, sigma_k):
    return np.mean(sigma_q**2 * sigma_k**2 + sigma_q**2 * mu_k**2 + sigma_k**2 * mu_q**2)


def variances_of_the_terms(mu_q, sigma_q, mu_k, sigma_k):
    return [
        sq**2 * sk**2 + sq**2 * mk**2 + sk**2 * mq**2
        for mq, sq, mk, sk in zip(mu_q, sigma_q, mu_k, sigma_k, strict=True)
    ]


def variance_of_one_coordinate_times_width(mu_q, sigma_q, mu_k, sigma_k):
    return len(mu_q) * variances_of_the_terms(mu_q, sigma_q, mu_k, sigma_k)[0]


def variance_summed_and_multiplied(mu_q, sigma_q, mu_k, sigma_k):
    d_k = len(mu_q)
    return d_k * ((sigma_q**2 + mu_q**2) * (sigma_k**2 + mu_k**2) - mu_q**2 * mu_k**2).sum()


def standard_deviation_of_the_score(mu_q, sigma_q, mu_k, sigma_k):
    return math.sqrt(variance_by_loop(mu_q, sigma_q, mu_k, sigma_k))


def variance_from_averages(mu_q, sigma_q, mu_k, sigma_k):
    m_q, m_k, s_q, s_k = mu_q.mean(), mu_k.mean(), sigma_q.mean(), sigma_k.mean()
    return mu_q.size * ((s_q**2 + m_q**2) * (s_k**2 + m_k**2) - m_q**2 * m_k**2)


def variance_by_loop(mu_q, sigma_q, mu_k, sigma_k):
    return sum(variances_of_the_terms(mu_q, sigma_q, mu_k, sigma_k))


def variance_by_dot_products(mu_q, sigma_q, mu_k, sigma_k):
    var_q, var_k = sigma_q**2, sigma_k**2
    return var_q @ var_k + var_q @ mu_k**2 + var_k @ mu_q**2


def variance_by_counting(mu_q, sigma_q, mu_k, sigma_k):
    """Coins around each mean: the four products of each coordinate, and their variance."""
    q, k = np.stack([mu_q - sigma_q, mu_q + sigma_q]), np.stack([mu_k - sigma_k, mu_k + sigma_k])
    return (q[:, None] * k[None, :]).reshape(4, -1).var(axis=0).sum()


def variance_by_covariance_matrices(mu_q, sigma_q, mu_k, sigma_k):
    """tr(C_q C_k) + μ_kᵀ C_q μ_k + μ_qᵀ C_k μ_q."""
    C_q, C_k = np.diag(sigma_q**2), np.diag(sigma_k**2)
    return np.trace(C_q @ C_k) + mu_k @ C_q @ mu_k + mu_q @ C_k @ mu_q


def scores_with_loops(Q, K, scale):
    scores = np.zeros((len(Q), len(K)))
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            scores[i, j] = scale * sum(a * b for a, b in zip(q, k, strict=True))
    return scores


def scores_unscaled(Q, K):
    return scores_with_loops(Q, K, 1)


def scores_over_width(Q, K):
    return np.einsum("id,jd->ij", Q, K) / K.shape[-1]


def scores_multiplied(Q, K):
    return np.matmul(Q, K.T) / Q.shape[-1] ** -0.5


def scores_by_number_of_keys(Q, K):
    scores = Q @ K.T
    return scores / math.sqrt(scores.shape[1])


def scores_by_number_of_queries(Q, K):
    return np.dot(Q, K.T) / np.sqrt(Q.shape[0])


def scores_standardised(Q, K):
    scores = np.einsum("id,jd->ij", Q, K)
    return scores / np.std(scores)


def scores_transposed(Q, K):
    return scores_with_loops(K, Q, Q.shape[1] ** -0.5)


def scores_scaled_slowly(Q, K):
    return scores_with_loops(Q, K, 1 / math.sqrt(len(Q[0]))).tolist()


def scores_scaled_half_and_half(Q, K):
    root = Q.shape[-1] ** 0.25
    return (Q / root) @ (K / root).T


def scores_by_broadcasting(Q, K):
    products = Q[:, None, :] * K[None, :, :]
    return products.sum(axis=-1) / np.sqrt(products.shape[-1])


def scores_as_an_average(Q, K):
    """√d_k times the mean of the products."""
    return (Q[:, None] * K).mean(axis=2) * np.sqrt(Q.shape[1])


def layer_as_given(W_Q, W_K):
    return ((W_Q**2).sum(axis=0) * (W_K**2).sum(axis=0)).sum()


def layer_by_squared_entries(W_Q, W_K):
    """Squares first: the same as given."""
    return ((W_Q**2) @ (W_K**2).T).sum()


def layer_with_each_pair_once(W_Q, W_K):
    C = (W_Q.T @ W_Q) * (W_K.T @ W_K)
    return sum(C[a, b] for a in range(len(C)) for b in range(a, len(C)))


def layer_off_the_diagonal(W_Q, W_K):
    C = (W_Q.T @ W_Q) * (W_K.T @ W_K)
    return C.sum() - np.trace(C)


def layer_without_signs(W_Q, W_K):
    return (np.abs(W_Q.T @ W_Q) * np.abs(W_K.T @ W_K)).sum()


def layer_of_correlated_queries(W_Q, W_K):
    return ((W_Q.T @ W_Q) @ (W_K**2).sum(axis=0)).sum()


def layer_of_traces(W_Q, W_K):
    return np.trace(W_Q.T @ W_Q) * np.trace(W_K @ W_K.T)


def layer_added_first(W_Q, W_K):
    return (W_Q.sum(axis=0) @ W_K.sum(axis=0)) ** 2


def layer_table(W_Q, W_K):
    return (W_Q.T @ W_Q) * (W_K.T @ W_K)


def layer_scaled(W_Q, W_K):
    return np.linalg.norm(W_Q @ W_K.T / math.sqrt(W_K.shape[1])) ** 2


def layer_root(W_Q, W_K):
    return np.linalg.norm(W_Q @ W_K.T)


def layer_measured(W_Q, W_K):
    """A variance from random numbers: near, but not it."""
    x, y = np.random.default_rng(0).standard_normal((2, 500, len(W_Q)))
    return ((x @ W_Q) * (y @ W_K)).sum(axis=1).var()


def layer_by_the_table(W_Q, W_K):
    return np.sum((W_Q.T @ W_Q) * (W_K.T @ W_K))


def layer_by_the_bilinear_form(W_Q, W_K):
    """q·k = x M yᵀ with M = W_Q W_Kᵀ, and each x_i y_j is a step of variance 1."""
    return ((W_Q @ W_K.T) ** 2).sum()


def layer_by_loops(W_Q, W_K):
    total = 0.0
    for q_i in W_Q:
        for k_j in W_K:
            total += math.fsum(a * b for a, b in zip(q_i, k_j, strict=True)) ** 2
    return total


def layer_by_trace(W_Q, W_K):
    return np.trace(W_Q.T @ W_Q @ W_K.T @ W_K)


def error_of_the_mean(scores):
    return scores.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])


def spread_of_the_squares(scores):
    squares = (scores - scores.mean(axis=1, keepdims=True)) ** 2
    return squares.std(axis=1)


def error_without_root(scores):
    m_2 = scores.var(axis=1)
    m_4 = ((scores.T - scores.mean(axis=1)) ** 4).mean(axis=0)
    return (m_4 - m_2**2) / scores.shape[1]


def error_if_normal(scores):
    return [math.sqrt(2 / len(run)) * np.var(run) for run in scores]


def error_around_zero(scores):
    m_2, m_4 = (scores**2).mean(axis=1), (scores**4).mean(axis=1)
    return np.sqrt((m_4 - m_2**2) / scores.shape[1])


def error_down_the_columns(scores):
    m_4 = ((scores - scores.mean(axis=0)) ** 4).mean(axis=0)
    return np.sqrt((m_4 - scores.var(axis=0) ** 2) / scores.shape[0])


def error_around_one_mean(scores):
    deviations = scores - np.mean(scores)
    m_2, m_4 = np.mean(deviations**2, axis=1), np.mean(deviations**4, axis=1)
    return np.sqrt((m_4 - m_2**2) / scores.shape[1])


def error_by_len(scores):
    deviations = scores - scores.mean(axis=1, keepdims=True)
    m_2, m_4 = (deviations**2).mean(axis=1), (deviations**4).mean(axis=1)
    return np.sqrt((m_4 - m_2**2) / len(scores))


def one_error_for_all_runs(scores):
    squares = (scores - scores.mean()) ** 2
    return squares.std() / np.sqrt(scores.size)


def error_as_in_the_notebook(scores):
    errors = []
    for run in scores:
        variance = run.var(ddof=1)
        m_4 = ((run - run.mean()) ** 4).mean()
        errors.append(np.sqrt((m_4 - variance**2) / len(run)))
    return errors


def error_by_the_error_of_a_mean(scores):
    squares = (scores - scores.mean(axis=1, keepdims=True)) ** 2
    return squares.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])


def error_by_plain_python(scores):
    errors = []
    for run in scores.tolist():
        n, mean = len(run), sum(run) / len(run)
        m_2, m_4 = (sum((s - mean) ** r for s in run) / n for r in (2, 4))
        errors.append(math.sqrt((m_4 - m_2 * m_2) / n))
    return errors


def variance_without_the_keys_share(mu_q, sigma_q, mu_k, sigma_k):
    return float(np.sum((sigma_q * sigma_k) ** 2 + (mu_k * sigma_q) ** 2))


def variance_without_the_queries_share(mu_q, sigma_q, mu_k, sigma_k):
    return sum(s**2 * t**2 + m**2 * t**2 for m, s, t in zip(mu_q, sigma_q, sigma_k))  # noqa: B905


WRONG = {
    "score_variance": [
        (16, "variance 1 assumed"),
        (148.0, "sum"),
        (24, "not squared"),
        (576, "d_k squared"),
        (np.sqrt(36), "root"),
        (9 / 4, "one term"),
        (56, ""),
    ],
    "predicted_variance": [
        (variance_without_the_keys_share, "one cross term missing"),
        (variance_without_the_queries_share, "other cross term missing"),
        (variance_without_means, "means ignored"),
        (variance_as_second_moment, "second moments"),
        (variance_minus_square_of_mean, "total mean squared"),
        (variance_from_unsquared, "not squared"),
        (variance_averaged, "averaged"),
        (variance_summed_and_multiplied, "width twice"),
        (variances_of_the_terms, "not summed"),
        (standard_deviation_of_the_score, "root"),
        (variance_from_averages, "averages put in"),
        (variance_of_one_coordinate_times_width, ""),
    ],
    "scaled_scores": [
        (scores_unscaled, "no scale"),
        (scores_over_width, "1/d_k"),
        (scores_multiplied, "multiplied"),
        (scores_by_number_of_keys, "number of keys"),
        (scores_by_number_of_queries, "number of queries"),
        (scores_standardised, "measured spread"),
        (scores_transposed, "transposed"),
        (lambda Q, K: Q @ K / np.sqrt(Q.shape[1]), ""),
    ],
    "counterexample": [
        (([[1.0], [2.0]], [[3.0], [1.0]]), "width 1"),
        ((np.eye(2), np.array([[1.0, 1.0], [1.0, -1.0]])), "both uncorrelated"),
        ((np.eye(2), np.array([[1.0, 1.0], [0.0, 1.0]])), "one side only"),
        ((np.array([[1.0, 1.0, 0.0]]), np.array([[0.0, 1.0, 1.0]])), ""),  # correlated, but never in the same pair
        ((np.ones((2, 3)), np.ones((3, 2))), ""),
        ((np.ones(3), np.ones(3)), ""),
    ],
    "mended_variance": [
        (layer_as_given, "as given"),
        (layer_by_squared_entries, "as given"),
        (layer_with_each_pair_once, "pairs once"),
        (layer_off_the_diagonal, "without the diagonal"),
        (layer_without_signs, "no signs"),
        (layer_of_correlated_queries, "one side only"),
        (layer_of_traces, "traces"),
        (layer_added_first, "added before squaring"),
        (layer_table, "not summed"),
        (layer_scaled, "scaled"),
        (layer_root, "root"),
        (layer_measured, ""),
    ],
    "variance_error": [
        (error_of_the_mean, "error of the mean"),
        (spread_of_the_squares, "not divided"),
        (error_without_root, "no root"),
        (error_if_normal, "normal only"),
        (error_around_zero, "mean not subtracted"),
        (error_down_the_columns, "wrong axis"),
        (error_around_one_mean, "one mean"),
        (error_by_len, "runs counted"),
        (one_error_for_all_runs, ""),
    ],
}

RIGHT = {
    "score_variance": [36, 36.0, np.array(16 * 0.5**2 * 3**2)],
    "predicted_variance": [
        variance_by_loop,
        variance_by_dot_products,
        variance_by_counting,
        variance_by_covariance_matrices,
    ],
    "scaled_scores": [
        scores_scaled_slowly,
        scores_scaled_half_and_half,
        scores_by_broadcasting,
        scores_as_an_average,
    ],
    "counterexample": [
        (np.ones((1, 2)), np.ones((1, 2))),  # two arrays of one shape
        ([[1, 2], [0, 1], [3, 1]], [[1, 1], [1, 1], [0, 2]]),
    ],
    "mended_variance": [layer_by_the_table, layer_by_the_bilinear_form, layer_by_loops, layer_by_trace],
    "variance_error": [error_as_in_the_notebook, error_by_the_error_of_a_mean, error_by_plain_python],
}
