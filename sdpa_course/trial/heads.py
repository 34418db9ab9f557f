"""Claims about heads."""

import math

import numpy as np

from ..experiments.ablation import stored_cell
from ..experiments.heads import measure_heads
from ..kernels.multihead import multihead_forward
from ..kernels.params import init_multihead
from ..verify.reference import multihead_loop
from .claims import Findings, always, claim, describe_gap, happens


@claim(
    "C04", "08_heads", seed=84, short="√d_model errs",
    condition="there are several heads and you strike “too little”: with one it's right, with more it's too much",
    number="variance 1/h: {variance_8:.4f} with 8 heads; reverse, d_model = 256, d_k = 16, SGD at 0.3: {model:.0f} "
    "steps "
    "to 90 % instead of {root:.0f}",
    instead="Dividing by √d_model with h heads leaves variance 1/h. It only ever shrinks too much, and models learn "
    "all "
    "the same, at worst later. That's why the bug lives for years.",
)  # fmt: skip
def root_of_d_model_errs(seed: int) -> Findings:
    """Dividing by √d_model corrects too little or too much, depending on the number of heads."""
    results = measure_heads([1, 2, 4, 8, 16, 32, 64], 512, rng=np.random.default_rng(seed))
    by_heads = {r.h: r for r in results if r.scale == "1/sqrt(d_model)"}
    eight = by_heads[8]
    model, root = (
        stored_cell("wide model", scale=scale).mean("steps_to_90") for scale in ("1/sqrt(d_model)", "1/sqrt(d_k)")
    )
    deep = stored_cell("transformer, wrong width").mean("steps_to_90")
    right = stored_cell("transformer", d_k=16, scale="1/sqrt(d_k)").mean("steps_to_90")
    parts = [
        happens(
            "it depends on the number of heads",
            all(abs(r.variance.mean - 1 / h) < 4 * r.variance.error for h, r in by_heads.items()),
            f"variance 1/h: {eight.variance:.4f} with 8 heads (1/8 = {1 / 8:.4f})",
        ),
        happens(
            "where d_model is larger than d_k, it's late",
            model > root,
            f"reverse: {model:.0f} steps to 90 % against {root:.0f} (SGD, d_model = 256, d_k = 16; with Adam and two "
            f"layers of four heads it's {deep:.0f} against {right:.0f}, which is next to nothing)",
        ),
        always(
            "for some number it corrects too little",
            any(r.variance.mean > 1 + 4 * r.variance.error for r in by_heads.values()),
            f"{by_heads[1].variance.mean:.3f} with one head, less with more",
        ),
    ]
    return parts, {"variance_8": eight.variance.mean, "model": model, "root": root}


@claim(
    "C05", "08_heads", short="GPT-3: d_k = 128",
    number="96 · 128 = 12,288, and √128 = {root:.2f}",
    instead="GPT-3's heads are 128 wide, so its scores are divided by 11.31, not by √12,288 = 110.85.",
)  # fmt: skip
def gpt3_has_width_128(seed: int) -> Findings:
    """GPT-3 has width 12 288 and 96 heads, which makes d_k 128."""
    d_model, heads, d_k = 12_288, 96, 128  # Brown et al. 2020, table 2.1, the largest model
    evidence = f"{heads} · {d_k} = {heads * d_k} = d_model; √d_k = {math.sqrt(d_k):.2f}"
    return [happens("12 288 / 96 = 128", d_model == heads * d_k, evidence)], {"root": math.sqrt(d_k)}


@claim(
    "C28", "08_heads", seed=8, short="heads, then W_O",
    number="a loop over heads gives the layer to 12 digits; each query of a head uses {read:.0f} of the token's 512 "
    "numbers",
    instead="Each head reads the whole token through its own columns of W_Q, W_K and W_V and applies the same formula. "
    "It's Q that is cut, not the token.",
)  # fmt: skip
def same_formula_in_every_head(seed: int) -> Findings:
    """Every head applies the same formula to q, k and v of its own; the results are joined and projected."""
    rng = np.random.default_rng(seed)
    loop, blocks = 0.0, 0.0  # the largest differences from the layer
    for d_model, h in ((6, 2), (512, 8)):
        x, params = rng.standard_normal((4, d_model)), init_multihead(d_model, h, rng=rng, bias=False)
        out, cache = multihead_forward(x, params)
        heads = cache.attention.weights @ cache.attention.v  # (h, 4, d_v)
        total = sum(head @ w for head, w in zip(heads, np.split(params.w_o, h), strict=True))
        loop = max(loop, float(abs(out - multihead_loop(x, params)).max()))
        blocks = max(blocks, float(abs(out - total).max()))
    read = int((params.w_q[:, :64] != 0).any(axis=1).sum())  # rows of W_Q that the first of the 8 heads uses
    loop_words, block_words = (f"{describe_gap(gap)} at widths 6 and 512" for gap in (loop, blocks))
    parts = [
        happens("the same formula in each head", loop < 1e-12, f"loop over heads: {loop_words}"),
        happens("then join and project", blocks < 1e-12, f"sum over the blocks of W_O: {block_words}"),
        always("a head reads the whole token", read == 512, f"{read} of its 512 numbers"),
    ]
    return parts, {"read": read}
