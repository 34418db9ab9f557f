"""A sentence with hand-made word vectors, and the same sentence with random ones. Used in notebook 05.

Nothing here is learned. The words' features and the matrices were written by hand, so that you can see which of them
decides what "it" looks at.

Axes: n words · five features · Dk = 4
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from ..kernels.masks import causal_mask
from ..kernels.scores import dot_scores_forward, scale_factor
from ..kernels.sdpa import attention_forward
from ..kernels.softmax import softmax_forward
from .metrics import relative_entropy

SENTENCE = ["The", "dog", "chased", "the", "ball", "because", "it", "was", "fast"]
FEATURES = ("thing", "quality", "alive", "toy", "pronoun")

# One row of features for each word; a word that isn't listed has none.
WORDS = {
    "dog": (1, 0, 1, 0, 0),
    "ball": (1, 0, 0, 1, 0),
    "it": (0, 0, 0, 0, 1),
    "fast": (0, 1, 1, 0, 0),
    "red": (0, 1, 0, 1, 0),
    "late": (0, 1, 0, 0, 0),
}


class Head(NamedTuple):
    """The three matrices of one pass of attention."""

    w_q: np.ndarray  # (5, 4)
    w_k: np.ndarray  # (5, 4)
    w_v: np.ndarray  # (5, 5)


def head(asks: dict[tuple[str, str], float]) -> Head:
    """A head in which a word that has one feature asks for another, with a strength.

    Every word can be found by its first four features, and hands over what it knows of "alive" and "toy".
    """
    w_q = np.zeros((5, 4))
    for (has, wants), strength in asks.items():
        w_q[FEATURES.index(has), FEATURES.index(wants)] = strength
    hands_over = [float(name in ("alive", "toy")) for name in FEATURES]
    return Head(w_q, np.eye(5, 4), np.diag(hands_over))


FIRST_HEAD = head({("pronoun", "quality"): 8})
SECOND_HEAD = head({("pronoun", "thing"): 8, ("alive", "alive"): 8, ("toy", "toy"): 8})


class Reading(NamedTuple):
    """What two passes of attention make of a sentence."""

    first: np.ndarray  # (n, n), weights of the first pass
    second: np.ndarray  # (n, n), weights of the second pass


def word_vectors(words, table=WORDS) -> np.ndarray:
    """(n, 5) hand-made features, one row for each word."""
    return np.array([table.get(word, (0,) * len(FEATURES)) for word in words], dtype=float)


def read_sentence(words, table=WORDS) -> Reading:
    """Two passes: collect a quality, add it to what the word knows, then look for a thing that fits."""
    x, weights = word_vectors(words, table), []
    for w_q, w_k, w_v in (FIRST_HEAD, SECOND_HEAD):
        out, cache = attention_forward(x @ w_q, x @ w_k, x @ w_v)
        x = x + out
        weights.append(cache.weights)
    return Reading(*weights)


class Choices(NamedTuple):
    """Which word one query prefers, over many random draws."""

    shares: np.ndarray  # (n,), how often each word gets the largest weight
    error: float  # standard error of one share if all words are equally likely
    top: float  # mean of the largest weight


def random_choices(n: int, *, rng: np.random.Generator, draws: int = 9000, d_k: int = 64) -> Choices:
    """One query against n keys with N(0, 1) entries and the default scale, drawn afresh `draws` times."""
    q, k = rng.standard_normal((draws, 1, d_k)), rng.standard_normal((draws, n, d_k))
    weights = softmax_forward(dot_scores_forward(q, k)[0])[:, 0]  # (draws, n)
    shares = np.bincount(weights.argmax(axis=-1), minlength=n) / draws
    return Choices(shares, math.sqrt((1 / n) * (1 - 1 / n) / draws), float(weights.max(axis=-1).mean()))


class RandomAttention(NamedTuple):
    """Weights of the sentence's words for random queries and keys."""

    words: list[str]
    d_k: int
    scale: str
    factor: float  # the scale as a number
    weights: np.ndarray  # (n, n)
    allowed: np.ndarray | None  # (n, n) of bool, the causal mask
    top: float  # mean over the rows of the largest weight
    entropy: float  # mean of entropy ÷ log(keys that the row may attend to), over rows with two or more


D_MODEL = 512


@functools.cache
def random_queries_and_keys(seed: int) -> np.ndarray:
    """(2, n, 512): one N(0, 1) query and one key for each word. A smaller d_k takes their first columns."""
    return np.random.default_rng(seed).standard_normal((2, len(SENTENCE), D_MODEL))


def random_attention(
    d_k: int = 64, scale: str = "1/sqrt(d_k)", causal: bool = False, *, seed: int = 5
) -> RandomAttention:
    """Attention over the sentence with random queries and keys of width d_k."""
    q, k = random_queries_and_keys(seed)[..., :d_k]
    factor, n = scale_factor(scale, d_k, D_MODEL), len(SENTENCE)
    weights = attention_forward(q, k, k, scale=factor, causal=causal)[1].weights
    allowed = causal_mask(n, n) if causal else None
    entropy = float(np.nanmean(relative_entropy(weights, allowed)))
    top = float(weights.max(axis=-1).mean())
    return RandomAttention(SENTENCE, d_k, scale, factor, weights, allowed, top, entropy)
