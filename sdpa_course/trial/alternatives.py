"""Claims about other scales and other scores."""

import numpy as np

from ..experiments.additive import additive_costs, dot_costs, measure_spread
from ..experiments.layers import compare_rules
from .claims import Findings, claim
from .training import stored_mean


@claim("C03", "07_scale", seed=7, short="1/d_k is too flat")
def flat_with_d_k(seed: int) -> Findings:
    """Dividing by d_k leaves variance 1/d_k, and attention becomes too flat."""
    scales = ["1/sqrt(d_k)", "1/d_k"]
    root, flat = compare_rules(512, scales, rng=np.random.default_rng(seed))
    root_accuracy, flat_accuracy = (stored_mean("recall", d_k=512, scale=s, learning_rate=0.003) for s in scales)
    (root_adam, flat_adam), (root_sgd, flat_sgd) = (
        [stored_mean(grid, "steps_to_90", d_k=512, scale=scale) for scale in scales]
        for grid in ("after training", "after training, SGD")
    )
    parts = {
        "variance 1/d_k is left": (
            abs(flat.variance.mean * 512 - 1) < 0.1,
            f"{flat.variance.mean:.4f} at d_k = 512 (1/512 = {1 / 512:.4f})",
        ),
        "attention starts flat": (
            flat.entropy.mean > 0.99,
            f"entropy {flat.entropy.mean:.4f} of its maximum; {root.entropy.mean:.3f} with 1/√d_k",
        ),
        "too flat to learn": (
            flat_accuracy < root_accuracy - 0.02,
            f"recall, d_k = 512, Adam: accuracy {flat_accuracy:.3f}; {root_accuracy:.3f} with 1/√d_k (steps to 90 %: "
            f"{flat_adam:.0f} against {root_adam:.0f}; with SGD {flat_sgd:.0f} against {root_sgd:.0f})",
        ),
    }
    return parts, {
        "variance": flat.variance.mean,
        "entropy": flat.entropy.mean,
        "root_entropy": root.entropy.mean,
        "accuracy": flat_accuracy,
        "smaller": root.median.mean / flat.median.mean,
    }


@claim("C13", "07_scale", seed=9, short="additive in ±1")
def additive_within_1(seed: int) -> Findings:
    """The scores of additive attention lie between −1 and 1."""
    unit, small = (measure_spread(32, 64, rng=np.random.default_rng(seed), v_std=std) for std in (1, 1 / 8))
    parts = {
        "with v from N(0, 1)": (unit.largest <= 1, f"largest score {unit.largest:.2f}; bound ‖v‖₁ {unit.bound:.2f}"),
        "with v scaled down by √d_a": (small.largest <= 1, f"largest score {small.largest:.2f}"),
    }
    return parts, {"largest": unit.largest, "bound": unit.bound, "small": small.largest}


@claim("C14", "07_scale", short="additive is slow")
def additive_is_slow(seed: int) -> Findings:
    """Additive attention is slower because nothing in it is a matrix multiplication."""
    # Operations for 256 queries and keys of width 64 are counted, because times differ from machine to machine.
    dot, additive = dot_costs(256, 256, 64), additive_costs(256, 256, 64, 64)
    memory = additive.numbers // dot.numbers
    more = (additive.multiplications + additive.tanh) / (dot.multiplications + dot.tanh)
    parts = {
        "it takes more work": (
            more > 1,
            f"{more:.1f} times the operations, {additive.tanh:,} of them tanh, and {memory} times the memory",
        ),
        "it has no matrix multiplication": (
            additive.multiplications == 0,
            f"all its {additive.multiplications:,} multiplications are in matrix products",
        ),
    }
    return parts, {"more": more, "memory": memory}


CARDS = {
    "Divide by d_k instead of √d_k: variance and entropy at the start?": (
        r"Variance \(1/d_k\). At d_k = 512 with 64 keys the entropy is {C03.entropy:.4f} of its maximum, with "
        r"\(\sqrt{d_k}\) it is {C03.root_entropy:.3f}."
    ),
    "The variance of the cosine of two random vectors?": (
        r"\(1/d_k\), so \(\sqrt{d_k}\cos(q, k)\) has variance 1: QK-norm needs a factor."
    ),
    "What bounds an additive (Bahdanau) score?": (
        r"\(\|v\|_1\), not 1. Random layers with 64 hidden units and v from N(0, 1) reach {C13.largest:.2f} on "
        "average; the variance grows with the hidden width."
    ),
    "Why is additive attention slow?": (
        r"It has matrix products, but also a tanh for every pair and hidden unit: \(T_q T_k d_a\) of them, computed "
        "and stored."
    ),
}
