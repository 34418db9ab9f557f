"""Which rows get stuck while a head learns reverse, the right ones or the wrong ones; stored for notebook 09."""

import json
from typing import NamedTuple

import numpy as np

from .ablation import PLAIN, RESULTS
from .models import model_forward
from .training import STUCK, TrainingSettings, in_float64, inspect_queries, train

SETTLED = RESULTS / "settled.json"
WIDTHS, SEEDS = (64, 512), range(10)


class Settled(NamedTuple):
    """The rows of the probe of one run; shares of all rows, and how much weight the right key has."""

    right_stuck: float
    right_free: float
    wrong_stuck: float
    wrong_free: float
    key_at_start: float  # median weight of the right key, before training
    key_of_wrong: float | None  # the same at the end, in the rows that are wrong; None if there's none


def settled_rows() -> dict[tuple[int, str], list[Settled]]:
    """The stored runs: (d_k, scale) -> one entry for each seed."""
    stored = json.loads(SETTLED.read_text(encoding="utf-8"))
    return {(d_k, scale): [Settled(*run) for run in stored[f"{d_k} {scale}"]] for d_k in WIDTHS for scale in PLAIN}


def look_at_rows(setting: TrainingSettings, seed: int) -> Settled:
    """Train one head and sort its rows."""
    before, run = train(setting._replace(steps=0), seed), train(setting, seed)
    rows = inspect_queries(run.model, run.params, run.probe)
    right, stuck = rows.right, rows.jacobian.reshape(rows.right.shape) < STUCK
    shares = [float(np.mean(a & b)) for a in (right, ~right) for b in (stuck, ~stuck)]
    at_end = weight_of_right_key(run)[~right]
    last = float(f"{np.median(at_end):.3g}") if at_end.size else None
    return Settled(*shares, float(f"{np.median(weight_of_right_key(before)):.3g}"), last)


def weight_of_right_key(run) -> np.ndarray:
    """(B, T): what a single head gives to the key that has the answer."""
    _, cache = model_forward(run.model, in_float64(run.params), run.probe)
    return np.take_along_axis(cache.attention[0].weights[:, 0], run.probe.match[..., None], axis=-1)[..., 0]


def store_settled(path=SETTLED) -> None:
    """Train all heads and write the file, a line for each width and scale."""
    lines = [
        f'"{d_k} {scale}": {json.dumps([look_at_rows(TrainingSettings(d_k=d_k, scale=scale), s) for s in SEEDS])}'
        for d_k in WIDTHS
        for scale in PLAIN
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
