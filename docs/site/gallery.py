"""The gallery: every picture of the drawing kit, for a light and a dark room, a phone and a slide; and the palette."""

from itertools import product

import numpy as np

from sdpa_course import attention_forward
from sdpa_course.experiments import (
    SENTENCE,
    Estimate,
    bend,
    collapse,
    compare_rules,
    jacobian_norm,
    learning_maps,
    measure_aligned,
    one_collapse,
    pool_rows,
    products_by_width,
    random_attention,
    read_sentence,
    ticks,
    tiny_blame,
    tiny_steps,
    whole_answer_in_numbers,
)
from sdpa_course.experiments.cures import followed
from sdpa_course.experiments.row_gradients import row_lengths
from sdpa_course.experiments.saturation import random_weights, share_by_deviation, three_keys
from sdpa_course.experiments.shipped import SHIPPED
from sdpa_course.experiments.similarity import agreement, ranges
from sdpa_course.figures.kit.palette import COLOURS, ROOMS
from sdpa_course.figures.kit.picture import ALL, Picture
from sdpa_course.figures.kit.rendering import png
from sdpa_course.kernels.softmax import softmax_forward

from .model_samples import of_a_model
from .pictures import Pictures, drawing_html

X, PLACES = (1, 64, 128, 256, 512), (0, 0.12, 0.25, 0.5, 1)
COINS = np.array(list(product((1, -1), repeat=2)))


def arguments() -> dict[str, tuple]:
    """Each picture's name -> what to draw it with."""
    rng = np.random.default_rng(7)
    widths = (4, 64, 512)
    rows = [collapse(d_k) for d_k in widths]
    raw = {d_k: np.prod(rng.standard_normal((2, 2000, d_k)), axis=0).sum(axis=1) for d_k in widths}
    return {
        "act_map": ("02",),
        "lost_terms": (512, 22.6),
        "stake": (widths, [r.unscaled.weights for r in rows]),
        "two_walks": ([0, 2, 1, 3], [1, 1, 0, 2], [1, -1, 1, 1, -1, -1, 1, -1], [1, 1, -1, 1, -1, -1, 1, 1]),
        "crowd": (rng.choice([-1, 1], size=(2000, 100)).cumsum(axis=1),),
        "one_step": ([0, 3, 7],),
        "spiral": (16,),
        "covariance_tables": (np.cov(np.prod(rng.standard_normal((2, 20_000, 6)), axis=0).T),),
        "sixteen": (COINS, COINS @ COINS.T),
        "proof": (),
        "three_rules": (raw,),
        **of_rows(rng, widths, [[r.scaled.weights for r in rows], [r.unscaled.weights for r in rows]]),
        "true_curve": ({"x": X, "places": PLACES, "low": 0, "high": 30, "xlabel": "d_k"}, [d_k**0.5 for d_k in X]),
        **of_dot_products(np.random.default_rng(9)),
        **of_the_question(),
        **of_a_model(),
        **of_weights(),
        **of_attention(np.random.default_rng(8)),
        **of_two_programs(),
        "to_scale": (1024, 64),
        "carried": (
            [1.0, 3, 2, 5, 4, 0],
            [(3.0, 0.0, 1.1353, 21.35), (5.0, 0.135, 1.203, 44.38), (5.0, 1.0, 1.578, 63.18)],
        ),
        "three_orders": (
            {"as given": {"right": 40.0, "local": 35.6}, "largest first": {"right": 40.0, "local": 29.6}},
            40.0,
        ),
        "growing": (6,),
        **of_softmax(),
        **of_choosing(),
        **of_heads(np.random.default_rng(8)),
        **of_words(np.random.default_rng(5)),
        **of_more_variance(np.random.default_rng(9)),
        **of_training(),
        **of_beyond(np.random.default_rng(10)),
        **of_the_verdict(np.random.default_rng(12)),
    }


