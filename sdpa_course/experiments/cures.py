"""One attention head trained with the cures for growing scores, and what its scores do meanwhile. Used in notebook 10.

    no cure          scores = factor · q kᵀ
    soft cap         scores = b · tanh(factor · q kᵀ / b)
    learned          scores = e^a · q kᵀ                         a is trained
    QK-norm          scores = factor · q̂ k̂ᵀ,  q̂ = g_q ⊙ q / rms(q),  k̂ = g_k ⊙ k / rms(k)

The gains g_q and g_k start at 1 and are trained as well. The task is recall: find the key, say its value.

Axes: B sequences · Tq queries · Tk keys · d_k width
"""

import functools
import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..kernels._checks import pick, quiet
from ..kernels.linear import linear_backward, linear_forward
from ..kernels.loss import cross_entropy_backward, cross_entropy_forward
from ..kernels.scores import unit_rows, unit_rows_backward
from ..kernels.sdpa import AttentionCache, attention_backward, attention_forward
from ..kernels.threads import one_blas_thread
from .ablation import RECALL, Cell, Grid, cross
from .metrics import relative_entropy
from .models import Arrays, Model, init_params
from .optimisers import make_optimiser
from .sweeps import load_runs
from .tasks import Batch, make_task
from .training import HELD_OUT, PROBE, TrainingSettings, for_json, in_float64, keep_freed_memory, share_right

STORED = Path(__file__).parent / "results" / "beyond.jsonl"
EVERY = 20  # steps between two measurements
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
WIDTHS = (16, 64, 256)


class Cure(NamedTuple):
    """What's done to q and k before they meet, and to the scores afterwards."""

    factor: Callable[[int], float]  # of d_k
    normed: bool = False  # QK-norm
    gains: bool = False  # with gains that are trained
    cap: float | None = None
    learned: bool = False  # the factor is only the start


def root(d_k: int) -> float:
    """The usual factor."""
    return 1 / math.sqrt(d_k)


CURES = {
    "1": Cure(lambda d_k: 1.0),
    "1/sqrt(d_k)": Cure(root),
    "1/d_k": Cure(lambda d_k: 1 / d_k),
    "cap 50": Cure(root, cap=50.0),
    "cap 5": Cure(root, cap=5.0),
    "learned": Cure(root, learned=True),
    "QK-norm": Cure(root, normed=True, gains=True),
    "QK-norm, no gains": Cure(root, normed=True),
    "QK-norm, 1": Cure(lambda d_k: 1.0, normed=True, gains=True),
    "QK-norm, 1/d_k": Cure(lambda d_k: 1 / d_k, normed=True, gains=True),
}


class HeadCache(NamedTuple):
    """What `head_backward` needs."""

    cure: Cure
    linear: dict  # the caches of w_q, w_k, w_v and w_u
    attention: AttentionCache
    units: dict  # "q" and "k": unit rows, lengths and gains; empty without QK-norm


def head_forward(cure: Cure, params: Arrays, batch: Batch) -> tuple[np.ndarray, HeadCache]:
    """`(logits, cache)`: one prediction for each query."""
    linear, made, units = {}, {}, {}
    for name, x in (("q", batch.queries), ("k", batch.keys), ("v", batch.values)):
        made[name], linear[f"w_{name}"] = linear_forward(x, params[f"w_{name}"])
    factor = math.exp(params["log_scale"][0]) if cure.learned else cure.factor(made["q"].shape[-1])
    if cure.normed:
        for name in "qk":
            unit, length = unit_rows(made[name])
            gain = np.float32(math.sqrt(unit.shape[-1])) * params.get(f"gain_{name}", np.ones(1, unit.dtype))
            made[name], units[name] = unit * gain, (unit, length, gain)  # x / rms(x) = √d_k · x / ‖x‖
    out, attention = attention_forward(made["q"], made["k"], made["v"], scale=factor, softcap=cure.cap)
    logits, linear["w_u"] = linear_forward(out, params["w_u"])
    return logits, HeadCache(cure, linear, attention, units)


def head_backward(dlogits: np.ndarray, cache: HeadCache) -> Arrays:
    """The gradient of every parameter, under its name."""
    gradients = {}
    dout, gradients["w_u"], _ = linear_backward(dlogits, cache.linear["w_u"])
    made = dict(zip("qkv", attention_backward(dout, cache.attention), strict=True))
    if cache.cure.learned:  # scores = e^a · q kᵀ: stretching q is the same as stretching e^a
        gradients["log_scale"] = (made["q"] * cache.attention.q).sum(keepdims=True).reshape(1)
    for name, (unit, length, gain) in cache.units.items():
        if cache.cure.gains:  # q̂ = √d_k · g ⊙ unit
            along = (made[name] * unit).reshape(-1, unit.shape[-1]).sum(axis=0)
            gradients[f"gain_{name}"] = along * np.float32(math.sqrt(unit.shape[-1]))
        made[name] = unit_rows_backward(made[name] * gain, unit, length)
    for name, dx in made.items():
        _, gradients[f"w_{name}"], _ = linear_backward(dx, cache.linear[f"w_{name}"], needs_dx=False)
    return gradients


