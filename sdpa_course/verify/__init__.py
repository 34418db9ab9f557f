"""Independent paths to the same numbers: slow loops, finite differences, complex steps."""

from .agreement import agree
from .gradcheck import check_gradients, complex_step_gradient, numerical_gradient
from .reference import additive_scores_loop, attention_loop, cosine_scores_loop, dot_loop, multihead_loop, softmax_loop

__all__ = [
    "additive_scores_loop",
    "agree",
    "attention_loop",
    "check_gradients",
    "complex_step_gradient",
    "cosine_scores_loop",
    "dot_loop",
    "multihead_loop",
    "numerical_gradient",
    "softmax_loop",
]
