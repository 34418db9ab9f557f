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


def wide_rows(rng) -> list[dict]:
    """Rows that are wide in themselves. Multiples of 1/4: exact in float32, so that rounding decides nothing."""
    wide = [[3000.0, 2998.0, 0.0, -3000.0], [0.0, -4000.0, 3.0, 1.0], [0.0, 20000.0, -20000.0, 19000.0]]
    return [{"scores": np.array(wide) + np.round(4 * rng.normal(size=(3, 4))) / 4}]


def some_weights(rng) -> list[dict]:
    """Rows of weights; one row has zeros in it, and in the second case one row has a single key."""
    weights = softmax_forward(2 * rng.normal(size=(3, 6)))
    weights[1] = [0.5, 0.0, 0.25, 0.25, 0.0, 0.0]
    return [{"weights": weights}, {"weights": np.array([softmax_forward(rng.normal(size=4)), [0.0, 0.0, 1.0, 0.0]])}]


def exps_over(scores, maximum=0.0, axis=-1):
    """exp(scores − maximum) over its sum."""
    exps = np.exp(scores - maximum)
    return exps / exps.sum(axis=axis, keepdims=True)


def log_softmax(scores, axis=-1, shift=np.max):
    """log softmax without a quotient that could be 0 / 0."""
    shifted = scores - shift(scores, axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def entropy(weights, log=np.log, reduce=np.sum, axis=-1):
    """−Σ w log w over each row, with 0 log 0 = 0."""
    return -reduce(np.where(weights > 0, weights * log(np.where(weights > 0, weights, 1.0)), 0.0), axis=axis)


def first_check(name, gives, says) -> Mistake:
    """A mistake that the check before this one has named already."""
    return Mistake(name, gives, f"{says} Mend the first check of this task before this one.", "notebook 03, section 1")


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
                "maximum of the columns",
                lambda scores: exps_over(scores, scores.max(axis=0)),
                "You subtract another number from each entry of a row. Which shift leaves its differences alone?",
                "notebook 03, section 2",
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
            Mistake(
                "divided by the maximum",
                lambda scores: exps_over(scores / scores.max(axis=-1, keepdims=True)),
                "You divide each row by its largest score first. That changes the differences between the scores, "
                "and the weights hang on these.",
                read="notebook 03, section 2",
            ),
        ),
    ),
    Task(
        "ps03.softmax_large",
        points=2,
        asks="weights without NaN, however large the scores are",
        read="notebook 03, section 3",
        cases=lambda rng: far_rows(rng) + wide_rows(rng),
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
                "mean subtracted",
                lambda scores: exps_over(scores, scores.mean(axis=-1, keepdims=True)),
                "You subtract the mean of each row; the largest exponent can still be large. Which number makes it 0?",
            ),
            Mistake(
                "minimum subtracted",
                lambda scores: exps_over(scores, scores.min(axis=-1, keepdims=True)),
                "You subtract the smallest score of each row: no exponent is negative, and the largest can be huge. "
                "Which number makes the largest one 0?",
            ),
            first_check(
                "wrong axis", lambda scores: softmax_forward(scores, axis=0), "Your columns sum to 1, not your rows."
            ),
            first_check(
                "one sum for all", lambda scores: exps_over(scores, scores.max(), None), "All queries share one sum."
            ),
            Mistake(
                "first score subtracted",
                lambda scores: exps_over(scores, scores[:, :1]),
                "You subtract the first score of each row. Another one can lie far above it.",
            ),
            first_check(
                "wrong axis, no maximum",
                lambda scores: exps_over(scores, axis=0),
                "Your columns are divided by their sums, not your rows, and a sum is infinite.",
            ),
            first_check(
                "one sum, no maximum",
                lambda scores: exps_over(scores, axis=None),
                "All queries share one sum, and it is infinite.",
            ),
            first_check(
                "no exponential",
                lambda scores: scores / scores.sum(axis=-1, keepdims=True),
                "There is no exponential in this.",
            ),
            first_check(
                "divided by the maximum",
                lambda scores: exps_over(scores / scores.max(axis=-1, keepdims=True)),
                "Dividing by the largest score changes the weights.",
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
        asks="the weight of the score 5 beside two scores of 3, to three decimals",
        read="notebook 03, section 2",
        right=lambda: 1 / (1 + 2 * np.exp(-2.0)),
        tolerance=1e-3,
        mistakes=(
            Mistake(
                "share of the scores",
                lambda: 5 / 11,
                "This is the share 5 / (5 + 3 + 3) of the scores. Weights are shares of the exponentials.",
            ),
            Mistake(
                "one rival",
                lambda: 1 / (1 + np.exp(-2.0)),
                "That is the weight against one key that lies 2 below. Here there are two of them.",
            ),
            Mistake(
                "another weight",
                lambda: np.exp(-2.0) / (1 + 2 * np.exp(-2.0)),
                "That is the weight of one of the two other keys.",
            ),
            Mistake(
                "the ratio",
                lambda: np.exp(2.0),
                "That is how many times larger the one weight is than another. A weight is at most 1.",
            ),
            Mistake(
                "rivals added",
                lambda: 1 / (1 + np.exp(1.0)),
                "You added the two scores of 3 into one score of 6. It is their exponentials that are added.",
            ),
            Mistake(
                "percent",
                lambda: 100 / (1 + 2 * np.exp(-2.0)),
                "This is in percent. The weights of a row sum to 1, not to 100.",
            ),
        ),
    ),
    Task(
        "ps03.mended_log_softmax",
        points=3,
        asks="the logarithm of every softmax weight, finite",
        read="notebook 03, section 3",
        cases=lambda rng: rows(rng) + far_rows(rng) + wide_rows(rng),
        right=log_softmax,
        mistakes=(
            Mistake(
                "as given",
                lambda scores: scores - scores.max() - np.log(np.exp(scores - scores.max()).sum(-1, keepdims=True)),
                "This still computes what the given function computes. "
                "Try two rows that lie far apart, and print what goes into the logarithm.",
            ),
            Mistake(
                "no maximum",
                lambda scores: np.log(exps_over(scores)),
                "The logarithm of the textbook softmax: exp overflows before the logarithm could undo it. "
                "Take the logarithm of the quotient on paper first.",
            ),
            Mistake(
                "no maximum in the sum",
                lambda scores: scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True)),
                "The logarithm of the quotient is rightly taken apart. But exp still meets the scores as they came: "
                "its sum is infinite in one row and 0 in another.",
            ),
            Mistake(
                "weights made first",
                lambda scores: np.log(softmax_forward(scores)),
                "A weight too small for a float became 0 before its logarithm was taken. "
                "Can you get the logarithm without making the weight first?",
            ),
            Mistake(
                "zero put in",
                lambda scores: np.nan_to_num(np.log(softmax_forward(scores)), neginf=0.0),
                "Where a weight was too small for a float you return 0. That is the logarithm of a weight of 1; "
                "this one should be far below 0.",
            ),
            Mistake(
                "mean or minimum subtracted",
                lambda scores: log_softmax(scores, shift=np.mean),
                "You subtract a number from each row, but not the right one: in a wide row exp still overflows. "
                "Which exponent must not be large?",
            ),
            Mistake(
                "first score subtracted",
                lambda scores: log_softmax(scores, shift=lambda s, **_: s[:, :1]),
                "The score that you subtract from a row can be its lowest. Then exp overflows at the others.",
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
            Mistake(
                "wrong axis",
                lambda weights: entropy(weights, axis=0),
                "You sum over the queries: one number for each key came. Which axis runs along a row?",
            ),
            Mistake(
                "relative",
                lambda weights: entropy(weights) / np.log(weights.shape[-1]),
                "You divided by the logarithm of the number of keys. That measures H against its largest value; "
                "H itself is asked for.",
            ),
            Mistake(
                "a column",
                lambda weights: entropy(weights)[:, None],
                "The numbers are right, but they stand in a column. An axis was kept that is not needed any more.",
            ),
        ),
    ),
)
