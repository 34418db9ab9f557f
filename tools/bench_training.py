"""Time a training step of notebook 09 against PyTorch at its best, and count how many runs a sweep completes.

    python -m tools.bench_training ours               seconds of one step, in this process
    python -m tools.bench_training eager 2            the same for PyTorch with two threads; or `fused`

Every contestant gets its own process. PyTorch's threads keep spinning for a while after a call, on the cores that the
next contestant needs, and the waiting policy that stops this slows PyTorch itself down. So PyTorch is measured with
both policies and with one and two threads, and its best result counts.
"""

import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from sdpa_course.experiments.models import Model, init_params
from sdpa_course.experiments.optimisers import make_optimiser
from sdpa_course.experiments.sweeps import sweep
from sdpa_course.experiments.tasks import make_task
from sdpa_course.experiments.training import TrainingSettings, keep_freed_memory, summarise, train_step

ROOT = Path(__file__).parent.parent
STEPS = 20  # in one timed run, because a single step is short compared with the machine's noise
ROUNDS = 3  # processes per contestant, taking turns


def our_step():
    """One step of the single head on a batch (4, 64, 64), d_k = 64, float32, SGD."""
    model, params, batch, _ = same_start()
    optimiser = make_optimiser("SGD", 0.3)
    return lambda: train_step(model, params, optimiser, batch)


def torch_step(attention: str):
    """The same step, from the same start, in PyTorch."""
    import torch

    _, params, batch, classes = same_start()
    tensors = {name: torch.tensor(value, requires_grad=True) for name, value in params.items()}
    x, targets = torch.from_numpy(batch.queries), torch.from_numpy(batch.targets.copy()).reshape(-1)
    optimiser = torch.optim.SGD(tensors.values(), lr=0.3)

    def eager(q, k, v):
        return torch.softmax(q @ k.transpose(-1, -2) * 0.125, dim=-1) @ v

    attend = {"eager": eager, "fused": torch.nn.functional.scaled_dot_product_attention}[attention]

    def step():
        q, k, v = (x @ tensors[name] for name in ("w_q", "w_k", "w_v"))
        logits = attend(q, k, v) @ tensors["w_u"]
        loss = torch.nn.functional.cross_entropy(logits.reshape(-1, classes), targets)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        return loss.item()

    return step


def same_start():
    """`(model, params, batch, classes)`, the same for every contestant."""
    rng = np.random.default_rng(0)
    task = make_task("reverse", 64, rng=rng)
    model = Model(64, 64, task.classes)
    return model, init_params(model, rng=rng), task.draw(4, rng=rng), task.classes


def time_step(step) -> tuple[float, float]:
    """`(first loss, median seconds of one step)`."""
    keep_freed_memory()  # for PyTorch too
    first = step()
    times = []
    for _ in range(40):
        start = time.perf_counter()
        for _ in range(STEPS):
            step()
        times.append((time.perf_counter() - start) / STEPS)
    return first, statistics.median(times[5:])


def step_times() -> dict[str, float]:
    """Seconds per step: ours, and PyTorch's at every setting. Each is the best of a few processes."""
    settings = [
        (f"PyTorch {attention}, {policy or 'default'} waiting, {threads} thread{'s' * (threads > 1)}",
         [attention, str(threads)], {"OMP_WAIT_POLICY": policy} if policy else {})
        for attention, policy, threads in itertools.product(("eager", "fused"), ("", "passive"), (1, 2))
    ]  # fmt: skip
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(ROUNDS):
        for name, arguments, environment in [("ours", ["ours"], {}), *settings]:
            run = [sys.executable, "-m", "tools.bench_training", *arguments]
            clean = {key: value for key, value in os.environ.items() if key != "OMP_WAIT_POLICY"}
            done = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT, env=clean | environment)
            loss, seconds = map(float, done.stdout.split())
            found.setdefault(name, []).append((loss, seconds))
    losses = [loss for runs in found.values() for loss, _ in runs]
    if max(losses) - min(losses) > 1e-4:
        raise SystemExit(f"sdpa-course: the models differ; their first losses go from {min(losses)} to {max(losses)}")
    return {name: min(seconds for _, seconds in runs) for name, runs in found.items()}


def sweep_speed(workers: int, runs: int = 12) -> float:
    """Runs per second for the demonstration at d_k = 64, including the start of the processes."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        sweep(
            summarise, [TrainingSettings()], range(runs), Path(folder) / "sweep.jsonl", workers=workers, progress=False
        )
        return runs / (time.perf_counter() - start)


if __name__ == "__main__":
    kind, *rest = sys.argv[1:]
    if kind != "ours":
        import torch

        torch.set_num_threads(int(rest[0]))
    print(*time_step(our_step() if kind == "ours" else torch_step(kind)))
