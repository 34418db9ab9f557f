"""The exercises inside notebook 08: the scores of one head, and the gradient of keys that several heads share."""

import numpy as np

from .tasks import Mistake, Task


def projections(rng) -> list[dict]:
    """Tokens and matrices where T, d_model, d_k and h·d_k all differ, and a head that isn't the first."""
    cases = []
    for h, i, T, d_model, d_k in ((3, 1, 5, 12, 2), (2, 1, 7, 10, 3)):
        W_Q, W_K = rng.normal(size=(2, d_model, h * d_k))
        cases.append({"X": rng.normal(size=(T, d_model)), "W_Q": W_Q, "W_K": W_K, "heads": h, "i": i})
    return cases


def one_head(X, W_Q, W_K, heads, i, width=None, part=None):
    """Scores of head i, its columns `part`, divided by the root of `width`."""
    d_k = W_Q.shape[1] // heads
    part = slice(i * d_k, (i + 1) * d_k) if part is None else part
    return (X @ W_Q[:, part]) @ (X @ W_K[:, part]).T / np.sqrt(d_k if width is None else width)


def token_cut(X, W_Q, W_K, heads, i):
    """Only a part of each token, through its own block of the matrices."""
    d_k, wide = W_Q.shape[1] // heads, X.shape[1] // heads
    rows, columns = slice(i * wide, (i + 1) * wide), slice(i * d_k, (i + 1) * d_k)
    return (X[:, rows] @ W_Q[rows, columns]) @ (X[:, rows] @ W_K[rows, columns]).T / np.sqrt(d_k)


def groups(rng) -> list[dict]:
    """Six query heads that share two, and eight that share four."""
    return [
        {"dK": rng.normal(size=(6, 5, 3)), "kv_heads": 2},
        {"dK": rng.normal(size=(8, 3, 7)), "kv_heads": 4},
    ]


def grouped(dK, kv_heads, collect=np.sum):
    """(h, T, d_k) -> (h_kv, T, d_k), neighbours together."""
    return collect(dK.reshape(kv_heads, -1, *dK.shape[1:]), axis=1)


TASKS = (
    Task(
        "nb08.head_scores",
        points=0,
        asks="the scaled scores of head i, of shape (T, T)",
        read='notebook 08, section "Which width goes under the root?"',
        cases=projections,
        right=one_head,
        mistakes=(
            Mistake(
                "root of the model's width",
                lambda X, W_Q, W_K, heads, i: one_head(X, W_Q, W_K, heads, i, X.shape[1]),
                "You divide by the root of the model's width. How many products does one score of this head add up?",
            ),
            Mistake(
                "root of all columns",
                lambda X, W_Q, W_K, heads, i: one_head(X, W_Q, W_K, heads, i, W_Q.shape[1]),
                "You divide by the root of all heads' columns together. How many of them belong to this head?",
            ),
            Mistake(
                "root of the number of heads",
                lambda X, W_Q, W_K, heads, i: one_head(X, W_Q, W_K, heads, i, heads),
                "Under the root you have the number of heads. It should be how wide one head is.",
            ),
            Mistake(
                "no root",
                lambda X, W_Q, W_K, heads, i: one_head(X, W_Q, W_K, heads, i, (W_Q.shape[1] // heads) ** 2),
                "The right width, but without a root: the scores come out too small.",
            ),
            Mistake(
                "no scale",
                lambda X, W_Q, W_K, heads, i: one_head(X, W_Q, W_K, heads, i, 1),
                "The right dot products. They still have to be scaled.",
            ),
            Mistake(
                "token cut",
                token_cut,
                "You've cut the tokens as well. A head reads the whole token; only the columns of the matrices are "
                "its own.",
                read='notebook 08, section "What gets cut"',
            ),
            Mistake(
                "all columns",
                lambda X, W_Q, W_K, heads, i: one_head(X, W_Q, W_K, heads, i, part=slice(None)),
                "You've used all columns of Q and K, so this is one wide head. Which columns are head i's?",
                read='notebook 08, section "What gets cut"',
            ),
            Mistake(
                "every h-th column",
                lambda X, W_Q, W_K, heads, i: one_head(X, W_Q, W_K, heads, i, part=slice(i, None, heads)),
                "Your head takes columns at regular intervals. A head's columns are next to each other.",
                read='notebook 08, section "What gets cut"',
            ),
        ),
    ),
    Task(
        "nb08.shared_gradient",
        points=0,
        asks="for each key/value head, the gradient of its keys, of shape (h_kv, T, d_k)",
        read='notebook 08, section "Sharing keys and values"',
        cases=groups,
        right=grouped,
        mistakes=(
            Mistake(
                "average",
                lambda dK, kv_heads: grouped(dK, kv_heads, np.mean),
                "You've averaged over the group. A number that's used three times gets three gradients: what happens "
                "to gradients where paths meet?",
            ),
            Mistake(
                "dealt out",
                lambda dK, kv_heads: dK.reshape(-1, kv_heads, *dK.shape[1:]).sum(axis=0),
                "Right idea, wrong groups: you deal the query heads out in turn. Neighbours share.",
            ),
            Mistake(
                "one of the group",
                lambda dK, kv_heads: dK[:: len(dK) // kv_heads],
                "You've kept one query head of each group. The others used those keys too.",
            ),
            Mistake(
                "all heads together",
                lambda dK, kv_heads: np.broadcast_to(dK.sum(axis=0), (kv_heads, *dK.shape[1:])),
                "You've added up all query heads. Each key/value head hears only from its own group.",
            ),
        ),
    ),
)
