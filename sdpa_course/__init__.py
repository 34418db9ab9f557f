"""Why does attention divide by √d_k? The companion package of the course.

Kernels with hand-derived gradients (`sdpa_course.kernels`) and the tools to check them (`sdpa_course.verify`).
The names that notebooks use most are here, and `diagnose`, which says what an attention function really computes.
"""

import sys

from .diagnosis import diagnose
from .kernels.blocked import attention
from .kernels.decoding import KVCache, multihead_decode
from .kernels.masks import causal_mask, combine_masks, padding_mask, window_mask
from .kernels.multihead import merge_heads, multihead_backward, multihead_forward, split_heads
from .kernels.params import MultiHeadParams, init_multihead
from .kernels.sdpa import attention_backward, attention_forward
from .kernels.softmax import softmax_backward, softmax_forward, softmax_jacobian

__version__ = "0.1.0"

__all__ = [
    "KVCache",
    "MultiHeadParams",
    "attention",
    "attention_backward",
    "attention_forward",
    "causal_mask",
    "combine_masks",
    "diagnose",
    "init_multihead",
    "merge_heads",
    "multihead_backward",
    "multihead_decode",
    "multihead_forward",
    "padding_mask",
    "softmax_backward",
    "softmax_forward",
    "softmax_jacobian",
    "split_heads",
    "window_mask",
]

if sys.platform == "emscripten":
    from IPython import get_ipython

    from .browser import adapt

    adapt(get_ipython())
