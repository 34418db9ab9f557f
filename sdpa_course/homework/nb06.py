"""The exercises inside notebook 06: the blame on the keys, and the share of dead rows."""

import numpy as np

from .tasks import Mistake, Task


def blamed_scores(rng) -> list[dict]:
    """A blame on the scores whose rows add up to 0, and queries; all sizes differ."""
    cases = []
    for rows, n, d_k in ((5, 3, 4), (2, 7, 9)):
        dscores = rng.normal(size=(rows, n))
        cases.append({"dscores": dscores - dscores.mean(axis=1, keepdims=True), "Q": rng.normal(size=(rows, d_k))})
    return cases


def right_keys(dscores, Q):
    """Each key adds up what the queries send it, and the scale multiplies."""
    return dscores.T @ Q / np.sqrt(Q.shape[1])


def row_lengths(rng) -> list[dict]:
    """Lengths over many powers of ten; one layer tiny as a whole, one large."""
    return [{"lengths": size * 10 ** rng.uniform(-5, 1, 200)} for size in (1e-4, 30.0)]


def below(measure):
    """The share of the lengths that are below a hundredth of some measure of them."""
    return lambda lengths: float(np.mean(lengths < 0.01 * measure(lengths)))


def rms(lengths):
    """Root mean square."""
    return np.sqrt(np.mean(lengths**2))


TASKS = (
    Task(
        "nb06.key_blame",
        points=0,
        asks="dK, in the shape of K, with the scale 1/√d_k",
        read='notebook 06, section "Blame runs backwards"',
        cases=blamed_scores,
        right=right_keys,
        mistakes=(
            Mistake(
                "no scale",
                lambda dscores, Q: dscores.T @ Q,
                "The sums are right, but everything is √d_k times too long. Which arrow of the graph is missing?",
            ),
            Mistake(
                "1/d_k",
                lambda dscores, Q: dscores.T @ Q / Q.shape[1],
                "You divide by d_k itself. The arrow from the dot products to the scores divides by something else.",
            ),
            Mistake(
                "number of keys",
                lambda dscores, Q: dscores.T @ Q / np.sqrt(dscores.shape[1]),
                "You take the root of the number of keys. The width of a query is the other size.",
            ),
            Mistake(
                "transposed",
                lambda dscores, Q: right_keys(dscores, Q).T,
                "The numbers are right and the table lies on its side. A blame has the shape of its value.",
            ),
            Mistake(
                "averaged",
                lambda dscores, Q: right_keys(dscores, Q) / len(Q),
                "You take the mean over the queries. A fork adds.",
            ),
        ),
    ),
    Task(
        "nb06.dead_share",
        points=0,
        asks="the share of the rows that are shorter than a hundredth of the rms of all of them",
        read='notebook 06, section "Who gets it?"',
        cases=row_lengths,
        right=below(rms),
        mistakes=(
            Mistake(
                "of the mean",
                below(np.mean),
                "You compare with the mean. The rms squares first, averages then, and takes the root last.",
            ),
            Mistake(
                "of the median",
                below(np.median),
                "You compare with the median, so rows are measured against a row that may be dead itself.",
            ),
            Mistake(
                "a fixed number",
                lambda lengths: float(np.mean(lengths < 0.01)),
                "You compare with 0.01 itself. A layer whose rows are all short alike would count as dead.",
            ),
            Mistake(
                "no root",
                below(lambda lengths: np.mean(lengths**2)),
                "You compare a length with a mean square. The root is missing.",
            ),
            Mistake(
                "below the rms",
                lambda lengths: float(np.mean(lengths < rms(lengths))),
                "You count the rows below the rms. Dead is below a hundredth of it.",
            ),
            Mistake(
                "counted",
                lambda lengths: float(np.sum(lengths < 0.01 * rms(lengths))),
                "You count the rows. The question is which share of all rows they are.",
            ),
            Mistake(
                "the living",
                lambda lengths: 1 - below(rms)(lengths),
                "That's the share of the rows that are alive.",
            ),
        ),
    ),
)
