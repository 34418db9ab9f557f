"""Trials of what is said about other scales and other scores: C03, C13, C14."""

import numpy as np

from ..experiments.additive import additive_costs, dot_costs, measure_spread
from ..experiments.layers import compare_rules
from .training import recall, recall_steps
from .verdict import Finding, Part


def c03(seed: int) -> Finding:
    """1/d_k at d_k = 512: variance and entropy at initialisation, and what becomes of it in training."""
    root, flat = compare_rules(512, ["1/sqrt(d_k)", "1/d_k"], rng=np.random.default_rng(seed))
    steps = {
        optimiser: [recall_steps(512, scale, optimiser) for scale in ("1/d_k", "1/sqrt(d_k)")]
        for optimiser in ("Adam", "SGD")
    }
    trained = {scale: recall(512, scale).mean_and_spread("accuracy")[0] for scale in ("1/sqrt(d_k)", "1/d_k")}
    return Finding(
        (
            Part(
                "variance 1/d_k is left",
                abs(flat.variance.mean * 512 - 1) < 0.1,
                f"{flat.variance.mean:.4f} at d_k = 512 (1/512 = {1 / 512:.4f})",
            ),
            Part(
                "attention starts flat",
                flat.entropy.mean > 0.99,
                f"entropy {flat.entropy.mean:.4f} of its maximum; {root.entropy.mean:.3f} with 1/√d_k",
            ),
            Part(
                "too flat to learn",
                trained["1/d_k"] < trained["1/sqrt(d_k)"] - 0.02,
                f"recall, d_k = 512, Adam: accuracy {trained['1/d_k']:.3f}; {trained['1/sqrt(d_k)']:.3f} with 1/√d_k "
                f"(steps to 90 %: {steps['Adam'][0]:.0f} against {steps['Adam'][1]:.0f}; with SGD "
                f"{steps['SGD'][0]:.0f} against {steps['SGD'][1]:.0f})",
            ),
        ),
        {
            "variance": flat.variance.mean,
            "entropy": flat.entropy.mean,
            "root_entropy": root.entropy.mean,
            "accuracy": trained["1/d_k"],
            "smaller": root.median.mean / flat.median.mean,
        },
    )


def c13(seed: int) -> Finding:
    """Random additive layers of hidden width 64, with v as drawn and with v scaled down."""
    unit, small = (measure_spread(32, 64, rng=np.random.default_rng(seed), v_std=std) for std in (1, 1 / 8))
    return Finding(
        (
            Part(
                "with v from N(0, 1)",
                unit.largest <= 1,
                f"largest score {unit.largest:.2f}; bound ‖v‖₁ {unit.bound:.2f}",
            ),
            Part("with v scaled down by √d_a", small.largest <= 1, f"largest score {small.largest:.2f}"),
        ),
        {"largest": unit.largest, "bound": unit.bound, "small": small.largest},
    )


def c14(seed: int) -> Finding:
    """Operations for 256 queries and keys of width 64: counted, because times differ from machine to machine."""
    dot, additive = dot_costs(256, 256, 64), additive_costs(256, 256, 64, 64)
    memory = additive.numbers // dot.numbers
    more = (additive.multiplications + additive.tanh) / (dot.multiplications + dot.tanh)
    return Finding(
        (
            Part(
                "it takes more work",
                more > 1,
                f"{more:.1f} times the operations, {additive.tanh:,} of them tanh, and {memory} times the memory",
            ),
            Part(
                "it has no matrix multiplication",
                additive.multiplications == 0,
                f"all its {additive.multiplications:,} multiplications are in matrix products",
            ),
        ),
        {"more": more, "memory": memory},
    )
