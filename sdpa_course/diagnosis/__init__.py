"""Point `diagnose` at an attention function and learn what it computes. docs/diagnose.md says how to read a report.

The function is a black box. With one-hot values its output *is* its weights; the log of a ratio of weights, fitted
against q·k, is the factor that was really applied; at sizes that all differ, only one formula fits. Each probe needs
what those before it found. What can't be determined is said, never guessed.
"""

from .report import Report


def diagnose(function=None, *, make=None, layout: str | None = None, scale: str = "1/√d_k", **sizes: int) -> Report:
    """Find out what an attention function really computes, by calling it.

    It's a callable (q, k, v, …) -> out or (out, …) on NumPy arrays or PyTorch tensors. Instead, `make` gets the sizes
    that it asks for (d_k, d_v, d_model, heads) and returns such a function. `layout` is one like "(B, T, H, D)", if no
    other should be tried; `scale` is the scale that's meant, such as "1/d_k" for muP; `sizes` are those the function
    insists on: batch, heads, queries, keys, d_k or d_v. The report prints as sentences, `report.problems` lists what's
    wrong, and `report.scale.formula` and the like are data.

    >>> def twice(q, k, v):
    ...     weights = np.exp(q @ k.swapaxes(-1, -2) / q.shape[-1])
    ...     return weights / weights.sum(axis=-1, keepdims=True) @ v
    >>> diagnose(twice).scale.formula
    '1/d_k'
    """
    from .calling import Box  # not with the package: whoever imports kernels doesn't wait for this
    from .inside import Examination

    return Examination(Box(function, make, sizes, layout), scale).run()
