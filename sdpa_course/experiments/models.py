"""The two models that notebook 09 trains, built from the kernels, each forward pass with its backward pass.

    single head   q, k, v = x_q W_Q, x_k W_K, x_v W_V      logits = attention(q, k, v) W_U
    transformer   x ← x + heads(norm(x)) W_O,  x ← x + mlp(norm(x)), in each of its layers
                  logits = norm(x) W_U                      pre-LayerNorm, no bias in the projections

Parameters are a flat dictionary of arrays; those of layer 1 are called "1.w_q" and so on.

Axes: B sequences · T tokens · H heads · d_k, d_v widths of a head
"""

import math
from typing import NamedTuple

import numpy as np

from ..kernels.layernorm import LayerNormCache, layer_norm_backward, layer_norm_forward
from ..kernels.linear import LinearCache, linear_backward, linear_forward
from ..kernels.mlp import MLPCache, mlp_backward, mlp_forward
from ..kernels.multihead import merge_heads, split_heads
from ..kernels.scores import SCALES, scale_factor, unit_rows, unit_rows_backward
from ..kernels.sdpa import AttentionCache, attention_backward, attention_forward
from .tasks import Batch

# Scales with a parameter of their own, log_scale, and where it starts.
LEARNED = {
    "learned": lambda d_k: 1 / math.sqrt(d_k),
    "learned from 1": lambda d_k: 1.0,
    "QK-norm": lambda d_k: math.sqrt(d_k),  # on cosines, whose variance is 1/d_k
}
# What the entries of W_Q and W_K are multiplied by, beside 1/√fan_in. Their product is what counts.
INITS = {
    "unit": lambda d_k: 1.0,
    "folded": lambda d_k: d_k**-0.25,  # q·k of variance 1 without any scale
    "hot": lambda d_k: d_k**0.25,  # q·k/√d_k of variance d_k, as without a scale
}
Arrays = dict[str, np.ndarray]


class Model(NamedTuple):
    """What a model is made of; its parameters are kept apart."""

    d_model: int
    d_k: int
    classes: int
    scale: str = "1/sqrt(d_k)"
    layers: int = 0  # 0 is the single head without residual connection
    heads: int = 1
    d_v: int = 64


class HeadsCache(NamedTuple):
    """What the backward pass of one layer of heads needs."""

    projections: tuple[LinearCache, ...]  # of q, k, v
    attention: AttentionCache
    norms: tuple[np.ndarray, np.ndarray] | None  # ‖q‖ and ‖k‖, with QK-norm only


class LayerCache(NamedTuple):
    """What the backward pass of one transformer layer needs."""

    heads: HeadsCache
    out: LinearCache  # of W_O
    norm_1: LayerNormCache
    norm_2: LayerNormCache
    mlp: MLPCache


class ModelCache(NamedTuple):
    """What the backward pass of a model needs."""

    layers: tuple[LayerCache | HeadsCache, ...]
    norm: LayerNormCache | None
    last: LinearCache  # of W_U

    @property
    def attention(self) -> list[AttentionCache]:
        """One for each layer: the weights, q and k are in it."""
        return [layer.attention if isinstance(layer, HeadsCache) else layer.heads.attention for layer in self.layers]


