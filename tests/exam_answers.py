"""What the answers in docs/exam.md should say: the numbers of question 7 are those that `q7` returns.

Each function works its question out with the package, or a second way, and returns the numbers of the answer in the
order in which they are printed.
"""

import math
from collections import Counter
from itertools import product
from statistics import NormalDist

import numpy as np

from sdpa_course import (
    attention_backward,
    attention_forward,
    causal_mask,
    init_multihead,
    softmax_backward,
    softmax_forward,
    softmax_jacobian,
    split_heads,
)
from sdpa_course.experiments import (
    pool_rows,
    rms,
    share_by_deviation,
    to_bfloat16,
    top_share,
)
from sdpa_course.kernels import dot_scores_forward


def softmax(*scores: float) -> np.ndarray:
    return softmax_forward(np.array(scores, dtype=float))


def factor_weight(lead: float, rivals: int, factor: float = 1) -> float:
    """The weight of a score that's `lead` times `factor` ahead of its rivals."""
    return softmax(factor * lead, *[0] * rivals)[0]


def norm(*scores: float) -> float:
    return float(np.linalg.norm(softmax_jacobian(np.array(scores, dtype=float))))


def q1():
    scores = np.log([1, 4, 5])
    np.testing.assert_allclose(softmax_forward(scores + 10), softmax_forward(scores))
    wrong = np.array([2, 8, 10]) / 20
    np.testing.assert_allclose(wrong, softmax_forward(scores))
    squares = np.exp(2 * scores)
    return [*np.exp(scores), np.exp(scores).sum(), *softmax_forward(scores), *squares, squares.sum(),
            *softmax_forward(2 * scores), 8, 10]  # fmt: skip


def q2():
    return []


def q3():
    q, keys = np.array([[6.0, 8]]), np.array([[3.0, 4], [10, 0], [-4, 3]])
    dots = dot_scores_forward(q, keys, scale=1)[0][0]
    lengths = np.linalg.norm(keys, axis=1)
    cosines = dots / lengths / np.linalg.norm(q)
    assert (dots.argmax(), cosines.argmax()) == (1, 0)
    return [*dots, np.linalg.norm(q), *lengths, *cosines, dots[1] / dots[0], 3]


def q4():
    rng, sizes = np.random.default_rng(4), []
    for d_k in (16, 64):
        q, k = rng.standard_normal((2, 20_000, 1, d_k))
        sizes.append(dot_scores_forward(q, k, scale=1)[0].std())
    assert [round(size) for size in sizes] == [4, 8]
    return sizes


def q5():
    coins = np.array(list(product([1, -1], repeat=4)))
    scores = [sign * coin.sum() for sign in (1, -1) for coin in coins]  # every entry of q is `sign`
    share = {score: count / len(scores) for score, count in Counter(scores).items()}
    assert np.var(scores) == 4
    return [*sorted(share), *(share[score] for score in sorted(share)), 4]


def q6():
    table = np.full((64, 64), 1 / 21)
    np.fill_diagonal(table, 1)
    variance, others = table.sum(), 64 * 63
    assert abs(variance - 256) < 1e-9
    wide = 1_000_000
    limit = math.sqrt(wide + wide * (wide - 1) / 21) / wide
    assert abs(limit - math.sqrt(1 / 21)) < 1e-5
    return [
        63,
        others / 21,
        variance,
        variance**0.5,
        8,
        variance / 64,
        variance**0.5 / 64,
        limit,
        others,
        64 + 63 / 21,
        63 / 21,
    ]


def q7():
    rows = np.array([[2.0, 3, 4], [-2, -1, 0]])
    total, within, between = rows.var(), rows.var(axis=1).mean(), rows.mean(axis=1).var()
    assert abs(total - within - between) < 1e-12
    weights = softmax_forward(rows)
    np.testing.assert_allclose(weights[0], weights[1])
    return [total, within, *rows.mean(axis=1), between, *weights[0], 5 - 1]


