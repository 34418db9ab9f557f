"""Claims that confuse shapes, softmax and meaning."""

import math

import numpy as np

from ..experiments.sentence import SENTENCE, random_choices, read_sentence
from ..kernels.multihead import multihead_forward
from ..kernels.params import init_multihead
from ..kernels.scores import dot_scores_forward
from ..kernels.sdpa import attention_forward
from ..kernels.softmax import softmax_forward
from .claims import Findings, claim, describe_gap

D_MODEL, D_K = 512, 64


def queries_and_keys(seed: int) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Number of words -> queries and keys of such a sentence, (n, 64) each, from the W_Q and W_K of notebook 00."""
    rng = np.random.default_rng(seed)
    w_q, w_k = rng.standard_normal((2, D_MODEL, D_K)) / math.sqrt(D_MODEL)
    words = {n: rng.standard_normal((n, D_MODEL)) for n in (3, len(SENTENCE))}
    return {n: (x @ w_q, x @ w_k) for n, x in words.items()}


@claim("C16", "05_attention", seed=5, short="one head keeps shape")
def one_head_keeps_shape(seed: int) -> Findings:
    """What one head returns has the shape of its input."""
    rng = np.random.default_rng(seed)
    x, w = rng.standard_normal((3, D_MODEL)), rng.standard_normal((3, D_MODEL, D_K)) / math.sqrt(D_MODEL)
    one = attention_forward(*(x @ matrix for matrix in w))[0].shape
    eight = multihead_forward(x, init_multihead(D_MODEL, 8, rng=rng))[0].shape
    evidence = f"{x.shape} in, {one} out; {eight} only after 8 heads and W_O"
    return {"one head gives back the input's shape": (one == x.shape, evidence)}, {"width": one[-1]}


@claim("C22", "05_attention", seed=10, short="makes it parallel")
def scale_makes_it_parallel(seed: int) -> Findings:
    """The scale is what makes attention parallel, or fast."""
    q, k, v = np.random.default_rng(seed).standard_normal((3, 300, D_K))
    whole, _ = attention_forward(q, k, v, scale=1)
    alone = np.concatenate([attention_forward(q[i : i + 1], k, v, scale=1)[0] for i in range(300)])
    gap = float(abs(alone - whole).max())
    without = 2 * 1000**2 * D_K  # multiplications for 1000 tokens
    with_scale = without + 1000**2
    share = (with_scale - without) / with_scale
    parts = {
        "rows need the scale to be computed side by side": (
            gap > 1e-12,
            f"without it, 300 rows one by one and all at once: {describe_gap(gap)}",
        ),
        "it saves work": (with_scale < without, f"it adds {share:.2%} of the multiplications; none if folded into W_Q"),
    }
    return parts, {"share": share}


@claim("C23", "00_start_here", seed=2, short="d_k = words")
def width_is_number_of_words(seed: int) -> Findings:
    """d_k counts the words of the sentence."""
    widths = {n: q.shape[-1] for n, (q, _) in queries_and_keys(seed).items()}
    evidence = "; ".join(f"{n} words: d_k = {d_k}" for n, d_k in widths.items())
    return {"d_k changes with the number of words": (len(set(widths.values())) > 1, evidence)}, {}


@claim("C24", "00_start_here", seed=2, short="÷ changes shape")
def dividing_changes_shape(seed: int) -> Findings:
    """Dividing gives the score matrix another shape."""
    q, k = queries_and_keys(seed)[9]
    plain, divided = (dot_scores_forward(q, k, scale=scale)[0] for scale in (1, None))
    spread, after = float(plain.std()), float(divided.std())
    evidence = f"{plain.shape} before and {divided.shape} after; the spread goes from {spread:.2f} to {after:.2f}"
    return {"the shape changes": (plain.shape != divided.shape, evidence)}, {"spread": spread, "divided": after}


@claim("C25", "00_start_here", seed=2, short="needed to sum to 1")
def needed_to_sum_to_1(seed: int) -> Findings:
    """Without the scale softmax would not return probabilities."""
    q, k = queries_and_keys(seed)[9]
    weights = [softmax_forward(dot_scores_forward(q, k, scale=scale)[0]) for scale in (10, 1, 1 / 8, 1 / 64)]
    off = max(float(abs(w.sum(axis=-1) - 1).max()) for w in weights)
    sharpest, *_, flattest = (float(w.max(axis=-1).mean()) for w in weights)
    sums = "equal 1 to 12 digits" if off < 1e-12 else f"are off by up to {off:.2g}"
    evidence = f"row sums {sums}, with the factors 10, 1, 1/8, 1/64; top weight {sharpest:.3f} to {flattest:.3f}"
    parts = {"some scale gives no probabilities": (off > 1e-12, evidence)}
    return parts, {"sharpest": sharpest, "flattest": flattest}


@claim("C26", "00_start_here", seed=2, short="softmax suffices")
def softmax_suffices(seed: int) -> Findings:
    """Softmax normalises anyway, so scaling before it changes nothing."""
    q, k = queries_and_keys(seed)[9]
    plain, divided = (softmax_forward(dot_scores_forward(q[:1], k, scale=scale)[0]) for scale in (1, None))
    top, after = float(plain.max()), float(divided.max())
    evidence = f"largest weight {top:.3f} without, {after:.3f} with"
    same = np.allclose(plain, divided, atol=0.01)
    return {"scaling first leaves the weights alone": (same, evidence)}, {"plain": top, "divided": after}


@claim("C29", "05_attention", seed=29, short="“it” finds the dog")
def it_finds_the_dog(seed: int) -> Findings:
    """In “The dog chased the ball because it was fast”, comparing queries and keys finds out what “it” is."""
    it, dog, ball = (SENTENCE.index(word) for word in ("it", "dog", "ball"))
    fast, red = (read_sentence([*SENTENCE[:-1], last]) for last in ("fast", "red"))  # hand-made vectors
    ratios = [reading.first[it, dog] / reading.first[it, ball] for reading in (fast, red)]
    choices = random_choices(len(SENTENCE), rng=np.random.default_rng(seed))
    share, even = float(choices.shares[dog]), 1 / len(SENTENCE)
    parts = {
        "two passes over hand-made vectors can do it": (
            bool(fast.second[it].argmax() == dog and red.second[it].argmax() == ball),
            f"weight {fast.second[it, dog]:.3f} on dog after fast, {red.second[it, ball]:.3f} on ball after red",
        ),
        "one pass can": (not math.isclose(*ratios), f"dog ÷ ball stays {ratios[0]:.3f}, whatever the last word"),
        "the formula does it by itself": (
            share > even + 4 * choices.error,
            f"random vectors: dog wins {share:.4f} of the draws; 1/9 = {even:.4f}",
        ),
    }
    return parts, {"dog": float(fast.second[it, dog]), "share": share}


CARDS = {
    "X is (3, 512), one head has d_k = d_v = 64. Shapes of Q, of the scores, of the head's output?": (
        "(3, 64), (3, 3), (3, 64). The width 512 returns after joining 8 heads."
    ),
    "Is d_k the number of words?": (
        "No. It is the number of columns of W_Q: how many products are added up in each score. The number of words "
        "says how many scores there are."
    ),
    "Does the scale make attention faster, or parallel?": (
        "Neither. Rows are independent at any scale, and the scale adds {C22.share:.2%} of the multiplications of a "
        "head of width 64; none if it is folded into W_Q."
    ),
    "Softmax makes every row sum to 1. So why scale before it?": (
        "Softmax fixes the sum of the weights, the scale the spread of the scores. In one row of our example the "
        "largest weight is {C26.plain:.3f} without and {C26.divided:.3f} with the scale; both rows sum to 1."
    ),
}
