"""The truths behind the predictions of act I, notebooks 00 to 02, and of appendix A3."""

import math

import numpy as np

from ...experiments.additive import measure_spread
from ...experiments.bending import bend
from ...experiments.saturation import collapse
from ...experiments.similarity import pair_scores
from ...figures.additive import additive_growth
from ...figures.asking import gap_panels, ranked_weights, softmax_steps
from ...figures.bending import opened_crowd
from ...figures.lookups import two_tables
from ...figures.nudges import step_sizes
from ...figures.similarity import best_of_many, range_and_deviation, same_winner, widening
from ...figures.tails import error_bars, many_tries
from ...figures.walks import crowd
from ...kernels.softmax import softmax_forward
from ..questions import Truth

CHANGES = (("two scores", (7.0, 3.0)), ("add 100", (107.0, 103.0)), ("divide by 4", (1.75, 0.75)))


def two_scores() -> Truth:
    """What softmax gives to the first of the scores 7 and 3."""
    scores = np.array([7.0, 3.0])
    weights = softmax_forward(scores)
    first, second = 100 * weights
    return Truth(
        round(first),
        f"{first:.1f} % and {second:.1f} %. The exponentials are about 1,097 and 20. A lead of 4 makes the first one "
        "e⁴ times as large as the second, and that's about 55.",
        softmax_steps.drawn(("first", "second"), scores, np.exp(scores), weights),
    )


def two_changes() -> Truth:
    """What adding a number to two scores does to their weights, and what dividing them does."""
    return Truth(
        "only the division",
        "Adding 100 leaves the gap at 4, and softmax sees nothing but gaps. Dividing by 4 shrinks the gap to 1.",
        gap_panels.drawn(CHANGES, [softmax_forward(scores) for _, scores in CHANGES]),
    )


def shares_by_width() -> Truth:
    """The average of the largest of 16 weights, in per cent, as the vectors get wider."""
    tops = [round(100 * collapse(d_k).unscaled.largest) for d_k in (1, 4, 16, 64, 256)]
    return Truth(
        tops,
        f"The climb is early: {tops[1]} % with four numbers in each vector, {tops[2]} % with sixteen. By d_k = 64 the "
        f"luckiest of sixteen random keys has {tops[3]} %, and there is little left to take.",
    )


def larger_entries() -> Truth:
    """The largest weight after the division, when every entry is twice as large."""
    plain, twice = (collapse(64, sigma).scaled for sigma in (1.0, 2.0))
    return Truth(
        "70 %",
        "Twice as large on both sides makes every product four times as large, and so every gap. The largest weight "
        f"goes from {100 * plain.largest:.0f} % to {100 * twice.largest:.0f} %, although we divided.",
        ranked_weights.drawn({"entries of size 1": plain.weights, "twice as large": twice.weights}),
    )


def shared_vectors(scores, shared, tokens) -> Truth:
    """What the table of scores looks like if each token has one vector for both roles."""
    return Truth(
        "it mirrors itself",
        "Apple would look at love exactly as love looks at Apple: 2 and 2. The other answers sound plausible, but "
        "Apple scores 5 with itself and 7 with phones, and love scores −2 with phones.",
        two_tables.drawn(scores, shared, tokens),
    )


def longer_query() -> Truth:
    """What a longer query does to its row."""
    return Truth(
        "same winner, clearer",
        "2, 7 and 11 become 20, 70 and 110. Every score of the row grows by the same factor, so the order stays and "
        "the gaps widen.",
    )


def winners(plain, stretched) -> Truth:
    """How often the largest dot product is the largest cosine, at d_k = 64."""
    share = next(point.share.mean for point in plain if point.d_k == 64)
    return Truth(
        round(100 * share),
        f"In {100 * share:.0f} % of the queries both have the same winner, if the keys stay as they were drawn. "
        "Stretch them, and it's about half.",
        same_winner.drawn(plain, stretched),
    )


def best_match(keys: int = 64) -> Truth:
    """The largest weight that cosines can give."""
    weights = softmax_forward(np.array([1.0] + (keys - 1) * [-1.0]))
    return Truth(
        round(100 * weights[0]),
        f"e against {keys - 1} times 1/e: the perfect match gets {100 * weights[0]:.0f} %. The opposites are weak, but "
        "they are many.",
        best_of_many.drawn(weights),
    )


def more_pairs(sizes, found) -> Truth:
    """What grows when more pairs are drawn."""
    return Truth(
        "only the range",
        "Another pair can widen the range and never narrows it. The standard deviation settles.",
        range_and_deviation.drawn(sizes, found),
    )


def sums_of_terms(scores) -> Truth:
    """The typical size of a score at d_k = 512."""
    size = float(scores[512].std())
    return Truth(
        round(size),
        f"A typical score is about {size:.0f}. The histogram at d_k = 512 is wide, but nothing like 512 wide.",
        widening.drawn(scores),
    )


