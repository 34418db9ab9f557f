"""Claims about other scales and other scores."""

import numpy as np

from ..experiments.ablation import FLAT_GRIDS, stored_cell
from ..experiments.additive import additive_costs, dot_costs, measure_spread
from ..experiments.layers import compare_rules
from ..kernels.scores import cosine_scores_forward
from ..kernels.softmax import softmax_forward
from .claims import Findings, always, claim, happens


@claim(
    "C03", "07_scale", seed=7, short="1/d_k is too flat",
    condition="you mean the start; plain SGD is then late, and Adam soon catches up",
    number="entropy {entropy:.4f} of its maximum at d_k = 512; recall reaches 90 % after {steps_sgd:.0f} steps of SGD "
    "instead of {root_sgd:.0f}, and {steps_adam:.0f} of Adam instead of {root_adam:.0f}",
    instead="1/d_k starts attention as good as flat. Most of our models learned with it anyway, later: much later with "
    "SGD, a little with Adam.",
)  # fmt: skip
def flat_with_d_k(seed: int) -> Findings:
    """Dividing by d_k leaves variance 1/d_k, and attention becomes too flat."""
    scales = ["1/sqrt(d_k)", "1/d_k"]
    root, flat = compare_rules(512, scales, rng=np.random.default_rng(seed))
    cells = {
        (name, scale): stored_cell(grid, d_k=512, scale=scale)
        for name, grid in (("adam", "after training"), ("sgd", "after training, SGD"))
        for scale in scales
    }
    accuracy = {key: cell.mean("accuracy") for key, cell in cells.items()}
    steps = {key: cell.mean("steps_to_90") for key, cell in cells.items()}
    short = {name: stored_cell(grid, scale="1/d_k").mean("accuracy") for name, grid in FLAT_GRIDS.items()}
    parts = [
        happens(
            "variance 1/d_k is left",
            abs(flat.variance.mean * 512 - 1) < 0.1,
            f"{flat.variance.mean:.4f} at d_k = 512 (1/512 = {1 / 512:.4f})",
        ),
        happens(
            "attention starts flat",
            flat.entropy.mean > 0.99,
            f"entropy {flat.entropy.mean:.4f} of its maximum; {root.entropy.mean:.3f} with 1/√d_k",
        ),
        happens(
            "it learns later with SGD",
            steps["sgd", "1/d_k"] > 2 * steps["sgd", "1/sqrt(d_k)"],
            f"recall, d_k = 512: {steps['sgd', '1/d_k']:.0f} steps to 90 % against {steps['sgd', '1/sqrt(d_k)']:.0f}; "
            f"reverse, d_k = 64: accuracy {short['SGD']:.2f} after 600 steps",
        ),
        always(
            "so it does with Adam",
            steps["adam", "1/d_k"] > 2 * steps["adam", "1/sqrt(d_k)"],
            f"recall: {steps['adam', '1/d_k']:.0f} steps against {steps['adam', '1/sqrt(d_k)']:.0f}; reverse: accuracy "
            f"{short['Adam']:.2f}",
        ),
        always(
            "too flat to learn at all",
            min(accuracy["sgd", "1/d_k"], accuracy["adam", "1/d_k"]) < 0.9,
            f"recall after 1000 steps: accuracy {accuracy['sgd', '1/d_k']:.2f} with SGD, "
            f"{accuracy['adam', '1/d_k']:.2f} "
            "with Adam",
        ),
    ]
    numbers = {"entropy": flat.entropy.mean, "root_entropy": root.entropy.mean}
    for name in ("sgd", "adam"):
        numbers |= {f"steps_{name}": steps[name, "1/d_k"], f"root_{name}": steps[name, "1/sqrt(d_k)"]}
    return parts, numbers


