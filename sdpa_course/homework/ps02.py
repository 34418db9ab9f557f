"""Problem set 02: the variance of a dot product, the scale that cancels it, and the error of a measured variance."""

import numpy as np

from ..kernels.scores import dot_scores_forward
from .hunts import Hunt, Trap, counterexample
from .tasks import Mistake, Task, any_sizes


def moments(rng, widths=(7, 10)) -> list[dict]:
    """A mean and a standard deviation for every coordinate of q and of k; one mean of each is negative."""
    cases = []
    for d_k in widths:
        mu_q, mu_k = rng.uniform(0.6, 1.4, (2, d_k))
        mu_q[0], mu_k[-1] = -mu_q[0], -mu_k[-1]
        sigma_q, sigma_k = rng.uniform(0.4, 0.8, d_k), rng.uniform(1.5, 2.5, d_k)
        cases.append({"mu_q": mu_q, "sigma_q": sigma_q, "mu_k": mu_k, "sigma_k": sigma_k})
    return cases


def queries_and_keys(rng, sizes=((3, 7, 5), (4, 6, 11))) -> list[dict]:
    """Queries and keys of one head: Tq, Tk and d_k all differ, and the standard deviation of the scores isn't √d_k."""
    return [
        {"Q": rng.normal(size=(queries, d_k)), "K": 2 * rng.normal(size=(keys, d_k))} for queries, keys, d_k in sizes
    ]


def layers(rng, sizes=((4, 7), (6, 3))) -> list[dict]:
    """W_Q and W_K that share a part, as if trained together, by d_model and d_k."""
    cases = []
    for d_model, d_k in sizes:
        shared, W_Q, W_K = rng.normal(size=(3, d_model, d_k)) + 0.3
        cases.append({"W_Q": shared + 0.5 * W_Q, "W_K": shared + 0.5 * W_K})
    return cases


def other_layers(rng) -> list[dict]:
    """Any sizes; then a query with an entry that's always 0, matrices that are the same, and one that's all zeros."""
    zero, same, none = layers(rng, [(4, 5), (3, 6), (5, 2)])
    zero["W_Q"][:, 1] = none["W_K"][:] = 0
    return [*layers(rng, any_sizes(rng, 2)), zero, {"W_Q": same["W_Q"], "W_K": same["W_Q"].copy()}, none]


def runs_of_scores(rng, sizes=((3, 160), (4, 250))) -> list[dict]:
    """Runs with heavy tails, with no tails, and normal ones. No mean is 0, and no two means are equal."""
    cases = []
    for runs, samples in sizes:
        heavy = 4 * rng.normal(size=samples) * rng.normal(size=samples) + 9
        normal = 4 * rng.normal(size=(runs - 2, samples)) + 12
        cases.append({"scores": np.stack([heavy, rng.uniform(-8, 8, samples) - 6, *normal])})
    return cases


def other_moments(rng) -> list[dict]:
    """Any width, 1 included; then means that are all 0, and coordinates that don't vary at all."""
    still, centred = moments(rng, rng.integers(2, 13, size=2))
    still["sigma_q"][:2], still["sigma_k"][1], centred["mu_q"][:], centred["mu_k"][:] = 0, 0, 0, 0
    return [*moments(rng, (1, *rng.integers(2, 13, size=2))), still, centred]


def other_runs(rng) -> list[dict]:
    """One run and several, two of them of the same length."""
    one = rng.normal(-3, 2, size=(1, int(rng.integers(120, 300))))
    return [{"scores": one}, *runs_of_scores(rng, [(2, 150), tuple(rng.integers((3, 150), (9, 300)))])]


def variances(mu_q, sigma_q, mu_k, sigma_k):
    """Var(q_c k_c) of every coordinate."""
    return (sigma_q**2 + mu_q**2) * (sigma_k**2 + mu_k**2) - mu_q**2 * mu_k**2


def sum_of_variances(*moments):
    """Σ_c Var(q_c k_c), all entries independent."""
    return variances(*moments).sum()


def covariances(W):
    """The covariances of the entries of x W, where those of x are independent with variance 1."""
    return W.T @ W


def layer_variance_given(W_Q, W_K):
    """What the function with the bug computes."""
    return (np.diag(covariances(W_Q)) * np.diag(covariances(W_K))).sum()


