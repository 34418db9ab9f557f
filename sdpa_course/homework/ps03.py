"""Problem set 03: softmax, the two ways it goes wrong, and how to measure how sharp it is."""

import numpy as np

from ..kernels.softmax import softmax_forward
from .hunts import Hunt, Trap, counterexample
from .tasks import Mistake, Task, any_sizes


def rows(rng) -> list[dict]:
    """Scores of ordinary size, with more keys than queries."""
    return [{"scores": rng.normal(size=(3, 5))}, {"scores": 3 * rng.normal(size=(4, 7))}]


def other_rows(rng) -> list[dict]:
    """Any sizes, and rows whose scores are all equal."""
    return [{"scores": 2 * rng.normal(size=size)} for size in any_sizes(rng, 2)] + [{"scores": np.full((2, 3), 1.5)}]


def other_far_rows(rng) -> list[dict]:
    """The same in quarters, too far from 0 for exp, in either direction and by a different distance in every case."""
    cases = other_rows(rng)
    for case in cases:
        far = np.round(rng.choice([-1, 1], size=(len(case["scores"]), 1)) * rng.uniform(750, 1000))
        case["scores"] = far + np.round(4 * case["scores"]) / 4
    return cases


def other_weights(rng) -> list[dict]:
    """Any sizes, a row of equal weights, and one key that gets everything wherever it stands."""
    cases = [{"weights": softmax_forward(2 * rng.normal(size=size))} for size in any_sizes(rng, 2)]
    return [*cases, {"weights": np.full((2, 4), 0.25)}, {"weights": np.eye(5)[rng.permutation(5)]}]


def far_rows(rng) -> list[dict]:
    """Scores whose exponentials don't fit in a float, in rows that are far apart."""
    offsets = np.array([[1000.0], [-1000.0], [10.0]])
    return [{"scores": offsets + rng.normal(size=(3, 5))}]


def wide_rows(rng) -> list[dict]:
    """Rows with a wide range. Multiples of 1/4 are exact in float32, so rounding can't decide the answer."""
    wide = [[3000.0, 2998.0, 0.0, -3000.0], [0.0, -4000.0, 3.0, 1.0], [0.0, 20000.0, -20000.0, 19000.0]]
    return [{"scores": np.array(wide) + np.round(4 * rng.normal(size=(3, 4))) / 4}]


def some_weights(rng) -> list[dict]:
    """Rows of weights. One row has zeros in it; in the second case, one row puts everything on a single key."""
    weights = softmax_forward(2 * rng.normal(size=(3, 6)))
    weights[1] = [0.5, 0.0, 0.25, 0.25, 0.0, 0.0]
    return [{"weights": weights}, {"weights": np.array([softmax_forward(rng.normal(size=4)), [0.0, 0.0, 1.0, 0.0]])}]


def exps_over(scores, maximum=0.0, axis=-1):
    """exp(scores − maximum) divided by its sum."""
    exps = np.exp(scores - maximum)
    return exps / exps.sum(axis=axis, keepdims=True)


