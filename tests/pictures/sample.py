"""What the sample data have in common: numbers that look random and are the same everywhere, and rows of results."""

from typing import NamedTuple

import numpy as np

from sdpa_course.experiments.estimates import Estimate


class Sample(NamedTuple):
    """What a figure function is drawn with: the keywords of `figures.new`, and what follows the axes."""

    grid: dict
    results: tuple = ()
    keywords: dict = {}  # noqa: RUF012 (nobody writes to it)


def grid(rows: int = 1, columns: int = 1, **keywords) -> dict:
    """Keywords of `figures.new`."""
    return {"rows": rows, "columns": columns, **keywords}


def wavy(*shape: int, start: float = 0.0) -> np.ndarray:
    """Numbers between −1 and 1 without a pattern, by arithmetic: no generator that may change, no BLAS."""
    return np.sin(12.9898 * (np.arange(np.prod(shape)) + start) ** 1.5).reshape(shape)


def softmax(scores) -> np.ndarray:
    """Weights that sum to 1 over the last axis, written out: a picture does not test the kernels."""
    exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def fill(kind: type, **fields):
    """A result of a NamedTuple class with the given fields; the rest is 0.02, and so is the error of an estimate."""
    values = dict.fromkeys(kind._fields, 0.02) | fields
    for name, annotation in kind.__annotations__.items():
        if annotation in (Estimate, Estimate | None) and not isinstance(values[name], Estimate):
            values[name] = Estimate(values[name], 0.02)
    return kind(**values)
