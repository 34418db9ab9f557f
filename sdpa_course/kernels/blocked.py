"""The same attention, blocked and threaded: memory linear in the sequence length. Taught in notebook A2.

The scores are never all in memory at once. Threads take blocks of query rows one by one; inside a block the keys come
tile by tile (see `tiling.py`), and three running values per row are all that's kept:

    top    the largest score so far         top'   = max(top, max_j s_j)
    total  Σ_j exp(s_j − top) so far        total' = total · exp(top − top') + Σ_j exp(s_j − top')
    acc    Σ_j exp(s_j − top) v_j so far    acc'   = acc · exp(top − top') + Σ_j exp(s_j − top') v_j

and at the end out = acc / total. Where no score can be large, top isn't needed and stays out of it; and if all scores
then fit into a few megabytes, there's no need for tiles either (`attend_whole`).

Axes: rows of a block · keys of a tile · Dk, Dv widths; `...` are the heads of a block, if several.
"""

import functools
import math
import threading
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from ._arguments import AttentionArguments, check_attention
from ._checks import lowest, quiet
from .masks import apply_mask, select_matmul
from .sdpa import attend, visible
from .threads import blas_threads, one_blas_thread, run_blocks
from .tiling import FEW, TILE, Block, Tile, blocks, by_group, key_range, tiles

SMALL = 1 << 15  # with fewer scores than this altogether, the readable kernel is the faster one
CALM = 25.0  # exp(±25) is 1e±11, and a value within 1e±20 times that is far from both ends of float32
WHOLE, PAIR = 1 << 24, 2  # all scores are held at once up to this many bytes, if BLAS has exactly this many threads
KEEP = 1 << 24  # the most scratch memory in bytes that a thread keeps, for each use


