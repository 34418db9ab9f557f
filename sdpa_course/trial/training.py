"""Trials of what is said about training: C18, C19, C20. They read the stored sweep of notebook 09."""

import functools

from ..experiments.ablation import PLAIN, RECALL, REVERSE, STORED, Cell
from ..experiments.sweeps import FinishedRun, load_runs
from ..experiments.training import TrainingSettings
from .verdict import Finding, Part

SCALES = ("1/sqrt(d_k)", "1/d_k")


@functools.cache
def stored_runs() -> dict[tuple, list[FinishedRun]]:
    """All stored runs by setting."""
    found = {}
    for run in sorted(load_runs(STORED), key=lambda run: run.seed):
        found.setdefault(tuple(run.setting.values()), []).append(run)
    return found


def cell(setting: TrainingSettings, seeds: int) -> Cell:
    """One setting with its first seeds."""
    runs = stored_runs().get(tuple(setting), [])[:seeds]
    if [run.seed for run in runs] != list(range(seeds)):
        raise ValueError(
            f"setting: {STORED} has {len(runs)} of the {seeds} runs of {setting}; `make sweep` runs the rest"
        )
    return Cell(setting, runs)


def reverse(d_k: int, scale: str, optimiser: str = "SGD") -> Cell:
    """The main demonstration of notebook 09: turn a sequence round. Ten seeds."""
    rate = {"SGD": 0.3, "Adam": 0.003}[optimiser]
    return cell(REVERSE._replace(d_k=d_k, scale=scale, optimiser=optimiser, learning_rate=rate), 10)


def recall(d_k: int, scale: str) -> Cell:
    """The second task: look up the value of a key. Adam, eight seeds."""
    return cell(RECALL._replace(d_k=d_k, scale=scale), 8)


def recall_steps(d_k: int, scale: str, optimiser: str) -> float:
    """Steps of recall until nine in ten answers are right, of 1000. Five seeds."""
    rate = {"SGD": 1.0, "Adam": 0.003}[optimiser]
    setting = RECALL._replace(d_k=d_k, scale=scale, optimiser=optimiser, learning_rate=rate, steps=1000)
    return float(cell(setting, 5).values("steps_to_90").mean())


def few_examples(d_k: int, scale: str, examples: int) -> Cell:
    """Reverse with a training set of so many sequences. Adam, five seeds."""
    adam = REVERSE._replace(optimiser="Adam", learning_rate=0.003)
    return cell(adam._replace(d_k=d_k, scale=scale, examples=examples), 5)


def c18(seed: int) -> Finding:
    """Fresh sequences, the gap to the training set, and how sharp a model that does well can be."""
    fresh, gap, known = {}, {}, {}
    for key in ((d_k, examples, scale) for d_k in (16, 64) for examples in (16, 64, 256) for scale in PLAIN):
        found = few_examples(key[0], key[2], key[1])
        fresh[key], known[key] = (float(found.values(name).mean()) for name in ("accuracy", "train_accuracy"))
        gap[key] = known[key] - fresh[key]
    settings = sorted({key[:2] for key in fresh})
    none, root = (64, 64, "1"), (64, 64, "1/sqrt(d_k)")
    few_none, few_root = (64, 16, "1"), (64, 16, "1/sqrt(d_k)")
    sharp = recall(512, "1/sqrt(d_k)")
    top, right = (float(sharp.values(name).mean()) for name in ("top", "accuracy"))
    if top < 0.95:
        raise ValueError(f"top: got a mean top weight of {top:.2f}, expected a sharp model (0.95 or more) to try")
    return Finding(
        (
            Part(
                "without the scale, fresh sequences go worse",
                all(fresh[*key, "1"] < fresh[*key, "1/sqrt(d_k)"] for key in settings),
                f"reverse, d_k = 64, trained on 64 sequences: {fresh[none]:.2f} against {fresh[root]:.2f} (on those "
                f"64: {known[none]:.2f} against {known[root]:.2f})",
            ),
            Part(
                "because the gap to the training set widens, whatever its size",
                all(gap[*key, "1"] > gap[*key, "1/sqrt(d_k)"] for key in settings),
                f"trained on 64: gap {gap[none]:.2f} without, {gap[root]:.2f} with the scale; trained on 16: "
                f"{gap[few_none]:.2f} and {gap[few_root]:.2f}",
            ),
            Part(
                "a sharp model cannot do well",
                right < 0.9,
                f"recall, d_k = 512, with the scale: top weight {top:.2f} at the end, accuracy {right:.2f}",
            ),
        ),
        {
            "fresh_none": fresh[none],
            "fresh_root": fresh[root],
            "known_none": known[none],
            "known_root": known[root],
            "gap_none": gap[few_none],
            "gap_root": gap[few_root],
            "top": top,
            "right": right,
        },
    )


