"""The exercises inside notebook 09: late or lost, and the factor that gives scores a variance."""

import numpy as np

from .tasks import Mistake, Task


def records(rng) -> list[dict]:
    """Runs recorded every few steps: some get there, and one of them falls back; some never do."""
    cases = []
    for every, lost in ((20, 2), (25, 1)):
        runs = np.sort(rng.uniform(0.05, 0.85, (5, 9)), axis=1)
        for run, start in zip(runs[lost:], (3, 5, 6, 7), strict=False):
            run[start:] = rng.uniform(0.92, 0.99, 9 - start)
        runs[lost + 1][8] = 0.8
        cases.append({"accuracy": runs, "every": every})
    return cases


def arrivals(accuracy, every, never=np.nan):
    """The mean step of the first record at 0.9 or above, over the runs that have one; and how many have none."""
    there = accuracy >= 0.9
    steps = np.where(there.any(axis=1), there.argmax(axis=1) * every, never)
    return float(np.nanmean(steps)), int((~there.any(axis=1)).sum())


def starts(rng) -> list[dict]:
    """Widths that aren't squares, and variances below and above 1."""
    return [{"d_k": rng.permutation([24.0, 60.0, 130.0]), "variance": variance} for variance in (0.25, 3.0)]


TASKS = (
    Task(
        "nb09.late_or_lost",
        points=0,
        asks="the mean first step with an accuracy of 0.9 or more, over the runs that have one; and how many have none",
        read='notebook 09, section "Too sharp, too flat"',
        cases=records,
        right=arrivals,
        mistakes=(
            Mistake(
                "records, not steps",
                lambda accuracy, every: arrivals(accuracy, 1),
                "You count records. One was taken every `every` steps, the first of them at step 0.",
            ),
            Mistake(
                "counted from 1",
                lambda accuracy, every: (arrivals(accuracy, every)[0] + every, arrivals(accuracy, every)[1]),
                "You're one record late: the first one belongs to step 0.",
            ),
            Mistake(
                "lost is step 0",
                lambda accuracy, every: arrivals(accuracy, every, never=0),
                "A run that never gets there counts as if it had been there at step 0, the fastest of all.",
            ),
            Mistake(
                "lost is the end",
                lambda accuracy, every: arrivals(accuracy, every, never=(accuracy.shape[1] - 1) * every),
                "A run that never gets there counts as if it had arrived at the end. Late and lost aren't the same.",
            ),
            Mistake(
                "lost at the end",
                lambda accuracy, every: (arrivals(accuracy, every)[0], int((accuracy[:, -1] < 0.9).sum())),
                "You look at the last record only. A run that got there and fell back did get there.",
            ),
        ),
    ),
    Task(
        "nb09.start_factor",
        points=0,
        asks="for each width, the factor that gives the scores this variance",
        read='notebook 02, section "The proof"; notebook 09, section "Is 1 the best variance?"',
        cases=starts,
        right=lambda d_k, variance: np.sqrt(variance / d_k),
        mistakes=(
            Mistake(
                "variance outside the root",
                lambda d_k, variance: variance / np.sqrt(d_k),
                "That multiplies the root's scores by the variance itself. By how much does the variance grow when you "
                "double every score?",
            ),
            Mistake(
                "no root",
                lambda d_k, variance: variance / d_k,
                "That's the factor for the variance, but scores are multiplied, and their variance with the square.",
            ),
            Mistake(
                "upside down",
                lambda d_k, variance: np.sqrt(d_k / variance),
                "Upside down: this is what you'd divide by. The function returns what the scores are multiplied by.",
            ),
            Mistake(
                "only the root",
                lambda d_k, variance: 1 / np.sqrt(d_k),
                "That's the factor for variance 1, whatever is asked for.",
            ),
            Mistake(
                "variance in the denominator",
                lambda d_k, variance: 1 / np.sqrt(variance * d_k),
                "A larger variance needs a larger factor; yours gets smaller.",
            ),
        ),
    ),
)
