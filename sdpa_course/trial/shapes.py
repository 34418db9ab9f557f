"""Claims that confuse shapes, softmax and meaning."""

import math

import numpy as np

from ..experiments.sentence import SENTENCE, random_choices, read_sentence
from ..kernels.multihead import multihead_forward
from ..kernels.params import init_multihead
from ..kernels.scores import dot_scores_forward
from ..kernels.sdpa import attention_forward
from ..kernels.softmax import softmax_forward
from .claims import Findings, always, claim, describe_gap, happens

D_MODEL, D_K = 512, 64


def projected_words(seed: int) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Number of words -> queries and keys of such a sentence, (n, 64) each, from the W_Q and W_K of notebook 00."""
    rng = np.random.default_rng(seed)
    w_q, w_k = rng.standard_normal((2, D_MODEL, D_K)) / math.sqrt(D_MODEL)
    words = {n: rng.standard_normal((n, D_MODEL)) for n in (3, len(SENTENCE))}
    return {n: (x @ w_q, x @ w_k) for n, x in words.items()}


@claim(
    "C16", "05_attention", seed=5, short="one head keeps shape",
    condition="its values are as wide as the input, which a lone head's can be",
    number="(3, 512) in, (3, 64) out; (3, 512) if d_v = 512",
    instead="One head returns a row of d_v numbers for each token. The input's width comes back when 8 heads are "
    "joined "
    "and go through W_O.",
)  # fmt: skip
def one_head_keeps_shape(seed: int) -> Findings:
    """What one head returns has the shape of its input."""
    rng = np.random.default_rng(seed)
    x, w = rng.standard_normal((3, D_MODEL)), rng.standard_normal((3, D_MODEL, D_K)) / math.sqrt(D_MODEL)
    one = attention_forward(*(x @ matrix for matrix in w))[0].shape
    wide = rng.standard_normal((D_MODEL, D_MODEL)) / math.sqrt(D_MODEL)
    alone = attention_forward(x @ w[0], x @ w[1], x @ wide)[0].shape
    eight = multihead_forward(x, init_multihead(D_MODEL, 8, rng=rng))[0].shape
    parts = [
        happens("with values as wide as the input", alone == x.shape, f"d_v = 512: {x.shape} in, {alone} out"),
        always(
            "as one of several heads, too",
            one == x.shape,
            f"d_v = 64: {x.shape} in, {one} out; {eight} only after 8 heads and W_O",
        ),
    ]
    return parts, {}


@claim(
    "C22", "05_attention", seed=10, short="makes it parallel",
    number="it adds {share:.2%} of the multiplications at d_k = 64",
    instead="Attention is parallel because it's made of matrix products, scaled or not. The scale costs one "
    "multiplication per score, or none if it's folded into W_Q.",
)  # fmt: skip
def scale_makes_it_parallel(seed: int) -> Findings:
    """The scale is what makes attention parallel, or fast."""
    q, k, v = np.random.default_rng(seed).standard_normal((3, 300, D_K))
    whole, _ = attention_forward(q, k, v, scale=1)
    alone = np.concatenate([attention_forward(q[i : i + 1], k, v, scale=1)[0] for i in range(300)])
    gap = float(abs(alone - whole).max())
    without = 2 * 1000**2 * D_K  # multiplications for 1000 tokens
    with_scale = without + 1000**2
    share = (with_scale - without) / with_scale
    parts = [
        happens(
            "rows need the scale to be computed side by side",
            gap > 1e-12,
            f"without it, 300 rows one by one and all at once: {describe_gap(gap)}",
        ),
        happens(
            "it saves work",
            with_scale < without,
            f"it adds {share:.2%} of the multiplications; none if folded into W_Q",
        ),
    ]
    return parts, {"share": share}


@claim(
    "C23", "00_start_here", seed=2, short="d_k = words",
    number="d_k = 64 for 3 words and for 9",
    instead="d_k is the number of columns of W_Q: how many products are added up in each score. The number of words "
    "says "
    "how many scores there are.",
)  # fmt: skip
def width_is_number_of_words(seed: int) -> Findings:
    """d_k counts the words of the sentence."""
    widths = {n: q.shape[-1] for n, (q, _) in projected_words(seed).items()}
    evidence = "; ".join(f"{n} words: d_k = {d_k}" for n, d_k in widths.items())
    return [happens("d_k changes with the number of words", len(set(widths.values())) > 1, evidence)], {}


@claim(
    "C24", "00_start_here", seed=2, short="÷ changes shape",
    number="(9, 9) before and after; the standard deviation goes from {before:.2f} to {after:.2f}",
    instead="Dividing changes every score and no shape.",
)  # fmt: skip
def dividing_changes_shape(seed: int) -> Findings:
    """Dividing gives the score matrix another shape."""
    q, k = projected_words(seed)[9]
    plain, divided = (dot_scores_forward(q, k, scale=scale)[0] for scale in (1, None))
    before, after = float(plain.std()), float(divided.std())
    evidence = f"{plain.shape} before, {divided.shape} after; the standard deviation: {before:.2f}, then {after:.2f}"
    return [happens("the shape changes", plain.shape != divided.shape, evidence)], {"before": before, "after": after}


@claim(
    "C25", "00_start_here", seed=2, short="needed to sum to 1",
    number="rows sum to 1 to 12 digits with the factors 10, 1, 1/8 and 1/64",
    instead="Softmax returns probabilities at any scale. The scale decides how they're shared out.",
)  # fmt: skip
def needed_to_sum_to_1(seed: int) -> Findings:
    """Without the scale softmax would not return probabilities."""
    q, k = projected_words(seed)[9]
    weights = [softmax_forward(dot_scores_forward(q, k, scale=scale)[0]) for scale in (10, 1, 1 / 8, 1 / 64)]
    off = max(float(abs(w.sum(axis=-1) - 1).max()) for w in weights)
    sharpest, *_, flattest = (float(w.max(axis=-1).mean()) for w in weights)
    sums = "equal 1 to 12 digits" if off < 1e-12 else f"are off by up to {off:.2g}"
    evidence = f"row sums {sums}, with the factors 10, 1, 1/8, 1/64; top weight {sharpest:.3f} to {flattest:.3f}"
    return [happens("some scale gives no probabilities", off > 1e-12, evidence)], {}


@claim(
    "C26", "00_start_here", seed=2, short="softmax suffices",
    number="the largest weight is {plain:.3f} without and {divided:.3f} with the scale; both rows sum to 1",
    instead="Softmax fixes the sum of the weights, the scale the spread of the scores. They normalise different "
    "things.",
)  # fmt: skip
def softmax_suffices(seed: int) -> Findings:
    """Softmax normalises anyway, so scaling before it changes nothing."""
    q, k = projected_words(seed)[9]
    plain, divided = (softmax_forward(dot_scores_forward(q[:1], k, scale=scale)[0]) for scale in (1, None))
    top, after = float(plain.max()), float(divided.max())
    evidence = f"largest weight {top:.3f} without, {after:.3f} with"
    same = np.allclose(plain, divided, atol=0.01)
    return [happens("scaling first leaves the weights alone", same, evidence)], {"plain": top, "divided": after}


@claim(
    "C29", "05_attention", seed=29, short="“it” finds the dog",
    condition="the vectors have learned it, and a second pass reads what the first one found",
    number="hand-made vectors, two passes: {dog:.3f} on dog; random vectors: dog wins {share:.2%} of the draws, chance "
    "is 11.11 %",
    instead="The formula can carry it. Queries and keys that do it have to be learned, and it takes more than one "
    "layer.",
)  # fmt: skip
def it_finds_the_dog(seed: int) -> Findings:
    """In “The dog chased the ball because it was fast”, comparing queries and keys finds out what “it” is."""
    it, dog, ball = (SENTENCE.index(word) for word in ("it", "dog", "ball"))
    fast, red = (read_sentence([*SENTENCE[:-1], last]) for last in ("fast", "red"))  # hand-made vectors
    ratios = [reading.first[it, dog] / reading.first[it, ball] for reading in (fast, red)]
    choices = random_choices(len(SENTENCE), rng=np.random.default_rng(seed))
    share, even = float(choices.shares[dog]), 1 / len(SENTENCE)
    parts = [
        happens(
            "two passes over hand-made vectors do it",
            fast.second[it].argmax() == dog and red.second[it].argmax() == ball,
            f"weight {fast.second[it, dog]:.3f} on dog after fast, {red.second[it, ball]:.3f} on ball after red",
        ),
        always("in one pass, too", not math.isclose(*ratios), f"dog ÷ ball stays {ratios[0]:.3f}, whatever comes last"),
        always(
            "with any vectors",
            share > even + 4 * choices.error,
            f"random vectors: dog wins {share:.2%} of the draws; chance is {even:.2%}",
        ),
    ]
    return parts, {"dog": fast.second[it, dog], "share": share}
