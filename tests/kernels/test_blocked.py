"""The blocked kernel where it really blocks: many tiles, many blocks, both arithmetic paths."""

import os
import subprocess
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course import attention, attention_forward
from sdpa_course.kernels import blocked, threads, tiling
from sdpa_course.kernels._arguments import check_attention
from tests.kernels.settings import describe, random_setting


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of a few rows and tiles of a few keys, so that small arrays cross every boundary."""
    monkeypatch.setattr(blocked, "SMALL", 0)
    monkeypatch.setattr(blocked, "WHOLE", 0)
    monkeypatch.setattr(blocked, "TILE", 24 * 8)
    monkeypatch.setattr(tiling, "TILE", 24 * 8)
    monkeypatch.setattr(blocked, "FEW", 1)
    monkeypatch.setattr(tiling, "FEW", 1)
    monkeypatch.setattr(tiling, "ROWS", 4)
    monkeypatch.setattr(tiling, "EDGE", 3)


@pytest.mark.parametrize("calm", [True, False], ids=["calm", "running maximum"])
@pytest.mark.parametrize("seed", range(150))
def test_blocks_give_what_the_readable_kernel_gives(seed, calm, small_blocks, monkeypatch):
    rng = np.random.default_rng(seed)
    q, k, v, keywords = random_setting(rng, sizes=(1, 3, 5, 7, 16, 19, 33))
    if not calm:
        q = q * 40  # some scores beyond what exp stands without a maximum
        monkeypatch.setattr(blocked, "CALM", 0.0)
    expected, _ = attention_forward(q, k, v, **keywords)
    assert_allclose(attention(q, k, v, **keywords), expected, atol=1e-12, err_msg=describe(q, k, v, keywords))


@pytest.mark.parametrize("seed", range(60))
def test_all_at_once_gives_what_the_readable_kernel_gives(seed, monkeypatch):
    monkeypatch.setattr(blocked, "SMALL", 0)
    monkeypatch.setattr(blocked, "FEW", 1)
    monkeypatch.setattr(blocked, "CALM", 1e3)
    monkeypatch.setattr(blocked, "blas_threads", lambda: 2)
    whole = []
    monkeypatch.setattr(blocked, "attend_whole", lambda *args, f=blocked.attend_whole: (whole.append(1), f(*args)))
    q, k, v, keywords = random_setting(np.random.default_rng(900 + seed), sizes=(1, 3, 5, 7, 16, 19, 33))
    if keywords["mask"] is not None and keywords["mask"].dtype != bool:
        keywords["mask"] = keywords["mask"] > 0
    keywords["offset"] = int(np.ravel(keywords["offset"])[0])
    expected, _ = attention_forward(q, k, v, **keywords)
    assert_allclose(attention(q, k, v, **keywords), expected, atol=1e-12, err_msg=describe(q, k, v, keywords))
    assert whole, "this was meant to take the shortcut"


@pytest.mark.parametrize("seed", range(40))
def test_hidden_nan_stays_hidden_across_tiles(seed, small_blocks):
    rng = np.random.default_rng(500 + seed)
    q, k, v, keywords = random_setting(rng, sizes=(5, 7, 16, 19, 33))
    keywords["mask"] = rng.random((q.shape[-2], k.shape[-2])) < 0.8
    k[..., 2, :] = [np.nan, np.inf][seed % 2]
    v[..., 3, 0] = [np.nan, -np.inf][seed % 2]
    expected, _ = attention_forward(q, k, v, **keywords)
    assert_allclose(attention(q, k, v, **keywords), expected, atol=1e-12, err_msg=describe(q, k, v, keywords))


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"causal": True},
        {"causal": True, "offset": 700},
        {"window": (40, 3)},
        {"window": (600, None), "causal": True, "offset": -50},
        {"softcap": 3.0, "scale": 2.0},
        {"scale": 5.0, "causal": True},
    ],
    ids=str,
)
def test_real_block_sizes(keywords, monkeypatch):
    monkeypatch.setattr(blocked, "WHOLE", 0)
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal(shape) for shape in ((6, 1100, 24), (2, 1300, 24), (2, 1300, 17)))
    expected, _ = attention_forward(q, k, v, **keywords)
    assert_allclose(attention(q, k, v, **keywords), expected, atol=1e-12)
    mask = rng.random((1100, 1300)) < 0.5
    for hidden in (mask, np.where(mask, rng.standard_normal(mask.shape), -np.inf)):
        expected, _ = attention_forward(q, k, v, mask=hidden, **keywords)
        assert_allclose(attention(q, k, v, mask=hidden, **keywords), expected, atol=1e-12)


def test_sequences_of_different_lengths_in_real_blocks():
    rng = np.random.default_rng(2)
    q, k, v = (rng.standard_normal((3, 2, 300, 16)) for _ in range(3))
    offset = np.array([-40, 0, 170])
    expected, _ = attention_forward(q, k, v, causal=True, offset=offset)
    assert_allclose(attention(q, k, v, causal=True, offset=offset), expected, atol=1e-12)


@pytest.mark.parametrize("magnitude", [1e-32, 1e-3, 1.0, 1e4, 3e38])
def test_any_magnitude_of_values_and_scores(magnitude):
    """Both paths, at the float32 limits: scores of 1e4 and values next to the largest float."""
    rng = np.random.default_rng(3)
    q, k = (rng.standard_normal((300, 16), dtype=np.float32) for _ in "qk")
    v = np.full((300, 5), magnitude, np.float32)
    assert_allclose(attention(q, k, v), magnitude, rtol=1e-5)
    assert_allclose(attention(q, k, v, scale=1e4), magnitude, rtol=1e-5)


def test_the_maximum_is_left_out_only_when_no_score_can_be_large(monkeypatch):
    monkeypatch.setattr(blocked, "FEW", 4)
    q, k, v = np.full((4, 9), 2.0), np.full((6, 9), 1.25), np.ones((6, 3))  # every score is 22.5
    assert blocked.is_calm(q, k, v, 1.0)
    assert not blocked.is_calm(q, k, v, -1.2)
    assert not blocked.is_calm(q * 1.2, k, v, 1.0)
    assert not blocked.is_calm(q, k * np.nan, v, 1.0)
    assert not blocked.is_calm(q, k, v * np.inf, 1.0)
    assert not blocked.is_calm(q, k, v * 1e21, 1.0)
    assert not blocked.is_calm(q, k, v * np.array([1, 1, 1e-30]), 1.0)  # one small column is enough
    assert blocked.is_calm(q, k, v * 0, 1.0)
    assert not blocked.is_calm(q[:3], k, v, 1.0)  # so few rows that looking costs more than it saves


@pytest.mark.parametrize("seed", range(30))
def test_tiles_cover_what_is_seen_once_and_nothing_else(seed, small_blocks):
    rng = np.random.default_rng(seed)
    q, k, v = (np.zeros((n, 2)) for n in (int(rng.integers(1, 20)), *[int(rng.integers(1, 40))] * 2))
    window = [None, (3, 2), (None, 4), (5, None), (0, 0)][seed % 5]
    keywords = {"causal": bool(seed % 2), "window": window, "offset": int(rng.integers(-5, 40))}
    a = check_attention(q, k, v, mask=None, scale=None, softcap=None, **keywords)
    seen = np.zeros((len(q), len(k)), dtype=int)
    for block in tiling.blocks(a, threads=2):
        position = block.start + keywords["offset"]
        for tile in tiling.tiles(a, position, block.stop - block.start, step=7):
            rows = slice(block.start + tile.rows.start, block.start + tile.rows.stop)
            tile_seen = tile.seen()
            seen[rows, tile.keys] += 1 if tile_seen is None else tile_seen
    expected = attention_forward(q, k, v, **keywords)[1].allowed
    np.testing.assert_array_equal(seen, 1 if expected is None else expected)


def test_views_for_grouped_heads_copy_nothing():
    q, k, v = np.zeros((2, 6, 40, 8)), np.zeros((2, 3, 50, 8)), np.zeros((2, 3, 50, 7))
    mask = np.ones((2, 1, 1, 50), dtype=bool)
    a = check_attention(q, k, v, mask=mask, causal=False, scale=None, softcap=None, window=None, offset=[0, 1])
    grouped, _ = tiling.by_group(a, np.zeros((2, 6, 40, 7)))
    for ours, given in ((grouped.q, q), (grouped.k, k), (grouped.v, v), (grouped.mask, mask)):
        assert np.shares_memory(ours, given)


def test_memory_is_linear_in_the_sequence_length(monkeypatch):
    monkeypatch.setattr(blocked, "WHOLE", 0)
    monkeypatch.setattr(blocked, "TILE", 1 << 20)  # memory goes with the tile, which goes with the machine's cache
    rng = np.random.default_rng(4)

    def extra(T, mask=None):
        q, k, v = (rng.standard_normal((1, 2, T, 16), dtype=np.float32) for _ in range(3))
        attention(q[..., :64, :], k[..., :512, :], v[..., :512, :])  # the threads' scratch memory exists
        tracemalloc.start()
        attention(q, k, v, causal=True, mask=mask)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    short, long = extra(1024), extra(4096)
    assert long < 6 * short + 4e6  # 4 times the tokens; all scores at once would be 16 times, 134 MB
    mask = np.broadcast_to(np.zeros(4096), (4096, 4096))  # float64 on float32: not cast as a whole, 67 MB
    assert extra(4096, mask=mask) < long + 4e6


def blas_threads() -> list[int]:
    """How many threads each BLAS library is set to."""
    libraries = threads.blas_libraries()
    assert libraries, "threadpoolctl finds no BLAS here, so these tests would test nothing"
    return [library.num_threads for library in libraries]


def test_blas_threads_are_given_back_even_after_an_error(monkeypatch):
    monkeypatch.setattr(blocked, "WHOLE", 0)  # in blocks, however small
    before = blas_threads()
    q = np.ones((4, 200, 8))
    attention(q, q, q)
    assert blas_threads() == before

    def fail(*args):
        raise RuntimeError("on purpose")

    monkeypatch.setattr(blocked, "attend_block", fail)
    with pytest.raises(RuntimeError, match="on purpose"):
        attention(q, q, q)
    assert blas_threads() == before


@pytest.mark.parametrize("whole", [0, blocked.WHOLE], ids=["blocks", "whole"])
def test_calls_from_several_threads_at_once(whole, monkeypatch):
    monkeypatch.setattr(blocked, "WHOLE", whole)
    rng = np.random.default_rng(5)
    q, k, v = (rng.standard_normal((4, 300, 16)) for _ in range(3))
    expected, _ = attention_forward(q, k, v)
    wrong = []

    def call():
        for _ in range(5):
            if not np.allclose(attention(q, k, v), expected, atol=1e-12):
                wrong.append(1)

    callers = [threading.Thread(target=call) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong
    assert threads._holders == 0


def test_without_threads_the_calling_thread_does_it_all(monkeypatch):
    """A browser's Python raises RuntimeError when a thread is started."""

    def no_threads():
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads, "thread_pool", no_threads)
    done = []
    threads.run_blocks(done.append, range(7), threads=4)
    assert done == list(range(7))


