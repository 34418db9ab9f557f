"""One set of small, fixed data for every figure function, of the size that its notebook gives it."""

import numpy as np

from sdpa_course.experiments.bending import bend
from sdpa_course.experiments.estimates import Estimate
from sdpa_course.experiments.heads import HeadChoice, ScaleByHeads
from sdpa_course.experiments.histograms import ScoreDistribution
from sdpa_course.experiments.layers import LayerStatistics
from sdpa_course.experiments.metrics import by_rank, sharpness_of
from sdpa_course.experiments.row_gradients import RowLengths
from sdpa_course.experiments.saturation import (
    Collapse,
    RandomWeights,
    RankedWeights,
    SoftmaxAtTemperature,
    SoftmaxJacobian,
)
from sdpa_course.experiments.scales import ExponentSweep
from sdpa_course.experiments.sentence import RandomAttention
from sdpa_course.experiments.similarity import OneDraw
from sdpa_course.experiments.speed import Timing, tiling
from sdpa_course.figures import (
    bending,
    collapse,
    gradients,
    heads,
    jacobian,
    saturation,
    scales,
    similarity,
    speed,
    variance,
    weights,
)
from tests.pictures.language_samples import LANGUAGE
from tests.pictures.sample import Sample, fill, grid, softmax, wavy
from tests.pictures.training_samples import TRAINING

WORDS = ["the", "dog", "chased", "the", "ball", "because", "it", "was", "fast"]
SCALES = ("1", "1/sqrt(d_k)", "1/d_k")
POWERS = {"1": 0.0, "1/sqrt(d_k)": 0.5, "1/d_k": 1.0, "1/sqrt(d_model)": 0.25}
WIDTHS = (1, 8, 64, 512)
WEIGHTS = np.array([0.5, 0.3, 0.15, 0.05])
LINE = np.linspace(0, 1, 41)
SCORES = np.array([3.0, 2, 1.5, 0.5, 0, -1, -2])


def entropy_of(d_k: float, scale: str) -> float:
    """A curve like the measured ones."""
    return 1 / (1 + 0.12 * d_k ** (1 - 2 * POWERS[scale]))


def saturations(n: int = 64, scales=SCALES, widths=WIDTHS) -> list[LayerStatistics]:
    return [
        fill(LayerStatistics, d_k=d, n=n, scale=s, top=1 - entropy_of(d, s), entropy=entropy_of(d, s),
             jacobian=0.5 * np.sqrt(entropy_of(d, s) * (1 - entropy_of(d, s))))
        for s in scales for d in widths
    ]  # fmt: skip


def comparisons() -> list[LayerStatistics]:
    return [
        fill(LayerStatistics, d_k=d, n=64, scale=s,
             variance=Estimate(d ** (1 - 2 * POWERS[s]), 0.2 * d ** (1 - 2 * POWERS[s])), entropy=entropy_of(d, s),
             rms=d ** (0.3 - POWERS[s]), median=d ** (0.1 - POWERS[s]) / 3)
        for s in POWERS for d in (8, 32, 128, 512)
    ]  # fmt: skip


def one_choice() -> tuple:
    variances = {h: 1 + wavy(h) / 3 for h in (1, 4, 16, 64)}
    divided = {h: v / h for h, v in variances.items()}
    by_scale = {
        "1/sqrt(d_k)": fill(
            ScaleByHeads, variances=variances, theory=dict.fromkeys(variances, 1.0), scores=4 * wavy(300)
        ),
        "1/sqrt(d_model)": fill(
            ScaleByHeads, variances=divided, theory={h: 1 / h for h in variances}, scores=1.5 * wavy(300)
        ),
    }
    return (HeadChoice(4, 512, 1.25, by_scale),)


def timings(power: float, first: float) -> list[Timing]:
    return [Timing(t, 0.7 * t, 1.9 * t, 0.8 * t, 1.3 * t) for t in (first * 2 ** (power * i) for i in range(4))]


def random_weights() -> RandomWeights:
    weights = softmax(4 * wavy(200, 64))
    return RandomWeights(64, 64, "1/sqrt(d_k)", by_rank(weights), weights.max(axis=-1), sharpness_of(weights))


