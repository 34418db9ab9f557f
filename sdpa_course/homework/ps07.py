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
    """Queries and keys in several heads, of very different lengths; an a for each head, the first below 0; dweights."""
    cases = []
    for heads, t, s, d in ((2, 3, 5, 4), (3, 6, 4, 7)):
        q, k = (rng.normal(size=(heads, n, d)) * rng.uniform(0.5, 3, size=(heads, n, 1)) for n in (t, s))
        a = rng.uniform(0.5, 1, size=heads) + 0.5 * np.arange(heads)
        a[0] *= -1
        cases.append({"q": q, "k": k, "a": a, "dweights": rng.normal(size=(heads, t, s))})
    return cases


def projections(rng) -> list[dict]:
    """Tokens, projections with a bias on the queries, and a number of heads; heads · d_k is not d_model."""
    cases = []
    for t, s, d_model, heads, d_k in ((5, 7, 24, 3, 4), (3, 7, 15, 5, 2)):
        shapes = {"x": (t, d_model), "y": (s, d_model), "w_q": (d_model, heads * d_k), "b_q": (heads * d_k,)}
        arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()}
        cases.append({**arrays, "w_k": rng.normal(size=(d_model, heads * d_k)), "heads": heads})
    return cases


def capped(q, k, b, scale=None):
    """b · tanh of the scaled scores over b."""
    return b * np.tanh(dot_scores_forward(q, k, scale=scale)[0] / b)


def unit(x, axis=-1):
    """`x` over its length along `axis`."""
    return x / np.sqrt((x * x).sum(axis=axis, keepdims=True))


def qk_norm(q, k, a, factor=1.0):
    """Weights and scores of the rule e^a cos."""
    scores = cosine_scores_forward(q, k)[0] * np.exp(a)[:, None, None] * factor
    return softmax_forward(scores), scores


