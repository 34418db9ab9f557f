"""Problem set 01: the dot product of every pair, what length does to it, and how far the scores spread."""

import numpy as np

from ..kernels.linear import linear_forward
from ..kernels.scores import cosine_scores_forward, dot_scores_forward
from .hunts import Hunt, Trap, counterexample
from .tasks import Mistake, Task, any_sizes


def queries_and_keys(rng, sizes=((4, 6, 3), (5, 2, 7))) -> list[dict]:
    """Sizes are queries, keys and d_k: more keys than queries, then fewer. The vectors clearly differ in length."""
    return [{"Q": vectors(rng, n, d_k), "K": vectors(rng, m, d_k)} for n, m, d_k in sizes]


def as_many_first(rng) -> list[dict]:
    """The same, after one case with as many queries as keys: lengths divided along the wrong axis only fit there."""
    return [{"Q": vectors(rng, 4, 3), "K": vectors(rng, 4, 3)}, *queries_and_keys(rng)]


def vectors(rng, count: int, width: int) -> np.ndarray:
    """Random directions with lengths from 1 to 3, in mixed order; no entry is small."""
    entries = rng.choice([-1.0, 1.0], size=(count, width)) * rng.uniform(0.5, 1.5, size=(count, width))
    lengths = rng.permutation(np.linspace(1, 3, count))
    return entries * (lengths / np.sqrt((entries**2).sum(axis=1)))[:, None]


def embeddings(rng, sizes=((4, 6, 3), (5, 7, 2), (3, 5, 3))) -> list[dict]:
    """X and two matrices, by tokens, d_model and d_k; the last case has as many tokens as a query has entries."""
    return [
        {"X": vectors(rng, n, m), "W_Q": rng.normal(size=(m, d_k)), "W_K": rng.normal(size=(m, d_k))}
        for n, m, d_k in sizes
    ]


def pairs(rng, sizes=((6, 4), (3, 5))) -> list[dict]:
    """As many queries as keys, of the same width."""
    return [{"Q": vectors(rng, count, d_k), "K": vectors(rng, count, d_k)} for count, d_k in sizes]


def dots(q, k):
    """q kᵀ without a scale."""
    return dot_scores_forward(q, k, scale=1)[0]


def lengths(x, axis=-1):
    """The length of every row, kept as a column."""
    return np.sqrt((x**2).sum(axis=axis, keepdims=True))


def projected(x, w_q, w_k):
    """Queries and keys of the tokens."""
    return linear_forward(x, w_q)[0], linear_forward(x, w_k)[0]


def dots_reshaped(q, k):
    """q times the keys reshaped to (d_k, keys): right shape, wrong values."""
    return q @ k.reshape(k.shape[1], k.shape[0])


def dots_square(q, k):
    """One column for each query: keys beyond that are lost, and if there are fewer keys, the last columns stay 0."""
    scores = np.zeros((len(q), len(q)))
    scores[:, : len(k)] = dots(q, k[: len(q)])
    return scores


def dots_unless_square(q, k):
    """Right, except that a square array of keys isn't transposed."""
    return q @ k if k.shape[0] == k.shape[1] else dots(q, k)


def cosines(q, k):
    """The dot products of the directions."""
    return cosine_scores_forward(q, k)[0]


def scores_given(x, w_q, w_k):
    """What the function with the bug computes."""
    return dots_reshaped(*projected(x, w_q, w_k))


def scores_mended(x, w_q, w_k):
    """Every token's query with every token's key."""
    return dots(*projected(x, w_q, w_k))


BY_HAND = 'notebook 01, section "Multiply and add"'
LOOPS = 'notebook 01, section "Three loops, or one `@`"'
SHAPES = 'notebook 01, section "The real shapes"'
SHADOW = 'notebook 01, section "A shadow times a length"'

