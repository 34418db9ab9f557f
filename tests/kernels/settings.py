"""Random settings for attention: every keyword, all-distinct sizes, two to five axes."""

import numpy as np

SIZES = (2, 3, 5, 6, 7, 8, 9, 11, 13)


def random_setting(rng, *, sizes=SIZES, dtype=np.float64):
    """`(q, k, v, keywords)` with a random choice of everything; no two of Tq, Tk, Dk, Dv are equal."""
    Tq, Tk, Dk, Dv = (int(n) for n in rng.choice(sizes, 4, replace=False))
    axes = int(rng.integers(2, 6))
    batch, heads, group = (), (), 1
    if axes > 2:
        batch = tuple(int(n) for n in rng.permutation([2, 3])[: axes - 3])
        heads, group = (int(rng.integers(1, 4)),), int(rng.integers(1, 4))
    query_heads = tuple(h * group for h in heads)

    def draw(*shape):
        return rng.standard_normal(shape).astype(dtype)

    q = draw(*batch, *query_heads, Tq, Dk)
    k, v = draw(*batch, *heads, Tk, Dk), draw(*batch, *heads, Tk, Dv)
    keywords = {
        "mask": random_mask(rng, (*batch, *query_heads, Tq, Tk)),
        "causal": bool(rng.integers(2)),
        "scale": [None, 1, 0.3, -0.7][rng.integers(4)],
        "softcap": [None, 1.5][rng.integers(2)],
        "window": [None, (2, 3), (None, 1), (4, None), (0, 0), (None, None)][rng.integers(6)],
        "offset": random_offset(rng, batch, Tk),
    }
    return q, k, v, keywords


def random_mask(rng, shape):
    """None, boolean or additive, broadcast over a random choice of axes; some rows may see nothing."""
    kind = rng.integers(4)
    if kind == 0:
        return None
    kept = tuple(n if rng.integers(2) else 1 for n in shape)
    kept = kept[rng.integers(len(shape)) :]  # leading axes may be left out altogether
    seen = rng.random(kept) < 0.7
    if kind == 1:
        return seen
    return np.where(seen | (kind == 2), rng.standard_normal(kept), -np.inf)


def random_offset(rng, batch, Tk):
    """An integer, negative at times, or one for each sequence of the batch."""
    if batch and rng.integers(2):
        return rng.integers(-2, Tk + 2, size=batch)
    return int(rng.integers(-3, Tk + 2)) if rng.integers(2) else 0


def describe(q, k, v, keywords) -> str:
    """A setting in one line, for the message of a failing test."""
    shown = {name: getattr(x, "shape", x) for name, x in keywords.items()}
    return f"q {q.shape} k {k.shape} v {v.shape} {shown}"