@claim(
    "C13", "A3_more_variance", seed=9, short="additive in ±1",
    number="largest score {largest:.1f} with v from N(0, 1), {small:.1f} with v scaled down",
    instead="tanh lies between −1 and 1. The score is a sum of many of them, weighted by v, so its bound is ‖v‖₁ and "
    "its "
    "variance grows with the hidden width, unless v is drawn smaller to match.",
)  # fmt: skip
def additive_within_1(seed: int) -> Findings:
    """The scores of additive attention lie between −1 and 1."""
    unit, small = (measure_spread(32, 64, rng=np.random.default_rng(seed), v_std=std) for std in (1, 1 / 8))
    parts = [
        happens(
            "with v from N(0, 1)", unit.largest <= 1, f"largest score {unit.largest:.2f}; bound ‖v‖₁ {unit.bound:.2f}"
        ),
        always("with v scaled down by √d_a", small.largest <= 1, f"largest score {small.largest:.2f}"),
    ]
    return parts, {"largest": unit.largest, "small": small.largest}


@claim(
    "C14", "A3_more_variance", short="additive: no matmul",
    number="{more:.1f} times the operations and {memory:.0f} times the memory at d_k = 64, with 256 queries and keys",
    instead="Additive attention does its multiplications in matrix products, too. What costs is a tanh for every pair "
    "and hidden unit, and keeping them all.",
)  # fmt: skip
def additive_is_slow(seed: int) -> Findings:
    """Additive attention is slower because nothing in it is a matrix multiplication."""
    # Operations for 256 queries and keys of width 64 are counted, because times differ from machine to machine.
    dot, additive = dot_costs(256, 256, 64), additive_costs(256, 256, 64, 64)
    memory = additive.numbers // dot.numbers
    more = (additive.multiplications + additive.tanh) / (dot.multiplications + dot.tanh)
    parts = [
        happens(
            "it takes more work",
            more > 1,
            f"{more:.1f} times the operations, {additive.tanh:,} of them tanh, and {memory} times the memory",
        ),
        happens(
            "it has no matrix multiplication",
            additive.multiplications == 0,
            f"all its {additive.multiplications:,} multiplications are in matrix products",
        ),
    ]
    return parts, {"more": more, "memory": memory}


@claim(
    "C32", "07_scale", seed=32, short="QK-norm: any scale",
    condition="you mean the lengths, or if a learned gain can make up for the factor",
    number="64 keys, one exactly along the query: {bare:.1%} of the weight goes to it with the bare cosine, "
    "{scaled:.1%} "
    "with cosine × √512",
    instead="QK-norm makes the length of q and k irrelevant. What's left to choose is the factor on the cosine, and "
    "that alone decides how sharp attention can get. Where gains are learned, as in many models, they can make up for "
    "a fixed factor; they still have to start somewhere.",
)  # fmt: skip
def norm_replaces_scale(seed: int) -> Findings:
    """With QK-norm the scale doesn't matter any more."""
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((200, 1, 512)), rng.standard_normal((200, 64, 512))
    k[:, :1] = 3 * q  # a perfect match, however long
    top = {
        name: float(softmax_forward(cosine_scores_forward(q, k, scale=factor)[0])[:, 0, 0].mean())
        for name, factor in (("bare", 1.0), ("scaled", 512**0.5))
    }
    longest = softmax_forward(cosine_scores_forward(5 * q, k)[0])[:, 0, 0].mean()
    gained = softmax_forward(8 * 512**0.5 * cosine_scores_forward(q, k, scale=1 / 8)[0])[:, 0, 0].mean()
    parts = [
        happens(
            "the lengths of q and k don't matter",
            abs(longest - top["bare"]) < 1e-12,
            f"{longest:.4f} of the weight on the match, whether q is 1 or 5 times as long",
        ),
        happens(
            "a gain can make up for any factor",
            abs(gained - top["scaled"]) < 1e-12,
            f"factor 1/8 and a gain of 8 · √512: {gained:.4f}, as with √512",
        ),
        always(
            "nor does the factor without one",
            abs(top["scaled"] / top["bare"] - 1) < 0.1,
            f"{top['bare']:.4f} with the factor 1, {top['scaled']:.4f} with √512; no key of 64 can have more than "
            f"{np.e / (np.e + 63 / np.e):.4f} with the factor 1",
        ),
    ]
    return parts, top
