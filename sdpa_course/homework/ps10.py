"""Problem set 10: caps, cosines, a learned factor, and the largest score that QK-norm allows."""

import numpy as np

from ..kernels.scores import cosine_scores_forward, dot_scores_forward
from ..kernels.softmax import softmax_backward, softmax_forward
from .tasks import Mistake, Task, any_sizes


def long_pairs(rng, sizes=((3, 5, 4, 2.5), (6, 2, 7, 4.0))) -> list[dict]:
    """Queries and keys long enough for the cap to matter."""
    return [{"q": 2 * rng.normal(size=(t, d)), "k": 2 * rng.normal(size=(s, d)), "b": b} for t, s, d, b in sizes]


def any_pairs(rng) -> list[dict]:
    """Any sizes, with caps from well below 1 to 50."""
    return long_pairs(rng, [(*size, float(rng.choice([0.3, 1.0, 50.0]))) for size in any_sizes(rng, 3)])


def heads_with_gradient(rng, sizes=((2, 3, 5, 4), (3, 6, 4, 7))) -> list[dict]:
    """Queries and keys in several heads, of very different lengths; one a per head, the first below 0; dweights."""
    cases = []
    for heads, t, s, d in sizes:
        q, k = (rng.normal(size=(heads, n, d)) * rng.uniform(0.5, 3, size=(heads, n, 1)) for n in (t, s))
        a = rng.uniform(0.5, 1, size=heads) + np.minimum(0.5 * np.arange(heads), 1.5)
        a[0] *= -1
        cases.append({"q": q, "k": k, "a": a, "dweights": rng.normal(size=(heads, t, s))})
    return cases


def without_gradient(cases) -> list[dict]:
    """What `qk_norm_weights` needs of these."""
    return [{name: case[name] for name in ("q", "k", "a")} for case in cases]


def capped(q, k, b, scale=None):
    """b · tanh(scaled scores / b)."""
    return b * np.tanh(dot_scores_forward(q, k, scale=scale)[0] / b)


def unit(x, axis=-1):
    """`x` divided by its length along `axis`."""
    return x / np.sqrt((x * x).sum(axis=axis, keepdims=True))


def qk_norm(q, k, a, factor=1.0):
    """Weights and scores for e^a times the cosine."""
    scores = cosine_scores_forward(q, k)[0] * np.exp(a)[:, None, None] * factor
    return softmax_forward(scores), scores


def weights_of(q, k, a):
    """softmax(e^a q · k), for q and k as they are."""
    return softmax_forward(dot_scores_forward(q, k, scale=1)[0] * np.exp(a)[:, None, None])


def gradient_on_a(q, k, a, dweights, back=softmax_backward):
    """Σ dscores · scores over each head."""
    weights, scores = qk_norm(q, k, a)
    return (back(dweights, weights) * scores).sum(axis=(-2, -1))


def gradient_with_raw_dots(q, k, a, dweights):
    """The weights are right, but the last factor is e^a q · k."""
    dscores = softmax_backward(dweights, qk_norm(q, k, a)[0])
    return (dscores * dot_scores_forward(q, k, scale=1)[0]).sum(axis=(-2, -1)) * np.exp(a)


