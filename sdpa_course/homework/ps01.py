"""Problem set 01: dot products of all pairs, what length does to them, and how they spread."""

import numpy as np

from ..kernels.linear import linear_forward
from ..kernels.scores import cosine_scores_forward, dot_scores_forward
from .tasks import Mistake, Task


def queries_and_keys(rng) -> list[dict]:
    """More keys than queries, then fewer; the vectors differ clearly in length."""
    sizes = ((4, 6, 3), (5, 2, 7))  # queries, keys, d_k
    return [{"Q": vectors(rng, n, d_k), "K": vectors(rng, m, d_k)} for n, m, d_k in sizes]


def as_many_first(rng) -> list[dict]:
    """The same after a case with as many queries as keys: lengths spread the wrong way fit there and show."""
    return [{"Q": vectors(rng, 4, 3), "K": vectors(rng, 4, 3)}, *queries_and_keys(rng)]


def vectors(rng, count: int, width: int) -> np.ndarray:
    """Random directions with lengths from 1 to 3, in mixed order; no entry is small."""
    entries = rng.choice([-1.0, 1.0], size=(count, width)) * rng.uniform(0.5, 1.5, size=(count, width))
    lengths = rng.permutation(np.linspace(1, 3, count))
    return entries * (lengths / np.sqrt((entries**2).sum(axis=1)))[:, None]


def embeddings(rng) -> list[dict]:
    """X with the two matrices that make queries and keys of it; at last as many tokens as entries."""
    sizes = ((4, 6, 3), (5, 7, 2), (3, 5, 3))  # tokens, d_model, d_k
    return [
        {"X": vectors(rng, n, m), "W_Q": rng.normal(size=(m, d_k)), "W_K": rng.normal(size=(m, d_k))}
        for n, m, d_k in sizes
    ]


def pairs(rng) -> list[dict]:
    """As many queries as keys, of the same width."""
    return [{"Q": vectors(rng, count, d_k), "K": vectors(rng, count, d_k)} for count, d_k in ((6, 4), (3, 5))]


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
    """q times the keys poured into (d_k, keys) row by row: right shape, wrong values."""
    return q @ k.reshape(k.shape[1], k.shape[0])


def dots_unless_square(q, k):
    """Right, but a square array of keys goes into the product as it is."""
    return q @ k if k.shape[0] == k.shape[1] else dots(q, k)


def cosines(q, k):
    """The dot products of the directions."""
    return cosine_scores_forward(q, k)[0]


SHADOW = "notebook 01, section 4"

