"""Problem set 09: a loss, a step, a fair comparison, and a scale that moved into the weights."""

import numpy as np

from ..kernels.loss import cross_entropy_backward, cross_entropy_forward
from ..kernels.scores import dot_scores_backward, dot_scores_forward
from ..kernels.softmax import softmax_forward
from .tasks import Mistake, Task


def some_logits(rng) -> list[dict]:
    """Predictions over more classes, and a different target for each."""
    sizes = ((4, 7), (3, 5))
    return [{"logits": 2 * rng.normal(size=(n, c)), "targets": rng.permutation(c)[:n]} for n, c in sizes]


def far_logits(rng) -> list[dict]:
    """Rows around 1000, −1000 and 0; in the third one the target is nearly impossible."""
    logits = rng.normal(size=(4, 6)) + np.array([[1000.0], [-1000.0], [0.0], [0.0]])
    targets = rng.permutation(6)[:4]
    logits[2, targets[2]] -= 900
    return [{"logits": logits, "targets": targets}]


def two_sides(rng) -> list[dict]:
    """What a step on W_Q and W_K needs: tokens on both sides, and the gradient on the scores."""
    names, cases = ("x_queries", "x_keys", "W_Q", "W_K", "dscores"), []
    for t_q, t_k, d_model, d_k in ((2, 4, 5, 3), (6, 3, 7, 5)):
        shapes = ((t_q, d_model), (t_k, d_model), (d_model, d_k), (d_model, d_k), (t_q, t_k))
        cases.append({name: rng.normal(size=s) for name, s in zip(names, shapes, strict=True)} | {"rate": 0.2})
    return cases


def two_arms(rng) -> list[dict]:
    """Accuracies of two arms, drawn again until every way to compare them gives another gap."""
    cases = []
    for rates, seeds, tuning in ((4, 7, 3), (5, 6, 2)):
        gaps = [0.0, 0.0]
        while np.diff(np.sort(gaps)).min() < 0.02:
            first, second = rng.uniform(0.1, 1, size=(2, rates, seeds))
            gaps = [way(first, second, tuning) for way in (gap, *(way for way, _ in UNFAIR.values()))]
        cases.append({"first": first, "second": second, "tuning": tuning})
    return cases


def cross_entropy(logits, targets):
    """The package's loss and gradient."""
    loss, cache = cross_entropy_forward(logits, targets)
    return loss, cross_entropy_backward(cache)


def from_shares(exps, targets, epsilon=0.0):
    """The same by way of p: −mean log p and (p − one-hot) / n, with p the share of an entry in its row."""
    (n, classes), p = exps.shape, exps / exps.sum(axis=-1, keepdims=True)
    return -np.log(p[np.arange(n), targets] + epsilon).mean(), (p - np.eye(classes)[targets]) / n


def by_columns(logits, targets):
    """p[:, targets] picks whole columns, not one entry of each row."""
    p, dlogits = softmax_forward(logits), softmax_forward(logits)
    dlogits[:, targets] -= 1
    return -np.log(p[:, targets]).mean(), dlogits / len(p)


def both_steps(x_queries, x_keys, W_Q, W_K, dscores, rate, power=-0.5, wide=False):
    """One step of SGD on W_Q and W_K, with scale = width ** power."""
    scale = W_Q.shape[0 if wide else 1] ** power
    _, cache = dot_scores_forward(x_queries @ W_Q, x_keys @ W_K, scale=scale)
    dq, dk = dot_scores_backward(dscores, cache)
    return W_Q - rate * x_queries.T @ dq, W_K - rate * x_keys.T @ dk


def one_after_the_other(x_queries, x_keys, W_Q, W_K, dscores, rate):
    new_q = both_steps(x_queries, x_keys, W_Q, W_K, dscores, rate)[0]
    return new_q, both_steps(x_queries, x_keys, new_q, W_K, dscores, rate)[1]


def gap(first, second, tuning, chosen_first=True, reported_first=False, by=np.mean):
    """Each arm at its own best rate: chosen by one group of seeds, averaged over the other."""
    groups = {True: slice(tuning), False: slice(tuning, None)}
    one, other = (by(arm[:, groups[chosen_first]], axis=1).argmax() for arm in (first, second))
    return first[one, groups[reported_first]].mean() - second[other, groups[reported_first]].mean()


UNFAIR = {  # what it computes, and the hint
    "as given": (
        lambda first, second, t: (first - second)[first[:, :t].mean(axis=1).argmax(), t:].mean(),
        "These are the given function's numbers. Swap its two arms: a gap should change its sign and nothing else.",
    ),
    "tuning seeds reported": (
        lambda *a: gap(*a, reported_first=True),
        "Each arm has its own rate now, but it is reported on the seeds that chose it. That flatters, and not equally.",
    ),
    "tuned on the reported": (
        lambda *a: gap(*a, chosen_first=False),
        "Your rates were chosen by the seeds that are reported. The tuning seeds come first in each row.",
    ),
    "best single run": (
        lambda *a: gap(*a, by=np.max),
        "A rate was chosen for its one luckiest run. What speaks for a rate is all its tuning seeds together.",
    ),
}

