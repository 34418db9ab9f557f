"""Measure training beside PyTorch eager, and how many runs a sweep gets through. Part of `make bench`."""

import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from sdpa_course.experiments.models import Model, init_params
from sdpa_course.experiments.optimisers import make_optimiser
from sdpa_course.experiments.speed import Timing, interleave
from sdpa_course.experiments.sweep import sweep
from sdpa_course.experiments.tasks import make_task
from sdpa_course.experiments.training import Setting, summarise, train_step

CALLS = 20  # steps in one timed call: a single one is short beside the noise of the machine


def step_times(rounds: int = 40) -> dict[str, Timing]:
    """Seconds of one step of the single head on a batch (4, 64, 64), d_k = 64, float32, SGD: ours and PyTorch's."""
    rng = np.random.default_rng(0)
    task = make_task("reverse", 64, rng=rng)
    model = Model(64, 64, task.classes)
    params, batch = init_params(model, rng=rng), task.draw(4, rng=rng)
    tensors = {name: torch.tensor(value, requires_grad=True) for name, value in params.items()}
    x, targets = torch.from_numpy(batch.queries), torch.from_numpy(batch.targets.copy()).reshape(-1)
    ours, theirs = make_optimiser("SGD", 0.3), torch.optim.SGD(tensors.values(), lr=0.3)

    def attend(q, k, v):
        return torch.softmax(q @ k.transpose(-1, -2) * 0.125, dim=-1) @ v

    def torch_step(attention):
        q, k, v = (x @ tensors[name] for name in ("w_q", "w_k", "w_v"))
        logits = attention(q, k, v) @ tensors["w_u"]
        loss = torch.nn.functional.cross_entropy(logits.reshape(-1, task.classes), targets)
        theirs.zero_grad()
        loss.backward()
        theirs.step()
        return loss.item()

    losses = train_step(model, params, ours, batch), torch_step(attend)
    if abs(losses[0] - losses[1]) > 1e-4:
        raise SystemExit(f"bench: the two models differ: losses {losses}")
    steps = {
        "ours": lambda: train_step(model, params, ours, batch),
        "PyTorch": lambda: torch_step(attend),
        "PyTorch fused": lambda: torch_step(torch.nn.functional.scaled_dot_product_attention),
    }
    calls = {name: lambda step=step: [step() for _ in range(CALLS)] for name, step in steps.items()}
    return {
        name: Timing(*(seconds / CALLS for seconds in timing)) for name, timing in interleave(calls, rounds).items()
    }


def sweep_speed(workers: int, runs: int = 12) -> float:
    """Runs in a second: the demonstration at d_k = 64, start of the processes included."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        sweep(summarise, [Setting()], range(runs), Path(folder) / "sweep.jsonl", workers=workers, progress=False)
        return runs / (time.perf_counter() - start)
