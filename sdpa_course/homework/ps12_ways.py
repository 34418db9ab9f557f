"""What problem set 12 draws for its checks, and what its mistakes compute: the course's way with one thing changed."""

import functools

import numpy as np

from ..experiments import capstone
from ..kernels.layernorm import layer_norm_backward, layer_norm_forward
from ..kernels.linear import linear_backward
from ..kernels.loss import cross_entropy_backward, cross_entropy_forward
from ..kernels.multihead import merge_heads, multihead_backward, multihead_forward, split_heads
from ..kernels.params import MultiHeadParams
from ..kernels.softmax import softmax_forward
from .tasks import Mistake, any_sizes

MASK = 'notebook 05, section "Stencils"'
CUT = 'notebook 08, section "What gets cut"'
WIDTH = 'notebook 08, section "Which width goes under the root?"'
SOFTMAX = 'notebook 03, section "Exponentiate, sum, divide"'
BACK = 'notebook 06, section "Blame runs backwards"'
LOSS = 'notebook 09, section "Two tasks that are nothing but looking up"'
NAMES = capstone.Weights._fields


def texts(rng, sizes=((30, 3, 5), (23, 4, 2))) -> list[dict]:
    """Texts of as many characters, windows and tokens; no window begins at 0 or ends with the text."""
    cases = []
    for characters, count, length in sizes:
        starts = 1 + rng.permutation(characters - length - 2)[:count]
        cases.append({"ids": rng.permutation(characters), "starts": starts, "length": length})
    return cases


def any_texts(rng) -> list[dict]:
    """Any sizes, the first window and the last among them, letters that repeat, windows that may overlap."""
    cases = []
    for count, length in any_sizes(rng, 2):
        ids = rng.integers(9, size=length + int(rng.integers(3, 20)))
        starts = rng.integers(len(ids) - length, size=count)
        starts[0], starts[-1] = 0, len(ids) - length - 1
        cases.append({"ids": ids, "starts": starts, "length": length})
    return cases


def layers(rng, sizes=((2, 5, 6, 3, 4, 3), (3, 4, 10, 2, 3, 4))) -> list[dict]:
    """Multi-head layers for a batch, with the scale and without; last, one whose scores no exp survives."""
    cases = []
    for number, (B, T, D, heads, d_k, d_v) in enumerate(sizes):
        shapes = {"W_Q": (D, heads * d_k), "W_K": (D, heads * d_k), "W_V": (D, heads * d_v), "W_O": (heads * d_v, D)}
        case = {"X": rng.normal(size=(B, T, D))}
        case |= {name: rng.normal(size=shape) / np.sqrt(shape[0]) for name, shape in shapes.items()}
        cases.append(case | {"heads": heads, "scaled": number % 2 == 0})
    large = {name: np.round(3 * value) if np.ndim(value) else value for name, value in cases[0].items()}
    return [*cases, large | {"X": 50 * (1 + np.round(4 * rng.normal(size=cases[0]["X"].shape))), "scaled": False}]


def models(rng, sizes=((2, 5, 7, 6, 8, 3, 4, 2, 9), (3, 4, 9, 4, 7, 2, 5, 3, 8)), targets=False) -> list[dict]:
    """Ids and weights of models with (B, T, C, L, D, heads, Dk, Dv, M); characters repeat."""
    cases = []
    for number, (B, T, C, L, D, heads, d_k, d_v, M) in enumerate(sizes):
        case = {"ids": rng.integers(C, size=(B, T))}
        case |= {"targets": rng.integers(C, size=(B, T))} if targets else {}
        cases.append(case | weights_of(rng, C, L, D, heads, d_k, d_v, M) | {"heads": heads, "scaled": number % 2 == 0})
    return cases


def weights_of(rng, C, L, D, heads, d_k, d_v, M) -> dict:
    """Weights of any sizes, by name."""
    shapes = ((C, D), (L, D), *[(D, heads * d_k)] * 2, (D, heads * d_v), (heads * d_v, D), (D, M), (M, D), (D, C))
    return {name: rng.normal(size=shape) * shape[0] ** -0.3 for name, shape in zip(NAMES, shapes, strict=True)}


def model_sizes(rng) -> list[tuple]:
    """Any sizes, with at least as many positions as tokens, and no width of 2.

    Of two numbers, layer norm keeps little more than which is larger, so in float32 rounding decides about gradients.
    """
    return [(B, T, C, T + L - 1, D + (D == 2), *rest) for B, T, C, L, D, *rest in any_sizes(rng, 9)]