def weights_of(q, k, a):
    """softmax(e^a q · k), whatever was done to q and k before."""
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
        asks="the scaled scores, bent so that none passes b in size",
        read="notebook 07, section 6",
        cases=long_pairs,
        right=capped,
        mistakes=(
            Mistake(
                "no scale",
                lambda q, k, b: capped(q, k, b, 1.0),
                "You cap the bare dot products. A cap bounds scores, it does not scale them.",
            ),
            Mistake(
                "1/d_k",
                lambda q, k, b: capped(q, k, b, 1 / q.shape[-1]),
                "Your scores were divided by the width itself before tanh. Which power of it is the usual scale?",
                read="notebook 07, section 4",
            ),
            Mistake(
                "cap before scaling",
                lambda q, k, b: capped(q, k, b, 1.0) / np.sqrt(q.shape[-1]),
                "Both steps are there, in the other order. Scaled last, no score can come near b any more.",
            ),
            Mistake(
                "b only inside",
                lambda q, k, b: capped(q, k, b) / b,
                "These lie between -1 and 1, because tanh does. Small scores should pass nearly unchanged.",
            ),
            Mistake(
                "clipped",
                lambda q, k, b: np.clip(dot_scores_forward(q, k)[0], -b, b),
                "This cuts at b with a sharp edge. A soft cap bends before it gets there.",
            ),
            Mistake(
                "b only outside",
                lambda q, k, b: b * np.tanh(dot_scores_forward(q, k)[0]),
                "No entry passes b. But put in a score of 0.01: it comes out b times as large.",
            ),
            Mistake("softmax on top", lambda *x: softmax_forward(capped(*x)), "These are weights. Return the scores."),
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
                "These are the weights of the bare cosine, which cannot leave [-1, 1]. The argument a is not used.",
            ),
            Mistake(
                "a for g",
                lambda q, k, a: qk_norm(q, k, 0 * a, a[:, None, None])[0],
                "You multiply by a itself. What is learned is the logarithm of the factor.",
                read="notebook 07, section 7",
            ),
            Mistake(
                "scaled twice",
                lambda q, k, a: qk_norm(q, k, a, q.shape[-1] ** -0.5)[0],
                "A cosine, and the root of the width on top. The lengths are gone: what is left for the root to do?",
            ),
            Mistake(
                "only q",
                lambda q, k, a: weights_of(unit(q), k, a),
                "The queries have length 1, the keys still have their own: a long key wins by its length.",
            ),
            Mistake(
                "normalised over the tokens",
                lambda q, k, a: weights_of(unit(q, -2), unit(k, -2), a),
                "You made each column of a head a unit vector, across the tokens. Which axis holds one query?",
            ),
            Mistake(
                "one length for all",
                lambda q, k, a: weights_of(unit(q, None), unit(k, None), a),
                "You divide by one length for the whole array. Every query and every key has a length of its own.",
            ),
            Mistake(
                "times the root",
                lambda q, k, a: qk_norm(q, k, a, q.shape[-1] ** 0.5)[0],
                "√d_k times the cosine, and g on top. √d_k is one choice of g: how many factors are asked for?",
            ),
            Mistake(
                "only k",
                lambda q, k, a: weights_of(q, unit(k), a),
                "The keys have length 1. But double a query: your weights get sharper, and its cosines stay the same.",
            ),
            Mistake(
                "wrong axis",
                lambda q, k, a: softmax_forward(qk_norm(q, k, a)[1], axis=-2),
                "The scores are right. But the weights of each key sum to 1, over the queries: who asks here?",
            ),
            Mistake("no softmax", lambda *x: qk_norm(*x)[1], "These are the scores. Do your rows sum to 1?"),
            Mistake(
                "a temperature",
                lambda q, k, a: qk_norm(q, k, -a)[0],
                "Your weights get flatter as a grows, as with a temperature. Look at the sign in the exponent.",
                read="notebook 07, section 7",
            ),
        ),
    ),
    Task(
        "ps07.gradient_on_a",
        points=3,
        asks="one derivative of the loss for each head",
        read="notebook 07, section 7",
        cases=heads_with_gradient,
        right=gradient_on_a,
        mistakes=(
            Mistake(
                "gradient on g",
                lambda q, k, a, dweights: gradient_on_a(q, k, a, dweights) / np.exp(a),
                "This is the derivative by g. The parameter is a: the chain has one more link.",
            ),
            Mistake(
                "softmax skipped",
                lambda *inputs: gradient_on_a(*inputs, back=lambda dweights, weights: dweights),
                "You used the gradient on the weights as the gradient on the scores. Softmax stands between them.",
                read="notebook 06, section 3",
            ),
            Mistake(
                "diagonal only",
                lambda *inputs: gradient_on_a(*inputs, back=lambda dweights, p: dweights * p * (1 - p)),
                "You went back through p(1 - p) alone. A larger score also takes weight from the row's other keys.",
                read="notebook 04, section 5",
            ),
            Mistake(
                "no row sum",
                lambda *inputs: gradient_on_a(*inputs, back=lambda dweights, p: p * dweights),
                "Your dscores are p times dweights. Each of their rows should sum to 0: what is still to be taken off?",
                read="notebook 06, section 3",
            ),
            Mistake(
                "opposite sign",
                lambda *inputs: -gradient_on_a(*inputs),
                "The size is right, the sign is turned: this is the gradient for the logarithm of a temperature.",
            ),
            Mistake(
                "all heads together",
                lambda *inputs: gradient_on_a(*inputs).sum(),
                "One number for all heads came. Each head has an a of its own, which moves its own scores only.",
            ),
            Mistake(
                "plain mean",
                lambda *inputs: gradient_on_a(*inputs, back=lambda g, p: p * (g - g.mean(axis=-1, keepdims=True))),
                "The average that you subtract counts all keys alike. Should one with hardly any weight count as much?",
                read="notebook 06, section 3",
            ),
            Mistake(
                "averaged over the queries",
                lambda *inputs: gradient_on_a(*inputs) / inputs[0].shape[-2],
                "You divided by the number of queries. All of them feel the same a, and the loss feels all of them.",
            ),
            Mistake(
                "raw dot products",
                gradient_with_raw_dots,
                "The way through softmax is right. Your last factor still has the lengths of q and k in it.",
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
            Mistake("the variance", lambda: 64 / 1600, "That is the variance. You were asked for its square root."),
            Mistake("right scale", lambda: 1.0, "The usual divisor would leave 1. This model has another one."),
            Mistake("no scale", lambda: 8.0, "That is the spread of one head's dot products, not divided yet."),
            Mistake("1/d_k", lambda: 1 / 8, "Dividing by the head's width would leave this. What divides here?"),
            Mistake("the scale", lambda: 1 / 40, "That is the scale. What is the spread of the dot product?"),
            Mistake("upside down", lambda: 5.0, "More spread than usual? Then the divisor would be smaller."),
        ),
    ),
    Task(
        "ps07.mended_scores",
        points=3,
        asks="the same scores as with a division by the square root of d_k at the end",
        read="notebook 07, section 11",
        cases=projections,
        right=project,
        mistakes=(
            Mistake(
                "as given",
                lambda *inputs: project(*inputs, width=len(inputs[2]), bias=len(inputs[2]) ** 0.5),
                "Still the given scores. Compare with the plain formula: two heads, no bias; then one head, a bias.",
            ),
            Mistake(
                "bias forgotten",
                lambda *inputs: project(*inputs, bias=(len(inputs[3]) / inputs[-1]) ** 0.5),
                "One bug is gone: without a bias your scores are right. Which part of the query is not scaled yet?",
            ),
            Mistake(
                "sqrt(d_model)",
                lambda *inputs: project(*inputs, width=len(inputs[2])),
                "You take the root of the width of a token. Over how many entries does one head's dot product run?",
                read="notebook 07, section 13",
            ),
            Mistake(
                "width of all heads",
                lambda *inputs: project(*inputs, width=len(inputs[3])),
                "You take the root of the number of columns of w_q. Those belong to all heads together.",
                read="notebook 07, section 13",
            ),
            Mistake(
                "d_model / heads",
                lambda *inputs: project(*inputs, width=len(inputs[2]) // inputs[-1]),
                "d_model / heads is the head's width only if d_model = heads · d_k. Which array knows d_k?",
            ),
            Mistake("bias left out", lambda *inputs: project(*inputs, bias=0), "Where is b_q? It is a part of Q."),
            Mistake(
                "1/d_k",
                lambda *inputs: project(*inputs, power=1),
                "The right width, the wrong power: your scores still shrink as the heads get wider.",
            ),
            Mistake(
                "no scale",
                lambda *inputs: project(*inputs, power=0),
                "No factor is left, neither folded in nor at the end. These are the bare dot products of each head.",
            ),
        ),
    ),
)
