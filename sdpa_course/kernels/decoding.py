"""A key/value cache: decode token by token, and look at each earlier token once. Taught in notebook A2.

Generating one token at a time, a model would project all earlier tokens again at every step. Their keys and
values never change, so it keeps them: step t projects one token and attends to t + 1 keys.

Axes: B batch · Hk key/value heads · T tokens so far · Dk, Dv head widths
"""

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._checks import float_array, int_array, same_shape
from .blocked import attention
from .linear import linear_forward
from .multihead import MultiHeadParams, merge_heads, project


class KVCache:
    """Keys and values of the tokens seen so far. It starts empty and grows by `append`.

    Sequences of a batch may have different lengths: `counts` says how many of the new tokens are real in each
    sequence; the rest is padding, which the next tokens overwrite. A copy (`copy.copy`) has memory of its own, so two
    continuations of one prompt never overwrite each other. An `append` that fails, or is interrupted by Ctrl-C,
    leaves the cache as it was. `multihead_decode` keeps a float16 model's keys in float32, which it computes in.

    Examples
    --------
    >>> cache = KVCache()
    >>> cache.append(np.zeros((2, 4, 3, 16)), np.zeros((2, 4, 3, 8)), counts=[3, 1])
    >>> cache.lengths
    array([3, 1])
    """

    def __init__(self) -> None:
        self._k: np.ndarray | None = None  # (..., Hk, room, D): more room than tokens, so that growing is rare
        self._v: np.ndarray | None = None
        self.lengths = np.zeros((), dtype=np.int64)  # real tokens, over the batch axes

    def __copy__(self) -> "KVCache":
        return copy.deepcopy(self)

    @property
    def k(self) -> np.ndarray:
        """Keys so far, (..., Hk, T, Dk) with T the longest length."""
        return self._filled(self._k)

    @property
    def v(self) -> np.ndarray:
        """Values so far, (..., Hk, T, Dv)."""
        return self._filled(self._v)

    def append(self, k: ArrayLike, v: ArrayLike, *, counts: ArrayLike | None = None) -> None:
        """Add keys (..., Hk, T, Dk) and values (..., Hk, T, Dv) after each sequence's last real token."""
        k, v = float_array("k", k, min_ndim=3), float_array("v", v, min_ndim=3)
        if v.shape[:-1] != k.shape[:-1]:
            raise ValueError(f"v: got shape {v.shape}, expected {k.shape[:-1]} before the width, like k")
        batch, T = k.shape[:-3], k.shape[-2]
        counts = np.full(batch, T) if counts is None else counts
        counts = int_array("counts", counts, low=0, high=T, expected=f"0 to {T}, the tokens given")
        same_shape("counts", counts, batch)
        if self._k is None or self._v is None:
            lengths = np.zeros(batch, dtype=np.int64)
            all_k, all_v = (np.zeros((*x.shape[:-2], 0, x.shape[-1]), dtype=x.dtype) for x in (k, v))
        else:
            lengths, all_k, all_v = self.lengths, self._k, self._v
        for name, x, known in (("k", k, all_k), ("v", v, all_v)):
            same_shape(name, x, (*known.shape[:-2], T, known.shape[-1]))
            if x.dtype != known.dtype:
                raise TypeError(f"{name}: got dtype {x.dtype}, expected {known.dtype}, that of the cache")
        need = int(lengths.max(initial=0)) + T
        all_k, all_v = with_room(all_k, need), with_room(all_v, need)
        for index in np.ndindex(batch):
            new = slice(lengths[index], lengths[index] + T)
            all_k[index][:, new] = k[index]
            all_v[index][:, new] = v[index]
        # Until here nobody can see a difference: the new tokens lie beyond `lengths`. Now all of it counts at once.
        self._k, self._v, self.lengths = all_k, all_v, lengths + counts

    def _filled(self, known: np.ndarray | None) -> np.ndarray:
        if known is None:
            raise ValueError("cache: got an empty one, expected keys and values; append some first")
        return known[..., : int(self.lengths.max(initial=0)), :]


def with_room(x: np.ndarray, need: int) -> np.ndarray:
    """`x` (..., tokens, D) itself if it has room for `need` tokens, otherwise a copy with room for twice as many."""
    room = x.shape[-2]
    if need <= room:
        return x
    more = [(0, 0)] * (x.ndim - 2) + [(0, max(need, 2 * room) - room), (0, 0)]
    return np.pad(x, more)


def multihead_decode(
    x: ArrayLike, params: MultiHeadParams, cache: KVCache, *, counts: ArrayLike | None = None, **keywords: Any
) -> np.ndarray:
    """`multihead_forward(..., causal=True)` for the next tokens only: earlier ones come from the cache.

    Parameters
    ----------
    x : (..., T, d_model) array of floats
        The next T tokens of each sequence; T = 1 when decoding, more for the prompt.
    params : MultiHeadParams
    cache : KVCache
        Grows by these tokens, unless the call fails or is interrupted: then it stays as it was.
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
    before = vars(cache).copy()
    try:
        (q, k, v), _, params, dtype = project(x, params)
        cache.append(k, v, counts=counts)
        heads_out = attention(q, cache.k, cache.v, causal=True, offset=before["lengths"], **keywords)
        return linear_forward(merge_heads(heads_out), params.w_o, params.b_o)[0].astype(dtype, copy=False)
    except BaseException:  # Ctrl-C too
        vars(cache).update(before)
        raise
