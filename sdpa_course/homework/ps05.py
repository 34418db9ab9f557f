"""Problem set 05: attention from its five steps, masks, and what leaks past a bad one."""

import numpy as np

from ..kernels.sdpa import attention_forward
from ..kernels.softmax import softmax_forward
from .tasks import Mistake, Task


def heads(rng) -> list[dict]:
    """All sizes different. Third case: rows of scores near 800, −800 and 5. Fourth: from −800 to 800 within a row."""
    sizes = ((3, 5, 8, 2), (6, 4, 3, 7), (3, 5, 4, 2), (3, 5, 4, 2))
    shapes = [{"Q": (Tq, d_k), "K": (Tk, d_k), "V": (Tk, d_v)} for Tq, Tk, d_k, d_v in sizes]
    cases = [{name: 1.3 * rng.normal(size=shape) for name, shape in case.items()} for case in shapes]
    cases[2]["Q"][:, 0], cases[2]["K"][:, 0] = (800.0, -800.0, 5.0), 2.0
    cases[3]["Q"][:, 0], cases[3]["K"][:, 0] = (800.0, -800.0, 5.0), (0.0, -2.0, 2.0, -2.0, 2.0)
    return cases


def some_hidden(rng) -> list[dict]:
    """Every query sees a key and is refused one. Then: hidden scores above 1000; visible ones near 800 and −1200."""
    cases = heads(rng)
    for case in cases:
        places = np.arange(len(case["Q"]))[:, None] + np.arange(len(case["K"]))
        case["mask"] = places % len(case["K"]) < 3
    cases[1]["Q"][:, 0], cases[1]["K"][1] = 2 + rng.random(6), (1000.0, 0.0, 0.0)
    cases[1]["mask"][:, 1] = False
    cases[2]["Q"][1, 0] = -1200.0
    return cases


def blind_row(rng) -> list[dict]:
    """The first of these cases, with one query that may see nothing."""
    case = some_hidden(rng)[0]
    case["mask"][1] = False
    return [case]


def sentences(rng) -> list[dict]:
    """Tokens and three matrices; number of tokens, d_model, d_k and d_v all different."""
    sizes = ((4, 7, 3, 2), (5, 8, 2, 6))
    shapes = [{"X": (n, d), "W_Q": (d, d_k), "W_K": (d, d_k), "W_V": (d, d_v)} for n, d, d_k, d_v in sizes]
    return [{name: 0.7 * rng.normal(size=shape) for name, shape in case.items()} for case in shapes]


def attend(Q, K, V, mask=None, scale=None):
    """The right output; zeros for a query that may see nothing."""
    return attention_forward(Q, K, V, mask=mask, scale=scale)[0]


def scores_of(Q, K):
    """Q Kᵀ / √d_k."""
    return Q @ K.T / np.sqrt(Q.shape[-1])


def shares(scores, maximum, axis=-1, keepdims=True):
    """exp(scores − maximum) over its sum."""
    exps = np.exp(scores - maximum)
    return exps / exps.sum(axis=axis, keepdims=keepdims)


def visible(Q, K, mask):
    """The scores, −∞ where the mask hides."""
    return np.where(mask, scores_of(Q, K), -np.inf)


def above_lowest(Q, K, V, mask=True):
    """Each row's lowest score subtracted: in a wide row the same infinities as with its mean or its first score."""
    return shares(visible(Q, K, mask), scores_of(Q, K).min(axis=-1, keepdims=True)) @ V


def divided_again(Q, K, V, mask):
    """Softmax over all keys, hidden weights set to 0, and each row divided by what is left of it."""
    return (weights := softmax_forward(scores_of(Q, K)) * mask) @ V / weights.sum(axis=-1, keepdims=True)


def self_attend(X, W_Q, W_K, W_V, scale=None, **sums):
    """The five steps for one sentence; `sums` says how to sum the exponentials, if not along the row."""
    scores = X @ W_Q @ (X @ W_K).T * (W_Q.shape[-1] ** -0.5 if scale is None else scale)
    return shares(scores, 0.0, **sums) @ (X @ W_V)