def log_softmax(scores, axis=-1, shift=np.max):
    """log softmax without a ratio that could be 0 / 0."""
    shifted = scores - shift(scores, axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def log_softmax_given(scores):
    """What the function with the bug computes: one maximum for the whole table."""
    shifted = scores - scores.max()
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def entropy(weights, log=np.log, reduce=np.sum, axis=-1):
    """−Σ w log w over each row, with 0 log 0 = 0."""
    return -reduce(np.where(weights > 0, weights * log(np.where(weights > 0, weights, 1.0)), 0.0), axis=axis)


def first_check(name, gives, says) -> Mistake:
    """A mistake that the first check of the same task already names."""
    return Mistake(
        name,
        gives,
        f"{says} Fix the first check of this task before this one.",
        'notebook 03, section "Exponentiate, sum, divide"',
    )


TASKS = (
    Task(
        "ps03.softmax",
        points=3,
        asks="every row of weights is positive and sums to 1",
        read='notebook 03, section "Exponentiate, sum, divide"',
        cases=rows,
        hidden=other_rows,
        right=softmax_forward,
        mistakes=(
            Mistake(
                "wrong axis",
                lambda scores: softmax_forward(scores, axis=0),
                "Your columns sum to 1, but your rows don't. Which axis runs over the keys of one query?",
            ),
            Mistake(
                "one sum for all",
                lambda scores: exps_over(scores, axis=None),
                "All your entries together sum to 1, as if the queries shared their weights. Each query has its own.",
            ),
            Mistake(
                "maximum of the columns",
                lambda scores: exps_over(scores, scores.max(axis=0)),
                "You subtract a different number from each entry of a row. Which shift leaves the differences "
                "within a row alone?",
                'notebook 03, section "Only gaps count"',
            ),
            Mistake(
                "no exponential",
                lambda scores: scores / scores.sum(axis=-1, keepdims=True),
                "You've divided the scores themselves by their sum, so weights can be negative. One step has to "
                "come before the sum.",
            ),
            Mistake(
                "not divided",
                lambda scores: np.exp(scores),
                "These are just the exponentials. They're positive, but a row doesn't sum to 1 yet.",
            ),
            Mistake(
                "divided by the maximum",
                lambda scores: exps_over(scores / scores.max(axis=-1, keepdims=True)),
                "You divide each row by its largest score first. That changes the differences between the scores, "
                "and the weights depend on those.",
                read='notebook 03, section "Only gaps count"',
            ),
        ),
    ),
    Task(
        "ps03.softmax_large",
        points=2,
        asks="weights without NaN, however large the scores are",
        read='notebook 03, section "Trouble one: exp runs out of numbers"',
        cases=lambda rng: far_rows(rng) + wide_rows(rng),
        hidden=other_far_rows,
        answer="softmax",
        right=softmax_forward,
        mistakes=(
            Mistake(
                "no maximum",
                lambda scores: exps_over(scores),
                "exp(1000) is infinite in floating point, and infinity divided by infinity is NaN. Which number "
                "can you subtract from a row without changing its weights?",
            ),
            Mistake(
                "global maximum",
                lambda scores: exps_over(scores, scores.max()),
                "You subtract the same number from all rows. In a row far below it every exponential is 0, which "
                "gives 0 / 0. Each row needs its own number.",
            ),
            Mistake(
                "mean subtracted",
                lambda scores: exps_over(scores, scores.mean(axis=-1, keepdims=True)),
                "You subtract the mean of each row, so the largest exponent can still be large. Which number makes "
                "it 0?",
            ),
            Mistake(
                "minimum subtracted",
                lambda scores: exps_over(scores, scores.min(axis=-1, keepdims=True)),
                "You subtract the smallest score of each row: no exponent is negative, but the largest can be "
                "huge. Which number makes the largest one 0?",
            ),
            first_check(
                "wrong axis",
                lambda scores: softmax_forward(scores, axis=0),
                "Your columns sum to 1, but your rows don't.",
            ),
            first_check(
                "one sum for all",
                lambda scores: exps_over(scores, scores.max(), None),
                "All the queries share one sum.",
            ),
            Mistake(
                "first score subtracted",
                lambda scores: exps_over(scores, scores[:, :1]),
                "You subtract the first score of each row. Another score can be far above it.",
            ),
            first_check(
                "wrong axis, no maximum",
                lambda scores: exps_over(scores, axis=0),
                "You divide each column by its sum, rather than each row, and one of the sums is infinite.",
            ),
            first_check(
                "one sum, no maximum",
                lambda scores: exps_over(scores, axis=None),
                "All the queries share one sum, and it's infinite.",
            ),
            first_check(
                "no exponential",
                lambda scores: scores / scores.sum(axis=-1, keepdims=True),
                "There's no exponential in your formula.",
            ),
            first_check(
                "divided by the maximum",
                lambda scores: exps_over(scores / scores.max(axis=-1, keepdims=True)),
                "Dividing by the largest score changes the weights.",
            ),
            Mistake(
                "clipped",
                lambda scores: exps_over(np.clip(scores, -80, 80)),
                "Clipping large scores keeps exp finite, but it makes different scores equal, so the weights are "
                "wrong.",
            ),
        ),
    ),
    Task(
        "ps03.top_weight",
        points=2,
        asks="the weight of the score 5 next to two scores of 3, to three decimals",
        read='notebook 03, section "Only gaps count"',
        right=lambda: 1 / (1 + 2 * np.exp(-2.0)),
        tolerance=1e-3,
        mistakes=(
            Mistake(
                "share of the scores",
                lambda: 5 / 11,
                "This is 5 / (5 + 3 + 3), a share of the scores. Weights are shares of the exponentials.",
            ),
            Mistake(
                "one rival",
                lambda: 1 / (1 + np.exp(-2.0)),
                "That's the weight against one other key that scores 2 less. Here there are two of them.",
            ),
            Mistake(
                "another weight",
                lambda: np.exp(-2.0) / (1 + 2 * np.exp(-2.0)),
                "That's the weight of one of the other two keys.",
            ),
            Mistake(
                "the ratio",
                lambda: np.exp(2.0),
                "That's how many times larger this weight is than another one. A weight is at most 1.",
            ),
            Mistake(
                "rivals added",
                lambda: 1 / (1 + np.exp(1.0)),
                "You've added the two scores of 3 into one score of 6. It's their exponentials that are added.",
            ),
            Mistake(
                "percent",
                lambda: 100 / (1 + 2 * np.exp(-2.0)),
                "This is a percentage. The weights of a row sum to 1, not to 100.",
            ),
        ),
    ),
    counterexample(
        "ps03",
        Hunt(log_softmax_given, log_softmax, {"scores": "queries keys"}, largest=1e6),
        example=lambda: np.array([[0.0, 1.0], [-800.0, -801.0]]),
        traps=(
            Trap(
                "one row",
                lambda: np.array([[0.0, -800.0, 3.0]]),
                "With a single row this function can't be caught. It has to be something between two rows.",
                fits=lambda scores: len(scores) == 1,
            ),
            Trap(
                "far within a row",
                lambda: np.array([[0.0, -800.0], [0.0, -900.0]]),
                "You have scores that are far apart, but in the same row, and exp gets along with that here. What "
                "else could be far apart?",
                fits=lambda scores: np.ptp(scores) > 700,
            ),
            Trap(
                "small scores",
                lambda: np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 0.0]]),
                "All your scores lie within a few hundred, and so did the scores it was tested on. What does exp "
                "make of −100, and of −1000?",
            ),
        ),
        read='notebook 03, section "Trouble one: exp runs out of numbers"',
    ),
    Task(
        "ps03.mended_log_softmax",
        points=2,
        asks="the logarithm of every softmax weight, always finite",
        read='notebook 03, section "Trouble one: exp runs out of numbers"',
        cases=lambda rng: rows(rng) + far_rows(rng) + wide_rows(rng),
        hidden=lambda rng: other_rows(rng) + other_far_rows(rng),
        right=log_softmax,
        mistakes=(
            Mistake(
                "as given",
                log_softmax_given,
                "Your function still does what the given one does. Try two rows that are far apart, and print what "
                "goes into the logarithm.",
            ),
            Mistake(
                "log base 2",
                lambda scores: log_softmax(scores) / np.log(2),
                "These are logarithms to base 2. An exponential undoes a different one.",
            ),
            Mistake(
                "no maximum",
                lambda scores: np.log(exps_over(scores)),
                "You take the logarithm of the textbook softmax, and exp overflows before the logarithm can undo "
                "it. Take the logarithm of the ratio on paper first.",
            ),
            Mistake(
                "no maximum in the sum",
                lambda scores: scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True)),
                "You've expanded the logarithm correctly. But exp still sees the original scores, so the sum is "
                "infinite in one row and 0 in another.",
            ),
            Mistake(
                "weights made first",
                lambda scores: np.log(softmax_forward(scores)),
                "A weight too small for a float had become 0 before you took its logarithm. Can you get the "
                "logarithm without computing the weight first?",
            ),
            Mistake(
                "zero put in",
                lambda scores: np.nan_to_num(np.log(softmax_forward(scores)), neginf=0.0),
                "Where a weight is too small for a float, you return 0. That's the logarithm of a weight of 1; "
                "this one should be far below 0.",
            ),
            Mistake(
                "mean or minimum subtracted",
                lambda scores: log_softmax(scores, shift=np.mean),
                "You subtract a number from each row, but not the right one: in a wide row exp still overflows. "
                "Which exponent mustn't be large?",
            ),
            Mistake(
                "first score subtracted",
                lambda scores: log_softmax(scores, shift=lambda s, **_: s[:, :1]),
                "The score you subtract from a row can be its lowest. Then exp overflows at the others.",
            ),
            Mistake(
                "maximum not put back",
                lambda scores: scores - np.log(np.exp(scores - scores.max(-1, keepdims=True)).sum(-1, keepdims=True)),
                "You subtract the maximum inside the exponential but not outside. It has to be subtracted in both "
                "places.",
            ),
            Mistake(
                "wrong axis",
                lambda scores: log_softmax(scores, axis=0),
                "The exponentials of your results sum to 1 down the columns, not along the rows.",
                read='notebook 03, section "Exponentiate, sum, divide"',
            ),
        ),
    ),
    Task(
        "ps03.entropy",
        points=3,
        asks="one entropy for each row, in nats, with 0 log 0 = 0",
        read='notebook 03, section "How many keys share the weight?"',
        cases=some_weights,
        hidden=other_weights,
        right=entropy,
        mistakes=(
            Mistake(
                "zero times infinity",
                lambda weights: -(weights * np.log(weights)).sum(axis=-1),
                "The NaN comes from 0 · log 0. A key with no weight adds nothing to the entropy, so leave it out "
                "of the sum.",
            ),
            Mistake(
                "bits",
                lambda weights: entropy(weights, log=np.log2),
                "This is the entropy in bits. The course uses nats: which logarithm is that?",
            ),
            Mistake(
                "no minus",
                lambda weights: -entropy(weights),
                "The size is right, but the sign isn't. The logarithm of a number below 1 is negative; an entropy "
                "never is.",
            ),
            Mistake(
                "mean",
                lambda weights: entropy(weights, reduce=np.mean),
                "You've averaged over the keys. Entropy is a sum: the weights already do the averaging.",
            ),
            Mistake(
                "one number",
                lambda weights: entropy(weights).sum(),
                "You've returned one number for the whole array. Each row of weights has its own entropy.",
            ),
            Mistake(
                "wrong axis",
                lambda weights: entropy(weights, axis=0),
                "You've summed over the queries, which gives one number per key. Which axis runs along a row?",
            ),
            Mistake(
                "relative",
                lambda weights: entropy(weights) / np.log(weights.shape[-1]),
                "You've divided by the logarithm of the number of keys, which compares H with its largest value. "
                "The task asks for H itself.",
            ),
            Mistake(
                "a column",
                lambda weights: entropy(weights)[:, None],
                "The numbers are right, but they're in a column. You've kept an axis that's no longer needed.",
            ),
        ),
    ),
)
