"""Problem set 08: split into heads, attend, merge, and let heads share keys and values."""

import numpy as np

from ..kernels.multihead import merge_heads, multihead_forward, split_heads
from ..kernels.params import MultiHeadParams
from ..kernels.sdpa import attention_forward
from ..kernels.softmax import softmax_forward
from .hunts import Hunt, Trap, counterexample
from .tasks import Mistake, Task, any_sizes


def layers(rng, sizes=((2, 9, 14, 3, 4), (3, 5, 9, 4, 2))) -> list[dict]:
    """Layers where T, d_model, d_model / h, d_k, d_v, h·d_k and h·d_v all differ."""
    cases = []
    for h, T, d_model, d_k, d_v in sizes:
        q, v = (d_model, h * d_k), (d_model, h * d_v)
        sizes = {"W_Q": q, "W_K": q, "W_V": v, "W_O": v[::-1]}
        weights = {name: 0.4 * rng.normal(size=size) for name, size in sizes.items()}
        cases.append({"X": rng.normal(size=(T, d_model)), **weights, "heads": h})
    return cases


def groups(rng) -> list[dict]:
    """6 query heads sharing 2 key/value heads, and 8 sharing 4: the group's size never equals the number of groups."""
    sizes = (((6, 4, 5), (2, 7, 5), (2, 7, 8)), ((8, 3, 7), (4, 6, 7), (4, 6, 5)))
    return [dict(zip("QKV", (rng.normal(size=size) for size in three), strict=True)) for three in sizes]


def any_layers(rng) -> list[dict]:
    """Any sizes, and layers as they usually are, with h · d_k = h · d_v = d_model."""
    return layers(rng, [*any_sizes(rng, 5), (4, 3, 8, 2, 2), (1, 4, 5, 5, 5), (5, 7, 15, 3, 3)])


def any_groups(rng) -> list[dict]:
    """One query head to twelve, sharing one key/value head, all of them, or a few; any other sizes."""
    cases = []
    for g, kv_heads, Tq, Tk, d_k, d_v in any_sizes(rng, 6):
        g, kv_heads = min(g, 4), min(kv_heads, 3)
        sizes = ((g * kv_heads, Tq, d_k), (kv_heads, Tk, d_k), (kv_heads, Tk, d_v))
        cases.append(dict(zip("QKV", (rng.normal(size=size) for size in sizes), strict=True)))
    return cases


def any_columns(rng) -> list[dict]:
    """Any number of tokens, heads and columns in a head."""
    return [{"Y": rng.normal(size=(T, h * d_k)), "heads": h} for T, h, d_k in any_sizes(rng, 3)]


def split_by_reshape(Y, heads):
    """The right shape with the wrong contents."""
    return Y.reshape(heads, len(Y), -1)


def first_for_all(Y, heads):
    """Every head gets the columns of head 0."""
    return np.repeat(split_heads(Y, heads)[:1], heads, axis=0)


def merge_by_reshape(heads_out):
    """The same for merging: the right shape with the wrong contents."""
    return heads_out.reshape(heads_out.shape[1], -1)


def package_layer(X, W_Q, W_K, W_V, W_O, heads):
    """Multi-head self-attention, no biases."""
    return multihead_forward(X, MultiHeadParams(W_Q, W_K, W_V, W_O, heads=heads, kv_heads=heads))[0]


def layer(X, W_Q, W_K, W_V, W_O, heads, *, width=None, axis=-1, split=split_heads, merge=merge_heads):
    """The same with one thing changed; the scores are divided by √(width(X, Q, V))."""
    Q, K, V = (split(X @ W, heads) for W in (W_Q, W_K, W_V))
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(width(X, Q, V) if width else Q.shape[-1])
    return merge(softmax_forward(scores, axis=axis) @ V) @ W_O