def learns_less(d_k: int) -> bool:
    """Without the scale, reverse is worse by more than 0.1 with both optimisers, intervals of the means considered."""
    pairs = [[reverse(d_k, scale, name).interval("accuracy") for scale in PLAIN] for name in ("SGD", "Adam")]
    return all(plain[1] < scaled[0] - 0.1 for plain, scaled in pairs)


def c19(seed: int) -> Finding:
    """Three widths, two optimisers; the loss. Beside it longer training, smaller initial weights, a higher rate."""
    numbers = {}
    for optimiser in ("SGD", "Adam"):
        for d_k in (8, 16, 64, 512):
            for name, scale in (("none", "1"), ("root", "1/sqrt(d_k)")):
                found = reverse(d_k, scale, optimiser)
                numbers[f"{optimiser}_{d_k}_{name}"] = float(found.values("accuracy").mean())
    finite = [flag for name in ("SGD", "Adam") for flag in reverse(512, "1", name).values("finite")]
    hot = [cell(REVERSE._replace(d_k=512, scale=scale, learning_rate=3.0), 5) for scale in PLAIN]
    lost = [sum(not run.result["finite"] for run in found.runs) for found in hot]
    folded = cell(REVERSE._replace(scale="1", init="folded"), 5)
    numbers["folded"] = float(folded.values("accuracy").mean())
    numbers["longer_64_none"] = float(cell(REVERSE._replace(scale="1", steps=2400), 5).values("accuracy").mean())
    deep = REVERSE._replace(optimiser="Adam", learning_rate=0.001, layers=2, heads=4, d_k=8)
    for name, scale in (("none", "1"), ("root", "1/sqrt(d_k)")):
        numbers[f"deep_8_{name}"] = float(cell(deep._replace(scale=scale), 5).values("accuracy").mean())
    narrow = [numbers[f"{name}_8_none"] - numbers[f"{name}_8_root"] for name in ("SGD", "Adam")]
    return Finding(
        (
            Part(
                "it learns far less at d_k = 512",
                learns_less(512),
                f"reverse, after 600 steps: accuracy {numbers['SGD_512_none']:.2f} against "
                f"{numbers['SGD_512_root']:.2f} with SGD, {numbers['Adam_512_none']:.2f} against "
                f"{numbers['Adam_512_root']:.2f} with Adam",
            ),
            Part(
                "it learns far less at d_k = 64",
                learns_less(64),
                f"after 600 steps {numbers['SGD_64_none']:.2f} against {numbers['SGD_64_root']:.2f} with SGD, "
                f"{numbers['Adam_64_none']:.2f} against {numbers['Adam_64_root']:.2f} with Adam (SGD, 2400 steps: "
                f"{numbers['longer_64_none']:.2f}; SGD with smaller initial weights: {numbers['folded']:.2f})",
            ),
            Part(
                "so does one head at d_k = 8",
                min(narrow) < -0.1,
                f"{numbers['SGD_8_none']:.2f} against {numbers['SGD_8_root']:.2f} with SGD (but two layers of four "
                f"such heads, Adam: {numbers['deep_8_none']:.2f} against {numbers['deep_8_root']:.2f})",
            ),
            Part(
                "the loss stops being a number",
                not all(finite),
                f"finite in {sum(map(int, finite))} of these {len(finite)} runs at d_k = 512 (SGD at ten times the "
                f"rate: lost {lost[0]} of 5, with the scale {lost[1]} of 5)",
            ),
        ),
        numbers,
    )


def c20(seed: int) -> Finding:
    """Variance ÷ d_k before and after training (recall, 1000 steps), and a large learning rate."""
    after = cell(RECALL._replace(d_k=512, steps=1000), 5)
    start, end = (float(after.values("dot_variance", at).mean()) for at in (0, -1))
    numbers = {"start": start, "end": end, "alignment": float(after.values("alignment").mean())}
    fast = {scale: cell(RECALL._replace(d_k=512, scale=scale, learning_rate=0.03), 5) for scale in SCALES}
    rates = {scale: float(found.values("accuracy").mean()) for scale, found in fast.items()}
    numbers |= {"fast_root": rates["1/sqrt(d_k)"], "fast_full": rates["1/d_k"]}
    return Finding(
        (
            Part("before the first step", abs(start - 1) < 0.1, f"Var(q·k) ÷ d_k = {start:.2f} at d_k = 512"),
            Part(
                "after training",
                abs(end - 1) < 0.1,
                f"{end:.0f} after 1000 steps of recall; cos(q, its key) {numbers['alignment']:.2f}, from 0",
            ),
            Part(
                "no other scale does better",
                rates["1/d_k"] < rates["1/sqrt(d_k)"] + 0.05,
                f"at learning rate 0.03: accuracy {rates['1/sqrt(d_k)']:.2f}, and {rates['1/d_k']:.2f} with 1/d_k",
            ),
        ),
        numbers,
    )
