"""Real bugs of attention's scale and masks, each in a few lines of our own; q, k and v are (B, H, T, D) arrays."""

import math

import numpy as np


def softmax(scores, axis=-1):
    exps = np.exp(scores - np.nan_to_num(scores.max(axis=axis, keepdims=True), posinf=0, neginf=0))
    return exps / exps.sum(axis=axis, keepdims=True)


def dots(q, k):
    return q @ k.swapaxes(-1, -2)


def scaled(factor):
    """Attention with factor(q, k, v) on the scores."""
    return lambda q, k, v: softmax(factor(q, k, v) * dots(q, k)) @ v


def opt(q, k, v):
    """The factor is on q already when the attention call applies it again."""
    q = q * q.shape[-1] ** -0.5
    return softmax(dots(q, k) * q.shape[-1] ** -0.5) @ v


def perceiver(q, k, v):
    scale = q.shape[-1] ** -0.5
    return softmax(dots(q, k) / scale) @ v


def temper(q, k, v):
    d_model = q.shape[1] * q.shape[-1]
    return softmax(dots(q, k) / np.power(d_model, 0.5)) @ v


def aladdin(values, keys, query, mask=None):
    """Arguments in another order, the width of all heads, and a stand-in that's divided as well."""
    energy = np.einsum("nhqd,nhkd->nhqk", query, keys)
    if mask is not None:
        energy = np.where(mask == 0, -1e20, energy)
    return softmax(energy / math.sqrt(query.shape[1] * query.shape[-1])) @ values


def vit_tutorial(q, k, v):
    return softmax(dots(q, k)) / math.sqrt(q.shape[1] * q.shape[-1]) @ v


def tt_metal(q, k, v, attn_mask=None):
    """The scale is folded into the exponent, and so multiplies the mask too."""
    scores = dots(q, k) if attn_mask is None else dots(q, k) + attn_mask
    return softmax(scores * q.shape[-1] ** -0.5) @ v


def gluonts(q, k, v, mask=None):
    scores = dots(q, k) / math.sqrt(q.shape[-1])
    return softmax(scores if mask is None else np.where(mask, scores, 1e-9)) @ v


def memory_compressed(q, k, v, mask=None):
    weights = softmax(dots(q, k) / math.sqrt(q.shape[-1]))
    return (weights if mask is None else np.where(mask, weights, 0)) @ v


def memory_compressed_infinity(q, k, v, mask=None):
    scores = dots(q, k) / math.sqrt(q.shape[-1])
    return softmax(scores if mask is None else np.where(mask, scores, np.inf)) @ v


def sgl_kernel(q, k, v, softcap=None):
    return softmax(dots(q, k) / math.sqrt(q.shape[-1])) @ v


def gpt2_options(q, k, v, scaling=None):
    return softmax(dots(q, k) / math.sqrt(q.shape[-1])) @ v


def nlp(q, k, v):
    """Softmax over a batch of one."""
    weights = np.stack([softmax(dots(q[i : i + 1], k[i : i + 1]), axis=0)[0] for i in range(len(q))])
    return weights @ v


def skainet(q, k, v, scale=0.0):
    return softmax(dots(q, k) * scale) @ v


