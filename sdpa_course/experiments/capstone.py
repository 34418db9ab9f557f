"""A transformer of one block that reads characters, small enough to write in an afternoon. Used in problem set 12.

    x = E[ids] + P              XX

Its functions take the weights one by one, in the order of `Weights`: `forward(ids, *weights, heads, scaled)`.

Axes: B windows · T tokens · C characters · L positions · D width of a token · H heads · Dk, Dv head widths · M hidden
"""

from typing import NamedTuple

import numpy as np

from ..kernels.layernorm import layer_norm_backward, layer_norm_forward
from ..kernels.linear import linear_backward, linear_forward
from ..kernels.loss import cross_entropy_backward, cross_entropy_forward
from ..kernels.multihead import multihead_backward, multihead_forward
from ..kernels.params import MultiHeadParams
from ..kernels.softmax import softmax_forward

VERSES = (
    ("the malt", "lay in"),
    ("the rat", "ate"),
    ("the cat", "killed"),
    ("the dog", "worried"),
    ("the cow with the crumpled horn", "tossed"),
    ("the maiden all forlorn", "milked"),
    ("the man all tattered and torn", "kissed"),
    ("the priest all shaven and shorn", "married"),
    ("the cock that crowed in the morn", "waked"),
    ("the farmer sowing his corn", "kept"),
)


def rhyme() -> str:
    """*The House That Jack Built*, an English nursery rhyme in print since 1755 and in the public domain.

    Examples
    --------
    >>> print(rhyme()[:65])
    this is the house that jack built.
    <BLANKLINE>
    this is the malt,
    that lay in
    """
    tail, verses = "the house that jack built.", []
    for who, did in (("", ""), *VERSES):
        tail = f"{who},\nthat {did} {tail}" if who else tail
        verses.append(f"this is {tail}\n")
    return "\n".join(verses)


class Weights(NamedTuple):
    """All that's learned."""

    E: np.ndarray  # (C, D), a vector for each character
    P: np.ndarray  # (L, D), a vector for each position
    W_Q: np.ndarray  # (D, H·Dk)
    W_K: np.ndarray  # (D, H·Dk)
    W_V: np.ndarray  # (D, H·Dv)
    W_O: np.ndarray  # (H·Dv, D)
    W_1: np.ndarray  # (D, M)
    W_2: np.ndarray  # (M, D)
    W_U: np.ndarray  # (D, C)


