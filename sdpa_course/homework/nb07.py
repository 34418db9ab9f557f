"""The exercises inside notebook 07: hand a query to a kernel that divides on its own, and find the factor inside."""

import numpy as np

from ..kernels.softmax import softmax_forward
from .tasks import Mistake, Task


def trained_queries(rng) -> list[dict]:
    """Queries, and a width under the root that isn't theirs."""
    return [
        {"q": rng.normal(size=(5, 12)), "trained_width": 27},
        {"q": rng.normal(size=(7, 18)), "trained_width": 8},
    ]


def hand_over(q, trained_width, power=0.5, corrected=True):
    """q so that dividing by the root of its own width comes to dividing by that of `trained_width`."""
    return q * (q.shape[-1] if corrected else 1) ** power / trained_width**power


def black_boxes(rng) -> list[dict]:
    """Queries, keys, and the weights of attention with some factor."""
    cases = []
    for factor, t, s, d in ((0.31, 4, 6, 5), (0.07, 6, 3, 11)):
        q, k = rng.normal(size=(t, d)), rng.normal(size=(s, d))
        cases.append({"weights": softmax_forward(factor * q @ k.T), "q": q, "k": k})
    return cases


def factor_of(weights, q, k):
    """The change of ln(weight) from key 1 to key 2, for one step of the dot product."""
    dots = q @ k.T
    return float(np.log(weights[0, 1] / weights[0, 0]) / (dots[0, 1] - dots[0, 0]))


TASKS = (
    Task(
        "nb07.hand_over",
        points=0,
        asks="the query to hand over, of the shape of q",
        read='notebook 07, section "Which width counts?"',
        cases=trained_queries,
        right=hand_over,
        mistakes=(
            Mistake(
                "scaled already",
                lambda q, trained_width: hand_over(q, trained_width, corrected=False),
                "You've applied the model's own factor, and the kernel will apply its own on top of it: that's twice.",
            ),
            Mistake(
                "as it is",
                lambda q, trained_width: q,
                "Then the kernel divides by the root of the head's width. Which width was the model trained with?",
            ),
            Mistake(
                "upside down",
                lambda q, trained_width: hand_over(q, trained_width, -0.5),
                "The right two roots, the wrong way round. What has to be undone, and what has to be put in its place?",
            ),
            Mistake(
                "no root",
                lambda q, trained_width: hand_over(q, trained_width, 1),
                "The right two widths, without their roots.",
            ),
            Mistake(
                "fourth root",
                lambda q, trained_width: hand_over(q, trained_width, 0.25),
                "You've shared the correction between q and k, but only q is handed over by you.",
            ),
        ),
    ),
    Task(
        "nb07.applied_factor",
        points=0,
        asks="the factor on the dot products, one number",
        read='notebook 07, section "Bugs in the wild"',
        cases=black_boxes,
        right=factor_of,
        mistakes=(
            Mistake(
                "what it divides by",
                lambda weights, q, k: 1 / factor_of(weights, q, k),
                "That's what the dot products are divided by. The factor is one over it.",
            ),
            Mistake(
                "sign",
                lambda weights, q, k: -factor_of(weights, q, k),
                "The size is right, the sign isn't: take both differences in the same order.",
            ),
            Mistake(
                "one weight",
                lambda weights, q, k: float(np.log(weights[0, 0]) / (q[0] @ k[0])),
                "One weight isn't enough: its logarithm also has the row's normalisation in it. What cancels that?",
            ),
            Mistake(
                "no logarithm",
                lambda weights, q, k: float((weights[0, 1] - weights[0, 0]) / (q[0] @ k[1] - q[0] @ k[0])),
                "You compare the weights themselves. Softmax is an exponential: which function takes it back?",
            ),
            Mistake(
                "next to the root",
                lambda weights, q, k: factor_of(weights, q, k) * q.shape[-1] ** 0.5,
                "That's the factor next to the usual one. The task asks for the factor itself.",
            ),
        ),
    ),
)
