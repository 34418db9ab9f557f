"""Problem set 06: the gradient of a matrix product, of attention, and where the scale goes on the way back."""

import numpy as np

from ..kernels.softmax import softmax_backward, softmax_forward
from .tasks import Mistake, Task


def normal(rng, **shapes) -> dict:
    """Arrays of normal numbers by name."""
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


def products(rng) -> list[dict]:
    """Two factors and the gradient on their product."""
    return [normal(rng, dC=(m, n), A=(m, r), B=(r, n)) for m, r, n in ((3, 4, 2), (2, 5, 6))]


def rows_of_weights(rng) -> list[dict]:
    """Weights that are neither equal nor one-hot, with values and a gradient on the output."""
    return [
        normal(rng, dout=(i, d_v), V=(j, d_v)) | {"weights": softmax_forward(1.2 * rng.normal(size=(i, j)))}
        for i, j, d_v in ((3, 5, 4), (4, 3, 6))
    ]


def layers(rng) -> list[dict]:
    """Small layers of i queries and j keys, every size different."""
    return [
        normal(rng, dout=(i, d_v), Q=(i, d_k), K=(j, d_k), V=(j, d_v))
        for i, j, d_k, d_v in ((3, 5, 4, 2), (4, 6, 9, 5))
    ]


# dscores as a function of dweights (g) and weights (w), wrong in eight ways
WRONG = {
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


def gradients(
    dout, q, k, v, *, forward=-0.5, backward=-0.5, softmax=softmax_forward, softmax_back=softmax_backward, width=None
):
    """(dQ, dK, dV), the scale being d_k to the power `forward` on the way there and `backward` on the way back."""
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
    """dV made from the scores, everything else right."""
    dq, dk, _ = gradients(dout, q, k, v)
    return dq, dk, (k @ q.T * q.shape[-1] ** -0.5) @ dout


TASKS = (
    Task(
        "ps06.matmul_backward",
        points=3,
        asks="the gradients of the loss on A and on B",
        read="notebook 06, section 2",
        cases=products,
        right=lambda dc, a, b: (dc @ b.T, a.T @ dc),
        outputs=("dA", "dB"),
        mistakes=(
            Mistake(
                "transposed",
                lambda dc, a, b: (b @ dc.T, dc.T @ a),
                "Both gradients lie on their side. The sums are right; turn the result so that dA looks like A.",
            ),
            Mistake("swapped", lambda dc, a, b: (a.T @ dc, dc @ b.T), "Both gradients are there, in the other order."),
            Mistake(
                "reshaped",
                lambda dc, a, b: (dc @ b.reshape(b.shape[::-1]), a.reshape(a.shape[::-1]) @ dc),
                "`reshape` makes the shapes fit but deals the numbers out anew. Turning a matrix round is not that.",
            ),
            Mistake(
                "dC left out",
                lambda dc, a, b: (np.ones_like(dc) @ b.T, a.T @ np.ones_like(dc)),
                "This is the gradient if every entry of C had the slope 1. The slopes are those in dC.",
            ),
            Mistake(
                "averaged",
                lambda dc, a, b: (dc @ b.T, a.T @ dc / len(a)),
                "dA is right, dB is divided by the number of rows. An entry of B enters every row of C: do its effects "
                "on the loss add up, or are they averaged?",
            ),
        ),
    ),
    Task(
        "ps06.mended_dscores",
        points=3,
        asks="the gradient on the scores, as a finite difference would measure it",
        read="notebook 06, section 3",
        cases=rows_of_weights,
        right=from_dout(softmax_backward),
        mistakes=(
            Mistake(
                "as given",
                from_dout(WRONG["plain mean"]),
                "This still computes what the given function computes. Try it on weights [[0.9, 0.1]] and look at the "
                "sum of the row: adding the same number to both scores would change the loss. Can that be?",
            ),
            Mistake(
                "no row sum",
                from_dout(WRONG["no row sum"]),
                "Now nothing is subtracted. But a score also enters the sum that its whole row is divided by.",
            ),
            Mistake(
                "diagonal only",
                from_dout(WRONG["diagonal only"]),
                "Here each score moves its own weight only, by p(1 − p). But when one weight grows, the others shrink.",
                read="notebook 04, section 5",
            ),
            Mistake(
                "wrong axis",
                from_dout(WRONG["wrong axis"]),
                "Your average runs over the queries. Each query has a softmax of its own and knows no other query.",
            ),
            Mistake(
                "centred afterwards",
                from_dout(WRONG["centred afterwards"]),
                "Your rows sum to 0, as they must. But a key with hardly any weight still gets a push: should it?",
            ),
            Mistake(
                "mean of the products",
                from_dout(WRONG["mean of the products"]),
                "You average numbers that already carry their weights. What do the weights of a row sum to?",
            ),
            Mistake(
                "outer weights missing",
                from_dout(WRONG["outer weights missing"]),
                "The average is right now. But your rows do not sum to 0: what multiplies each difference?",
            ),
            Mistake(
                "one average for all",
                from_dout(WRONG["one average for all"]),
                "You subtract one number from the whole array. How many softmaxes are there, and how many averages?",
            ),
        ),
    ),
    Task(
        "ps06.attention_backward",
        points=4,
        asks="dQ, dK and dV of attention with the scale 1/√d_k",
        read="notebook 06, section 4",
        cases=layers,
        right=gradients,
        outputs=("dQ", "dK", "dV"),
        mistakes=(
            Mistake(
                "no scale",
                variant(forward=0, backward=0),
                "This is the backward pass of another layer, one that never had a scale. Look at your scores first.",
            ),
            Mistake(
                "no scale backward",
                variant(backward=0),
                "dV is right, dQ and dK are √d_k times too long. Which forward line has no partner on the way back?",
                read="notebook 06, section 3",
            ),
            Mistake(
                "no scale forward",
                variant(forward=0),
                "The way back knows the scale, but the weights were made without it. Even dV shows it.",
            ),
            Mistake(
                "scale twice",
                variant(backward=-1),
                "dQ and dK are √d_k times too short: somewhere the scale is multiplied in a second time. "
                "One forward line has the scale, so one line on the way back has it.",
            ),
            Mistake(
                "1/d_k",
                variant(forward=-1, backward=-1),
                "You divide by d_k itself, on both ways. This course's scale has a root in it.",
            ),
            Mistake(
                "sqrt(d_v)",
                lambda dout, q, k, v: gradients(dout, q, k, v, width=v.shape[-1]),
                "The width under your root is that of the values. The dot products are sums over another width.",
            ),
            Mistake(
                "no row sum",
                variant(softmax_back=WRONG["no row sum"]),
                "Your dscores are weights times dweights and no more. Their rows do not sum to 0: remember task 2.",
                read="notebook 06, section 3",
            ),
            Mistake(
                "diagonal only",
                variant(softmax_back=WRONG["diagonal only"]),
                "From dweights to dscores you multiply by p(1 − p). The other keys of the row are missing.",
                read="notebook 04, section 5",
            ),
            Mistake(
                "wrong axis",
                variant(softmax_back=WRONG["wrong axis"]),
                "Your average of dweights runs down the columns. Along which axis do the weights sum to 1?",
            ),
            Mistake(
                "plain mean",
                variant(softmax_back=WRONG["plain mean"]),
                "dV is right. The way back through softmax is the one that task 2 gave you, before it was mended.",
                read="notebook 06, section 3",
            ),
            Mistake(
                "scale on dQ only",
                scale_on_queries_only,
                "dQ and dV are right, dK is √d_k times too long. Each dot product has a query and a key in it.",
                read="notebook 06, section 3",
            ),
            Mistake(
                "softmax over the queries",
                variant(softmax=lambda scores: softmax_forward(scores.T).T),
                "Every column of your weights sums to 1. Who shares out its attention, and among whom?",
            ),
            Mistake(
                "over the queries on both ways",
                variant(softmax=lambda scores: softmax_forward(scores.T).T, softmax_back=WRONG["wrong axis"]),
                "Forward and back fit together, but they belong to a layer where each key shares itself out among the "
                "queries. Look at the axis of your softmax.",
            ),
            Mistake(
                "dV first",
                lambda *inputs: tuple(gradients(*inputs)[part] for part in (2, 0, 1)),
                "All three are right, in the order in which you came to them. The task names another order.",
            ),
            Mistake(
                "dV from the scores",
                values_from_scores,
                "dQ and dK are right. In dV you use the scores. What stands beside V in the line that makes `out`?",
                read="notebook 06, section 2",
            ),
        ),
    ),
    Task(
        "ps06.dq_ratio",
        points=1,
        asks="how many times as long the gradient on Q' is as the gradient on Q",
        read="notebook 06, section 3",
        right=lambda: 8.0,
        tolerance=1e-3,
        mistakes=(
            Mistake(
                "no scale",
                lambda: 1.0,
                "Equal outputs do not make equal gradients. Write down both: which factor is in one of them only?",
            ),
            Mistake(
                "upside down",
                lambda: 1 / 8,
                "Q' is shorter than Q, and its scores are not. Does a step of a given length move them less, or more?",
            ),
            Mistake("1/d_k", lambda: 64.0, "That is d_k itself. By which factor do Q and Q' differ?"),
        ),
    ),
    Task(
        "ps06.dk_ratio",
        points=1,
        asks="how many times as long her gradient on K is as yours",
        read="notebook 06, section 3",
        right=lambda: 1.0,
        tolerance=1e-3,
        mistakes=(
            Mistake(
                "only the scale",
                lambda: 8.0,
                "You have seen that her way back has no scale. Which queries does she multiply dscores with?",
            ),
            Mistake(
                "only the queries",
                lambda: 1 / 8,
                "You have seen that her queries are shorter. Does her way back have the factor that yours has?",
            ),
            Mistake("both longer", lambda: 64.0, "There are two effects, but they do not pull in the same direction."),
        ),
    ),
)
