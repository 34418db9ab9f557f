"""How large is Var(q·k)? Simulated with standard errors, predicted beside it. For notebook 02 and appendix A3.

Each assumption of the proof of Var(q·k) = d_k can be broken by a field of `Assumptions`; the defaults keep them all:

    q_c = mean_q + sigma_q a_c                      a_c, e_c: mean 0, variance 1, drawn from `distribution`
    k_c = mean_k + sigma_k b_c                      b_c = ρ a_c + √(1 − ρ²) e_c, with ρ the correlation
    a_c = √factor_q f + √(1 − factor_q) u_c         f is shared by all coordinates of one query; e_c likewise
    q, k = x W_Q, x W_K                             shared_input: one x of width d_model for both

Axes: samples (pairs of one query and one key) · d_k coordinates
"""

import math
from typing import NamedTuple

import numpy as np

from ..kernels._checks import number, pick, whole_number
from .estimates import Estimate

CHUNK = 2**21  # numbers drawn at a time: 16 MB an array

# Entries with mean 0 and variance 1: how they are drawn, and their fourth moment. All are symmetric.
DISTRIBUTIONS = {
    "normal": (lambda rng, shape: rng.standard_normal(shape), 3.0),
    "uniform": (lambda rng, shape: rng.uniform(-math.sqrt(3), math.sqrt(3), shape), 9 / 5),
    "±1": (lambda rng, shape: 2.0 * rng.integers(0, 2, shape, dtype=np.int8) - 1, 1.0),
    "Student t": (lambda rng, shape: math.sqrt(3 / 5) * rng.standard_t(5, shape), 9.0),  # 5 degrees of freedom
}


class Assumptions(NamedTuple):
    """What q and k are like. With the defaults every assumption of the proof holds, and Var(q·k) = d_k."""

    d_k: int
    mean_q: float = 0.0
    mean_k: float = 0.0
    sigma_q: float = 1.0
    sigma_k: float = 1.0
    correlation: float = 0.0  # between q_c and k_c; 1 is k = q
    factor_q: float = 0.0  # correlation between two coordinates of q, through a factor that they share
    factor_k: float = 0.0
    distribution: str = "normal"
    shared_input: int = 0  # d_model of the x that feeds both q and k; 0 is off


class ScoreMoments(NamedTuple):
    """Mean and variance of q·k over all samples, and what theory predicts."""

    assumptions: Assumptions
    mean: Estimate
    variance: Estimate
    predicted_mean: float
    predicted_variance: float

    @property
    def z(self) -> float:
        """How many standard errors the measured variance lies above the predicted one."""
        return self.variance.z(self.predicted_variance)

    def report(self) -> str:
        """One line for a notebook."""
        mean = round(self.mean.mean, 2) + 0.0  # no "-0.00"
        return (
            f"mean {mean:7.2f} ± {self.mean.error:.2f} (theory {self.predicted_mean:6.2f})   "
            f"variance {self.variance.mean:7.2f} ± {self.variance.error:.2f} "
            f"(theory {self.predicted_variance:7.2f})   z {self.z:+.1f}"
        )


def check_assumptions(assumptions: Assumptions) -> None:
    """Refuse what can't be drawn, or what there is no prediction for."""
    whole_number("d_k", assumptions.d_k, least=1)
    whole_number("shared_input", assumptions.shared_input, least=0)
    pick("distribution", assumptions.distribution, DISTRIBUTIONS)
    lowest = {"correlation": -1.0, "factor_q": 0.0, "factor_k": 0.0}
    for name, low in lowest.items():
        if not low <= number(name, getattr(assumptions, name)) <= 1:
            raise ValueError(f"{name}: got {getattr(assumptions, name)}, expected {low:g} to 1")
    if assumptions.correlation and (assumptions.factor_q or assumptions.factor_k):
        raise ValueError("correlation: got it together with a shared factor, expected one of the two")
    if assumptions.shared_input and assumptions != Assumptions(assumptions.d_k, shared_input=assumptions.shared_input):
        raise ValueError("shared_input: got it together with another switch, expected it alone")


