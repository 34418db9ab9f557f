"""Appendix A2: the measuring functions, the count of tiles, the figures and the slider."""

import time
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course import attention, causal_mask
from sdpa_course.experiments.speed import (
    CUT,
    SKIPPED,
    WHOLE,
    Timing,
    draw_qkv,
    growth_exponent,
    peak_bytes,
    peaks_by_length,
    tiling,
    time_interleaved,
    times_by_length,
)
from sdpa_course.explore import blocks_explorer
from sdpa_course.figures import new
from sdpa_course.figures.speed import cost_by_length, tile_map


def test_calls_alternate_and_every_timed_one_follows_an_untimed_one_of_the_same():
    calls = []
    times = time_interleaved({name: lambda name=name: calls.append(name) for name in "ab"}, rounds=3)
    assert calls == list("aabb" * 3)
    assert list(times) == ["a", "b"]


def test_the_clock_tells_slow_from_quick_and_the_median_ignores_one_slow_round():
    pauses = iter([0, 0.001, 0, 0.4, 0, 0.001])
    times = time_interleaved(
        {"once slow": lambda: time.sleep(next(pauses)), "slow": lambda: time.sleep(0.02)}, rounds=3
    )
    once, slow = times["once slow"], times["slow"]
    assert once.least <= once.lower <= once.median <= once.upper <= once.most
    assert once.most >= 0.4
    assert once.upper == pytest.approx((once.median + once.most) / 2)
    assert once.median < 0.1  # their mean would be above 0.13
    assert slow.least >= 0.02


@pytest.mark.parametrize("running", [False, True])
def test_peak_counts_what_was_held_at_once_and_leaves_tracing_as_it_was(running):
    def call():
        for _ in range(3):
            np.empty(1_000_000)  # 8 MB each, one after the other

    if running:
        tracemalloc.start()
    try:
        kept = np.empty(2_000_000)  # before the call: not counted
        peak = peak_bytes(call)
        assert tracemalloc.is_tracing() is running
    finally:
        tracemalloc.stop()
    assert 8_000_000 <= peak < 8_100_000
    assert kept.size


def test_peak_stops_tracing_after_an_error():
    with pytest.raises(ZeroDivisionError):
        peak_bytes(lambda: 1 / 0)
    assert not tracemalloc.is_tracing()


def test_memory_of_the_textbook_grows_like_T_squared_and_that_of_the_package_does_not():
    functions = {"textbook": lambda q, k, v: np.exp(q @ k.T) @ v, "attention": attention}
    lengths = [512, 1024, 2048]
    peaks = peaks_by_length(functions, lengths, rng=np.random.default_rng(0))
    assert_allclose(growth_exponent(lengths, peaks["textbook"]), 2, atol=0.05)
    assert peaks["textbook"][-1] >= 4 * 2048**2
    assert growth_exponent(lengths, peaks["attention"]) < 1.4
    assert peaks["attention"][-1] < 4 * 2048**2 / 4


def test_memory_reserved_in_one_call_and_kept_for_the_next_is_not_counted():
    kept = []

    def call(q, k, v):
        if len(kept) < 2:  # in the first call and in the second, as a thread that comes late does
            kept.append(np.empty(1_000_000))
        return np.empty(1000)

    peaks = peaks_by_length({"late": call}, [8], rng=np.random.default_rng(0))
    assert 8000 <= peaks["late"][0] < 100_000


def test_all_contestants_get_the_same_input_and_every_length_is_timed():
    seen = {"a": [], "b": []}
    functions = {name: lambda q, k, v, name=name: seen[name].append((q, k, v)) for name in seen}
    times = times_by_length(functions, [3, 5], rng=np.random.default_rng(0), rounds=2)
    assert [len(q) for q, _, _ in seen["a"]] == [3] * 4 + [5] * 4
    for (q, k, v), other in zip(seen["a"], seen["b"], strict=True):
        assert q is other[0]
        assert (q != k).all()
        assert v.dtype == np.float32
    assert [len(times[name]) for name in "ab"] == [2, 2]
    q, k, v = draw_qkv(7, rng=np.random.default_rng(0), d_k=3, d_v=2, dtype=np.float64)
    assert (q.shape, k.shape, v.shape, v.dtype) == ((7, 3), (7, 3), (7, 2), np.float64)


