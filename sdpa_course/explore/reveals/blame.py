"""The truths behind the predictions of notebook 06."""

import numpy as np

from ...experiments.metrics import rms
from ...figures.dead_rows import row_piles, taken_apart
from ...figures.kit.matrices import number, percent
from ...figures.sparse import three_factors, two_digits
from ...figures.trading import from_the_average
from ..questions import Truth


def third_score(values, gradients) -> Truth:
    """The blame on the score of a key whose weight gets none; `experiments.tiny.Steps` and `Blame`."""
    score, average = gradients.scores[2], float(values.weights @ gradients.weights)
    return Truth(
        "positive",
        f"It's +{score:.2f}. The row's average blame is {number(average, 2)}, so at 0 phones is worse than average.",
        from_the_average.drawn(gradients.weights, values.weights, values.tokens, what="blame", digits=2),
    )


def which_entry() -> Truth:
    """Which entry of the query gets no blame."""
    return Truth(
        "the second",
        "All three keys have a 1 there. Nudge that entry and all three scores rise together, which softmax can't see.",
    )


def left_over(plain, rooted) -> Truth:
    """The gradient on Q without the scale beside that with it; `PooledRows`."""
    ratio = rms(plain.lengths) / rms(rooted.lengths)
    return Truth(
        "20 times larger",
        f"{ratio:.0f} times. Softmax takes nearly the same toll on both, so nearly all of the missing √512 = 22.6 gets "
        "through.",
        three_factors.drawn(plain, rooted),
    )


def short_rows(plain, rooted) -> Truth:
    """How many rows are below a hundredth of their root mean square; `PooledRows`."""
    return Truth(
        round(100 * plain.dead),
        f"{percent(plain.dead)} of the queries, although the gradient as a whole is about 20 times larger. With the "
        "scale there isn't a single one.",
        row_piles.drawn(plain, rooted),
    )


def same_size_again(plain, rooted) -> Truth:
    """What a smaller learning rate does to dead rows; `PooledRows`."""
    trick = plain.lengths * rooted.factor
    return Truth(
        "no",
        f"It's the panel at the top right. The size is right again, with an rms of {two_digits(rms(trick))}, and the "
        f"median row is as dead as before: {two_digits(float(np.median(trick)))} instead of "
        f"{two_digits(float(np.median(rooted.lengths)))}.",
        taken_apart.drawn(plain, rooted),
    )


def at_the_papers_width(pools) -> Truth:
    """The median row at one width, without the scale beside with it; scale -> `PooledRows`."""
    plain, rooted = (float(np.median(pools[scale].lengths)) for scale in ("1", "1/sqrt(d_k)"))
    return Truth(
        "5 times more",
        f"The median is {two_digits(plain)} without the scale and {two_digits(rooted)} with it. At this width "
        "softmax's typical slope is hardly affected, and the missing factor of 8 does the rest.",
    )
