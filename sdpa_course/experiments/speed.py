"""How long does a call take, how much memory, and which tiles of the scores does it touch? Used in notebooks 07 and 10.

Times depend on the machine and the moment, so contestants are measured side by side: each round calls every one of
them once, right after an untimed call, and a busy moment hits all of them.

Axes: T tokens · d_k, d_v widths · n tiles along each side
"""

import functools
import math
import time
import tracemalloc
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

SKIPPED, CUT, WHOLE = range(3)  # kinds of tiles: nothing to see, some of it hidden, all of it seen


class Timing(NamedTuple):
    """Seconds of one call, over the rounds."""

    median: float
    least: float
    most: float
    lower: float  # quartile: a quarter of the calls took less
    upper: float  # a quarter took more


def time_interleaved(contestants: dict[str, Callable[[], object]], rounds: int = 5) -> dict[str, Timing]:
    """Time the contestants in turn; every timed call follows an untimed one of the same contestant."""
    times = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, call in contestants.items():
            call()
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    quantiles = (0.5, 0, 1, 0.25, 0.75)  # in the order of the fields
    return {name: Timing(*map(float, np.quantile(values, quantiles))) for name, values in times.items()}


def peak_bytes(call: Callable[[], object]) -> int:
    """The largest growth in memory during a call, in bytes, including its result.

    Counts what Python and NumPy allocate, in all threads. It sees neither what other libraries (PyTorch) allocate
    nor what was kept from an earlier call.
    """
    running = tracemalloc.is_tracing()
    if not running:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        call()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        if not running:
            tracemalloc.stop()
    return peak - before


def draw_qkv(T: int, *, rng: np.random.Generator, d_k: int = 64, d_v: int = 64, dtype=np.float32) -> tuple:
    """Queries, keys and values of T tokens, one head, with N(0, 1) entries."""
    return tuple(rng.standard_normal((T, width), dtype=dtype) for width in (d_k, d_k, d_v))


def times_by_length(functions: dict, lengths, *, rng: np.random.Generator, rounds: int = 5) -> dict:
    """`{name: [Timing, …]}`, one for each length, of `function(q, k, v)` with one head of width 64 in float32."""
    return by_length(lambda calls: time_interleaved(calls, rounds), functions, lengths, rng)


def peaks_by_length(functions: dict, lengths, *, rng: np.random.Generator) -> dict:
    """`{name: [bytes, …]}`, one for each length: `peak_bytes` of the same calls, each after a warm-up call.

    The smallest of three: in any call, a thread that was idle so far may reserve memory that it then keeps.
    """

    def smallest(call) -> int:
        call()  # so that memory it keeps between calls is already reserved
        return min(peak_bytes(call) for _ in range(3))

    return by_length(lambda calls: {name: smallest(call) for name, call in calls.items()}, functions, lengths, rng)


def by_length(measure, functions: dict, lengths, rng: np.random.Generator) -> dict:
    """`{name: [result, …]}`, one for each length, of `measure(calls)`: calls by name, all on the same draw."""
    found = []
    for T in lengths:
        qkv = draw_qkv(T, rng=rng)
        found.append(measure({name: functools.partial(function, *qkv) for name, function in functions.items()}))
    return {name: [each[name] for each in found] for name in functions}


def growth_exponent(lengths, values) -> float:
    """The power p of values ∝ lengths^p that fits best: the slope of a straight line on logarithmic axes.

    Examples
    --------
    >>> round(growth_exponent([1, 2, 4], [5, 20, 80]), 6)
    2.0
    """
    return float(np.polyfit(np.log(lengths), np.log(values), 1)[0])


class Tiling(NamedTuple):
    """The T × T scores cut into square tiles, and what a blocked kernel does with each."""

    T: int
    block: int
    causal: bool
    kinds: np.ndarray  # (n, n) of SKIPPED, CUT and WHOLE; rows are blocks of queries, columns blocks of keys
    needed: int  # scores that some query may see
    computed: int  # scores of all tiles that are not skipped
    held: int  # scores of one tile: what is in memory at once

    @property
    def tiles(self) -> int:
        """How many tiles are computed."""
        return int((self.kinds != SKIPPED).sum())

    @property
    def wasted(self) -> float:
        """Share of the computed scores that no query may see."""
        return 1 - self.needed / self.computed


def tiling(T: int = 512, block: int = 64, causal: bool = True) -> Tiling:
    """Which tiles does a query block have to visit? Derived in notebook A2.

    Examples
    --------
    >>> tiling(6, 2, causal=True).kinds
    array([[1, 0, 0],
           [2, 1, 0],
           [2, 2, 1]])
    """
    starts = np.arange(0, T, block)
    stops = np.minimum(starts + block, T)
    sizes = stops - starts
    area = sizes[:, None] * sizes
    if not causal:
        return Tiling(T, block, causal, np.full(area.shape, WHOLE), T * T, T * T, int(area[0, 0]))
    all_seen = stops[None, :] - 1 <= starts[:, None]  # even the first query sees the last key
    some_seen = starts[None, :] <= stops[:, None] - 1  # the last query sees the first key
    kinds = np.where(all_seen, WHOLE, np.where(some_seen, CUT, SKIPPED))
    return Tiling(T, block, causal, kinds, math.comb(T + 1, 2), int(area[kinds != SKIPPED].sum()), int(area[0, 0]))