def of_rows(rng: np.random.Generator, widths, weights) -> dict[str, tuple]:
    """The same for the pictures of bent angles and of what softmax sees."""
    aligned = [measure_aligned(d_k, 0.5, rng=rng, queries=100) for d_k in (16, 64, 256)]
    scores = np.outer([2, 0, -3], np.ones(8)) + rng.standard_normal((3, 8))
    broken = ["mean of q: 1", "both means: ½", "nothing broken", "mean of k: 1", "every key follows q: 0.9"]
    return {
        "bent_angles": ([bend(rho) for rho in (0, 0.1, 0.35, 1)],),
        "opened_crowd": ([bend(0.0, 100), bend(0.1, 100)],),
        "rows_apart": (scores, softmax_forward(scores)),
        "broken_rows": (broken, [128, 80, 64, 64, 12], [0, 16, 0, 64, 104], [0.18, 0.13, 0.11, 0.11, 0.04]),
        "aligned_key": (0.5, *zip(*[(a.d_k, a.others, a.gap.mean, a.weight.mean) for a in aligned], strict=True)),
        "repaired": (widths, dict(zip(("steps unrelated", "the bet is lost"), weights, strict=True))),
    }


def of_dot_products(rng: np.random.Generator) -> dict[str, tuple]:
    """The same for the pictures of dot products."""
    tokens, q, k = (
        ("love", "Apple", "phones"),
        np.array([[2.0, 1], [3, 1], [1, -1]]),
        np.array([[0.0, 2], [2, 1], [4, -1]]),
    )
    rows = {"dot product": k @ q[1], "−½ squared distance": -((q[1] - k) ** 2).sum(axis=1) / 2}
    plain, stretched = ([agreement(d_k, rng=rng, stretch=s) for d_k in (2, 16, 128)] for s in (0, 0.5))
    sizes = (10, 100, 1000)
    return {
        "multiply_add": (q[1], k, tokens),
        "row_meets_column": (q, k, tokens),
        "two_tables": (q @ k.T, k @ k.T, tokens),
        "shapes_to_scale": (3, 512, 64),
        "shadows": (q[1], k, tokens),
        "length_and_angle": ([2, 0], [[3, 0], [0, 3], [-3, 0]], ["same way", "at a right angle", "the other way"]),
        "same_winner": (plain, stretched),
        "three_measures": ({name: (row, softmax_forward(row)) for name, row in rows.items()}, tokens),
        "best_of_many": (softmax_forward(np.array([1.0] + 63 * [-1.0])),),
        "range_and_deviation": (sizes, {d_k: [ranges(d_k, n, 20, rng=rng) for n in sizes] for d_k in (2, 5)}),
        "typical_sizes": ({64: Estimate(8.0, 0.04), 512: Estimate(22.6, 0.1)},),
        "widening": ({d_k: np.prod(rng.standard_normal((2, 2000, d_k)), axis=0).sum(axis=1) for d_k in (2, 64, 512)},),
    }


def of_beyond(rng: np.random.Generator) -> dict[str, tuple]:
    """The same for the pictures of notebook 10."""
    q, noise = rng.standard_normal((2, 12, 64))
    walks, climbs = (np.cumsum(q * k, axis=1) for k in (noise, 0.5 * q + 0.866 * noise))
    fading = {64: 0.88, 1024: 0.47, 16384: 0.09}
    held = dict.fromkeys(("as trained", "root of log n", "Llama 4", "log n", "YaRN"), fading)
    names = ("1/sqrt(d_k)", "cap 50", "learned", "QK-norm")
    two = (("÷ √$d_k$", "1/sqrt(d_k)"), ("÷ $d_k$", "1/d_k"))
    return {
        "three_curves": ({name: followed(name, 0.1) for name in names}, "Two of three cures learn"),
        "feedback": (),
        "turn_or_stretch": (),
        "in_and_out": (),
        "edge_map": (["÷ √$d_k$", "QK-norm"], ["0.003", "0.1"], [[1.0, 0.02], [1.0, 1.0]], "The edge moves"),
        "widths_beside": (
            {f"largest score, {name}": {d_k: followed(rule, 0.03, d_k) for d_k in (16, 64, 256)} for name, rule in two},
            "Only the root lets the width in",
        ),
        "agree_or_cancel": (walks, climbs, products_by_width((4, 16, 64, 256, 1024), rng=rng)),
        "match_among": (fading,),
        "held_up": (held,),
        "every_model": (SHIPPED,),
        "after_norm": ({"Inkling": (0.09, "÷ 128"), "Qwen3": (1, "÷ √128"), "Gemma 4": (16, "× 1")},),
    }


