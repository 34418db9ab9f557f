"""The truths behind the predictions of notebook 09, which opens act IV."""

import numpy as np

from ...experiments.ablation import LOST
from ...figures.kit.matrices import percent
from ...figures.learning_charts import best_by_width, formula_or_size, other_starts, swapped_scales
from ..questions import Truth


def three_contestants(widths, lines: dict) -> Truth:
    """Right answers of unscaled dot products by width, with both rivals; scale -> (seeds, widths)."""
    means = [float(100 * np.mean(line)) for line in np.transpose(lines["1"])]
    first, *_, last = (percent(mean / 100) for mean in means)
    return Truth(
        means,
        f"From {first} to {last}. Additive attention stays at {percent(np.mean(lines['additive']))} and the scaled "
        f"product at {percent(np.mean(lines['1/sqrt(d_k)']))}.",
        best_by_width.drawn(widths, lines),
    )


def divided_once_more(flat: float, root: float) -> Truth:
    """Right answers with 1/d_k after the same training that brings the root to `root`."""
    return Truth(100 * flat, f"{percent(flat)}, with the root {percent(root)}. A blind guess gets {percent(1 / 16)}.")


def who_is_rescued() -> Truth:
    """Which of the two failures Adam cures; the notebook draws the runs below."""
    return Truth(
        "the flat one", "Adam makes up for a gradient that's small in every row. It doesn't bring back a lost row."
    )


def two_of_four(cells: dict) -> Truth:
    """Which of the four combinations learn."""
    return Truth(
        "the two that start small",
        "What's written in the formula makes no difference. What the scores start with does.",
        formula_or_size.drawn(cells),
    )


def factor_afterwards(tables: dict) -> Truth:
    """Which change of the scale destroys a head that was trained with the root."""
    _, missing_root, _ = tables[next(iter(tables))]
    return Truth(
        "the factor twice",
        f"Left out, it costs nothing here: {percent(missing_root[0])} right. Applied twice, it leaves "
        f"{percent(missing_root[2])}.",
        swapped_scales.drawn(tables),
    )


def fastest_start(variances, lines: dict) -> Truth:
    """At which variance training is fastest; the lines of `other_starts`."""
    medians = {d_k: np.median(np.nan_to_num(steps, nan=LOST), axis=0) for d_k, steps in lines.items()}
    best = [variances[int(np.argmin(middle))] for middle in medians.values()]
    if min(best) > 1:
        answer = "more than 1"
    else:
        answer = {1: "1"}.get(max(best), "it depends") if min(best) == max(best) else "it depends"
    said = ", ".join(f"{value:g} at d_k = {d_k}" for d_k, value in zip(medians, best, strict=True))
    return Truth(answer, f"The fastest start has variance {said}.", other_starts.drawn(variances, lines))
