"""Problem set 06: the gradient of a matrix product, of attention, and what the scale does on the way back."""

import numpy as np

from ..kernels.softmax import softmax_backward, softmax_forward
from .hunts import Hunt, Trap, counterexample
from .tasks import Mistake, Task, any_sizes

GRAPH = 'notebook 06, section "Blame runs backwards"'


def normal(rng, **shapes) -> dict:
    """Arrays of normal random numbers by name."""
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


def products(rng, sizes=((3, 4, 2), (2, 5, 6))) -> list[dict]:
    """Two factors and the gradient on their product."""
    return [normal(rng, dC=(m, n), A=(m, r), B=(r, n)) for m, r, n in sizes]


def rows_of_weights(rng, sizes=((3, 5, 4), (4, 3, 6))) -> list[dict]:
    """Weights that are neither equal nor one-hot, with values and a gradient on the output."""
    return [
        normal(rng, dout=(i, d_v), V=(j, d_v)) | {"weights": softmax_forward(1.2 * rng.normal(size=(i, j)))}
        for i, j, d_v in sizes
    ]


def layers(rng, sizes=((3, 5, 4, 2), (4, 6, 9, 5))) -> list[dict]:
    """Small layers of i queries and j keys, every size different."""
    return [normal(rng, dout=(i, d_v), Q=(i, d_k), K=(j, d_k), V=(j, d_v)) for i, j, d_k, d_v in sizes]


# dscores as a function of dweights (g) and weights (w), wrong in nine ways
WRONG = {
    "softmax skipped": lambda g, w: g,
    "plain mean": lambda g, w: w * (g - g.mean(axis=1, keepdims=True)),
    "no row sum": lambda g, w: w * g,
    "diagonal only": lambda g, w: w * (1 - w) * g,
    "wrong axis": lambda g, w: w * (g - (w * g).sum(axis=0, keepdims=True)),
    "centred afterwards": lambda g, w: w * g - (w * g).mean(axis=1, keepdims=True),
    "mean of the products": lambda g, w: w * (g - (w * g).mean(axis=1, keepdims=True)),
    "outer weights missing": lambda g, w: g - (w * g).sum(axis=1, keepdims=True),
    "one average for all": lambda g, w: w * (g - (w * g).sum()),
}


def from_dout(back):
    """`back(dweights, weights)` as a function of dout, V and weights."""
    return lambda dout, v, weights: back(dout @ v.T, weights)


dscores_given, dscores = from_dout(WRONG["plain mean"]), from_dout(softmax_backward)


def no_weights(dout, v, weights) -> str:
    """Why these aren't rows of weights; empty if they are."""
    return "" if (weights > 0).all() and np.allclose(weights.sum(1), 1) else "weights that aren't positive with sum 1"


def on_shares(function):
    """The function on weights whose rows sum to 1 to the last digit: rounded weights alone are no counterexample."""
    return lambda dout, v, weights: function(dout, v, weights / weights.sum(axis=1, keepdims=True))


def gradients(
    dout, q, k, v, *, forward=-0.5, backward=-0.5, softmax=softmax_forward, softmax_back=softmax_backward, width=None
):
    """(dQ, dK, dV), with a scale of d_k to the power `forward`, and of d_k to the power `backward` on the way back."""
    width = width or q.shape[-1]
    weights = softmax(q @ k.T * width**forward)
    ddots = softmax_back(dout @ v.T, weights) * width**backward
    return ddots @ k, ddots.T @ q, weights.T @ dout


def variant(**settings):
    """`gradients` with other settings."""
    return lambda dout, q, k, v: gradients(dout, q, k, v, **settings)


def scale_on_queries_only(dout, q, k, v):
    """dK without the scale, everything else right."""
    dq, dk, dv = gradients(dout, q, k, v)
    return dq, dk * q.shape[-1] ** 0.5, dv


def values_from_scores(dout, q, k, v):
    """dV computed from the scores, everything else right."""
    dq, dk, _ = gradients(dout, q, k, v)
    return dq, dk, (k @ q.T * q.shape[-1] ** -0.5) @ dout


