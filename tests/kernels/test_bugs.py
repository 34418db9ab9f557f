"""Bugs that a careful reader found, each with the smallest case that shows it."""

import copy
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sdpa_course import KVCache, attention, attention_forward, init_multihead, multihead_decode
from sdpa_course.kernels import blocked, decoding, threads
from sdpa_course.kernels.layernorm import layer_norm_forward
from sdpa_course.kernels.loss import cross_entropy_forward
from sdpa_course.kernels.tiling import level_2_cache

BOTH = pytest.mark.parametrize(
    "attend",
    [attention, lambda *arrays, **keywords: attention_forward(*arrays, **keywords)[0]],
    ids=["fast", "readable"],
)


@pytest.mark.parametrize(("dtype", "size"), [(np.float16, 1), (np.float32, 1), (np.float32, 1e30), (np.float64, 1e300)])
def test_layer_norm_of_entries_whose_squares_overflow(dtype, size):
    out, _ = layer_norm_forward((np.array([[300, -300, 600]]) * size).astype(dtype))
    assert out.dtype == dtype
    assert_allclose(out, [[0.2673, -1.3363, 1.069]], atol=1e-3)


def test_calls_of_many_lengths_share_one_pool_of_threads(monkeypatch):
    """As on a machine with 64 cores, where every number of helpers used to get a pool of its own."""
    monkeypatch.setattr(threads, "threads_without_blas", lambda: 64)
    monkeypatch.setattr(threads, "blas_libraries", list)
    monkeypatch.setattr(blocked, "WHOLE", 0)
    before = threading.active_count()
    for T in range(200, 500, 5):
        x = np.ones((T, 4))
        attention(x, x, x)
    assert threading.active_count() - before <= (os.cpu_count() or 1)


