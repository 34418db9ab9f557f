"""Figures of the course: one function each, axes first, results in, alt text out.

A figure function draws what it's given and computes nothing but positions. It returns its alt text, so picture and
description come from the same numbers. `new` makes the axes in the course's style (with `sharey=True`
where only the first of them names its y axis), and `show` puts the picture with alt text and caption into the notebook.
"""

from .acts import act_map
from .additive import additive_flow, bleu_by_width
from .asking import four_acts, hard_and_soft, softmax_steps, words_and_width
from .attending import bags, copies, cost_strip, head_shapes, inside, projected, same_outputs
from .bells import sharpness_sweep, tilted_bells, why_one
from .bending import bent_angles
from .beyond import after_norm, agree_or_cancel, every_model, held_up
from .blame import blame_graph, edge_and_fork
from .blocks import carried, growing, three_orders, to_scale
from .by_reading import busy_pairs, readings, rms_and_median
from .choosing import folded_steps, four_scales, scale_places, which_width
from .claims import folk_claims
from .collapse import weights_beside
from .collapsing import collapse_loop
from .copying import copy_task
from .covariances import covariance_tables, proof, sixteen
from .cures import edge_map, feedback, in_and_out, three_curves, turn_or_stretch, widths_beside
from .dead_rows import near_tie
from .diagnosed import two_weights
from .drawing import new, show
from .entries import entry_bars
from .failing import row_rescaled, stuck_or_moving, two_ways_to_fail
from .floats import float_line
from .guessed import true_curve
from .heads import one_choice
from .jacobian import weights_and_jacobian
from .judging import only_the_reason, three_questions
from .landscapes import dead_and_strong, landings, landscape, norms_by_size, twin_keys, two_exits
from .language import by_layer, sink, start_and_trained, the_u, three_heads, what_is_it, who_does_what
from .learning_charts import late_or_lost
from .learning_maps import learning_loop, maps_while_learning, two_lookups
from .lookups import multiply_add, row_meets_column, shapes_to_scale
from .masks import covered, four_ways, leak, nothing_fits, stencils
from .nudges import complex_nudge, lost_digits
from .opened import clocks, each_layer, gate, same_length, stack
from .precision import coarse_rulers, lost_product
from .pytorch import forgetful, gaps_apart, parting, stacked
from .ribbons import heads_as_ribbons
from .rows import aligned_key, broken_rows, repaired, rows_apart, stake
from .saturation import sharpness, softmax_bars
from .scales import exponents, metrics_by_width
from .sharing import shared_heads, turning_bias
from .similarity import length_and_angle, shadows, three_measures, typical_sizes
from .softmax import dials, leader, shared, sliding, two_troubles
from .sparse import gradient_squares, three_factors
from .speed import cost_by_length, tile_map
from .splitting import added_up, short_sums, two_stories, who_asks_whom, wrong_split
from .tails import many_tries, pairings, six_piles
from .tiny import attention_matrices
from .trading import before_and_after, dead_or_alive, from_the_average, going_flat, jacobian_to_scale, who_takes
from .training_curves import weights_at_step
from .triangles import triangle_loop
from .variance import score_density
from .verdict import sentence_corrected, sentence_tried, trained_heads, verdict_map, whole_answer
from .walks import crowd, lost_terms, one_step, spiral, three_rules, two_walks
from .weights import one_look, several_looks, weight_map
from .wild import who_notices, wild_gallery