def start(setting: TrainingSettings, *, rng: np.random.Generator) -> tuple[Cure, object, Arrays]:
    """`(cure, task, params)` of a run, drawn in the same order as `train` draws them."""
    cure = pick("scale", setting.scale, CURES)
    task = make_task(setting.task, setting.d_model, rng=rng)
    params = init_params(Model(setting.d_model, setting.d_k, task.classes, d_v=setting.d_model), rng=rng)
    if cure.learned:
        params["log_scale"] = np.log([cure.factor(setting.d_k)]).astype(np.float32)
    if cure.gains:
        params |= {f"gain_{name}": np.ones(setting.d_k, np.float32) for name in "qk"}
    return cure, task, params


@quiet
@one_blas_thread()
def follow(setting: TrainingSettings, seed: int) -> dict:
    """Train one head and keep the curves: loss, largest score and entropy on a probe that it never trains on."""
    keep_freed_memory()
    rng = np.random.default_rng(seed)
    cure, task, params = start(setting, rng=rng)
    optimiser = make_optimiser(setting.optimiser, setting.learning_rate)
    probe, records = task.draw(PROBE, rng=rng), []
    for step in range(setting.steps + 1):
        if step % EVERY == 0:
            records.append(watch(cure, in_float64(params), probe))
        if step < setting.steps:
            batch = task.draw(setting.batch, rng=rng)
            logits, cache = head_forward(cure, params, batch)
            _, loss_cache = cross_entropy_forward(logits, batch.targets)
            optimiser.step(params, head_backward(cross_entropy_backward(loss_cache), cache))
    held_out = task.draw(HELD_OUT, rng=rng)
    curves = dict(zip(("loss", "largest", "entropy"), np.transpose(records), strict=True))
    gains = [float(np.abs(params[name]).mean()) for name in ("gain_q", "gain_k") if name in params]
    return {
        "accuracy": round(share_right(head_forward(cure, params, held_out)[0], held_out), 4),
        **{name: for_json(float(f"{value:.3g}") for value in values) for name, values in curves.items()},
        "gains": for_json(round(gain, 3) for gain in gains),
        "factor": round(math.exp(params["log_scale"][0]), 4) if cure.learned else None,
    }


def watch(cure: Cure, params: Arrays, probe: Batch) -> tuple[float, ...]:
    """Loss, largest score that softmax sees, and mean entropy ÷ log n."""
    logits, cache = head_forward(cure, params, probe)
    q, k, scale = cache.attention.q, cache.attention.k, cache.attention.scale
    largest = float(np.abs(q @ k.swapaxes(-1, -2)).max() * scale)
    if cure.cap is not None:
        largest = cure.cap * math.tanh(largest / cure.cap)
    entropy = float(relative_entropy(cache.attention.weights).mean())
    return cross_entropy_forward(logits, probe.targets)[0], largest, entropy


def beyond_grids() -> dict[str, Grid]:
    """The questions of notebook 10: every cure at five learning rates and three widths, five seeds each."""
    widths = cross(RECALL, scale=tuple(CURES), d_k=WIDTHS, learning_rate=RATES)
    wider = cross(RECALL, scale=("1/sqrt(d_k)", "1/d_k"), d_k=(512,), learning_rate=RATES)
    return {"cures": Grid(widths, 5), "wider": Grid(wider, 5)}


@functools.cache
def cure_cells(name: str = "cures", path=STORED) -> dict[tuple[str, int, float], Cell]:
    """The stored runs of one grid: `(rule, d_k, learning rate)` -> its cell."""
    settings, seeds = beyond_grids()[name]
    runs = {(tuple(run.setting.values()), run.seed): run for run in load_runs(path)}
    return {
        (setting.scale, setting.d_k, setting.learning_rate): Cell(
            setting, [runs[tuple(setting), seed] for seed in range(seeds)]
        )
        for setting in settings
    }


class Followed(NamedTuple):
    """The stored runs of one rule at one width and learning rate; each curve is (seeds, records)."""

    rule: str
    d_k: int
    learning_rate: float
    steps: np.ndarray  # (records,)
    largest: np.ndarray
    entropy: np.ndarray
    loss: np.ndarray
    accuracy: np.ndarray  # (seeds,), on fresh sequences at the end

    def last(self, name: str) -> float:
        """The median over the seeds of a curve's last value."""
        return float(np.median(getattr(self, name)[:, -1]))


def followed(rule: str = "1/sqrt(d_k)", learning_rate: float = 0.1, d_k: int = 64) -> Followed:
    """What happened to score, entropy and loss; reads the stored runs and trains nothing."""
    grid = "wider" if d_k > max(WIDTHS) else "cures"
    runs = [run.result for run in cure_cells(grid)[rule, d_k, learning_rate].runs]
    curves = {name: np.array([run[name] for run in runs], dtype=float) for name in ("largest", "entropy", "loss")}
    steps = EVERY * np.arange(curves["loss"].shape[1])
    return Followed(rule, d_k, learning_rate, steps, **curves, accuracy=np.array([run["accuracy"] for run in runs]))
