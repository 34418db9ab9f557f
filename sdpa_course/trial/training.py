"""Claims about training. The trials read the stored training runs of notebook 09 and what a real model showed."""

from itertools import product

import numpy as np

from ..experiments.ablation import PLAIN, REVERSE_GRIDS, stored_cell
from ..experiments.language import stored_reading
from .claims import Findings, always, claim, happens, reason


def both(grid: str, number: str = "accuracy", **values) -> tuple[float, float]:
    """One number of a stored grid, its mean over the seeds, without the scale and with 1/√d_k."""
    none, root = (stored_cell(grid, scale=scale, **values).mean(number) for scale in PLAIN)
    return none, root


@claim(
    "C18", "09_training", short="sharp = overfits",
    number="reverse, d_k = 64, 64 examples, no scale: {fresh_none:.0%} right on fresh ones, and {known_none:.0%} on "
    "its own",
    instead="Our unscaled heads did worse on fresh data because they hadn't learned their own. A sharp head with the "
    "scale got everything right.",
)  # fmt: skip
def sharp_attention_overfits(seed: int) -> Findings:
    """Attention that is too sure of itself generalises badly."""
    settings = list(product((16, 64), (16, 64, 256)))  # d_k, sequences in the training set
    known, fresh = (
        {key: both("few examples", number, d_k=key[0], examples=key[1]) for key in settings}
        for number in ("train_accuracy", "accuracy")
    )
    gap = {key: np.subtract(known[key], fresh[key]) for key in settings}
    sharp = stored_cell("recall", d_k=512, scale="1/sqrt(d_k)", learning_rate=0.003)
    top, right = sharp.mean("top"), sharp.mean("accuracy")
    if top < 0.95:
        raise ValueError(f"top: got a mean top weight of {top:.2f}, expected a sharp model (0.95 or more) to try")
    parts = [
        happens(
            "without the scale, fresh sequences go worse",
            all(none < root for none, root in fresh.values()),
            "reverse, d_k = 64, trained on 64 sequences: {:.2f} against {:.2f} (on those 64: {:.2f} against "
            "{:.2f})".format(*fresh[64, 64], *known[64, 64]),
        ),
        reason(
            "the gap to the training set widens, whatever its size",
            all(none > root for none, root in gap.values()),
            "trained on 64: gap {:.2f} without, {:.2f} with the scale; trained on 16: {:.2f} and {:.2f}".format(
                *gap[64, 64], *gap[64, 16]
            ),
        ),
        reason(
            "no sharp model does well",
            right < 0.9,
            f"recall, d_k = 512, with the scale: top weight {top:.2f} at the end, accuracy {right:.2f}",
        ),
    ]
    return parts, {"fresh_none": fresh[64, 64][0], "known_none": known[64, 64][0], "top": top, "right": right}


def learns_less(d_k: int) -> bool:
    """Is reverse worse by more than 0.1 without the scale, with both optimisers, beyond the means' intervals?"""
    pairs = [
        [stored_cell(grid, d_k=d_k, scale=scale).interval("accuracy") for scale in PLAIN]
        for grid in REVERSE_GRIDS.values()
    ]
    return all(plain[1] < scaled[0] - 0.1 for plain, scaled in pairs)


