"""Claims about training. The trials read the stored training runs of notebook 09."""

import functools

from ..experiments.ablation import PLAIN, Cell, stored_cells
from .claims import Findings, claim

GRIDS = {"SGD": "reverse", "Adam": "reverse, Adam"}  # reversing a sequence with either optimiser, ten seeds
SCALES_BY_NAME = dict(zip(("none", "root"), PLAIN, strict=True))
read_grid = functools.cache(stored_cells)  # the cells of a grid of stored runs


def stored_cell(grid: str, **values) -> Cell:
    """The one cell of a stored grid whose settings have these values."""
    found = [cell for cell in read_grid(grid) if values.items() <= cell.setting._asdict().items()]
    if len(found) != 1:
        raise ValueError(f"values: got {values}, which {len(found)} cells of {grid!r} have; expected one")
    return found[0]


def stored_mean(grid: str, number: str = "accuracy", **values) -> float:
    """The mean over the seeds of one number of such a cell."""
    return float(stored_cell(grid, **values).values(number).mean())


@claim("C18", "09_training", short="sharp = overfits")
def sharp_attention_overfits(seed: int) -> Findings:
    """Attention that is too sure of itself generalises badly."""
    known, fresh = (
        {
            (d_k, examples, scale): stored_mean("few examples", number, d_k=d_k, examples=examples, scale=scale)
            for d_k in (16, 64)
            for examples in (16, 64, 256)
            for scale in PLAIN
        }
        for number in ("train_accuracy", "accuracy")
    )
    gap = {key: known[key] - fresh[key] for key in known}
    settings = sorted({key[:2] for key in fresh})
    (none, root), (few_none, few_root) = ([(64, examples, scale) for scale in PLAIN] for examples in (64, 16))
    sharp = {"d_k": 512, "scale": "1/sqrt(d_k)", "learning_rate": 0.003}
    top, right = (stored_mean("recall", number, **sharp) for number in ("top", "accuracy"))
    if top < 0.95:
        raise ValueError(f"top: got a mean top weight of {top:.2f}, expected a sharp model (0.95 or more) to try")
    parts = {
        "without the scale, fresh sequences go worse": (
            all(fresh[*key, "1"] < fresh[*key, "1/sqrt(d_k)"] for key in settings),
            f"reverse, d_k = 64, trained on 64 sequences: {fresh[none]:.2f} against {fresh[root]:.2f} (on those "
            f"64: {known[none]:.2f} against {known[root]:.2f})",
        ),
        "because the gap to the training set widens, whatever its size": (
            all(gap[*key, "1"] > gap[*key, "1/sqrt(d_k)"] for key in settings),
            f"trained on 64: gap {gap[none]:.2f} without, {gap[root]:.2f} with the scale; trained on 16: "
            f"{gap[few_none]:.2f} and {gap[few_root]:.2f}",
        ),
        "a sharp model cannot do well": (
            right < 0.9,
            f"recall, d_k = 512, with the scale: top weight {top:.2f} at the end, accuracy {right:.2f}",
        ),
    }
    return parts, {
        **{f"fresh_{name}": fresh[64, 64, scale] for name, scale in SCALES_BY_NAME.items()},
        **{f"known_{name}": known[64, 64, scale] for name, scale in SCALES_BY_NAME.items()},
        **{f"gap_{name}": gap[64, 16, scale] for name, scale in SCALES_BY_NAME.items()},
        "top": top,
        "right": right,
    }


def learns_less(d_k: int) -> bool:
    """Is reverse worse by more than 0.1 without the scale, with both optimisers, beyond the means' intervals?"""
    pairs = [
        [stored_cell(grid, d_k=d_k, scale=scale).interval("accuracy") for scale in PLAIN] for grid in GRIDS.values()
    ]
    return all(plain[1] < scaled[0] - 0.1 for plain, scaled in pairs)


