"""Problem set 04: the softmax Jacobian, derived, measured, avoided, and where it vanishes."""

import numpy as np

from ..kernels.softmax import softmax_backward, softmax_forward, softmax_jacobian
from .hunts import Hunt, Trap, counterexample
from .tasks import Mistake, Task, any_sizes


def rows(rng) -> list[dict]:
    """Scores with more keys than queries."""
    return [{"scores": rng.normal(size=(3, 5))}, {"scores": 1.5 * rng.normal(size=(2, 4))}]


def other_rows(rng) -> list[dict]:
    """Any sizes, and a row with a lead so large that its weights are nearly 1 and 0."""
    sizes = any_sizes(rng, 2)
    return [{"scores": rng.normal(size=size)} for size in sizes] + [{"scores": np.array([[8.0, 0.0, -8.0]])}]


def row_and_step(rng) -> list[dict]:
    """One row, and a step so large that every kind of difference gives different numbers."""
    return [{"scores": rng.normal(size=4), "step": 1.2}, {"scores": rng.normal(size=6), "step": 0.8}]


def other_steps(rng) -> list[dict]:
    """Any number of keys, one included, and steps from small to larger than 1. float32 wouldn't stand smaller ones."""
    sizes = (1, 2, *rng.integers(3, 10, size=2))
    return [{"scores": rng.normal(size=n), "step": float(rng.uniform(0.2, 2.5))} for n in sizes]


def upstream(rng, sizes=((3, 5), (4, 7))) -> list[dict]:
    """A gradient on the weights, not centred, and the weights."""
    pairs = [rng.normal(size=(2, *shape)) for shape in sizes]
    return [{"dweights": 1 + a, "weights": softmax_forward(b)} for a, b in pairs]


def sharp_and_flat(rng) -> list[dict]:
    """Rows of weights; in the second case one row is a tie of two and one has a single winner."""
    ends = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.1, 0.2, 0.3, 0.4]])
    return [{"weights": softmax_forward(1.5 * rng.normal(size=(3, 5)))}, {"weights": ends}]


def other_weights(rng) -> list[dict]:
    """Any sizes, equal weights, and winners that take everything."""
    cases = [{"weights": softmax_forward(1.5 * rng.normal(size=size))} for size in any_sizes(rng, 2)]
    return [*cases, {"weights": np.full((2, 4), 0.25)}, {"weights": np.array([[0.0, 0.5, 0.0, 0.5], [0, 0, 0.3, 0.7]])}]


def outer(p):
    """p pᵀ for every row of p."""
    return p[..., :, None] * p[..., None, :]


def table(p, product=outer):
    """diag(p) − p pᵀ for every row of p, or with another product instead of p pᵀ."""
    return p[..., :, None] * np.eye(p.shape[-1]) - product(p)


def differences(scores, ahead, behind):
    """Column j: softmax with score j raised by `ahead` minus softmax with it lowered by `behind`, over the distance."""
    units = np.eye(len(scores))
    changes = softmax_forward(scores + ahead * units) - softmax_forward(scores - behind * units)
    return changes.T / (ahead + behind)


def norm_given(weights):
    """What the function with the bug computes."""
    return norm(weights, fourths=1)


def no_weights(weights) -> str:
    """Why these aren't rows of weights; empty if they are."""
    positive, total = (weights >= 0).all(), weights.sum(axis=-1)
    return "" if positive and np.allclose(total, 1) else "rows that aren't weights: no entry below 0, and the sum 1"


def norm(weights, fourths=0.0, off_diagonal=1.0):
    """Norm of J with Σ p⁴ added `fourths` times and the squares off the diagonal counted `off_diagonal` times."""
    squares = table(weights) ** 2
    diagonal = np.trace(squares, axis1=-2, axis2=-1)
    others = squares.sum(axis=(-2, -1)) - diagonal
    return np.sqrt(diagonal + off_diagonal * others + fourths * (weights**4).sum(axis=-1))