@claim(
    "C19", "09_training", short="no scale, no training",
    condition="the head is wide (64 or more here), its weights start at variance 1, and falling apart means learning "
    "far "
    "less",
    number="reverse, 600 steps: accuracy {SGD_512_none:.2f} against {SGD_512_root:.2f} at d_k = 512, {SGD_8_none:.2f} "
    "against {SGD_8_root:.2f} at 8 (SGD)",
    instead="Wide heads without the scale learn late or only in part. A narrow one may not mind, and smaller initial "
    "weights do as well.",
)  # fmt: skip
def no_scale_no_training(seed: int) -> Findings:
    """Without the scale training falls apart."""
    pairs = {(name, d_k): both(grid, d_k=d_k) for name, grid in REVERSE_GRIDS.items() for d_k in (8, 64, 512)}
    pairs["deep", 8] = both("transformer", d_k=8)
    said = {key: f"{none:.2f} against {root:.2f}" for key, (none, root) in pairs.items()}
    folded = stored_cell("init × scale", init="folded", optimiser="SGD", learning_rate=0.3).mean("accuracy")
    longer, _ = both("reverse, longer")
    finite = [x for grid in REVERSE_GRIDS.values() for x in stored_cell(grid, d_k=512, scale="1").values("finite")]
    hot = both("learning rates", "finite", d_k=512, optimiser="SGD", learning_rate=3.0)
    parts = [
        happens(
            "it learns far less at d_k = 512",
            learns_less(512),
            f"reverse, after 600 steps: accuracy {said['SGD', 512]} with SGD, {said['Adam', 512]} with Adam",
        ),
        happens(
            "it learns far less at d_k = 64",
            learns_less(64),
            f"after 600 steps {said['SGD', 64]} with SGD, {said['Adam', 64]} with Adam (SGD, 2400 steps: "
            f"{longer:.2f}; SGD with smaller initial weights: {folded:.2f})",
        ),
        always(
            "so does one head at d_k = 8",
            any(pairs[name, 8][0] < pairs[name, 8][1] - 0.1 for name in REVERSE_GRIDS),
            f"{said['SGD', 8]} with SGD (but two layers of four such heads, Adam: {said['deep', 8]})",
        ),
        always(
            "the loss stops being a number",
            not all(finite),
            f"finite in {sum(finite):.0f} of these {len(finite)} runs at d_k = 512 (SGD at ten times the "
            f"rate: lost {5 * (1 - hot[0]):.0f} of 5, with the scale {5 * (1 - hot[1]):.0f} of 5)",
        ),
    ]
    numbers = {
        f"{name}_{d_k}_{scale}": accuracy
        for (name, d_k), pair in pairs.items()
        for scale, accuracy in zip(("none", "root"), pair, strict=True)
    }
    return parts, numbers | {"folded": folded}


@claim(
    "C20", "09_training", short="√d_k is right",
    condition="its job is to start every width alike, with independent entries of variance 1",
    number="variance {start:.2f} before the first step; at learning rate 0.03, recall reaches {fast_root:.2f} with "
    "√d_k and "
    "{fast_full:.2f} with d_k",
    instead="√d_k makes every width begin with the same spread of scores. It's right for that, "
    "almost by definition. It "
    "isn't the best divisor for every learning rate, and it promises nothing about what training does next.",
)  # fmt: skip
def root_is_right(seed: int) -> Findings:
    """√d_k is the right number to divide by."""
    after = stored_cell("after training", d_k=512, scale="1/sqrt(d_k)")
    start, end, alignment = after.mean("dot_variance", 0), after.mean("dot_variance"), after.mean("alignment")
    root, full = (stored_cell("transfer", d_k=512, scale=scale).mean("accuracy") for scale in ("1/sqrt(d_k)", "1/d_k"))
    parts = [
        happens(
            "it starts a wide head at variance 1",
            abs(start - 1) < 0.1,
            f"Var(q·k) ÷ d_k = {start:.2f} at d_k = 512 (training makes it {end:.0f}, which isn't the scale's job; "
            f"cos(q, "
            f"its key) {alignment:.2f}, from 0)",
        ),
        always(
            "no other scale does better, at any learning rate",
            full < root + 0.05,
            f"at 0.03: accuracy {root:.2f}, and {full:.2f} with 1/d_k",
        ),
    ]
    return parts, {"start": start, "end": end, "alignment": alignment, "fast_root": root, "fast_full": full}


