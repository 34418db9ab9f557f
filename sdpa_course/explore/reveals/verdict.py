"""The truths behind the predictions of notebook 12."""

import numpy as np

from ...figures.verdict import sentence_tried, trained_heads
from ..questions import Truth


def weakest_words(rows) -> Truth:
    """Which words of the sentence survive worst; `rows` has (words, verdict, exhibit)."""
    return Truth(
        "extremely small gradients",
        "It's true of most queries in a wide head, and false of the gradient as a whole.",
        sentence_tried.drawn(rows),
    )


def simply(counts: dict) -> Truth:
    """How many claims hold as they stand; `counts` is verdict -> how many."""
    return Truth(
        counts["holds"],
        f"{counts['holds']} simply hold, {counts['holds if']} hold on a condition, {counts['not shown']} haven't been "
        f"shown, and {counts['fails']} fail.",
    )


def sharp_heads(top, started: float) -> Truth:
    """Of 100 heads, those that give over half of a query's weight to one token, on average; `top` has one for each."""
    sharp = int((np.asarray(top) > 0.5).sum())
    return Truth(
        round(100 * sharp / len(top)),
        f"{sharp} of {len(top)} heads, or {sharp / len(top):.0%}. A head with random scores of variance 1 would give "
        f"its "
        f"top token {started:.0%}.",
        trained_heads.drawn(top, started),
    )


def perfect_match(top: dict) -> Truth:
    """What a perfect match among 64 keys gets with the bare cosine, and with √512 times it."""
    return Truth(
        round(100 * top["bare"]),
        f"It gets {top['bare']:.1%}. With √512 times the cosine, it leaves the others less than a ten-millionth.",
    )
