"""Problem set 05: attention in five steps, masks, and what leaks past a bad one."""

import numpy as np

from ..kernels.sdpa import attention_forward
from ..kernels.softmax import softmax_forward
from .hunts import Hunt, Trap, counterexample
from .masked import blind_row, heads, other_heads, other_masks, some_hidden
from .tasks import Mistake, Task, any_sizes


def sentences(rng, sizes=((4, 7, 3, 2), (5, 8, 2, 6))) -> list[dict]:
    """Tokens and three matrices; the number of tokens, d_model, d_k and d_v all differ."""
    shapes = [{"X": (n, d), "W_Q": (d, d_k), "W_K": (d, d_k), "W_V": (d, d_v)} for n, d, d_k, d_v in sizes]
    return [{name: 0.7 * rng.normal(size=shape) for name, shape in case.items()} for case in shapes]


def attend(Q, K, V, mask=None, scale=None):
    """The right output; zeros for a query that may see nothing."""
    return attention_forward(Q, K, V, mask=mask, scale=scale)[0]


def scores_of(Q, K):
    """Q Kᵀ / √d_k."""
    return Q @ K.T / np.sqrt(Q.shape[-1])


def shares(scores, maximum, axis=-1, keepdims=True):
    """exp(scores − maximum) divided by its sum."""
    exps = np.exp(scores - maximum)
    return exps / exps.sum(axis=axis, keepdims=keepdims)


def visible(Q, K, mask):
    """The scores, with −∞ wherever the mask hides a key."""
    return np.where(mask, scores_of(Q, K), -np.inf)


def above_lowest(Q, K, V, mask=True):
    """Subtract each row's lowest score: a wide row overflows, just as it does with its mean or its first score."""
    return shares(visible(Q, K, mask), scores_of(Q, K).min(axis=-1, keepdims=True)) @ V


def divided_again(Q, K, V, mask):
    """Softmax over all keys, hidden weights set to 0, then each row divided by what's left of it."""
    return (weights := softmax_forward(scores_of(Q, K)) * mask) @ V / weights.sum(axis=-1, keepdims=True)


def self_attend(X, W_Q, W_K, W_V, scale=None, swapped=False, **sums):
    """The five steps for one sentence; `sums` says how to sum the exponentials, if not along the row."""
    scores = X @ W_Q @ (X @ W_K).T * (W_Q.shape[-1] ** -0.5 if scale is None else scale)
    return shares(scores.T if swapped else scores, 0.0, **sums) @ (X @ W_V)


def self_attend_given(X, W_Q, W_K, W_V):
    """What the function with the bugs computes."""
    return self_attend(X, W_Q, W_K, W_V, swapped=True, keepdims=False)


def large_scores(X, W_Q, W_K, W_V) -> str:
    """Whether exp needs the maximum, which the text doesn't ask for; empty if it doesn't."""
    largest = np.abs(scores_of(X @ W_Q, X @ W_K)).max()
    return "" if largest <= 50 else f"a score of {largest:.0f}; keep them below 50, where exp needs no protection"


def wrong_scales(function, left_out: str, too_much: str) -> tuple[Mistake, Mistake]:
    """The two mistakes that every task with a scale recognises, with this task's hints."""
    step_3 = 'notebook 05, section "A soft look-up in five steps"'
    return (
        Mistake("no scale", lambda *inputs: function(*inputs, scale=1.0), left_out, step_3),
        Mistake("1/d_k", lambda *inputs: function(*inputs, scale=1 / inputs[1].shape[-1]), too_much, step_3),
    )


def far_off(name, gives, hint) -> Mistake:
    """A mistake that only shows when scores are far from 0."""
    return Mistake(name, gives, hint, 'notebook 03, section "Trouble one: exp runs out of numbers"')