@pytest.mark.parametrize(("T", "block"), [(6, 2), (64, 8), (100, 7), (5, 5), (5, 9), (9, 1), (1, 1)])
@pytest.mark.parametrize("causal", [False, True])
def test_tiles_are_what_the_mask_says(T, block, causal):
    """Count on the mask itself, tile by tile."""
    allowed = causal_mask(T, T) if causal else np.ones((T, T), dtype=bool)
    result = tiling(T, block, causal=causal)
    n = -(-T // block)
    assert result.kinds.shape == (n, n)
    computed = 0
    for i, j in np.ndindex(n, n):
        tile = allowed[i * block : (i + 1) * block, j * block : (j + 1) * block]
        assert result.kinds[i, j] == (WHOLE if tile.all() else CUT if tile.any() else SKIPPED)
        computed += tile.size * tile.any()
    assert result.computed == computed
    assert result.needed == allowed.sum()
    assert result.held == min(T, block) ** 2
    assert result.tiles == (n * (n + 1) // 2 if causal else n * n)


def test_time_and_memory_are_drawn_as_given():
    _, axes = new(1, 2)
    lengths = [100, 200, 400]
    times = {
        "textbook": [Timing(*(t * 4**i for t in (0.001, 0.0001, 0.01, 0.0005, 0.002))) for i in range(3)],
        "PyTorch": [Timing(*(t * 2**i for t in (0.003, 0.0001, 0.01, 0.002, 0.004))) for i in range(3)],
    }
    alt = cost_by_length(axes, lengths, times, {"textbook": [2**20 * 4**i for i in range(3)]}, {"textbook": 2})
    lines = {line.get_label(): line for line in axes[1].lines}
    assert_allclose(lines["textbook: $T^{2.0}$"].get_ydata(), [1, 4, 16])
    assert_allclose(growth_exponent(lengths, lines["$T$ (slope only)"].get_ydata()), 1)
    assert_allclose(growth_exponent(lengths, lines["$T^2$ (slope only)"].get_ydata()), 2)
    first, second = axes[0].containers
    assert (first.get_label(), second.get_label()) == ("textbook", "PyTorch")
    assert_allclose(first.lines[0].get_ydata(), [1, 4, 16])
    low, high = (cap.get_ydata().astype(float) for cap in first.lines[1])  # the quartiles
    assert_allclose(low, [0.5, 2, 8])
    assert_allclose(high, [2, 8, 32])
    (guide,) = (line for line in axes[0].lines if line.get_label() == "$T^2$ (slope only)")
    assert_allclose(growth_exponent(lengths, guide.get_ydata()), 2)
    assert (guide.get_ydata() > [4, 8, 32]).all()  # above all bars, at short lengths too
    assert first.lines[0].get_marker() != second.lines[0].get_marker()
    assert axes[0].get_xscale() == axes[0].get_yscale() == axes[1].get_xscale() == axes[1].get_yscale() == "log"
    assert "textbook from 1 to 16 ms; PyTorch from 3 to 12 ms; a dashed line" in alt  # no power: the clock is not ours
    assert "textbook from 1 to 16 MiB, like T to the power 2.0" in alt


def test_the_map_shows_and_describes_the_tiles():
    _, axes = new(1, 2)
    result = tiling(10, 4, causal=True)  # the last tiles are cut off by the edge
    alt = tile_map(axes, result)
    (image,) = axes[0].images
    assert (image.get_array() == result.kinds).all()
    assert list(image.get_extent()) == [0, 1.2, 1.2, 0]
    assert axes[0].get_xlim() == (0, 1)
    written = [text.get_text() for text in axes[1].texts]
    assert written == ["100", "68", "55", "16"]
    assert [bar.get_segments()[0][1, 0] for bar in axes[1].collections] == [1, 0.68, 0.55, 0.16]
    assert axes[1].get_xscale() == "linear"
    assert_allclose(axes[1].get_xlim(), [0, 1.5])
    assert "6 of 9 are computed, 3 of them partly hidden, 3 skipped" in alt
    assert "100 scores in all, 68 computed, 55 needed, 16 held at once" in alt


def test_slider_numbers():
    explorer = blocks_explorer()
    numbers = explorer.view(T=1024).numbers
    assert numbers["Tiles computed"] == "136 of 256 (53.1%)"
    assert numbers["Computed but hidden"] == f"{32256 / 557056:.1%}"  # as in the notebook's third question
    assert numbers["Scores held at once"].startswith("4096 of 1048576")
    assert explorer.view(T=1024, causal=False).numbers["Tiles computed"] == "256 of 256 (100.0%)"
    assert explorer.view(T=64, block=256).numbers["Scores held at once"] == "4096 of 4096 (100.00%)"