def wrong_scales(function, left_out: str, too_much: str) -> tuple[Mistake, Mistake]:
    """The two mistakes that every task with a scale knows, with this task's hints."""
    step_3 = "notebook 05, section 1"
    return (
        Mistake("no scale", lambda *inputs: function(*inputs, scale=1.0), left_out, step_3),
        Mistake("1/d_k", lambda *inputs: function(*inputs, scale=1 / inputs[1].shape[-1]), too_much, step_3),
    )


def far_off(name, gives, hint) -> Mistake:
    """A mistake that shows only where scores are far from 0."""
    return Mistake(name, gives, hint, "notebook 03, section 3")


TASKS = (
    Task(
        "ps05.attention",
        points=4,
        asks="softmax(Q Kᵀ / √d_k) V, one row for each query, never NaN",
        read="notebook 05, section 2",
        cases=heads,
        right=attend,
        mistakes=(
            *wrong_scales(
                attend,
                "This is what comes out when step 3 is missing: the softmax gets the plain dot products.",
                "You divide by the whole width. The typical size of a dot product grows more slowly than the width.",
            ),
            Mistake(
                "number of keys", lambda Q, K, V: attend(Q, K, V, scale=len(K) ** -0.5), "Your scale counts the keys."
            ),
            Mistake(
                "multiplied", lambda Q, K, V: attend(Q, K, V, scale=len(Q.T) ** 0.5), "Your scale makes scores larger."
            ),
            Mistake(
                "scaled after softmax",
                lambda Q, K, V: attend(Q, K, V, scale=1.0) / np.sqrt(Q.shape[-1]),
                "You scale after the softmax. The weights stay as sharp as before, and no longer sum to 1.",
            ),
            Mistake(
                "wrong axis",
                lambda Q, K, V: softmax_forward(scores_of(Q, K), axis=0) @ V,
                "Your softmax lets the queries compete for each key. It is the keys that compete for each query.",
            ),
            Mistake("weights", lambda Q, K, V: softmax_forward(scores_of(Q, K)), "Right weights. One step is left."),
            far_off(
                "mean or minimum subtracted", above_lowest, "In a row from −800 to 800 your exponents get too large."
            ),
            far_off(
                "no maximum",
                lambda Q, K, V: shares(scores_of(Q, K), 0.0) @ V,
                "Ordinary scores work. Near 800 and −800 exp gives infinities and zeros, and the quotients are NaN.",
            ),
            far_off(
                "global maximum",
                lambda Q, K, V: shares(scores_of(Q, K), scores_of(Q, K).max()) @ V,
                "Ordinary scores work. In rows that lie far apart only the highest one survives: 0 / 0 in the others.",
            ),
            far_off(
                "clipped",
                lambda Q, K, V: shares(np.clip(scores_of(Q, K), -700, 700), 0.0) @ V,
                "Ordinary scores work. But clipped scores are all equal. Which change leaves their differences alone?",
            ),
            far_off(
                "NaN replaced",
                lambda Q, K, V: np.nan_to_num(shares(scores_of(Q, K), 0.0)) @ V,
                "There is no NaN left, but the rows where it stood are zeros now, and no averages. Why did it come?",
            ),
        ),
    ),
    Task(
        "ps05.first_weight",
        points=2,
        asks="the first key's weight while the third key is hidden, to three decimals",
        read="notebook 05, section 4",
        right=lambda: 1 / (1 + np.exp(-1.0)),
        tolerance=1.2e-3,  # a mistake of 0.2447 is recognised as 0.245, and 0.73 is not three decimals
        mistakes=(
            Mistake("no scale", lambda: 1 / (1 + np.exp(-4.0)), "That takes the plain dot products 8 and 4 as scores."),
            Mistake("1/d_k", lambda: 1 / (1 + np.exp(-0.25)), "That divides the dot products by 16. Is that step 3?"),
            Mistake("second key", lambda: 1 / (1 + np.exp(1.0)), "That is the second key's weight."),
            Mistake("percent", lambda: 100 / (1 + np.exp(-1.0)), "As a fraction of 1, please, not in percent."),
            Mistake("two decimals", lambda: 0.73, "Very near. Three decimals are asked for."),
            Mistake(
                "mask after softmax",
                lambda: 1 / (1 + np.exp(-1.0) + np.exp(1.0)),
                "The hidden key is still in the sum below your fraction. Two visible weights must sum to 1.",
            ),
            Mistake(
                "score 0", lambda: 1 / (1 + np.exp(-1.0) + np.exp(-2.0)), "Your hidden key adds exp(0) = 1 to the sum."
            ),
        ),
    ),
    Task(
        "ps05.masked_attention",
        points=3,
        asks="each query averages the values of the keys that it may see, and of no others",
        read="notebook 05, section 4",
        cases=some_hidden,
        right=attend,
        mistakes=(
            *wrong_scales(
                attend,
                "What must be hidden is hidden. But the visible scores were not scaled.",
                "What must be hidden is hidden. But the visible weights are too even: compare with Task 1.",
            ),
            Mistake(
                "pushed down to 0",
                lambda Q, K, V, mask: np.nan_to_num(divided_again(Q, K, V, mask)),
                "Ordinary scores work. But a hidden key that scores above 1000 pushes all that is visible down to 0.",
            ),
            Mistake(
                "mask after softmax",
                lambda Q, K, V, mask: (softmax_forward(scores_of(Q, K)) * mask) @ V,
                "You set weights to 0 after the softmax. What is left of a row no longer sums to 1.",
            ),
            Mistake(
                "divided again", divided_again, "A hidden score above 1000 takes part in your sum or in your maximum."
            ),
            Mistake(
                "finite number subtracted",
                lambda Q, K, V, mask: softmax_forward(scores_of(Q, K) - 1000.0 * ~mask) @ V,
                "You subtract a finite number from hidden scores. One that is high enough still wins.",
            ),
            Mistake("mask ignored", lambda Q, K, V, mask: attend(Q, K, V), "Your mask changes nothing."),
            Mistake(
                "wrong axis",
                lambda Q, K, V, mask: softmax_forward(visible(Q, K, mask), axis=0) @ V,
                "Your columns of weights sum to 1, over the queries that see a key. Which way did Task 1 sum?",
            ),
            Mistake("mask inverted", lambda Q, K, V, mask: attend(Q, K, V, ~mask), "You show what should be hidden."),
            Mistake(
                "score 0",
                lambda Q, K, V, mask: softmax_forward(scores_of(Q, K) * mask) @ V,
                "Your hidden keys have the score 0. That is a score like any other, and exp(0) is not 0.",
            ),
            Mistake(
                "score 0, weight 0",
                lambda Q, K, V, mask: (softmax_forward(scores_of(Q, K) * mask) * mask) @ V,
                "Your hidden weights are 0. But the hidden keys are still in the sum below the fraction, with exp(0).",
            ),
            Mistake(
                "finite score",
                lambda Q, K, V, mask: softmax_forward(np.where(mask, scores_of(Q, K), -1000.0)) @ V,
                "Your hidden score is a finite number, and the visible ones can be lower.",
            ),
            far_off("mean or minimum subtracted", above_lowest, "In a wide visible row your exponents get too large."),
            far_off(
                "global maximum",
                lambda Q, K, V, mask: shares(s := visible(Q, K, mask), s.max()) @ V,
                "What must be hidden is hidden. But a row far below the highest one becomes 0 / 0.",
            ),
            far_off(
                "no maximum",
                lambda Q, K, V, mask: shares(visible(Q, K, mask), 0.0) @ V,
                "What must be hidden is hidden. But rows of visible scores near 800 and −1200 are lost, as in Task 1.",
            ),
            Mistake(
                "mask added",
                lambda Q, K, V, mask: softmax_forward(scores_of(Q, K) + mask) @ V,
                "Your visible keys are ahead of the hidden ones by 1 in the scores: a preference, no prohibition.",
            ),
        ),
    ),
    Task(
        "ps05.masked_attention_blind",
        points=2,
        asks="zeros for a query that may see nothing, the other rows as before",
        read="notebook 05, section 4",
        cases=blind_row,
        answer="masked_attention",
        right=attend,
        mistakes=(
            *wrong_scales(
                attend, "The zeros are right. Step 3 is missing.", "The zeros are right. Step 3 divides by too much."
            ),
            Mistake("mask ignored", lambda Q, K, V, mask: attend(Q, K, V), "Your output does not depend on the mask."),
            Mistake(
                "not a number",
                lambda Q, K, V, mask: shares(visible(Q, K, mask), 0.0) @ V,
                "Where nothing may be seen, the sum of the exponentials is 0 or NaN. Look at what you divide there.",
            ),
            Mistake(
                "uniform",
                lambda Q, K, V, mask: softmax_forward(np.where(mask, scores_of(Q, K), -1e9)) @ V,
                "Who may see nothing got the plain average of all values: its scores are all equal, and finite.",
            ),
            Mistake(
                "sees everything",
                lambda Q, K, V, mask: attend(Q, K, V, mask | ~mask.any(axis=-1, keepdims=True)),
                "Who may see nothing sees everything. A large number subtracted from all its scores is only a shift.",
            ),
        ),
    ),
    Task(
        "ps05.mended_self_attention",
        points=3,
        asks="the five steps for one sentence, right for any sizes",
        read="notebook 05, section 1",
        cases=sentences,
        right=self_attend,
        mistakes=(
            *wrong_scales(
                self_attend,
                "The rows sum to 1. But the scale is gone: it was wrong, and yet something belongs there.",
                "The rows sum to 1, and you found the width that counts. A root is missing.",
            ),
            Mistake(
                "as given",
                lambda X, *W: self_attend(X, *W, scale=X.shape[-1] ** -0.5, keepdims=False),
                "Nothing is mended yet. Take sizes that all differ, print each array, and ask what it should promise.",
            ),
            Mistake(
                "sqrt(d_model)",
                lambda X, *W: self_attend(X, *W, scale=X.shape[-1] ** -0.5),
                "One bug is mended: the rows of the weights sum to 1. How many products make up one dot product here?",
            ),
            Mistake(
                "row sums",
                lambda *inputs: self_attend(*inputs, keepdims=False),
                "One bug is mended: the scores are right. Now print the sums of the weights along both axes.",
            ),
            Mistake(
                "row sums, no scale", lambda *W: self_attend(*W, scale=1.0, keepdims=False), "No scale; wrong row sums."
            ),
            Mistake(
                "row sums, 1/d_k",
                lambda X, W_Q, *W: self_attend(X, W_Q, *W, scale=1 / W_Q.shape[-1], keepdims=False),
                "You found the width that counts; a root is missing. And the rows of your weights do not sum to 1.",
            ),
            Mistake(
                "wrong axis", lambda *inputs: self_attend(*inputs, axis=0), "Now each column of weights sums to 1."
            ),
            Mistake(
                "wrong axis, sqrt(d_model)",
                lambda X, *W: self_attend(X, *W, scale=X.shape[-1] ** -0.5, axis=0),
                "The columns of your weights sum to 1. It is the rows that should, and the scores are still as given.",
            ),
            Mistake("one sum", lambda *inputs: self_attend(*inputs, axis=None), "All your weights together sum to 1."),
            Mistake(
                "number of tokens",
                lambda X, *W: self_attend(X, *W, scale=len(X) ** -0.5),
                "The rows sum to 1. But your scale counts the tokens. Does a dot product get larger with more of them?",
            ),
        ),
    ),
)
