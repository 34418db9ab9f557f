"""Problem set 07: a spread to predict, a scale folded into the parameters, and a function to identify."""

import numpy as np

from ..kernels.scores import dot_scores_forward
from .hunts import Hunt, Trap, counterexample
from .stranger import attend, mystery, other_tokens, tokens
from .tasks import Mistake, Task, any_sizes


def projections(rng, sizes=((5, 7, 24, 3, 4), (3, 7, 15, 5, 2))) -> list[dict]:
    """Tokens, projections with a bias on the queries, and a number of heads; heads · d_k isn't d_model."""
    cases = []
    for t, s, d_model, heads, d_k in sizes:
        shapes = {"x": (t, d_model), "y": (s, d_model), "w_q": (d_model, heads * d_k), "b_q": (heads * d_k,)}
        arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()}
        cases.append({**arrays, "w_k": rng.normal(size=(d_model, heads * d_k)), "heads": heads})
    return cases


def split(x, heads):
    """(T, heads · d_k) -> (heads, T, d_k)."""
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)


def project(x, y, w_q, b_q, w_k, heads, width=0, power=0.5, bias=1.0):
    """Scores after w_q and b_q were divided by width^power, and b_q multiplied by `bias`; width 0 is d_k."""
    c = (width or len(b_q) // heads) ** -power
    return dot_scores_forward(split(x @ w_q * c + b_q * (c * bias), heads), split(y @ w_k, heads), scale=1)[0]


def scores_given(*inputs):
    """What the function with the bugs computes."""
    return project(*inputs, width=len(inputs[2]), bias=len(inputs[2]) ** 0.5)


def indivisible(*inputs) -> str:
    """Why the columns can't be cut into that many heads; empty if they can."""
    columns, heads = len(inputs[3]), inputs[-1]
    return "" if heads > 0 and columns % heads == 0 else f"heads = {heads}, with {columns} columns in w_q"


def head_like_a_token(x, y, w_q, b_q, w_k, heads):
    """One head or several, each as wide as a token, and no bias."""
    return w_q.shape[1] // heads == w_q.shape[0] and not b_q.any()


def some_scores(tokens, d_model, heads, d_k, bias):
    """Tokens that are their own keys, through square pieces of an identity matrix."""
    w, x = np.tile(np.eye(d_model, d_k), heads), np.arange(1.0, tokens * d_model + 1).reshape(tokens, d_model)
    return x, x, w, np.full(heads * d_k, bias), w, heads


TASKS = (
    Task(
        "ps07.score_std",
        points=2,
        asks="the standard deviation of the scores",
        read='notebook 07, section "Any exponent"',
        right=lambda: 256**-0.25,
        tolerance=1e-3,
        mistakes=(
            Mistake("the variance", lambda: 1 / 16, "That's the variance. The question asks for its square root."),
            Mistake("right scale", lambda: 1.0, "The usual exponent would leave 1. This one is larger."),
            Mistake("no scale", lambda: 16.0, "That's the standard deviation before anything is multiplied."),
            Mistake(
                "the scale",
                lambda: 1 / 64,
                "That's the scale. What's the standard deviation of the dot product itself?",
            ),
            Mistake(
                "upside down",
                lambda: 4.0,
                "That's larger than usual. Does this factor take away more than the root does, or less?",
            ),
        ),
    ),
    counterexample(
        "ps07",
        Hunt(
            scores_given,
            project,
            {
                "x": "tokens d_model",
                "y": "others d_model",
                "w_q": "d_model columns",
                "b_q": "columns",
                "w_k": "d_model columns",
                "heads": "",
            },
            indivisible,
        ),
        example=lambda: some_scores(3, 4, 2, 2, 0.0),
        traps=(
            Trap(
                "as tested",
                lambda: some_scores(3, 4, 1, 4, 0.0),
                "That's the kind of input it was tested on: one head, as wide as a token, and no bias. Change one of "
                "the three.",
                fits=lambda *inputs: head_like_a_token(*inputs) and inputs[-1] == 1,
            ),
            Trap(
                "wide heads",
                lambda: some_scores(3, 2, 2, 2, 0.0),
                "Several heads, but each of them is as wide as a token, and there's no bias. Does that happen in a "
                "real model?",
                fits=head_like_a_token,
            ),
            Trap(
                "width 1",
                lambda: some_scores(3, 1, 1, 1, 2.0),
                "The root of 1 is 1, so nothing has been folded anywhere.",
                fits=lambda x, y, w_q, b_q, w_k, heads: w_q.shape[0] == 1 == w_q.shape[1] // heads,
            ),
        ),
        read='notebook 07, section "Where does it go?"',
    ),
    Task(
        "ps07.mended_scores",
        points=2,
        asks="the same scores as if they were divided by the square root of d_k at the end",
        read='notebook 07, section "Where does it go?"',
        cases=projections,
        hidden=lambda rng: projections(rng, [*any_sizes(rng, 5), (3, 4, 8, 2, 4), (2, 5, 6, 1, 6)]),
        right=project,
        mistakes=(
            Mistake(
                "as given",
                scores_given,
                "These are still the given function's scores. Compare with the plain formula: first two heads and "
                "no bias, then one head and a bias.",
            ),
            Mistake(
                "bias forgotten",
                lambda *inputs: project(*inputs, bias=(len(inputs[3]) / inputs[-1]) ** 0.5),
                "You've fixed one bug: without a bias your scores are right. Which part of the query isn't scaled yet?",
            ),
            Mistake(
                "sqrt(d_model)",
                lambda *inputs: project(*inputs, width=len(inputs[2])),
                "You take the square root of a token's width. How many entries does one head's dot product run over?",
                read='notebook 07, section "Which width counts?"',
            ),
            Mistake(
                "width of all heads",
                lambda *inputs: project(*inputs, width=len(inputs[3])),
                "You take the square root of the number of columns of w_q. Those belong to all the heads together.",
                read='notebook 07, section "Which width counts?"',
            ),
            Mistake(
                "d_model / heads",
                lambda *inputs: project(*inputs, width=len(inputs[2]) // inputs[-1]),
                "d_model / heads is the head's width only if d_model = heads · d_k. Which array tells you d_k?",
            ),
            Mistake("bias left out", lambda *inputs: project(*inputs, bias=0), "Where is b_q? It's part of Q."),
            Mistake(
                "1/d_k",
                lambda *inputs: project(*inputs, power=1),
                "It's the right width, but the wrong power: your scores still shrink as the heads get wider.",
            ),
            Mistake(
                "no scale",
                lambda *inputs: project(*inputs, power=0),
                "There's no factor left, neither folded in nor at the end. These are the plain dot products of "
                "each head.",
            ),
        ),
    ),
    Task(
        "ps07.identified",
        points=4,
        asks="the output of `mystery`, with both of its mistakes",
        read='notebook 07, section "Bugs in the wild"',
        cases=tokens,
        hidden=other_tokens,
        right=mystery,
        mistakes=(
            Mistake(
                "repaired",
                lambda q, k, v: attend(q, k, v, q.shape[-1], early=True),
                "That's attention as it should be. `mystery` isn't: what do its rows sum to, and how sharp are they?",
            ),
            Mistake(
                "right scale",
                lambda q, k, v: attend(q, k, v, q.shape[-1]),
                "The mask is as in `mystery`. But its weights are flatter than yours, most of all with many heads.",
            ),
            Mistake(
                "hidden before softmax",
                lambda q, k, v: attend(q, k, v, q.shape[1] * q.shape[-1], early=True),
                "The scale is as in `mystery`. But your rows all sum to 1. What do its first rows sum to?",
            ),
            Mistake(
                "diagonal hidden",
                lambda q, k, v: attend(q, k, v, q.shape[1] * q.shape[-1], diagonal=-1),
                "The scale is as in `mystery`. But in your version a token doesn't see itself, and the first one sees "
                "nothing at all.",
            ),
            Mistake(
                "one token ahead",
                lambda q, k, v: attend(q, k, v, q.shape[1] * q.shape[-1], diagonal=1),
                "The scale is as in `mystery`. But in your version a token sees one step into the future.",
            ),
            Mistake(
                "past hidden",
                lambda q, k, v: attend(q, k, v, q.shape[1] * q.shape[-1], flip=True),
                "The scale is as in `mystery`. But your mask is flipped: a token sees what comes after it.",
            ),
            Mistake(
                "nothing hidden",
                lambda q, k, v: attend(q, k, v, q.shape[1] * q.shape[-1], late=False),
                "The scale is as in `mystery`. But some of its weights are exactly 0. Which ones?",
            ),
            Mistake(
                "no scale",
                lambda q, k, v: attend(q, k, v, 1),
                "The mask is as in `mystery`. But its scores are smaller than the dot products: by which factor?",
            ),
        ),
    ),
)