def runs(rng, sizes=((3, 2, 5, 7, 6, 8, 3, 4, 2, 9), (4, 3, 2, 9, 4, 7, 2, 5, 3, 8))) -> list[dict]:
    """A text, the starts of a few steps, a model and a rate."""
    cases = []
    for steps, B, T, *rest in sizes:
        (model,) = models(rng, [(1, 1, *rest)])
        ids = rng.integers(len(model["E"]), size=T + 15)
        case = {"ids": ids, "starts": rng.integers(len(ids) - T, size=(steps, B)), "length": T}
        model = {name: model[name] for name in (*NAMES, "heads")}
        cases.append(case | model | {"scaled": steps % 2 == 1, "rate": float(rng.uniform(0.05, 0.2))})
    return cases


def any_runs(rng) -> list[dict]:
    """Any sizes: one step, one window, one token."""
    return runs(rng, [(min(steps, 4), *size) for steps, size in zip([1, 2, 3] * 9, model_sizes(rng), strict=False)])


def prompts(rng, sizes=((9, 12, 1.5, 7, 4, 8, 3, 4, 2, 9), (3, 10, 0.4, 9, 5, 7, 2, 5, 3, 8))) -> list[dict]:
    """A prompt longer than the model's window, one that's shorter, and one to be continued greedily.

    Each u lies in the middle of a character's share, so that rounding never decides which one is drawn.
    """
    cases = []
    greedy = (*sizes[0][:2], 0.0, *sizes[0][3:])
    for number, (length, count, temperature, C, *rest) in enumerate((*sizes, greedy)):
        prompt, weights = rng.integers(C, size=length), weights_of(rng, C, *rest)
        how = {"heads": rest[2], "scaled": number % 2 == 0}
        ids, uniforms = list(prompt), np.zeros(count)
        for step in range(count):
            seen = np.array([ids[-len(weights["P"]) :]])
            logits = capstone.forward(seen, **weights, **how)[0, -1]
            p = softmax_forward(logits[None] / (temperature or 1.0))[0]
            chosen = rng.choice(np.flatnonzero(p > 0.5 / C))
            uniforms[step] = p[:chosen].sum() + p[chosen] / 2
            ids.append(chosen if temperature else p.argmax())
        case = {"prompt": prompt, "uniforms": uniforms, "temperature": temperature}
        cases.append(case | weights | how)
    return cases


def any_prompts(rng) -> list[dict]:
    """Any sizes and temperatures; last, a prompt of one character and nothing to add."""
    sizes = [(a, b, float(rng.uniform(0.3, 2)), *rest) for a, b, *rest in any_sizes(rng, 9)]
    return prompts(rng, [*sizes, (1, 0, 1.0, *sizes[0][3:])])


def pairs(ids, starts, length, shift=1, first=0):
    """Windows and targets that lie `shift` after them."""
    places = starts[:, None] + np.arange(length) + first
    return ids[places % len(ids)], ids[(places + shift) % len(ids)]


def heads_with(X, W_Q, W_K, W_V, W_O, heads, scaled, *, width=None, axis=-1, hide=None, split=split_heads, **how):
    """Causal heads with one thing changed; `hide` gets the scores and which of them are visible."""
    Q, K, V = (split(X @ W, heads) for W in (W_Q, W_K, W_V))
    divisor = np.sqrt(width(X, Q) if width else Q.shape[-1]) if scaled or how.get("always") else 1.0
    scores = Q @ K.swapaxes(-1, -2) / (1.0 if how.get("never") else divisor)
    seen = np.tri(X.shape[1], dtype=bool)
    scores = hide(scores, seen) if hide else np.where(seen, scores, -np.inf)
    weights = softmax_forward(scores, axis=axis) * (seen if how.get("late") else 1)
    merged = how.get("merge", merge_heads)(weights @ V)
    return merged if how.get("bare") else merged @ W_O


def no_maximum(X, W_Q, W_K, W_V, W_O, heads, scaled):
    """exp of the scores as they are."""
    Q, K, V = (split_heads(X @ W, heads) for W in (W_Q, W_K, W_V))
    scores = Q @ K.swapaxes(-1, -2) / (np.sqrt(Q.shape[-1]) if scaled else 1.0)
    exps = np.exp(np.where(np.tri(X.shape[1], dtype=bool), scores, -np.inf))
    return merge_heads(exps / exps.sum(axis=-1, keepdims=True) @ V) @ W_O


def blank_first(out):
    """A row that saw nothing: 0/0."""
    out[:, 0] = np.nan
    return out


def cut_rows(Y, heads):
    """The right shape with the wrong contents."""
    return Y.reshape(len(Y), heads, Y.shape[1], -1)