def of_the_question() -> dict[str, tuple]:
    """The same for the pictures of notebook 00."""
    steps, changes = tiny_steps(), (("two scores", (7, 3)), ("add 100", (107, 103)), ("divide by 4", (1.75, 0.75)))
    nine = "The dog chased the ball because it was fast"
    return {
        "hard_and_soft": (steps.tokens, steps.v, steps.weights[1], steps.out[1]),
        "softmax_steps": (steps.tokens, steps.scores[1], np.exp(steps.scores[1]), steps.weights[1]),
        "gap_panels": (changes, [softmax_forward(np.array(scores, dtype=float)) for _, scores in changes]),
        "ranked_weights": ({f"σ = {sigma}": collapse(64, sigma).scaled.weights for sigma in (1, 2)},),
        "words_and_width": ([("love Apple phones", (3, 64), (3, 3)), (nine, (9, 64), (9, 9))],),
        "four_acts": (),
    }


def undivided_and_divided(d_k: int, queries: int, keys: int) -> tuple[np.ndarray, np.ndarray]:
    """(queries, keys) random scores as large as those of vectors of this width, and the same divided by √d_k."""
    divided = np.random.default_rng(3).standard_normal((queries, keys))
    return np.sqrt(d_k) * divided, divided


def of_softmax() -> dict[str, tuple]:
    """The same for the pictures of softmax's slopes."""
    p, lead = np.array([0.5, 0.3, 0.2]), np.linspace(-9, 9, 91)
    weight = 1 / (1 + np.exp(-lead))
    spots = [(lead[i], weight[i], weight[i] * (1 - weight[i])) for i in (45, 65, 85)]
    large = [(50, 0, 0), (50, 50, 0), (50, 49, 0), (5000, 4999, 0)]
    sharp = softmax_forward(np.array(large, dtype=float))
    everywhere = np.array([(i, j, 40 - i - j) for i in range(41) for j in range(41 - i)]) / 40
    heights = jacobian_norm(everywhere)
    scales = ("1", "1/sqrt(d_k)")
    landed = [
        (d_k, scale, softmax_forward(scores), 0.3)
        for d_k in (4, 512)
        for scale, scores in zip(scales, undivided_and_divided(d_k, 400, 3), strict=True)
    ]
    layers = {
        (d_k, n): compare_rules(d_k, scales, rng=np.random.default_rng(4), n=n, rows=64, gradients=False)
        for d_k, n in ((1, 64), (8, 64), (512, 64), (4096, 64), (64, 8), (64, 64), (64, 512))
    }
    by_width, by_keys = (
        [r for (d_k, _), pair in layers.items() if (d_k == 64) == keys for r in pair] for keys in (0, 1)
    )
    shares = [(d_k, scale, dead, dead / 3) for d_k, dead in ((64, 0.16), (512, 0.57)) for scale in scales]
    return {
        "going_flat": (lead, weight, spots),
        "before_and_after": (p, np.array([0.731, 0.161, 0.108])),
        "who_takes": (p,),
        "jacobian_to_scale": (p, np.diag(p) - np.outer(p, p)),
        "from_the_average": ((1, 2, 4), p),
        "landscape": (
            everywhere,
            heights,
            [((0.5, 0.5, 0), 0.5, "two tie"), ((0.9, 0.05, 0.05), 0.144, "one has 90 %")],
        ),
        "dead_or_alive": (list(map(str, large)), sharp, jacobian_norm(sharp)),
        "landings": (everywhere, heights, landed),
        "norms_by_size": (by_width, by_keys),
        "dead_and_strong": (shares,),
        "twin_keys": ([(8, 0.3, 0.34), (64, 0.21, 0.45), (512, 0.09, 0.48), (4096, 0.04, 0.49)],),
        "two_exits": (lead, 1 - weight, weight * (1 - weight)),
    }