def predicted(assumptions: Assumptions) -> tuple[float, float]:
    """Mean and variance of q·k in closed form.

    Notes
    -----
    The terms of the sum have variance `own` each and covariance `cross` between any two:
    Var = d_k · own + d_k (d_k − 1) · cross. Derived in notebook 02.

    Examples
    --------
    >>> predicted(Assumptions(64))
    (0.0, 64.0)
    >>> predicted(Assumptions(64, correlation=1.0))  # k = q
    (64.0, 128.0)
    """
    check_assumptions(assumptions)
    d_k, mean_q, mean_k, sigma_q, sigma_k, rho, factor_q, factor_k, distribution, d_model = assumptions
    if d_model:
        return 0.0, d_k * (1 + 2 / d_model)
    fourth = DISTRIBUTIONS[distribution][1]
    own = (
        (mean_q * sigma_k) ** 2
        + (mean_k * sigma_q) ** 2
        + 2 * rho * mean_q * mean_k * sigma_q * sigma_k
        + (sigma_q * sigma_k) ** 2 * (1 + rho**2 * (fourth - 2))
    )
    cross = (factor_q * sigma_q**2 + mean_q**2) * (factor_k * sigma_k**2 + mean_k**2) - (mean_q * mean_k) ** 2
    return d_k * (mean_q * mean_k + rho * sigma_q * sigma_k), d_k * own + d_k * (d_k - 1) * cross


def draw_noise(assumptions: Assumptions, samples: int, *, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """`(a, e)`, each (samples, d_k): the random part of q, and the part of k that q doesn't share."""
    draw, _ = DISTRIBUTIONS[assumptions.distribution]
    noise = []
    for factor in (assumptions.factor_q, assumptions.factor_k):
        entries = draw(rng, (samples, assumptions.d_k))
        if factor:
            entries = math.sqrt(factor) * draw(rng, (samples, 1)) + math.sqrt(1 - factor) * entries
        noise.append(entries)
    return noise[0], noise[1]


def queries_and_keys(assumptions: Assumptions, a: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`(q, k)`, each (samples, d_k), from the noise."""
    rho = assumptions.correlation
    b = rho * a + math.sqrt(1 - rho**2) * e if rho else e
    return assumptions.mean_q + assumptions.sigma_q * a, assumptions.mean_k + assumptions.sigma_k * b


def draw_shared(d_k: int, d_model: int, samples: int, *, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """`(q, k)` from one x for both, with W_Q and W_K ~ N(0, 1/d_model) drawn afresh for every sample."""
    x = rng.standard_normal((samples, 1, d_model))
    q, k = (x @ rng.standard_normal((samples, d_model, d_k)) / math.sqrt(d_model) for _ in range(2))
    return q[:, 0], k[:, 0]


def draw_scores(assumptions: Assumptions, samples: int, *, rng: np.random.Generator) -> np.ndarray:
    """`samples` independent values of q·k, unscaled, in pieces that fit into memory."""
    check_assumptions(assumptions)
    at_once = max(1, CHUNK // (assumptions.d_k * max(1, assumptions.shared_input)))
    scores = []
    for start in range(0, samples, at_once):
        piece = min(at_once, samples - start)
        if assumptions.shared_input:
            q, k = draw_shared(assumptions.d_k, assumptions.shared_input, piece, rng=rng)
        else:
            q, k = queries_and_keys(assumptions, *draw_noise(assumptions, piece, rng=rng))
        scores.append(np.einsum("sd,sd->s", q, k))  # (samples, d_k), (samples, d_k) -> (samples,)
    return np.concatenate(scores)


def measure_variance(assumptions: Assumptions, *, rng: np.random.Generator, samples: int = 20_000) -> ScoreMoments:
    """Mean and variance of q·k, beside the prediction."""
    return score_moments(assumptions, draw_scores(assumptions, samples, rng=rng))


def score_moments(assumptions: Assumptions, scores: np.ndarray) -> ScoreMoments:
    """`measure_variance` for scores that are already drawn."""
    return ScoreMoments(assumptions, Estimate.of(scores), Estimate.of_variance(scores), *predicted(assumptions))


class Kurtosis(NamedTuple):
    """Excess kurtosis of q·k: 0 for a normal distribution."""

    excess: Estimate
    predicted: float


def measure_kurtosis(
    assumptions: Assumptions, *, rng: np.random.Generator, samples: int = 10_000, batches: int = 20
) -> Kurtosis:
    """E[s⁴]/E[s²]² − 3 of s = q·k, over batches of samples; only the distribution of the entries may differ."""
    d_k, distribution = assumptions.d_k, assumptions.distribution
    if assumptions != Assumptions(d_k, distribution=distribution):
        raise ValueError(f"assumptions: got {assumptions}, expected only d_k and distribution to be set")
    scores = draw_scores(assumptions, samples * batches, rng=rng).reshape(batches, samples)
    # The measured E[s²] rather than d_k: its noise goes with that of E[s⁴], so the ratio is steadier.
    excess = (scores**4).mean(axis=-1) / (scores**2).mean(axis=-1) ** 2 - 3
    fourth = DISTRIBUTIONS[distribution][1]
    return Kurtosis(Estimate.of(excess), (fourth**2 - 3) / d_k)
