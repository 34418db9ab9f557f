"""How the blocked kernel cuts up its work. No arithmetic on scores here, only geometry.

A *block* is a run of query rows of one head, or several whole heads when they are small: what one thread does at a
time. A *tile* is a block's rows against a run of keys: what it holds at a time. Keys that no row of a block may see
get no tile.

Axes: B batch · Hk key/value heads · group query heads a key/value head · Tq queries · Tk keys
"""

import functools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ._arguments import AttentionArguments
from .masks import in_window

ROWS = 512  # the most query rows of a block
FEW = 64  # with fewer rows than this, matrix products lose their speed
EDGE = 128  # keys of a tile that a causal or window edge runs through: its hidden half is wasted work


def level_2_cache(folder: str = "/sys/devices/system/cpu/cpu0/cache") -> int:
    """Bytes of level-2 cache that one core has to itself, as Linux reports it; 1 MiB where nothing is reported."""

    def read(index: int, name: str) -> str:
        with open(f"{folder}/index{index}/{name}", encoding="ascii") as file:
            return file.read().strip()

    try:
        index = next(i for i in range(8) if read(i, "level") == "2")
        size = int(read(index, "size").removesuffix("K")) * 1024
        cores = int(read(index, "shared_cpu_map").replace(",", ""), base=16).bit_count()
    except (OSError, ValueError, StopIteration):
        return 1 << 20  # not Linux, or a virtual machine that keeps it to itself
    return min(max(size // max(1, cores), 1 << 18), 1 << 22)


# Bytes of a tile's scores. They are written and read five times over, so they should fit the cache, and just: larger
# tiles mean fewer, longer matrix products. On two machines, this was the fastest of the powers of two.
TILE = level_2_cache()


class Block(NamedTuple):
    """Query rows `start` to `stop` of these heads."""

    heads: tuple[int | slice, ...]  # an index into the axes before the rows; axes that it leaves out are whole
    start: int
    stop: int


class Tile(NamedTuple):
    """Rows (counted from the block's first) against keys; the window may cut through some of the rows."""

    rows: slice
    keys: slice
    cut: slice  # those of its rows, counted from the tile's first, that do not see every key
    hidden: np.ndarray | None  # (cut rows, keys), True where they may not look; None where no row is cut

    def seen(self) -> np.ndarray | None:
        """(rows, keys), which keys each row of the tile sees; None where it is all of them."""
        if self.hidden is None:
            return None
        seen = np.ones((self.rows.stop - self.rows.start, self.hidden.shape[-1]), dtype=bool)
        seen[self.cut] = ~self.hidden
        return seen


def by_group(a: AttentionArguments, out: np.ndarray) -> tuple[AttentionArguments, np.ndarray]:
    """Views with a group axis, so that a query head finds its key/value head at the same index.

    q, mask, out: (B..., Hq, ...) -> (B..., Hk, group, ...). k and v are broadcast along it, not copied.
    """
    if a.q.ndim == 2:
        return a, out
    lead = (*a.k.shape[:-2], a.group)
    a = a._replace(
        q=a.q.reshape(*lead, *a.q.shape[-2:]),
        k=np.broadcast_to(a.k[..., None, :, :], (*lead, *a.k.shape[-2:])),
        v=np.broadcast_to(a.v[..., None, :, :], (*lead, *a.v.shape[-2:])),
        mask=None if a.mask is None else a.mask.reshape(*lead, *a.mask.shape[-2:]),
        offset=a.offset if isinstance(a.offset, int) else np.broadcast_to(a.offset[..., None, None], lead),
    )
    return a, out.reshape(*lead, *out.shape[-2:])


def blocks(a: AttentionArguments, threads: int) -> list[Block]:
    """All the work of a call with a group axis; under a causal mask the longest rows come first."""
    *lead, Tq, _ = a.q.shape
    head = Tq * a.k.shape[-2] * a.q.itemsize  # bytes of one head's scores
    most = min(TILE, math.ceil(math.prod(lead) * head / threads))
    axes = 0 if isinstance(a.offset, int) else len(lead) - 2  # the batch is indexed one by one: a block has one offset
    while axes < len(lead) and math.prod(lead[axes + 1 :]) * head > most:
        axes += 1
    if axes < len(lead):  # several whole heads to a block
        step = max(1, most // (math.prod(lead[axes + 1 :]) * head or 1))
        cuts = [slice(i, i + step) for i in range(0, lead[axes], step)]
        return [Block((*heads, cut), 0, Tq) for heads in np.ndindex(*lead[:axes]) for cut in cuts]
    fair_share = math.ceil(math.prod(lead) * Tq / (4 * threads))
    rows = min(ROWS, max(FEW, fair_share))
    starts = reversed(range(0, Tq, rows))
    return [Block(heads, i, min(i + rows, Tq)) for i in starts for heads in np.ndindex(*lead)]


def key_range(a: AttentionArguments, position: int, rows: int) -> tuple[int, int]:
    """First and last + 1 of the keys that any row sees; the rows sit at position, position + 1, …"""
    return max(0, position - a.left), min(a.k.shape[-2], position + rows + a.right)


def tiles(a: AttentionArguments, position: int, rows: int, step: int) -> Iterator[Tile]:
    """Cut what the rows see into tiles of `step` keys, narrower where an edge of the window runs through."""
    first, last = key_range(a, position, rows)
    # Every row sees the keys from `inner` to `outer`: too few to be worth a tile count as part of an edge.
    inner = min(max(first, position + rows - 1 - a.left), last)
    outer = max(min(last, position + 1 + a.right), inner)
    if outer - inner < EDGE < last - first:
        outer = inner
    edge = min(step, EDGE)
    for low, high, width in ((first, inner, edge), (inner, outer, step), (outer, last, edge)):
        for j in range(low, high, width):
            yield tile(a, position, rows, slice(j, min(j + width, high)))


def tile(a: AttentionArguments, position: int, rows: int, keys: slice) -> Tile:
    """The rows that see any of these keys, against them."""
    low, high = max(0, keys.start - a.right - position), min(rows, keys.stop + a.left - position)
    # The window ends before the last key for rows below `right`, starts after the first from `left` on.
    right = min(high, max(low, keys.stop - 1 - a.right - position))
    left = max(low, min(high, keys.start + a.left - position + 1))
    if right == low and left == high:
        return Tile(slice(low, high), keys, slice(0, 0), None)
    start, stop = (low, right) if left == high else (left, high) if right == low else (low, high)
    hidden = outside_window(stop - start, keys.stop - keys.start, position + start - keys.start, a.left, a.right)
    return Tile(slice(low, high), keys, slice(start - low, stop - low), hidden)


@functools.lru_cache(maxsize=32)
def outside_window(rows: int, keys: int, ahead: int, left: int, right: int) -> np.ndarray:
    """(rows, keys), True outside the window, when the first row sits `ahead` of the first key.

    Along a causal edge all tiles look alike, so the last few are kept.
    """
    positions = ahead + np.arange(rows)[:, None]
    hidden = ~in_window(positions, np.arange(keys), left, right)
    hidden.setflags(write=False)  # shared by many calls
    return hidden