def of_weights() -> dict[str, tuple]:
    """The same for the pictures of notebook 03."""
    names, scores = ["love", "Apple", "phones"], np.array([1.5, 3.5, 4.0])
    weights, lost, even = softmax_forward(scores), np.full(3, np.nan), np.array([0.64, 0.25, 0.11])
    treated = {"as they are": lost, "minus the maximum": even, "÷ √512": lost}
    spread = 2.0 ** np.arange(-4, 4.6, 0.25)
    share = np.exp(-(spread**2) / 2)
    rules = ("1", "1/sqrt(d_k)", "1/d_k")
    drawn = [compare_rules(d_k, rules, rng=np.random.default_rng(3), gradients=False) for d_k in (1, 8, 64, 512)]
    return {
        "sliding": ({"as they are": scores, "plus 3": scores + 3, "minus the largest, 4": scores - 4}, weights),
        "leader": ({2: 0.98, 8: 0.89, 64: 0.46, 512: 0.1},),
        "two_troubles": ({"overflow": ("scores 3000, 2999, 2998, float32", treated)} | {
            "saturation": ("scores 30, 9, −12, float32", treated | {"as they are": np.array([1.0, 0, 0])})},),
        "shared": ([([0, 1, 0], 1.0), ([0, 0.5, 0.5], 2.0), (weights, 2.3), ([1 / 3] * 3, 3.0)],),
        "dials": (names, {tau: softmax_forward(scores / tau) for tau in (0.25, 1, 4, 16)}),
        "tilted_bells": ((1, 2, 8), np.linspace(-2.4, 2.4, 64)),
        "sharpness_sweep": ([each for row in drawn for each in row],),
        "why_one": (spread, {n: share_by_deviation(spread, n, rows=200) for n in (8, 64, 512)}, share,
                    {"÷ 64": (1 / 8, "full"), "÷ √64": (1, "root"), "no scale": (8, "nothing")}),
        "drowning": ({n: random_weights(64, "1/sqrt(d_k)", n).by_rank for n in (8, 64, 512)},),
    }  # fmt: skip


def of_two_programs() -> dict[str, tuple]:
    """Appendix A1: runs that part and runs that don't, comparisons of three kinds, and a layer."""
    steps = np.arange(500)
    losses, growth = 3 - steps / 250, {"1/sqrt(d_k)": 0 * steps + 1e-14, "1": np.minimum(10 ** (steps / 30 - 15), 0.7)}
    pairs = {
        scale: {"theirs": (losses, losses + gap), "nudged": (losses, losses + gap / 2)} for scale, gap in growth.items()
    }
    found = {
        "double precision": ("seven settings", "score", [2e-16, 4e-16, 1e-15]),
        "single precision": ("seven settings", "score", [2e-7, 5e-7]),
        "four mistakes": ("made on purpose", "nothing", [0.77, 2.24]),
    }
    return {
        "parting": (pairs, {"theirs": "NumPy and PyTorch", "nudged": "NumPy, one last bit moved"}),
        "gaps_apart": (found,),
        "forgetful": ((1, 0.1, 0.01), (0.86, 0.04, 0.0004), (2.24, 3.03, 3.0)),
        "stacked": (12, 4, 3),
    }


