"""Problem set 12, the way students answer it: with typical mistakes, and in several right ways."""

import math

import numpy as np

from sdpa_course.kernels.layernorm import layer_norm_forward

# stage 1


def by_slices(first=0, shift=1):
    def windows(ids, starts, length):
        x = [ids[s + first : s + first + length] for s in starts]
        y = [np.roll(ids, -shift)[s + first : s + first + length] for s in starts]
        return np.array(x), np.array(y)

    return windows


def by_loops(ids, starts, length):
    x, y = [], []
    for start in starts.tolist():
        x.append([ids[start + t] for t in range(length)])
        y.append([ids[start + t + 1] for t in range(length)])
    return x, y


def one_longer(ids, starts, length):
    piece = np.stack([ids[start : start + length + 1] for start in starts])
    return piece[:, :-1], piece[:, 1:]


def sliding(ids, starts, length):
    every = np.lib.stride_tricks.sliding_window_view(ids, length)
    return every[starts], every[starts + 1]


def last_column_wraps(ids, starts, length):
    x = one_longer(ids, starts, length)[0]
    return x, np.concatenate([x[:, 1:], x[:, :1]], axis=1)


def columns(ids, starts, length):
    x, y = one_longer(ids, starts, length)
    return x.T, y.T


def target_first(ids, starts, length):
    return one_longer(ids, starts, length)[::-1]


def one_after_another(ids, starts, length):
    return one_longer(ids, [b * length for b in range(len(starts))], length)


def only_the_last_target(ids, starts, length):
    x, y = one_longer(ids, starts, length)
    return x, y[:, -1]


# stage 2


def softmax(scores, axis=-1):
    exps = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exps / exps.sum(axis=axis, keepdims=True)


def by_einsum(hide=None, root=None, axis=-1, late=False, out=True, shares=softmax, when=lambda scaled: scaled):
    """Causal heads; `hide` gets scores (B, H, T, T) and i, j, places of query and key."""

    def causal_heads(X, W_Q, W_K, W_V, W_O, heads, scaled):
        (B, T, D), i, j = X.shape, *np.indices((X.shape[1], X.shape[1]))
        q, k, v = (np.einsum("btd,dhk->bhtk", X, W.reshape(D, heads, -1)) for W in (W_Q, W_K, W_V))
        scores = np.einsum("bhik,bhjk->bhij", q, k)
        if when(scaled):
            scores = scores / (root(D, heads, q.shape[-1]) if root else math.sqrt(q.shape[-1]))
        scores = hide(scores, i, j) if hide else np.where(j > i, -np.inf, scores)
        weights = shares(scores, axis)
        if late:
            weights = weights * (j <= i)
        mixed = np.einsum("bhij,bhjv->bihv", weights, v)
        return np.einsum("bihv,hvd->bid", mixed, W_O.reshape(*mixed.shape[2:], -1)) if out else mixed.reshape(B, T, -1)

    return causal_heads


def heads_by_loops(X, W_Q, W_K, W_V, W_O, heads, scaled):
    out = np.zeros_like(X)
    for b, x in enumerate(X):
        for W_q, W_k, W_v, W_o in zip(
            *(np.split(W, heads, axis=1) for W in (W_Q, W_K, W_V)), np.split(W_O, heads), strict=False
        ):
            q, k, v = x @ W_q, x @ W_k, x @ W_v
            for t in range(len(x)):
                scores = k[: t + 1] @ q[t] / (np.sqrt(len(q[t])) if scaled else 1)
                out[b, t] += softmax(scores) @ v[: t + 1] @ W_o
    return out


def heads_with_minus_1e300(*case):
    """In float64, because float32 knows no such number."""
    X, *rest = (np.asarray(part, dtype=float) if np.ndim(part) else part for part in case)
    return by_einsum(hide=lambda scores, i, j: np.where(j <= i, scores, -1e300))(X, *rest)


def heads_on_a_reshape(X, W_Q, W_K, W_V, W_O, heads, scaled):
    B, T, _ = X.shape
    Q, K, V = ((X @ W).reshape(B, heads, T, -1) for W in (W_Q, W_K, W_V))
    scores = Q @ K.transpose(0, 1, 3, 2) / (Q.shape[-1] ** 0.5 if scaled else 1)
    out = softmax(np.where(np.tri(T) > 0, scores, -np.inf)) @ V
    return out.transpose(0, 2, 1, 3).reshape(B, T, -1) @ W_O