TASKS = (
    Task(
        "ps01.all_scores",
        points=3,
        asks="row i, column j holds the dot product of query i with key j",
        read=LOOPS,
        cases=queries_and_keys,
        hidden=lambda rng: queries_and_keys(rng, any_sizes(rng, 3)),
        right=dots,
        mistakes=(
            Mistake(
                "transposed",
                lambda q, k: dots(k, q),
                "Your rows are keys and your columns are queries. Which of the two does the asking, and so gets "
                "the rows?",
            ),
            Mistake(
                "not summed",
                lambda q, k: q[:, None, :] * k,
                "You have all the products, but they're still separate. A score is a single number: their sum.",
                read=BY_HAND,
            ),
            Mistake(
                "last term only",
                lambda q, k: q[:, -1:] * k[:, -1],
                "Each score is only the product of the last two entries. What does your innermost loop do with the "
                "terms before that?",
            ),
            Mistake(
                "queries with queries",
                lambda q, k: dots(q, q),
                "Your queries are compared with each other and the keys never come in. What is on the right of "
                "your product?",
            ),
            Mistake(
                "reshaped",
                dots_reshaped,
                "The shape is right, but the numbers of one key end up in different columns. Print K next to the "
                "array you multiply by.",
            ),
            Mistake(
                "scaled",
                lambda q, k: dot_scores_forward(q, k)[0],
                "You've divided the scores by √d_k. This task asks for the plain dot products.",
                read=SHAPES,
            ),
            Mistake(
                "sizes of the notebook",
                lambda q, k: dots(q[:3, :2], k[:3, :2]),
                "Your loops still have the sizes of the notebook's example in them. Read the sizes off Q and K.",
            ),
            Mistake(
                "two entries",
                lambda q, k: dots(q[:, :2], k[:, :2]),
                "Your sums stop after two entries, the width used in the notebook. How many entries does a query "
                "have here?",
            ),
            Mistake(
                "queries counted twice",
                dots_square,
                "You have one column for each query. Should there be one for each key?",
            ),
            Mistake(
                "first row only",
                lambda q, k: dots(q, k) * (np.arange(len(q)) == 0)[:, None],
                "The first query has its scores and the others have none. At which level of the loops is your return?",
            ),
            Mistake("cosines", cosines, "You've divided by the lengths. That's task 2; here they stay in.", SHADOW),
        ),
    ),
    Task(
        "ps01.all_cosines",
        points=3,
        asks="each dot product divided by the lengths of its query and its key, between −1 and 1",
        read=SHADOW,
        cases=as_many_first,
        hidden=lambda rng: queries_and_keys(rng, any_sizes(rng, 3)),
        right=cosines,
        mistakes=(
            Mistake("not divided", dots, "These are plain dot products. Nothing has been divided by a length yet."),
            Mistake(
                "keys only", lambda q, k: dots(q, k) / lengths(k).T, "A longer query still makes its whole row larger."
            ),
            Mistake(
                "queries only", lambda q, k: dots(q, k) / lengths(q), "If you stretch a key, its column still grows."
            ),
            Mistake(
                "squared lengths",
                lambda q, k: dots(q, k) / (lengths(q) ** 2 * lengths(k).T ** 2),
                "You divide by q·q and k·k. If q·q is 25, how long is q?",
            ),
            Mistake(
                "one length for all",
                lambda q, k: dots(q, k) / (lengths(q, axis=None) * lengths(k, axis=None)),
                "You divide by one number made from all the rows together. Each vector has its own length.",
            ),
            Mistake(
                "wrong axis",
                lambda q, k: dots(q / lengths(q, axis=0), k / lengths(k, axis=0)),
                "You took the length of each column. A query is a row: which axis do its entries run along?",
            ),
            Mistake(
                "no brackets",
                lambda q, k: dots(q, k) / lengths(q) * lengths(k).T,
                "You divide by one length and multiply by the other, because Python works from left to right.",
            ),
            Mistake(
                "both along the columns",
                lambda q, k: dots(q, k) / (np.resize(lengths(q), len(k)) * lengths(k).T),
                "You divide column j by the length of query j. But query j belongs to row j.",
            ),
            Mistake(
                "both along the rows",
                lambda q, k: dots(q, k) / (lengths(q) * np.resize(lengths(k), (len(q), 1))),
                "You divide row i by the length of key i. But key i belongs to column i.",
            ),
            Mistake(
                "transposed",
                lambda q, k: cosines(k, q),
                "The cosines are right, but rows and columns are swapped. Which of them does the asking?",
            ),
        ),
    ),
    Task(
        "ps01.new_score",
        points=1,
        asks="the dot product after the key is stretched and the query is reversed",
        read=SHADOW,
        right=lambda: -99.0,
        mistakes=(
            Mistake("before", lambda: 33.0, "That's the score before anything changed."),
            Mistake("not turned", lambda: 99.0, "The query points the other way now. What happens to each term?"),
            Mistake(
                "not stretched", lambda: -33.0, "You've reversed the query, but is the key still as long as before?"
            ),
            Mistake("stretched twice", lambda: -297.0, "You've used the factor twice. Only the key is stretched."),
            Mistake("minus lost", lambda: -189.0, "That's what a key of (12, 5) would give. Look at its signs again."),
        ),
    ),
    Task(
        "ps01.new_cosine",
        points=1,
        asks="the cosine similarity after both changes, to three decimals",
        read=SHADOW,
        right=lambda: -33 / 65,
        tolerance=2e-3,
        mistakes=(
            Mistake(
                "not turned",
                lambda: 33 / 65,
                "That's the cosine before the changes. One of the two vectors points the other way now.",
            ),
            Mistake(
                "old lengths",
                lambda: -99 / 65,
                "A cosine is never below −1. You've used the new score, but have you used the new lengths?",
            ),
            Mistake(
                "old score",
                lambda: -33 / 195,
                "You've used the new length in the denominator, but the old score in the numerator.",
            ),
            Mistake("keys only", lambda: -99 / 39, "A cosine is never below −1. The query has a length too."),
            Mistake("two decimals", lambda: -0.51, "Very close, but please give three decimals."),
        ),
    ),
    counterexample(
        "ps01",
        Hunt(scores_given, scores_mended, {"X": "tokens d_model", "W_Q": "d_model d_k", "W_K": "d_model d_k"}),
        example=lambda: (np.arange(6.0).reshape(3, 2), np.eye(2), np.eye(2)),
        traps=(
            Trap(
                "one token",
                lambda: (np.array([[1.0, 2.0]]), np.eye(2), np.eye(2)),
                "You have one token, and so had the first of the two tests. What could go wrong between two keys?",
                fits=lambda x, w_q, w_k: len(x) == 1,
            ),
            Trap(
                "width 1",
                lambda: (np.eye(3), np.ones((3, 1)), np.arange(3.0)[:, None]),
                "Your keys are one number long, so there isn't much about a key that could go wrong.",
                fits=lambda x, w_q, w_k: w_k.shape[1] == 1,
            ),
            Trap(
                "symmetric keys",
                lambda: (np.eye(3), np.eye(3), np.diag([2.0, 1.0, 4.0])),
                "Your K is its own transpose, as in the second of the two tests. Print K, and what the function makes "
                "of it.",
                fits=lambda x, w_q, w_k: len(x) == w_k.shape[1] and np.allclose(x @ w_k, (x @ w_k).T),
            ),
        ),
        read=LOOPS,
    ),
    Task(
        "ps01.mended_scores",
        points=2,
        asks="row i, column j says how well the query of token i matches the key of token j",
        read=SHAPES,
        cases=embeddings,
        hidden=lambda rng: embeddings(rng, any_sizes(rng, 3)),
        right=scores_mended,
        mistakes=(
            Mistake(
                "as given",
                scores_given,
                "Your function still does what the given one does. Take three tokens and d_k = 2, with numbers "
                "that are all different, and follow one key into the product.",
                read=LOOPS,
            ),
            Mistake(
                "transposed",
                lambda x, w_q, w_k: dots(*projected(x, w_k, w_q)),
                "The roles are swapped: your entry [0][1] says how token 1 looks at token 0.",
                read=LOOPS,
            ),
            Mistake(
                "one matrix for both",
                lambda x, w_q, w_k: dots(*projected(x, w_k, w_k)),
                "Your scores are symmetric, because W_K makes both the queries and the keys.",
            ),
            Mistake(
                "queries for both",
                lambda x, w_q, w_k: dots(*projected(x, w_q, w_q)),
                "W_K is never used, so the queries are compared with each other. Look at the right-hand side of "
                "your product.",
            ),
            Mistake(
                "square left alone",
                lambda x, w_q, w_k: dots_unless_square(*projected(x, w_q, w_k)),
                "When there are as many tokens as entries, the shapes fit by luck. Is K its own transpose?",
                read=LOOPS,
            ),
            Mistake(
                "not projected",
                lambda x, w_q, w_k: dots(x, x),
                "These are dot products of the embeddings themselves. You haven't used either of the two matrices.",
            ),
            Mistake(
                "summed over tokens",
                lambda x, w_q, w_k: (x @ w_q).T @ (x @ w_k),
                "You summed over the tokens, which gives d_k rows. A score sums over the entries of two vectors.",
            ),
            Mistake(
                "scaled",
                lambda x, w_q, w_k: dot_scores_forward(*projected(x, w_q, w_k))[0],
                "You've fixed the bug, but you've also divided by √d_k. The function should return plain dot products.",
                read=SHAPES,
            ),
        ),
    ),
    Task(
        "ps01.row_scores",
        points=2,
        asks="one score for each pair of rows",
        read=BY_HAND,
        cases=pairs,
        hidden=lambda rng: pairs(rng, any_sizes(rng, 2)),
        right=lambda q, k: (q * k).sum(axis=1),
        mistakes=(
            Mistake(
                "all pairs",
                dots,
                "You've compared every query with every key. Here query i meets key i only.",
                read=LOOPS,
            ),
            Mistake(
                "wrong axis",
                lambda q, k: (q * k).sum(axis=0),
                "You've added the pairs together. Which axis holds the entries of one vector?",
            ),
            Mistake(
                "one number", lambda q, k: (q * k).sum(), "You've added up all the pairs. Each pair has its own score."
            ),
            Mistake("not summed", lambda q, k: q * k, "These are the terms of the dot products, not summed yet."),
            Mistake("mean", lambda q, k: (q * k).mean(axis=1), "A mean also divides by d_k. A dot product only adds."),
            Mistake("scaled", lambda q, k: (q * k).sum(axis=1) / q.shape[1] ** 0.5, "Don't divide by √d_k here."),
            Mistake(
                "cosines",
                lambda q, k: (q * k).sum(axis=1) / (lengths(q) * lengths(k))[:, 0],
                "These are the cosines of the pairs. They come later, in the third column of the table.",
            ),
            Mistake(
                "a column",
                lambda q, k: (q * k).sum(axis=1)[:, None],
                "The numbers are right, but there's an extra axis of size 1.",
            ),
        ),
    ),
)
