"""Two tasks that are nothing but look-up: find the right place, say what is there. Used in notebook 09.

Reverse: position i must say the token at position n − 1 − i. A token is (embedding of what + embedding of where)/√2.
Recall: pairs of a key and a value are shown; each query is one of the keys and must say its value.

All embeddings are N(0, 1) and frozen. A batch has what each of q, k and v is made from, so that one model
serves both tasks.

Axes: B sequences · Tq queries · Tk keys · d_model
"""

import math
from typing import NamedTuple

import numpy as np


class Batch(NamedTuple):
    """What queries, keys and values are made from, and what is to be said."""

    queries: np.ndarray  # (B, Tq, d_model)
    keys: np.ndarray  # (B, Tk, d_model)
    values: np.ndarray  # (B, Tk, d_model); the same array as keys and queries in self-attention
    targets: np.ndarray  # (B, Tq), the right class
    match: np.ndarray  # (B, Tq), the key that has the answer
    asked: np.ndarray  # (B, Tq), what is asked for: the position (reverse) or the name of the key (recall)


class Reverse(NamedTuple):
    """Say the sequence backwards."""

    token: np.ndarray  # (classes, d_model)
    position: np.ndarray  # (n, d_model)

    @property
    def classes(self) -> int:
        """How many answers there are."""
        return len(self.token)

    def draw(self, sequences: int, *, rng: np.random.Generator) -> Batch:
        """Fresh random sequences."""
        n = len(self.position)
        what = rng.integers(0, self.classes, (sequences, n))
        x = (self.token[what] + self.position) * np.float32(1 / math.sqrt(2))  # (B, n, d_model)
        match = np.broadcast_to(np.arange(n)[::-1], (sequences, n))
        asked = np.broadcast_to(np.arange(n), (sequences, n))
        return Batch(x, x, x, what[:, ::-1], match, asked)


class Recall(NamedTuple):
    """Say the value that was shown with a key."""

    key: np.ndarray  # (different keys, d_model)
    value: np.ndarray  # (classes, d_model)
    pairs: int  # in one sequence, and as many queries

    @property
    def classes(self) -> int:
        """How many answers there are."""
        return len(self.value)

    def draw(self, sequences: int, *, rng: np.random.Generator) -> Batch:
        """Fresh random pairs, no key twice in a sequence; each query picks one of them."""
        names = rng.permuted(np.tile(np.arange(len(self.key)), (sequences, 1)), axis=1)[:, : self.pairs]
        values = rng.integers(0, self.classes, (sequences, self.pairs))
        match = rng.integers(0, self.pairs, (sequences, self.pairs))
        asked, targets = (np.take_along_axis(x, match, axis=1) for x in (names, values))
        return Batch(self.key[asked], self.key[names], self.value[values], targets, match, asked)


def embeddings(*shape: int, rng: np.random.Generator) -> np.ndarray:
    """Frozen N(0, 1) vectors."""
    return rng.standard_normal(shape, dtype=np.float32)


# The tasks by name; the small ones are half as long, and recall has half as many keys and values as well.
TASKS = {
    "reverse": lambda d_model, rng: Reverse(embeddings(16, d_model, rng=rng), embeddings(64, d_model, rng=rng)),
    "reverse, small": lambda d_model, rng: Reverse(embeddings(16, d_model, rng=rng), embeddings(32, d_model, rng=rng)),
    "recall": lambda d_model, rng: Recall(embeddings(64, d_model, rng=rng), embeddings(64, d_model, rng=rng), 32),
    "recall, small": lambda d_model, rng: Recall(
        embeddings(32, d_model, rng=rng), embeddings(32, d_model, rng=rng), 16
    ),
}


def make_task(name: str, d_model: int, *, rng: np.random.Generator) -> Reverse | Recall:
    """The task called `name`, with fresh embeddings."""
    if name not in TASKS:
        raise ValueError(f"task: got {name!r}, expected one of {', '.join(map(repr, TASKS))}")
    return TASKS[name](d_model, rng)
