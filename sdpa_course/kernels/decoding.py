"""A key/value cache: decode token by token, and look at each earlier token once. Taught in notebook 10.

A causal pass over T tokens, one token at a time, would project all earlier tokens again at every step.
Their keys and values never change, so they are kept: step t projects one token and attends to t + 1 keys.

Axes: B batch · Hk key/value heads · T tokens so far · Dk, Dv head widths
"""

import numpy as np

from ._checks import float_array, int_array, same_shape
from .blocked import attention
from .linear import linear_forward
from .multihead import MultiHeadParams, merge_heads, project


class KVCache:
    """Keys and values of the tokens seen so far. Starts empty and grows by `append`.

    Sequences of a batch may have different lengths: `counts` says how many of the new tokens are
    real in each sequence, the rest is padding that the next tokens overwrite.

    Examples
    --------
    >>> cache = KVCache()
    >>> cache.append(np.zeros((2, 4, 3, 16)), np.zeros((2, 4, 3, 8)), counts=[3, 1])
    >>> cache.lengths
    array([3, 1])
    """

    def __init__(self):
        self._k = self._v = None  # (..., Hk, room, D): more room than tokens, so that growing is rare
        self.lengths = np.zeros((), dtype=np.int64)  # real tokens, over the batch axes

    @property
    def k(self) -> np.ndarray:
        """Keys so far, (..., Hk, T, Dk) with T the longest length."""
        return self._filled(self._k)

    @property
    def v(self) -> np.ndarray:
        """Values so far, (..., Hk, T, Dv)."""
        return self._filled(self._v)

    def append(self, k, v, *, counts=None) -> None:
        """Add keys (..., Hk, T, Dk) and values (..., Hk, T, Dv) behind each sequence's last real token."""
        k, v = float_array("k", k, min_ndim=3), float_array("v", v, min_ndim=3)
        if v.shape[:-1] != k.shape[:-1]:
            raise ValueError(f"v: got shape {v.shape}, expected {k.shape[:-1]} before the width, as k")
        batch, T = k.shape[:-3], k.shape[-2]
        counts = check_counts(counts, batch, T)
        if self._k is None:
            self._k, self._v = (np.zeros((*x.shape[:-2], 0, x.shape[-1]), dtype=x.dtype) for x in (k, v))
            self.lengths = np.zeros(batch, dtype=np.int64)
        for name, x, room in (("k", k, self._k), ("v", v, self._v)):
            same_shape(name, x, (*room.shape[:-2], T, room.shape[-1]))
            if x.dtype != room.dtype:
                raise TypeError(f"{name}: got dtype {x.dtype}, expected {room.dtype}, that of the cache")
        self._grow(int(self.lengths.max(initial=0)) + T)
        for index in np.ndindex(batch):
            new = slice(self.lengths[index], self.lengths[index] + T)
            self._k[index][:, new] = k[index]
            self._v[index][:, new] = v[index]
        self.lengths = self.lengths + counts

    def _filled(self, room: np.ndarray | None) -> np.ndarray:
        if room is None:
            raise ValueError("cache: got an empty one, expected keys and values; append some first")
        return room[..., : int(self.lengths.max(initial=0)), :]

    def _grow(self, need: int) -> None:
        room = self._k.shape[-2]
        if need <= room:
            return
        more = [(0, 0)] * (self._k.ndim - 2) + [(0, max(need, 2 * room) - room), (0, 0)]
        self._k, self._v = np.pad(self._k, more), np.pad(self._v, more)


def multihead_decode(x, params: MultiHeadParams, cache: KVCache, *, counts=None, **keywords) -> np.ndarray:
    """`multihead_forward(..., causal=True)` for the next tokens only: earlier ones come from the cache.

    Parameters
    ----------
    x : (..., T, d_model) array of floats
        The next T tokens of each sequence; T = 1 when decoding, more for the prompt.
    params : MultiHeadParams
    cache : KVCache
        Grows by these tokens.
    counts : (...) array of ints, optional
        How many of the T tokens are real in each sequence; the output of the others means nothing.
    **keywords
        mask, scale, softcap, window: those of `attention_forward`.

    Returns
    -------
    out : (..., T, d_model) array

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> params, x, cache = init_multihead(12, 3, rng=rng), rng.standard_normal((5, 12)), KVCache()
    >>> steps = [multihead_decode(x[t : t + 1], params, cache) for t in range(5)]
    >>> np.allclose(np.concatenate(steps), multihead_forward(x, params, causal=True)[0])
    True
    """
    if not isinstance(cache, KVCache):
        raise TypeError(f"cache: got {type(cache).__name__}, expected a KVCache")
    if {"causal", "offset"} & set(keywords):
        raise TypeError("causal and offset: got one of them, expected neither; decoding takes them from the cache")
    x, q, k, v = project(x, params)
    before = vars(cache).copy()
    cache.append(k, v, counts=counts)
    try:
        heads_out = attention(q, cache.k, cache.v, causal=True, offset=before["lengths"], **keywords)
    except Exception:
        vars(cache).update(before)  # a call that fails leaves the cache as it was
        raise
    return linear_forward(merge_heads(heads_out), params.w_o, params.b_o)


def check_counts(counts, batch: tuple[int, ...], T: int) -> np.ndarray:
    """Real tokens in each sequence: 0 to T, T unless given."""
    if counts is None:
        return np.full(batch, T, dtype=np.int64)
    counts = int_array("counts", counts)
    same_shape("counts", counts, batch)
    if counts.size and not (counts.min() >= 0 and counts.max() <= T):
        raise ValueError(f"counts: got {counts.min()} to {counts.max()}, expected 0 to {T}, the tokens given")
    return counts