@pytest.mark.parametrize("when", ["attend", "project out"])
def test_an_interrupt_while_decoding_leaves_the_cache_as_it_was(when, monkeypatch):
    rng = np.random.default_rng(0)
    params, cache = init_multihead(12, 3, rng=rng), KVCache()
    multihead_decode(rng.standard_normal((4, 12)), params, cache)
    keys = cache.k.copy()

    def interrupt(*args, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr(decoding, {"attend": "attention", "project out": "linear_forward"}[when], interrupt)
    with pytest.raises(KeyboardInterrupt):
        multihead_decode(rng.standard_normal((1, 12)), params, cache)
    assert_array_equal(cache.k, keys)
    assert cache.lengths == 4


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from sdpa_course import KVCache, init_multihead, multihead_decode

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
rng = np.random.default_rng(1)
params, cache = init_multihead(64, 4, rng=rng), KVCache()
multihead_decode(rng.standard_normal((1000, 64)), params, cache)
x, in_time = rng.standard_normal((1000, 64)), 0
for trial in range(40):
    before, done = int(cache.lengths), False
    try:
        threading.Timer(0.001 * (1 + trial), os.kill, (os.getpid(), signal.SIGINT)).start()
        multihead_decode(x, params, cache)
        done = True
        time.sleep(5)
    except KeyboardInterrupt:
        pass
    assert cache._k.shape[-2] == cache._v.shape[-2], "keys and values have different room"
    assert int(cache.lengths) == (before + 1000 if done else before), (before, done, cache.lengths)
    in_time += not done
    cache.lengths = np.array(1000)
assert in_time, "no interrupt came while decoding: nothing was tested"
"""


def test_a_real_ctrl_c_while_decoding_leaves_the_cache_as_it_was():
    run = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr


def test_two_copies_of_a_cache_do_not_overwrite_each_other():
    rng = np.random.default_rng(2)
    params, prompt = init_multihead(12, 3, rng=rng), rng.standard_normal((3, 12))
    tokens = rng.standard_normal((2, 1, 12))
    cache = KVCache()
    multihead_decode(prompt, params, cache)
    multihead_decode(prompt[:2], params, cache)  # there is spare room now, which a shallow copy would share
    branches = [copy.copy(cache), copy.copy(cache)]
    for branch, token in zip(branches, tokens, strict=True):
        multihead_decode(token, params, branch)
    for branch, token in zip(branches, tokens, strict=True):
        expected = copy.deepcopy(cache)
        multihead_decode(token, params, expected)
        assert_array_equal(branch.k, expected.k)
        assert_array_equal(branch.v, expected.v)
    assert cache.lengths == 5


@pytest.mark.parametrize("power", [10, 16, 20, 24])
@pytest.mark.parametrize("keywords", [{}, {"causal": True}], ids=["plain", "causal"])
def test_fast_and_readable_agree_in_float32_however_large_the_scores(power, keywords):
    rng = np.random.default_rng(power)
    q, k, v = (rng.standard_normal((2, 700, d), dtype=np.float32) for d in (24, 24, 5))
    # In sixteenths, q·k has no rounding. Otherwise its last digit would depend on the order in which BLAS adds, and
    # with that on the processor and on the size of a block.
    q, k = np.round(q * 16) / 16, np.round(k * 16) / 16
    scale = 2.0**power / 96
    expected, _ = attention_forward(q, k, v, scale=scale, **keywords)
    assert_allclose(attention(q, k, v, scale=scale, **keywords), expected, atol=2e-6)


def test_a_lead_of_one_counts_at_scores_near_2_to_the_24(monkeypatch):
    monkeypatch.setattr(blocked, "SMALL", 0)
    q, k, v = np.float32([[1]]), np.float32([[2**24], [2**24 - 1]]), np.float32([[1], [0]])
    assert_allclose(attention(q, k, v, scale=1), [[1 / (1 + np.exp(-1))]], atol=1e-6)


@pytest.mark.parametrize("seen", [None, np.tri(200, dtype=bool)], ids=["all", "causal"])
def test_a_small_column_beside_a_large_one_is_not_lost(seen):
    q, k = np.full((200, 1), 4.95, np.float32), np.full((200, 1), -4.95, np.float32)  # every score is −24.5
    v = np.ones((200, 2), np.float32)
    v[:, 0] = 1e-36
    assert_allclose(attention(q, k, v, scale=1, mask=seen), np.broadcast_to(v[0], v.shape), rtol=1e-5)


def test_a_small_value_that_one_row_sees_alone_is_not_lost():
    q, k = np.full((200, 1), 4.95, np.float32), np.full((200, 1), -4.95, np.float32)
    v = np.ones((200, 1), np.float32)
    v[0] = 1e-36
    assert_allclose(attention(q, k, v, scale=1, causal=True)[0], 1e-36, rtol=1e-5)


@pytest.mark.parametrize("targets", [[-1, 0], [0, 8]])
def test_a_target_out_of_range_is_an_error(targets):
    with pytest.raises(ValueError, match=r"^targets: got -?\d to \d, expected 0 to 7, one of the 8 classes$"):
        cross_entropy_forward(np.zeros((2, 8)), np.array(targets))


@BOTH
@pytest.mark.parametrize("T", [5, 200])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_finite_mask_value_never_hides_in_any_dtype(attend, T, dtype):
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((T, 4)).astype(dtype) for _ in range(3))
    mask = np.zeros((T, T))
    mask[0], mask[1, 2:], mask[2, 1], mask[3] = -1e300, -1e300, 1e300, -np.inf
    out = attend(q, k, v, mask=mask)
    exact = attend(*(x.astype(np.float64) for x in (q, k, v)), mask=mask)
    tolerance = {np.float16: 2e-3, np.float32: 1e-6, np.float64: 1e-12}[dtype]
    assert_allclose(out, exact, atol=tolerance)
    assert_allclose(out[0], v.astype(np.float64).mean(axis=0), atol=tolerance)  # all keys are equally out of favour
    assert_allclose(out[2], v[1], atol=tolerance)
    assert_allclose(out[3], 0)  # −inf does hide


def test_the_cache_size_is_what_the_machine_reports_or_a_default(tmp_path):
    def report(**files):
        for name, text in files.items():
            (tmp_path / "index0").mkdir(exist_ok=True)
            (tmp_path / "index0" / name).write_text(text)
        return level_2_cache(str(tmp_path))

    assert report() == 1 << 20
    assert report(level="2\n") == 1 << 20  # and nothing else
    assert report(level="2\n", size="2048K\n", shared_cpu_map="1\n") == 2 << 20
    assert report(shared_cpu_map="00000000,00000003\n") == 1 << 20  # two hyper-threads share it
    assert report(size="16384K\n", shared_cpu_map="1\n") == 1 << 22
    assert report(size="unknown\n") == 1 << 20
