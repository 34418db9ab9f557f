"""The exercise inside notebook 10: QK-norm with gains."""

import numpy as np

from .tasks import Mistake, Task


def rows_and_gains(rng) -> list[dict]:
    """Rows of very different lengths, some far from mean 0; all sizes differ."""
    cases = []
    for rows, d_k in ((5, 3), (2, 7)):
        x = rng.normal(size=(rows, d_k)) * rng.uniform(0.1, 9, (rows, 1)) + rng.normal()
        cases.append({"x": x, "gains": rng.uniform(0.5, 2, d_k)})
    return cases


def normed(x, gains, size=lambda x: np.sqrt((x**2).mean(axis=-1, keepdims=True))):
    """Gains times rows divided by their size, the root mean square unless told otherwise."""
    return gains * x / size(x)


TASKS = (
    Task(
        "nb10.normed",
        points=0,
        asks="each row divided by its own root mean square, times the gains",
        read='notebook 10, section "Three cures"',
        cases=rows_and_gains,
        right=normed,
        mistakes=(
            Mistake("no gains", lambda x, gains: normed(x, 1), "Every row has the right size. Where are the gains?"),
            Mistake(
                "unit length",
                lambda x, gains: normed(x, gains, lambda x: np.linalg.norm(x, axis=-1, keepdims=True)),
                "You divide by the length, so your rows are √d_k times too short. Root *mean* square has a mean in it.",
            ),
            Mistake(
                "one size for all",
                lambda x, gains: normed(x, gains, lambda x: np.sqrt((x**2).mean())),
                "You divide all rows by one number. Each query has a size of its own.",
            ),
            Mistake(
                "down the columns",
                lambda x, gains: normed(x, gains, lambda x: np.sqrt((x**2).mean(axis=0))),
                "You average down a column, over different queries. Which axis holds the entries of one of them?",
            ),
            Mistake(
                "no root",
                lambda x, gains: normed(x, gains, lambda x: (x**2).mean(axis=-1, keepdims=True)),
                "You divide by the mean square. A row that's twice as long should come out the same.",
            ),
            Mistake(
                "layer norm",
                lambda x, gains: normed(x - x.mean(axis=-1, keepdims=True), gains),
                "You also subtract the mean, as LayerNorm does. RMSNorm leaves it.",
            ),
        ),
    ),
)
