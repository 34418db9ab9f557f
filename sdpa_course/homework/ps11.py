"""Problem set 11: a real model's scores row by row, what its first token hands over, and the knob that undoes it."""

import numpy as np

from ..kernels.softmax import softmax_forward
from .tasks import Mistake, Task, any_sizes

VARIANCE = 6.25  # of the scores within a row, for the number to predict


def some_queries(rng, sizes=((5, 3), (8, 6))) -> list[dict]:
    """Queries and keys of one head; the keys share a direction, so rows differ from each other."""
    cases = []
    for T, d_k in sizes:
        cases.append({"q": rng.normal(size=(T, d_k)), "k": 2 * rng.normal(size=(T, d_k)) + 2})
    return cases


def some_rows(rng, sizes=((3, 4, 5), (4, 6, 2))) -> list[dict]:
    """A few rows of weights, and values whose lengths differ a lot."""
    cases = []
    for rows, T, d_v in sizes:
        values = rng.normal(size=(T, d_v)) * rng.uniform(0.2, 4, size=(T, 1))
        cases.append({"weights": softmax_forward(1.5 * rng.normal(size=(rows, T))), "values": values})
    return cases


def scores_of(q, k):
    """(T, T), after the division."""
    return q @ k.T / np.sqrt(q.shape[1])


def by_row(scores, first=2, ddof=1):
    """The mean over rows of the variance of what each may see."""
    return np.mean([row[: i + 1].var(ddof=ddof) for i, row in enumerate(scores) if i >= first])


def share(weights, values, power=1.0):
    """What comes from the first token, as a share of weight · length, averaged over all rows."""
    parts = weights * np.linalg.norm(values, axis=-1) ** power
    return (parts[:, 0] / parts.sum(axis=-1)).mean()


def ratio_of_sums(weights, values):
    """One total divided by another, instead of the mean of shares."""
    parts = weights * np.linalg.norm(values, axis=-1)
    return parts[:, 0].sum() / parts.sum()


TASKS = (
    Task(
        "ps11.row_variance",
        points=3,
        asks="the variance of the visible scores within a row (divided by count − 1), averaged over rows 2, 3, …",
        read='notebook 11, section "Where are q and k now?"',
        cases=some_queries,
        hidden=lambda rng: some_queries(rng, [(T + 2, d_k) for T, d_k in any_sizes(rng, 2)]),
        right=lambda q, k: by_row(scores_of(q, k)),
        mistakes=(
            Mistake(
                "future included",
                lambda q, k: scores_of(q, k)[2:].var(axis=1, ddof=1).mean(),
                "You count the scores of the future too. A causal row ends at its own token.",
            ),
            Mistake(
                "all scores together",
                lambda q, k: scores_of(q, k)[np.tril_indices(len(q))].var(ddof=1),
                "That's the variance of all visible scores in one heap. Softmax doesn't see how rows differ from each "
                "other.",
                read='notebook 02, section "What softmax sees"',
            ),
            Mistake(
                "divided by the count",
                lambda q, k: by_row(scores_of(q, k), ddof=0),
                "Almost: you divide by the number of scores, and the task asks for one less.",
            ),
            Mistake(
                "row 1 counted",
                lambda q, k: by_row(scores_of(q, k), first=1),
                "You begin one row too early: row 1 sees only two tokens. Count rows from 0 and begin with row 2.",
            ),
            Mistake(
                "no scale",
                lambda q, k: by_row(q @ k.T),
                "These are the dot products themselves. The scores come after the division.",
            ),
            Mistake(
                "standard deviation",
                lambda q, k: np.mean([row[: i + 1].std(ddof=1) for i, row in enumerate(scores_of(q, k)) if i >= 2]),
                "These are standard deviations. What's asked for is the variance.",
            ),
        ),
    ),
    Task(
        "ps11.first_share",
        points=3,
        asks="weight · length of the value of the first token, as a share of its row, averaged over the rows",
        read='notebook 11, section "What is the sink for?"',
        cases=some_rows,
        hidden=lambda rng: some_rows(rng, any_sizes(rng, 3)),
        right=share,
        mistakes=(
            Mistake(
                "weights alone",
                lambda weights, values: weights[:, 0].mean(),
                "That's the weight on the first token. How long is the value that it fetches?",
            ),
            Mistake(
                "squared lengths",
                lambda weights, values: share(weights, values, 2.0),
                "You use the squared length of each value. A length is the root of the sum of squares.",
            ),
            Mistake(
                "not a share",
                lambda weights, values: weights[:, 0].mean() * np.linalg.norm(values[0]),
                "You have weight · length of the first token. What share is that of the whole row?",
            ),
            Mistake(
                "ratio of sums",
                ratio_of_sums,
                "You divide one total by another, so rows with long values count more. Take the share in each row "
                "first, and then the mean.",
            ),
        ),
    ),
    Task(
        "ps11.undoing_m",
        points=2,
        asks="the m that brings a variance of 6.25 within a row back to 1",
        read='notebook 11, section "Turn the knob"',
        right=lambda: VARIANCE**-0.5,
        mistakes=(
            Mistake(
                "variance divided",
                lambda: 1 / VARIANCE,
                "If scores are multiplied by m, what's their variance multiplied by?",
            ),
            Mistake("wrong way round", lambda: VARIANCE**0.5, "That m makes the scores even larger."),
            Mistake("both", lambda: VARIANCE, "The variance is too large already, and this m makes it larger still."),
        ),
    ),
)
