"""Two paths to the same numbers: do they agree?"""

import numpy as np


def agree(first, second, *, tolerance: float = 1e-12) -> None:
    """Print that two results agree, in one line, or raise an error that says where they don't.

    Parameters
    ----------
    first, second : array, or tuple of arrays
        Tuples are compared part by part: `agree((dq, dk), (dq_numeric, dk_numeric))`.
    tolerance : float
        What the largest gap |a − b| has to stay below. Equal infinities have no gap; NaN agrees with nothing.

    Raises
    ------
    AssertionError
        If shapes differ or a gap is too large.

    Notes
    -----
    What's printed is the bound and not the gap itself: the last digits of rounding differ from machine to machine.

    Examples
    --------
    >>> agree(np.array([0.1, 0.3]) * 3, [0.3, 0.9])
    largest gap below 1e-12
    """
    firsts, seconds = (x if isinstance(x, tuple) else (x,) for x in (first, second))
    if len(firsts) != len(seconds):
        raise AssertionError(f"the two differ in number: {len(firsts)} and {len(seconds)} arrays")
    for part, (a, b) in enumerate(zip(firsts, seconds, strict=True)):
        compare(np.asarray(a) * 1.0, np.asarray(b) * 1.0, tolerance, f"part {part}: " if len(firsts) > 1 else "")
    print(f"largest gap below {tolerance:g}")


def compare(a: np.ndarray, b: np.ndarray, tolerance: float, name: str) -> None:
    """Raise an error if two arrays don't agree; `name` goes in front of the message."""
    if a.shape != b.shape:
        raise AssertionError(f"{name}the shapes differ: {a.shape} and {b.shape}")
    with np.errstate(invalid="ignore"):  # ∞ − ∞
        gaps = np.where(a == b, 0.0, np.abs(a - b))
    gaps = np.nan_to_num(gaps, nan=np.inf)
    if not np.all(gaps < tolerance):
        where = np.unravel_index(np.argmax(gaps), gaps.shape)
        spot = f"entry {[int(i) for i in where]}" if where else "the number"
        raise AssertionError(
            f"{name}the largest gap is {gaps[where]:.2g}, expected below {tolerance:g}: "
            f"{spot} is {a[where]:.10g} in the first and {b[where]:.10g} in the second"
        )