def init_params(model: Model, init: str = "unit", *, rng: np.random.Generator, dtype=np.float32) -> Arrays:
    """Fresh parameters: W ~ N(0, 1/fan_in), with W_Q and W_K multiplied by what `init` says."""
    if init not in INITS:
        raise ValueError(f"init: got {init!r}, expected one of {', '.join(INITS)}")
    if model.scale not in (*SCALES, *LEARNED):
        raise ValueError(f"scale: got {model.scale!r}, expected one of {', '.join((*SCALES, *LEARNED))}")
    d_model, d_k, width = model.d_model, model.d_k, model.heads * model.d_v

    def weight(fan_in, fan_out, factor=1.0):
        return (rng.standard_normal((fan_in, fan_out)) * (factor / math.sqrt(fan_in))).astype(dtype)

    def heads() -> Arrays:
        factor = INITS[init](d_k)
        params = {name: weight(d_model, model.heads * d_k, factor) for name in ("w_q", "w_k")}
        params["w_v"] = weight(d_model, width)
        if model.scale in LEARNED:
            params["log_scale"] = np.log([LEARNED[model.scale](d_k)]).astype(dtype)
        return params

    if model.layers == 0:
        return {**heads(), "w_u": weight(width, model.classes)}
    ones, zeros = np.ones(d_model, dtype), np.zeros(d_model, dtype)
    params = {}
    for layer in range(model.layers):
        mlp = {
            "w_1": weight(d_model, 4 * d_model),
            "b_1": np.zeros(4 * d_model, dtype),
            "w_2": weight(4 * d_model, d_model),
        }
        norms = {f"{name}_{i}": value.copy() for i in (1, 2) for name, value in (("gain", ones), ("bias", zeros))}
        parts = {**heads(), "w_o": weight(width, d_model), **mlp, "b_2": zeros.copy(), **norms}
        params |= {f"{layer}.{name}": value for name, value in parts.items()}
    return {**params, "gain": ones.copy(), "bias": zeros.copy(), "w_u": weight(d_model, model.classes)}


def forward(model: Model, params: Arrays, batch: Batch) -> tuple[np.ndarray, ModelCache]:
    """`(logits, cache)`: logits (B, Tq, classes), one prediction for each query."""
    if model.layers == 0:
        heads_out, cache = heads_forward(model, params, batch.queries, batch.keys, batch.values)
        logits, last = linear_forward(heads_out, params["w_u"])
        return logits, ModelCache((cache,), None, last)
    x, caches = sequence(batch), []
    for layer in range(model.layers):
        x, cache = layer_forward(model, own(params, layer), x)
        caches.append(cache)
    normed, norm = layer_norm_forward(x[:, -batch.targets.shape[1] :], params["gain"], params["bias"])
    logits, last = linear_forward(normed, params["w_u"])
    return logits, ModelCache(tuple(caches), norm, last)


def backward(model: Model, params: Arrays, dlogits: np.ndarray, cache: ModelCache) -> tuple[Arrays, list[np.ndarray]]:
    """`(gradients, dqs)`: the gradient of every parameter under its name, and dq (B, H, Tq, d_k) of each layer."""
    # logits = last @ w_u
    dlast, dw_u, _ = linear_backward(dlogits, cache.last)
    if model.layers == 0:
        gradients, _, dq = heads_backward(params, dlast, cache.layers[0], needs_dx=False)
        return {**gradients, "w_u": dw_u}, [dq]
    # last = layer_norm(x)
    dread, dgain, dbias = layer_norm_backward(dlast, cache.norm)
    gradients, dqs = {"w_u": dw_u, "gain": dgain, "bias": dbias}, []
    unread = cache.layers[0].norm_1.normed.shape[1] - dread.shape[1]  # tokens before the queries
    dx = np.pad(dread, ((0, 0), (unread, 0), (0, 0)))
    for layer in reversed(range(model.layers)):
        dx, parts, dq = layer_backward(own(params, layer), dx, cache.layers[layer])
        gradients |= {f"{layer}.{name}": value for name, value in parts.items()}
        dqs.insert(0, dq)
    return gradients, dqs


def heads_forward(model: Model, params: Arrays, *inputs: np.ndarray) -> tuple[np.ndarray, HeadsCache]:
    """Project, split, attend, merge: (B, T, d_model) three times -> (B, Tq, H·d_v)."""
    pairs = [linear_forward(x, params[name]) for x, name in zip(inputs, ("w_q", "w_k", "w_v"), strict=True)]
    q, k, v = (split_heads(projected, model.heads) for projected, _ in pairs)
    norms = None
    if model.scale == "QK-norm":
        (q, q_norm), (k, k_norm) = unit_rows(q), unit_rows(k)
        norms = (q_norm, k_norm)
    learned = model.scale in LEARNED
    scale = math.exp(params["log_scale"][0]) if learned else scale_factor(model.scale, model.d_k, model.d_model)
    out, attention = attention_forward(q, k, v, scale=scale)
    return merge_heads(out), HeadsCache(tuple(cache for _, cache in pairs), attention, norms)


