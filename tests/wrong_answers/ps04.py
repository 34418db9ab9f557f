"""Problem set 04, the way students answer it: with typical mistakes, and in several right ways."""

import math

import numpy as np


def softmax(scores):
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def jacobian_diagonal(scores):
    tables = []
    for row in scores:
        p = softmax(row)
        tables.append(np.diag(p * (1 - p)))
    return np.array(tables)


def jacobian_as_a_vector(scores):
    p = softmax(scores)
    return p - p**2


def jacobian_plus(scores):
    return np.stack([np.diag(softmax(row)) + np.outer(softmax(row), softmax(row)) for row in scores])


def jacobian_turned(scores):
    p = softmax(scores)
    tables = np.einsum("ti,tj->tij", p, p)
    for t, row in enumerate(p):
        tables[t] -= np.diag(row)
    return tables


def jacobian_of_scores(scores):
    return np.stack([np.diag(p) - np.outer(p, p) for p in scores])


def jacobian_without_the_first_case(scores):
    n_queries, n_keys = scores.shape
    p, tables = softmax(scores), np.zeros((n_queries, n_keys, n_keys))
    for t in range(n_queries):
        for i in range(n_keys):
            for j in range(n_keys):
                tables[t, i, j] = -p[t, i] * p[t, j]
    return tables


def jacobian_down_the_columns(scores):
    weights = np.exp(scores) / np.exp(scores).sum(axis=0)
    return np.array([np.diag(p) - np.outer(p, p) for p in weights])


def jacobian_with_plain_products(scores):
    tables = []
    for row in scores:
        r = softmax(row)
        tables.append(np.diag(r) - r * r)
    return np.array(tables)


def jacobian_with_at(scores):
    return np.array([np.diag(r) - r @ r.T for r in softmax(scores)])


def jacobian_of_two_minds(scores):
    return np.stack([np.diag(p * (1 - p)) - np.outer(p, p) for p in softmax(scores)])


def jacobian_by_loops(scores):
    tables = []
    for row in scores:
        exps = [math.exp(s) for s in row]
        p = [e / sum(exps) for e in exps]
        tables.append([[p[i] * ((i == j) - p[j]) for j in range(len(p))] for i in range(len(p))])
    return tables


def jacobian_by_broadcasting(scores):
    p = softmax(scores)
    return p[:, :, None] * (np.eye(p.shape[1]) - p[:, None, :])


def jacobian_filled_diagonal(scores):
    p = softmax(scores)
    tables = -p[..., None] @ p[:, None]
    each = np.arange(p.shape[-1])
    tables[:, each, each] += p
    return tables


def jacobian_by_quotients(scores):
    """The quotient rule itself, before it is simplified."""
    exps = np.exp(scores)
    total = exps.sum(axis=1)[:, None, None]
    numerators = np.stack([np.diag(row) for row in exps])
    return (numerators * total - np.einsum("ti,tj->tij", exps, exps)) / total**2


def jacobian_by_small_differences(scores):
    return [central(row.astype(float), 1e-5) for row in scores]


def forward_differences(scores, step):
    n = len(scores)
    table = np.zeros((n, n))
    for j in range(n):
        nudged = scores.copy()
        nudged[j] += step
        table[:, j] = (softmax(nudged) - softmax(scores)) / step
    return table


def central_without_the_two(scores, step):
    columns = [softmax(scores + step * e) - softmax(scores - step * e) for e in np.eye(len(scores))]
    return np.stack(columns, axis=1) / step


def central_in_rows(scores, step):
    rows = []
    for j in range(len(scores)):
        e = np.zeros(len(scores))
        e[j] = step
        rows.append((softmax(scores + e) - softmax(scores - e)) / (2 * step))
    return np.array(rows)


def changes_only(scores, step):
    table = np.zeros((len(scores), len(scores)))
    for j in range(len(scores)):
        e = np.eye(len(scores))[j] * step
        table[:, j] = softmax(scores + e) - softmax(scores - e)
    return table


def changes_over_two_times_step(scores, step):
    return changes_only(scores, step) / 2 * step


def all_scores_nudged(scores, step):
    return (softmax(scores + step) - softmax(scores - step)) / (2 * step)


def no_measurement(scores, step):
    p = softmax(scores)
    return np.diag(p) - p[:, None] * p