TASKS = (
    Task(
        "ps05.attention",
        points=4,
        asks="softmax(Q Kᵀ / √d_k) V, one row for each query, never NaN",
        read='notebook 05, section "A soft look-up in five steps"',
        cases=heads,
        hidden=other_heads,
        right=attend,
        mistakes=(
            *wrong_scales(
                attend,
                "This is what you get without step 3: softmax sees the plain dot products.",
                "You've divided by the full width. The typical size of a dot product grows more slowly than the width.",
            ),
            Mistake(
                "number of keys",
                lambda Q, K, V: attend(Q, K, V, scale=len(K) ** -0.5),
                "Your scale depends on the number of keys. How many products are added up in one score?",
            ),
            Mistake(
                "sqrt(d_v)",
                lambda Q, K, V: attend(Q, K, V, scale=V.shape[1] ** -0.5),
                "Your scale comes from the width of the values. Those come later. Which width do you sum over to get "
                "a score?",
            ),
            Mistake(
                "multiplied",
                lambda Q, K, V: attend(Q, K, V, scale=len(Q.T) ** 0.5),
                "Your scale makes the scores larger.",
            ),
            Mistake(
                "scaled after softmax",
                lambda Q, K, V: attend(Q, K, V, scale=1.0) / np.sqrt(Q.shape[-1]),
                "You scale after softmax. The weights stay as sharp as before, and no longer sum to 1.",
            ),
            Mistake(
                "wrong axis",
                lambda Q, K, V: softmax_forward(scores_of(Q, K), axis=0) @ V,
                "Your softmax makes the queries compete for each key. It's the keys that compete for each query.",
            ),
            Mistake(
                "weights",
                lambda Q, K, V: softmax_forward(scores_of(Q, K)),
                "The weights are right. There's one step left.",
            ),
            far_off(
                "mean or minimum subtracted",
                above_lowest,
                "In a row that goes from −800 to 800, your exponents get too large.",
            ),
            far_off(
                "no maximum",
                lambda Q, K, V: shares(scores_of(Q, K), 0.0) @ V,
                "Ordinary scores work. Near 800 and −800, exp gives infinities and zeros, and their ratios are NaN.",
            ),
            far_off(
                "global maximum",
                lambda Q, K, V: shares(scores_of(Q, K), scores_of(Q, K).max()) @ V,
                "Ordinary scores work. When rows are far apart, only the highest one survives, and the others "
                "become 0 / 0.",
            ),
            far_off(
                "clipped",
                lambda Q, K, V: shares(np.clip(scores_of(Q, K), -700, 700), 0.0) @ V,
                "Ordinary scores work. But clipped scores are all equal. Which change leaves their differences alone?",
            ),
            far_off(
                "NaN replaced",
                lambda Q, K, V: np.nan_to_num(shares(scores_of(Q, K), 0.0)) @ V,
                "The NaN is gone, but those rows are now zeros rather than averages. Why was there a NaN in the "
                "first place?",
            ),
        ),
    ),
    Task(
        "ps05.first_weight",
        points=2,
        asks="the first key's weight when the third key is hidden, to three decimals",
        read='notebook 05, section "Stencils"',
        right=lambda: 1 / (1 + np.exp(-1.0)),
        tolerance=1.2e-3,  # a mistake of 0.2447 is recognised as 0.245, and 0.73 is not three decimals
        mistakes=(
            Mistake(
                "no scale", lambda: 1 / (1 + np.exp(-4.0)), "That uses the plain dot products, 8 and 4, as scores."
            ),
            Mistake(
                "1/d_k",
                lambda: 1 / (1 + np.exp(-0.25)),
                "That divides the dot products by 16. Is that what step 3 does?",
            ),
            Mistake("second key", lambda: 1 / (1 + np.exp(1.0)), "That's the second key's weight."),
            Mistake("percent", lambda: 100 / (1 + np.exp(-1.0)), "Please give a fraction of 1, not a percentage."),
            Mistake("two decimals", lambda: 0.73, "Very close, but please give three decimals."),
            Mistake(
                "mask after softmax",
                lambda: 1 / (1 + np.exp(-1.0) + np.exp(1.0)),
                "The hidden key is still in your denominator. The two visible weights have to sum to 1.",
            ),
            Mistake(
                "score 0",
                lambda: 1 / (1 + np.exp(-1.0) + np.exp(-2.0)),
                "Your hidden key still adds exp(0) = 1 to the sum.",
            ),
        ),
    ),
    Task(
        "ps05.masked_attention",
        points=3,
        asks="each query averages the values of the keys it may see, and of no others",
        read='notebook 05, section "Stencils"',
        cases=some_hidden,
        hidden=other_masks,
        right=attend,
        mistakes=(
            *wrong_scales(
                attend,
                "You've hidden the right keys, but the visible scores aren't scaled.",
                "You've hidden the right keys, but the visible weights are too even. Compare with Task 1.",
            ),
            Mistake(
                "sqrt(d_v)",
                lambda Q, K, V, mask: attend(Q, K, V, mask, V.shape[1] ** -0.5),
                "You've hidden the right keys. But your scale comes from the width of the values.",
            ),
            Mistake(
                "zero times infinity",
                lambda Q, K, V, mask: np.full((len(Q), V.shape[1]), np.nan),
                "Everything is NaN. Did you multiply a mask by infinity? Where it is 0, that gives 0 · ∞.",
            ),
            far_off(
                "no maximum, mask afterwards",
                lambda Q, K, V, mask: (e := np.exp(scores_of(Q, K)) * mask) @ V / e.sum(axis=-1, keepdims=True),
                "Ordinary scores work. But near 800 exp is infinite, and near −1200 it's 0. Which number can you "
                "subtract from a row first? And ∞ · 0 isn't 0, so hide the keys before exp.",
            ),
            Mistake(
                "pushed down to 0",
                lambda Q, K, V, mask: np.nan_to_num(divided_again(Q, K, V, mask)),
                "Ordinary scores work. But a hidden key that scores above 1000 pushes everything visible down to 0.",
            ),
            Mistake(
                "mask after softmax",
                lambda Q, K, V, mask: (softmax_forward(scores_of(Q, K)) * mask) @ V,
                "You set weights to 0 after softmax. What's left of a row no longer sums to 1.",
            ),
            Mistake(
                "divided again",
                divided_again,
                "A hidden score above 1000 still takes part in your sum or your maximum.",
            ),
            Mistake(
                "finite number subtracted",
                lambda Q, K, V, mask: softmax_forward(scores_of(Q, K) - 1000.0 * ~mask) @ V,
                "You subtract a finite number from the hidden scores. One that's high enough still wins.",
            ),
            Mistake("mask ignored", lambda Q, K, V, mask: attend(Q, K, V), "Your mask has no effect."),
            Mistake(
                "wrong axis",
                lambda Q, K, V, mask: softmax_forward(visible(Q, K, mask), axis=0) @ V,
                "Your weights sum to 1 down each column, over the queries that see a key. Which way did Task 1 sum?",
            ),
            Mistake(
                "mask inverted",
                lambda Q, K, V, mask: attend(Q, K, V, ~mask),
                "You show what should be hidden, and hide what should be shown.",
            ),
            Mistake(
                "score 0",
                lambda Q, K, V, mask: softmax_forward(scores_of(Q, K) * mask) @ V,
                "Your hidden keys have a score of 0. That's a score like any other, and exp(0) isn't 0.",
            ),
            Mistake(
                "score 0, weight 0",
                lambda Q, K, V, mask: (softmax_forward(scores_of(Q, K) * mask) * mask) @ V,
                "Your hidden weights are 0. But the hidden keys are still in the denominator, as exp(0).",
            ),
            Mistake(
                "finite score",
                lambda Q, K, V, mask: softmax_forward(np.where(mask, scores_of(Q, K), -1000.0)) @ V,
                "Your hidden keys have a finite score, and visible scores can be lower than that.",
            ),
            far_off(
                "mean or minimum subtracted",
                above_lowest,
                "In a row where the visible scores have a wide range, your exponents get too large.",
            ),
            far_off(
                "global maximum",
                lambda Q, K, V, mask: shares(s := visible(Q, K, mask), s.max()) @ V,
                "You've hidden the right keys, but a row far below the highest one becomes 0 / 0.",
            ),
            far_off(
                "no maximum",
                lambda Q, K, V, mask: shares(visible(Q, K, mask), 0.0) @ V,
                "You've hidden the right keys, but rows of visible scores near 800 and −1200 are lost, as in Task 1.",
            ),
            Mistake(
                "mask added",
                lambda Q, K, V, mask: softmax_forward(scores_of(Q, K) + mask) @ V,
                "Your visible keys are only ahead of the hidden ones by 1 in the scores. That's a preference, not "
                "a ban.",
            ),
        ),
    ),
    Task(
        "ps05.masked_attention_blind",
        points=2,
        asks="zeros for a query that may see nothing, and the other rows as before",
        read='notebook 05, section "What if no key fits?"',
        cases=blind_row,
        hidden=lambda rng: other_masks(rng, blind=True),
        answer="masked_attention",
        right=attend,
        mistakes=(
            *wrong_scales(
                attend,
                "The zeros are right, but step 3 is missing.",
                "The zeros are right, but step 3 divides by too much.",
            ),
            Mistake("mask ignored", lambda Q, K, V, mask: attend(Q, K, V), "Your output doesn't depend on the mask."),
            Mistake(
                "not a number",
                lambda Q, K, V, mask: shares(visible(Q, K, mask), 0.0) @ V,
                "For a query that may see nothing, the sum of the exponentials is 0 or NaN. Look at what you "
                "divide by there.",
            ),
            Mistake(
                "uniform",
                lambda Q, K, V, mask: softmax_forward(np.where(mask, scores_of(Q, K), -1e9)) @ V,
                "The query that may see nothing got the plain average of all values, because its scores are all "
                "equal, and finite.",
            ),
            Mistake(
                "sees everything",
                lambda Q, K, V, mask: attend(Q, K, V, mask | ~mask.any(axis=-1, keepdims=True)),
                "The query that may see nothing sees everything. Subtracting a large number from all its scores is "
                "only a shift.",
            ),
        ),
    ),
    counterexample(
        "ps05",
        Hunt(
            self_attend_given,
            self_attend,
            {"X": "tokens d_model", "W_Q": "d_model d_k", "W_K": "d_model d_k", "W_V": "d_model d_v"},
            large_scores,
        ),
        example=lambda: (np.eye(2), np.array([[2.0], [0.0]]), np.array([[0.0], [1.0]]), np.eye(2)),
        traps=(
            Trap(
                "one token",
                lambda: (np.ones((1, 2)), np.ones((2, 3)), np.ones((2, 3)), np.eye(2)),
                "With a single token there's a single weight, and it's 1.",
                fits=lambda X, W_Q, W_K, W_V: len(X) == 1,
            ),
            Trap(
                "scores alike",
                lambda: (np.eye(3), np.zeros((3, 2)), np.ones((3, 2)), np.eye(3)),
                "All your scores are equal, so every token takes the average of all values, whoever asks whom.",
                fits=lambda X, W_Q, W_K, W_V: np.ptp(scores_of(X @ W_Q, X @ W_K)) < 1e-6,
            ),
            Trap(
                "same matrices",
                lambda: (np.eye(3), np.eye(3), np.eye(3), np.array([[1.0], [2.0], [3.0]])),
                "Your queries are the same as your keys, so that token 1 fits token 2 as well as token 2 fits token 1. "
                "The author's test was like that.",
                fits=lambda X, W_Q, W_K, W_V: np.allclose(X @ W_Q, X @ W_K),
            ),
            Trap(
                "values alike",
                lambda: (np.eye(2), np.array([[2.0], [0.0]]), np.array([[0.0], [1.0]]), np.zeros((2, 2))),
                "Your values are all zeros, and so is every average of them.",
                fits=lambda X, W_Q, W_K, W_V: not (X @ W_V).any(),
            ),
        ),
        read='notebook 05, section "A soft look-up in five steps"',
    ),
    Task(
        "ps05.mended_self_attention",
        points=2,
        asks="the five steps for one sentence, right for any sizes",
        read='notebook 05, section "A soft look-up in five steps"',
        cases=sentences,
        hidden=lambda rng: sentences(rng, any_sizes(rng, 4)),
        right=self_attend,
        mistakes=(
            *wrong_scales(
                self_attend,
                "Both bugs are gone. But the scale is gone as well, and it was right.",
                "Both bugs are gone. But the scale was right, and now its square root is missing.",
            ),
            Mistake(
                "as given",
                self_attend_given,
                "Nothing is fixed yet. Choose W_Q and W_K that differ, print each array, and ask what should be true "
                "of it.",
            ),
            Mistake(
                "query and key swapped",
                lambda *inputs: self_attend(*inputs, swapped=True),
                "You've fixed one bug: each row of weights sums to 1. Now let one token ask for another that "
                "doesn't ask back. Whose row is it?",
            ),
            Mistake(
                "row sums",
                lambda *inputs: self_attend(*inputs, keepdims=False),
                "You've fixed one bug: the scores are right. Now print the sums of the weights along both axes.",
            ),
            Mistake(
                "wrong axis",
                lambda *inputs: self_attend(*inputs, axis=0),
                "Now each column of your weights sums to 1. Should it?",
            ),
            Mistake(
                "wrong axis, swapped",
                lambda *inputs: self_attend(*inputs, swapped=True, axis=0),
                "These are the right weights, in rows where columns belong: row i holds what token i gives to the "
                "others, not what it takes.",
            ),
            Mistake(
                "one sum",
                lambda *inputs: self_attend(*inputs, axis=None),
                "All your weights together sum to 1. Each query should have its own.",
            ),
            Mistake(
                "number of tokens",
                lambda X, *W: self_attend(X, *W, scale=len(X) ** -0.5),
                "The rows sum to 1. But your scale counts the tokens. Does a dot product get larger when there are "
                "more of them?",
            ),
        ),
    ),
)
