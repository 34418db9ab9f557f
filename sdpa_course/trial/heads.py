"""Claims about heads."""

import math

import numpy as np

from ..experiments.heads import measure_heads
from ..kernels.multihead import multihead_forward
from ..kernels.params import init_multihead
from ..verify.reference import multihead_loop
from .claims import Findings, claim, describe_gap


@claim("C04", "08_heads", seed=84, short="√d_model errs")
def root_of_d_model_errs(seed: int) -> Findings:
    """Dividing by √d_model corrects too little or too much, depending on the number of heads."""
    results = measure_heads([1, 2, 4, 8, 16, 32, 64], 512, rng=np.random.default_rng(seed))
    model = {r.h: r for r in results if r.scale == "1/sqrt(d_model)"}
    eight = model[8]
    parts = {
        "it depends on the number of heads": (
            all(abs(r.variance.mean - 1 / h) < 4 * r.variance.error for h, r in model.items()),
            f"variance 1/h: {eight.variance.mean:.4f} ± {eight.variance.error:.4f} with 8 heads (1/8 = {1 / 8:.4f})",
        ),
        "for some number it under-corrects": (
            any(r.variance.mean > 1 + 4 * r.variance.error for r in model.values()),
            f"{model[1].variance.mean:.3f} with one head, less with more: it only over-shrinks",
        ),
    }
    return parts, {"variance_8": eight.variance.mean, "variance_1": model[1].variance.mean}


@claim("C05", "08_heads", short="GPT-3: d_k\u00a0=\u00a0128")
def gpt3_has_width_128(seed: int) -> Findings:
    """GPT-3 has width 12 288 and 96 heads, which makes d_k 128."""
    d_model, heads, d_k = 12_288, 96, 128  # Brown et al. 2020, table 2.1, the largest model
    evidence = f"{heads} · {d_k} = {heads * d_k} = d_model; √d_k = {math.sqrt(d_k):.2f}"
    return {"12 288 / 96 = 128": (d_model == heads * d_k, evidence)}, {"root": math.sqrt(d_k)}


@claim("C28", "08_heads", seed=8, short="split, attend, merge")
def split_attend_merge(seed: int) -> Findings:
    """Every head runs the same formula on its own part; the results are joined and projected."""
    rng = np.random.default_rng(seed)
    loop, blocks = 0.0, 0.0  # the largest differences from the layer
    for d_model, h in ((6, 2), (512, 8)):
        x, params = rng.standard_normal((4, d_model)), init_multihead(d_model, h, rng=rng, bias=False)
        out, cache = multihead_forward(x, params)
        heads = cache.attention.weights @ cache.attention.v  # (h, 4, d_v)
        total = sum(head @ w for head, w in zip(heads, np.split(params.w_o, h), strict=True))
        loop = max(loop, float(abs(out - multihead_loop(x, params)).max()))
        blocks = max(blocks, float(abs(out - total).max()))
    loop_words, block_words = (f"{describe_gap(gap)} at widths 6 and 512" for gap in (loop, blocks))
    parts = {
        "the same formula in each head's own columns": (loop < 1e-12, f"loop over heads: {loop_words}"),
        "then concatenate and project": (blocks < 1e-12, f"sum over the blocks of W_O: {block_words}"),
    }
    return parts, {}


CARDS = {
    "Divide by √d_model with h heads: which variance is left?": (
        r"\(d_k / d_{model} = 1/h\). Measured with 8 heads: {C04.variance_8:.4f}. For h > 1 it shrinks too much, never"
        " too little; for one head the two are the same."
    ),
    "GPT-3: d_model = 12 288, 96 heads. d_k and √d_k?": r"128, and \(\sqrt{128} = {C05.root:.2f}\).",
    "More heads at the same d_model: what changes in parameters and in memory?": (
        "The number of parameters stays. The attention weights in memory grow in proportion to h."
    ),
}
