"""The weights of a multi-head layer: their names, fresh ones, and whether they fit. Taught in notebook 08.

Axes: H heads · Hk key/value heads · Dk, Dv head widths
"""

from __future__ import annotations  # np.random takes a while to load, and only the annotations name it

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from ._arguments import check_groups
from ._checks import FLOATS, same_shape, whole_number


class MultiHeadParams(NamedTuple):
    """The weights of one layer, used as `x @ w + b`; a bias may be None.

    `multihead_backward` returns its gradients in the same form.
    """

    w_q: np.ndarray  # (d_model, H·Dk)
    w_k: np.ndarray  # (d_context, Hk·Dk)
    w_v: np.ndarray  # (d_context, Hk·Dv)
    w_o: np.ndarray  # (H·Dv, d_model)
    b_q: np.ndarray | None = None  # (H·Dk,)
    b_k: np.ndarray | None = None  # (Hk·Dk,)
    b_v: np.ndarray | None = None  # (Hk·Dv,)
    b_o: np.ndarray | None = None  # (d_model,)
    heads: int = 1
    kv_heads: int = 1


def init_multihead(
    d_model: int,
    heads: int,
    *,
    rng: np.random.Generator,
    kv_heads: int | None = None,
    d_k: int | None = None,
    d_v: int | None = None,
    d_context: int | None = None,
    bias: bool = True,
    dtype: DTypeLike = np.float64,
) -> MultiHeadParams:
    """Fresh parameters: entries of W ~ N(0, 1/fan_in), biases zero.

    `kv_heads` defaults to `heads`, `d_k` and `d_v` to d_model / heads, `d_context` to d_model.

    Examples
    --------
    >>> params = init_multihead(512, 8, kv_heads=2, rng=np.random.default_rng(0))
    >>> params.w_q.shape, params.w_k.shape
    ((512, 512), (512, 128))
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng: got {type(rng).__name__}, expected np.random.default_rng(seed)")
    if np.dtype(dtype).type not in FLOATS:
        raise TypeError(f"dtype: got {np.dtype(dtype)}, expected float16, float32 or float64")
    d_model, heads = whole_number("d_model", d_model, least=1), whole_number("heads", heads, least=1)
    kv_heads = heads if kv_heads is None else whole_number("kv_heads", kv_heads, least=1)
    check_groups("kv_heads", kv_heads, heads)
    if (d_k is None or d_v is None) and d_model % heads:
        raise ValueError(f"heads: got {heads}, expected a number that divides d_model = {d_model}, or d_k and d_v")
    d_k = d_model // heads if d_k is None else whole_number("d_k", d_k, least=1)
    d_v = d_model // heads if d_v is None else whole_number("d_v", d_v, least=1)
    d_context = d_model if d_context is None else whole_number("d_context", d_context, least=1)

    def weight(fan_in, fan_out):
        return (rng.standard_normal((fan_in, fan_out)) / math.sqrt(fan_in)).astype(dtype)

    widths = (heads * d_k, kv_heads * d_k, kv_heads * d_v, d_model)
    weights = [weight(n, m) for n, m in zip((d_model, d_context, d_context, heads * d_v), widths, strict=True)]
    biases = [np.zeros(m, dtype=dtype) if bias else None for m in widths]
    return MultiHeadParams._make([*weights, *biases, heads, kv_heads])


def check_params(params: MultiHeadParams, d_model: int, d_context: int, source_name: str) -> None:
    """Parameters whose shapes fit each other and the input."""
    heads = whole_number("heads", params.heads, least=1)
    kv_heads = whole_number("kv_heads", params.kv_heads, least=1)
    check_groups("kv_heads", kv_heads, heads)
    for name in ("w_q", "w_k", "w_v", "w_o"):
        weight = getattr(params, name)
        if weight.ndim != 2:
            raise ValueError(f"{name}: got shape {weight.shape}, expected 2 axes (in, out)")
    of_source = (source_name, d_context, kv_heads)
    for name, source, width, count in (("w_q", "x", d_model, heads), ("w_k", *of_source), ("w_v", *of_source)):
        rows, columns = getattr(params, name).shape
        if columns % count:
            raise ValueError(f"{name}: got {columns} columns, expected a multiple of {count}, the number of heads")
        if rows != width:
            raise ValueError(f"{source}: got width {width}, expected {rows}, the rows of {name}")
    d_k, d_v = params.w_q.shape[1] // heads, params.w_v.shape[1] // kv_heads
    same_shape("w_k", params.w_k, (d_context, kv_heads * d_k))
    if params.w_o.shape[0] != heads * d_v:
        raise ValueError(f"w_o: got {params.w_o.shape[0]} rows, expected {heads * d_v}, heads times d_v")
    for name in ("q", "k", "v", "o"):
        bias, weight = getattr(params, f"b_{name}"), getattr(params, f"w_{name}")
        same_shape(f"b_{name}", bias, weight.shape[1:])
