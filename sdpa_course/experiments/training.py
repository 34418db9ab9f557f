"""Train a small model and watch: loss, accuracy, sharpness, alignment, gradients. Used in notebook 09.

Everything is measured in float64 on a probe: a batch that is never trained on. Rows are the queries of all heads and
layers together.
"""

import functools
from typing import NamedTuple

import numpy as np

from ..kernels._checks import quiet
from ..kernels.loss import cross_entropy_backward, cross_entropy_forward
from ..kernels.sdpa import AttentionCache
from ..kernels.threads import one_blas_thread
from .metrics import jacobian_norm, relative_entropy, rms, row_norms
from .models import Arrays, Model, init_params, model_backward, model_forward
from .optimisers import make_optimiser
from .tasks import Batch, make_task

PROBE = 8  # sequences
HELD_OUT = 32  # sequences for the accuracy at the end
STUCK = 1e-6  # a row with ‖J‖_F below this passes on less than a millionth of the gradient on its weights


class TrainingSettings(NamedTuple):
    """Everything that a training run can vary; the defaults are the main demonstration of notebook 09."""

    task: str = "reverse"
    d_k: int = 64
    scale: str = "1/sqrt(d_k)"
    init: str = "unit"
    optimiser: str = "SGD"
    learning_rate: float = 0.3
    steps: int = 600
    batch: int = 4
    layers: int = 0  # 0 is the single head
    heads: int = 1
    d_model: int = 64
    examples: int = 0  # sequences in the training set; 0 is fresh ones at every step


class Record(NamedTuple):
    """What was measured, once every few steps; in a `Run` each field is an array over the recorded steps."""

    step: int
    loss: float
    accuracy: float
    max_logit: float  # largest |score|, after the scale
    entropy: float  # mean ÷ log n
    top: float  # mean top weight
    stuck: float  # share of rows with ‖J‖_F < STUCK
    dot_variance: float  # Var(q·k) ÷ d_k: 1 at a unit initialisation
    alignment: float  # mean cos(q, the key that has its answer)
    rms_row: float  # root mean square of ‖dQ row‖, for the loss summed over the rows
    median_row: float


class Run(NamedTuple):
    """A finished run."""

    setting: TrainingSettings
    seed: int
    history: Record  # of arrays
    accuracy: float  # on fresh sequences
    train_accuracy: float  # on sequences that were trained on; the same as above if they are always fresh
    params: Arrays
    snapshots: np.ndarray  # (records, T, T), weights of the probe's first sequence, first head of the last layer
    probe: Batch
    model: Model


class Rows(NamedTuple):
    """Every query of a batch after training: was it right, how sharp is it, does a gradient get through?"""

    asked: np.ndarray  # (B, Tq), as in the batch
    right: np.ndarray  # (B, Tq) of booleans
    top: np.ndarray  # (B, Tq), largest weight; the smallest one over heads and layers
    jacobian: np.ndarray  # (B, Tq), ‖J‖_F of its softmax; the largest one over heads and layers


def loss_and_gradients(model: Model, params: Arrays, batch: Batch):
    """`(loss, gradients, dqs, logits, cache)` of one batch; `dqs` are the gradients on each layer's queries."""
    logits, cache = model_forward(model, params, batch)
    loss, loss_cache = cross_entropy_forward(logits, batch.targets)
    gradients, dqs = model_backward(cross_entropy_backward(loss_cache), cache)
    return loss, gradients, dqs, logits, cache


@functools.cache
def keep_freed_memory() -> None:
    """Make the C library keep the memory that a step frees, instead of handing it back to Linux 150 times a step.

    Fetching it again took a third of a step. glibc learns from the largest block it has seen freed how much to keep.
    """
    np.empty(1 << 24, dtype=np.uint8)


def train_step(model: Model, params: Arrays, optimiser, batch: Batch) -> float:
    """One step, in place; returns the loss before it. Small products are faster in one thread."""
    keep_freed_memory()
    with one_blas_thread(), np.errstate(all="ignore"):  # the loss shows when a run diverges
        loss, gradients, *_ = loss_and_gradients(model, params, batch)
        optimiser.step(params, gradients)
    return loss


@one_blas_thread()
def train(setting: TrainingSettings, seed: int, *, every: int = 20) -> Run:
    """Train from scratch, recording every `every` steps; a run stops when its loss is no longer finite."""
    rng = np.random.default_rng(seed)
    task = make_task(setting.task, setting.d_model, rng=rng)
    d_v = setting.d_model // setting.heads
    model = Model(setting.d_model, setting.d_k, task.classes, setting.scale, setting.layers, setting.heads, d_v)
    params = init_params(model, setting.init, rng=rng)
    optimiser = make_optimiser(setting.optimiser, setting.learning_rate)
    probe = task.draw(PROBE, rng=rng)
    examples = task.draw(setting.examples, rng=rng) if setting.examples else None
    records, snapshots = [], []
    for step in range(setting.steps + 1):
        if step % every == 0 or step == setting.steps:
            record, weights = measure(model, params, probe, step)
            records.append(record)
            snapshots.append(weights)
        if step < setting.steps and np.isfinite(records[-1].loss):
            batch = task.draw(setting.batch, rng=rng) if examples is None else sample(examples, setting.batch, rng=rng)
            train_step(model, params, optimiser, batch)
    history = Record(*(np.array(values) for values in zip(*records, strict=True)))
    accuracy = accuracy_on(model, params, task.draw(HELD_OUT, rng=rng))
    train_accuracy = accuracy if examples is None else accuracy_on(model, params, examples)
    return Run(setting, seed, history, accuracy, train_accuracy, params, np.array(snapshots), probe, model)