@claim("C19", "09_training", short="no scale, no training")
def no_scale_no_training(seed: int) -> Findings:
    """Without the scale training falls apart."""
    numbers = {
        f"{optimiser}_{d_k}_{name}": stored_mean(grid, d_k=d_k, scale=scale)
        for optimiser, grid in GRIDS.items()
        for d_k in (8, 16, 64, 512)
        for name, scale in SCALES_BY_NAME.items()
    }
    numbers["folded"] = stored_mean("init × scale", init="folded", optimiser="SGD", learning_rate=0.3)
    numbers["longer_64_none"] = stored_mean("reverse, longer", scale="1")
    numbers |= {
        f"deep_8_{name}": stored_mean("transformer", d_k=8, scale=scale) for name, scale in SCALES_BY_NAME.items()
    }
    finite = [flag for grid in GRIDS.values() for flag in stored_cell(grid, d_k=512, scale="1").values("finite")]
    hot = {"d_k": 512, "optimiser": "SGD", "learning_rate": 3.0}
    lost = [5 * (1 - stored_mean("learning rates", "finite", scale=scale, **hot)) for scale in PLAIN]
    narrow = [numbers[f"{optimiser}_8_none"] - numbers[f"{optimiser}_8_root"] for optimiser in GRIDS]
    pair = {
        (optimiser, d_k): "{:.2f} against {:.2f}".format(
            *(numbers[f"{optimiser}_{d_k}_{name}"] for name in SCALES_BY_NAME)
        )
        for optimiser, d_k in (("SGD", 512), ("Adam", 512), ("SGD", 64), ("Adam", 64), ("SGD", 8), ("deep", 8))
    }
    parts = {
        "it learns far less at d_k = 512": (
            learns_less(512),
            f"reverse, after 600 steps: accuracy {pair['SGD', 512]} with SGD, {pair['Adam', 512]} with Adam",
        ),
        "it learns far less at d_k = 64": (
            learns_less(64),
            f"after 600 steps {pair['SGD', 64]} with SGD, {pair['Adam', 64]} with Adam (SGD, 2400 steps: "
            f"{numbers['longer_64_none']:.2f}; SGD with smaller initial weights: {numbers['folded']:.2f})",
        ),
        "so does one head at d_k = 8": (
            min(narrow) < -0.1,
            f"{pair['SGD', 8]} with SGD (but two layers of four such heads, Adam: {pair['deep', 8]})",
        ),
        "the loss stops being a number": (
            not all(finite),
            f"finite in {sum(finite):.0f} of these {len(finite)} runs at d_k = 512 (SGD at ten times the "
            f"rate: lost {lost[0]:.0f} of 5, with the scale {lost[1]:.0f} of 5)",
        ),
    }
    return parts, numbers


@claim("C20", "09_training", short="√d_k is right")
def root_is_right(seed: int) -> Findings:
    """√d_k is the right number to divide by."""
    after = stored_cell("after training", d_k=512, scale="1/sqrt(d_k)")
    start, end = (float(after.values("dot_variance", at).mean()) for at in (0, -1))
    alignment = float(after.values("alignment").mean())
    root, full = (stored_mean("transfer", d_k=512, scale=scale) for scale in ("1/sqrt(d_k)", "1/d_k"))
    parts = {
        "before the first step": (abs(start - 1) < 0.1, f"Var(q·k) ÷ d_k = {start:.2f} at d_k = 512"),
        "after training": (
            abs(end - 1) < 0.1,
            f"{end:.0f} after 1000 steps of recall; cos(q, its key) {alignment:.2f}, from 0",
        ),
        "no other scale does better": (
            full < root + 0.05,
            f"at learning rate 0.03: accuracy {root:.2f}, and {full:.2f} with 1/d_k",
        ),
    }
    return parts, {"start": start, "end": end, "alignment": alignment, "fast_root": root, "fast_full": full}


CARDS = {
    "Train without the scale at d_k = 512 (reversing a sequence): accuracy with SGD and with Adam?": (
        "After 600 steps: {C19.SGD_512_none:.2f} and {C19.Adam_512_none:.2f}, with the scale {C19.SGD_512_root:.2f} "
        "both times. The loss stays a number: late or stuck, not broken."
    ),
    "Reverse a sequence without the scale, one head, d_k = 8: any harm? And with two layers of four heads?": (
        "One head: none, accuracy {C19.SGD_8_none:.2f} without and {C19.SGD_8_root:.2f} with the scale (SGD). Two "
        "layers of four heads, Adam, after 600 steps: {C19.deep_8_none:.2f} and {C19.deep_8_root:.2f}."
    ),
    "T5 has no 1/√d_k. Why does it train?": (
        "Its initialisation absorbs it: the weights start smaller. So does our head: no scale, smaller initial "
        "weights, d_k = 64: accuracy {C19.folded:.2f}. What matters is the variance of the scores at the start."
    ),
    "Is Var(q·k) = d_k still true after training?": (
        "No. After 1000 steps of recall at d_k = 512 the variance is {C20.end:.0f} times d_k, and q and its key are "
        "aligned: cosine {C20.alignment:.2f}."
    ),
    "Does sharp attention generalise badly?": (
        "Not by itself. With the scale, recall at d_k = 512 ends with top weight {C18.top:.2f} and accuracy "
        "{C18.right:.2f} on fresh data. Reverse, d_k = 64, trained on 64 sequences: the unscaled head is at "
        "{C18.fresh_none:.2f} on fresh ones and only at {C18.known_none:.2f} on its own. It mostly fails to learn."
    ),
    "When can 1/d_k be the better scale?": (
        r"When q and k become aligned: \(q \cdot k\) then grows like \(d_k\). With Adam at 0.03 and d_k = 512, recall "
        r"reaches {C20.fast_full:.2f} with \(1/d_k\), {C20.fast_root:.2f} with \(1/\sqrt{d_k}\). Width transfer (muP) "
        "uses it."
    ),
}
