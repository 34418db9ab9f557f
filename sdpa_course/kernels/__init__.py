"""Attention and its parts in NumPy, each forward function beside its hand-derived backward one.

One module per idea: `softmax`, `scores`, `masks`, `sdpa` (the readable pair), `blocked` with `tiling` and
`threads` (the fast form), `multihead`, `decoding`. The names that notebooks use most are in `sdpa_course` itself;
the rest of what they use is here.
"""

from .blocked import CALM, is_calm
from .layernorm import layer_norm_backward, layer_norm_forward
from .loss import cross_entropy_backward, cross_entropy_forward
from .scores import (
    additive_scores_backward,
    additive_scores_forward,
    cosine_scores_forward,
    dot_scores_forward,
    scale_factor,
)
from .threads import one_blas_thread

__all__ = [
    "CALM",
    "additive_scores_backward",
    "additive_scores_forward",
    "cosine_scores_forward",
    "cross_entropy_backward",
    "cross_entropy_forward",
    "dot_scores_forward",
    "is_calm",
    "layer_norm_backward",
    "layer_norm_forward",
    "one_blas_thread",
    "scale_factor",
]
