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

from ..kernels.layernorm import LayerNormCache, layer_norm_backward, layer_norm_forward
from ..kernels.linear import LinearCache, linear_backward, linear_forward
from ..kernels.mlp import MLPCache, mlp_backward, mlp_forward
from ..kernels.multihead import MultiHeadCache, multihead_backward, multihead_forward
from ..kernels.params import MultiHeadParams
from ..kernels.scores import SCALES, scale_factor
from ..kernels.sdpa import AttentionCache
from .attention_heads import HeadsCache, heads_backward, heads_forward
from .tasks import Batch

# Scales that are learned, as the parameter log_scale, and where they start.
LEARNED = {
    "learned": lambda d_k: 1 / math.sqrt(d_k),
    "learned from 1": lambda d_k: 1.0,
    "QK-norm": lambda d_k: math.sqrt(d_k),  # on cosines, whose variance is 1/d_k
}
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

    model: Model
    heads: MultiHeadCache | HeadsCache
    norm_1: LayerNormCache
    norm_2: LayerNormCache
    mlp: MLPCache


class ModelCache(NamedTuple):
    """What `model_backward` needs: one entry for each layer, or the single head."""

    model: Model
    heads: tuple[MultiHeadCache | HeadsCache, ...]
    layers: tuple[LayerCache, ...] = ()
    norm: LayerNormCache | None = None
    last: LinearCache | None = None  # of W_U

    @property
    def attention(self) -> list[AttentionCache]:
        """One for each layer: the weights, q and k are in it."""
        return [heads.attention for heads in self.heads]


def init_params(model: Model, init: str = "unit", *, rng: np.random.Generator, dtype=np.float32) -> Arrays:
    """Fresh parameters: W ~ N(0, 1/fan_in), with W_Q and W_K multiplied by the factor called `init`."""
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


def model_forward(model: Model, params: Arrays, batch: Batch) -> tuple[np.ndarray, ModelCache]:
    """`(logits, cache)`: logits (B, Tq, classes), one prediction for each query."""
    if model.layers == 0:
        logits, heads = attend(model, params, "w_u", (batch.queries, batch.keys, batch.values))
        return logits, ModelCache(model, (heads,))
    x, layers = as_sequence(batch), []
    for layer in range(model.layers):
        x, cache = layer_forward(model, layer_params(params, layer), x)
        layers.append(cache)
    normed, norm = layer_norm_forward(x[:, -batch.targets.shape[1] :], params["gain"], params["bias"])
    logits, last = linear_forward(normed, params["w_u"])
    return logits, ModelCache(model, tuple(layer.heads for layer in layers), tuple(layers), norm, last)


def model_backward(dlogits: np.ndarray, cache: ModelCache) -> tuple[Arrays, list[np.ndarray]]:
    """`(gradients, dheads)`: the gradient of every parameter under its name, and of each layer's heads' output."""
    if not cache.layers:
        gradients = head_gradients(dlogits, cache.heads[0], cache.model)[1]
        return {name.replace("w_o", "w_u"): value for name, value in gradients.items()}, [dlogits]
    # logits = last @ w_u
    dlast, dw_u, _ = linear_backward(dlogits, cache.last)
    # last = layer_norm(x)
    dread, dgain, dbias = layer_norm_backward(dlast, cache.norm)
    gradients, dheads = {"w_u": dw_u, "gain": dgain, "bias": dbias}, []
    unread = cache.layers[0].norm_1.normed.shape[1] - dread.shape[1]  # tokens before the queries
    dx = np.pad(dread, ((0, 0), (unread, 0), (0, 0)))
    for number, layer in reversed(list(enumerate(cache.layers))):
        dx, found, dout = layer_backward(dx, layer)
        gradients |= {f"{number}.{name}": value for name, value in found.items()}
        dheads.insert(0, dout)
    return gradients, dheads