def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    causal: bool = False,
    scale: float | None = None,
    softcap: float | None = None,
    window: tuple[int | None, int | None] | None = None,
    offset: ArrayLike = 0,
) -> np.ndarray:
    """softmax(scale · q kᵀ) v: the same numbers as `attention_forward`, in less time and memory.

    The parameters are those of `attention_forward`. Returns `out` alone, because there's no way back without the
    weights. Taught in notebook A2.

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
    if fits_whole(a) and is_calm(a.q, a.k, a.v, a.scale):
        attend_whole(a, grouped_out)
        return out
    with one_blas_thread() as threads:
        run_blocks(functools.partial(attend_block, a, grouped_out), blocks(a, threads), threads)
    return out


def fits_whole(a: AttentionArguments) -> bool:
    """Few enough scores to hold all of them, nothing added to them, one offset for all sequences, and two threads."""
    size = math.prod(a.q.shape[:-1]) * a.k.shape[-2] * a.q.itemsize
    plain = (a.mask is None or a.mask.dtype == bool) and isinstance(a.offset, int)
    return size <= WHOLE and plain and blas_threads() == PAIR  # one: BLAS is held, and blocks still use two threads


@quiet
def attend_whole(a: AttentionArguments, out: np.ndarray) -> None:
    """All of `out` at once, for scores near 0 that fit into memory.

    The products are left to BLAS and its own threads. Those go on spinning for milliseconds after a product, and on two
    cores a thread of ours would hardly get past them: a call that follows other products took twice as long in blocks.
    Alone it takes a fifth longer here, because exp has one thread.
    """
    q = np.multiply(a.q, a.scale, out=scratch.array("q", a.q))
    seen = visible(a)
    hidden = None if seen is None else ~seen
    total, acc = calm_sums(capped_scores(a, q, a.k), a.mask, hidden, slice(None), a.v)
    total[total == 0] = 1  # a row that may see nothing gets zeros
    np.divide(acc, total, out=out, casting="same_kind")


@quiet
def attend_block(a: AttentionArguments, out: np.ndarray, block: Block) -> None:
    """Fill one block of `out`, which comes as zeros."""
    heads, start, stop = block
    k, v, mask = a.k[heads], a.v[heads], None if a.mask is None else a.mask[heads][..., start:stop, :]
    q, out = a.q[heads][..., start:stop, :], out[heads][..., start:stop, :]
    *lead, rows, _ = q.shape
    position = start + (a.offset if isinstance(a.offset, int) else int(a.offset[heads].flat[0]))  # of the first row
    first, last = key_range(a, position, rows)
    if first >= last:
        return  # nothing to see: zeros

    acc = out if out.dtype == q.dtype else np.zeros_like(out, dtype=q.dtype)  # (..., rows, Dv)
    total = np.zeros((*lead, rows, 1), dtype=q.dtype)
    if (mask is None or mask.dtype == bool) and is_calm(q, k[..., first:last, :], v[..., first:last, :], a.scale):
        q = np.multiply(q, a.scale, out=scratch.array("q", q))
        for tile, scores, mask_tile in score_tiles(a, q, k, mask, position):
            tile_total, tile_acc = calm_sums(scores, mask_tile, tile.hidden, tile.cut, v[..., tile.keys, :])
            total[..., tile.rows, :] += tile_total
            acc[..., tile.rows, :] += tile_acc
    else:
        # Values near the largest float may overflow in the sum. Then do it again with all weights a power of two
        # smaller, in acc and total alike: it cancels in the end, to the last digit.
        for shrink in (1.0, 2.0 ** -math.ceil(math.log2(last - first))):
            acc[...], total[...] = 0, 0
            top = np.full((*lead, rows, 1), lowest(q.dtype), dtype=q.dtype)  # finite, as in softmax_forward
            # The scale comes after the product, as in the readable kernel: large scores feel every rounding.
            for tile, scores, mask_tile in score_tiles(a, q, k, mask, position, a.scale):
                sums = (acc[..., tile.rows, :], total[..., tile.rows, :], top[..., tile.rows, :])
                add_tile(*sums, *apply_mask(scores, mask_tile, tile.seen()), v[..., tile.keys, :], shrink)
            if np.isfinite(acc).all():
                break
    total[total == 0] = 1  # a row that may see nothing gets zeros
    np.divide(acc, total, out=out, casting="same_kind")


def score_tiles(
    a: AttentionArguments, q: np.ndarray, k: np.ndarray, mask: np.ndarray | None, position: int, scale: float = 1
) -> Iterator[tuple[Tile, np.ndarray, np.ndarray | None]]:
    """The scores of a block, tile by tile, scaled and capped; and the part of the mask that belongs to each."""
    *lead, rows, _ = q.shape
    step = max(1, TILE // (math.prod((*lead, rows)) * q.itemsize))
    for tile in tiles(a, position, rows, step):
        scores = capped_scores(a, q[..., tile.rows, :], k[..., tile.keys, :], scale)
        yield tile, scores, None if mask is None else mask[..., tile.rows, tile.keys]


def capped_scores(a: AttentionArguments, q: np.ndarray, k: np.ndarray, scale: float = 1) -> np.ndarray:
    """scale · q kᵀ, capped, in scratch memory."""
    scores = np.matmul(q, k.swapaxes(-1, -2), out=scratch.array("scores", q, k.shape[-2]))
    if scale != 1:
        scores *= scale
    if a.softcap is not None:
        np.tanh(np.divide(scores, a.softcap, out=scores), out=scores)
        scores *= a.softcap
    return scores


def add_tile(acc, total, top, scores, allowed, v, shrink: float) -> None:
    """Add one tile to the running values, in place."""
    new_top = np.maximum(top, scores.max(axis=-1, keepdims=True))
    decay = np.exp(top - new_top)
    scores -= new_top
    weights = np.exp(scores, out=scores)
    if shrink != 1:
        weights *= shrink  # in acc and in total alike, so it cancels in the end
    total *= decay
    total += weights.sum(axis=-1, keepdims=True)
    acc *= decay
    acc += select_matmul(weights, v, allowed)  # (..., rows, keys) @ (..., keys, Dv) -> (..., rows, Dv)
    top[...] = new_top


def calm_sums(scores, mask, hidden, cut: slice, v) -> tuple[np.ndarray, np.ndarray]:
    """What scores near 0 add to total and acc. They need no maximum, and that saves two passes over them."""
    weights = np.exp(scores, out=scores)
    if mask is not None:
        np.copyto(weights, 0, where=~mask)
    if hidden is not None:
        np.copyto(weights[..., cut, :], 0, where=hidden)
    total = weights @ np.ones((weights.shape[-1], 1), dtype=weights.dtype)  # row sums
    return total, np.matmul(weights, v, out=scratch.array("product", weights, v.shape[-1]))


def is_calm(q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float = 1.0) -> bool:
    """Can we do without the maximum? Yes if every |score| ≤ CALM and every value is 0 or of a size within 1e±20.

    By Cauchy–Schwarz no score exceeds scale · max‖q_i‖ · max‖k_j‖. NaN or inf gives False, and so do a few rows:
    looking through all keys and values costs more than the maximum then.
    """
    if q.shape[-2] < FEW:
        return False
    q_square, k_square = (float(np.einsum("...d,...d->...", x, x).max()) for x in (q, k))
    if not scale**2 * q_square * k_square <= CALM**2:
        return False
    sizes = np.abs(v, out=scratch.array("sizes", v))
    smallest = sizes.min(initial=1)
    if smallest == 0:
        smallest = sizes.min(where=sizes > 0, initial=1)
    return bool(smallest > 1e-20 and sizes.max(initial=0) < 1e20)


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
