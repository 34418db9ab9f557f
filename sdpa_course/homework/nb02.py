"""The exercise inside notebook 02: the variance that softmax sees."""

from .tasks import Mistake, Task


def rows_apart(rng) -> list[dict]:
    """Scores whose rows lie far apart and are unequally wide."""
    cases = []
    for queries, keys in ((3, 7), (5, 4)):
        shift, width = rng.normal(0, 3, (queries, 1)), rng.uniform(1, 4, (queries, 1))
        cases.append({"scores": shift + width * rng.normal(size=(queries, keys))})
    return cases


TASKS = (
    Task(
        "nb02.within_row",
        points=0,
        asks="one number: the variance across the keys of one query, averaged over the queries",
        read='notebook 02, section "What softmax sees"',
        cases=rows_apart,
        right=lambda scores: scores.var(axis=1).mean(),
        mistakes=(
            Mistake(
                "all together",
                lambda scores: scores.var(),
                "This is the variance of all scores together. It also counts how far apart the rows are, which softmax "
                "doesn't notice.",
            ),
            Mistake(
                "wrong axis",
                lambda scores: scores.var(axis=0).mean(),
                "You compare different queries on one key. Softmax compares different keys for one query.",
            ),
            Mistake(
                "between rows",
                lambda scores: scores.mean(axis=1).var(),
                "This is the variance between the rows' means: exactly the part that softmax doesn't notice.",
            ),
            Mistake(
                "not averaged",
                lambda scores: scores.var(axis=1),
                "These are the right variances, one for each query. What's left is to average them.",
            ),
            Mistake(
                "standard deviation",
                lambda scores: scores.std(axis=1).mean(),
                "You've averaged standard deviations. The question is about variances.",
            ),
            Mistake(
                "one less",
                lambda scores: scores.var(axis=1, ddof=1).mean(),
                "You divide by one less than the number of keys, which is right for a sample. Here these keys are all "
                "there are.",
            ),
        ),
    ),
)