# id -> function, row that names it, what its formula or text has to be
WILD = {
    "B1 OPT": (opt, "scale", "1/d_k"),
    "B2 GPT-BigCode": (scaled(lambda q, k, v: q.shape[-1] ** 0.5), "scale", "√d_k"),
    "B3 Qwen2-VL": (scaled(lambda q, k, v: math.sqrt(q.shape[-1])), "scale", "√d_k"),
    "B4 perceiver-io": (perceiver, "scale", "√d_k"),
    "B5 temper": (temper, "scale", "1/√d_model"),
    "B6 ng-video-lecture": (scaled(lambda q, k, v: (q.shape[1] * q.shape[-1]) ** -0.5), "scale", "1/√d_model"),
    "B7 Machine-Learning-Collection": (aladdin, "scale", "1/√d_model"),
    "B8 set_transformer": (scaled(lambda q, k, v: (v.shape[1] * v.shape[-1]) ** -0.5), "scale", "1/√(heads·d_v)"),
    "B9 CvT": (scaled(lambda q, k, v: (k.shape[1] * k.shape[-1]) ** -0.5), "scale", "1/√d_model"),
    "B10 ViT, the scores": (vit_tutorial, "scale", "1"),
    "B10 ViT, the weights": (vit_tutorial, "softmax", "every row sums to 1/√d_model instead of 1"),
    "B11 CLIP tutorial": (scaled(lambda q, k, v: 1 / math.sqrt(q.shape[1])), "scale", "1/√heads"),
    "B12 Evolla": (scaled(lambda q, k, v: q.shape[1] ** -0.5), "scale", "1/√heads"),
    "B13 mlc-llm": (scaled(lambda q, k, v: 1.0), "scale", "1"),
    "B14 SKaiNET": (skainet, "scale", "0"),
    "B15 burn-onnx": (lambda q, k, v: RIGHT["q scaled"](q / math.sqrt(q.shape[-1]), k, v), "scale", "1/d_k"),
    "B16a MaxText, folded and applied": (scaled(lambda q, k, v: 1 / q.shape[-1]), "scale", "1/d_k"),
    "B16b MaxText, sign of the exponent": (scaled(lambda q, k, v: q.shape[-1] ** 0.5), "scale", "√d_k"),
    "B19 tt-metal": (tt_metal, "mask", "a bias is multiplied by 0.25 as well"),
    "labml 146": (lambda q, k, v: softmax(dots(q, k) / q.shape[-1] ** 0.5, axis=-2) @ v, "softmax", "over queries"),
    "gpt-2 49": (scaled(lambda q, k, v: v.shape[-1] ** -0.5), "scale", "1/√d_v"),
    "x-transformers 190": (scaled(lambda q, k, v: 0.1 * q.shape[-1] ** -0.5), "scale", "1/√d_k times 0.1"),
    "FlagGems 424": (scaled(lambda q, k, v: math.log2(math.e) * q.shape[-1] ** -0.5), "scale", "1/√d_k times 1.443"),
    "hip-ep 621": (scaled(lambda q, k, v: (1.5 * q.shape[-1]) ** -0.5), "scale", "1/√d_k times 0.8165"),
    "sglang 33558": (scaled(lambda q, k, v: 1.485 * q.shape[-1] ** -0.5), "scale", "1/√d_k times 1.485"),
    "Mistral GPT-2, layer 3": (scaled(lambda q, k, v: q.shape[-1] ** -0.5 / 3), "scale", "1/√d_k times 0.3333"),
    "gluonts 1401": (gluonts, "mask", "score becomes 0 instead of −∞"),
    "memory-compressed 2, after softmax": (memory_compressed, "mask", "after softmax"),
    "memory-compressed 2, +∞": (memory_compressed_infinity, "mask", "gives NaN"),
    "PyTorch-NLP 2": (nlp, "softmax", "Every weight is 1"),
    "transformers 44397": (gpt2_options, "options", "scaling= has no effect"),
    "sgl-kernel-xpu 491": (sgl_kernel, "options", "softcap= has no effect"),
}  # fmt: skip


def unit(x):
    return x / np.sqrt((x * x).sum(axis=-1, keepdims=True))


def padded(q, k, v):
    """Zero columns for the hardware; the scale keeps the real width, as it must (vllm-ascend 1958)."""
    wide = [np.concatenate([x, np.zeros((*x.shape[:-1], 44))], axis=-1) for x in (q, k)]
    return softmax(dots(*wide) / math.sqrt(q.shape[-1])) @ v


# Looked wrong to somebody, and isn't
RIGHT = {
    "fourth roots": lambda q, k, v: softmax(dots(q * q.shape[-1] ** -0.25, k * k.shape[-1] ** -0.25)) @ v,
    "q scaled": lambda q, k, v: softmax(dots(q / math.sqrt(q.shape[-1]), k)) @ v,
    "layer number, and back": lambda q, k, v: softmax(3 * (dots(q, k) / (3 * math.sqrt(q.shape[-1])))) @ v,
    "cosine times 8": lambda q, k, v: softmax(8 * dots(unit(q), unit(k))) @ v,
    "cosine times 16": lambda q, k, v: softmax(16 * dots(unit(q), unit(k))) @ v,
    "padded with zeros": padded,
}
