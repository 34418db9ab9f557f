"""The exercise inside appendix A3: how far a measured variance may be off."""

import numpy as np

from .tasks import Mistake, Task


def some_scores(rng) -> list[dict]:
    """Scores whose mean isn't 0, of different widths, some with heavy tails."""
    heavy = rng.normal(size=60) * rng.normal(size=60)
    return [{"scores": 1 + 3 * rng.normal(size=40)}, {"scores": 2 * heavy - 3}, {"scores": rng.uniform(-1, 5, 25)}]


def moment(scores, power):
    """The average of (score − mean) to a power."""
    return ((scores - scores.mean()) ** power).mean()


TASKS = (
    Task(
        "nba3.error_of_variance",
        points=0,
        asks="one number: the standard error of the variance of the scores",
        read='notebook A3, section "How sure can you be of a measured variance?"',
        cases=some_scores,
        right=lambda scores: np.sqrt((moment(scores, 4) - moment(scores, 2) ** 2) / len(scores)),
        mistakes=(
            Mistake(
                "of the mean",
                lambda scores: scores.std() / np.sqrt(len(scores)),
                "This is the standard error of the scores' mean. The question is about their variance, which is an "
                "average of squares.",
            ),
            Mistake(
                "not divided",
                lambda scores: np.sqrt(moment(scores, 4) - moment(scores, 2) ** 2),
                "This is how far a single square lies from the average square. The average of many is less uncertain.",
            ),
            Mistake(
                "no root",
                lambda scores: (moment(scores, 4) - moment(scores, 2) ** 2) / len(scores),
                "This is the squared standard error.",
            ),
            Mistake(
                "not centred",
                lambda scores: np.sqrt(((scores**4).mean() - (scores**2).mean() ** 2) / len(scores)),
                "You've taken powers of the scores. These scores don't have mean 0, so measure from their mean first.",
            ),
            Mistake(
                "as for a bell",
                lambda scores: moment(scores, 2) * np.sqrt(2 / len(scores)),
                "This is right for a bell curve alone. Scores with heavier or lighter tails have a different fourth "
                "moment.",
            ),
            Mistake(
                "nothing taken off",
                lambda scores: np.sqrt(moment(scores, 4) / len(scores)),
                "You've averaged the fourth powers and stopped there. The spread of the squares is counted from their "
                "own average.",
            ),
        ),
    ),
)
