"""The truths behind the predictions of act II, notebooks 03 to 06."""

import math

from ...figures.attending import bags, cost_strip, head_shapes
from ...figures.bells import drowning
from ...figures.kit.matrices import percent
from ...figures.landscapes import twin_keys
from ...figures.masks import four_ways
from ...figures.softmax import leader
from ...figures.trading import before_and_after, dead_or_alive
from ..questions import Truth


def after_one_nudge(before, after) -> Truth:
    """Who pays when one of three scores is raised."""
    return Truth(
        "both, in proportion",
        "Key 2 pays 14 points and key 3 pays 9: in proportion to what they have, 30 % to 20 %.",
        before_and_after.drawn(before, after),
    )


def cheapest_key() -> Truth:
    """What an average cost does when the cheapest key gets more weight."""
    return Truth(
        "it falls",
        "The first key is the cheapest, and the weight it gains is taken from more expensive ones. The slope is −0.45.",
    )


def four_large_rows(scores, weights, norms) -> Truth:
    """Which of four rows of large scores are dead."""
    return Truth(
        "one",
        "Only (50, 0, 0). In the other three rows the best two scores are at most 1 apart, and they're alive.",
        dead_or_alive.drawn(list(map(str, scores)), weights, norms),
    )


def slopes_by_width(results) -> Truth:
    """The mean norm of the Jacobian without a scale, as the vectors get wider."""
    mean = {r.d_k: r.jacobian.mean for r in results if r.scale == "1"}
    return Truth(
        [mean[d_k] for d_k in (1, 8, 64, 512, 4096)],
        "Up first, then down: at 8 it's well above the scaled 0.18, at 64 still above, and at 512 it's half of it.",
    )


def with_twins(rows) -> Truth:
    """The mean norm at the largest width, when every key is there twice."""
    return Truth(
        round(rows[-1][2], 2),
        "It goes up with the width, not down, and it's nearly at its bound of one half.",
        twin_keys.drawn(rows),
    )


def out_of_one_head(n: int, d_model: int, d_v: int) -> Truth:
    """The shape of one head's output."""
    return Truth(
        f"{n} × {d_v}",
        f"One row for each token, as wide as a value. Eight heads side by side make {d_model} again.",
        head_shapes.drawn(n, d_model, d_v),
    )


def one_more_multiplication(d_k: int, d_v: int) -> Truth:
    """What the scale adds to the multiplications behind one weight, in per cent."""
    return Truth(
        round(100 / (d_k + 1 + d_v), 1),
        f"Each pair of words costs {d_k} multiplications to compare, {d_v} to average, and 1 for the scale.",
        cost_strip.drawn(d_k, d_v),
    )


def under_the_stencil(tokens, hidden_scores, ways: dict) -> Truth:
    """Which of four ways to hide a key keeps it hidden."""
    return Truth(
        "one",
        "Only −∞ before. Score 0 lets the hidden value through, and weight 0 after softmax the hidden score. On "
        "paper, dividing again works too; at 800 the visible weights round to 0, and 0 / 0 is nan.",
        four_ways.drawn(tokens, hidden_scores, ways),
    )


def no_good_key() -> Truth:
    """What a query gets that fits no key."""
    return Truth(
        "the plain average",
        "Softmax sees only gaps, and there are none: a third each. All bad is the same to it as all good.",
    )


def after_the_swap(seen: dict) -> Truth:
    """Whose output changes if two words before the last one are exchanged, under a causal mask."""
    return Truth(
        "love’s and Apple’s",
        "They see other words now. But phones comes last and sees all three in either order, and to it they're a bag.",
        bags.drawn(seen),
    )


def another_last_word() -> Truth:
    """What the last word does to the ratio of two other words' weights, in one pass."""
    return Truth(
        "it doesn’t move",
        "The ratio is e to the difference of two scores, and those are made of “it”, “dog” and “ball” alone.",
    )


def one_key_ahead(shares: dict) -> Truth:
    """What a lead of 4 is worth: number of keys -> the leader's share."""
    return Truth(
        round(100 * shares[64]),
        f"{percent(shares[64])}. Against one rival a lead of 4 is worth {percent(shares[2])}. Each rival is weak, but "
        "there are 63 of them, and their small weights add up.",
        leader.drawn(shares),
    )


def rows_gone(shares: dict) -> Truth:
    """From which width on rows get lost: d_k -> share of the rows."""
    first = next(d_k for d_k, share in shares.items() if share > 0.01)
    told = ", ".join(f"{100 * share:.1f} % at {d_k}" for d_k, share in shares.items())
    return Truth(str(first), f"The share of rows that are lost is {told}. At a usual width nothing happens.")


def seven_and_three() -> Truth:
    """Softmax of 7 and 3, divided by 8."""
    return Truth(
        percent(1 / (1 + math.exp(-4 / 8))), "The gap of 4 has shrunk to ½, and e to the ½ is 1.65: about 62 to 38."
    )


def one_score_ahead(sweep: list) -> Truth:
    """The largest weight without a scale, as the vectors get wider; `sweep` are `LayerStatistics`."""
    tops = {r.d_k: r.top.mean for r in sweep if r.scale == "1"}
    return Truth(
        [tops[d_k] for d_k in (1, 8, 64, 512, 4096)],
        f"At 64, a usual width, the luckiest key already has {percent(tops[64])}, and at 512 {percent(tops[512])}.",
    )


def longer_rows(by_keys: list, ranked: dict) -> Truth:
    """The largest weight as the number of keys grows; `by_keys` are `LayerStatistics`, `ranked` is for `drowning`."""
    few, many = by_keys[0].top.mean, by_keys[-1].top.mean
    return Truth(
        "falls, about 60-fold",
        f"From {100 * few:.1f} % with {by_keys[0].n} keys to {100 * many:.2f} % with {by_keys[-1].n}: {few / many:.0f} "
        "times less, at the same d_k and with the same variance.",
        drowning.drawn(ranked),
    )
