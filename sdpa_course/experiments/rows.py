"""What softmax sees of the scores: their variance within a row, one query and its keys. Used in notebook 02.

Softmax doesn't notice when a whole row of scores is shifted, so of the total variance only a part counts:

    Var(q·k) = E[Var(q·k | q)] + Var(E[q·k | q])          total = within + between

All cases are measured on the same noise, so that what differs between them is the case and not the luck.

Axes: queries · n keys, which belong to one query · d_k
"""

import math
from typing import NamedTuple

import numpy as np

from ..kernels.scores import dot_scores_forward
from ..kernels.softmax import softmax_forward
from .estimates import Estimate
from .variance import CHUNK, Assumptions, check_assumptions, predicted, queries_and_keys


class Rows(NamedTuple):
    """The variance of the scores, total and within a row, and the largest weight after 1/√d_k."""

    assumptions: Assumptions
    total: float
    within: float
    predicted_total: float
    predicted_within: float
    top: Estimate  # over the queries

    @property
    def predicted_between(self) -> float:
        """The part of the variance that softmax doesn't notice."""
        return self.predicted_total - self.predicted_within


def predicted_within(assumptions: Assumptions) -> float:
    """E[Var(q·k | q)] in closed form: E[qᵀ Cov(k) q], with the part of k that follows q taken out.

    Examples
    --------
    >>> predicted_within(Assumptions(64)), predicted_within(Assumptions(64, mean_k=1.0))
    (64.0, 64.0)
    >>> round(predicted_within(Assumptions(64, correlation=0.9)), 2)
    12.16
    """
    check_assumptions(assumptions)
    d_k, mean_q, _, sigma_q, sigma_k, rho, factor_q, factor_k, _, d_model = assumptions
    if d_model:
        raise ValueError("shared_input: got it switched on, expected 0: each key has an input of its own here")
    square, product = sigma_q**2 + mean_q**2, factor_q * sigma_q**2 + mean_q**2  # E[q_c²] and E[q_c q_c']
    return sigma_k**2 * (1 - rho**2) * d_k * (square + (d_k - 1) * factor_k * product)


def draw_rows(
    cases: dict[str, Assumptions], *, rng: np.random.Generator, queries: int = 4000, keys: int = 64
) -> dict[str, np.ndarray]:
    """Each case's (queries, keys) scores, divided by √d_k, from the same noise; all cases have one d_k."""
    (d_k,) = {case.d_k for case in cases.values()}
    scores: dict[str, list] = {name: [] for name in cases}
    at_once = max(1, CHUNK // (d_k * keys))
    for start in range(0, queries, at_once):
        piece = min(at_once, queries - start)
        noise = [rng.standard_normal((piece, rows, d_k)) for rows in (1, keys)]
        shared = [rng.standard_normal((piece, rows, 1)) for rows in (1, keys)]  # drawn in any case: the rest stays
        for name, case in cases.items():
            a, e = (
                math.sqrt(factor) * f + math.sqrt(1 - factor) * own if factor else own
                for factor, f, own in zip((case.factor_q, case.factor_k), shared, noise, strict=True)
            )
            q, k = queries_and_keys(case, a, e)
            scores[name].append(dot_scores_forward(q, k)[0][:, 0])  # (piece, 1, keys) -> (piece, keys)
    return {name: np.concatenate(pieces) for name, pieces in scores.items()}


def measure_rows(
    cases: dict[str, Assumptions], *, rng: np.random.Generator, queries: int = 4000, keys: int = 64
) -> dict[str, Rows]:
    """The variance of each case's scores, total and within a row, and its largest weights."""
    expected = {name: (predicted(case)[1], predicted_within(case)) for name, case in cases.items()}
    drawn = draw_rows(cases, rng=rng, queries=queries, keys=keys)
    return {name: rows_of(cases[name], scaled, *expected[name]) for name, scaled in drawn.items()}


def rows_of(case: Assumptions, scaled: np.ndarray, total: float, within: float) -> Rows:
    """The variances of q·k and the largest weights, from scores that are already divided by √d_k."""
    return Rows(
        case, case.d_k * float(scaled.var()), case.d_k * float(scaled.var(axis=1, ddof=1).mean()), total, within,
        Estimate.of(softmax_forward(scaled).max(axis=1)),
    )  # fmt: skip


class Aligned(NamedTuple):
    """One key that goes along with its query, among others that don't; scores divided by √d_k."""

    d_k: int
    correlation: float
    others: np.ndarray  # scores of the other keys
    gap: Estimate  # from the others' average to the aligned key, over the queries
    weight: Estimate  # of the aligned key


def measure_aligned(
    d_k: int, correlation: float, *, rng: np.random.Generator, queries: int = 1000, keys: int = 64
) -> Aligned:
    """How far one key stands out if its entries have this correlation with those of its query."""
    cases = {"plain": Assumptions(d_k), "aligned": Assumptions(d_k, correlation=correlation)}
    drawn = draw_rows(cases, rng=rng, queries=queries, keys=keys)
    scores = drawn["plain"]
    scores[:, 0] = drawn["aligned"][:, 0]
    others = scores[:, 1:]
    return Aligned(
        d_k, correlation, others.ravel(), Estimate.of(scores[:, 0] - others.mean(axis=1)),
        Estimate.of(softmax_forward(scores)[:, 0]),
    )  # fmt: skip