def score_sizes() -> Truth:
    """How large a typical score is as the vectors get wider."""
    return Truth(
        [math.sqrt(d_k) for d_k in (1, 64, 128, 256, 384, 512)],
        "Steep at first, then flatter and flatter: a quarter of the width already makes half the size. Twice the width "
        "never makes the score twice as large.",
    )


def crowd_of_walkers(positions) -> Truth:
    """How far a typical walker gets in 100 steps."""
    return Truth(
        "about 10",
        f"Most steps cancel. The average square is {(positions[:, -1] ** 2).mean():.1f} in this crowd, and exactly 100 "
        "on average over all crowds; its root is 10.",
        crowd.drawn(positions),
    )


def square_after_one_step() -> Truth:
    """The average square after one more coin."""
    return Truth("10", "4 squared is 16 and 2 squared is 4, which makes 10 on average: exactly one more than before.")


def divided_by_the_width() -> Truth:
    """What's left of the variance after dividing by the width instead of its root."""
    return Truth("1/64", "Dividing the scores by 64 divides their variance by 64 squared, and 64 / 64² = 1/64.")


def beyond_three() -> Truth:
    """How often a score at d_k = 1 lies more than three standard deviations from 0, in per cent."""
    q = np.linspace(-8, 8, 16_001)
    density = np.exp(-(q**2) / 2)
    outside = [math.erfc(3 / (abs(each) * math.sqrt(2))) if each else 0.0 for each in q]
    share = 100 * float((density * outside).sum() / density.sum())
    return Truth(
        round(share, 1),
        f"{share:.1f} %, seven times as often as under a bell curve of the same variance. When both numbers are large, "
        "their product is huge.",
    )


def typical_try(variances, asked: float) -> Truth:
    """Where half of all tries at measuring a variance from four scores lie below."""
    middle = float(np.median(variances))
    return Truth(
        round(middle, 2),
        f"Half of {len(variances):,} tries come out below {middle:.2f}, though the true variance is 2. Most tries are "
        "far too low, and a few are far too high.",
        many_tries.drawn(
            variances,
            {"the average of all tries": float(np.mean(variances)), "the one in the question": asked, "the truth": 2},
            "variance of the four scores, by np.var",
            8,
        ),
    )


def bars_that_miss(estimates) -> Truth:
    """How many bars of one standard error miss the true value."""
    missed = sum(abs(estimate.z(16)) > 1 for estimate in estimates)
    return Truth(
        "about 10",
        f"Here it's {missed}. A bar of one standard error each way misses about one time in three, and it's meant to.",
        error_bars.drawn(estimates, 16, "measured variance at $d_k$ = 16"),
    )


def tiny_nudge() -> Truth:
    """How many digits a complex step of 1e-20 gets right."""

    def f(x):
        return 1 / (1 + np.exp(-x))

    steps, slope = 10.0 ** np.arange(-20, 0), f(1.0) * (1 - f(1.0))
    differences = [abs((f(1 + h) - f(1 - h)) / (2 * h) - slope) for h in steps]
    imaginary = [abs(f(1 + 1j * h).imag / h - slope) for h in steps]
    return Truth(
        "about 16",
        "All the digits a computer has. A difference with the same nudge gives 0: there, 1 + h is simply 1.",
        step_sizes.drawn(steps, differences, imaginary),
    )


def wider_vectors() -> Truth:
    """What an additive score does as q and k get wider."""
    widths, rng = (4, 16, 64, 256, 1024), np.random.default_rng(5)
    unshrunk, shrunk = (
        [measure_spread(d_k, 64, rng=rng, v_std=1 / 8, w_std=std, layers=30).variance.mean for d_k in widths]
        for std in (1.0, None)
    )
    dot = [float(pair_scores(d_k, 4000, rng=rng).var()) for d_k in widths]
    return Truth(
        "it levels off",
        f"From {unshrunk[0]:.2f} at d_k = 4 it creeps up to {unshrunk[-1]:.2f} at 1024 and can't pass 1, while the "
        "variance of a dot product grows 256-fold.",
        additive_growth.drawn(widths, dot, unshrunk, shrunk),
    )


def steps_that_agree() -> Truth:
    """How far 100 steps get if any two of them have correlation 0.1."""
    return Truth(
        round(math.sqrt(100 + 9900 * 0.1)),
        "The 100 cells on the diagonal add up to 100, as before. But the table has 9,900 other cells, and with 0.1 in "
        "each they add 990. The root of 1,090 is 33: more than three times as far, though any two steps hardly agree.",
        opened_crowd.drawn([bend(0.0, 100), bend(0.1, 100)]),
    )


def keys_that_follow() -> Truth:
    """What softmax does if all keys resemble their query."""
    return Truth(
        "They get flatter",
        "If every key resembles the query, every score of the row goes up together, and softmax doesn't notice. What's "
        "left to tell the keys apart is the part of them that doesn't follow the query, and that's small.",
    )