TASKS = (
    Task(
        "ps04.jacobian",
        points=3,
        asks="one matrix for each query: entry [t, i, j] is how weight i of query t responds to its score j",
        read='notebook 04, section "Areas that are slopes"',
        cases=rows,
        hidden=other_rows,
        right=softmax_jacobian,
        mistakes=(
            Mistake(
                "diagonal only",
                lambda scores: softmax_jacobian(scores) * np.eye(scores.shape[-1]),
                "Your matrices are zero off the diagonal, as if a score moved only its own weight. When one key "
                "gains weight, where does it come from?",
                read='notebook 04, section "Is it p(1 − p)?"',
            ),
            Mistake(
                "no table",
                lambda scores: softmax_forward(scores) * (1 - softmax_forward(scores)),
                "These are p(1 − p), how each weight responds to its own score. How it responds to the other "
                "scores is missing.",
                read='notebook 04, section "Raise one score: who pays?"',
            ),
            Mistake(
                "plus sign",
                lambda scores: table(softmax_forward(scores), lambda p: -outer(p)),
                "All your entries are positive, so raising one score would raise every weight. What must a column "
                "sum to?",
                read='notebook 04, section "Raise one score: who pays?"',
            ),
            Mistake(
                "sign turned",
                lambda scores: -softmax_jacobian(scores),
                "The sizes are right, but every sign is wrong. Does raising a score lower its own weight?",
                read='notebook 04, section "Raise one score: who pays?"',
            ),
            Mistake(
                "no softmax",
                table,
                "The formula is right, but p means the weights. You've put in the scores.",
            ),
            Mistake(
                "wrong axis",
                lambda scores: table(softmax_forward(scores, axis=0)),
                "This is the Jacobian for weights that sum to 1 over the queries. Along which axis are one query's "
                "keys?",
                read='notebook 03, section "Exponentiate, sum, divide"',
            ),
            Mistake(
                "entry by entry",
                lambda scores: table(softmax_forward(scores), lambda p: p[:, None, :] ** 2),
                "p * p is a row again, and you subtract it from every row of diag(p). Which product of a row with "
                "itself gives a matrix?",
            ),
            Mistake(
                "one number for the table",
                lambda scores: table(softmax_forward(scores), lambda p: (p**2).sum(axis=-1)[:, None, None]),
                "You subtract a single number from the whole matrix. When p has one axis, p.T is just p, and p @ "
                "p.T is a number.",
            ),
            Mistake(
                "square taken off twice",
                lambda scores: table(softmax_forward(scores), lambda p: outer(p) * (1 + np.eye(p.shape[1]))),
                "Off the diagonal everything is right. On it, you've subtracted the squared weight twice.",
            ),
        ),
    ),
    Task(
        "ps04.numerical_jacobian",
        points=3,
        asks="at [i, j], the central difference of weight i for score j",
        read='notebook 04, section "Areas that are slopes"',
        cases=row_and_step,
        hidden=other_steps,
        right=lambda scores, step: differences(scores, step, step),
        mistakes=(
            Mistake(
                "forward difference",
                lambda scores, step: differences(scores, step, 0),
                "You only step up, and compare with the weights in the middle. A central difference steps to both "
                "sides.",
            ),
            Mistake(
                "forgot the 2",
                lambda scores, step: 2 * differences(scores, step, step),
                "Everything is twice as large as it should be. How far apart are the two rows of scores you compare?",
            ),
            Mistake(
                "backward difference",
                lambda scores, step: differences(scores, 0, step),
                "You only step down, and compare with the weights in the middle. The step up is missing.",
            ),
            Mistake(
                "not divided",
                lambda scores, step: 2 * step * differences(scores, step, step),
                "These are the changes in the weights. A slope is a change divided by the distance moved.",
            ),
            Mistake(
                "times the step",
                lambda scores, step: step**2 * differences(scores, step, step),
                "This is what / 2 * step gives: Python divides by 2 and then multiplies by the step.",
            ),
            Mistake(
                "transposed",
                lambda scores, step: differences(scores, step, step).T,
                "Weights and scores are swapped. The true Jacobian is symmetric and hides it, but with a large "
                "step it shows. Does moving score j fill a row or a column?",
            ),
            Mistake(
                "all scores at once",
                lambda scores, step: np.zeros(len(scores)),
                "You move all the scores together, which changes no weight. Move them one at a time.",
                read='notebook 04, section "Raise one score: who pays?"',
            ),
            Mistake(
                "derived, not measured",
                lambda scores, step: softmax_jacobian(scores),
                "This is the exact Jacobian. The task asks for the difference between a step up and a step down, "
                "however large the step.",
            ),
        ),
    ),
    Task(
        "ps04.softmax_backward",
        points=3,
        asks="the gradient on every score, one query at a time",
        read='notebook 04, section "Backwards, without the table"',
        cases=upstream,
        hidden=lambda rng: upstream(rng, any_sizes(rng, 2)),
        right=softmax_backward,
        mistakes=(
            Mistake(
                "no row sum",
                lambda dweights, weights: weights * dweights,
                "This is dweights times diag(p), half of J. Where is the half with p pᵀ? Your rows should sum to 0.",
            ),
            Mistake(
                "diagonal only",
                lambda dweights, weights: weights * (1 - weights) * dweights,
                "With p(1 − p), a score reaches the loss only through its own weight. It moves the other weights too.",
                read='notebook 04, section "Is it p(1 − p)?"',
            ),
            Mistake(
                "wrong axis",
                lambda dweights, weights: softmax_backward(dweights, weights, axis=0),
                "You average over the queries, which mixes them. Which weights have to add up to 1?",
            ),
            Mistake(
                "one sum for all",
                lambda dweights, weights: weights * (dweights - (weights * dweights).sum()),
                "You subtract one number from the whole array. That only works for a single query.",
            ),
            Mistake(
                "plain mean",
                lambda dweights, weights: weights * (dweights - dweights.mean(axis=-1, keepdims=True)),
                "You subtract the plain mean of dweights. A key with little weight should count for little in that "
                "average.",
            ),
            Mistake(
                "mean of the products",
                lambda dweights, weights: weights * (dweights - (weights * dweights).mean(axis=-1, keepdims=True)),
                "The weights in your average already sum to 1. What does `mean` divide by on top of that?",
            ),
            Mistake(
                "weight left out in front",
                lambda dweights, weights: dweights - (weights * dweights).sum(axis=-1, keepdims=True),
                "The average is right. But a key with hardly any weight gets pushed as hard as the others.",
            ),
            Mistake(
                "average taken off last",
                lambda dweights, weights: weights * dweights - (weights * dweights).sum(axis=-1, keepdims=True),
                "The average is right, but you subtract it without a factor. In J, both terms carry the key's "
                "weight p_j.",
            ),
            Mistake(
                "all signs flipped",
                lambda dweights, weights: -softmax_backward(dweights, weights),
                "The sizes are right, but every sign is wrong. Which is subtracted: the average from dweights, or "
                "dweights from the average?",
            ),
            Mistake(
                "arguments swapped",
                lambda dweights, weights: softmax_backward(weights, dweights),
                "dweights and weights are swapped. The first argument is the gradient.",
            ),
        ),
    ),
    Task(
        "ps04.tie_norm",
        points=2,
        asks="the square root of the sum of all squared entries of J, to three decimals",
        read='notebook 04, section "Three pits and a plateau"',
        right=lambda: np.sqrt(2) / 3,
        tolerance=2e-3,
        mistakes=(
            Mistake(
                "dead",
                lambda: 0.0,
                "It isn't the size of the scores that kills a gradient, it's one of them being ahead. Which one is "
                "ahead here?",
                read='notebook 04, section "Not the size, the lead"',
            ),
            Mistake(
                "tie of two",
                lambda: 0.5,
                "One half is the norm for two equal weights. Here more than two keys are tied.",
            ),
            Mistake(
                "one entry",
                lambda: 2 / 9,
                "2/9 is one diagonal entry, and in this tie it's also the sum of all the squares. One step comes "
                "after that sum.",
            ),
            Mistake(
                "tie of four",
                lambda: np.sqrt(3) / 4,
                "That's the norm for four equal weights. What weight does the key with score 0 get?",
            ),
            Mistake(
                "diagonal only",
                lambda: np.sqrt(3) * 2 / 9,
                "You've taken the norm of the diagonal only. The entries −p_i p_j next to it count too.",
            ),
            Mistake(
                "eigenvalue",
                lambda: 1 / 3,
                "One third is a weight, and also the largest eigenvalue of J, but it isn't the norm.",
            ),
        ),
    ),
    counterexample(
        "ps04",
        Hunt(norm_given, norm, {"weights": "queries keys"}, no_weights, gap=0.25, floor=1.0),
        example=lambda: np.array([[1.0, 0.0, 0.0]]),
        traps=(
            Trap(
                "flat",
                lambda: np.full((1, 8), 1 / 8),
                "Your rows are nearly flat. There it's off too, but so little that a test with four digits misses it.",
                fits=lambda weights: weights.max() < 0.45,
            ),
            Trap(
                "a tie",
                lambda: np.array([[0.5, 0.5, 0.0]]),
                "A tie of two: there it's off by 0.11. You're on the way. What's further from a flat row than a tie?",
                fits=lambda weights: np.sort(weights)[:, :-1].max() >= 0.45,
            ),
            Trap(
                "not sharp enough",
                lambda: np.array([[0.6, 0.2, 0.2]]),
                "It's off here, but by less than a quarter. Go on in the same direction.",
            ),
        ),
        read='notebook 04, section "Three pits and a plateau"',
    ),
    Task(
        "ps04.mended_norm",
        points=2,
        asks="the Frobenius norm of J, one for each row of weights",
        read='notebook 04, section "Three pits and a plateau"',
        cases=sharp_and_flat,
        hidden=other_weights,
        right=norm,
        mistakes=(
            Mistake(
                "as given",
                norm_given,
                "Your function still does what the given one does. Try it on the row [1, 0, 0], whose J is all "
                "zeros, and print the two sums before they're added.",
            ),
            Mistake(
                "diagonal only",
                lambda weights: norm(weights, off_diagonal=0),
                "This is the norm of the diagonal only. With the rest of the matrix, [1/2, 1/2] gives 1/2.",
            ),
            Mistake(
                "pairs once",
                lambda weights: norm(weights, off_diagonal=0.5),
                "You count each pair of keys once. The matrix has an entry [i, j] and an entry [j, i].",
            ),
            Mistake(
                "pairs four times",
                lambda weights: norm(weights, off_diagonal=2),
                "You count each pair twice as often as you should. A sum over all i and j already contains both "
                "[i, j] and [j, i].",
            ),
            Mistake(
                "cut off",
                lambda weights: np.minimum(norm(weights, fourths=1), 0.5),
                "You cap the norm at 1/2. That hides the symptom: the row [1, 0, 0] still doesn't get a norm of 0.",
            ),
            Mistake(
                "no root", lambda weights: norm(weights) ** 2, "This is the square of the norm. There's one step left."
            ),
            Mistake(
                "one number",
                lambda weights: np.linalg.norm(table(weights)),
                "You've put the Jacobians of all queries into one norm. Each row of weights has its own.",
            ),
        ),
    ),
)