def test_when_only_some_threads_start_those_are_waited_for(monkeypatch):
    class Pool:
        def submit(self, function):
            if started:
                raise RuntimeError("can't start new thread")
            started.append(threading.Thread(target=function))
            started[0].start()

    started, done = [], []
    monkeypatch.setattr(threads, "thread_pool", lambda: Pool())

    def slow(block):
        time.sleep(0.02)
        done.append(block)

    threads.run_blocks(slow, range(9), threads=4)
    assert sorted(done) == list(range(9))


def test_as_many_threads_as_blas_would_use():
    before = blas_threads()
    try:
        for count in (1, 2):
            threads.set_blas_threads([count] * len(before))
            with threads.one_blas_thread() as allowed:
                assert (allowed, set(blas_threads())) == (count, {1})
            assert set(blas_threads()) == {count}
    finally:
        threads.set_blas_threads(before)


def test_a_call_does_not_wait_for_helpers_that_are_busy_elsewhere(monkeypatch):
    class BusyPool:
        def submit(self, function):
            queued.append(function)

    queued, done = [], []
    monkeypatch.setattr(threads, "thread_pool", lambda: BusyPool())
    threads.run_blocks(done.append, range(5), threads=2)
    assert done == list(range(5))
    queued[0]()  # the helper comes at last, and finds nothing to do
    assert done == list(range(5))


