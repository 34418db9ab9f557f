"""Problem set 06, the way students answer it: with typical mistakes, and in several right ways."""

import math

import numpy as np


def products_on_their_side(dC, A, B):
    return np.einsum("rn,mn->rm", B, dC), np.einsum("mn,mr->nr", dC, A)


def products_in_the_other_order(dC, A, B):
    dA = np.dot(dC, B.T)
    dB = np.dot(A.T, dC)
    return dB, dA


def products_reshaped(dC, A, B):
    (m, r), n = A.shape, B.shape[1]
    return dC @ B.reshape(n, r), A.reshape(r, m) @ dC


def products_without_dC(dC, A, B):
    dA = np.tile(B.sum(axis=1), (A.shape[0], 1))
    dB = np.tile(A.sum(axis=0)[:, None], (1, B.shape[1]))
    return dA, dB


def products_averaged(dC, A, B):
    dB = np.mean([np.outer(A[i], dC[i]) for i in range(len(A))], axis=0)
    return dC @ B.T, dB


def products_without_transposes(dC, A, B):
    return dC @ B, A @ dC


def products_order_mixed(dC, A, B):
    return B.T @ dC, dC @ A.T


def products_dA_only(dC, A, B):
    return dC @ B.T


def products_by_loops(dC, A, B):
    dA, dB = np.zeros_like(A), np.zeros_like(B)
    for i in range(dC.shape[0]):
        for j in range(dC.shape[1]):
            dA[i] += dC[i, j] * B[:, j]
            dB[:, j] += dC[i, j] * A[i]
    return dA, dB


def products_by_einsum(dC, A, B):
    return [*np.einsum("mn,rn->mr", dC, B)], np.einsum("mr,mn->rn", A, dC)


def products_turned_late(dC, A, B):
    return (B @ dC.T).T, (dC.T @ A).T


def dscores_as_given(dout, V, weights):
    dweights = dout @ V.T
    average = np.mean(dweights, axis=-1)
    return weights * (dweights - average[:, None])


def dscores_product_only(dout, V, weights):
    return np.einsum("ia,ja,ij->ij", dout, V, weights)


def dscores_diagonal(dout, V, weights):
    dweights = dout @ V.T
    return dweights * (weights - weights**2)


def dscores_over_queries(dout, V, weights):
    product = weights * (dout @ V.T)
    return product - weights * product.sum(axis=0)


def dscores_centred(dout, V, weights):
    dscores = weights * (dout @ V.T)
    for i in range(len(dscores)):
        dscores[i] -= dscores[i].mean()
    return dscores


def dscores_mean_of_products(dout, V, weights):
    dweights = dout @ V.T
    average = (weights * dweights).mean(axis=1, keepdims=True)
    return weights * (dweights - average)


def dscores_only_centred(dout, V, weights):
    dweights = dout @ V.T
    return dweights - np.einsum("ij,ij->i", weights, dweights)[:, None]


def dscores_sum_without_axis(dout, V, weights):
    dweights = np.dot(dout, V.T)
    return weights * dweights - weights * np.sum(weights * dweights)


def dscores_overwriting(dout, V, weights):
    weights *= dout @ V.T
    return weights


def dscores_by_jacobian(dout, V, weights):
    return [(np.diag(w) - np.outer(w, w)) @ (V @ g) for w, g in zip(weights, dout, strict=True)]


def dscores_from_output(dout, V, weights):
    delta = (dout * (weights @ V)).sum(axis=1, keepdims=True)
    return weights * (dout @ V.T - delta)


def dscores_by_loops(dout, V, weights):
    dscores = np.zeros_like(weights)
    for i, w in enumerate(weights):
        for j in range(len(V)):
            dscores[i, j] = w[j] * sum(w[m] * np.dot(dout[i], V[j] - V[m]) for m in range(len(V)))
    return dscores


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exps / exps.sum(axis=1, keepdims=True)


