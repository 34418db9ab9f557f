"""The two models that notebook 09 trains, built from the kernels, each forward pass with its backward pass.

    single head   logits = attention(x_q W_Q, x_k W_K, x_v W_V) W_U
    transformer   x ← x + heads(norm(x)),  x ← x + mlp(norm(x)), in each of its layers
                  logits = norm(x) W_U                      pre-LayerNorm, no bias in the projections

Parameters are a flat dictionary of arrays; those of layer 1 are called "1.w_q" and so on.

Axes: B sequences · T tokens · H heads · d_k, d_v widths of a head
"""

import math
from typing import NamedTuple

import numpy as np

from ..kernels._checks import pick
from ..kernels.layernorm import LayerNormCache, layer_norm_backward, layer_norm_forward
from ..kernels.linear import LinearCache, linear_backward, linear_forward
from ..kernels.mlp import MLPCache, mlp_backward, mlp_forward
from ..kernels.scores import SCALES, scale_factor
from ..kernels.sdpa import AttentionCache
from .additive_head import AdditiveHeadCache, additive_head_backward, additive_head_forward
from .attention_heads import HeadsCache, heads_backward, heads_forward
from .tasks import Batch

# Scales that are learned, as the parameter log_scale, and where they start.
LEARNED = {
    "learned": lambda d_k: 1 / math.sqrt(d_k),
    "learned from 1": lambda d_k: 1.0,
    "QK-norm": lambda d_k: math.sqrt(d_k),  # on cosines, whose variance is 1/d_k
}
# Fixed scales that start with scores of another variance than 1, and that variance.
STARTS = {f"sqrt({variance:g}/d_k)": variance for variance in (1 / 4, 4, 16)}
ADDITIVE = "additive"  # no dot product at all: a single head that scores with tanh
# What the entries of W_Q and W_K are multiplied by, in addition to 1/√fan_in. Only the product of the two matters.
INITS = {
    "unit": lambda d_k: 1.0,
    "folded": lambda d_k: d_k**-0.25,  # q·k of variance 1 without any scale
    "hot": lambda d_k: d_k**0.25,  # q·k/√d_k of variance d_k, as without a scale
}
Arrays = dict[str, np.ndarray]


class Model(NamedTuple):
    """The shape of a model; its parameters are kept separately."""

    d_model: int
    d_k: int
    classes: int
    scale: str = "1/sqrt(d_k)"
    layers: int = 0  # 0 is the single head without residual connection
    heads: int = 1
    d_v: int = 64


class LayerCache(NamedTuple):
    """What `layer_backward` needs."""

    heads: HeadsCache
    norm_1: LayerNormCache
    norm_2: LayerNormCache
    mlp: MLPCache


class ModelCache(NamedTuple):
    """What `model_backward` needs: one entry for each layer, or the single head."""

    model: Model
    heads: tuple[HeadsCache | AdditiveHeadCache, ...]
    layers: tuple[LayerCache, ...] = ()
    norm: LayerNormCache | None = None
    last: LinearCache | None = None  # of W_U

    @property
    def attention(self) -> list[AttentionCache]:
        """One for each layer: the weights, q and k are in it."""
        return [heads.attention for heads in self.heads]


def init_params(model: Model, init: str = "unit", *, rng: np.random.Generator, dtype=np.float32) -> Arrays:
    """Fresh parameters: W ~ N(0, 1/fan_in), with W_Q and W_K multiplied by the factor called `init`."""
    d_model, d_k, width = model.d_model, model.d_k, model.heads * model.d_v
    factor = pick("init", init, INITS)(d_k)
    pick("scale", model.scale, SCALES | LEARNED | STARTS | {ADDITIVE: None})
    if model.scale == ADDITIVE and model.layers:
        raise ValueError(f"scale: got 'additive' with {model.layers} layers, expected a single head (layers=0)")

    def weight(fan_in, fan_out, factor=1.0):
        return (rng.standard_normal((fan_in, fan_out)) * (factor / math.sqrt(fan_in))).astype(dtype)

    def heads() -> Arrays:
        params = {name: weight(d_model, model.heads * d_k, factor) for name in ("w_q", "w_k")}
        params["w_v"] = weight(d_model, width)
        if model.scale in LEARNED:
            params["log_scale"] = np.log([LEARNED[model.scale](d_k)]).astype(dtype)
        return params

    if model.layers == 0:
        single = {**heads(), "w_u": weight(width, model.classes)}
        return {**single, "w_a": weight(d_k, 1)[:, 0]} if model.scale == ADDITIVE else single
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


