"""Notebook 05: the hand-made sentence by hand, random ones against theory, figures, and the slider."""

import math

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from sdpa_course.experiments.metrics import relative_entropy
from sdpa_course.experiments.sentence import (
    D_MODEL,
    FEATURES,
    FIRST_HEAD,
    SENTENCE,
    WORDS,
    RandomAttention,
    random_attention,
    random_choices,
    random_queries_and_keys,
    read_sentence,
    word_vectors,
)
from sdpa_course.figures import new
from sdpa_course.figures.cells import outline
from sdpa_course.figures.weights import weight_map
from sdpa_course.kernels.masks import causal_mask

IT, DOG, BALL = (SENTENCE.index(word) for word in ("it", "dog", "ball"))


def with_last(word):
    return [*SENTENCE[:-1], word]


def written(ax):
    """What stands in the cells of a heat map, row by row, and in which colours; each number in its place."""
    (numbers,) = ax.collections
    texts = numbers.get_label().split()
    n = round(len(texts) ** 0.5)
    assert numbers.get_offsets().tolist() == [[j, i] for i in range(n) for j in range(n)]
    assert all(path is outline(text, 12) for path, text in zip(numbers.get_paths(), texts, strict=True))
    return texts, numbers.get_facecolors()


def test_vectors_are_rows_of_the_table_and_zero_for_other_words():
    x = word_vectors(SENTENCE)
    assert x.shape == (9, len(FEATURES))
    for word, row in zip(SENTENCE, x, strict=True):
        assert tuple(row) == WORDS.get(word, (0, 0, 0, 0, 0))
    assert word_vectors(["dog"], {"dog": (0, 0, 0, 0, 7)}).tolist() == [[0, 0, 0, 0, 7]]


@pytest.mark.parametrize(("last", "alive", "toy"), [("fast", 1, 0), ("red", 0, 1), ("late", 0, 0)])
def test_both_passes_by_hand(last, alive, toy):
    """Scores written out on paper: strength 8, divided by √4."""
    reading = read_sentence(with_last(last))
    total = math.exp(4) + 8
    first = np.full(9, 1 / total)
    first[-1] = math.exp(4) / total
    np.testing.assert_allclose(reading.first[IT], first)
    alive_now, toy_now = (
        first[-1] * feature + 1 / total for feature in (alive, toy)
    )  # from the last word, dog and ball
    scores = np.zeros(9)
    scores[DOG], scores[BALL] = 4 + 4 * alive_now, 4 + 4 * toy_now
    # The words that hand a feature over can be found by it as well. A word without a query averages everything.
    average = [(1 + alive) / 9, (1 + toy) / 9]
    plain = 4 * (alive_now * average[0] + toy_now * average[1])
    scores += plain
    scores[IT] = 4 * (alive_now**2 + toy_now**2)
    scores[-1] += 4 * (alive_now * alive + toy_now * toy)
    np.testing.assert_allclose(reading.second[IT], np.exp(scores) / np.exp(scores).sum())


def test_the_answer_follows_the_last_word_and_the_table():
    assert read_sentence(with_last("fast")).second[IT].argmax() == DOG
    assert read_sentence(with_last("red")).second[IT].argmax() == BALL
    np.testing.assert_allclose(*read_sentence(with_last("late")).second[IT, [DOG, BALL]])
    swapped = WORDS | {"fast": WORDS["red"]}
    np.testing.assert_allclose(read_sentence(SENTENCE, swapped).second[IT], read_sentence(with_last("red")).second[IT])


def test_every_row_of_a_reading_sums_to_one():
    reading = read_sentence(SENTENCE)
    for weights in (reading.first, reading.second):
        np.testing.assert_allclose(weights.sum(axis=-1), 1)
    assert [matrix.shape for matrix in FIRST_HEAD] == [(5, 4), (5, 4), (5, 5)]


