"""Problem set 07: caps, cosines, a learned factor, and a scale folded into the parameters."""

import numpy as np

from ..kernels.scores import cosine_scores_forward, dot_scores_forward
from ..kernels.softmax import softmax_backward, softmax_forward
from .tasks import Mistake, Task


def long_pairs(rng) -> list[dict]:
    """Queries and keys long enough for the cap to matter."""
    sizes = ((3, 5, 4, 2.5), (6, 2, 7, 4.0))
    return [{"q": 2 * rng.normal(size=(t, d)), "k": 2 * rng.normal(size=(s, d)), "b": b} for t, s, d, b in sizes]


def heads_with_gradient(rng) -> list[dict]:
    """Queries and keys in several heads, of very different lengths; one a per head, the first below 0; dweights."""
    cases = []
    for heads, t, s, d in ((2, 3, 5, 4), (3, 6, 4, 7)):
        q, k = (rng.normal(size=(heads, n, d)) * rng.uniform(0.5, 3, size=(heads, n, 1)) for n in (t, s))
        a = rng.uniform(0.5, 1, size=heads) + 0.5 * np.arange(heads)
        a[0] *= -1
        cases.append({"q": q, "k": k, "a": a, "dweights": rng.normal(size=(heads, t, s))})
    return cases


def projections(rng) -> list[dict]:
    """Tokens, projections with a bias on the queries, and a number of heads; heads · d_k isn't d_model."""
    cases = []
    for t, s, d_model, heads, d_k in ((5, 7, 24, 3, 4), (3, 7, 15, 5, 2)):
        shapes = {"x": (t, d_model), "y": (s, d_model), "w_q": (d_model, heads * d_k), "b_q": (heads * d_k,)}
        arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()}
        cases.append({**arrays, "w_k": rng.normal(size=(d_model, heads * d_k)), "heads": heads})
    return cases


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


def split(x, heads):
    """(T, heads · d_k) -> (heads, T, d_k)."""
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)


def project(x, y, w_q, b_q, w_k, heads, width=0, power=0.5, bias=1.0):
    """Scores after w_q and b_q were divided by width^power, and b_q multiplied by `bias`; width 0 is d_k."""
    c = (width or len(b_q) // heads) ** -power
    return dot_scores_forward(split(x @ w_q * c + b_q * (c * bias), heads), split(y @ w_k, heads), scale=1)[0]


TASKS = (
    Task(
        "ps07.capped_scores",
        points=3,
        asks="the scaled scores, bent so that none is larger than b in size",
        read="notebook 07, section 6",
        cases=long_pairs,
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
                read="notebook 07, section 4",
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
        "ps07.qk_norm_weights",
        points=3,
        asks="softmax over the keys of e^a times the cosine",
        read="notebook 07, section 5",
        cases=lambda rng: [{name: case[name] for name in ("q", "k", "a")} for case in heads_with_gradient(rng)],
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
                read="notebook 07, section 7",
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
                read="notebook 07, section 7",
            ),
        ),
    ),
    Task(
        "ps07.gradient_on_a",
        points=3,
        asks="for each head, the derivative of the loss with respect to a",
        read="notebook 07, section 7",
        cases=heads_with_gradient,
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
                read="notebook 06, section 3",
            ),
            Mistake(
                "diagonal only",
                lambda *inputs: gradient_on_a(*inputs, back=lambda dweights, p: dweights * p * (1 - p)),
                "You went back through p(1 − p) alone. A larger score also takes weight from the other keys in its "
                "row.",
                read="notebook 04, section 5",
            ),
            Mistake(
                "no row sum",
                lambda *inputs: gradient_on_a(*inputs, back=lambda dweights, p: p * dweights),
                "Your dscores are p times dweights. Each row should sum to 0: what do you still have to subtract?",
                read="notebook 06, section 3",
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
                read="notebook 06, section 3",
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
        "ps07.score_std",
        points=2,
        asks="the standard deviation of one head's scores",
        read="notebook 07, section 3",
        right=lambda: (64 / 1600) ** 0.5,
        tolerance=1e-3,
        mistakes=(
            Mistake("the variance", lambda: 64 / 1600, "That's the variance. The question asks for its square root."),
            Mistake(
                "right scale", lambda: 1.0, "The usual divisor would leave 1. This model divides by something else."
            ),
            Mistake(
                "no scale",
                lambda: 8.0,
                "That's the standard deviation of one head's dot products, before anything is divided.",
            ),
            Mistake(
                "1/d_k",
                lambda: 1 / 8,
                "That's what dividing by the head's width would leave. What does this model divide by?",
            ),
            Mistake(
                "the scale",
                lambda: 1 / 40,
                "That's the scale. What's the standard deviation of the dot product itself?",
            ),
            Mistake(
                "upside down",
                lambda: 5.0,
                "That's a larger standard deviation than usual, which would need a smaller divisor than usual.",
            ),
        ),
    ),
    Task(
        "ps07.mended_scores",
        points=3,
        asks="the same scores as if they were divided by the square root of d_k at the end",
        read="notebook 07, section 11",
        cases=projections,
        right=project,
        mistakes=(
            Mistake(
                "as given",
                lambda *inputs: project(*inputs, width=len(inputs[2]), bias=len(inputs[2]) ** 0.5),
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
                read="notebook 07, section 13",
            ),
            Mistake(
                "width of all heads",
                lambda *inputs: project(*inputs, width=len(inputs[3])),
                "You take the square root of the number of columns of w_q. Those belong to all the heads together.",
                read="notebook 07, section 13",
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
)