TASKS = (
    Task(
        "ps01.all_scores",
        points=3,
        asks="row i, column j holds the dot product of query i with key j",
        read="notebook 01, section 2",
        cases=queries_and_keys,
        right=dots,
        mistakes=(
            Mistake(
                "transposed",
                lambda q, k: dots(k, q),
                "Your rows belong to the keys and your columns to the queries. The row says who asks.",
            ),
            Mistake(
                "not summed",
                lambda q, k: q[:, None, :] * k,
                "The products of the entries are all there, side by side. A score is one number: their sum.",
                read="notebook 01, section 1",
            ),
            Mistake(
                "last term only",
                lambda q, k: q[:, -1:] * k[:, -1],
                "Every entry is the product of the last entries alone. "
                "What does your innermost loop do with the terms that came before?",
            ),
            Mistake(
                "queries with queries",
                lambda q, k: dots(q, q),
                "Here the queries ask each other, and no key is asked. Which array stands on the right of the product?",
            ),
            Mistake(
                "reshaped",
                dots_reshaped,
                "The shape is right, but the numbers of one key have landed in different columns. "
                "Print K beside the array that you multiply by.",
            ),
            Mistake(
                "scaled",
                lambda q, k: dot_scores_forward(q, k)[0],
                "These are the scores divided by √d_k. Here the bare sum is asked for.",
                read="notebook 01, section 7",
            ),
            Mistake(
                "sizes of the notebook",
                lambda q, k: dots(q[:3, :2], k[:3, :2]),
                "The sizes of the notebook's example are still in your loops. Read them off Q and K.",
            ),
            Mistake(
                "two entries",
                lambda q, k: dots(q[:, :2], k[:, :2]),
                "Your sums stop after two entries, the width in the notebook. How many entries has a query here?",
            ),
            Mistake("queries counted twice", lambda q, k: dots(q, k[: len(q)]), "Your columns count queries."),
            Mistake(
                "first row only",
                lambda q, k: dots(q, k) * (np.arange(len(q)) == 0)[:, None],
                "The first query has its scores, the others have none. Where does your return stand?",
            ),
            Mistake("cosines", cosines, "You divided by the lengths. That comes in task 2; here they stay in.", SHADOW),
        ),
    ),
    Task(
        "ps01.all_cosines",
        points=3,
        asks="each dot product over the lengths of its query and its key, between −1 and 1",
        read=SHADOW,
        cases=as_many_first,
        right=cosines,
        mistakes=(
            Mistake("not divided", dots, "These are the dot products as they are. No length was divided out."),
            Mistake("keys only", lambda q, k: dots(q, k) / lengths(k).T, "A longer query still makes your row larger."),
            Mistake("queries only", lambda q, k: dots(q, k) / lengths(q), "Stretch one key, and see its column grow."),
            Mistake(
                "squared lengths",
                lambda q, k: dots(q, k) / (lengths(q) ** 2 * lengths(k).T ** 2),
                "You divide by q·q and k·k. What is the length of a vector, if q·q is 25?",
            ),
            Mistake(
                "one length for all",
                lambda q, k: dots(q, k) / (lengths(q, axis=None) * lengths(k, axis=None)),
                "You divide by one number made from all rows together. Each vector has its own length.",
            ),
            Mistake(
                "wrong axis",
                lambda q, k: dots(q / lengths(q, axis=0), k / lengths(k, axis=0)),
                "You took the length of each column. A query is a row: over which axis do its entries run?",
            ),
            Mistake(
                "no brackets",
                lambda q, k: dots(q, k) / lengths(q) * lengths(k).T,
                "You divide by one length and multiply by the other: Python works from left to right.",
            ),
            Mistake(
                "both along the columns",
                lambda q, k: dots(q, k) / (np.resize(lengths(q), len(k)) * lengths(k).T),
                "Column j is divided by the length of query j. But query j has a row.",
            ),
            Mistake(
                "both along the rows",
                lambda q, k: dots(q, k) / (lengths(q) * np.resize(lengths(k), (len(q), 1))),
                "Row i is divided by the length of key i. But key i has a column.",
            ),
            Mistake("transposed", lambda q, k: cosines(k, q), "The cosines are right. But who asks: row or column?"),
        ),
    ),
    Task(
        "ps01.new_score",
        points=1,
        asks="the dot product after the key was stretched and the query turned round",
        read=SHADOW,
        right=lambda: -99.0,
        mistakes=(
            Mistake("before", lambda: 33.0, "That is the score before anything was changed."),
            Mistake("not turned", lambda: 99.0, "The query points the other way now. What becomes of each term?"),
            Mistake(
                "not stretched", lambda: -33.0, "The turn is in it, the stretch is not. Is the key as long as before?"
            ),
            Mistake("stretched twice", lambda: -297.0, "The factor came in twice. Only the key was stretched."),
            Mistake("minus lost", lambda: -189.0, "This is what a key (12, 5) would give. Look at its signs again."),
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
                "not turned", lambda: 33 / 65, "That was the cosine before. One of the two vectors has turned since."
            ),
            Mistake("old lengths", lambda: -99 / 65, "No cosine is below −1. The score is new, but are the lengths?"),
            Mistake("old score", lambda: -33 / 195, "The length below is stretched, the score above it is not."),
            Mistake("keys only", lambda: -99 / 39, "No cosine is below −1. The query has a length as well."),
            Mistake("two decimals", lambda: -0.51, "Very near. Give three decimals."),
        ),
    ),
    Task(
        "ps01.mended_scores",
        points=3,
        asks="row i, column j says how token i looks at token j",
        read="notebook 01, section 3",
        cases=embeddings,
        right=lambda x, w_q, w_k: dots(*projected(x, w_q, w_k)),
        mistakes=(
            Mistake(
                "as given",
                lambda x, w_q, w_k: dots_reshaped(*projected(x, w_q, w_k)),
                "This still computes what the given function computes. Take three tokens and d_k = 2, "
                "with numbers that are all different, and follow one key on its way into the product.",
                read="notebook 01, section 2",
            ),
            Mistake(
                "transposed",
                lambda x, w_q, w_k: dots(*projected(x, w_k, w_q)),
                "The roles are exchanged: your entry [0][1] says how token 1 looks at token 0.",
                read="notebook 01, section 2",
            ),
            Mistake(
                "one matrix for both",
                lambda x, w_q, w_k: dots(*projected(x, w_k, w_k)),
                "Your scores are symmetric, because W_K makes the queries as well as the keys.",
            ),
            Mistake(
                "queries for both",
                lambda x, w_q, w_k: dots(*projected(x, w_q, w_q)),
                "W_K never comes in: the queries meet each other. Look at the right-hand side of your product.",
            ),
            Mistake(
                "square left alone",
                lambda x, w_q, w_k: dots_unless_square(*projected(x, w_q, w_k)),
                "With as many tokens as entries the shapes agree by luck. Is K its own transpose?",
                read="notebook 01, section 2",
            ),
            Mistake(
                "not projected",
                lambda x, w_q, w_k: dots(x, x),
                "These are dot products of the embeddings themselves. Neither of the two matrices was used.",
            ),
            Mistake(
                "summed over tokens",
                lambda x, w_q, w_k: (x @ w_q).T @ (x @ w_k),
                "Your sum ran over the tokens: d_k rows came. A score sums over the entries of two vectors.",
            ),
            Mistake(
                "scaled",
                lambda x, w_q, w_k: dot_scores_forward(*projected(x, w_q, w_k))[0],
                "The bug is mended, but you divided by √d_k on top. The function should give the bare dot products.",
                read="notebook 01, section 7",
            ),
        ),
    ),
    Task(
        "ps01.row_scores",
        points=2,
        asks="one score for each pair of rows",
        read="notebook 01, section 1",
        cases=pairs,
        right=lambda q, k: (q * k).sum(axis=1),
        mistakes=(
            Mistake(
                "all pairs",
                dots,
                "Every query met every key. Here query i meets key i and no other.",
                read="notebook 01, section 2",
            ),
            Mistake("wrong axis", lambda q, k: (q * k).sum(axis=0), "You added the pairs to each other."),
            Mistake("one number", lambda q, k: (q * k).sum(), "All pairs were added up. Each keeps its own score."),
            Mistake("not summed", lambda q, k: q * k, "These are the terms of the dot products, not added up yet."),
            Mistake("mean", lambda q, k: (q * k).mean(axis=1), "A mean divides by d_k. A dot product only adds."),
            Mistake("scaled", lambda q, k: (q * k).sum(axis=1) / q.shape[1] ** 0.5, "Here nothing is divided by √d_k."),
            Mistake(
                "cosines",
                lambda q, k: (q * k).sum(axis=1) / (lengths(q) * lengths(k))[:, 0],
                "These are cosines of the pairs. They come later, in the third column of the table.",
            ),
            Mistake(
                "a column", lambda q, k: (q * k).sum(axis=1)[:, None], "Right numbers, but drop the axis of size 1."
            ),
        ),
    ),
)
