"""Slow loops: the executable specification that every kernel is compared with.

Nothing clever: one query, one key, one number at a time, straight from the definition. Masked keys are
left out of the sums instead of being set to −inf, so the two ways can disagree if either is wrong. All
of it also runs on complex numbers, for the complex-step derivative (see `gradcheck.py`).

Axes: Tq queries · Tk keys · Dk, Dv widths
"""

import numpy as np


def softmax_loop(scores) -> np.ndarray:
    """Softmax of one list of scores: exp(s_i − m) / Σ_j exp(s_j − m)."""
    largest = max(np.real(s) for s in scores)
    exps = [np.exp(s - largest) for s in scores]
    total = sum(exps)
    return np.array([e / total for e in exps])


def softmax_jacobian_loop(scores) -> np.ndarray:
    """∂p_i/∂s_j = p_i (1 − p_i) on the diagonal, −p_i p_j beside it."""
    p = softmax_loop(scores)
    n = len(p)
    return np.array([[p[i] * (1 - p[i]) if i == j else -p[i] * p[j] for j in range(n)] for i in range(n)])


def dot_loop(q, k):
    """q · k, one product at a time."""
    total = 0.0
    for q_c, k_c in zip(q, k, strict=True):
        total = total + q_c * k_c
    return total


def may_attend(i: int, j: int, *, causal, window, offset) -> bool:
    """May query i see key j? Query i stands at position offset + i."""
    p = offset + i
    left, right = window or (None, None)
    return (not causal or j <= p) and (left is None or j >= p - left) and (right is None or j <= p + right)


def attention_head_loop(q, k, v, mask, offset, *, causal=False, scale=None, softcap=None, window=None):
    """One head: q (Tq, Dk), k (Tk, Dk), v (Tk, Dv), mask (Tq, Tk) -> out (Tq, Dv), weights (Tq, Tk)."""
    Tq, Tk = len(q), len(k)
    scale = 1 / np.sqrt(q.shape[-1]) if scale is None else scale
    dtype = np.result_type(q, k, v)
    out, weights = np.zeros((Tq, v.shape[-1]), dtype), np.zeros((Tq, Tk), dtype)
    if mask.dtype == bool:
        mask = np.where(mask, 0.0, -np.inf)  # from here on, a number to add, or −inf for a key to leave out
    for i in range(Tq):
        scores, keys = [], []
        for j in range(Tk):
            if mask[i, j] == -np.inf or not may_attend(i, j, causal=causal, window=window, offset=offset):
                continue
            score = dot_loop(q[i], k[j]) * scale
            if softcap is not None:
                score = softcap * np.tanh(score / softcap)
            scores.append(score + mask[i, j])
            keys.append(j)
        if not keys:
            continue  # nothing to see: zeros
        for j, weight in zip(keys, softmax_loop(scores), strict=True):
            weights[i, j] = weight
            out[i] += weight * v[j]
    return out, weights


def attention_loop(q, k, v, *, mask=None, offset=0, **keywords):
    """`attention_head_loop` for every head of every sequence: (..., H, T, D), grouped heads included."""
    q, k, v = (np.asarray(x) for x in (q, k, v))
    *lead, Tq, _ = q.shape
    out = np.zeros((*lead, Tq, v.shape[-1]), np.result_type(q, k, v))
    weights = np.zeros((*lead, Tq, k.shape[-2]), out.dtype)
    masks = np.broadcast_to(True if mask is None else mask, weights.shape)
    offsets = np.broadcast_to(offset, lead[:-1])
    for index in np.ndindex(*lead):
        kv_index = index
        if lead:
            *batch, h = index
            kv_index = (*batch, h * k.shape[-3] // q.shape[-3])
        head = q[index], k[kv_index], v[kv_index], masks[index], int(offsets[index[:-1]])
        out[index], weights[index] = attention_head_loop(*head, **keywords)
    return out, weights


def multihead_loop(x, params, *, context=None, **keywords):
    """Every head on its own slice of columns: x (..., Tq, d_model) -> out of the same shape."""
    source = x if context is None else context

    def heads(tokens, w, b, count):
        columns = tokens @ w + (0 if b is None else b)
        return np.stack(np.split(columns, count, axis=-1), axis=-3)

    q = heads(x, params.w_q, params.b_q, params.heads)
    k = heads(source, params.w_k, params.b_k, params.kv_heads)
    v = heads(source, params.w_v, params.b_v, params.kv_heads)
    heads_out, _ = attention_loop(q, k, v, **keywords)
    out = 0 if params.b_o is None else params.b_o
    for h, rows in enumerate(np.split(params.w_o, params.heads)):  # each head has its own rows of w_o
        out = out + heads_out[..., h, :, :] @ rows
    return out


def additive_scores_loop(q, k, w_q, w_k, v) -> np.ndarray:
    """vᵀ tanh(W_qᵀ q_i + W_kᵀ k_j), pair by pair: q (Tq, Dk), k (Tk, Dk) -> (Tq, Tk)."""
    return np.array([[dot_loop(np.tanh(q_i @ w_q + k_j @ w_k), v) for k_j in k] for q_i in q])


def cosine_scores_loop(q, k, scale=1.0) -> np.ndarray:
    """scale · cos(q_i, k_j), pair by pair; a zero vector scores 0."""

    def cosine(a, b):
        length = np.sqrt(dot_loop(a, a)) * np.sqrt(dot_loop(b, b))
        return 0.0 if length == 0 else dot_loop(a, b) / length

    return np.array([[scale * cosine(q_i, k_j) for k_j in k] for q_i in q])