def fresh_weights(seed: int, characters: int, *, positions=32, width=32, heads=2, d_k=64, hidden=64) -> Weights:
    """Weights to start from: vectors of characters and positions ~ N(0, 1), matrices ~ N(0, 1/fan_in).

    A head's values have width / heads columns; its queries and keys are as wide as you like.
    """
    rng = np.random.default_rng(seed)
    across, values = heads * d_k, heads * (width // heads)
    shapes = ((width, across), (width, across), (width, values), (values, width), (width, hidden), (hidden, width))
    vectors = (rng.normal(size=(rows, width)) for rows in (characters, positions))
    matrices = (rng.normal(size=shape) / np.sqrt(shape[0]) for shape in (*shapes, (width, characters)))
    return Weights(*vectors, *matrices)


def random_starts(seed: int, ids, *, steps=300, batch=8, length=32) -> np.ndarray:
    """Where each step's windows begin: (steps, batch)."""
    return np.random.default_rng([seed, 1]).integers(len(ids) - length, size=(steps, batch))


def windows(ids, starts, length: int) -> tuple[np.ndarray, np.ndarray]:
    """`(x, y)`, each (B, T): pieces of the text, and the character that follows each of theirs."""
    places = np.asarray(starts)[:, None] + np.arange(length)
    return np.asarray(ids)[places], np.asarray(ids)[places + 1]


def attend(X, W_Q, W_K, W_V, W_O, heads, scaled):
    """`(out, cache)` of causal multi-head attention, with the scale or without."""
    params = MultiHeadParams(W_Q, W_K, W_V, W_O, heads=heads, kv_heads=heads)
    return multihead_forward(X, params, causal=True, scale=None if scaled else 1.0)


def causal_heads(X, W_Q, W_K, W_V, W_O, heads, scaled) -> np.ndarray:
    """Causal multi-head attention: (B, T, D) -> (B, T, D)."""
    return attend(X, W_Q, W_K, W_V, W_O, heads, scaled)[0]


class Pass(NamedTuple):
    """One way through the model, and what the way back needs."""

    logits: np.ndarray
    norms: tuple
    attention: tuple
    hidden: tuple
    after: tuple
    last: tuple


def run(ids, weights: Weights, heads: int, scaled: bool) -> Pass:
    """The forward pass."""
    E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U = weights
    x = E[ids] + P[: ids.shape[1]]
    n_1, norm_1 = layer_norm_forward(x)
    out, attention = attend(n_1, W_Q, W_K, W_V, W_O, heads, scaled)
    h = x + out
    n_2, norm_2 = layer_norm_forward(h)
    hidden, first = linear_forward(n_2, W_1)
    out, second = linear_forward(np.maximum(hidden, 0), W_2)
    n_3, norm_3 = layer_norm_forward(h + out)
    logits, last = linear_forward(n_3, W_U)
    return Pass(logits, (norm_1, norm_2, norm_3), attention, first, second, last)


def forward(ids, E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U, heads, scaled) -> np.ndarray:
    """Logits of the next character at every place: (B, T) -> (B, T, C)."""
    return run(ids, Weights(E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U), heads, scaled).logits


def gradients(ids, targets, E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U, heads, scaled) -> tuple:
    """`(loss, dE, dP, …, dW_U)`."""
    done = run(ids, Weights(E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U), heads, scaled)
    loss, cache = cross_entropy_forward(done.logits, targets)
    # logits = norm(g) @ W_U
    dnormed, dW_U, _ = linear_backward(cross_entropy_backward(cache), done.last)
    dg = layer_norm_backward(dnormed, done.norms[2])[0]
    # g = h + max(0, norm(h) @ W_1) @ W_2
    dhidden, dW_2, _ = linear_backward(dg, done.after)
    dnormed, dW_1, _ = linear_backward(dhidden * (done.after.x > 0), done.hidden)
    dh = dg + layer_norm_backward(dnormed, done.norms[1])[0]
    # h = x + heads(norm(x))
    dnormed, _, dheads = multihead_backward(dh, done.attention)
    dx = dh + layer_norm_backward(dnormed, done.norms[0])[0]
    # x = E[ids] + P
    dE, dP = np.zeros_like(E), np.zeros_like(P)
    np.add.at(dE, ids, dx)  # a character that appears twice learns twice
    dP[: ids.shape[1]] = dx.sum(axis=0)
    return loss, dE, dP, dheads.w_q, dheads.w_k, dheads.w_v, dheads.w_o, dW_1, dW_2, dW_U


def train(ids, starts, length, E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U, heads, scaled, rate) -> tuple:
    """`(losses, E, P, …, W_U)` after one step of SGD for each row of `starts`; a loss is that before its step."""
    weights, losses = [E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U], []
    for row in starts:
        loss, *slopes = gradients(*windows(ids, row, length), *weights, heads, scaled)
        weights = [weight - rate * slope for weight, slope in zip(weights, slopes, strict=True)]
        losses.append(loss)
    return np.array(losses), *weights


def write(prompt, uniforms, temperature, E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U, heads, scaled) -> np.ndarray:
    """The prompt's ids and one more for each of `uniforms`, drawn with a temperature; 0 takes the likeliest."""
    ids = list(prompt)
    for u in uniforms:
        seen = np.array([ids[-len(P) :]])
        logits = forward(seen, E, P, W_Q, W_K, W_V, W_O, W_1, W_2, W_U, heads, scaled)[0, -1]
        ids.append(int(draw(logits, temperature, u)))
    return np.array(ids)


def draw(logits, temperature: float, u: float) -> int:
    """The first id at which the probabilities, added up, exceed `u`; at temperature 0 the likeliest id."""
    if temperature == 0:
        return logits.argmax()
    total = softmax_forward(logits[None] / temperature)[0].cumsum()
    return min(np.searchsorted(total, u, side="right"), len(total) - 1)