def gradients(dout, Q, K, V, scale, back):
    """What most students write, with a choice of both scales."""
    weights = softmax(scale * Q @ K.T)
    dweights = dout @ V.T
    dscores = weights * (dweights - np.sum(weights * dweights, axis=1, keepdims=True))
    return back * (dscores @ K), back * (dscores.T @ Q), weights.T @ dout


def scale_nowhere(dout, Q, K, V):
    return gradients(dout, Q, K, V, 1, 1)


def scale_there_but_not_back(dout, Q, K, V):
    return gradients(dout, Q, K, V, 1 / math.sqrt(Q.shape[1]), 1)


def scale_back_only(dout, Q, K, V):
    return gradients(dout, Q, K, V, 1, 1 / math.sqrt(Q.shape[1]))


def scale_at_dscores_and_at_dQ(dout, Q, K, V):
    scale = 1 / np.sqrt(Q.shape[1])
    dQ, dK, dV = gradients(dout, Q, K, V, scale, scale)
    return dQ * scale, dK * scale, dV


def scale_without_root(dout, Q, K, V):
    return gradients(dout, Q, K, V, 1 / K.shape[1], 1 / K.shape[1])


def scale_from_the_values(dout, Q, K, V):
    return gradients(dout, Q, K, V, V.shape[1] ** -0.5, V.shape[1] ** -0.5)


def stages(dout, Q, K, V):
    scale = 1 / math.sqrt(K.shape[-1])
    weights = softmax(Q @ K.T * scale)
    return scale, weights, dout @ V.T


def backward_without_row_sum(dout, Q, K, V):
    scale, weights, dweights = stages(dout, Q, K, V)
    ddots = weights * dweights * scale
    return ddots @ K, ddots.T @ Q, weights.T @ dout


def backward_on_the_diagonal(dout, Q, K, V):
    scale, weights, dweights = stages(dout, Q, K, V)
    slopes = np.stack([np.diag(np.diag(w) - np.outer(w, w)) for w in weights])
    ddots = slopes * dweights * scale
    return ddots @ K, ddots.T @ Q, weights.T @ dout


def backward_down_the_columns(dout, Q, K, V):
    scale, weights, dweights = stages(dout, Q, K, V)
    dscores = weights * (dweights - sum(weights * dweights))  # Python's sum runs over the rows
    return scale * dscores @ K, scale * dscores.T @ Q, weights.T @ dout


def backward_with_the_given_bug(dout, Q, K, V):
    scale, weights, _ = stages(dout, Q, K, V)
    ddots = dscores_as_given(dout, V, weights) * scale
    return ddots @ K, ddots.T @ Q, weights.T @ dout


def backward_scaling_dQ_only(dout, Q, K, V):
    scale, weights, _ = stages(dout, Q, K, V)
    dscores = dscores_from_output(dout, V, weights)
    dQ = dscores @ K * scale
    dK = dscores.T @ Q
    return dQ, dK, weights.T @ dout


def backward_softmax_down_the_columns(dout, Q, K, V):
    scale = 1 / np.sqrt(Q.shape[1])
    exps = np.exp(Q @ K.T * scale)
    weights = exps / exps.sum(axis=0)
    dweights = dout @ V.T
    ddots = scale * weights * (dweights - (weights * dweights).sum(axis=1, keepdims=True))
    return ddots @ K, ddots.T @ Q, weights.T @ dout


def backward_of_turned_softmax(dout, Q, K, V):
    scale = 1 / math.sqrt(Q.shape[1])
    weights = np.exp(scale * Q @ K.T)
    weights = weights / weights.sum(axis=0, keepdims=True)
    dweights = dout @ V.T
    dscores = weights * (dweights - np.sum(weights * dweights, axis=0, keepdims=True))
    return scale * dscores @ K, scale * dscores.T @ Q, weights.T @ dout


