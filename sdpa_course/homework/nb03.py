"""The exercises inside notebook 03: a softmax with a way out, and what a longer context asks for."""

import numpy as np

from .tasks import Mistake, Task


def rows_anywhere(rng) -> list[dict]:
    """Rows near zero, far above it and far below it."""
    offsets = np.array([[0.0], [3.0], [-4.0], [1000.0], [-1000.0]])
    return [{"scores": rng.normal(size=(3, 4))}, {"scores": offsets + 2 * rng.normal(size=(5, 7))}]


def with_way_out(scores, one=np.exp, axis=-1):
    """exp(s − m) / (one(−m) + Σ exp(s − m)) with m = max(0, largest score)."""
    m = np.maximum(scores.max(axis=axis, keepdims=True), 0.0)
    exps = np.exp(scores - m)
    return exps / (one(-m) + exps.sum(axis=axis, keepdims=True))


def plus_one_last(scores):
    """The maximum subtracted as usual, and 1 added to the sum."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / (1 + exps.sum(axis=-1, keepdims=True))


def plain(scores, one=0.0):
    """exp(s) / (one + Σ exp(s)), without a maximum."""
    exps = np.exp(scores)
    return exps / (one + exps.sum(axis=-1, keepdims=True))


def softmax(scores):
    """The usual one."""
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def lengths(rng) -> list[dict]:
    """A number of keys, and several larger ones."""
    return [{"n": 3, "m": np.array([5.0, 17.0, 65.0])}, {"n": 64, "m": np.array([128.0, 4096.0]) + rng.integers(9)}]


TASKS = (
    Task(
        "nb03.softmax_plus_one",
        points=0,
        asks="exp(s) / (1 + the row's sum of exp), without overflow, for every row",
        read='notebook 03, section "Trouble one: exp runs out of numbers"',
        cases=rows_anywhere,
        right=with_way_out,
        mistakes=(
            Mistake(
                "one added after the shift",
                plus_one_last,
                "You subtract the maximum first and then add 1. But the 1 is e⁰, a score like the others: when every "
                "score slides down by m, what does it slide to?",
            ),
            Mistake(
                "no maximum",
                lambda scores: plain(scores, 1.0),
                "Right where exp still fits. Far above zero it overflows, and infinity divided by infinity is nan.",
            ),
            Mistake(
                "plain softmax",
                softmax,
                "This is softmax as it was: every row adds up to 1. With the extra 1 in the sum it adds up to less.",
            ),
            Mistake(
                "maximum not subtracted above",
                lambda scores: np.exp(scores) / (1 + softmax_sum(scores)),
                "Numerator and denominator have to slide by the same amount.",
            ),
            Mistake(
                "wrong axis",
                lambda scores: with_way_out(scores, axis=0),
                "You've summed down the columns. One query's keys are along a row.",
            ),
        ),
    ),
    Task(
        "nb03.keep_half",
        points=0,
        asks="for each m, the factor on all scores with which the leader has half the weight again",
        read='notebook 03, section "Only gaps count"',
        cases=lengths,
        right=lambda n, m: np.log(m - 1) / np.log(n - 1),
        mistakes=(
            Mistake(
                "all keys are rivals",
                lambda n, m: np.log(m) / np.log(n),
                "Very close. But the leader isn't its own rival: how many keys does it have to outweigh?",
            ),
            Mistake(
                "ratio of the numbers",
                lambda n, m: m / n,
                "That's how many times more keys there are. A lead enters through exp, so far less will do.",
            ),
            Mistake(
                "upside down",
                lambda n, m: np.log(n - 1) / np.log(m - 1),
                "More keys need a larger lead. Your factor makes it smaller.",
            ),
            Mistake(
                "the root",
                lambda n, m: np.sqrt(np.log(m - 1) / np.log(n - 1)),
                "There's a root too many: multiplying all scores by a factor multiplies the lead by that same factor.",
            ),
            Mistake(
                "what to add",
                lambda n, m: np.log(m - 1) - np.log(n - 1),
                "That's what you'd have to add to the lead. The question is what to multiply it by.",
            ),
        ),
    ),
)


def softmax_sum(scores):
    """Σ exp(s − max) of each row."""
    return np.exp(scores - scores.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True)