def of_attention(rng: np.random.Generator) -> dict[str, tuple]:
    """The same for the pictures of attention, its weights, its gradient and its heads."""
    many = {d_k: undivided_and_divided(d_k, 200, 64) for d_k in (16, 4096)}
    scales = ("1", "1/sqrt(d_k)")
    out, heads = attention_forward(*rng.standard_normal((3, 4, 3, 2)))
    return {
        "attention_matrices": (tiny_steps(),),
        "two_weights": tuple(softmax_forward(scale * rng.standard_normal((5, 7))) for scale in (4, 1)),
        "collapsing_weights": (one_collapse(64),),
        "weights_triangle": (three_keys(64),),
        **of_blame(rng, scales),
        "heads_as_ribbons": (heads, out),
        "float_line": ({d_k: tuple(scores.max(axis=1).mean() for scores in pair) for d_k, pair in many.items()},),
    }


def of_blame(rng: np.random.Generator, scales) -> dict[str, tuple]:
    """The same for the pictures of attention's gradient."""
    by_width = [pool_rows(d_k, scales, rng=rng, rows=128, draws=2) for d_k in (4, 64, 512, 4096)]
    plain, rooted = by_width[2].values()
    scores = [np.linspace(-50, 40, 64) + shift * np.eye(64)[-1] for shift in (-1, 6)]
    rows = [(f"row {i}", row, softmax_forward(row), 9.0) for i, row in enumerate(scores)]
    table = [("$d_k$ = 64, 64 keys", [1.1, 4.9, 11.6]), ("$d_k$ = 4096, 64 keys", [1e-7, 6e-6, 37])]
    return {
        "blame_graph": tiny_blame(),
        "edge_and_fork": tiny_blame(),
        "three_factors": (plain, rooted),
        "gradient_squares": ({scale: row_lengths(512, scale, 64)[:256] for scale in scales},),
        "row_piles": (plain, rooted),
        "near_tie": (rows, 0.19, 0.92),
        "taken_apart": (plain, rooted),
        "rms_and_median": (by_width, scales),
        "readings": (table,),
        "busy_pairs": ({"1": rng.random((64, 64)) < 0.01, "1/sqrt(d_k)": rng.random((64, 64)) < 0.15},),
    }


def of_choosing() -> dict[str, tuple]:
    """The same for the pictures of notebook 07."""
    raw, caught = one_collapse(64).raw, np.tri(8, 6, -2, dtype=bool)
    factors = {"1": 1, "1/sqrt(d_k)": 1 / 8, "1/d_k": 1 / 64, "1/sqrt(d_model)": 512**-0.5}
    rulers = [("divided", 1, 5, ticks(1.0, 5.0), 2.6, 2.59375), ("no scale", 126, 130, ticks(126.0, 130.0), 128.6, 129)]
    shown = (
        ("a · OPT", "0.016", 1 / 64),
        ("b · StarCoder", "4,096", 8),
        ("d · padded", "1.0", 1 / 8),
        ("e", "8", 0.35),
        ("f", "1.0", 1 / 8),
    )
    cards = [(name, words, softmax_forward(c * raw), words == "1.0") for name, words, c in shown]
    return {
        "four_scales": (64, {name: (c, 8 * c, softmax_forward(c * raw)) for name, c in factors.items()}),
        "scale_places": (),
        "folded_steps": ({"SGD": 64, "Adam": 8, "Adafactor": 1}, 64),
        "which_width": ([("padded", 84, 44, 84), ("as trained", 256, 0, 256), ("absorbed", 576, 0, 256)],),
        "lost_product": ({"(q · k) ÷ 8": (40, np.inf), "(q ÷ 8) · k": (5, 12800), "both ÷ √8": (14, 12800)},),
        "coarse_rulers": (rulers,),
        "wild_gallery": (cards,),
        "who_notices": (list("abcdefgh"), ["shape", "sums", "square", "odd\nsizes", "variance", "far"], caught),
    }


