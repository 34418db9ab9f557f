"""One set of small, fixed data for every figure function, of the size that its notebook gives it."""

import numpy as np

from sdpa_course.experiments.additive import AdditiveSpread
from sdpa_course.experiments.estimates import Estimate
from sdpa_course.experiments.gradients import GradientFactors
from sdpa_course.experiments.heads import SCALES as HEAD_SCALES
from sdpa_course.experiments.heads import HeadChoice, HeadScores, ScaleByHeads
from sdpa_course.experiments.histograms import ScoreDistribution, ScoreSpread
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
from sdpa_course.experiments.similarity import Agreement, Ranges
from sdpa_course.experiments.speed import Timing, tiling
from sdpa_course.figures import (
    collapse,
    gradients,
    heads,
    jacobian,
    pytorch,
    saturation,
    scales,
    similarity,
    speed,
    variance,
    weights,
)
from tests.pictures.sample import Sample, fill, grid, softmax, wavy
from tests.pictures.training_samples import TRAINING

TOKENS = ["love", "Apple", "phones"]
WORDS = ["the", "dog", "chased", "the", "ball", "because", "it", "was", "fast"]
SCALES = ("1", "1/sqrt(d_k)", "1/d_k")
POWERS = {"1": 0.0, "1/sqrt(d_k)": 0.5, "1/d_k": 1.0, "1/sqrt(d_model)": 0.25}
WIDTHS = (1, 8, 64, 512)
WEIGHTS = np.array([0.5, 0.3, 0.15, 0.05])
LOWER_TRIANGLE = np.tri(3, dtype=bool)
LINE = np.linspace(0, 1, 41)
SCORES = np.array([3.0, 2, 1.5, 0.5, 0, -1, -2])
STEPS = np.logspace(-12, -1, 12)


def entropy_of(d_k: float, scale: str) -> float:
    """A curve like the measured ones."""
    return 1 / (1 + 0.12 * d_k ** (1 - 2 * POWERS[scale]))


def saturations(n: int = 64, scales=SCALES, widths=WIDTHS) -> list[LayerStatistics]:
    return [
        fill(LayerStatistics, d_k=d, n=n, scale=s, top=1 - entropy_of(d, s), entropy=entropy_of(d, s),
             jacobian=0.5 * np.sqrt(entropy_of(d, s) * (1 - entropy_of(d, s))))
        for s in scales for d in widths
    ]  # fmt: skip


def accounts(widths, keys, scales=SCALES) -> list[LayerStatistics]:
    return [
        fill(LayerStatistics, d_k=d, n=n, scale=s, rms=d ** (0.4 - POWERS[s]) * n**0.1,
             median=d ** (-POWERS[s]) * n**0.3 / 5)
        for s in scales for d in widths for n in keys
    ]  # fmt: skip


def factors(scale: str) -> list[GradientFactors]:
    return [
        fill(GradientFactors, d_k=d, scale=scale, factor=d ** -POWERS[scale], jacobian=entropy_of(d, scale) / 3,
             dq=1.2 * d ** (0.5 - POWERS[scale]) * entropy_of(d, scale) / 3)
        for d in WIDTHS
    ]  # fmt: skip


def comparisons() -> list[LayerStatistics]:
    return [
        fill(LayerStatistics, d_k=d, n=64, scale=s,
             variance=Estimate(d ** (1 - 2 * POWERS[s]), 0.2 * d ** (1 - 2 * POWERS[s])), entropy=entropy_of(d, s),
             rms=d ** (0.3 - POWERS[s]), median=d ** (0.1 - POWERS[s]) / 3)
        for s in POWERS for d in (8, 32, 128, 512)
    ]  # fmt: skip


def head_scores() -> list[HeadScores]:
    return [
        fill(HeadScores, h=h, d_k=512 // h, d_model=512, scale=s, variance=v, head_spread=0.3 * v,
             entropy=Estimate(1 - 0.12 * v, 0.004))
        for s in HEAD_SCALES for h in (1, 4, 16, 64) for v in (1.1 if s == "1/sqrt(d_k)" else 1.1 / h,)
    ]  # fmt: skip


def pushes(power: float) -> tuple:
    p = ((1 + wavy(20, 20)) / 2) ** power
    return p, p * (1 - p) * (1 + wavy(20, 20, start=1)) / 2


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