def backward_dV_first(dout, Q, K, V):
    scale, weights, _ = stages(dout, Q, K, V)
    dV = weights.T @ dout
    ddots = scale * dscores_by_loops(dout, V, weights)
    return dV, ddots @ K, ddots.T @ Q


def backward_values_from_scores(dout, Q, K, V):
    scale = Q.shape[1] ** -0.5
    dQ, dK, _ = gradients(dout, Q, K, V, scale, scale)
    return dQ, dK, (K @ Q.T * scale) @ dout


def backward_dK_not_turned(dout, Q, K, V):
    scale, weights, _ = stages(dout, Q, K, V)
    ddots = scale * dscores_from_output(dout, V, weights)
    return ddots @ K, ddots @ Q, weights.T @ dout


def backward_in_another_order(dout, Q, K, V):
    scale = Q.shape[1] ** -0.5
    return gradients(dout, Q, K, V, scale, scale)[::-1]


def backward_folded(dout, Q, K, V):
    """The scale folded into the keys, as task 4 folds it into the queries."""
    short = K / math.sqrt(K.shape[1])
    dQ, dshort, dV = gradients(dout, Q, short, V, 1, 1)
    return dQ, dshort / math.sqrt(K.shape[1]), dV


def backward_query_by_query(dout, Q, K, V):
    dQ, dK, dV = np.zeros_like(Q), np.zeros_like(K), np.zeros_like(V)
    scale = 1 / math.sqrt(Q.shape[1])
    for i, q in enumerate(Q):
        exps = np.exp(scale * (K @ q))
        w = exps / exps.sum()
        ds = (np.diag(w) - np.outer(w, w)) @ (V @ dout[i])
        dQ[i] = scale * ds @ K
        dK += scale * np.outer(ds, q)
        dV += np.outer(w, dout[i])
    return dQ, dK, dV


def backward_by_differences(dout, Q, K, V):
    """No derivation at all: nudge every entry, in float64."""
    inputs = [np.array(x, dtype=float) for x in (Q, K, V)]

    def loss():
        q, k, v = inputs
        return (dout * (softmax(q @ k.T / math.sqrt(q.shape[1])) @ v)).sum()

    found = []
    for x in inputs:
        slopes = np.zeros_like(x)
        for at in np.ndindex(x.shape):
            kept = x[at]
            x[at] = kept + 1e-5
            up = loss()
            x[at] = kept - 1e-5
            slopes[at] = (up - loss()) / 2e-5
            x[at] = kept
        found.append(slopes)
    return tuple(found)


def scores_are_weights(dout, V, weights):
    return np.dot(dout, V.T)


def dscores_turned(dout, V, weights):
    dweights = np.dot(dout, V.T)
    return weights * np.sum(weights * dweights, axis=1, keepdims=True) - weights * dweights


def backward_without_softmax(dout, Q, K, V):
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    weights = exps / exps.sum(axis=1, keepdims=True)
    ddots = dout @ V.T / np.sqrt(Q.shape[1])
    return ddots @ K, ddots.T @ Q, weights.T @ dout


def backward_of_the_values_only(dout, Q, K, V):
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    return 0 * Q, 0 * K, (exps / exps.sum(axis=1, keepdims=True)).T @ dout


def backward_downhill(dout, Q, K, V):
    exps = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
    weights = exps / exps.sum(axis=1, keepdims=True)
    ddots = dscores_turned(dout, V, weights) / np.sqrt(Q.shape[1])
    return ddots @ K, ddots.T @ Q, -weights.T @ dout


def backward_dq_only(dout, Q, K, V):
    return backward_downhill(-dout, Q, K, V)[0]


def products_dB_later(dC, A, B):
    return dC @ B.T, None