def test_random_vectors_prefer_no_word():
    n, draws = 9, 6000
    choices = random_choices(n, rng=np.random.default_rng(1), draws=draws)
    assert choices.shares.sum() == pytest.approx(1)
    assert choices.error == pytest.approx(math.sqrt(8 / 81 / draws))
    # Σ (observed − expected)² / expected has mean n − 1 and variance 2 (n − 1).
    chi_square = draws * n * ((choices.shares - 1 / n) ** 2).sum()
    assert abs(chi_square - (n - 1)) < 4 * math.sqrt(2 * (n - 1))
    assert 1 / n < choices.top < 0.5
    assert random_choices(1, rng=np.random.default_rng(1), draws=5).shares.tolist() == [1]


def test_weight_map_writes_its_numbers_and_describes_its_sharpest_row():
    _, ax = new()
    weights = np.array([[0.6, 0.4], [0.1, 0.9]])
    words = ["love", "phones"]
    alt = weight_map(ax, RandomAttention(words, 8, "1/sqrt(d_model)", 0.1, weights, causal_mask(2, 2), 0.75, 0.5))
    texts, colours = written(ax)
    assert texts == ["0.60", "×", "0.10", "0.90"]
    assert [tuple(colour) for colour in colours[2:]] == [to_rgba("black"), to_rgba("white")]
    np.testing.assert_allclose(ax.images[0].get_array(), weights)
    assert ax.images[0].get_clim() == (0, 1)
    assert [label.get_text() for label in ax.get_yticklabels()] == words
    assert ax.get_title(loc="left") == "weights, $d_k$ = 8, scale 1/√$d_{model}$"
    assert alt.startswith("weights, d_k = 8, scale 1/√d_model: attention weights")
    for words in ("between 0.60 and 0.90", "phones on phones", "1 cells above"):
        assert words in alt


def test_outlines_are_centred():
    for text in ("0.00", "1.00", "×"):
        box = outline(text, 12).get_extents()
        assert (box.x0 + box.x1, box.y0 + box.y1) == pytest.approx((0, 0), abs=1e-9)
        assert box.height > 2


def test_the_slider_takes_the_first_columns():
    q, k = random_queries_and_keys(5)
    for d_k, scale, factor in ((8, "1", 1), (64, "1/sqrt(d_k)", 1 / 8), (4, "1/d_k", 1 / 4)):
        result = random_attention(d_k, scale)
        exps = np.exp(q[:, :d_k] @ k[:, :d_k].T * factor)
        weights = exps / exps.sum(axis=-1, keepdims=True)
        np.testing.assert_allclose(result.weights, weights)
        assert result.factor == factor
        assert result.top == pytest.approx(weights.max(axis=-1).mean())
        assert result.entropy == pytest.approx(relative_entropy(weights).mean())


def test_scales_that_are_the_same_number_give_the_same_weights():
    for d_k, first, second in ((D_MODEL, "1/sqrt(d_model)", "1/sqrt(d_k)"), (1, "1", "1/d_k")):
        np.testing.assert_allclose(random_attention(d_k, first).weights, random_attention(d_k, second).weights)


def test_without_a_scale_the_weights_sharpen_and_with_one_over_d_k_they_flatten():
    widths = (8, 16, 32, 64, 128, 256, 512)
    for scale, sign in (("1", 1), ("1/d_k", -1)):
        tops = [random_attention(d_k, scale).top for d_k in widths]
        assert sign * tops[-1] > sign * tops[0]
    scaled = [random_attention(d_k).entropy for d_k in widths]
    assert 0.7 < min(scaled) < max(scaled) < 0.9  # notebook 03: steady, but this is one draw of nine words


def test_the_causal_mask_hides_the_upper_triangle():
    result = random_attention(causal=True)
    assert (result.weights[~causal_mask(9, 9)] == 0).all()
    np.testing.assert_allclose(result.weights.sum(axis=-1), 1)
    assert result.weights[0, 0] == 1
    assert 0 < result.entropy < 1  # the first row, with a single key, doesn't count
    _, ax = new()
    assert "36 cells" in weight_map(ax, result)
    assert written(ax)[0].count("×") == 36
