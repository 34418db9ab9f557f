"""What must hold for every input: properties, with inputs that hypothesis chooses."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose

from sdpa_course import (
    KVCache,
    attention,
    attention_forward,
    init_multihead,
    multihead_decode,
    multihead_forward,
    softmax_backward,
    softmax_forward,
)
from tests.kernels.settings import random_setting

settings.register_profile("course", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("course")

scores = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=9),
    elements=st.floats(-1e6, 1e6, allow_subnormal=False),
)
seeds = st.integers(0, 10**6)


@given(scores)
def test_weights_are_not_negative_and_sum_to_one(s):
    weights = softmax_forward(s)
    assert (weights >= 0).all()
    assert_allclose(weights.sum(axis=-1), 1, rtol=1e-12)


@given(scores, st.floats(-1e6, 1e6))
def test_only_differences_of_scores_matter(s, shift):
    assert_allclose(softmax_forward(s + shift), softmax_forward(s), atol=1e-8)


@given(scores, seeds)
def test_gradients_on_scores_sum_to_zero(s, seed):
    dweights = np.random.default_rng(seed).standard_normal(s.shape)
    assert_allclose(softmax_backward(dweights, softmax_forward(s)).sum(axis=-1), 0, atol=1e-12)


@given(seeds)
def test_rows_of_attention_sum_to_one_or_see_nothing(seed):
    q, k, v, keywords = random_setting(np.random.default_rng(seed))
    _, cache = attention_forward(q, k, v, **keywords)
    total = cache.weights.sum(axis=-1)
    dead = np.zeros(total.shape, bool) if cache.allowed is None else ~cache.allowed.any(axis=-1)
    assert_allclose(total, np.where(dead, 0, 1), atol=1e-12)


@given(seeds)
def test_fast_equals_readable(seed):
    q, k, v, keywords = random_setting(np.random.default_rng(seed), sizes=(1, 4, 9, 37, 150, 151))
    assert_allclose(attention(q, k, v, **keywords), attention_forward(q, k, v, **keywords)[0], atol=1e-12)


@given(seeds)
def test_linear_in_v(seed):
    rng = np.random.default_rng(seed)
    q, k, v, keywords = random_setting(rng)
    u = rng.standard_normal(v.shape)
    for f in (attention, lambda *a, **b: attention_forward(*a, **b)[0]):
        together = f(q, k, 2 * v - 3 * u, **keywords)
        assert_allclose(together, 2 * f(q, k, v, **keywords) - 3 * f(q, k, u, **keywords), atol=1e-12)


@given(seeds)
def test_keys_in_another_order_change_nothing_and_queries_take_their_rows_along(seed):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.standard_normal(s) for s in ((3, 5, 4), (3, 7, 4), (3, 7, 6)))
    mask = rng.random((5, 7)) < 0.8
    keys, rows = rng.permutation(7), rng.permutation(5)
    out = attention(q, k, v, mask=mask)
    assert_allclose(attention(q, k[:, keys], v[:, keys], mask=mask[:, keys]), out, atol=1e-12)
    assert_allclose(attention(q[:, rows], k, v, mask=mask[rows]), out[:, rows], atol=1e-12)


@given(seeds, st.integers(0, 5))
def test_the_future_does_not_leak(seed, now):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.standard_normal((2, 6, d)) for d in (4, 4, 3))
    later = np.arange(6) > now
    k2, v2 = np.where(later[:, None], 1e3, k), np.where(later[:, None], np.nan, v)
    for f in (attention, lambda *a, **b: attention_forward(*a, **b)[0]):
        before, after = (f(q, *kv, causal=True)[:, : now + 1] for kv in ((k, v), (k2, v2)))
        np.testing.assert_array_equal(before, after)


@given(seeds)
def test_masked_is_the_same_as_absent(seed):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.standard_normal(s) for s in ((5, 4), (9, 4), (9, 3)))
    kept = rng.random(9) < 0.6
    kept[rng.integers(9)] = True
    assert_allclose(attention(q, k, v, mask=kept), attention(q, k[kept], v[kept]), atol=1e-12)
    assert_allclose(attention_forward(q, k, v, mask=kept)[0], attention(q, k[kept], v[kept]), atol=1e-12)


@given(seeds, st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_cached_decoding_equals_the_full_pass(seed, chunks):
    rng = np.random.default_rng(seed)
    params = init_multihead(12, 4, kv_heads=2, d_k=5, d_v=3, rng=rng)
    x = rng.standard_normal((sum(chunks), 12))
    cache = KVCache()
    parts = np.split(x, np.cumsum(chunks)[:-1])
    steps = [multihead_decode(part, params, cache, window=(3, None)) for part in parts]
    expected, _ = multihead_forward(x, params, causal=True, window=(3, None))
    assert_allclose(np.concatenate(steps), expected, atol=1e-12)