def heads_backward(params: Arrays, dmerged: np.ndarray, cache: HeadsCache, *, needs_dx: bool = True):
    """`(gradients, dinputs, dq)`; the three `dinputs` are None unless they're needed."""
    projections, attention, norms = cache
    # out = attention(q, k, v)
    dq, dk, dv = attention_backward(split_heads(dmerged, attention.q.shape[-3]), attention)
    gradients = {}
    if (
        "log_scale" in params
    ):  # scores are scale · q kᵀ: stretching q or the scale is the same, so Σ dscores·scores = Σ dq·q
        gradients["log_scale"] = (dq * attention.q).sum(keepdims=True).reshape(1)
    if norms is not None:  # q = q / ‖q‖
        dq, dk = (unit_rows_backward(d, x, norm) for d, x, norm in zip((dq, dk), attention[:2], norms, strict=True))
    # q, k, v = split_heads(x @ w)
    dinputs = []
    for name, projection, dout in zip(("w_q", "w_k", "w_v"), projections, (dq, dk, dv), strict=True):
        dx, gradients[name], _ = linear_backward(merge_heads(dout), projection, needs_dx=needs_dx)
        dinputs.append(dx)
    return gradients, dinputs, dq


def layer_forward(model: Model, params: Arrays, x: np.ndarray) -> tuple[np.ndarray, LayerCache]:
    """One transformer layer: (B, T, d_model) -> (B, T, d_model)."""
    normed, norm_1 = layer_norm_forward(x, params["gain_1"], params["bias_1"])
    merged, heads = heads_forward(model, params, normed, normed, normed)
    heads_out, out_cache = linear_forward(merged, params["w_o"])
    x = x + heads_out
    normed, norm_2 = layer_norm_forward(x, params["gain_2"], params["bias_2"])
    out, mlp = mlp_forward(normed, *(params[name] for name in ("w_1", "b_1", "w_2", "b_2")))
    return x + out, LayerCache(heads, out_cache, norm_1, norm_2, mlp)


def layer_backward(params: Arrays, dx: np.ndarray, cache: LayerCache) -> tuple[np.ndarray, Arrays, np.ndarray]:
    """`(dx, gradients, dq)`; a residual connection adds what goes around to what goes through."""
    gradients = {}
    # x = x + mlp(layer_norm(x))
    dnormed, *dmlp = mlp_backward(dx, cache.mlp)
    gradients |= zip(("w_1", "b_1", "w_2", "b_2"), dmlp, strict=True)
    through, gradients["gain_2"], gradients["bias_2"] = layer_norm_backward(dnormed, cache.norm_2)
    dx = dx + through
    # x = x + heads(layer_norm(x)) @ w_o
    dmerged, gradients["w_o"], _ = linear_backward(dx, cache.out)
    parts, dinputs, dq = heads_backward(params, dmerged, cache.heads)
    through, gradients["gain_1"], gradients["bias_1"] = layer_norm_backward(sum(dinputs), cache.norm_1)
    return dx + through, gradients | parts, dq


def sequence(batch: Batch) -> np.ndarray:
    """One sequence of tokens for a transformer: as it is, or the pairs (key + value)/√2 and then the queries."""
    if batch.keys is batch.queries:
        return batch.queries
    return np.concatenate([(batch.keys + batch.values) * np.float32(1 / math.sqrt(2)), batch.queries], axis=1)


def own(params: Arrays, layer: int) -> Arrays:
    """The parameters of one layer, without its number."""
    prefix = f"{layer}."
    return {name.removeprefix(prefix): value for name, value in params.items() if name.startswith(prefix)}