def backward_differences(scores, step):
    e = step * np.eye(len(scores))
    return ((softmax(scores) - softmax(scores - e)) / step).T


def central(scores, step):
    n = len(scores)
    table = np.empty((n, n))
    for j in range(n):
        up, down = scores.copy(), scores.copy()
        up[j] += step
        down[j] -= step
        table[:, j] = (softmax(up) - softmax(down)) / (up[j] - down[j])
    return table


def central_at_once(scores, step):
    e = step * np.eye(len(scores))
    return (softmax(scores + e) - softmax(scores - e)).T / (2 * step)


def central_by_entries(scores, step):
    def weight(i, j, nudge):
        exps = [math.exp(s + (nudge if m == j else 0)) for m, s in enumerate(scores)]
        return exps[i] / sum(exps)

    n = range(len(scores))
    return [[(weight(i, j, step) - weight(i, j, -step)) / 2 / step for j in n] for i in n]


def backward_first_half(dweights, weights):
    return np.stack([dp @ np.diag(p) for dp, p in zip(dweights, weights, strict=True)])


def backward_sigmoid(dweights, weights):
    return dweights * (weights - weights**2)


def backward_down_the_columns(dweights, weights):
    return weights * (dweights - np.sum(weights * dweights, axis=0))


def backward_of_one_row(dweights, weights):
    average = (weights * dweights).sum()
    return weights * (dweights - average)


def backward_centred(dweights, weights):
    out = np.zeros_like(weights)
    for t in range(len(weights)):
        out[t] = weights[t] * (dweights[t] - np.mean(dweights[t]))
    return out


def backward_averaged_twice(dweights, weights):
    averages = [np.mean(p * dp) for p, dp in zip(weights, dweights, strict=True)]
    return weights * (dweights - np.array(averages)[:, None])


def backward_average_only(dweights, weights):
    return dweights - np.einsum("tj,tj->t", dweights, weights)[:, None]


def backward_without_brackets(dweights, weights):
    pushed = weights * dweights
    return pushed - pushed.sum(axis=1)[:, None]


def backward_swapped(weights, dweights):
    average = np.sum(weights * dweights, axis=-1, keepdims=True)
    return weights * (dweights - average)


def backward_plain_sum(dweights, weights):
    return weights * (dweights - dweights.sum(axis=1, keepdims=True))


def backward_with_jacobians(dweights, weights):
    return [dp @ (np.diag(p) - np.outer(p, p)) for dp, p in zip(dweights, weights, strict=True)]


def backward_in_two_terms(dweights, weights):
    pushed = weights * dweights
    return pushed - weights * pushed.sum(axis=1)[:, np.newaxis]


def backward_by_loops(dweights, weights):
    out = np.zeros_like(weights)
    for t in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            for i in range(weights.shape[1]):
                out[t, j] += dweights[t, i] * weights[t, i] * ((i == j) - weights[t, j])
    return out


def norm_as_given(weights):
    first = (weights**2 * (1 - weights) ** 2).sum(axis=-1)
    second = (weights**2).sum(axis=-1) ** 2
    return np.sqrt(first + second)


def norm_of_the_diagonal(weights):
    return np.linalg.norm(weights * (1 - weights), axis=-1)


def norm_of_the_upper_half(weights):
    norms = []
    for p in weights:
        total = sum((x * (1 - x)) ** 2 for x in p)
        total += sum((p[i] * p[j]) ** 2 for i in range(len(p)) for j in range(i))
        norms.append(total**0.5)
    return norms


def norm_of_doubled_pairs(weights):
    squares = weights**2
    pairs = squares.sum(axis=-1) ** 2 - (squares**2).sum(axis=-1)
    return np.sqrt((squares * (1 - weights) ** 2).sum(axis=-1) + 2 * pairs)


def norm_cut_off(weights):
    return np.clip(norm_as_given(weights), 0, 0.5)


def norm_squared(weights):
    squares, cubes = (weights**2).sum(axis=-1), (weights**3).sum(axis=-1)
    return squares - 2 * cubes + squares**2


def norm_of_everything(weights):
    return np.linalg.norm([np.diag(p) - np.outer(p, p) for p in weights])


def norm_of_the_largest_stretch(weights):
    return np.array([np.linalg.norm(np.diag(p) - np.outer(p, p), 2) for p in weights])