def layer_by_convention(X, W_Q, W_K, W_V, W_O, heads):
    """Columns cut every d_model / h, as if that were the width of a head: the last slices come out short."""
    cuts, merged = np.arange(1, heads) * (X.shape[1] // heads), []
    for w_q, w_k, w_v in zip(*(np.split(W, cuts, axis=1) for W in (W_Q, W_K, W_V)), strict=True):
        scores = (X @ w_q) @ (X @ w_k).T / np.sqrt(X.shape[1] // heads)
        merged.append(softmax_forward(scores) @ (X @ w_v))
    return np.concatenate(merged, axis=1) @ W_O


def grouped(Q, K, V, scale=None):
    """The package's attention, where query head i uses key/value head i // g."""
    return attention_forward(Q, K, V, scale=scale)[0]


def grouped_over_queries(Q, K, V):
    """As many key/value heads as query heads, and softmax over the queries."""
    return softmax_forward(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), axis=-2) @ V


def dealt(x, heads):
    """Key/value heads dealt out in turn, 0 1 0 1 0 1, rather than 0 0 0 1 1 1."""
    return np.concatenate([x] * (heads // len(x)))


def grouped_given(Q, K, V):
    """What the function with the bug computes."""
    return grouped(Q, dealt(K, len(Q)), dealt(V, len(Q)))


def not_grouped(Q, K, V) -> str:
    """Why these heads can't be shared out evenly; empty if they can."""
    return "" if len(Q) % len(K) == 0 else f"{len(Q)} query heads, which {len(K)} key/value heads can't share evenly"


def numbered(heads, kv_heads):
    """Queries, keys and values of two tokens; every value is the number of its head."""
    Q, K = np.ones((heads, 2, 2)), np.ones((kv_heads, 2, 2))
    return Q, K, K * np.arange(kv_heads)[:, None, None]


def mib(kv_heads=8, layers=36, numbers=2):
    """The cache of 4096 tokens in MiB: `numbers` values of 2 bytes for each of 128 columns."""
    return numbers * 2 * layers * kv_heads * 128 * 4096 / 2**20


SHARING = 'notebook 08, section "Sharing keys and values"'

TASKS = (
    Task(
        "ps08.split_heads",
        points=2,
        asks="head i holds its own d_k adjacent columns of every token",
        read='notebook 08, section "What gets cut"',
        cases=lambda rng: [{"Y": rng.normal(size=(5, 12)), "heads": 3}, {"Y": rng.normal(size=(7, 6)), "heads": 2}],
        hidden=any_columns,
        right=split_heads,
        mistakes=(
            Mistake(
                "reshape alone",
                split_by_reshape,
                "The shape is right, but head 0 only holds pieces of the first few tokens: `reshape` keeps the "
                "numbers in order.",
            ),
            Mistake(
                "heads not in front",
                lambda Y, heads: Y.reshape(len(Y), heads, -1),
                "You've cut the rows in the right places. But your first axis counts tokens, and it should count "
                "heads.",
            ),
            Mistake(
                "every h-th column",
                lambda Y, heads: Y.reshape(len(Y), -1, heads).transpose(2, 0, 1),
                "Your heads take the columns in turn, like cards being dealt. A head's columns should be adjacent.",
            ),
            Mistake(
                "transposed",
                lambda Y, heads: split_heads(Y, heads).swapaxes(1, 2),
                "Each head has the right numbers, but with one row per column instead of one row per token.",
            ),
        ),
    ),
    Task(
        "ps08.merge_heads",
        points=2,
        asks="row t holds head 0 of token t, then head 1 of token t, and so on",
        read='notebook 08, section "What gets cut"',
        cases=lambda rng: [{"heads_out": rng.normal(size=size)} for size in ((3, 5, 4), (2, 7, 3))],
        hidden=lambda rng: [{"heads_out": rng.normal(size=size)} for size in any_sizes(rng, 3)],
        right=merge_heads,
        mistakes=(
            Mistake(
                "reshape alone",
                merge_by_reshape,
                "The shape is right, but a row holds several tokens of one head, rather than one token of all heads.",
            ),
            Mistake(
                "columns in turn",
                lambda heads_out: heads_out.transpose(1, 2, 0).reshape(heads_out.shape[1], -1),
                "The rows belong to the right tokens, but within a row the heads alternate. All of head 0 should "
                "come first.",
            ),
            Mistake(
                "below each other",
                lambda heads_out: heads_out.reshape(-1, heads_out.shape[2]),
                "You stack the heads on top of each other, so every token has several rows. A token should be one row.",
            ),
            Mistake(
                "not joined",
                lambda heads_out: heads_out.swapaxes(0, 1),
                "Every token now has its heads, but as a small matrix with one row per head. It should be one long "
                "row.",
            ),
            Mistake(
                "summed",
                lambda heads_out: heads_out.sum(axis=0),
                "You've added the heads up. Nothing is added yet at this point: a token keeps the outputs of all "
                "its heads.",
            ),
        ),
    ),
    Task(
        "ps08.multihead",
        points=4,
        asks="all heads side by side, their widths read off W_Q and W_V, times W_O",
        read='notebook 08, section "What gets cut"',
        cases=layers,
        hidden=any_layers,
        right=package_layer,
        mistakes=(
            Mistake(
                "no scale",
                lambda *case: layer(*case, width=lambda X, Q, V: 1.0),
                "This is the layer without a scale: each head's scores go straight into softmax.",
                read='notebook 08, section "Which width goes under the root?"',
            ),
            Mistake(
                "1/d_k",
                lambda *case: layer(*case, width=lambda X, Q, V: Q.shape[-1] ** 2),
                "You divide by the head's width itself. What's the standard deviation of a sum of d_k products?",
                read='notebook 08, section "Which width goes under the root?"',
            ),
            Mistake(
                "sqrt(d_model)",
                lambda *case: layer(*case, width=lambda X, Q, V: X.shape[1]),
                "Your scale uses the width of X. How many products are there in one score of one head?",
                read='notebook 08, section "Which width goes under the root?"',
            ),
            Mistake(
                "sqrt(h d_k)",
                lambda *case: layer(*case, width=lambda X, Q, V: len(Q) * Q.shape[-1]),
                "Your scale uses the width of Q before it's split, all heads together. A score belongs to one head.",
                read='notebook 08, section "Which width goes under the root?"',
            ),
            Mistake(
                "d_model / h",
                layer_by_convention,
                "You assume that the head width is d_model / h. Here it isn't: read it off W_Q, and d_v off W_V.",
            ),
            Mistake(
                "sqrt(d_model / h)",
                lambda *case: layer(*case, width=lambda X, Q, V: X.shape[1] / len(Q)),
                "You've cut the heads in the right places. But your scale uses d_model / h, which isn't d_k here.",
                read='notebook 08, section "Which width goes under the root?"',
            ),
            Mistake(
                "sqrt(d_v)",
                lambda *case: layer(*case, width=lambda X, Q, V: V.shape[-1]),
                "Your scale uses the width of a value. Values aren't part of the scores: what is summed there?",
                read='notebook 08, section "Which width goes under the root?"',
            ),
            Mistake(
                "scale after softmax",
                lambda *case: layer(*case, width=lambda X, Q, V: 1.0) / np.sqrt(case[1].shape[1] / case[-1]),
                "You've divided the weights rather than the scores, so they no longer sum to 1.",
                read='notebook 08, section "What gets cut"',
            ),
            Mistake(
                "queries and keys exchanged",
                lambda X, W_Q, W_K, *rest: package_layer(X, W_K, W_Q, *rest),
                "The rows of your scores belong to the keys: Q and K are swapped.",
            ),
            Mistake(
                "wrong axis",
                lambda *case: layer(*case, axis=-2),
                "In each head, your weights sum to 1 over the queries. Which axis of your scores counts the keys?",
                read='notebook 03, section "Exponentiate, sum, divide"',
            ),
            Mistake(
                "one big head",
                lambda *case: package_layer(*case[:-1], 1),
                "This is a single head, as wide as all of them together. Each head needs its own weights.",
            ),
            Mistake(
                "one head for all",
                lambda *case: layer(*case, split=first_for_all),
                "All your heads are copies of the first one. Each head has its own columns: what changes in your loop?",
            ),
            Mistake(
                "no W_O",
                lambda X, W_Q, W_K, W_V, W_O, heads: package_layer(X, W_Q, W_K, W_V, np.eye(len(W_O)), heads),
                "These are the heads side by side, and they're right. There's one matrix you haven't used yet.",
            ),
            Mistake(
                "split by reshape",
                lambda *case: layer(*case, split=split_by_reshape),
                "Your heads don't see all the tokens: the split has the right shape but the wrong contents. See "
                "task 1.",
                read='notebook 08, section "What gets cut"',
            ),
            Mistake(
                "merge by reshape",
                lambda *case: layer(*case, merge=merge_by_reshape),
                "Every head is right, but your merge mixes up the tokens before W_O. See task 1.",
                read='notebook 08, section "What gets cut"',
            ),
        ),
    ),
    Task(
        "ps08.kept_percent",
        points=2,
        asks="the parameters of all four matrices, in per cent of what they'd be without sharing",
        read=SHARING,
        right=lambda: 60.0,
        tolerance=1e-3,
        mistakes=(
            Mistake(
                "heads only",
                lambda: 20.0,
                "That's the share of key/value heads that are left. Not all four matrices get smaller.",
            ),
            Mistake("saved", lambda: 40.0, "That's what is saved. The question asks for what's left."),
            Mistake(
                "W_O left out",
                lambda: 100 * (40 + 2 * 8) / 120,
                "That's right for W_Q, W_K and W_V. The layer has a fourth matrix.",
            ),
            Mistake(
                "keys only",
                lambda: 80.0,
                "You've made one matrix smaller. The query heads of a group share their values as well.",
            ),
            Mistake("a fraction", lambda: 0.6, "Very close: the question asks for per cent."),
        ),
    ),
    Task(
        "ps08.cache_mib",
        points=2,
        asks="the size in bytes of all the keys and values in the cache, divided by 2^20",
        read=SHARING,
        right=mib,
        tolerance=1e-3,
        mistakes=(
            Mistake(
                "all query heads", lambda: mib(40), "You've counted 40 heads. Which heads leave something in the cache?"
            ),
            Mistake(
                "half", lambda: mib(numbers=1), "What does a token leave in each head, and how many bytes is that?"
            ),
            Mistake("one layer", lambda: mib(layers=1), "That's one layer. Each layer has its own keys and values."),
            Mistake("a group", lambda: mib(5), "You've counted 5 heads. That's how many share one; how many are kept?"),
            Mistake("no heads", lambda: mib(1), "That's one key/value head in each layer. How many are there?"),
            Mistake(
                "bytes",
                lambda: mib() * 2**20,
                "The count is right, but it's in bytes. Check which unit the task asks for.",
            ),
            Mistake("gibibytes", lambda: mib() / 2**10, "That's the size in GiB. The task asks for MiB."),
            Mistake(
                "megabytes",
                lambda: mib() * 1.048576,
                "The number of bytes is right, but a MiB isn't a million of them.",
            ),
        ),
    ),
    counterexample(
        "ps08",
        Hunt(
            grouped_given,
            grouped,
            {"Q": "heads queries d_k", "K": "kv_heads keys d_k", "V": "kv_heads keys d_v"},
            not_grouped,
        ),
        example=lambda: numbered(4, 2),
        traps=(
            Trap(
                "one for all",
                lambda: numbered(4, 1),
                "One key/value head for all: it was tested on that.",
                fits=lambda Q, K, V: len(K) == 1,
            ),
            Trap(
                "one for each",
                lambda: numbered(4, 4),
                "A key/value head for each query head: it was tested on that.",
                fits=lambda Q, K, V: len(K) == len(Q),
            ),
            Trap(
                "heads alike",
                lambda: tuple(np.ones((heads, 2, 2)) for heads in (4, 2, 2)),
                "Your key/value heads hold the same numbers, so nobody could tell which of them was used.",
                fits=lambda Q, K, V: np.allclose(V, V[0]) and np.allclose(K, K[0]),
            ),
        ),
        read=SHARING,
    ),
    Task(
        "ps08.mended_grouped",
        points=2,
        asks="query head i attends to key/value head i // g",
        read=SHARING,
        cases=groups,
        hidden=any_groups,
        right=grouped,
        mistakes=(
            Mistake(
                "as given",
                grouped_given,
                "Your function still does what the given one does. Fill every V[j] with the number j: which head "
                "reads which?",
            ),
            Mistake(
                "values as given",
                lambda Q, K, V: grouped(Q, np.repeat(K, len(Q) // len(K), axis=0), dealt(V, len(Q))),
                "The keys are shared correctly. But one head's weights are applied to another head's values.",
            ),
            Mistake(
                "keys as given",
                lambda Q, K, V: grouped(Q, dealt(K, len(Q)), np.repeat(V, len(Q) // len(V), axis=0)),
                "The values are shared correctly. But the weights still come from other heads' keys.",
            ),
            Mistake(
                "one head for all",
                lambda Q, K, V: grouped(Q, K[:1], V[:1]),
                "All your query heads read key/value head 0. Which head does query head i share?",
            ),
            Mistake(
                "order not put back",
                lambda Q, K, V: grouped(Q, K, V)[np.arange(len(Q)).reshape(len(K), -1).T.ravel()],
                "Every query head reads the right head, but your output lists them in a different order.",
            ),
            Mistake(
                "wrong axis",
                lambda Q, K, V: grouped_over_queries(Q, *(np.repeat(x, len(Q) // len(x), axis=0) for x in (K, V))),
                "The sharing is right. But your softmax runs over the queries, so one query's weights don't sum to 1.",
            ),
            Mistake("no scale", lambda Q, K, V: grouped(Q, K, V, 1.0), "The sharing is right, but the scale got lost."),
            Mistake(
                "1/d_k",
                lambda Q, K, V: grouped(Q, K, V, 1 / Q.shape[-1]),
                "The sharing is right. But now you divide by d_k itself, and the scale wasn't the bug.",
            ),
        ),
    ),
)
