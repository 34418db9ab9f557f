"""Experiments: each draws its own data, computes, and returns a plain result object.

An experiment takes the `rng` that it draws from. One behind a slider takes a `seed` instead and keeps what it has
drawn, because the reader moves back and forth and must find the same numbers at the same place.

Everything that the notebooks use can be imported from here.
"""

from .ablation import RECALL, best_of, choose, stored_cells, training_grids
from .additive import additive_costs, dot_costs, draw_additive, mean_tanh_square, measure_spread, scoring_times
from .answer import whole_answer_in_numbers
from .bending import bend
from .brief import swap_scales
from .cures import cure_cells, follow, followed
from .estimates import Estimate
from .gradients import measure_positions, pool_rows
from .heads import best_mixture, measure_heads
from .initialisers import INITIALISERS, measure_entries
from .knob import FACTORS, KINDS, check_stored
from .language import causal_weights, load_slice, stored_language, stored_reading, untrained_model, untrained_statistics
from .layers import DEAD, SCORING_RULES, compare_rules, draw_layer, measure_layer, measure_layers
from .lengths import LENGTH_RULES, LENGTHS, match_weight, products_by_width
from .metrics import by_rank, jacobian_norm, relative_entropy, rms, row_norms, top_share
from .models import Model, init_params, model_forward
from .optimisers import SGD, make_optimiser
from .precision import round_scores, ticks, to_bfloat16
from .row_gradients import ratios
from .rows import draw_rows, measure_aligned, measure_rows
from .saturation import collapse, lost_rows, share_by_deviation, three_keys
from .scales import entropy_at_exponent, first_steps
from .sentence import (
    FEATURES,
    FIRST_HEAD,
    SECOND_HEAD,
    SENTENCE,
    WORDS,
    random_attention,
    random_choices,
    read_sentence,
    word_vectors,
)
from .settled import Settled, settled_rows
from .shipped import SHIPPED
from .similarity import agreement, ranges
from .snapshots import learning_maps
from .speed import draw_qkv, growth_exponent, peak_bytes, peaks_by_length, tiling, time_interleaved, times_by_length
from .sweeps import sweep
from .tasks import Reverse, embeddings, make_task
from .tiny import tiny_blame, tiny_steps
from .training import (
    STUCK,
    TrainingSettings,
    accuracy_on,
    cached_run,
    inspect_queries,
    loss_and_gradients,
    summarise,
    train,
    train_step,
)
from .typical import one_collapse
from .variance import Assumptions, measure_kurtosis, measure_variance