WRONG = {
    "matmul_backward": [
        (products_dB_later, ""),
        (products_on_their_side, "transposed"),
        (products_in_the_other_order, "swapped"),
        (products_reshaped, "reshaped"),
        (products_without_dC, "dC left out"),
        (products_averaged, "averaged"),
        (products_without_transposes, ""),
        (products_order_mixed, ""),
        (products_dA_only, ""),
    ],
    "counterexample": [
        ((np.array([[2.0, 1.0]]), np.array([[1.0, 3.0]]), np.array([[1.0]])), "one key"),
        ((np.array([[2.0, 1.0]]), np.array([[1.0, 3.0], [0.0, 1.0]]), np.array([[0.5, 0.5]])), "equal weights"),
        ((np.array([[0.0]]), np.array([[1.0], [3.0]]), np.array([[0.9, 0.1]])), "values alike"),
        ((np.array([[1.0]]), np.array([[1.0], [3.0]]), np.array([[2.0, -1.0]])), ""),  # scores
        ((np.ones((2, 3)), np.ones((3, 2)), np.full((2, 3), 1 / 3)), ""),  # V is turned round
        (([[1000.0]], [[3.0], [1.0], [2.0]], [[0.33333, 0.33333, 0.33333]]), "equal weights"),  # but for rounding
        (([[1000.0]], [[1000.0], [1000.0]], [[0.9, 0.099991]]), "values alike"),
    ],
    "mended_dscores": [
        (scores_are_weights, "softmax skipped"),
        (dscores_turned, "all signs flipped"),
        (dscores_as_given, "as given"),
        (dscores_product_only, "no row sum"),
        (dscores_diagonal, "diagonal only"),
        (dscores_over_queries, "wrong axis"),
        (dscores_centred, "centred afterwards"),
        (dscores_mean_of_products, "mean of the products"),
        (dscores_only_centred, "outer weights missing"),
        (dscores_sum_without_axis, "one average for all"),
        (dscores_overwriting, ""),
    ],
    "attention_backward": [
        (backward_without_softmax, "softmax skipped"),
        (backward_of_the_values_only, "weights held constant"),
        (backward_downhill, "all signs flipped"),
        (backward_dq_only, ""),
        (scale_nowhere, "no scale"),
        (scale_there_but_not_back, "no scale backward"),
        (scale_back_only, "no scale forward"),
        (scale_at_dscores_and_at_dQ, "scale twice"),
        (scale_without_root, "1/d_k"),
        (scale_from_the_values, "sqrt(d_v)"),
        (backward_without_row_sum, "no row sum"),
        (backward_on_the_diagonal, "diagonal only"),
        (backward_down_the_columns, "wrong axis"),
        (backward_values_from_scores, "dV from the scores"),
        (backward_with_the_given_bug, "plain mean"),
        (backward_scaling_dQ_only, "scale on dQ only"),
        (backward_softmax_down_the_columns, "softmax over the queries"),
        (backward_of_turned_softmax, "over the queries on both ways"),
        (backward_dV_first, "dV first"),
        (backward_dK_not_turned, ""),
        (backward_in_another_order, ""),
    ],
    "dq_ratio": [(1, "no scale"), (0.125, "upside down"), (64, "1/d_k"), (math.sqrt(8), "")],
    "dk_ratio": [(8, "only the scale"), (1 / 8, "only the queries"), (1 / 64, ""), (64.0, "both longer")],
}

RIGHT = {
    "matmul_backward": [products_by_loops, products_by_einsum, products_turned_late],
    "counterexample": [
        ([[1.0]], [[0.0], [1.0]], [[0.25, 0.75]]),
        [[[1]], [[1], [2], [5]], [[0.3, 0.3, 0.4]]],  # a list of lists
        (np.eye(3), np.diag([1.0, 2.0, 3.0]), np.array([[0.6, 0.3, 0.1]] * 3)),
    ],
    "mended_dscores": [dscores_by_jacobian, dscores_from_output, dscores_by_loops],
    "attention_backward": [backward_folded, backward_query_by_query, backward_by_differences],
    "dq_ratio": [8, math.sqrt(64), np.float32(8)],
    "dk_ratio": [1, 1.0, np.array(1.0)],
}