def q8():
    half, most = math.log(1000), math.log(9000)
    assert abs(factor_weight(half, 1000) - 0.5) < 1e-12
    assert abs(factor_weight(most, 1000) - 0.9) < 1e-12
    two, many = factor_weight(7, 1), factor_weight(7, 1000)
    return [1000, half, 0.9, 9, 9000, most, 8 * half, 8, two, 1001, many, 500, 0.9 / 0.5]


def q9():
    right, wrong = softmax(30, 25, 0), softmax(20, 20, 0)
    rng, shares = np.random.default_rng(9), []
    q, k = rng.standard_normal((2, 50_000, 1, 400))
    for scale in (1, None):
        scores = dot_scores_forward(q, k, scale=scale)[0]
        shares.append((abs(scores) > 20).mean())
    outside = 2 * NormalDist(0, math.sqrt(400)).cdf(-20)
    assert abs(shares[0] - outside) < 0.01
    assert shares[1] == 0
    return [20, *wrong[:2], *right[:2], outside]


def q10():
    shares = [float(share_by_deviation([1.0], n)[0]) for n in (8, 64, 512, 4096)]
    factor = math.log(32767) / math.log(1023)
    assert abs(factor - 1.5) < 1e-3
    assert abs(factor_weight(math.log(1023), 32767, factor) - 0.5) < 1e-9
    return [*shares, math.exp(-0.5), shares[-1], 1.5, 32, math.sqrt(32)]


def q11():
    p, slopes = np.array([0.6, 0.3, 0.1]), np.array([0.0, 2, 5])
    jacobian = softmax_jacobian(np.log(p))
    on_scores, diagonal = softmax_backward(slopes, p), slopes * p * (1 - p)
    np.testing.assert_allclose(on_scores, slopes @ jacobian)
    deals = jacobian[0, 1], jacobian[0, 2], 3, jacobian[1, 2]  # 3 is the key's number
    return [*np.diag(jacobian), *deals, *(p * slopes)[1:], p @ slopes, *on_scores, *diagonal, diagonal.sum()]


def q12():
    lead = math.acosh(99)
    assert abs(norm(lead, 0) - 0.01) < 1e-12
    p = softmax(4, 0)[0]
    assert abs(2 * p * (1 - p) - norm(4, 0)) < 1e-12
    assert abs(norm(1000, 996) - norm(4, 0)) < 1e-12
    return [norm(0, 0), norm(4, 0), 4, math.exp(lead) + math.exp(-lead), lead, norm(1000, 996)]


def q13():
    return [60, norm(60, 0, 0, 0), norm(60, 60, 0, 0), norm(60, 60, 60, 60)]


def q14():
    scores, values = np.log([[1.0, 3, 4]]), np.array([[4.0, 0], [0, 4], [4, 4]])
    queries, keys = 2 * scores.T, np.eye(1, 4).repeat(3, axis=0)  # each key's dot product, as a query of its own
    np.testing.assert_allclose(np.diag(np.hstack([queries, np.zeros((3, 3))]) @ keys.T) / 2, scores[0])
    weights = softmax_forward(scores)[0]
    hidden = softmax_forward(np.array([scores[0, 0], scores[0, 1], -np.inf]))
    late = weights * [1, 1, 0]
    zero = softmax_forward(np.array([scores[0, 0], scores[0, 1], 0]))
    assert softmax_forward(np.array([0, 1, 800.0]))[:2].sum() == 0
    plain = np.exp(2 * scores[0])
    return [1, 3, 4, *weights, *weights @ values, *hidden[:2], *hidden @ values, *late[:2], *late @ values, late.sum(),
            *plain, *zero, 800]  # fmt: skip


def q15():
    rng, order = np.random.default_rng(15), [0, 2, 1, 3]
    q, k, v = rng.standard_normal((3, 4, 5))
    moved = {}
    for causal in (False, True):
        before, after = (attention_forward(*(x[i] for x in (q, k, v)), causal=causal)[0] for i in (range(4), order))
        moved[causal] = [not np.allclose(before[token], after[order.index(token)]) for token in range(4)]
    assert moved == {False: [False] * 4, True: [False, True, True, False]}
    return []


