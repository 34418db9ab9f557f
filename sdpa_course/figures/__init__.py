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