TASKS = (
    Task(
        "ps09.cross_entropy",
        points=3,
        asks="the mean of −ln p over the targets, and its gradient on the logits",
        read="notebook 09, section 2",
        cases=some_logits,
        outputs=("loss", "dlogits"),
        right=cross_entropy,
        mistakes=(
            Mistake(
                "sum",
                lambda z, t: tuple(len(z) * part for part in cross_entropy(z, t)),
                "Loss and gradient both grow with the number of predictions: you add up where you should average.",
            ),
            Mistake(
                "gradient of the sum",
                lambda z, t: (cross_entropy(z, t)[0], len(z) * cross_entropy(z, t)[1]),
                "The loss is right. This gradient belongs to a loss that adds up the predictions, not to yours.",
            ),
            Mistake(
                "softmax twice",
                lambda z, t: cross_entropy(softmax_forward(z), t),
                "This is what comes when probabilities are taken for logits: softmax was applied to its own result.",
            ),
            Mistake(
                "uphill",
                lambda z, t: (cross_entropy(z, t)[0], -cross_entropy(z, t)[1]),
                "The gradient has the wrong sign: raising the logit of a target must lower the loss.",
            ),
            Mistake(
                "whole columns",
                by_columns,
                "p[:, targets] takes those columns in every row. Print its shape: you want one entry of each row.",
            ),
        ),
    ),
    Task(
        "ps09.cross_entropy_large",
        points=2,
        asks="loss and gradient finite and right, however large the logits are",
        read="notebook 03, section 3",
        cases=far_logits,
        answer="cross_entropy",
        outputs=("loss", "dlogits"),
        right=cross_entropy,
        mistakes=(
            Mistake(
                "no maximum",
                lambda z, t: from_shares(np.exp(z), t),
                "You divide ∞ by ∞ and 0 by 0. What may be subtracted from a row without changing its softmax?",
            ),
            Mistake(
                "global maximum",
                lambda z, t: from_shares(np.exp(z - z.max()), t),
                "One number is subtracted from all predictions, and those far below it turn into 0 / 0.",
            ),
            Mistake(
                "log of zero",
                lambda z, t: from_shares(softmax_forward(z), t),
                "The gradient is right. The loss meets a p that was rounded to 0. Take the logarithm on paper first.",
            ),
            Mistake(
                "epsilon",
                lambda z, t: from_shares(softmax_forward(z), t, 1e-12),
                "A small number added inside the logarithm hides a p of 0, and caps what a prediction can cost.",
            ),
        ),
    ),
    Task(
        "ps09.score_step",
        points=4,
        asks="W_Q and W_K after one step against the gradient",
        read="notebook 06, section 3 and notebook 09, section 3",
        cases=two_sides,
        outputs=("W_Q", "W_K"),
        right=both_steps,
        mistakes=(
            Mistake(
                "no scale",
                lambda *a: both_steps(*a, power=0),
                "This is the step of a head without a scale. What shrinks the scores shrinks their slopes too.",
            ),
            Mistake(
                "1/d_k",
                lambda *a: both_steps(*a, power=-1),
                "The scale has come in twice. It stands once in the formula of the scores.",
            ),
            Mistake(
                "sqrt(d_model)",
                lambda *a: both_steps(*a, wide=True),
                "Your scale counts the rows of W_Q, the width of a token. How wide is a query?",
            ),
            Mistake(
                "uphill",
                lambda *a: both_steps(*a[:-1], -a[-1]),
                "Right length, wrong way: this step makes the loss larger.",
            ),
            Mistake(
                "one after the other",
                one_after_the_other,
                "W_Q is right. The gradient of W_K was taken when W_Q had moved already.",
            ),
        ),
    ),
    Task(
        "ps09.mended_gap",
        points=3,
        asks="the gap between two arms that were tuned alike",
        read="notebook 09, section 6",
        cases=two_arms,
        right=gap,
        mistakes=tuple(Mistake(name, *way) for name, way in UNFAIR.items()),
    ),
    Task(
        "ps09.matching_rate",
        points=2,
        asks="the rate for the folded W_Q and W_K that repeats the scaled head's training",
        read="notebook 07, section 11",
        right=lambda: 0.8 * 256**-0.5,
        tolerance=1e-3,
        mistakes=(
            Mistake(
                "no scale",
                lambda: 0.8,
                "The same rate does not do the same: the folded matrices are smaller, and their gradients larger.",
            ),
            Mistake(
                "1/d_k",
                lambda: 0.8 / 256,
                "That would do if the whole scale were in one of the two matrices. Here each has a part of it.",
            ),
            Mistake(
                "one factor only",
                lambda: 0.8 / 256**0.25,
                "You have counted one thing of two: the matrix is smaller, and its gradient is larger as well.",
            ),
            Mistake(
                "wrong way round",
                lambda: 0.8 * np.sqrt(256),
                "The right factor, the wrong way. In notebook 09, where do the good rates of the small W lie?",
                read="notebook 09, section 7",
            ),
        ),
    ),
)