def glued(heads_out):
    """The same for merging."""
    return heads_out.reshape(len(heads_out), heads_out.shape[2], -1)


def reading(ids, E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U, heads, scaled, *, norms=(1, 1, 1), ways=(1, 1), **how):
    """The forward pass with one thing changed."""
    norm = [lambda x, on=on: layer_norm_forward(x)[0] if on else x for on in norms]
    x = E[ids] + (P[: ids.shape[1]] if how.get("positions", True) else 0)
    params = MultiHeadParams(W_Q, W_K, W_V, W_O, heads=heads, kv_heads=heads)
    scale = None if scaled else 1.0
    out = multihead_forward(norm[0](x), params, causal=how.get("causal", True), scale=scale)[0]
    h = ways[0] * x + out
    hidden = norm[1](x if how.get("beside") else h) @ W_1
    g = ways[1] * h + (np.maximum(hidden, 0) if how.get("relu", True) else hidden) @ W_2
    logits = norm[2](g) @ W_U
    return softmax_forward(logits) if how.get("shares") else logits


def norm_after(ids, E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U, heads, scaled):
    """Each norm after its sum, as in 2017."""
    x = E[ids] + P[: ids.shape[1]]
    h = layer_norm_forward(x + capstone.causal_heads(x, W_Q, W_K, W_V, W_O, heads, scaled))[0]
    return layer_norm_forward(h + np.maximum(h @ W_1, 0) @ W_2)[0] @ W_U


def blame(ids, targets, *rest, ways=(1, 1), norms=True, relu=True, lost=False, places="sum", times=(1, 1)):
    """The gradients with one thing changed on the way back."""
    E, P, *_, heads, scaled = rest
    done = capstone.run(ids, capstone.Weights(*rest[:9]), heads, scaled)
    loss, cache = cross_entropy_forward(done.logits, targets)
    back = [lambda d, c=c: layer_norm_backward(d, c)[0] if norms else d for c in done.norms]
    dnormed, dW_U, _ = linear_backward(cross_entropy_backward(cache), done.last)
    dg = back[2](dnormed)
    dhidden, dW_2, _ = linear_backward(dg, done.after)
    dnormed, dW_1, _ = linear_backward(dhidden * (done.after.x > 0) if relu else dhidden, done.hidden)
    dh = ways[1] * dg + back[1](dnormed)
    dnormed, _, dheads = multihead_backward(dh, done.attention)
    dx = ways[0] * dh + back[0](dnormed)
    dE, dP = np.zeros_like(E), np.zeros_like(P)
    if lost:
        dE[ids] += dx
    else:
        np.add.at(dE, ids, dx)
    dP[: ids.shape[1]] = {"sum": dx.sum(axis=0), "mean": dx.mean(axis=0), "first": dx[0]}[places]
    slopes = dE, dP, *dheads[:4], dW_1, dW_2, dW_U
    return times[0] * loss, *(times[1] * slope for slope in slopes)


def counted(ids, *rest, loss, slopes):
    """Loss or gradients of a sum over all predictions."""
    return blame(ids, *rest, times=(ids.size if loss else 1, ids.size if slopes else 1))


def training(ids, starts, length, *rest, kept=False, sign=1, same=False, after=False, shift=1, **how):
    """The loop with one thing changed."""
    *weights, heads, scaled, rate = rest
    losses, total, before = [], None, weights
    for row in starts:
        batch = pairs(ids, starts[0] if same else row, length, shift)
        loss, *slopes = capstone.gradients(*batch, *weights, heads, scaled)
        total = [a + b for a, b in zip(total, slopes, strict=True)] if kept and total else slopes
        before, step = weights, sign * (1.0 if how.get("whole") else rate) * (0 if how.get("still") else 1)
        weights = [weight - step * slope for weight, slope in zip(weights, total, strict=True)]
        losses.append(capstone.gradients(*batch, *weights, heads, scaled)[0] if after else loss)
    return np.array(losses), *(before if how.get("short") else weights)


def writing(prompt, uniforms, temperature, *rest, at=-1, alone=False, oldest=False, heat=None, **how):
    """Sampling with one thing changed."""
    positions, ids = len(rest[1]), list(prompt)
    for u in uniforms:
        seen = np.array([ids[:positions] if oldest else ids[-positions:]])
        logits = capstone.forward(seen, *rest)[0, at]
        drawn = capstone.draw(logits, heat(temperature) if heat else temperature, uniforms[0] if how.get("one") else u)
        ids.append(drawn if temperature or not how.get("divides") else 0)
    return np.array(ids[len(prompt) :] if alone else ids)