def norm_by_three_sums(weights):
    return np.sqrt(np.maximum(norm_squared(weights), 0))


def norm_of_tables(weights):
    return [np.linalg.norm(np.diag(p) - np.outer(p, p)) for p in weights]


def norm_from_eigenvalues(weights):
    tables = weights[:, :, None] * (np.eye(weights.shape[1]) - weights[:, None, :])
    return np.sqrt((np.linalg.eigvalsh(tables) ** 2).sum(axis=1))


def norm_with_the_mend_in_the_first_sum(weights):
    first = (weights**2 * (1 - 2 * weights)).sum(axis=-1)
    return np.sqrt(first + (weights**2).sum(axis=-1) ** 2)


def backward_turned(dweights, weights):
    return weights * (np.sum(weights * dweights, axis=1)[:, None] - dweights)


WRONG = {
    "jacobian": [
        (jacobian_diagonal, "diagonal only"),
        (jacobian_as_a_vector, "no table"),
        (jacobian_plus, "plus sign"),
        (jacobian_turned, "sign turned"),
        (jacobian_of_scores, "no softmax"),
        (jacobian_without_the_first_case, ""),
        (jacobian_down_the_columns, "wrong axis"),
        (jacobian_with_plain_products, "entry by entry"),
        (jacobian_with_at, "one number for the table"),
        (jacobian_of_two_minds, "square taken off twice"),
    ],
    "numerical_jacobian": [
        (forward_differences, "forward difference"),
        (central_without_the_two, "forgot the 2"),
        (central_in_rows, "transposed"),
        (changes_only, "not divided"),
        (changes_over_two_times_step, "times the step"),
        (all_scores_nudged, "all scores at once"),
        (no_measurement, "derived, not measured"),
        (backward_differences, "backward difference"),
    ],
    "softmax_backward": [
        (backward_turned, "all signs flipped"),
        (backward_first_half, "no row sum"),
        (backward_sigmoid, "diagonal only"),
        (backward_down_the_columns, "wrong axis"),
        (backward_of_one_row, "one sum for all"),
        (backward_centred, "plain mean"),
        (backward_averaged_twice, "mean of the products"),
        (backward_average_only, "weight left out in front"),
        (backward_without_brackets, "average taken off last"),
        (backward_swapped, "arguments swapped"),
        (backward_plain_sum, ""),
    ],
    "tie_norm": [
        (0, "dead"),
        (0.5, "tie of two"),
        (0.433, "tie of four"),
        (0.2222, "one entry"),
        (0.385, "diagonal only"),
        (0.333, "eigenvalue"),
        (1.414, ""),
    ],
    "counterexample": [
        ([[0.25, 0.25, 0.25, 0.25]], "flat"),
        ([[0.5, 0.5], [0.5, 0.5]], "a tie"),
        ([[0.65, 0.25, 0.1]], "not sharp enough"),
        ([[3.0, 1.0, 2.0]], ""),  # scores
        ([[1.0, 0.5, -0.5]], ""),
        ([1.0, 0.0], ""),  # a row, but no table
    ],
    "mended_norm": [
        (norm_as_given, "as given"),
        (norm_of_the_diagonal, "diagonal only"),
        (norm_of_the_upper_half, "pairs once"),
        (norm_of_doubled_pairs, "pairs four times"),
        (norm_cut_off, "cut off"),
        (norm_squared, "no root"),
        (norm_of_everything, "one number"),
        (norm_of_the_largest_stretch, ""),
    ],
}

RIGHT = {
    "jacobian": [
        jacobian_by_loops,
        jacobian_by_broadcasting,
        jacobian_filled_diagonal,
        jacobian_by_quotients,
        jacobian_by_small_differences,
    ],
    "numerical_jacobian": [central, central_at_once, central_by_entries],
    "softmax_backward": [backward_with_jacobians, backward_in_two_terms, backward_by_loops],
    "tie_norm": [0.471, math.sqrt(18) / 9, np.float32(0.4714)],
    "counterexample": [
        [[0, 1]],
        np.array([[0.9, 0.05, 0.05], [0.2, 0.3, 0.5]]),  # one of its rows is enough
        [[1.0]],
    ],
    "mended_norm": [norm_by_three_sums, norm_of_tables, norm_from_eigenvalues, norm_with_the_mend_in_the_first_sum],
}
