"""Experiments: each draws its own data, computes, and returns a plain result object.

An experiment takes the `rng` that it draws from. One behind a slider takes a `seed` instead and keeps what it has
drawn, because the reader moves back and forth and must find the same numbers at the same place.

Everything that the notebooks use can be imported from here.
"""

from .ablation import stored_cells, training_grids
from .additive import additive_costs, dot_costs, draw_additive, mean_tanh_square, measure_spread, scoring_times
from .estimates import Estimate
from .gradients import measure_factors, measure_positions
from .heads import best_mixture, measure_heads
from .histograms import score_spread
from .initialisers import INITIALISERS, measure_entries
from .layers import DEAD, SCORING_RULES, compare_rules, draw_layer, measure_layer, measure_layers
from .metrics import by_rank, jacobian_norm, relative_entropy, rms, row_norms, top_share
from .models import Model, init_params, model_forward
from .optimisers import SGD, make_optimiser
from .row_gradients import ratios
from .saturation import collapse
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
from .similarity import Ranges, agreement, near, normal_width, pair_scores, ranges
from .speed import draw_qkv, growth_exponent, peak_bytes, peaks_by_length, tiling, time_interleaved, times_by_length
from .sweeps import sweep
from .tasks import Reverse, embeddings, make_task
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
from .variance import Assumptions, measure_kurtosis, measure_variance
