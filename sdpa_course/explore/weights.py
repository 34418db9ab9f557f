"""Notebook 05: move d_k, the scale and the mask, and see the weights of one sentence sharpen or flatten."""

import math
from functools import cache

import ipywidgets as widgets
import numpy as np

from ..experiments.sentence import SENTENCE
from ..figures.drawing import Canvas, View
from ..figures.saturation import TITLES
from ..figures.weights import weight_map
from ..kernels.masks import causal_mask
from ..kernels.scores import SCALES, scale_factor
from ..kernels.sdpa import attention_forward
from .explorer import Explorer, steps_slider

WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
D_MODEL = 512
NAMES = TITLES | {"1/sqrt(d_model)": "scale 1/√$d_{model}$"}
canvas = Canvas(size=(8.4, 4.4))


@cache
def drawn() -> tuple[np.ndarray, np.ndarray]:
    """One N(0, 1) query and one key for each word, 512 wide: a smaller d_k takes the first columns of the same."""
    q, k = np.random.default_rng(5).standard_normal((2, len(SENTENCE), D_MODEL))
    return q, k


def seen_entropy(weights: np.ndarray, seen: np.ndarray) -> float:
    """Mean entropy ÷ log(number of keys that the row sees), over the rows that see two or more."""
    keys = seen.sum(axis=-1)
    logs = np.log(weights, where=weights > 0, out=np.zeros_like(weights))
    entropy = 0 - (weights * logs).sum(axis=-1)
    return float(np.mean([h / math.log(n) for h, n in zip(entropy, keys, strict=True) if n > 1]))


def weights_view(d_k: int = 64, scale: str = "1/sqrt(d_k)", causal: bool = False) -> View:
    """Attention weights of the nine words for random queries and keys of width d_k."""
    n = len(SENTENCE)
    q, k = (x[:, :d_k] for x in drawn())
    factor = scale_factor(scale, d_k, D_MODEL)
    _, attended = attention_forward(q, k, k, scale=factor, causal=causal)
    weights, seen = attended.weights, causal_mask(n, n) if causal else np.ones((n, n), dtype=bool)
    numbers = {
        "factor on the scores": f"{factor:.4f}",
        "largest weight of a row, average": f"{weights.max(axis=-1).mean():.3f}",
        "entropy ÷ log n, average": f"{seen_entropy(weights, seen):.3f}",
    }
    title = f"weights, $d_k$ = {d_k}, {NAMES[scale]}"
    return canvas.view(weight_map, weights, SENTENCE, title, seen if causal else None, numbers=numbers)


def weights_explorer() -> Explorer:
    """A slider over d_k, a choice of scale, and a checkbox for the causal mask."""
    return Explorer(
        weights_view,
        main=("scale", "d_k"),
        d_k=steps_slider("d_k", WIDTHS, 64),
        scale=steps_slider("scale", SCALES, "1/sqrt(d_k)"),
        causal=widgets.Checkbox(value=False, description="causal mask", indent=False),
    )