@claim(
    "C30", "09_training", short="÷ makes it stable",
    number="reverse, d_k = 64, SGD: accuracy {none:.2f} without the division, {folded:.2f} without it but with smaller "
    "initial weights, {hot:.2f} with it and larger ones",
    instead="What counts is that the scores don't start too large. The division is one way to get "
    "there, smaller initial "
    "weights are another. Neither stops scores from growing later, which is what QK-norm and caps are for.",
)  # fmt: skip
def division_makes_training_stable(seed: int) -> Findings:
    """The division by √d_k is why training is stable."""
    none, root = both("reverse", d_k=64)
    lost = both("learning rates", "finite", d_k=512, optimiser="SGD", learning_rate=3.0)
    sgd = {"optimiser": "SGD", "learning_rate": 0.3}
    folded = stored_cell("init × scale", init="folded", scale="1", **sgd).mean("accuracy")
    hot = stored_cell("init × scale", init="hot", scale="1/sqrt(d_k)", **sgd).mean("accuracy")
    grown = stored_cell("reverse", d_k=64, scale="1/sqrt(d_k)")
    first, last = grown.mean("max_logit", 0), grown.mean("max_logit")
    parts = [
        happens(
            "without it, training goes wrong",
            none < root - 0.1 and lost[0] < lost[1],
            f"reverse, SGD: accuracy {none:.2f} against {root:.2f} at d_k = 64; at 512 and ten times the rate, the "
            f"loss is "
            f"lost in {5 * (1 - lost[0]):.0f} of 5 runs against {5 * (1 - lost[1]):.0f}",
        ),
        reason(
            "it takes the division",
            folded < 0.9,
            f"smaller initial weights and no division: accuracy {folded:.2f}",
        ),
        always("the division is enough", hot > 0.9, f"with it and larger initial weights: accuracy {hot:.2f}"),
        always(
            "it keeps scores from growing later",
            last < 1.5 * first,
            f"the largest score goes from {first:.1f} to {last:.1f} in a run that succeeds",
        ),
    ]
    return parts, {"none": none, "root": root, "folded": folded, "hot": hot, "first": first, "last": last}


@claim(
    "C31", "11_real_model", short="trained: not saturated",
    condition="you mean most heads, not all, of the one model that we opened",
    number="SmolLM2-135M: median variance of a head's scores {variance:.1f}; in {sharp:.0f} of {heads:.0f} heads the "
    "top "
    "token gets over half of the weight on average",
    instead="The root sets where scores start. Training takes them wherever the task wants them, in "
    "some heads to sharp "
    "attention, and a sharp head can be a good one.",
)  # fmt: skip
def trained_models_are_not_saturated(seed: int) -> Findings:
    """1/√d_k keeps softmax out of saturation in trained models."""
    measured = stored_reading()["heads"]
    variance, top = (np.array(measured[name]) for name in ("variance", "top"))
    own = stored_cell("recall", d_k=512, scale="1/sqrt(d_k)", learning_rate=0.003)
    start, end, right = own.mean("top", 0), own.mean("top"), own.mean("accuracy")
    sharp = int((top > 0.5).sum())
    parts = [
        happens(
            "in most heads of a real model no token takes over half",
            sharp < 0.5 * top.size,
            f"SmolLM2-135M, a story of 500 tokens: in {top.size - sharp} of {top.size} heads the top token gets less, "
            "on average",
        ),
        always(
            "in nearly all of them, too",
            sharp < 0.05 * top.size,
            f"in {sharp} of {top.size} it gets more",
        ),
        always(
            "its scores keep their variance",
            np.median(variance) < 2,
            f"median {np.median(variance):.1f} over {variance.size} heads, above 1 in "
            f"{np.mean(variance > 1):.0%} of them",
        ),
        always(
            "in a small model of ours, too",
            end < 0.9,
            f"recall, d_k = 512: top weight from {start:.2f} to {end:.2f}, at accuracy {right:.2f}",
        ),
    ]
    return parts, {"variance": float(np.median(variance)), "sharp": sharp, "heads": top.size, "end": end}