def model_forward(model: Model, params: Arrays, batch: Batch) -> tuple[np.ndarray, ModelCache]:
    """`(logits, cache)`: logits (B, Tq, classes), one prediction for each query."""
    if model.layers == 0:
        inputs = (batch.queries, batch.keys, batch.values)
        if model.scale == ADDITIVE:
            matrices = (params[name] for name in ("w_q", "w_k", "w_v", "w_a", "w_u"))
            logits, additive = additive_head_forward(inputs, *matrices)
            return logits, ModelCache(model, (additive,))
        logits, heads = attend(model, params, "w_u", inputs)
        return logits, ModelCache(model, (heads,))
    x, layers = as_sequence(batch), []
    for layer in range(model.layers):
        x, cache = layer_forward(model, layer_params(params, layer), x)
        layers.append(cache)
    normed, norm = layer_norm_forward(x[:, -batch.targets.shape[1] :], params["gain"], params["bias"])
    logits, last = linear_forward(normed, params["w_u"])
    return logits, ModelCache(model, tuple(layer.heads for layer in layers), tuple(layers), norm, last)


def model_backward(dlogits: np.ndarray, cache: ModelCache) -> tuple[Arrays, list[np.ndarray]]:
    """`(gradients, dqs)`: the gradient of every parameter under its name, and of each layer's q (B, H, Tq, d_k)."""
    learned = cache.model.scale in LEARNED
    if isinstance(cache.heads[0], AdditiveHeadCache):
        gradients, dx_q = additive_head_backward(dlogits, cache.heads[0])
        return gradients, [dx_q]
    if not cache.layers:  # the single head has nobody to pass dx on to
        _, gradients, dq = heads_backward(dlogits, cache.heads[0], needs_dx=False, needs_scale=learned)
        return gradients, [dq]
    # logits = last @ w_u
    dlast, dw_u, _ = linear_backward(dlogits, cache.last)
    # last = layer_norm(x)
    dread, dgain, dbias = layer_norm_backward(dlast, cache.norm)
    gradients, dqs = {"w_u": dw_u, "gain": dgain, "bias": dbias}, []
    unread = cache.layers[0].norm_1.normed.shape[1] - dread.shape[1]  # tokens before the queries
    dx = np.pad(dread, ((0, 0), (unread, 0), (0, 0)))
    for number, layer in reversed(list(enumerate(cache.layers))):
        dx, found, dq = layer_backward(dx, layer, learned)
        gradients |= {f"{number}.{name}": value for name, value in found.items()}
        dqs.insert(0, dq)
    return gradients, dqs


def layer_forward(model: Model, params: Arrays, x: np.ndarray) -> tuple[np.ndarray, LayerCache]:
    """One transformer layer: (B, T, d_model) -> (B, T, d_model)."""
    normed, norm_1 = layer_norm_forward(x, params["gain_1"], params["bias_1"])
    heads_out, heads = attend(model, params, "w_o", (normed, normed, normed))
    x = x + heads_out
    normed, norm_2 = layer_norm_forward(x, params["gain_2"], params["bias_2"])
    out, mlp = mlp_forward(normed, *(params[name] for name in ("w_1", "b_1", "w_2", "b_2")))
    return x + out, LayerCache(heads, norm_1, norm_2, mlp)


def layer_backward(dout: np.ndarray, cache: LayerCache, learned: bool) -> tuple[np.ndarray, Arrays, np.ndarray]:
    """`(dx, gradients, dq)`; a residual connection adds what goes around to what goes through."""
    # x = x + mlp(layer_norm(x))
    dnormed, *dmlp = mlp_backward(dout, cache.mlp)
    gradients = dict(zip(("w_1", "b_1", "w_2", "b_2"), dmlp, strict=True))
    through, gradients["gain_2"], gradients["bias_2"] = layer_norm_backward(dnormed, cache.norm_2)
    dheads = dout + through
    # x = x + heads(layer_norm(x))
    (from_q, from_k, from_v), found, dq = heads_backward(dheads, cache.heads, needs_dx=True, needs_scale=learned)
    through, gradients["gain_1"], gradients["bias_1"] = layer_norm_backward(from_q + (from_k + from_v), cache.norm_1)
    return dheads + through, gradients | found, dq


def attend(model: Model, params: Arrays, out: str, inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, HeadsCache]:
    """The heads of one layer on the inputs of q, k and v; `out` names the matrix that follows the merged heads."""
    matrices = {name: params[name] for name in ("w_q", "w_k", "w_v", out)}
    if model.scale in LEARNED:
        scale = math.exp(params["log_scale"][0])
    elif model.scale in STARTS:
        scale = math.sqrt(STARTS[model.scale] / model.d_k)
    else:
        scale = scale_factor(model.scale, model.d_k, model.d_model)
    return heads_forward(inputs, matrices, heads=model.heads, scale=scale, unit_length=model.scale == "QK-norm")


def as_sequence(batch: Batch) -> np.ndarray:
    """One sequence of tokens for a transformer: as it is, or the pairs (key + value)/√2 and then the queries."""
    if batch.keys is batch.queries:
        return batch.queries
    return np.concatenate([(batch.keys + batch.values) * np.float32(1 / math.sqrt(2)), batch.queries], axis=1)


def layer_params(params: Arrays, layer: int) -> Arrays:
    """The parameters of one layer, without its number."""
    prefix = f"{layer}."
    return {name.removeprefix(prefix): value for name, value in params.items() if name.startswith(prefix)}
