"""What predictions reveal, one function each, with names that give nothing away."""

from .appendix import (
    last_bit,
    many_scores,
    rows_lost,
    rows_that_agree,
    small_inputs,
    time_of_blocks,
    untransposed,
    where_it_is_right,
    which_corner,
    who_notices,
)
from .beyond import after_the_norm, agreeing_products, both_runs, in_a_crowd, survivors
from .blame import at_the_papers_width, left_over, same_size_again, short_rows, third_score, which_entry
from .choice import (
    either_side,
    largest_share,
    many_maps,
    one_cut_more,
    one_entry,
    one_is_fine,
    one_is_not,
    one_step_each,
    other_crowds,
    quiet_parameter,
    same_bits,
)
from .clue import (
    bars_that_miss,
    best_match,
    beyond_three,
    crowd_of_walkers,
    divided_by_the_width,
    keys_that_follow,
    larger_entries,
    longer_query,
    more_pairs,
    score_sizes,
    shared_vectors,
    shares_by_width,
    square_after_one_step,
    steps_that_agree,
    sums_of_terms,
    tiny_nudge,
    two_changes,
    two_scores,
    typical_try,
    wider_vectors,
    winners,
)
from .mechanism import (
    after_one_nudge,
    after_the_swap,
    another_last_word,
    cheapest_key,
    four_large_rows,
    longer_rows,
    no_good_key,
    one_key_ahead,
    one_more_multiplication,
    one_score_ahead,
    out_of_one_head,
    rows_gone,
    seven_and_three,
    slopes_by_width,
    under_the_stencil,
    with_twins,
)
from .trained import hidden_first, losses, told_apart, when_it_says_so, within_a_row, worst_rule
from .trial import (
    divided_once_more,
    factor_afterwards,
    fastest_start,
    three_contestants,
    two_of_four,
    who_is_rescued,
)
from .verdict import perfect_match, sharp_heads, simply, weakest_words