def losses(shift: float = 0.0) -> dict[str, np.ndarray]:
    step = np.arange(101)
    gap = shift * np.exp(step / 9)
    return {"1/sqrt(d_k)": 3 * np.exp(-step / 30) + gap / 1e4, "1": 2.6 * np.exp(-step / 120) + 0.2 * wavy(101) + gap}


def timings(power: float, first: float) -> list[Timing]:
    return [Timing(t, 0.7 * t, 1.9 * t, 0.8 * t, 1.3 * t) for t in (first * 2 ** (power * i) for i in range(4))]


def ranges(d_k: int, pairs: float) -> Ranges:
    width = np.sqrt(d_k * np.log(pairs)) * (1.5 + 0.3 * wavy(20, start=d_k))
    return Ranges(-width, 1.1 * width, np.sqrt(d_k) * (1 + wavy(20) / np.sqrt(pairs)))


def agreements(most: float, stretch: float) -> list[Agreement]:
    return [
        Agreement(d, Estimate(most * d / (d + 4), 0.015), stretch + 1 / np.sqrt(2 * d)) for d in (1, 4, 16, 64, 256)
    ]


def shadows() -> tuple:
    query, keys = np.array([3.0, 1.0]), np.array([[0.0, 2.0], [2.0, 1.0], [4.0, -1.0]])
    products = (keys * query).sum(axis=1)
    lengths = np.hypot(*query) * np.hypot(*keys.T)
    return "Apple", query, keys, TOKENS, products, products / lengths


def excess(size: float) -> tuple:
    widths = [1, 2, 4, 8, 16, 32]
    return widths, [1.1 * size / d for d in widths], [0.02] * 6, [size / d for d in widths]


def readings() -> dict:
    return {
        name: {last: softmax(3 * wavy(9, start=9 * i + j)) for i, last in enumerate(("fast", "red", "late"))}
        for j, name in enumerate(("first pass", "second pass"))
    }


def random_weights() -> RandomWeights:
    weights = softmax(4 * wavy(200, 64))
    return RandomWeights(64, 64, "1/sqrt(d_k)", by_rank(weights), weights.max(axis=-1), sharpness_of(weights))


def distribution() -> ScoreDistribution:
    x = np.linspace(-12, 12, 241)
    normal, shifted = (np.exp(-((x - m) ** 2) / (2 * s * s)) / (s * np.sqrt(2 * np.pi)) for m, s in ((0, 1), (2, 1.5)))
    return ScoreDistribution(None, 2.0, 1.5, np.linspace(-4, 8, 41), BELL / 1.5, x, normal, shifted)


BELL = np.exp(-(np.linspace(-4, 4, 40) ** 2) / 2) / np.sqrt(2 * np.pi)
TOPS = softmax(3 * wavy(400, 8)).max(axis=-1)

