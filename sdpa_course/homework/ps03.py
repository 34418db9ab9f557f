"""Problem set 03: softmax, its two troubles, and how to measure sharpness."""

import numpy as np

from ..kernels.softmax import softmax_forward
from .tasks import Mistake, Task


def rows(rng) -> list[dict]:
    """Scores of a few queries over more keys, ordinary in size."""
    return [{"scores": rng.normal(size=(3, 5))}, {"scores": 3 * rng.normal(size=(4, 7))}]


def far_rows(rng) -> list[dict]:
    """Scores whose exponentials do not fit a float, in rows that lie far apart."""
    offsets = np.array([[1000.0], [-1000.0], [10.0]])
    return [{"scores": offsets + rng.normal(size=(3, 5))}]


def some_weights(rng) -> list[dict]:
    """Rows of weights; one row has zeros in it."""
    weights = softmax_forward(2 * rng.normal(size=(3, 6)))
    weights[1] = [0.5, 0.0, 0.25, 0.25, 0.0, 0.0]
    return [{"weights": weights}]


def exps_over(scores, maximum=0.0, axis=-1):
    """exp(scores − maximum) over its sum."""
    exps = np.exp(scores - maximum)
    return exps / exps.sum(axis=axis, keepdims=True)


def log_softmax(scores, axis=-1):
    """log softmax without a quotient that could be 0 / 0."""
    shifted = scores - scores.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def entropy(weights, log=np.log, reduce=np.sum):
    """−Σ w log w over each row, with 0 log 0 = 0."""
    return -reduce(np.where(weights > 0, weights * log(np.where(weights > 0, weights, 1.0)), 0.0), axis=-1)


TASKS = (
    Task(
        "ps03.softmax",
        points=3,
        asks="every row of weights is positive and sums to 1",
        read="notebook 03, section 1",
        cases=rows,
        right=softmax_forward,
        mistakes=(
            Mistake(
                "wrong axis",
                lambda scores: softmax_forward(scores, axis=0),
                "Your columns sum to 1, not your rows. Which axis runs over the keys of one query?",
            ),
            Mistake(
                "one sum for all",
                lambda scores: exps_over(scores, axis=None),
                "All entries together sum to 1: the queries share one pot. Each query has weights of its own.",
            ),
            Mistake(
                "no exponential",
                lambda scores: scores / scores.sum(axis=-1, keepdims=True),
                "This divides the scores themselves by their sum, so weights can be negative. "
                "One step comes before the sum.",
            ),
            Mistake(
                "not divided",
                lambda scores: np.exp(scores),
                "These are the exponentials alone. They are positive, but a row does not sum to 1 yet.",
            ),
        ),
    ),
    Task(
        "ps03.softmax_large",
        points=2,
        asks="weights without NaN, however large the scores are",
        read="notebook 03, section 3",
        cases=far_rows,
        answer="softmax",
        right=softmax_forward,
        mistakes=(
            Mistake(
                "no maximum",
                lambda scores: exps_over(scores),
                "exp(1000) is infinite in floating point, and infinity over infinity is NaN. "
                "Which number may be subtracted from a row without changing its weights?",
            ),
            Mistake(
                "global maximum",
                lambda scores: exps_over(scores, scores.max()),
                "You subtract one number from all rows. A row that lies far below it becomes exp of something hugely "
                "negative: all zeros, and 0 / 0. Each row needs its own number.",
            ),
            Mistake(
                "wrong axis",
                lambda scores: softmax_forward(scores, axis=0),
                "Your columns sum to 1, not your rows. Mend the first check of this task before this one.",
                read="notebook 03, section 1",
            ),
            Mistake(
                "clipped",
                lambda scores: exps_over(np.clip(scores, -80, 80)),
                "Clipping large scores keeps exp finite but makes different scores equal, so the weights are wrong.",
            ),
        ),
    ),
    Task(
        "ps03.top_weight",
        points=2,
        asks="the larger weight of two scores whose difference is 4, to three decimals",
        read="notebook 03, section 2",
        right=lambda: 1 / (1 + np.exp(-4.0)),
        tolerance=1e-3,
        mistakes=(
            Mistake(
                "share of the scores",
                lambda: 0.7,
                "0.7 is the share 7 / (7 + 3) of the scores. Weights are shares of the exponentials.",
            ),
            Mistake("the other weight", lambda: 1 / (1 + np.exp(4.0)), "That is the smaller of the two weights."),
            Mistake(
                "the ratio",
                lambda: np.exp(4.0),
                "That is how many times larger the one weight is than the other. A weight is at most 1.",
            ),
            Mistake(
                "difference halved",
                lambda: 1 / (1 + np.exp(-2.0)),
                "That is the weight for a difference of 2. "
                "How many times larger is the one exponential than the other?",
            ),
        ),
    ),
    Task(
        "ps03.mended_log_softmax",
        points=3,
        asks="the logarithm of every softmax weight, finite",
        read="notebook 03, section 3",
        cases=lambda rng: rows(rng) + far_rows(rng),
        right=log_softmax,
        mistakes=(
            Mistake(
                "as given",
                lambda scores: scores - scores.max() - np.log(np.exp(scores - scores.max()).sum(-1, keepdims=True)),
                "This still computes what the given function computes. "
                "Print its rows for scores [[1000, 999], [0, 1]], and the numbers that go into the logarithm.",
            ),
            Mistake(
                "no maximum",
                lambda scores: np.log(exps_over(scores)),
                "The logarithm of the textbook softmax: exp overflows before the logarithm could undo it. "
                "Take the logarithm of the quotient on paper first.",
            ),
            Mistake(
                "maximum not put back",
                lambda scores: scores - np.log(np.exp(scores - scores.max(-1, keepdims=True)).sum(-1, keepdims=True)),
                "The maximum is subtracted inside the exponential but not outside: what is subtracted in one place "
                "must be subtracted in the other as well.",
            ),
            Mistake(
                "wrong axis",
                lambda scores: log_softmax(scores, axis=0),
                "The exponentials of your columns sum to 1, not those of your rows.",
                read="notebook 03, section 1",
            ),
        ),
    ),
    Task(
        "ps03.entropy",
        points=3,
        asks="one entropy for each row, in nats, with 0 log 0 = 0",
        read="notebook 03, section 5",
        cases=some_weights,
        right=entropy,
        mistakes=(
            Mistake(
                "zero times infinity",
                lambda weights: -(weights * np.log(weights)).sum(axis=-1),
                "NaN comes from 0 · log 0. A key without weight adds nothing to the entropy: leave it out of the sum.",
            ),
            Mistake(
                "bits",
                lambda weights: entropy(weights, log=np.log2),
                "This is the entropy in bits. The course measures in nats: which logarithm is that?",
            ),
            Mistake(
                "no minus",
                lambda weights: -entropy(weights),
                "The size is right and the sign is not. "
                "The logarithm of a number below 1 is negative; an entropy is not.",
            ),
            Mistake(
                "mean",
                lambda weights: entropy(weights, reduce=np.mean),
                "You average over the keys. Entropy is a sum: the weights already do the averaging.",
            ),
            Mistake(
                "one number",
                lambda weights: entropy(weights).sum(),
                "One number for the whole array came. Each row of weights has an entropy of its own.",
            ),
        ),
    ),
)