def of_heads(rng: np.random.Generator) -> dict[str, tuple]:
    """The same for the pictures of notebook 08."""
    tokens, (w_q, w_o) = rng.standard_normal(8), rng.standard_normal((2, 8, 8))
    labels = 10.0 * np.arange(1, 5)[:, None] + np.arange(1, 7)
    back, ahead = np.eye(9)[[0, *range(8)]], np.eye(9)[[*range(1, 9), 8]]
    both = np.full((9, 9), 1 / 9)
    both[6] = np.eye(9)[[1, 4]].mean(axis=0)
    halves = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0]])
    copies = {"two heads": (np.eye(2), halves), "one head": ([(0.5, 0.5)], np.tile(halves.mean(axis=0), (2, 1)))}
    kinds, turns = ["dog", "chased", "ball", "fast"], 0.7 * np.arange(5)
    return {
        "two_stories": (tokens, w_q, 4),
        "reached": (8, w_q[0].reshape(4, 2)),
        "wrong_split": (labels, labels.reshape(4, 2, 3).swapaxes(0, 1), labels.reshape(2, 4, 3)),
        "who_asks_whom": (SENTENCE, [back, ahead, both], ["one word back", "one word ahead", "which thing?"], 6),
        "added_up": (tokens.reshape(4, 2), w_o.reshape(4, 2, 8)),
        "short_sums": (tokens * w_q[1], 4),
        "copy_task": (kinds, ("dog", "ball"), copies),
        "either_half": ({0: (0.75, 0), 0.25: (0.68, 0.07), 0.5: (0.38, 0.37), 1: (0, 0.75)}, 0.0),
        "same_columns": ({heads: (16_640, 2304 * heads) for heads in (1, 2, 4, 8)},),
        "shared_heads": (8, {8: "one each", 2: "grouped: 2", 1: "multi-query: 1"}),
        "turning_bias": (SENTENCE[:5], [0.65] * 5, 0.65 * np.cos(turns), turns),
    }


def of_words(rng: np.random.Generator) -> dict[str, tuple]:
    """The same for the pictures of notebook 05."""
    steps, mask, outputs = tiny_steps(), np.tri(3, dtype=bool), rng.standard_normal((5, 3))
    tokens, endings = steps.tokens, ([*SENTENCE[:-1], last] for last in ("fast", "red"))
    it, row, lost = SENTENCE.index("it"), np.array([0.12, 0.88, 0]), np.full(3, np.nan)
    x, w = np.eye(3, 5), rng.integers(0, 3, (5, 4))
    readings = {" ".join(words): (words, read_sentence(words)) for words in endings}
    swapped = [("Apple", ["Apple"]), ("love", ["Apple", "love"]), ("phones", tokens)]
    return {
        "same_outputs": ([["the", *"abcd"], ["the", *"dbca"]], [outputs, outputs[[0, 4, 2, 3, 1]]]),
        "projected": (x, {"q": w, "k": w, "v": w[:, :2]}, tokens),
        "head_shapes": (3, 512, 64),
        "inside": (steps.v, tokens, {"1/sqrt(d_k)": steps.weights[1], "1": softmax_forward(steps.products[1])}),
        "copies": (SENTENCE, {scale: random_attention(512, scale).weights for scale in ("1/sqrt(d_k)", "1")}),
        "cost_strip": (64, 64),
        "bags": ({"before": [(tokens[i], tokens[: i + 1]) for i in range(3)], "after": swapped},),
        "stencils": ({"no mask": ("everybody sees all", mask | True), "causal": ("nobody looks ahead", mask)},),
        "covered": (tokens, steps.scores, mask, softmax_forward(np.where(mask, steps.scores, -np.inf))),
        "leak": (tokens, np.exp(steps.scores[1]), 2),
        "four_ways": (tokens, (4, 800), {"−∞ before": [row, row], "0 after, divide": [row, lost]}),
        "nothing_fits": ({"fits no key": (["−50"] * 3, [1 / 3] * 3, "a plain average", False)} | {
            "fits no key, with a sink": (["−50"] * 3 + ["0"], [0, 0, 0, 1], "nothing, as it should", True)},),
        "one_look": (SENTENCE, read_sentence(SENTENCE).first[it]),
        "several_looks": ([words for words, _ in readings.values()], [r.second[it] for _, r in readings.values()]),
    }  # fmt: skip