@functools.cache
def losses(scaled=True) -> np.ndarray:
    """Of the run that the notebook describes."""
    characters = sorted(set(capstone.rhyme()))
    ids = np.array([characters.index(c) for c in capstone.rhyme()])
    start = capstone.fresh_weights(0, len(characters))
    return capstone.train(ids, capstone.random_starts(0, ids), 32, *start, 2, scaled, 1.0)[0]


HEAD_MISTAKES = (
    Mistake(
        "no mask",
        lambda *a: heads_with(*a, hide=lambda scores, seen: scores),
        "Your tokens read what comes after them, and in training that's the answer.",
        read=MASK,
    ),
    Mistake(
        "mask transposed",
        lambda *a: heads_with(*a, hide=lambda scores, seen: np.where(seen.T, scores, -np.inf)),
        "Your first token sees everything and your last one only itself. Rows are queries: turn the stencil.",
        read=MASK,
    ),
    Mistake(
        "itself hidden",
        lambda *a: blank_first(heads_with(*a, hide=lambda s, seen: np.where(np.tri(len(seen), k=-1), s, -np.inf))),
        "The first row is NaN: its token sees nobody, not even itself. Is the diagonal the future?",
        read=MASK,
    ),
    Mistake(
        "not low enough",
        lambda *a: heads_with(*a, hide=lambda scores, seen: np.where(seen, scores, -1e4)),
        "Ordinary scores work. In the last case, what you give the future is more than some of the visible scores, so "
        "it wins. Is there a number that's below all others?",
        read=MASK,
    ),
    Mistake(
        "hidden scores are 0",
        lambda *a: heads_with(*a, hide=lambda scores, seen: np.where(seen, scores, 0.0)),
        "You give the future a score of 0. But exp(0) is 1, which may be more than what's visible gets.",
        read=MASK,
    ),
    Mistake(
        "mask after softmax",
        lambda *a: heads_with(*a, hide=lambda scores, seen: scores, late=True),
        "You hide the future when its weights have already taken their share, so that no row but the last sums to 1.",
        read=MASK,
    ),
    Mistake(
        "wrong axis",
        lambda *a: heads_with(*a, axis=-2),
        "Your causal weights sum to 1 down the queries. In each head and each window, one query shares out 1.",
        read=SOFTMAX,
    ),
    Mistake(
        "no scale",
        lambda *a: heads_with(*a, never=True),
        "With scaled=True, your scores are still the plain dot products.",
        read=WIDTH,
    ),
    Mistake(
        "always scaled",
        lambda *a: heads_with(*a, always=True),
        "You divide with scaled=False too. There, the scores should stay as they are.",
    ),
    Mistake(
        "1/d_k",
        lambda *a: heads_with(*a, width=lambda X, Q: Q.shape[-1] ** 2),
        "With scaled=True you divide by the head's width, and the formula divides by something smaller.",
        read=WIDTH,
    ),
    Mistake(
        "sqrt(d_model)",
        lambda *a: heads_with(*a, width=lambda X, Q: X.shape[-1]),
        "Your root is that of a token's width, d_model. How many products does one head's score add up?",
        read=WIDTH,
    ),
    Mistake(
        "sqrt(h d_k)",
        lambda *a: heads_with(*a, width=lambda X, Q: Q.shape[1] * Q.shape[-1]),
        "Your root counts the columns of W_Q, those of all heads together. How many belong to one head?",
        read=WIDTH,
    ),
    Mistake(
        "one big head",
        lambda *a: heads_with(*a[:5], 1, a[6]),
        "This is one causal head over all columns. Split Q, K and V before you compute the scores.",
    ),
    Mistake(
        "no W_O",
        lambda *a: heads_with(*a, bare=True),
        "The heads are right, side by side. W_O, which mixes them, hasn't been used yet.",
    ),
    Mistake(
        "split by reshape",
        lambda *a: heads_with(*a, split=cut_rows),
        "The split has the right shape and the wrong contents, as a plain reshape to heads first gives it. "
        "Separate the columns first, then move that axis forward.",
    ),
    Mistake(
        "merge by reshape",
        lambda *a: heads_with(*a, merge=glued),
        "The heads are right, but merging mixes up their tokens: bring the axis of the heads back before the reshape.",
    ),
    Mistake(
        "no maximum",
        no_maximum,
        "Ordinary scores work. In the last case exp is infinite or 0 in every row, as in ps03: subtract "
        "the largest visible score of a row first.",
        read='notebook 03, section "Trouble one: exp runs out of numbers"',
    ),
)