def layer_forward(model: Model, params: Arrays, x: np.ndarray) -> tuple[np.ndarray, LayerCache]:
    """One transformer layer: (B, T, d_model) -> (B, T, d_model)."""
    normed, norm_1 = layer_norm_forward(x, params["gain_1"], params["bias_1"])
    heads_out, heads = attend(model, params, "w_o", (normed, normed, normed))
    x = x + heads_out
    normed, norm_2 = layer_norm_forward(x, params["gain_2"], params["bias_2"])
    out, mlp = mlp_forward(normed, *(params[name] for name in ("w_1", "b_1", "w_2", "b_2")))
    return x + out, LayerCache(model, heads, norm_1, norm_2, mlp)


def layer_backward(dout: np.ndarray, cache: LayerCache) -> tuple[np.ndarray, Arrays, np.ndarray]:
    """`(dx, gradients, dheads)`; a residual connection adds what goes around to what goes through."""
    # x = x + mlp(layer_norm(x))
    dnormed, *dmlp = mlp_backward(dout, cache.mlp)
    gradients = dict(zip(("w_1", "b_1", "w_2", "b_2"), dmlp, strict=True))
    through, gradients["gain_2"], gradients["bias_2"] = layer_norm_backward(dnormed, cache.norm_2)
    dheads = dout + through
    # x = x + heads(layer_norm(x))
    dnormed, found = head_gradients(dheads, cache.heads, cache.model)
    through, gradients["gain_1"], gradients["bias_1"] = layer_norm_backward(dnormed, cache.norm_1)
    return dheads + through, gradients | found, dheads


def attend(
    model: Model, params: Arrays, out: str, inputs: tuple[np.ndarray, ...]
) -> tuple[np.ndarray, MultiHeadCache | HeadsCache]:
    """The heads of one layer on the inputs of q, k and v; `out` names the matrix that follows the merged heads."""
    weights = (params[name] for name in ("w_q", "w_k", "w_v", out))
    layer = MultiHeadParams(*weights, heads=model.heads, kv_heads=model.heads)
    learned, qk_norm = model.scale in LEARNED, model.scale == "QK-norm"
    scale = math.exp(params["log_scale"][0]) if learned else scale_factor(model.scale, model.d_k, model.d_model)
    if model.layers and not qk_norm:
        return multihead_forward(inputs[0], layer, scale=scale)
    return heads_forward(inputs, layer, scale=scale, unit_length=qk_norm)


def head_gradients(
    dout: np.ndarray, cache: MultiHeadCache | HeadsCache, model: Model
) -> tuple[np.ndarray | None, Arrays]:
    """`(dx, gradients)` of one layer's heads; the single head has nobody to pass dx on to."""
    learned = model.scale in LEARNED
    if isinstance(cache, HeadsCache):
        dinputs, gradients = heads_backward(dout, cache, needs_dx=model.layers > 0, needs_scale=learned)
        return sum(dinputs) if model.layers else None, gradients
    dx, _, dparams = multihead_backward(dout, cache)
    gradients = {name: getattr(dparams, name) for name in ("w_q", "w_k", "w_v", "w_o")}
    if learned:  # q is linear in W_Q, so stretching W_Q or the scale is the same
        gradients["log_scale"] = (dparams.w_q * cache.params.w_q).sum(keepdims=True).reshape(1)
    return dx, gradients


def as_sequence(batch: Batch) -> np.ndarray:
    """One sequence of tokens for a transformer: as it is, or the pairs (key + value)/√2 and then the queries."""
    if batch.keys is batch.queries:
        return batch.queries
    return np.concatenate([(batch.keys + batch.values) * np.float32(1 / math.sqrt(2)), batch.queries], axis=1)


def layer_params(params: Arrays, layer: int) -> Arrays:
    """The parameters of one layer, without its number."""
    prefix = f"{layer}."
    return {name.removeprefix(prefix): value for name, value in params.items() if name.startswith(prefix)}