def q16():
    keys, values = np.array([[1.0, 0, 2, 1], [1, 2, 0, 1]]), np.array([[3.0, 1], [1, 2]])
    query, dout = np.array([[0, 0, math.log(4), 0]]), np.array([[1.0, -1]])
    _, cache = attention_forward(query, keys, values)
    np.testing.assert_allclose(cache.weights[0], [0.8, 0.2])
    dq, _, dv = attention_backward(dout, cache)
    on_weights = (dout @ values.T)[0]
    on_scores = softmax_backward(on_weights, cache.weights[0])
    np.testing.assert_allclose(dq[0], on_scores / 2 @ keys)
    average = cache.weights[0] @ on_weights
    return [*on_weights, *abs(cache.weights[0] * on_weights), average, cache.weights[0, 0], on_weights[0] - average,
            *on_scores, *on_scores / 2, *dq[0].round(12) + 0.0, *dv.ravel(), 2 * dq.max(),
            *cache.weights[0] * on_weights]  # fmt: skip


LAYER = pool_rows(400, ["1", "1/sqrt(d_k)", "1/d_k"], rng=np.random.default_rng(1), draws=8)


def q17():
    estimates = [softmax_part * scale * 20 for softmax_part, scale in ((0.188, 1), (0.184, 1 / 20), (0.124, 1 / 400))]
    for pool, estimate in zip(LAYER.values(), estimates, strict=True):
        assert abs(rms(pool.lengths) / estimate - 1) < 0.03
    return [20, *estimates]


def q18():
    a, b = np.array([0.02] * 8 + [6] * 2), np.full(10, 0.05)
    assert sum(a < rms(a) / 100) == 8
    assert not any(b < rms(b) / 100)
    assert f"{rms(a) / rms(b):.0f}" == "54"
    squares = np.sort(a**2)
    share = squares[-2:].sum() / squares.sum()
    assert 0.9999 < share < 1
    assert top_share(a) < share  # the longest tenth is one row of ten
    return [rms(a), np.median(a), rms(b), rms(a) / 100, squares[-2:].sum(), squares.sum(), 0.9999, a.mean()]


def q19():
    rng, variances = np.random.default_rng(19), []
    for d_v in (256, 16):
        q, k = rng.standard_normal((2, 20_000, 1, 64))
        variances.append(dot_scores_forward(q, k, scale=d_v**-0.5)[0].var())
        assert abs(variances[-1] / (64 / d_v) - 1) < 0.05
    return [64 / 256, 64 / 16]


def q20():
    q, k = np.full((2, 100), 30, np.float16)
    with np.errstate(over="ignore", invalid="ignore"):
        product_first = np.float16(q.astype(np.float32) @ k.astype(np.float32))
        assert np.isinf(product_first / 10)
        assert np.isnan(product_first - product_first)
    divided = np.float16((q / np.float16(10)).astype(np.float32) @ k.astype(np.float32))
    rounded = to_bfloat16([9000, 9020])
    assert rounded[0] == rounded[1]
    grid = np.unique(to_bfloat16(np.arange(8192, 16385)))
    return [30.0**2 * 100, divided, grid[0], grid[-1], np.diff(grid).max(), rounded[0], softmax(*rounded)[0], -20]


def q21():
    def attend(q, k, v, mask, scale, over=-1, late=False, shift=lambda s: s.max(axis=-1, keepdims=True)):
        scores = q @ np.swapaxes(k, -1, -2) * scale
        if not late:
            scores = np.where(mask, scores, -np.inf)
        exps = np.exp(scores - shift(scores))
        return (exps / exps.sum(axis=over, keepdims=True) * np.where(mask | (not late), 1, 0)) @ v

    def caught(q, k, v, mask):
        right, d_k = attention_forward(q, k, v, mask=mask)[0], q.shape[-1]
        root = d_k**-0.5
        np.testing.assert_allclose(attend(q, k, v, mask, root), right, atol=1e-12)  # without a mistake it's the same
        tried = (
            attend(q, k, v, mask, (q.shape[-3] * d_k) ** -0.5),
            attend(q, k, v, mask, root, over=-2),
            attend(q, k, v, mask, root, late=True),
            attend(q, k, v, mask, root, shift=np.max),
            attend(q, k, v, mask, v.shape[-1] ** -0.5),
        )
        return [not np.allclose(each, right) for each in tried]

    rng = np.random.default_rng(21)
    heads, queries, keys, d_k, d_v, longer = 2, 7, 5, 4, 3, 10_000
    q, k = rng.standard_normal((heads, queries, d_k)), rng.standard_normal((heads, keys, d_k))
    q[:, -1] *= longer
    v, mask = rng.standard_normal((heads, keys, d_v)), causal_mask(queries, keys)
    simple = rng.standard_normal((1, 6, 6))
    with np.errstate(all="ignore"):
        assert all(caught(q, k, v, mask))
        assert caught(simple, simple, simple, np.ones((6, 6), bool)) == [False, True, False, False, False]
    return [heads, queries, keys, d_k, d_v, longer]