def layer_variance(W_Q, W_K):
    """Var(x W_Q · y W_K): the sum of the whole table of covariances."""
    return (covariances(W_Q) * covariances(W_K)).sum()


def unrelated(W) -> bool:
    """Whether the entries of x W are uncorrelated."""
    C = covariances(W)
    return np.allclose(C, np.diag(np.diag(C)))


def standard_error(scores, centre=None, axis=-1):
    """√((m_4 − m_2²) / samples) for each run, measured from its own mean unless a centre is given."""
    deviations = scores - (scores.mean(axis=axis, keepdims=True) if centre is None else centre)
    return np.sqrt((deviations**2).var(axis=axis) / scores.shape[axis])


DIVIDE = 'notebook 02, section "Why not some other number?"'
SUM = 'notebook 02, section "The proof"'
TABLE = 'notebook 02, section "Every pair of steps, in one table"'
BROKEN = 'notebook 02, section "Break three assumptions"'

TASKS = (
    Task(
        "ps02.score_variance",
        points=2,
        asks="the variance of q·k, from the width and the two standard deviations",
        read=BROKEN,
        right=lambda: 36.0,
        tolerance=1e-3,
        mistakes=(
            Mistake(
                "variance 1 assumed",
                lambda: 16.0,
                "This would be right if the entries had standard deviation 1. What happens to line A of the proof "
                "here?",
            ),
            Mistake(
                "sum",
                lambda: 16 * (0.25 + 9),
                "You've added the two variances of a coordinate. But each term of the dot product is a product, "
                "q_c times k_c.",
            ),
            Mistake(
                "not squared",
                lambda: 16 * 0.5 * 3,
                "You've multiplied the standard deviations. When a factor comes out of a variance, it comes out "
                "squared.",
            ),
            Mistake(
                "d_k squared",
                lambda: 16**2 * 2.25,
                "This would be the variance if all d_k terms were the same number. Here the terms are uncorrelated.",
                read=SUM,
            ),
            Mistake(
                "root", lambda: 6.0, "This is the standard deviation of the score. The question asks for its variance."
            ),
            Mistake(
                "one term",
                lambda: 2.25,
                "This is the variance of a single term, or of the scaled score. The question asks about the plain sum.",
            ),
        ),
    ),
    Task(
        "ps02.predicted_variance",
        points=3,
        asks="the variance of q·k: one number",
        read=BROKEN,
        cases=moments,
        hidden=other_moments,
        right=sum_of_variances,
        mistakes=(
            Mistake(
                "means ignored",
                lambda mu_q, sigma_q, mu_k, sigma_k: np.sum(sigma_q**2 * sigma_k**2),
                "You've left the means out. But an entry of the query times the mean of the key's entry varies too.",
            ),
            Mistake(
                "second moments",
                lambda mu_q, sigma_q, mu_k, sigma_k: np.sum((sigma_q**2 + mu_q**2) * (sigma_k**2 + mu_k**2)),
                "You've added up E[q_c² k_c²]. That's a variance only when a term has mean 0: see line A of the proof.",
                read='notebook 02, section "The proof"',
            ),
            Mistake(
                "one cross term missing",
                lambda mu_q, sigma_q, mu_k, sigma_k: np.sum(sigma_q**2 * (sigma_k**2 + mu_k**2)),
                "You have the query's spread, times the key's spread and times its mean. Swap q and k: your "
                "formula changes, but the dot product doesn't.",
            ),
            Mistake(
                "other cross term missing",
                lambda mu_q, sigma_q, mu_k, sigma_k: np.sum(sigma_k**2 * (sigma_q**2 + mu_q**2)),
                "You have the key's spread, times the query's spread and times its mean. Swap q and k: your "
                "formula changes, but the dot product doesn't.",
            ),
            Mistake(
                "total mean squared",
                lambda m_q, s_q, m_k, s_k: (s_q**2 + m_q**2) @ (s_k**2 + m_k**2) - (m_q @ m_k) ** 2,
                "You've subtracted the square of the whole mean at the end. Finish each coordinate first, then add "
                "them up.",
                read=SUM,
            ),
            Mistake(
                "not squared",
                lambda mu_q, sigma_q, mu_k, sigma_k: sum_of_variances(mu_q, sigma_q**0.5, mu_k, sigma_k**0.5),
                "sigma_q and sigma_k are standard deviations, but you've used them as variances.",
            ),
            Mistake(
                "averaged", lambda *moments: variances(*moments).mean(), "You've taken an average. A dot product adds."
            ),
            Mistake(
                "width twice",
                lambda *moments: len(moments[0]) * sum_of_variances(*moments),
                "You've added up the coordinates and then multiplied by how many there are.",
            ),
            Mistake(
                "not summed", variances, "These are the variances of the individual terms. Line C adds them up.", SUM
            ),
            Mistake(
                "root",
                lambda *moments: sum_of_variances(*moments) ** 0.5,
                "The square root at the end is one step too many.",
            ),
            Mistake(
                "averages put in",
                lambda *moments: len(moments[0]) * variances(*map(np.mean, moments)),
                "The notebook's formula needs coordinates that are all alike. Averaging them first doesn't make "
                "them alike.",
            ),
        ),
    ),
    Task(
        "ps02.scaled_scores",
        points=2,
        asks="one row for each query, one column for each key, variance 1 for standard normal entries",
        read=SUM,
        cases=queries_and_keys,
        hidden=lambda rng: queries_and_keys(rng, any_sizes(rng, 3)),
        right=lambda Q, K: dot_scores_forward(Q, K)[0],
        mistakes=(
            Mistake("no scale", lambda Q, K: Q @ K.T, "You haven't divided yet, so the variance is the width, not 1."),
            Mistake(
                "1/d_k",
                lambda Q, K: Q @ K.T / Q.shape[1],
                "You've divided by the variance itself. A constant comes out of a variance squared, so what "
                "variance is left?",
                read=DIVIDE,
            ),
            Mistake(
                "multiplied",
                lambda Q, K: Q @ K.T * np.sqrt(Q.shape[1]),
                "It's the right number, but you've multiplied by it: the scores get larger where they should get "
                "smaller.",
            ),
            Mistake(
                "number of keys",
                lambda Q, K: Q @ K.T / np.sqrt(len(K)),
                "Your scale changes when you add a key. How many products are added up in one score?",
            ),
            Mistake(
                "number of queries",
                lambda Q, K: Q @ K.T / np.sqrt(len(Q)),
                "Your scale depends on the number of queries. How many products are added up in one score?",
            ),
            Mistake(
                "measured spread",
                lambda Q, K: Q @ K.T / (Q @ K.T).std(),
                "You've divided by the measured standard deviation of these scores. The scale may depend on the "
                "width only.",
            ),
            Mistake(
                "transposed",
                lambda Q, K: K @ Q.T / np.sqrt(Q.shape[1]),
                "The values are right, but your rows are keys. Which array comes first in the product?",
                read='notebook 01, section "Three loops, or one `@`"',
            ),
        ),
    ),
    counterexample(
        "ps02",
        Hunt(layer_variance_given, layer_variance, {"W_Q": "d_model d_k", "W_K": "d_model d_k"}),
        example=lambda: (np.ones((1, 2)), np.ones((1, 2))),
        traps=(
            Trap(
                "width 1",
                lambda: (np.ones((3, 1)), np.ones((3, 1))),
                "With a width of 1 there's a single step, and so no pair of steps to get wrong.",
                fits=lambda W_Q, W_K: W_Q.shape[1] == 1,
            ),
            Trap(
                "both uncorrelated",
                lambda: (np.eye(3), np.diag([1.0, 2.0, 3.0])),
                "Here the entries of the query are uncorrelated, and so are those of the key. That's the layer for "
                "which the proof was made.",
                fits=lambda W_Q, W_K: unrelated(W_Q) and unrelated(W_K),
            ),
            Trap(
                "one side only",
                lambda: (np.ones((2, 2)), np.eye(2)),
                "The entries of one of the two are correlated, and that's not enough. Read line B of the proof to its "
                "last sentence.",
                read=SUM,
                fits=lambda W_Q, W_K: unrelated(W_Q) or unrelated(W_K),
            ),
        ),
        read=TABLE,
    ),
    Task(
        "ps02.mended_variance",
        points=2,
        asks="the variance of q·k for two different tokens, one number",
        read=TABLE,
        cases=layers,
        hidden=other_layers,
        right=layer_variance,
        mistakes=(
            Mistake(
                "as given",
                layer_variance_given,
                "Your function still does what the given one does: it adds up the diagonal of the table. What's in the "
                "other cells?",
            ),
            Mistake(
                "pairs once",
                lambda W_Q, W_K: np.triu(covariances(W_Q) * covariances(W_K)).sum(),
                "You count each pair of steps once. How often does it turn up when you multiply out (t_1 + t_2)²?",
            ),
            Mistake(
                "without the diagonal",
                lambda W_Q, W_K: layer_variance(W_Q, W_K) - layer_variance_given(W_Q, W_K),
                "You've added up all pairs of different steps. A step also meets itself.",
            ),
            Mistake(
                "no signs",
                lambda W_Q, W_K: np.abs(covariances(W_Q) * covariances(W_K)).sum(),
                "You've lost the signs. Steps that tend to go opposite ways make the sum smaller.",
            ),
            Mistake(
                "one side only",
                lambda W_Q, W_K: (covariances(W_Q) * np.diag(covariances(W_K))).sum(),
                "You have the covariances of the query's entries, but of the key only variances. What's E[k_c k_c'] "
                "for two different entries?",
            ),
            Mistake(
                "traces",
                lambda W_Q, W_K: (W_Q**2).sum() * (W_K**2).sum(),
                "In your sum every entry of the query meets every entry of the key. In a dot product q_c only meets "
                "k_c.",
            ),
            Mistake(
                "added before squaring",
                lambda W_Q, W_K: (W_Q @ W_K.T).sum() ** 2,
                "x and y have independent entries, so each product x_i y_j is a step of its own: first square each "
                "coefficient, "
                "then add.",
            ),
            Mistake(
                "not summed",
                lambda W_Q, W_K: covariances(W_Q) * covariances(W_K),
                "That's the table. The variance of the sum is the sum of it.",
            ),
            Mistake(
                "scaled",
                lambda W_Q, W_K: layer_variance(W_Q, W_K) / W_Q.shape[1],
                "You've divided by d_k. The function returns the variance of q·k itself, before any scale.",
            ),
            Mistake(
                "root",
                lambda W_Q, W_K: layer_variance(W_Q, W_K) ** 0.5,
                "That's the standard deviation. There's a root too many.",
            ),
        ),
    ),
    Task(
        "ps02.variance_error",
        points=3,
        asks="one standard error of the variance for each row, within 2 %",
        read='notebook A3, section "How sure can you be of a measured variance?"',
        cases=runs_of_scores,
        hidden=other_runs,
        right=standard_error,
        tolerance=0.02,
        mistakes=(
            Mistake(
                "error of the mean",
                lambda scores: scores.std(axis=-1) / np.sqrt(scores.shape[-1]),
                "This is the error of the mean of the scores. A variance is an average too, but of what?",
            ),
            Mistake(
                "not divided",
                lambda scores: standard_error(scores) * np.sqrt(scores.shape[-1]),
                "This is as large for a million samples as it is for ten. A standard error shrinks as samples are "
                "added.",
            ),
            Mistake(
                "normal only",
                lambda scores: scores.var(axis=-1) * np.sqrt(2 / scores.shape[-1]),
                "You've used m_4 = 3 m_2², which holds for normal scores. Use the m_4 that each row really has.",
            ),
            Mistake(
                "mean not subtracted",
                lambda scores: standard_error(scores, centre=0),
                "You've computed moments around 0. The scores have a mean, and deviations are measured from it.",
            ),
            Mistake(
                "wrong axis",
                lambda scores: standard_error(scores, axis=0),
                "You've averaged down the columns, across different runs. One run is one row.",
            ),
            Mistake(
                "one mean",
                lambda scores: standard_error(scores, centre=scores.mean()),
                "You've subtracted one mean for all the runs. Each row has its own.",
            ),
            Mistake(
                "no root", lambda scores: standard_error(scores) ** 2, "The square root in the formula is missing."
            ),
            Mistake(
                "runs counted",
                lambda scores: standard_error(scores) * np.sqrt(scores.shape[1] / scores.shape[0]),
                "You've divided by the number of rows. How many samples are there in one run?",
            ),
        ),
    ),
)