TASKS = (
    Task(
        "ps06.matmul_backward",
        points=3,
        asks="the gradients of the loss on A and on B",
        read=GRAPH,
        cases=products,
        hidden=lambda rng: products(rng, any_sizes(rng, 3)),
        right=lambda dc, a, b: (dc @ b.T, a.T @ dc),
        outputs=("dA", "dB"),
        mistakes=(
            Mistake(
                "transposed",
                lambda dc, a, b: (b @ dc.T, dc.T @ a),
                "Both gradients are transposed. The sums are right; dA should have the shape of A.",
            ),
            Mistake(
                "swapped", lambda dc, a, b: (a.T @ dc, dc @ b.T), "Both gradients are right, but in the wrong order."
            ),
            Mistake(
                "reshaped",
                lambda dc, a, b: (dc @ b.reshape(b.shape[::-1]), a.reshape(a.shape[::-1]) @ dc),
                "`reshape` makes the shapes fit, but it scrambles the numbers. That isn't the same as transposing.",
            ),
            Mistake(
                "dC left out",
                lambda dc, a, b: (np.ones_like(dc) @ b.T, a.T @ np.ones_like(dc)),
                "This is the gradient if every entry of C had slope 1. The actual slopes are in dC.",
            ),
            Mistake(
                "averaged",
                lambda dc, a, b: (dc @ b.T, a.T @ dc / len(a)),
                "dA is right, but dB is divided by the number of rows. An entry of B affects every row of C: do "
                "its effects on the loss add up, or are they averaged?",
            ),
        ),
    ),
    counterexample(
        "ps06",
        Hunt(
            on_shares(dscores_given),
            on_shares(dscores),
            {"dout": "queries d_v", "V": "keys d_v", "weights": "queries keys"},
            no_weights,
        ),
        example=lambda: (np.array([[1.0]]), np.array([[1.0], [0.0]]), np.array([[0.9, 0.1]])),
        traps=(
            Trap(
                "one key",
                lambda: (np.ones((2, 3)), np.ones((1, 3)), np.ones((2, 1))),
                "With a single key the weight is 1 whatever the score is, and there's nothing to get wrong.",
                fits=lambda dout, v, weights: len(v) == 1,
            ),
            Trap(
                "equal weights",
                lambda: (np.eye(2), np.eye(3)[:, :2], np.full((2, 3), 1 / 3)),
                "All your weights are equal, and so were the weights it was tested on. Change that.",
                fits=lambda dout, v, weights: np.allclose(weights, weights[:, :1]),
            ),
            Trap(
                "values alike",
                lambda: (np.eye(2), np.ones((3, 2)), np.tile([0.7, 0.2, 0.1], (2, 1))),
                "Every key would bring these queries equally much, so it doesn't matter where the weight goes. Take "
                "values that differ.",
                fits=lambda dout, v, weights: np.allclose(dout @ v.T, (dout @ v.T)[:, :1]),
            ),
        ),
        read=GRAPH,
    ),
    Task(
        "ps06.mended_dscores",
        points=2,
        asks="the gradient on the scores, as a finite difference would measure it",
        read=GRAPH,
        cases=rows_of_weights,
        hidden=lambda rng: rows_of_weights(rng, any_sizes(rng, 3)),
        right=dscores,
        mistakes=(
            Mistake(
                "as given",
                dscores_given,
                "Your function still does what the given one does. Try it on weights [[0.9, 0.1]] and look at the "
                "sum of the row: adding the same number to both scores would change the loss. Can that be?",
            ),
            Mistake(
                "no row sum",
                from_dout(WRONG["no row sum"]),
                "Now you don't subtract anything. But a score is also part of the sum that its whole row is "
                "divided by.",
            ),
            Mistake(
                "softmax skipped",
                from_dout(WRONG["softmax skipped"]),
                "These are dweights. You go back through the product with V, but not yet through softmax.",
            ),
            Mistake(
                "all signs flipped",
                from_dout(lambda g, w: -softmax_backward(g, w)),
                "The sizes are right, but every sign is wrong. Which is subtracted from which?",
            ),
            Mistake(
                "diagonal only",
                from_dout(WRONG["diagonal only"]),
                "Here each score moves only its own weight, by p(1 − p). But when one weight grows, the others shrink.",
                read='notebook 04, section "Is it p(1 − p)?"',
            ),
            Mistake(
                "wrong axis",
                from_dout(WRONG["wrong axis"]),
                "You average over the queries. Each query has its own softmax, and doesn't depend on the others.",
            ),
            Mistake(
                "centred afterwards",
                from_dout(WRONG["centred afterwards"]),
                "Your rows sum to 0, as they must. But a key with hardly any weight still gets a push. Should it?",
            ),
            Mistake(
                "mean of the products",
                from_dout(WRONG["mean of the products"]),
                "You average numbers that have already been multiplied by their weights. What do the weights of a "
                "row sum to?",
            ),
            Mistake(
                "outer weights missing",
                from_dout(WRONG["outer weights missing"]),
                "The average is right now. But your rows don't sum to 0: what multiplies each difference?",
            ),
            Mistake(
                "one average for all",
                from_dout(WRONG["one average for all"]),
                "You subtract one number from the whole array. How many softmaxes are there, and so how many averages?",
            ),
        ),
    ),
    Task(
        "ps06.attention_backward",
        points=4,
        asks="dQ, dK and dV of attention with the scale 1/√d_k",
        read=GRAPH,
        cases=layers,
        hidden=lambda rng: layers(rng, any_sizes(rng, 4)),
        right=gradients,
        outputs=("dQ", "dK", "dV"),
        mistakes=(
            Mistake(
                "no scale",
                variant(forward=0, backward=0),
                "This is the backward pass of a different layer, one that never had a scale. Look at your scores "
                "first.",
            ),
            Mistake(
                "no scale backward",
                variant(backward=0),
                "dV is right, but dQ and dK are √d_k times too large. Which forward line has no counterpart in the "
                "backward pass?",
                read=GRAPH,
            ),
            Mistake(
                "no scale forward",
                variant(forward=0),
                "Your backward pass has the scale, but the weights were computed without it. Even dV shows it.",
            ),
            Mistake(
                "scale twice",
                variant(backward=-1),
                "dQ and dK are √d_k times too small: the scale comes in twice somewhere. One forward line has it, "
                "so one backward line has it.",
            ),
            Mistake(
                "1/d_k",
                variant(forward=-1, backward=-1),
                "You divide by d_k itself, forward and backward. This course's scale has a square root in it.",
            ),
            Mistake(
                "sqrt(d_v)",
                lambda dout, q, k, v: gradients(dout, q, k, v, width=v.shape[-1]),
                "You take the square root of the values' width. The dot products are sums over a different width.",
            ),
            Mistake(
                "no row sum",
                variant(softmax_back=WRONG["no row sum"]),
                "Your dscores are just weights times dweights. Their rows don't sum to 0: remember task 2.",
                read=GRAPH,
            ),
            Mistake(
                "softmax skipped",
                variant(softmax_back=WRONG["softmax skipped"]),
                "dV is right. For dQ and dK you use dweights as if they were dscores. Softmax is in between: a score "
                "moves every weight of its row.",
            ),
            Mistake(
                "weights held constant",
                lambda dout, q, k, v: (np.zeros_like(q), np.zeros_like(k), gradients(dout, q, k, v)[2]),
                "dV is right. But dQ and dK are zero, as if softmax gave constants. The weights are made from Q and K.",
            ),
            Mistake(
                "all signs flipped",
                lambda *inputs: tuple(-part for part in gradients(*inputs)),
                "The sizes are right, but every sign is wrong. A gradient says which way the loss goes up.",
            ),
            Mistake(
                "diagonal only",
                variant(softmax_back=WRONG["diagonal only"]),
                "To get from dweights to dscores you multiply by p(1 − p). The other keys of the row are missing.",
                read='notebook 04, section "Is it p(1 − p)?"',
            ),
            Mistake(
                "wrong axis",
                variant(softmax_back=WRONG["wrong axis"]),
                "You average dweights down the columns. Along which axis do the weights sum to 1?",
            ),
            Mistake(
                "plain mean",
                variant(softmax_back=WRONG["plain mean"]),
                "dV is right. Your step back through softmax is the one you were given in task 2, bug included.",
                read=GRAPH,
            ),
            Mistake(
                "scale on dQ only",
                scale_on_queries_only,
                "dQ and dV are right, but dK is √d_k times too large. Every dot product involves both a query and "
                "a key.",
                read=GRAPH,
            ),
            Mistake(
                "softmax over the queries",
                variant(softmax=lambda scores: softmax_forward(scores.T).T),
                "Every column of your weights sums to 1. Who shares out attention, and among whom?",
            ),
            Mistake(
                "over the queries on both ways",
                variant(softmax=lambda scores: softmax_forward(scores.T).T, softmax_back=WRONG["wrong axis"]),
                "Forward and backward fit together, but they belong to a layer where each key is shared out among "
                "the queries. Look at the axis of your softmax.",
            ),
            Mistake(
                "dV first",
                lambda *inputs: tuple(gradients(*inputs)[part] for part in (2, 0, 1)),
                "All three are right, in the order you computed them. The task asks for a different order.",
            ),
            Mistake(
                "dV from the scores",
                values_from_scores,
                "dQ and dK are right. For dV you use the scores. What multiplies V in the line that makes `out`?",
                read=GRAPH,
            ),
        ),
    ),
    Task(
        "ps06.dq_ratio",
        points=1,
        asks="how many times as long the gradient on Q' is as the gradient on Q",
        read=GRAPH,
        right=lambda: 8.0,
        tolerance=1e-3,
        mistakes=(
            Mistake(
                "no scale",
                lambda: 1.0,
                "Equal outputs don't mean equal gradients. Write both down: which factor is in only one of them?",
            ),
            Mistake(
                "upside down",
                lambda: 1 / 8,
                "Q' is shorter than Q, but the scores are the same. Does a step of a given length move them less, "
                "or more?",
            ),
            Mistake("1/d_k", lambda: 64.0, "That's d_k itself. By what factor do Q and Q' differ?"),
        ),
    ),
    Task(
        "ps06.dk_ratio",
        points=1,
        asks="how many times as long her gradient on K is as yours",
        read=GRAPH,
        right=lambda: 1.0,
        tolerance=1e-3,
        mistakes=(
            Mistake(
                "only the scale",
                lambda: 8.0,
                "You've noticed that her backward pass has no scale. But which queries does she multiply dscores by?",
            ),
            Mistake(
                "only the queries",
                lambda: 1 / 8,
                "You've noticed that her queries are shorter. But does her backward pass have the factor that "
                "yours has?",
            ),
            Mistake("both longer", lambda: 64.0, "There are two effects, but they don't pull in the same direction."),
        ),
    ),
)
