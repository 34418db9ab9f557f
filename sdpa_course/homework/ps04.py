"""Problem set 04: the softmax Jacobian, derived, measured, avoided, and where it dies."""

import numpy as np

from ..kernels.softmax import softmax_backward, softmax_forward, softmax_jacobian
from .tasks import Mistake, Task


def rows(rng) -> list[dict]:
    """Scores of a few queries over more keys."""
    return [{"scores": rng.normal(size=(3, 5))}, {"scores": 1.5 * rng.normal(size=(2, 4))}]


def row_and_step(rng) -> list[dict]:
    """One row and a step so large that every kind of difference gives other numbers."""
    return [{"scores": rng.normal(size=4), "step": 1.2}, {"scores": rng.normal(size=6), "step": 0.8}]


def upstream(rng) -> list[dict]:
    """A gradient on the weights, not centred, and the weights."""
    pairs = [rng.normal(size=(2, *shape)) for shape in ((3, 5), (4, 7))]
    return [{"dweights": 1 + a, "weights": softmax_forward(b)} for a, b in pairs]


def sharp_and_flat(rng) -> list[dict]:
    """Rows of weights; in the second case one is a tie of two and one has a single winner."""
    ends = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.1, 0.2, 0.3, 0.4]])
    return [{"weights": softmax_forward(1.5 * rng.normal(size=(3, 5)))}, {"weights": ends}]


def outer(p):
    """p pᵀ for every row of p."""
    return p[..., :, None] * p[..., None, :]


def table(p, product=outer):
    """diag(p) − p pᵀ for every row of p, or with another product in place of p pᵀ."""
    return p[..., :, None] * np.eye(p.shape[-1]) - product(p)


def differences(scores, ahead, behind):
    """Column j: softmax with score j raised by `ahead` minus softmax with it lowered by `behind`, over the distance."""
    units = np.eye(len(scores))
    changes = softmax_forward(scores + ahead * units) - softmax_forward(scores - behind * units)
    return changes.T / (ahead + behind)


def norm(weights, fourths=0.0, beside=1.0):
    """Norm of J with Σ p⁴ added `fourths` times, and the squares beside the diagonal counted `beside` times."""
    squares = table(weights) ** 2
    diagonal = np.trace(squares, axis1=-2, axis2=-1)
    others = squares.sum(axis=(-2, -1)) - diagonal
    return np.sqrt(diagonal + beside * others + fourths * (weights**4).sum(axis=-1))