SAMPLES = TRAINING | {
    collapse.weights_by_width: Sample(
        grid(1, 2, sharey=True),
        (
            WIDTHS,
            by_rank([softmax(np.sqrt(d) * wavy(20, 16)) for d in WIDTHS]),
            by_rank([softmax((1 + 0.1 * d**0.2) * wavy(20, 16)) for d in WIDTHS]),
        ),
    ),
    collapse.weights_beside: Sample(
        grid(1, 2, size=(9, 3.8), sharey=True),
        (Collapse(64, 1.0, *(RankedWeights(s, by_rank(softmax(s * wavy(20, 16)))) for s in (8.0, 1.0))),),
    ),
    gradients.factors_by_width: Sample(
        grid(1, 3, size=(10.5, 4.4), sharey=True), ({scale: factors(scale) for scale in SCALES},)
    ),
    gradients.rows_by_width_and_keys: Sample(
        grid(1, 2, size=(10.5, 4.4), sharey=True), (accounts(WIDTHS, [64]), accounts([64], (8, 64, 512)))
    ),
    gradients.pushes_by_weight: Sample(
        grid(1, 2, size=(10, 4.4), sharey=True),
        (
            {"no scale": pushes(9), "1/√d_k": pushes(2)},
            LINE[1:-1] ** 8,
            LINE[1:-1] ** 8 * (1 - LINE[1:-1] ** 8),
        ),
    ),
    gradients.row_histogram: Sample(
        grid(size=(9, 4.4)),
        (RowLengths(512, 64, "1", 10 ** (5 * wavy(200) - 3), 10 ** (wavy(200) - 1), 18.6, 1e-3, 90, 0.9),),
    ),
    heads.variance_and_entropy: Sample(
        grid(1, 2, size=(9.4, 4.4)),
        (
            head_scores(),
            {
                "1/sqrt(d_k)": ([1, 8, 64], [1, 1, 1], [0.88] * 3),
                "1/sqrt(d_model)": ([1, 8, 64], [1, 1 / 8, 1 / 64], [0.88, 0.985, 0.998]),
            },
        ),
    ),
    heads.one_choice: Sample(grid(1, 2, size=(9, 4)), one_choice()),
    heads.mixture_errors: Sample(
        grid(size=(9.6, 4.2)),
        (LINE[::4], 0.7 * (1 - LINE[::4]), 0.7 * LINE[::4], (LINE, 0.75 * (1 - LINE), 0.75 * LINE), 0.02),
    ),
    jacobian.weights_and_jacobian: Sample(
        grid(1, 2, size=(8.4, 4), width_ratios=[1, 1.1]),
        (SoftmaxJacobian(WEIGHTS, np.diag(WEIGHTS) - np.outer(WEIGHTS, WEIGHTS), 0.4, 0.3),),
    ),
    jacobian.norm_by_top: Sample(
        grid(size=(9, 4.2)),
        (
            {
                label: (top, 1.4 * top * (1 - top))
                for label, top in {
                    "$d_k$ = 8, no scale": 0.4 + 0.3 * wavy(60),
                    "$d_k$ = 64, no scale": 0.7 + 0.25 * wavy(60, start=1),
                    "$d_k$ = 512, no scale": 0.9 + 0.08 * wavy(60, start=2),
                    "$d_k$ = 64, default scale": 0.12 + 0.08 * wavy(60, start=3),
                }.items()
            },
            LINE,
            LINE * (1 - LINE),
            2 * LINE * (1 - LINE),
        ),
    ),
    jacobian.norms_by_width_and_keys: Sample(
        grid(1, 2, size=(9.6, 4.4), sharey=True),
        (
            saturations(),
            [
                s._replace(n=n, d_k=64)
                for s, n in zip(saturations(scales=SCALES[:2]), (8, 16, 64, 512) * 2, strict=True)
            ],
            [0.12] * 4,
            [0.33, 0.24, 0.12, 0.04],
            0.5,
        ),
    ),
    jacobian.step_errors: Sample(
        grid(size=(9, 4)), (STEPS, STEPS**2 / 40 + 1e-16 / STEPS, STEPS**2 / 9 + 1e-17, STEPS**2 / 48 + 1e-16 / STEPS)
    ),
    pytorch.runs_and_drift: Sample(grid(1, 2, size=(10, 5)), (losses(), losses(1e-7), losses(2e-8))),
    saturation.softmax_bars: Sample(
        grid(1, 2, size=(9, 3.8)), (SoftmaxAtTemperature(1, SCORES, softmax(SCORES), sharpness_of(softmax(SCORES))),)
    ),
    saturation.sharpness_by_width: Sample(
        grid(1, 2, size=(9, 4.4)),
        (saturations(), {s: (WIDTHS, [entropy_of(d, s) for d in WIDTHS]) for s in SCALES[1:]}),
    ),
    saturation.sharpness_by_keys: Sample(
        grid(1, 2, size=(9, 4.2)),
        ([fill(LayerStatistics, n=n, top=n**-0.7, entropy=1 - 0.6 / np.log(n)) for n in (8, 64, 512, 4096)], 0.607),
    ),
    saturation.top_weights: Sample(
        grid(size=(8, 4)), ({"σ = 1": TOPS / 2, "σ = 1.5": TOPS**2, "σ = 2": np.sqrt(TOPS)},)
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
    scales.two_rules: Sample(
        grid(1, 2, size=(9.6, 4.2)),
        (
            20 * LINE - 10,
            20 * LINE - 10,
            1.7 * np.tanh(20 * LINE - 10),
            2.0,
            {"dot": 3 * wavy(400) ** 3, "additive": 1.5 * wavy(400)},
        ),
    ),
    scales.additive_variance: Sample(
        grid(size=(9, 4)),
        (
            {
                "v ~ N(0, 1)": [
                    fill(AdditiveSpread, d_a=d, variance=Estimate(0.4 * d, 0.04 * d)) for d in (8, 32, 128)
                ],
                "v ~ N(0, 1/d_a)": [fill(AdditiveSpread, d_a=d, variance=0.4) for d in (8, 32, 128)],
            },
            {"v ~ N(0, 1)": [3.1, 12.5, 50], "v ~ N(0, 1/d_a)": [0.39] * 3},
        ),
    ),
    scales.times_by_length: Sample(
        grid(size=(9, 4)), ([16, 32, 64, 128], [1e-5, 2e-5, 5e-5, 2e-4], [5e-5, 2e-4, 9e-4, 4e-3])
    ),
    similarity.score_matrix: Sample(grid(size=(5, 4.2)), (np.array([[2.0, 5, 7], [0, 7, 11], [-2, 1.5, 4]]), TOKENS)),
    similarity.shadows: Sample(grid(1, 3, size=(11, 4), width_ratios=[2.2, 1, 1]), shadows()),
    similarity.agreement_by_width: Sample(
        grid(1, 2, size=(10, 4.2)),
        ({"N(0, 1)": agreements(1, 0), "lengths ×½ to ×2": agreements(0.6, 0.3)}, 1 / 16),
    ),
    similarity.ranges_by_draw: Sample(
        grid(1, 2, size=(10, 4), sharey=True), ([2, 5], [ranges(2, 100), ranges(5, 100)], [(-3, 3), (-6, 9)])
    ),
    similarity.growth_with_pairs: Sample(
        grid(1, 2, size=(10, 4.4), sharey=True),
        (
            [10, 100, 1000],
            {d: [ranges(d, pairs) for pairs in (10, 100, 1000)] for d in (2, 5, 512)},
            {d: [3 * np.sqrt(d * np.log(pairs)) for pairs in (10, 100, 1000)] for d in (2, 5, 512)},
        ),
    ),
    similarity.score_histogram: Sample(
        grid(size=(9, 4)),
        (ScoreSpread(64, True, 1.0, 1.0, 4.0, np.linspace(-9, 9, 41), 18 * BELL, np.linspace(-9, 9, 40), 17 * BELL),),
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
    variance.variance_by_width: Sample(
        grid(1, 2, size=(10, 4.2)), ([1, 8, 64, 512], [1.02, 7.8, 65, 508], [0.01, 0.2, 1.5, 12])
    ),
    variance.broken_assumptions: Sample(
        grid(size=(10, 4.8)),
        (
            ["mean 1/2", "σ of q 3/2", "correlation 1/2", "k = q"],
            [1.52, 2.2, 1.3, 1.97],
            [0.03] * 4,
            [1.5, 2.25, 1.25, 2],
        ),
    ),
    variance.kurtosis_by_width: Sample(grid(size=(8, 4.2)), ({"normal": excess(6), "±1": excess(-2)},)),
    variance.score_density: Sample(grid(size=(9, 3.8)), (distribution(),)),
    weights.attention_flow: Sample(
        grid(size=(11, 4.2)), ({name: (i + 2, i + 20) for i, name in enumerate(weights.PLACES)},)
    ),
    weights.weight_maps: Sample(
        grid(1, 2, size=(9.6, 4.4)),
        (
            {"no mask": softmax(4 * wavy(3, 3)), "causal mask": softmax(4 * wavy(3, 3) - 1e3 * ~LOWER_TRIANGLE)},
            TOKENS,
            {"causal mask": LOWER_TRIANGLE},
        ),
    ),
    weights.weight_map: Sample(
        grid(size=(8.4, 4.4)), (RandomAttention(WORDS, 64, "1", 1.0, softmax(3 * wavy(9, 9)), None, 0.5, 0.5),)
    ),
    weights.what_it_looks_at: Sample(grid(1, 2, size=(11, 4.6), sharey=True), (readings(), WORDS[:-1])),
    weights.choice_shares: Sample(grid(size=(9, 4)), (WORDS, 1 / 9 + 0.02 * wavy(9), 0.01)),
}
