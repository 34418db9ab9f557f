"""The forward pass of a Llama-like language model, on the kernels of this course.

    x = embedding[tokens]                       one vector for each token
    x = x + attention(norm(x))                  tokens look at each other  ┐ once for
    x = x + swiglu(norm(x))                     each thinks on its own     ┘ each layer
    logits = norm(x) @ head.T                   how likely is each word as the next one?

Weights are kept as (out, in), as the file has them, so a layer multiplies by the transpose.

Axes: T tokens · H query heads · Hk key/value heads · Dk head width · D = d_model · F = d_ff · V words
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..kernels._checks import int_array, quiet
from ..kernels.blocked import attention
from ..kernels.decoding import KVCache
from ..kernels.multihead import merge_heads, split_heads
from ..kernels.scores import scale_factor
from .tokens import Tokenizer


class Shape(NamedTuple):
    """The sizes of a model."""

    name: str
    layers: int
    d_model: int
    heads: int  # of queries
    kv_heads: int  # of keys and values; several query heads share one
    d_k: int
    d_ff: int  # width inside the MLP
    vocabulary: int
    context: int  # the longest text it was trained on
    base: float  # of the rotary positions
    epsilon: float  # of the norms


class Layer(NamedTuple):
    """The weights of one layer."""

    norm_attention: np.ndarray  # (D,)
    w_qkv: np.ndarray  # (H·Dk + 2·Hk·Dk, D): W_Q, W_K and W_V on top of each other, for one product instead of three
    w_o: np.ndarray  # (D, H·Dk)
    norm_mlp: np.ndarray  # (D,)
    w_gate_up: np.ndarray  # (2·F, D), gate on top of up
    w_down: np.ndarray  # (D, F)


class Model(NamedTuple):
    """A language model: plain arrays, and a tokenizer."""

    shape: Shape
    embedding: np.ndarray  # (V, D)
    layers: tuple[Layer, ...]
    norm: np.ndarray  # (D,)
    head: np.ndarray  # (V, D); many models use their embedding a second time here
    tokenizer: Tokenizer

    def __repr__(self) -> str:
        return f"<{self.shape.name}: {self.shape.layers} layers, {self.shape.heads} heads, d_k = {self.shape.d_k}>"


def new_cache(model: Model) -> list[KVCache]:
    """An empty key/value cache for each layer."""
    return [KVCache() for _ in model.layers]


def rms_norm(x: np.ndarray, gain: np.ndarray, epsilon: float) -> np.ndarray:
    """Give every token the same length, √D, then stretch each coordinate by a learned gain: (T, D) -> (T, D).

    It's LayerNorm without the mean: x / √(mean of x² + ε) · gain. Whatever the layers before have added up, the next
    one finds numbers of the size it knows.
    """
    mean_square = np.einsum("td,td->t", x, x)[:, None] / x.shape[-1]
    return x / np.sqrt(mean_square + np.float32(epsilon)) * gain


def rotation(positions: np.ndarray, d_k: int, base: float) -> tuple[np.ndarray, np.ndarray]:
    """Cosine and sine of the angles by which each position turns each pair of coordinates, both (T, Dk/2).

    Position p turns pair i by p · base^(−2i/Dk): the first by a radian a token, like a clock's second hand, the last by
    next to nothing, like the hour hand.
    """
    angles = positions[:, None] * base ** (-np.arange(d_k // 2) / (d_k // 2))
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def rotate(x: np.ndarray, turn: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Turn the pairs (i, i + Dk/2) of each token's vector by the angle of its position: (H, T, Dk) -> (H, T, Dk).

    A score is a dot product, and if both sides turn, only the difference of the angles is left in it: how far apart the
    two tokens are, not where they are.
    """
    cos, sin = turn
    first, second = x[..., : cos.shape[-1]], x[..., cos.shape[-1] :]
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


@quiet
def swiglu(x: np.ndarray, w_gate_up: np.ndarray, w_down: np.ndarray) -> np.ndarray:
    """The MLP: silu(gate) · up, with silu(z) = z / (1 + e^(−z)): (T, D) -> (T, F) -> (T, D).

    One half of the first product is a gate for the other half: shut where it's very negative, open where positive.
    """
    both = x @ w_gate_up.T  # (T, D) @ (D, 2F)
    gate, up = both[:, : w_down.shape[1]], both[:, w_down.shape[1] :]
    hidden = 1 + np.exp(-gate)
    np.divide(gate, hidden, out=hidden)  # silu(gate)
    hidden *= up
    return hidden @ w_down.T  # (T, F) @ (F, D)