TASKS = (
    Task(
        "ps10.capped_scores",
        points=3,
        asks="the scaled scores, bent so that none is larger than b in size",
        read='notebook 10, section "Three cures"',
        cases=long_pairs,
        hidden=any_pairs,
        right=capped,
        mistakes=(
            Mistake(
                "no scale",
                lambda q, k, b: capped(q, k, b, 1.0),
                "You cap the plain dot products. A cap limits the scores, but it doesn't scale them.",
            ),
            Mistake(
                "1/d_k",
                lambda q, k, b: capped(q, k, b, 1 / q.shape[-1]),
                "You divide the scores by the width itself before tanh. Which power of it is the usual scale?",
                read="notebook 07",
            ),
            Mistake(
                "cap before scaling",
                lambda q, k, b: capped(q, k, b, 1.0) / np.sqrt(q.shape[-1]),
                "You have both steps, but in the wrong order. If you scale last, no score can get anywhere near b.",
            ),
            Mistake(
                "b only inside",
                lambda q, k, b: capped(q, k, b) / b,
                "Your scores are all between −1 and 1, because tanh is. Small scores should come through nearly "
                "unchanged.",
            ),
            Mistake(
                "clipped",
                lambda q, k, b: np.clip(dot_scores_forward(q, k)[0], -b, b),
                "You cut the scores off sharply at b. A soft cap starts to bend before it gets there.",
            ),
            Mistake(
                "b only outside",
                lambda q, k, b: b * np.tanh(dot_scores_forward(q, k)[0]),
                "No entry is above b. But try a score of 0.01: it comes out b times as large.",
            ),
            Mistake(
                "softmax on top", lambda *x: softmax_forward(capped(*x)), "These are weights. The task asks for scores."
            ),
        ),
    ),
    Task(
        "ps10.qk_norm_weights",
        points=3,
        asks="softmax over the keys of e^a times the cosine",
        read='notebook 10, section "Three cures"',
        cases=lambda rng: without_gradient(heads_with_gradient(rng)),
        hidden=lambda rng: without_gradient(heads_with_gradient(rng, any_sizes(rng, 4))),
        right=lambda q, k, a: qk_norm(q, k, a)[0],
        mistakes=(
            Mistake(
                "no g",
                lambda q, k, a: qk_norm(q, k, 0 * a)[0],
                "These are the weights for the cosine alone, which can't leave [−1, 1]. You haven't used the "
                "argument a.",
            ),
            Mistake(
                "a for g",
                lambda q, k, a: qk_norm(q, k, 0 * a, a[:, None, None])[0],
                "You multiply by a itself. What's learned is the logarithm of the factor.",
                read='notebook 10, section "Three cures"',
            ),
            Mistake(
                "scaled twice",
                lambda q, k, a: qk_norm(q, k, a, q.shape[-1] ** -0.5)[0],
                "You take the cosine and then divide by √d_k as well. With the lengths gone, what's left for the "
                "root to do?",
            ),
            Mistake(
                "only q",
                lambda q, k, a: weights_of(unit(q), k, a),
                "The queries have length 1, but the keys don't: a long key wins because of its length.",
            ),
            Mistake(
                "normalised over the tokens",
                lambda q, k, a: weights_of(unit(q, -2), unit(k, -2), a),
                "You normalise each column of a head, across the tokens. Which axis holds one query?",
            ),
            Mistake(
                "one length for all",
                lambda q, k, a: weights_of(unit(q, None), unit(k, None), a),
                "You divide by one length for the whole array. Each query and each key has its own.",
            ),
            Mistake(
                "times the root",
                lambda q, k, a: qk_norm(q, k, a, q.shape[-1] ** 0.5)[0],
                "You multiply the cosine by √d_k and by g. √d_k is one choice of g: how many factors does the task "
                "ask for?",
            ),
            Mistake(
                "only k",
                lambda q, k, a: weights_of(q, unit(k), a),
                "The keys have length 1. But if you double a query, your weights get sharper, while its cosines "
                "stay the same.",
            ),
            Mistake(
                "wrong axis",
                lambda q, k, a: softmax_forward(qk_norm(q, k, a)[1], axis=-2),
                "The scores are right. But the weights of each key sum to 1 over the queries. Which of them does "
                "the asking?",
            ),
            Mistake("no softmax", lambda *x: qk_norm(*x)[1], "These are the scores. Do your rows sum to 1?"),
            Mistake(
                "a temperature",
                lambda q, k, a: qk_norm(q, k, -a)[0],
                "Your weights get flatter as a grows, as they would with a temperature. Look at the sign in the "
                "exponent.",
                read='notebook 10, section "Three cures"',
            ),
        ),
    ),
    Task(
        "ps10.gradient_on_a",
        points=3,
        asks="for each head, the derivative of the loss with respect to a",
        read='notebook 10, section "Three cures"',
        cases=heads_with_gradient,
        hidden=lambda rng: heads_with_gradient(rng, any_sizes(rng, 4)),
        right=gradient_on_a,
        mistakes=(
            Mistake(
                "gradient on g",
                lambda q, k, a, dweights: gradient_on_a(q, k, a, dweights) / np.exp(a),
                "This is the derivative with respect to g. The parameter is a, so the chain has one more link.",
            ),
            Mistake(
                "softmax skipped",
                lambda *inputs: gradient_on_a(*inputs, back=lambda dweights, weights: dweights),
                "You've used the gradient on the weights as if it were the gradient on the scores. Softmax is in "
                "between.",
                read='notebook 06, section "Blame runs backwards"',
            ),
            Mistake(
                "diagonal only",
                lambda *inputs: gradient_on_a(*inputs, back=lambda dweights, p: dweights * p * (1 - p)),
                "You went back through p(1 − p) alone. A larger score also takes weight from the other keys in its "
                "row.",
                read='notebook 04, section "Is it p(1 − p)?"',
            ),
            Mistake(
                "no row sum",
                lambda *inputs: gradient_on_a(*inputs, back=lambda dweights, p: p * dweights),
                "Your dscores are p times dweights. Each row should sum to 0: what do you still have to subtract?",
                read='notebook 06, section "Blame runs backwards"',
            ),
            Mistake(
                "opposite sign",
                lambda *inputs: -gradient_on_a(*inputs),
                "The size is right, but the sign is flipped: this is the gradient for the logarithm of a temperature.",
            ),
            Mistake(
                "all heads together",
                lambda *inputs: gradient_on_a(*inputs).sum(),
                "You've returned one number for all the heads. Each head has its own a, which only moves that "
                "head's scores.",
            ),
            Mistake(
                "plain mean",
                lambda *inputs: gradient_on_a(*inputs, back=lambda g, p: p * (g - g.mean(axis=-1, keepdims=True))),
                "The average you subtract counts all keys equally. Should a key with hardly any weight count as much?",
                read='notebook 06, section "Blame runs backwards"',
            ),
            Mistake(
                "averaged over the queries",
                lambda *inputs: gradient_on_a(*inputs) / inputs[0].shape[-2],
                "You've divided by the number of queries. The same a acts on all of them, and they all act on the "
                "loss.",
            ),
            Mistake(
                "raw dot products",
                gradient_with_raw_dots,
                "You get back through softmax correctly. But your last factor still contains the lengths of q and k.",
            ),
        ),
    ),
    Task(
        "ps10.largest_score",
        points=2,
        asks="the largest score that these queries and keys can have",
        read='notebook 10, section "Three cures"',
        right=lambda: 128**0.5,
        tolerance=1e-3,
        mistakes=(
            Mistake("a cosine", lambda: 1.0, "That's the largest cosine. How long are the two vectors?"),
            Mistake("no scale", lambda: 128.0, "That's the largest dot product, before it's divided."),
            Mistake(
                "one length",
                lambda: 1 / 128**0.5,
                "That's the scale. The lengths of q and k multiply it, and neither is 1.",
            ),
            Mistake("the cap", lambda: 50.0, "That's Gemma 2's cap. There's none here: the lengths are the limit."),
        ),
    ),
)