def test_an_error_in_a_helper_reaches_the_caller():
    caller = threading.get_ident()

    def fail_elsewhere(block):
        if threading.get_ident() != caller:
            raise KeyError("in a helper")
        time.sleep(0.01)

    with pytest.raises(KeyError, match="in a helper"):
        threads.run_blocks(fail_elsewhere, range(100), threads=2)


def test_where_blas_cannot_be_asked_there_is_a_thread_per_core(monkeypatch):
    """As with Accelerate on macOS; a browser has one thread."""
    monkeypatch.setattr(threads, "blas_libraries", list)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    with threads.one_blas_thread() as count:
        assert count == 3
    monkeypatch.setattr(sys, "platform", "emscripten")
    with threads.one_blas_thread() as count:
        assert count == 1


def test_a_fork_in_the_middle_of_a_call_starts_afresh(monkeypatch):
    before = blas_threads()
    monkeypatch.setattr(threads, "_holders", 1)
    monkeypatch.setattr(threads, "_before", before)
    threads.set_blas_threads([1] * len(before))
    threads.forget_threads()
    assert (threads._holders, blas_threads()) == (0, before)


FORK = """
import os, numpy as np
from sdpa_course import attention
q = np.ones((4, 300, 8))
attention(q, q, q)  # now the parent's threads exist
pid = os.fork()
if pid == 0:
    attention(q, q, q)
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_can_attend():
    run = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() == "7", run.stderr