def of_training() -> dict[str, tuple]:
    """The same for the pictures of notebook 09."""
    maps, steps, plain = learning_maps(), (0, 120, 240, 600), ("1", "1/sqrt(d_k)")
    arms = {
        (optimiser, scale): [60, 80, np.nan if scale == "1" else 100]
        for optimiser in ("SGD", "Adam")
        for scale in (*plain, "1/d_k")
    }
    sharp, calm = [[1, 0.97, 0.8, 0.4], [1, 0.95, 0.7, 0.2]], np.ones((2, 4))
    swaps = np.array([[0.2, 0.2, 0.1], [1, 1, 0.2], [1, 1, 1]])
    late = [[300, 200, 120, np.nan], [320, 180, np.nan, np.nan]]
    return {
        "maps_while_learning": (steps, {scale: [maps.at(step)[scale] for step in steps] for scale in plain}),
        "two_maps": (240, 600, maps.at(240)),
        "two_lookups": ("APPLES", {"dog": "7", "ball": "2", "fox": "4", "hat": "9"}, ["ball", "hat"]),
        "late_or_lost": ({f"{task}, $d_k$ = {d_k}": arms for task in ("reverse", "recall") for d_k in (64, 512)},),
        "best_by_width": ((8, 32, 128, 512), {"additive": calm, "1": sharp, "1/sqrt(d_k)": calm}),
        "formula_or_size": (
            {
                (size, scale): (0.5, 0.55) if size == "large" else (1, 1)
                for size in ("small", "large")
                for scale in plain
            },
        ),
        "swapped_scales": ({f"{task}, $d_k$ = 512": swaps for task in ("reverse", "recall")},),
        "other_starts": ((1 / 4, 1, 4, 16), {16: late, 64: late}),
        "two_ways_to_fail": (
            {
                "1": ([1e-4, 0.98, 1e-7, 0.02], 6e-7, 6e-7),
                "1/sqrt(d_k)": ([0.2, 0.4, 0.15, 0.25], 0.04, 0.005),
                "1/d_k": ([0.25] * 4, 0.06, 0.0009),
            },
            2,
        ),
        "stuck_or_moving": (
            [
                (d_k, scale, (0.2, 0.32, 0.46, 0.02) if scale == "1" else (0, 1, 0, 0), 2e-8)
                for d_k in (64, 512)
                for scale in plain
            ],
        ),
        "row_rescaled": ({"as trained": [0.1, 0.8, 0.1], "left out": [0, 1, 0], "twice": [0.3, 0.4, 0.3]}, 1),
    }


