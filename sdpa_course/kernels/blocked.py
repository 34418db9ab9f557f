"""The same attention, blocked and threaded: memory linear in the sequence length. Taught in notebook 10.

The scores are never held all at once. Threads take blocks of query rows one by one; inside a block the
keys come tile by tile (see `tiling.py`), and three running values per row are all that is kept:

    top    the largest score so far         top'   = max(top, max_j s_j)
    total  Σ_j exp(s_j − top) so far        total' = total · exp(top − top') + Σ_j exp(s_j − top')
    acc    Σ_j exp(s_j − top) v_j so far    acc'   = acc · exp(top − top') + Σ_j exp(s_j − top') v_j

and at the end out = acc / total.

Axes: rows of a block · keys of a tile · Dk, Dv widths; `...` are the heads of a block, if several.
"""

import functools
import math
import threading

import numpy as np

from ._checks import AttentionArguments, check_attention, lowest, quiet
from .masks import apply_mask, select_matmul
from .sdpa import attend
from .threads import one_blas_thread, run_blocks
from .tiling import TILE, Block, Tile, blocks, by_group, key_range, tiles

SMALL = 1 << 14  # with fewer scores than this in all, the readable kernel is the faster one
CALM = 25.0  # exp(±25) is 1e±11: far from both ends of float32
KEEP = 1 << 24  # bytes of scratch memory that a thread keeps at the most, for each use


def attention(q, k, v, *, mask=None, causal=False, scale=None, softcap=None, window=None, offset=0):
    """softmax(scale · q kᵀ) v, as `attention_forward` gives it, in less time and memory.

    Parameters are those of `attention_forward`. Returns `out` alone: there is no cache to go back from.
    Taught in notebook 10.

    Examples
    --------
    >>> q, k, v = np.random.default_rng(0).standard_normal((3, 2, 300, 16))
    >>> out, _ = attention_forward(q, k, v, causal=True)
    >>> np.allclose(attention(q, k, v, causal=True), out)
    True
    """
    a = check_attention(q, k, v, mask=mask, causal=causal, scale=scale, softcap=softcap, window=window, offset=offset)
    if math.prod(a.q.shape[:-1]) * a.k.shape[-2] <= SMALL:
        return attend(a)[0]
    out = np.zeros((*a.q.shape[:-1], a.v.shape[-1]), dtype=a.dtype)
    if out.size == 0:
        return out
    a, grouped_out = by_group(a, out)
    with one_blas_thread() as threads:
        run_blocks(functools.partial(attend_block, a, grouped_out), blocks(a, threads), threads)
    return out


@quiet
def attend_block(a: AttentionArguments, out: np.ndarray, block: Block) -> None:
    """Fill one block of `out`, which comes as zeros."""
    index, start, stop = block
    q, k, v, mask = (None if x is None else x[index] for x in (a.q, a.k, a.v, a.mask))
    q, out = q[..., start:stop, :], out[index][..., start:stop, :]
    *lead, rows, _ = q.shape
    position = start + int(a.offset[index].flat[0] if a.offset.ndim else a.offset)  # of the first row
    first, last = key_range(a, position, rows)
    if first >= last:
        return  # nothing to see: zeros

    q = np.multiply(q, a.scale, out=scratch.array("q", q))
    calm = (mask is None or mask.dtype == bool) and is_calm(q, k[..., first:last, :], v[..., first:last, :])
    acc = out if out.dtype == q.dtype else np.zeros_like(out, dtype=q.dtype)  # (..., rows, Dv)
    total = np.zeros((*lead, rows, 1), dtype=q.dtype)
    top = np.full((*lead, rows, 1), lowest(q.dtype), dtype=q.dtype)  # finite, as in softmax_forward
    for tile in tiles(a, position, rows, step=max(1, TILE // math.prod((*lead, rows)))):
        q_tile, k_tile, v_tile = q[..., tile.rows, :], k[..., tile.keys, :], v[..., tile.keys, :]
        mask_tile = None if mask is None else mask[..., start:stop, :][..., tile.rows, tile.keys]
        sums = (acc[..., tile.rows, :], total[..., tile.rows, :], top[..., tile.rows, :])
        scores = np.matmul(q_tile, k_tile.swapaxes(-1, -2), out=scratch.array("scores", q_tile, k_tile.shape[-2]))
        if a.softcap is not None:
            np.tanh(np.divide(scores, a.softcap, out=scores), out=scores)
            scores *= a.softcap
        if calm:
            add_calm_tile(*sums, scores, mask_tile, tile, v_tile)
        else:
            add_tile(*sums, *apply_mask(scores, mask_tile, tile.seen()), v_tile, a.k.shape[-2])
    total[total == 0] = 1  # a row that may see nothing gets zeros
    np.divide(acc, total, out=out, casting="same_kind")


def add_tile(acc, total, top, scores, allowed, v, Tk: int) -> None:
    """Add one tile to the running values, in place.

    All sums are smaller by a factor Tk than the formulas above say, which cancels in acc / total:
    so acc never exceeds the largest value, and cannot overflow.
    """
    new_top = np.maximum(top, scores.max(axis=-1, keepdims=True))
    decay = np.exp(top - new_top)
    scores -= new_top + math.log(Tk)
    weights = np.exp(scores, out=scores)
    total *= decay
    total += weights.sum(axis=-1, keepdims=True)
    acc *= decay
    acc += select_matmul(weights, v, allowed)  # (..., rows, keys) @ (..., keys, Dv) -> (..., rows, Dv)
    top[...] = new_top


def add_calm_tile(acc, total, top, scores, mask, tile: Tile, v) -> None:
    """`add_tile` for scores near 0: `top` may stay what it is, which saves two passes over the tile."""
    weights = np.exp(scores, out=scores)
    if mask is not None:
        np.copyto(weights, 0, where=~mask)
    if tile.hidden is not None:
        np.copyto(weights[..., tile.cut, :], 0, where=tile.hidden)
    total += weights @ np.ones((weights.shape[-1], 1), dtype=weights.dtype)  # row sums
    acc += np.matmul(weights, v, out=scratch.array("product", acc))


def is_calm(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> bool:
    """True if no score can leave ±CALM: then neither exp nor the sums overflow or vanish without a maximum.

    By Cauchy–Schwarz no score exceeds max‖q_i‖ · max‖k_j‖ (q is scaled already). NaN or inf gives False.
    """
    q_square, k_square = (np.einsum("...d,...d->...", x, x).max() for x in (q, k))
    largest = max(v.max(), -v.min())
    return bool(q_square * k_square <= CALM**2 and (largest == 0 or 1e-20 < largest < 1e20))


class Scratch(threading.local):
    """Working memory that a thread keeps between calls: fresh pages cost as much as the work on them."""

    def __init__(self):
        self.memory = {}

    def array(self, name: str, like: np.ndarray, width: int | None = None) -> np.ndarray:
        """Memory of the shape and dtype of `like`, or with another last axis."""
        shape = like.shape if width is None else (*like.shape[:-1], width)
        size = math.prod(shape)
        if size * like.itemsize > KEEP:
            return np.empty(shape, dtype=like.dtype)
        memory = self.memory.get((name, like.dtype))
        if memory is None or memory.size < size:
            memory = self.memory[name, like.dtype] = np.empty(size, dtype=like.dtype)
        return memory[:size].reshape(shape)


scratch = Scratch()
