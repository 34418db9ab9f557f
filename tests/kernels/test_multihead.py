"""Multi-head attention against one loop per head, PyTorch and differences; decoding against one pass."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sdpa_course import (
    KVCache,
    init_multihead,
    merge_heads,
    multihead_backward,
    multihead_decode,
    multihead_forward,
    padding_mask,
    split_heads,
)
from sdpa_course.verify.gradcheck import check_gradients
from sdpa_course.verify.reference import multihead_loop


def random_params(rng, **shape):
    """Parameters whose biases are not zero, so that a forgotten one shows."""
    params = init_multihead(rng=rng, **shape)
    biases = {n: rng.standard_normal(b.shape) for n, b in params._asdict().items() if n[:2] == "b_" and b is not None}
    return params._replace(**biases)


SHAPES = {
    "plain": {"d_model": 12, "heads": 3},
    "no bias": {"d_model": 12, "heads": 3, "bias": False},
    "grouped": {"d_model": 10, "heads": 6, "kv_heads": 2, "d_k": 4, "d_v": 3},
    "multi-query": {"d_model": 10, "heads": 5, "kv_heads": 1, "d_k": 3, "d_v": 7},
    "cross": {"d_model": 10, "heads": 2, "d_k": 3, "d_v": 4, "d_context": 7},
}
KEYWORDS = {"causal": True, "window": (3, 1), "softcap": 2.0, "scale": 0.8, "offset": 2}


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)], ids=str)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("keywords", [{}, KEYWORDS], ids=["default", "all keywords"])
def test_forward_equals_the_loop_and_backward_the_differences(shape, batch, keywords):
    rng = np.random.default_rng(0)
    params = random_params(rng, **shape)
    x = rng.standard_normal((*batch, 4, shape["d_model"]))
    cross = "d_context" in shape
    context = rng.standard_normal((*batch, 9, shape["d_context"])) if cross else None
    mask = rng.random((4, 9 if cross else 4)) < 0.8
    expected = multihead_loop(x, params, context=context, mask=mask, **keywords)
    out, _ = multihead_forward(x, params, context=context, mask=mask, **keywords)
    assert_allclose(out, expected, atol=1e-12)

    names = [name for name, value in params._asdict().items() if isinstance(value, np.ndarray)]

    def forward(x, *rest):
        given, values = (rest[0], rest[1:]) if cross else (None, rest)
        changed = params._replace(**dict(zip(names, values, strict=True)))
        return multihead_forward(x, changed, context=given, mask=mask, **keywords)

    def backward(dout, cache):
        dx, dcontext, dparams = multihead_backward(dout, cache)
        assert (dcontext is None) is not cross
        gradients = [getattr(dparams, name) for name in names]
        return [dx, dcontext, *gradients] if cross else [dx, *gradients]

    inputs = [x, *([context] if cross else []), *(getattr(params, name) for name in names)]
    check_gradients(forward, backward, inputs, rng=rng)


@pytest.mark.parametrize("causal", [False, True])
def test_equals_pytorch(causal, torch):
    rng = np.random.default_rng(1)
    params = random_params(rng, d_model=12, heads=3)
    x, dout = rng.standard_normal((2, 5, 12)), rng.standard_normal((2, 5, 12))
    layer = torch.nn.MultiheadAttention(12, 3, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.tensor(np.concatenate([params.w_q, params.w_k, params.w_v], axis=1).T))
        layer.in_proj_bias.copy_(torch.tensor(np.concatenate([params.b_q, params.b_k, params.b_v])))
        layer.out_proj.weight.copy_(torch.tensor(params.w_o.T))
        layer.out_proj.bias.copy_(torch.tensor(params.b_o))
    tensor = torch.tensor(x, requires_grad=True)
    hidden = torch.triu(torch.ones(5, 5, dtype=bool), diagonal=1) if causal else None
    expected, _ = layer(tensor, tensor, tensor, attn_mask=hidden)
    expected.backward(torch.tensor(dout))
    out, cache = multihead_forward(x, params, causal=causal)
    dx, _, dparams = multihead_backward(dout, cache)
    assert_allclose(out, expected.detach().numpy(), atol=1e-10)
    assert_allclose(dx, tensor.grad.numpy(), atol=1e-10)
    stacked = np.concatenate([dparams.w_q, dparams.w_k, dparams.w_v], axis=1)
    assert_allclose(stacked, layer.in_proj_weight.grad.numpy().T, atol=1e-10)
    assert_allclose(dparams.w_o, layer.out_proj.weight.grad.numpy().T, atol=1e-10)
    assert_allclose(dparams.b_o, layer.out_proj.bias.grad.numpy(), atol=1e-10)


def test_the_smallest_layer():
    params = init_multihead(1, 1, d_k=1, d_v=1, d_context=1, kv_heads=1, rng=np.random.default_rng(0))
    out, _ = multihead_forward(np.ones((1, 1)), params)
    assert_allclose(out, params.w_v @ params.w_o)


def test_merge_undoes_split_and_head_h_is_its_own_columns():
    x = np.random.default_rng(2).standard_normal((2, 5, 12))
    heads = split_heads(x, 3)
    assert heads.shape == (2, 3, 5, 4)
    assert_allclose(heads[:, 1], x[..., 4:8])
    assert_allclose(merge_heads(heads), x)


@pytest.mark.parametrize("shape", [SHAPES["plain"], SHAPES["grouped"], SHAPES["multi-query"]], ids=str)
@pytest.mark.parametrize("chunks", [[1] * 9, [4, 1, 1, 3], [9]], ids=str)
@pytest.mark.parametrize("keywords", [{}, {"window": (2, 0), "softcap": 2.0, "scale": 0.8}], ids=["plain", "windowed"])
def test_decoding_gives_what_one_causal_pass_gives(shape, chunks, keywords):
    rng = np.random.default_rng(3)
    params, x = random_params(rng, **shape), rng.standard_normal((2, 9, shape["d_model"]))
    expected, _ = multihead_forward(x, params, causal=True, **keywords)
    cache, steps = KVCache(), []
    for part in np.split(x, np.cumsum(chunks)[:-1], axis=1):
        steps.append(multihead_decode(part, params, cache, **keywords))
    assert_allclose(np.concatenate(steps, axis=1), expected, atol=1e-12)


def test_decoding_sequences_of_different_lengths():
    """Prompts of 4, 1 and 3 tokens, padded to 4 with NaN; then three more tokens for each."""
    rng = np.random.default_rng(4)
    params, counts = random_params(rng, d_model=12, heads=4, kv_heads=2), [4, 1, 3]
    sequences = [rng.standard_normal((n + 3, 12)) for n in counts]
    prompt = np.full((3, 4, 12), np.nan)
    for b, n in enumerate(counts):
        prompt[b, :n] = sequences[b][:n]
    cache = KVCache()
    outs = [multihead_decode(prompt, params, cache, counts=counts)]
    for t in range(3):
        token = np.stack([s[n + t] for s, n in zip(sequences, counts, strict=True)])[:, None]
        outs.append(multihead_decode(token, params, cache))
    np.testing.assert_array_equal(cache.lengths, [7, 4, 6])
    for b, n in enumerate(counts):
        got = np.concatenate([outs[0][b, :n], *(out[b] for out in outs[1:])])
        assert_allclose(got, multihead_forward(sequences[b], params, causal=True)[0], atol=1e-12)


def test_a_failing_step_leaves_the_cache_as_it_was():
    rng = np.random.default_rng(5)
    params, x, cache = random_params(rng, d_model=12, heads=3), rng.standard_normal((5, 12)), KVCache()
    first = multihead_decode(x[:3], params, cache)
    with pytest.raises(ValueError, match="mask"):
        multihead_decode(x[3:], params, cache, mask=np.ones((7, 7), dtype=bool))
    second = multihead_decode(x[3:], params, cache)
    assert_allclose(np.concatenate([first, second]), multihead_forward(x, params, causal=True)[0], atol=1e-12)


def test_a_first_step_that_fails_leaves_the_cache_empty():
    rng = np.random.default_rng(5)
    params, x, cache = random_params(rng, d_model=12, heads=3), rng.standard_normal((2, 5, 12)), KVCache()
    with pytest.raises(ValueError, match="scale"):
        multihead_decode(x, params, cache, scale=0)
    expected, _ = multihead_forward(x, params, causal=True)
    assert_allclose(multihead_decode(x, params, cache), expected, atol=1e-12)


def test_a_hidden_context_token_gives_the_parameters_no_gradient_even_if_it_is_nan():
    rng = np.random.default_rng(7)
    params, x = random_params(rng, d_model=12, heads=3), rng.standard_normal((2, 4, 12))
    context = rng.standard_normal((2, 6, 12))
    expected = multihead_backward(np.ones_like(x), multihead_forward(x, params, context=context[:, :4])[1])[2]
    context[:, 4:] = np.nan
    out, cache = multihead_forward(x, params, context=context, mask=padding_mask([4, 4], 6))
    dx, dcontext, dparams = multihead_backward(np.ones_like(out), cache)
    assert np.isfinite(dx).all()
    assert_allclose(dcontext[:, 4:], 0)
    for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"):
        assert_allclose(getattr(dparams, name), getattr(expected, name), atol=1e-12, err_msg=name)


def test_float16_parameters_are_summed_in_float32():
    params = init_multihead(12, 6, rng=np.random.default_rng(0), dtype=np.float16)
    out, cache = multihead_forward(np.zeros((64, 64, 12), np.float16), params)
    dparams = multihead_backward(np.ones_like(out), cache)[2]
    assert dparams.b_o.dtype == np.float16
    assert_allclose(dparams.b_o, 4096)  # adding ones in float16 would stop at 2048


def params_with(**changes):
    return init_multihead(12, 3, rng=np.random.default_rng(6))._replace(**changes)


X = np.ones((4, 12))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: split_heads(np.ones((4, 10)), 3), ValueError, ["heads", "3", "10"]),
        (lambda: split_heads(np.ones((4, 10)), 0), ValueError, ["heads", "0"]),
        (lambda: merge_heads(np.ones((4, 10))), ValueError, ["x", "(4, 10)", "3"]),
        (lambda: init_multihead(10, 3, rng=np.random.default_rng(0)), ValueError, ["heads", "3", "10"]),
        (lambda: init_multihead(12, 6, kv_heads=4, rng=np.random.default_rng(0)), ValueError, ["kv_heads", "4", "6"]),
        (lambda: multihead_forward(np.ones((4, 11)), params_with()), ValueError, ["x", "11", "12"]),
        (lambda: multihead_forward(np.ones((4, 12), int), params_with()), TypeError, ["x", "int64"]),
        (lambda: multihead_forward(X, params_with(), context=np.ones((4, 9))), ValueError, ["context", "9", "12"]),
        (
            lambda: multihead_forward(X, params_with(), context=np.ones((2, 4, 12))),
            ValueError,
            ["context", "(2,)", "()"],
        ),
        (
            lambda: multihead_forward(X, params_with(w_k=np.ones((7, 12))), context=X),
            ValueError,
            ["context", "12", "7"],
        ),
        (lambda: multihead_forward(X, params_with(kv_heads=2)), ValueError, ["2", "3", "heads"]),
        (lambda: multihead_forward(X, params_with(heads=5, kv_heads=5)), ValueError, ["w_q", "12", "5"]),
        (lambda: multihead_forward(X, params_with(b_v=np.ones(3))), ValueError, ["b_v", "(3,)", "(12,)"]),
        (lambda: multihead_forward(X, params_with(w_o=np.ones((9, 12)))), ValueError, ["w_o", "9", "12"]),
        (lambda: multihead_forward(X, params_with(w_k=np.ones((12, 6)))), ValueError, ["w_k", "(12, 6)", "(12, 12)"]),
        (lambda: multihead_forward(X, params_with(), widow=(1, 1)), TypeError, ["widow"]),
        (lambda: multihead_forward(X, None), TypeError, ["params", "NoneType", "MultiHeadParams"]),
        (lambda: multihead_forward(X, params_with(w_q=None)), TypeError, ["w_q", "object", "float"]),
        (lambda: init_multihead(12, 3, rng=None), TypeError, ["rng", "NoneType", "default_rng"]),
        (lambda: init_multihead(12, 3, rng=np.random.default_rng(0), dtype=int), TypeError, ["dtype", "int64"]),
        (lambda: multihead_decode(X, params_with(), None), TypeError, ["cache", "NoneType"]),
        (lambda: multihead_decode(X, params_with(), KVCache(), causal=True), TypeError, ["causal", "from the cache"]),
        (lambda: KVCache().k, ValueError, ["cache", "empty"]),
        (lambda: KVCache().append(np.ones((1, 2, 3)), np.ones((1, 3, 3))), ValueError, ["v", "(1, 3, 3)"]),
        (lambda: multihead_decode(X, params_with(), KVCache(), counts=5), ValueError, ["counts", "5", "4"]),
        (lambda: multihead_decode(X, params_with(), KVCache(), counts=0.5), TypeError, ["counts", "float64"]),
        (lambda: multihead_decode(X, params_with(), KVCache(), counts=[4, 4]), ValueError, ["counts", "(2,)", "()"]),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert all(word in str(caught.value) for word in words), str(caught.value)