def queries_keys_values(x: np.ndarray, layer: Layer, shape: Shape, turn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q (H, T, Dk), k and v (Hk, T, Dk) of one layer, with q and k turned by their positions."""
    heads = split_heads(x @ layer.w_qkv.T, shape.heads + 2 * shape.kv_heads)  # (H + 2·Hk, T, Dk)
    turned, v = rotate(heads[: -shape.kv_heads], turn), heads[-shape.kv_heads :]
    return turned[: shape.heads], turned[shape.heads :], v


def look(q: np.ndarray, k: np.ndarray, v: np.ndarray, *, offset: int, mask: Any, **keywords: Any) -> np.ndarray:
    """Causal attention of the new tokens to themselves and to those before them: (H, T, Dk) -> (H, T, Dk).

    From a single new token nothing is hidden. So the query heads that share keys go through one product like rows of
    one head, and no keys have to be copied for each of them.
    """
    if q.shape[1] > 1 or mask is not None:
        return attention(q, k, v, causal=True, offset=offset, mask=mask, **keywords)
    return attention(q.reshape(len(k), -1, q.shape[-1]), k, v, **keywords).reshape(q.shape)


def forward(
    model: Model,
    tokens: ArrayLike,
    cache: Sequence[KVCache] | None = None,
    *,
    m: ArrayLike = 1.0,
    rule: str = "1/sqrt(d_k)",
    softcap: float | None = None,
    mask: np.ndarray | None = None,
    watch: Callable[..., Any] | None = None,
) -> np.ndarray:
    """Read the tokens, and return the vector that each ends up with: (T,) integers -> (T, D), ready for `head`.

    Parameters
    ----------
    model : Model
    tokens : (T,) array of ints
    cache : list of KVCache, optional
        From `new_cache`: what was read before these tokens. It grows by them, unless the call fails.
    m : float, or one for each layer
        The knob: all scores are multiplied by m, so the scale is m/√d_k.
    rule : str
        Another scale, by its name in `sdpa_course.kernels.scores.SCALES`.
    softcap : float, optional
        Bound scores by c · tanh(scores / c), after the scale.
    mask : array that broadcasts to (H, T, keys), optional
        As in `attention_forward`, on top of the causal one.
    watch : function, optional
        Called once for each layer as `watch(index, x, q, k, v)`, with what goes into it and into its attention.

    Notes
    -----
    A layer reads x twice and adds to it twice. First attention: give every token the same length (`rms_norm`), make
    queries, keys and values of it and turn the first two by their positions (`queries_keys_values`), let every token
    look at itself and those before it (`look`), put the heads side by side (`merge_heads`), and mix them (`w_o`). Then
    the MLP (`swiglu`), after a norm of its own.
    """
    s = model.shape
    tokens = int_array("tokens", tokens, low=0, high=s.vocabulary - 1, expected=f"0 to {s.vocabulary - 1}")
    scales = np.broadcast_to(np.asarray(m, dtype=float), s.layers) * scale_factor(rule, s.d_k, s.d_model)
    past = int(cache[0].lengths) if cache else 0
    if tokens.ndim != 1 or not 1 <= tokens.size <= s.context - past:
        raise ValueError(f"tokens: got shape {tokens.shape} after {past}, expected one row, {s.context} in all at most")
    before = [vars(layer_cache).copy() for layer_cache in cache or ()]
    try:
        turn = rotation(past + np.arange(tokens.size), s.d_k, s.base)
        x = model.embedding[tokens]  # (T, D)
        for i, layer in enumerate(model.layers):
            q, k, v = queries_keys_values(rms_norm(x, layer.norm_attention, s.epsilon), layer, s, turn)
            if watch is not None:
                watch(i, x, q, k, v)
            if cache:
                cache[i].append(k, v)
                k, v = cache[i].k, cache[i].v
            out = look(q, k, v, offset=past, scale=float(scales[i]), softcap=softcap, mask=mask)
            x = x + merge_heads(out) @ layer.w_o.T  # (T, H·Dk) @ (H·Dk, D)
            x = x + swiglu(rms_norm(x, layer.norm_mlp, s.epsilon), layer.w_gate_up, layer.w_down)
    except BaseException:  # Ctrl-C too: either all layers know these tokens or none does
        for layer_cache, state in zip(cache or (), before, strict=True):
            vars(layer_cache).update(state)
        raise
    return rms_norm(x, model.norm, s.epsilon)


def logits(
    model: Model, tokens: ArrayLike, cache: Sequence[KVCache] | None = None, *, last: bool = False, **knobs: Any
) -> np.ndarray:
    """How likely is each word after each token, before the softmax: (T,) -> (T, V); with `last`, only after the last.

    The other arguments are those of `forward`.
    """
    x = forward(model, tokens, cache, **knobs)
    return (x[-1:] if last else x) @ model.head.T  # (T, D) @ (D, V)
