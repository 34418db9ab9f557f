"""Figures of the course: one function each, axes first, results in, alt text out.

A figure function draws what it's given and computes nothing but positions. It returns its alt text, so picture and
description come from the same numbers. `new` makes the axes in the course's style, and `show` puts the picture with
alt text and caption into the notebook.
"""

from .claims import folk_claims, verdict_grid
from .collapse import weights_beside, weights_by_width
from .drawing import new, show
from .gradients import factors_by_width, pushes_by_weight, row_histogram, rows_by_width_and_keys
from .heads import mixture_errors, one_choice, variance_and_entropy
from .jacobian import norm_by_top, norms_by_width_and_keys, step_errors, weights_and_jacobian
from .pytorch import runs_and_drift
from .saturation import sharpness, sharpness_by_keys, sharpness_by_width, softmax_bars, top_weights
from .scales import additive_variance, exponents, metrics_by_width, times_by_length, two_rules
from .similarity import agreement_by_width, growth_with_pairs, ranges_by_draw, score_histogram, score_matrix, shadows
from .speed import cost_by_length, tile_map
from .training import accuracy_by_rate, after_training, gradient_and_accuracy, seeds_by_scale, seeds_by_width
from .training_curves import curves, rows_at_the_end, train_and_held_out, weights_at_step
from .variance import broken_assumptions, kurtosis_by_width, score_density, variance_by_width
from .weights import attention_flow, choice_shares, weight_map, weight_maps, what_it_looks_at

__all__ = [
    "accuracy_by_rate",
    "additive_variance",
    "after_training",
    "agreement_by_width",
    "attention_flow",
    "broken_assumptions",
    "choice_shares",
    "cost_by_length",
    "curves",
    "exponents",
    "factors_by_width",
    "folk_claims",
    "gradient_and_accuracy",
    "growth_with_pairs",
    "kurtosis_by_width",
    "metrics_by_width",
    "mixture_errors",
    "new",
    "norm_by_top",
    "norms_by_width_and_keys",
    "one_choice",
    "pushes_by_weight",
    "ranges_by_draw",
    "row_histogram",
    "rows_at_the_end",
    "rows_by_width_and_keys",
    "runs_and_drift",
    "score_density",
    "score_histogram",
    "score_matrix",
    "seeds_by_scale",
    "seeds_by_width",
    "shadows",
    "sharpness",
    "sharpness_by_keys",
    "sharpness_by_width",
    "show",
    "softmax_bars",
    "step_errors",
    "tile_map",
    "times_by_length",
    "top_weights",
    "train_and_held_out",
    "two_rules",
    "variance_and_entropy",
    "variance_by_width",
    "verdict_grid",
    "weight_map",
    "weight_maps",
    "weights_and_jacobian",
    "weights_at_step",
    "weights_beside",
    "weights_by_width",
    "what_it_looks_at",
]