def heads_glued(X, W_Q, W_K, W_V, W_O, heads, scaled):
    B, T, _ = X.shape
    bare = by_einsum(out=False)(X, W_Q, W_K, W_V, W_O, heads, scaled)
    return bare.reshape(B, T, heads, -1).swapaxes(1, 2).reshape(B, T, -1) @ W_O


def heads_as_one(X, W_Q, W_K, W_V, W_O, heads, scaled):
    return by_einsum()(X, W_Q, W_K, W_V, W_O, 1, scaled)


def heads_on_one_long_sequence(X, W_Q, W_K, W_V, W_O, heads, scaled):
    """All windows one after the other, and a stencil that keeps them apart."""
    B, T, D = X.shape
    place = np.arange(B * T)
    seen = (place[:, None] // T == place // T) & (place[:, None] >= place)
    out, x = 0, X.reshape(-1, D)
    for W_q, W_k, W_v, W_o in zip(*(np.hsplit(W, heads) for W in (W_Q, W_K, W_V)), np.vsplit(W_O, heads), strict=False):
        scores = x @ W_q @ (x @ W_k).T / (math.sqrt(W_q.shape[1]) if scaled else 1)
        out = out + softmax(np.where(seen, scores, -np.inf)) @ (x @ W_v) @ W_o
    return out.reshape(B, T, D)


def first_window_for_all(X, *rest):
    return np.repeat(by_einsum()(X, *rest)[:1], len(X), axis=0)


def shares_by_the_largest_of_all(scores, axis):
    exps = np.exp(scores - scores.max())
    return exps / exps.sum(axis=axis, keepdims=True)


def plain_shares(scores, axis):
    exps = np.exp(scores)
    return exps / exps.sum(axis=axis, keepdims=True)


# stages 3 and 4


def norm(x):
    """In float64, so that a token of equal entries stays one."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)


def norm_back(d, x):
    deviation, n = np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5), norm(x)
    return (d - d.mean(axis=-1, keepdims=True) - n * (d * n).mean(axis=-1, keepdims=True)) / deviation


def model(heads_of=None, before=(norm, norm, norm), ways=(1, 1), relu=lambda z: z * (z > 0), places=True, beside=False):
    def forward(ids, E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U, heads, scaled):
        attend = heads_of or by_einsum()
        x = np.array([[E[i] + P[t] * places for t, i in enumerate(row)] for row in ids])
        h = ways[0] * x + attend(before[0](x), W_Q, W_K, W_V, W_O, heads, scaled)
        g = ways[1] * h + relu(before[1](x if beside else h) @ W_1) @ W_2
        return before[2](g) @ W_U

    return forward


def norm_down_the_tokens(x):
    return norm(x.swapaxes(1, 2)).swapaxes(1, 2)


def last_positions(ids, E, P, *rest):
    return model()(ids, E, P[-ids.shape[1] :], *rest)


def as_it_is(x):
    return x


def norms_after(ids, E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U, heads, scaled):
    x = E[ids] + P[None, : ids.shape[1]]
    h = norm(x + by_einsum()(x, W_Q, W_K, W_V, W_O, heads, scaled))
    return norm(h + np.maximum(0, h @ W_1) @ W_2) @ W_U


def forward_by_window(ids, *rest):
    return [model()(row[None], *rest)[0] for row in ids]


def forward_by_prefix(ids, *rest):
    """Causal, so the answer at a place is that of the text up to there."""
    return np.stack([model()(ids[:, : t + 1], *rest)[:, -1] for t in range(ids.shape[1])], axis=1)


def forward_with_the_course_norm(*case):
    return model(before=[lambda x: layer_norm_forward(x)[0]] * 3)(*case)


def forward_shares(*case):
    return softmax(model()(*case))


def forward_without_scale(*case):
    return model()(*case[:-1], False)


def heads_back(d, x, W_Q, W_K, W_V, W_O, heads, scaled):
    """`(dx, dW_Q, dW_K, dW_V, dW_O)`, by einsum."""
    (_, T, D), scale = x.shape, (W_Q.shape[1] // heads) ** -0.5 if scaled else 1.0
    cut = [W.reshape(D, heads, -1) for W in (W_Q, W_K, W_V)]
    q, k, v = (np.einsum("btd,dhk->bhtk", x, W) for W in cut)
    scores = np.einsum("bhik,bhjk->bhij", q, k) * scale
    w = softmax(np.where(np.tri(T, dtype=bool), scores, -np.inf))
    W_o = W_O.reshape(heads, -1, D)
    dW_O = np.einsum("bhij,bhjv,bid->hvd", w, v, d, optimize=True).reshape(W_O.shape)
    dmixed = np.einsum("bid,hvd->bhiv", d, W_o)
    dw, dv = np.einsum("bhiv,bhjv->bhij", dmixed, v), np.einsum("bhij,bhiv->bhjv", w, dmixed)
    ds = w * (dw - (dw * w).sum(axis=-1, keepdims=True)) * scale
    parts = np.einsum("bhij,bhjk->bhik", ds, k), np.einsum("bhij,bhik->bhjk", ds, q), dv
    dx = sum(np.einsum("bhtk,dhk->btd", part, W) for part, W in zip(parts, cut, strict=False))
    return dx, *(np.einsum("btd,bhtk->dhk", x, part).reshape(D, -1) for part in parts), dW_O


def learned(ways=(1, 1), times=(1, 1), back=norm_back, cut=True, words="all", places=lambda d: d.sum(axis=0)):
    def gradients(ids, targets, E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U, heads, scaled):
        (B, T), hot = ids.shape, np.eye(len(E))[targets]
        x = E[ids] + P[:T]
        h = x + by_einsum()(norm(x), W_Q, W_K, W_V, W_O, heads, scaled)
        hidden = norm(h) @ W_1
        g = h + np.maximum(hidden, 0) @ W_2
        p = softmax(norm(g) @ W_U)
        loss = -np.log((p * hot).sum(axis=-1)).mean()
        d = (p - hot) / ids.size
        dW_U = np.einsum("btd,btc->dc", norm(g), d)
        dg = back(d @ W_U.T, g)
        dW_2 = np.einsum("btm,btd->md", np.maximum(hidden, 0), dg)
        dhidden = dg @ W_2.T * (hidden > 0 if cut else 1)
        dW_1 = np.einsum("btd,btm->dm", norm(h), dhidden)
        dh = ways[1] * dg + back(dhidden @ W_1.T, h)
        dn, *dheads = heads_back(dh, norm(x), W_Q, W_K, W_V, W_O, heads, scaled)
        dx = ways[0] * dh + back(dn, x)
        dE, dP = np.zeros(E.shape), np.zeros(P.shape)
        if words == "all":
            dE += np.eye(len(E))[ids.ravel()].T @ dx.reshape(B * T, -1)
        elif words == "once":
            dE[ids] = dE[ids] + dx
        elif words == "once a window":
            for row, part in zip(ids, dx, strict=False):
                dE[row] += part
        dP[:T] = places(dx)
        return times[0](loss, ids) if callable(times[0]) else loss, *(
            times[1](slope, ids) if callable(times[1]) else times[1] * slope
            for slope in (dE, dP, *dheads, dW_1, dW_2, dW_U)
        )

    return gradients


def added_up(part, ids):
    return part * ids.size


def learned_window_by_window(ids, targets, *rest):
    """The mean over the windows of what each gives alone."""
    alone = [learned()(x[None], y[None], *rest) for x, y in zip(ids, targets, strict=False)]
    return tuple(sum(parts) / len(ids) for parts in zip(*alone, strict=False))


# stage 5


def loop(batch=one_longer, add=False, pace=lambda rate: rate, row=lambda step: step, late=False, short=False):
    def train(ids, starts, length, *rest):
        *weights, heads, scaled, rate = rest
        losses, total, old = [], [0] * len(weights), weights
        for step in range(len(starts)):
            x, y = batch(ids, starts[row(step)], length)
            loss, *slopes = learned()(x, y, *weights, heads, scaled)
            total = [t * add + s for t, s in zip(total, slopes, strict=False)]
            old, weights = weights, [w - pace(rate) * t for w, t in zip(weights, total, strict=False)]
            losses += [learned()(x, y, *weights, heads, scaled)[0] if late else loss]
        return losses, *(old if short else weights)

    return train


def loop_by_recursion(ids, starts, length, *rest):
    if len(starts) == 0:
        return np.zeros(0), *rest[:-3]
    loss, *slopes = learned()(*sliding(ids, starts[0], length), *rest[:-1])
    moved = [w - rest[-1] * s for w, s in zip(rest, slopes, strict=False)]
    losses, *weights = loop_by_recursion(ids, starts[1:], length, *moved, *rest[-3:])
    return np.append(loss, losses), *weights


def loop_in_place(ids, starts, length, *rest):
    """On copies of the weights."""
    weights = [w.copy() for w in rest[:9]]
    losses = np.empty(len(starts))
    for step, row in enumerate(starts):
        losses[step], *slopes = learned()(*by_loops_arrays(ids, row, length), *weights, *rest[9:11])
        for w, s in zip(weights, slopes, strict=False):
            w -= rest[-1] * s
    return losses, *weights


def loop_on_the_arguments(ids, starts, length, *rest):
    for row in starts:
        for w, s in zip(rest, learned()(*sliding(ids, row, length), *rest[:-1])[1:], strict=False):
            w -= rest[-1] * s
    return loop()(ids, starts, length, *rest)


def loop_with_a_list_of_weights(*case):
    losses, *weights = loop()(*case)
    return [losses, weights]


def by_loops_arrays(ids, starts, length):
    return tuple(map(np.array, by_loops(ids, starts, length)))


# stage 6


def pick(logits, temperature, u):
    if temperature == 0:
        return int(np.argmax(logits))
    total = 0.0
    for i, p in enumerate(softmax(logits / temperature)):
        total += p
        if total > u:
            return i
    return len(logits) - 1


def writer(at=-1, seen=lambda ids, L: ids[-L:], dial=lambda t: t, which=lambda step: step, new=False, choose=pick):
    def write(prompt, uniforms, temperature, E, P, *rest):
        ids = prompt.tolist()
        for step in range(len(uniforms)):
            logits = model()(np.array([seen(ids, len(P))]), E, P, *rest)[0][at]
            ids.append(choose(logits, dial(temperature), uniforms[which(step)]))
        return ids[len(prompt) :] if new else ids

    return write


def pick_at_0_too(logits, temperature, u):
    with np.errstate(all="ignore"):
        return np.argmax(np.cumsum(softmax(logits / temperature)) > u)


def pick_from_the_largest(logits, temperature, u):
    p = softmax(logits / (temperature or 1e-9))
    order = np.argsort(-p)
    return order[np.argmax(np.cumsum(p[order]) > u)]


def pick_by_powers(logits, temperature, u):
    """Shares to the power 1/temperature, shared out again."""
    if temperature == 0:
        return int(logits.argmax())
    p = softmax(np.asarray(logits, dtype=float)) ** (1 / temperature)
    return next(i for i in range(len(p)) if p[: i + 1].sum() > u * p.sum())


def pick_by_search(logits, temperature, u):
    if not temperature:
        return logits.argmax()
    return np.argmax(np.cumsum(softmax(logits / temperature)) > u)


WRONG = {
    "windows": [
        (by_slices(shift=0), "targets not shifted"),
        (by_slices(shift=-1), "shifted backwards"),
        (by_slices(shift=2), "two ahead"),
        (last_column_wraps, "rolled"),
        (target_first, "exchanged"),
        (columns, "one row per place"),
        (one_after_another, "starts as counters"),
        (only_the_last_target, ""),
        (by_slices(first=1), ""),
    ],
    "causal_heads": [
        (by_einsum(hide=lambda scores, i, j: scores), "no mask"),
        (by_einsum(hide=lambda scores, i, j: np.where(i > j, -np.inf, scores)), "mask transposed"),
        (by_einsum(hide=lambda scores, i, j: np.where(j >= i, -np.inf, scores)), "itself hidden"),
        (by_einsum(hide=lambda scores, i, j: scores * (j <= i)), "hidden scores are 0"),
        (by_einsum(hide=lambda scores, i, j: scores, late=True), "mask after softmax"),
        (by_einsum(axis=-2), "wrong axis"),
        (by_einsum(when=lambda scaled: False), "no scale"),
        (by_einsum(when=lambda scaled: True), "always scaled"),
        (by_einsum(root=lambda D, heads, d_k: d_k), "1/d_k"),
        (by_einsum(root=lambda D, heads, d_k: math.sqrt(D)), "sqrt(d_model)"),
        (by_einsum(root=lambda D, heads, d_k: math.sqrt(heads * d_k)), "sqrt(h d_k)"),
        (heads_as_one, "one big head"),
        (by_einsum(out=False), "no W_O"),
        (heads_on_a_reshape, "split by reshape"),
        (heads_glued, "merge by reshape"),
        (by_einsum(shares=plain_shares), "no maximum"),
        (by_einsum(shares=shares_by_the_largest_of_all), "no maximum"),
        (by_einsum(hide=lambda scores, i, j: np.where(j <= i, scores, -1e4)), "not low enough"),
        (first_window_for_all, ""),
        (by_einsum(when=lambda scaled: not scaled), "no scale"),
        (by_einsum(hide=lambda scores, i, j: np.where(j <= i + 1, scores, -np.inf)), ""),
    ],
    "forward": [
        (model(ways=(0, 1)), "no shortcut around the heads"),
        (model(ways=(1, 0)), "no shortcut around the MLP"),
        (model(ways=(0, 0)), "no shortcut at all"),
        (model(places=False), "no positions"),
        (model(before=(as_it_is, as_it_is, as_it_is)), "no norm at all"),
        (model(before=(norm, norm, as_it_is)), "no norm before W_U"),
        (model(before=(as_it_is, norm, norm)), "no norm before the heads"),
        (model(before=(norm, as_it_is, norm)), "no norm before the MLP"),
        (norms_after, "norm after the sum"),
        (model(beside=True), "side by side"),
        (model(relu=as_it_is), "no ReLU"),
        (model(by_einsum(hide=lambda scores, i, j: scores)), "future seen"),
        (model(by_einsum(when=lambda scaled: True)), "always scaled"),
        (forward_shares, "probabilities"),
        (forward_without_scale, ""),
        (model(relu=np.tanh), ""),
        (model(before=[norm_down_the_tokens] * 3), ""),
        (last_positions, ""),
        (model(by_einsum(hide=lambda scores, i, j: np.where(i > j, -np.inf, scores))), ""),
    ],
    "gradients": [
        (learned(times=(added_up, added_up)), "sum"),
        (learned(times=(1, added_up)), "gradient of the sum"),
        (learned(times=(1, -1)), "uphill"),
        (learned(words="once"), "repeats lost"),
        (learned(places=lambda d: d.mean(axis=0)), "positions averaged"),
        (learned(places=lambda d: d[0]), "first window's positions"),
        (learned(ways=(0, 1)), "no way around the heads"),
        (learned(ways=(1, 0)), "no way around the MLP"),
        (learned(ways=(0, 0)), "no way around either"),
        (learned(back=lambda d, x: d), "norms passed over"),
        (learned(cut=False), "ReLU passed over"),
        (learned(words="none"), ""),
        (learned(words="once a window"), ""),
        (learned(times=(added_up, 1)), ""),
    ],
    "train": [
        (loop(add=True), "gradients added up"),
        (loop(pace=lambda rate: -rate), "uphill"),
        (loop(pace=lambda rate: 1), "no rate"),
        (loop(pace=lambda rate: 0), "never moved"),
        (loop(row=lambda step: 0), "same batch"),
        (loop(late=True), "loss after the step"),
        (loop(short=True), "last step lost"),
        (loop(batch=by_slices(shift=0)), "targets not shifted"),
        (loop(row=lambda step: -1 - step), ""),
        (loop(pace=lambda rate: 2 * rate), ""),
        (loop_on_the_arguments, ""),
        (loop_with_a_list_of_weights, ""),
    ],
    "final_loss": [
        (1.27, "no scale"),
        (1.92, "first steps"),
        (42.3, "sum"),
        (3.69, "not trained"),
        (0.0, ""),
        (0.6, ""),
    ],
    "write": [
        (writer(at=0), "first row of logits"),
        (writer(new=True), "prompt missing"),
        (writer(seen=lambda ids, L: ids[:L]), "old window"),
        (writer(dial=lambda t: 1), "temperature ignored"),
        (writer(dial=lambda t: t and 1 / t), "temperature multiplied"),
        (writer(dial=lambda t: 0), "always the likeliest"),
        (writer(which=lambda step: 0), "one u for all"),
        (writer(which=lambda step: -1 - step), ""),
        (writer(seen=lambda ids, L: ids[-1:]), ""),
        (writer(choose=lambda logits, t, u: logits.argmin()), ""),
        (writer(choose=pick_at_0_too), "divided by 0"),
        (writer(choose=pick_from_the_largest), ""),
        (writer(seen=lambda ids, L: ids[-max(L - 1, 1) :]), ""),
    ],
}

RIGHT = {
    "windows": [by_slices(), by_loops, one_longer, sliding],
    "causal_heads": [by_einsum(), heads_by_loops, heads_with_minus_1e300, heads_on_one_long_sequence],
    "forward": [model(), forward_by_window, forward_by_prefix, forward_with_the_course_norm],
    "gradients": [learned(), learned_window_by_window],
    "train": [loop(), loop_by_recursion, loop_in_place],
    "final_loss": [0.846, 0.83],
    "write": [writer(), writer(choose=pick_by_search), writer(choose=pick_by_powers)],
}