def distribution() -> ScoreDistribution:
    x = np.linspace(-12, 12, 241)
    normal, shifted = (np.exp(-((x - m) ** 2) / (2 * s * s)) / (s * np.sqrt(2 * np.pi)) for m, s in ((0, 1), (2, 1.5)))
    return ScoreDistribution(None, 2.0, 1.5, np.linspace(-4, 8, 41), BELL / 1.5, x, normal, shifted)


BELL = np.exp(-(np.linspace(-4, 4, 40) ** 2) / 2) / np.sqrt(2 * np.pi)

ELSEWHERE = TRAINING | LANGUAGE
SAMPLES = ELSEWHERE | {
    bending.bent_steps: Sample(grid(1, 3, size=(9, 3.5)), (bend(0.2, 16, walkers=20),)),
    collapse.weights_beside: Sample(
        grid(1, 2, size=(9, 3.8), sharey=True),
        (Collapse(64, 1.0, *(RankedWeights(s, by_rank(softmax(s * wavy(20, 16)))) for s in (8.0, 1.0))),),
    ),
    gradients.row_histogram: Sample(
        grid(size=(9, 4.4)),
        (RowLengths(512, 64, "1", 10 ** (5 * wavy(200) - 3), 10 ** (wavy(200) - 1), 18.6, 1e-3, 0.9, 0.45),),
    ),
    heads.one_choice: Sample(grid(1, 2, size=(9, 4)), one_choice()),
    jacobian.weights_and_jacobian: Sample(
        grid(1, 2, size=(8.4, 4), width_ratios=[1, 1.1]),
        (SoftmaxJacobian(WEIGHTS, np.diag(WEIGHTS) - np.outer(WEIGHTS, WEIGHTS), 0.4, 0.3),),
    ),
    saturation.softmax_bars: Sample(
        grid(1, 2, size=(9, 3.8)), (SoftmaxAtTemperature(1, SCORES, softmax(SCORES), sharpness_of(softmax(SCORES))),)
    ),
    saturation.sharpness: Sample(grid(1, 2, size=(9, 3.8)), (random_weights(),)),
    scales.metrics_by_width: Sample(
        grid(2, 2, size=(9.6, 7.4)),
        (comparisons(), {s: ((8, 512), (8 ** (1 - 2 * p), 512 ** (1 - 2 * p))) for s, p in POWERS.items()}),
    ),
    scales.exponents: Sample(
        grid(1, 2, size=(9, 3.9), sharey=True),
        (
            ExponentSweep(
                64,
                0.4,
                {2**i: 1 / (1 + 0.12 * 2 ** (0.2 * i)) for i in range(11)},
                LINE,
                {d: 1 / (1 + 0.12 * d ** (1 - 2 * LINE)) for d in (8, 64, 512)},
            ),
        ),
    ),
    similarity.one_range: Sample(
        grid(2, 1, size=(9, 4.6), height_ratios=[1.3, 1]),
        (OneDraw(5, 100, 4, -108.0, 90.0, -4.0, 35.6, (-49, 122), np.linspace(-300, 300, 41), 42 * BELL),),
    ),
    speed.cost_by_length: Sample(
        grid(1, 2, size=(9.6, 5.6)),
        (
            [256, 512, 1024, 2048],
            {"textbook": timings(2.1, 4e-4), "blocked": timings(1.9, 3e-4), "PyTorch": timings(1.7, 1e-4)},
            {"textbook": [2**20 * 4**i for i in range(4)], "blocked": [2**19 * 2**i for i in range(4)]},
            {"textbook": 2.0, "blocked": 1.0},
        ),
    ),
    speed.tile_map: Sample(grid(1, 2, size=(9.6, 4)), (tiling(300, 64),)),
    variance.score_density: Sample(grid(size=(9, 3.8)), (distribution(),)),
    weights.weight_map: Sample(
        grid(size=(8.4, 4.4)), (RandomAttention(WORDS, 64, "1", 1.0, softmax(3 * wavy(9, 9)), None, 0.5, 0.5),)
    ),
}
