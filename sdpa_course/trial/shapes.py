"""Trials of confusions about shapes, softmax and meaning: C16, C22 to C26, C29."""

import math
from typing import NamedTuple

import numpy as np

from ..experiments.sentence import SENTENCE, random_choices, read_sentence
from ..kernels.multihead import multihead_forward
from ..kernels.params import init_multihead
from ..kernels.scores import dot_scores_forward
from ..kernels.sdpa import attention_forward
from ..kernels.softmax import softmax_forward
from .verdict import Finding, Part, how_equal

D_MODEL, D_K = 512, 64
SENTENCES = ("love Apple phones", "The dog chased the ball because it was fast")


class Words(NamedTuple):
    """Random tokens for one sentence, and their queries and keys."""

    x: np.ndarray  # (n, 512)
    q: np.ndarray  # (n, 64)
    k: np.ndarray


def sentences(seed: int) -> list[Words]:
    """Both sentences through one W_Q and one W_K, as in notebook 00."""
    rng = np.random.default_rng(seed)
    w_q, w_k = rng.standard_normal((2, D_MODEL, D_K)) / math.sqrt(D_MODEL)
    found = []
    for sentence in SENTENCES:
        x = rng.standard_normal((len(sentence.split()), D_MODEL))
        found.append(Words(x, x @ w_q, x @ w_k))
    return found


def c16(seed: int) -> Finding:
    """Three tokens of width 512 through one head of width 64, and through eight."""
    rng = np.random.default_rng(seed)
    x, w = rng.standard_normal((3, D_MODEL)), rng.standard_normal((3, D_MODEL, D_K)) / math.sqrt(D_MODEL)
    one = attention_forward(*(x @ matrix for matrix in w))[0].shape
    eight = multihead_forward(x, init_multihead(D_MODEL, 8, rng=rng))[0].shape
    evidence = f"{x.shape} in, {one} out; {eight} only after 8 heads and W_O"
    return Finding((Part("one head gives back the input's shape", one == x.shape, evidence),), {"width": one[-1]})


def c22(seed: int) -> Finding:
    """Rows computed alone without the scale, and the multiplications with and without it."""
    rng = np.random.default_rng(seed)
    q, k, v = rng.standard_normal((3, 300, D_K))
    whole, _ = attention_forward(q, k, v, scale=1)
    alone = np.concatenate([attention_forward(q[i : i + 1], k, v, scale=1)[0] for i in range(300)])
    gap = float(abs(alone - whole).max())
    without = 2 * 1000**2 * D_K
    with_scale = without + 1000**2
    share = (with_scale - without) / with_scale
    return Finding(
        (
            Part(
                "rows need the scale to be computed side by side",
                gap > 1e-12,
                f"without it, 300 rows one by one and all at once: {how_equal(gap)}",
            ),
            Part(
                "it saves work",
                with_scale < without,
                f"it adds {share:.2%} of the multiplications; none if folded into W_Q",
            ),
        ),
        {"share": share},
    )


def c23(seed: int) -> Finding:
    """d_k for three words and for nine."""
    widths = [words.q.shape[-1] for words in sentences(seed)]
    counts = [len(sentence.split()) for sentence in SENTENCES]
    evidence = f"{counts[0]} words: d_k = {widths[0]}; {counts[1]} words: d_k = {widths[1]}"
    return Finding((Part("d_k changes with the number of words", widths[0] != widths[1], evidence),), {})


def c24(seed: int) -> Finding:
    """The scores before and after dividing."""
    *_, nine = sentences(seed)
    plain, divided = (dot_scores_forward(nine.q, nine.k, scale=scale)[0] for scale in (1, None))
    evidence = f"{plain.shape} before and {divided.shape} after; the spread goes from {plain.std():.2f} to "
    return Finding(
        (Part("the shape changes", plain.shape != divided.shape, evidence + f"{divided.std():.2f}"),),
        {"spread": float(plain.std()), "divided": float(divided.std())},
    )


def c25(seed: int) -> Finding:
    """Row sums for four factors."""
    *_, nine = sentences(seed)
    sums, tops = [], []
    for factor in (10, 1, 1 / 8, 1 / 64):
        weights = softmax_forward(dot_scores_forward(nine.q, nine.k, scale=factor)[0])
        sums.append(float(abs(weights.sum(axis=-1) - 1).max()))
        tops.append(float(weights.max(axis=-1).mean()))
    off = max(sums)
    words = "equal 1 to 12 digits" if off < 1e-12 else f"are off by up to {off:.2g}"
    evidence = f"row sums {words}, with the factors 10, 1, 1/8, 1/64; top weight {tops[0]:.3f} to "
    return Finding(
        (Part("some scale gives no probabilities", off > 1e-12, evidence + f"{tops[-1]:.3f}"),),
        {"sharpest": tops[0], "flattest": tops[-1]},
    )


def c26(seed: int) -> Finding:
    """The first row of nine words, divided before softmax or not."""
    *_, nine = sentences(seed)
    plain, divided = (softmax_forward(dot_scores_forward(nine.q[:1], nine.k, scale=scale)[0]) for scale in (1, None))
    evidence = f"largest weight {plain.max():.3f} without, {divided.max():.3f} with"
    return Finding(
        (Part("scaling first leaves the weights alone", np.allclose(plain, divided, atol=0.01), evidence),),
        {"plain": float(plain.max()), "divided": float(divided.max())},
    )


def c29(seed: int) -> Finding:
    """Hand-made vectors with two passes and with one; random vectors."""
    it, dog, ball = (SENTENCE.index(word) for word in ("it", "dog", "ball"))
    fast, red = (read_sentence([*SENTENCE[:-1], last]) for last in ("fast", "red"))
    ratios = [reading.first[it, dog] / reading.first[it, ball] for reading in (fast, red)]
    choices = random_choices(len(SENTENCE), rng=np.random.default_rng(seed))
    share, even = float(choices.shares[dog]), 1 / len(SENTENCE)
    return Finding(
        (
            Part(
                "two passes over hand-made vectors can do it",
                bool(fast.second[it].argmax() == dog and red.second[it].argmax() == ball),
                f"weight {fast.second[it, dog]:.3f} on dog after fast, {red.second[it, ball]:.3f} on ball after red",
            ),
            Part(
                "one pass can", not math.isclose(*ratios), f"dog ÷ ball stays {ratios[0]:.3f}, whatever the last word"
            ),
            Part(
                "the formula does it by itself",
                share > even + 4 * choices.error,
                f"random vectors: dog wins {share:.4f} of the draws; 1/9 = {even:.4f}",
            ),
        ),
        {"dog": float(fast.second[it, dog]), "share": share},
    )