TASKS = (
    Task(
        "ps04.jacobian",
        points=3,
        asks="one table for each query: entry [t, i, j] is how weight i of query t answers to its score j",
        read="notebook 04, section 3",
        cases=rows,
        right=softmax_jacobian,
        mistakes=(
            Mistake(
                "diagonal only",
                lambda scores: softmax_jacobian(scores) * np.eye(scores.shape[-1]),
                "Your tables are zero off the diagonal: as if a score moved its own weight and no other. "
                "Where does the weight that one key gains come from?",
                read="notebook 04, section 5",
            ),
            Mistake(
                "no table",
                lambda scores: softmax_forward(scores) * (1 - softmax_forward(scores)),
                "These are p(1 − p): how each weight answers to its own score. Its answers to the others are missing.",
                read="notebook 04, section 1",
            ),
            Mistake(
                "plus sign",
                lambda scores: table(softmax_forward(scores), lambda p: -outer(p)),
                "All your entries are positive: one score would raise every weight. What must a column sum to?",
                read="notebook 04, section 6",
            ),
            Mistake(
                "sign turned",
                lambda scores: -softmax_jacobian(scores),
                "The sizes are right and every sign is wrong. Does raising a score lower its own weight?",
                read="notebook 04, section 1",
            ),
            Mistake(
                "no softmax",
                table,
                "The formula is right, but the p in it are weights. You put in the scores as they came.",
            ),
            Mistake(
                "wrong axis",
                lambda scores: table(softmax_forward(scores, axis=0)),
                "These belong to weights that sum to 1 over the queries. Along which axis do one query's keys lie?",
                read="notebook 03, section 1",
            ),
            Mistake(
                "entry by entry",
                lambda scores: table(softmax_forward(scores), lambda p: p[:, None, :] ** 2),
                "p * p is a row again, taken off every row of diag(p). Which product of a row with itself is a table?",
            ),
            Mistake(
                "one number for the table",
                lambda scores: table(softmax_forward(scores), lambda p: (p**2).sum(axis=-1)[:, None, None]),
                "You subtract one number from the whole table. If p has one axis, p.T is p, and p @ p.T a number.",
            ),
            Mistake(
                "square taken off twice",
                lambda scores: table(softmax_forward(scores), lambda p: outer(p) * (1 + np.eye(p.shape[1]))),
                "Off the diagonal all is right. On it the square of the weight is taken off twice.",
            ),
        ),
    ),
    Task(
        "ps04.numerical_jacobian",
        points=3,
        asks="the central difference of weight i for score j at place [i, j]",
        read="notebook 04, section 4",
        cases=row_and_step,
        right=lambda scores, step: differences(scores, step, step),
        mistakes=(
            Mistake(
                "forward difference",
                lambda scores, step: differences(scores, step, 0),
                "You step up only, and compare with the weights in the middle. Central means one step to each side.",
            ),
            Mistake(
                "forgot the 2",
                lambda scores, step: 2 * differences(scores, step, step),
                "Everything is twice too large. How far apart are the two rows of scores that you compare?",
            ),
            Mistake(
                "backward difference",
                lambda scores, step: differences(scores, 0, step),
                "You step down only, and compare with the weights in the middle. The step up is missing.",
            ),
            Mistake(
                "not divided",
                lambda scores, step: 2 * step * differences(scores, step, step),
                "These are the changes of the weights. A slope is a change over the distance that was gone.",
            ),
            Mistake(
                "times the step",
                lambda scores, step: step**2 * differences(scores, step, step),
                "This is what / 2 * step gives: Python divides by 2 and then multiplies by the step.",
            ),
            Mistake(
                "transposed",
                lambda scores, step: differences(scores, step, step).T,
                "Weights and scores have changed places. The true Jacobian is symmetric and hides it; "
                "with a large step it shows. Does moving score j fill a row or a column?",
            ),
            Mistake(
                "all scores at once",
                lambda scores, step: np.zeros(len(scores)),
                "You move all scores together, and that changes no weight. Move them one at a time.",
                read="notebook 04, section 6",
            ),
            Mistake(
                "derived, not measured",
                lambda scores, step: softmax_jacobian(scores),
                "This is the true Jacobian. Asked for is what softmax gives a step up and a step down, however large.",
            ),
        ),
    ),
    Task(
        "ps04.softmax_backward",
        points=3,
        asks="the gradient on every score, each query by itself",
        read="notebook 04, section 8",
        cases=upstream,
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
                "p(1 − p) lets a score reach the loss through its own weight alone. It moves the others too.",
                read="notebook 04, section 5",
            ),
            Mistake(
                "wrong axis",
                lambda dweights, weights: softmax_backward(dweights, weights, axis=0),
                "Your average runs over the queries, so that they mix. Whose weights share one whole?",
            ),
            Mistake(
                "one sum for all",
                lambda dweights, weights: weights * (dweights - (weights * dweights).sum()),
                "You subtract one number from the whole array. That is right for a single query, and only there.",
            ),
            Mistake(
                "plain mean",
                lambda dweights, weights: weights * (dweights - dweights.mean(axis=-1, keepdims=True)),
                "You subtract the plain mean of dweights. A key with little weight should count little in it.",
            ),
            Mistake(
                "mean of the products",
                lambda dweights, weights: weights * (dweights - (weights * dweights).mean(axis=-1, keepdims=True)),
                "The weights in your average already sum to 1. By what does `mean` divide once more?",
            ),
            Mistake(
                "weight left out in front",
                lambda dweights, weights: dweights - (weights * dweights).sum(axis=-1, keepdims=True),
                "The average is right. But a key with hardly any weight is pushed as hard as the others.",
            ),
            Mistake(
                "average taken off last",
                lambda dweights, weights: weights * dweights - (weights * dweights).sum(axis=-1, keepdims=True),
                "The average is right, but it is taken off as it is. In J both terms carry the weight p_j of the key.",
            ),
            Mistake(
                "arguments swapped",
                lambda dweights, weights: softmax_backward(weights, dweights),
                "dweights and weights have changed places. The first argument is the gradient.",
            ),
        ),
    ),
    Task(
        "ps04.tie_norm",
        points=2,
        asks="the root of the sum of all squared entries of J, to three decimals",
        read="notebook 04, section 7",
        right=lambda: np.sqrt(2) / 3,
        tolerance=2e-3,
        mistakes=(
            Mistake(
                "dead",
                lambda: 0.0,
                "Not the size of the scores kills a gradient, but the lead of one of them. Who leads here?",
                read="notebook 04, section 9",
            ),
            Mistake(
                "tie of two", lambda: 0.5, "One half is the norm for two equal weights. Here more than two keys tie."
            ),
            Mistake(
                "one entry",
                lambda: 2 / 9,
                "2/9 is one diagonal entry; in a tie it is the sum of all squares too. One step comes after that sum.",
            ),
            Mistake(
                "tie of four",
                lambda: np.sqrt(3) / 4,
                "That is the norm for four equal weights. What weight does the key with score 0 get?",
            ),
            Mistake(
                "diagonal only",
                lambda: np.sqrt(3) * 2 / 9,
                "You took the norm of the diagonal. The entries −p_i p_j beside it are squared and added as well.",
            ),
            Mistake(
                "eigenvalue", lambda: 1 / 3, "One third is a weight, and the largest eigenvalue of J: not its norm."
            ),
        ),
    ),
    Task(
        "ps04.mended_norm",
        points=3,
        asks="the Frobenius norm of J, one for each row of weights",
        read="notebook 04, section 7",
        cases=sharp_and_flat,
        right=norm,
        mistakes=(
            Mistake(
                "as given",
                lambda weights: norm(weights, fourths=1),
                "This still computes what the given function computes. Try it on the row [1, 0, 0], whose J has "
                "nothing but zeros, and print the two sums before they are added.",
            ),
            Mistake(
                "diagonal only",
                lambda weights: norm(weights, beside=0),
                "This is the norm of the diagonal alone. With the rest of the table, [1/2, 1/2] gives 1/2.",
            ),
            Mistake(
                "pairs once",
                lambda weights: norm(weights, beside=0.5),
                "You count each pair of keys once. The table has an entry [i, j] and an entry [j, i].",
            ),
            Mistake(
                "pairs four times",
                lambda weights: norm(weights, beside=2),
                "The pairs count twice too much. A sum over all i and j already holds [i, j] and [j, i].",
            ),
            Mistake(
                "cut off",
                lambda weights: np.minimum(norm(weights, fourths=1), 0.5),
                "You cut the norm off at 1/2. That hides the symptom: the row [1, 0, 0] still does not get its norm 0.",
            ),
            Mistake("no root", lambda weights: norm(weights) ** 2, "This is the square of the norm. One step is left."),
            Mistake(
                "one number",
                lambda weights: np.linalg.norm(table(weights)),
                "The Jacobians of all queries went into one norm. Every row of weights has its own.",
            ),
        ),
    ),
)
