"""Trials of what is said about heads: C04, C05, C28."""

import math

import numpy as np

from ..experiments.heads import measure_heads
from ..kernels.multihead import multihead_forward
from ..kernels.params import init_multihead
from ..verify.reference import multihead_loop
from .verdict import Finding, Part, how_equal

GPT3 = {"d_model": 12_288, "heads": 96, "d_k": 128}  # Brown et al. 2020, table 2.1, the largest model


def c04(seed: int) -> Finding:
    """1/√d_model at d_model = 512, cut into 1 to 64 heads."""
    counts = [1, 2, 4, 8, 16, 32, 64]
    results = measure_heads(counts, 512, rng=np.random.default_rng(seed))
    model = {r.h: r for r in results if r.scale == "1/sqrt(d_model)"}
    eight = model[8]
    return Finding(
        (
            Part(
                "it depends on the number of heads",
                all(abs(r.variance.mean - 1 / h) < 4 * r.variance.error for h, r in model.items()),
                f"variance 1/h: {eight.variance.mean:.4f} ± {eight.variance.error:.4f} with 8 heads "
                f"(1/8 = {1 / 8:.4f})",
            ),
            Part(
                "for some number it under-corrects",
                any(r.variance.mean > 1 + 4 * r.variance.error for r in model.values()),
                f"{model[1].variance.mean:.3f} with one head, less with more: it only over-shrinks",
            ),
        ),
        {"variance_8": eight.variance.mean, "variance_1": model[1].variance.mean},
    )


def c05(seed: int) -> Finding:
    """Arithmetic."""
    d_model, heads, d_k = GPT3.values()
    evidence = f"{heads} · {d_k} = {heads * d_k} = d_model; √d_k = {math.sqrt(d_k):.2f}"
    return Finding((Part("12 288 / 96 = 128", d_model == heads * d_k, evidence),), {"root": math.sqrt(d_k)})


def c28(seed: int) -> Finding:
    """The layer against a loop over heads, and against a sum over the row blocks of W_O."""
    rng = np.random.default_rng(seed)
    loop, blocks = [], []
    for d_model, h in ((6, 2), (512, 8)):
        x, params = rng.standard_normal((4, d_model)), init_multihead(d_model, h, rng=rng, bias=False)
        out, cache = multihead_forward(x, params)
        loop.append(float(abs(out - multihead_loop(x, params)).max()))
        heads = cache.attention.weights @ cache.attention.v  # (h, 4, d_v)
        total = sum(head @ w for head, w in zip(heads, np.split(params.w_o, h), strict=True))
        blocks.append(float(abs(out - total).max()))
    at, (loop, blocks) = "at widths 6 and 512", (max(loop), max(blocks))
    return Finding(
        (
            Part(
                "the same formula in each head's own columns", loop < 1e-12, f"loop over heads: {how_equal(loop)} {at}"
            ),
            Part(
                "then concatenate and project", blocks < 1e-12, f"sum over the blocks of W_O: {how_equal(blocks)} {at}"
            ),
        ),
        {},
    )