def summarise(setting: TrainingSettings, seed: int) -> dict:
    """Train, and keep what a sweep stores: accuracies, where each record starts and ends, two curves."""
    run = train(setting, seed)
    history = run.history
    curves = {f"{name}_curve": for_json(getattr(history, name).round(3)) for name in ("accuracy", "entropy")}
    ends = {
        name: for_json(float(f"{value:.4g}") for value in (values[0], values[-1]))
        for name, values in history._asdict().items()
        if name not in ("step", "accuracy")
    }
    reached = history.step[history.accuracy >= 0.9]
    return {
        "accuracy": round(run.accuracy, 4),
        "train_accuracy": round(run.train_accuracy, 4),
        "steps_to_90": int(reached[0]) if len(reached) else None,
        "finite": bool(np.isfinite(history.loss).all()),
        **ends,
        **curves,
    }


def for_json(values) -> list[float | None]:
    """Numbers as JSON can hold them, with None for nan and infinity."""
    return [float(value) if np.isfinite(value) else None for value in values]


@quiet
def measure(model: Model, params: Arrays, probe: Batch, step: int) -> tuple[Record, np.ndarray]:
    """Measure everything on the probe; also the weights of its first sequence."""
    loss, _, dqs, logits, cache = loss_and_gradients(model, in_float64(params), probe)
    rows = np.concatenate([row_norms(query_rows(dq, probe)).ravel() for dq in dqs]) * probe.targets.size
    per_layer = np.array([sharpness(attention, probe) for attention in cache.attention])
    max_logit, means = per_layer[:, 0].max(), per_layer[:, 1:].mean(axis=0).tolist()
    record = Record(step, loss, share_right(logits, probe), float(max_logit), *means, rms(rows), float(np.median(rows)))
    return record, cache.attention[-1].weights[0, 0].astype(np.float32)


def sharpness(attention: AttentionCache, batch: Batch) -> tuple[float, ...]:
    """Of one layer: the fields of `Record` from max_logit to alignment."""
    q, k, weights = query_rows(attention.q, batch), attention.k, query_rows(attention.weights, batch)
    dots = q @ k.swapaxes(-1, -2)  # (B, H, Tq, Tk)
    lengths = row_norms(q)[..., :, None] * row_norms(k)[..., None, :]
    cosines = np.take_along_axis(dots / lengths, batch.match[:, None, :, None], axis=-1)
    return (
        float(np.abs(dots).max() * attention.scale),
        float(relative_entropy(weights).mean()),
        float(weights.max(axis=-1).mean()),
        float((jacobian_norm(weights) < STUCK).mean()),
        float(dots.var() / q.shape[-1]),
        float(cosines.mean()),
    )


def inspect_queries(model: Model, params: Arrays, batch: Batch) -> Rows:
    """Look at every query of a batch on its own."""
    logits, cache = model_forward(model, in_float64(params), batch)
    weights = np.concatenate([query_rows(attention.weights, batch) for attention in cache.attention], axis=1)
    right = logits.argmax(axis=-1) == batch.targets
    return Rows(batch.asked, right, weights.max(axis=-1).min(axis=1), jacobian_norm(weights).max(axis=1))


def query_rows(rows: np.ndarray, batch: Batch) -> np.ndarray:
    """Those rows of (..., T, D) that belong to queries: the last ones, where a transformer reads pairs first."""
    return rows[..., -batch.targets.shape[1] :, :]


def in_float64(params: Arrays) -> Arrays:
    """The same numbers in float64, where tiny values can be told from rounding errors."""
    return {name: value.astype(np.float64) for name, value in params.items()}


def sample(examples: Batch, sequences: int, *, rng: np.random.Generator) -> Batch:
    """Pick `sequences` of the examples at random, with repetition."""
    at = rng.integers(0, len(examples.targets), sequences)
    picked = {id(part): part[at] for part in examples}  # in self-attention three of the parts are one array
    return Batch(*(picked[id(part)] for part in examples))


def accuracy_on(model: Model, params: Arrays, batch: Batch) -> float:
    """Share of right answers."""
    logits, _ = model_forward(model, params, batch)
    return share_right(logits, batch)


def share_right(logits: np.ndarray, batch: Batch) -> float:
    """Share of queries whose largest logit is the target's."""
    return float(np.mean(logits.argmax(axis=-1) == batch.targets))


class Snapshot(NamedTuple):
    """One recorded step of a run of the reverse task, beside the curves of the whole run."""

    setting: TrainingSettings
    step: int
    weights: np.ndarray  # (T, T) of one sequence
    mirrored: float  # mean weight on the anti-diagonal, where the answers are
    now: Record  # at this step
    history: Record  # of arrays


@functools.cache
def cached_run(d_k: int, scale: str, seed: int = 1) -> Run:
    """One run of the reverse task, trained when it's first asked for (about a second)."""
    return train(TrainingSettings(d_k=d_k, scale=scale), seed)


def snapshot(step: int = 240, d_k: int = 64, scale: str = "1/sqrt(d_k)") -> Snapshot:
    """Where the queries look at one step of training; `step` is a multiple of 20."""
    run = cached_run(d_k, scale)
    at = list(run.history.step).index(step)
    weights = run.snapshots[at]
    now = Record(*(values[at].item() for values in run.history))
    return Snapshot(run.setting, step, weights, float(np.fliplr(weights).diagonal().mean()), now, run.history)