def of_more_variance(rng: np.random.Generator) -> dict[str, tuple]:
    """The same for the pictures of appendix A3."""
    coins, bells = rng.choice([-1, 1], size=(2, 2000, 64)), rng.standard_normal((2, 2000, 64))
    piles = {
        kind: {d_k: (q[:, :d_k] * k[:, :d_k]).sum(axis=1) / d_k**0.5 for d_k in (1, 4, 64)}
        for kind, (q, k) in (("bell curves", bells), ("coins", coins))
    }
    steps, value = 10.0 ** np.arange(-20, 0), 0.7310585786300049
    rules = (
        ("N(0, 1/rows)", 1.01, 1, 1.0),
        ("Xavier, one matrix a head", 1.79, 1.78, 3.18),
        ("nn.Linear", 0.33, 0.33, 0.11),
    )
    return {
        "six_piles": (piles,),
        "pairings": (),
        "many_tries": (rng.chisquare(3, 2000) / 2, {"the average": 1.5, "the truth": 2}, "variance of four scores", 8),
        "error_bars": ([(64 + error, 6.4) for error in rng.normal(0, 6.4, 30)], 64, "measured variance at $d_k$ = 64"),
        "entry_bars": (rules,),
        "lost_digits": ("0.7310585786496661", "0.7310585786103437", "0.0000000000393223"),
        "complex_nudge": (1.0, value, value * (1 - value)),
        "step_sizes": (steps, steps**2 / 50 + 1e-16 / steps, steps**2 / 50),
        "bleu_by_width": ((128, 256, 512, 1024), [(22.2, 0.1)] * 4, [*[(22.0, 0.2)] * 3, (18.2, 0.1)]),
        "additive_flow": ([1, 0, 1, -1], [1, 1, 2, 0], [1, 2, 1, -1]),
        "additive_growth": ((4, 16, 64, 256, 1024), (4, 16, 64, 256, 1024), (0.7, 0.83, 0.92, 0.95, 0.97), [0.52] * 5),
    }


def of_the_verdict(rng: np.random.Generator) -> dict[str, tuple]:
    """The same for the pictures of notebook 12."""
    tried = [("We suspect", "exact", "never tested"), ("grow large", "true", "like √d_k, exactly,\nif unrelated")]
    corrected = [("We suspect that", "strike"), ("dot products", "keep"), (r"spread like $\sqrt{d_k}$", "new")]
    short = {"holds": ["Var(q·k) = d_k"], "holds if": ["gradients vanish", "√d_k is right"], "fails": ["d_k = words"]}
    return {
        "sentence_tried": (tried,),
        "sentence_corrected": (corrected,),
        "verdict_map": (short,),
        "trained_heads": (rng.beta(3, 3, 270), 0.15),
        "whole_answer": (whole_answer_in_numbers(),),
        "three_questions": (),
        "only_the_reason": (
            [("it’s stable because\nwe divide", "smaller weights instead", "1.00 right all the same")] * 3,
        ),
    }


def gallery_page(pictures: Pictures) -> str:
    """Draw everything and return the page as Markdown."""
    lines = [
        "# Gallery of drawings",
        "",
        "Every picture of the [drawing kit](docs/drawing.md), drawn for this page: in the colours of the room you're "
        "in (the switch for light and dark is at the top), and with its panels below each other on a phone.",
        "",
    ]
    for name, given in arguments().items():
        picture = ALL[name]
        lines += [f"## {name}", "", (picture.__doc__ or "").split("\n")[0], ""]
        lines += shown(picture, given, pictures)
    lines += ["## The palette", "", "| name | light room | dark room |", "|---|---|---|"]
    lines += [f"| {name} | {swatch(light)} | {swatch(dark)} |" for name, (light, dark) in COLOURS.items()]
    return "\n".join(lines) + "\n"


def shown(picture: Picture, given: tuple, pictures: Pictures) -> list[str]:
    """One picture as Markdown: as a page shows it, and folded as a slide does."""
    alt, forms = "", {}
    for paper, room in product(picture.papers, ROOMS):
        page, alt = picture.draw(*given, paper=paper, room=room)
        forms[f"{paper} {room}"] = png(page)
    slide = {f"book {room}": forms[f"slide {room}"] for room in ROOMS}
    fold = f"<details><summary>On a slide</summary>{drawing_html(slide, alt, pictures, '')}</details>"
    return [f"<div>{drawing_html(forms, alt, pictures, '')}</div>", "", fold, ""]


def swatch(hex_value: str) -> str:
    """A colour as a small square with its value."""
    return f'<span class="swatch" style="background: {hex_value}"></span> `{hex_value}`'
