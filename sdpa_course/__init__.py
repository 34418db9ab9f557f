"""Why does attention divide by √d_k? The companion package of the course.

Kernels with hand-derived gradients (`sdpa_course.kernels`) and the means to check them
(`sdpa_course.verify`). What a notebook needs most stands here; each name loads its module when it is
first used, so `import sdpa_course` itself costs next to nothing.
"""

import sys
from importlib import import_module

__version__ = "0.1.0"

_MODULES = {
    "kernels.softmax": ("softmax_forward", "softmax_backward", "softmax_jacobian"),
    "kernels.masks": ("causal_mask", "window_mask", "padding_mask", "combine_masks"),
    "kernels.sdpa": ("attention_forward", "attention_backward"),
    "kernels.blocked": ("attention",),
    "kernels.multihead": (
        "MultiHeadParams",
        "init_multihead",
        "split_heads",
        "merge_heads",
        "multihead_forward",
        "multihead_backward",
    ),
    "kernels.decoding": ("KVCache", "multihead_decode"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if sys.platform == "emscripten":
    from IPython import get_ipython

    from .browser import adapt

    adapt(get_ipython())