def q22():
    full, shared = (init_multihead(768, 12, kv_heads=kv, rng=np.random.default_rng(0)) for kv in (12, 3))
    parameters = [sum(w.size for w in layer[:4]) for layer in (full, shared)]
    cached = [layer.w_k.shape[1] + layer.w_v.shape[1] for layer in (full, shared)]
    heads = split_heads(np.zeros((10, 768)), 12)
    assert heads.shape == (12, 10, 64)
    return [64, parameters[0], 3, shared.w_k.shape[1], parameters[1], *cached, 1 / 12, parameters[0] / 4]


def q23():
    tokens = np.arange(1.0, 13).reshape(3, 4)
    right, wrong = split_heads(tokens, 2), tokens.reshape(2, 3, 2)
    np.testing.assert_array_equal(right, tokens.reshape(3, 2, 2).swapaxes(0, 1))
    assert right.tolist() == [[[1, 2], [5, 6], [9, 10]], [[3, 4], [7, 8], [11, 12]]]
    assert wrong.tolist() == [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]]
    assert tokens.T.reshape(2, 3, 2).shape == right.shape
    assert not np.array_equal(tokens.T.reshape(2, 3, 2), right)
    for table, heads in ((tokens, 1), (tokens[:1], 2)):
        assert np.array_equal(split_heads(table, heads), table.reshape(heads, len(table), -1))
    return [*right.ravel(), *wrong.ravel()]


def q24():
    return []


def q25():
    return [0.83 / 0.24, 0.87 / 0.21]  # from the table's own digits, as a student has them


def q26():
    q, match = np.ones((1, 64)), np.ones((1, 64))
    assert dot_scores_forward(q, match)[0][0, 0] == 8  # root mean square 1 and cosine 1
    half = math.log(15)
    assert abs(factor_weight(1, 15, half) - 0.5) < 1e-12
    return [8 * 0.9, 8 * 0.5, factor_weight(1, 15, 8), factor_weight(1, 15), half, 16]


def q27():
    rng, friends, strangers = np.random.default_rng(27), [], []
    for power in (0.5, 1):
        for d_k in (64, 1024):
            q, z, stranger = rng.standard_normal((3, 4000, d_k))
            friend = q / 2 + math.sqrt(3) / 2 * z
            assert abs(friend.var() - 1) < 0.02
            friends.append(d_k / 2 / d_k**power)
            strangers.append(math.sqrt(d_k) / d_k**power)
            assert abs(((q * friend).sum(axis=1) / d_k**power).mean() / friends[-1] - 1) < 0.05
            assert abs(((q * stranger).sum(axis=1) / d_k**power).std() / strangers[-1] - 1) < 0.05
    assert friends[2] == friends[3]
    assert strangers[0] == strangers[1]
    return [1 / 4, 3 / 4, *friends[:2], strangers[0], friends[2], *strangers[2:]]


def q28():
    trained = 64**-0.5
    return [576**-0.5 / trained, (1 / 64) / trained, 1 / trained, 3]


def q29():
    return [270 * 0.01, 1 - 0.99**270, 0.01]


def q30():
    many, few = 12_288 // 96, 12_288 // 8
    return [many, math.sqrt(many), few, math.sqrt(few), math.sqrt(12_288)]


COMPUTED = {number: globals()[f"q{number}"] for number in range(1, 31)}
