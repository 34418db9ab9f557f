"""The pictures and predictions of notebook 07: they say the numbers they're given, and name the right one."""

import numpy as np
import pytest
from matplotlib.text import Text

from sdpa_course.explore import reveals
from sdpa_course.figures import (
    coarse_rulers,
    folded_steps,
    four_scales,
    lost_product,
    which_width,
    who_notices,
    wild_gallery,
)


def words_on(page) -> list[str]:
    return [text.get_text() for text in page.figure.findobj(Text) if text.get_text()]


def test_four_scales_say_spread_and_largest_weight():
    found = {"1": (1, 8, np.array([0.1, 0.9])), "1/d_k": (1 / 64, 0.125, np.array([0.5, 0.5]))}
    page, alt = four_scales.draw(64, found)
    assert {"8 → 8", "8 → 0.125", "90 %", "50 %"} <= set(words_on(page))
    assert "no scale: spread 8, largest weight 90 %; ÷ d_k: spread 0.125, largest weight 50 %" in alt


def test_steps_are_as_long_as_their_ratio():
    page, alt = folded_steps.draw({"SGD": 16, "Adam": 4}, 16)
    wide = [patch.get_width() for patch in page.sheet.patches]
    np.testing.assert_allclose(np.array(wide) / wide[0], [1, 16, 1, 4])
    assert "16 times as far with SGD, 4 times as far with Adam" in alt


def test_strips_are_drawn_to_scale():
    page, alt = which_width.draw([("padded", 84, 44, 84), ("absorbed", 576, 0, 256)])
    wide = [patch.get_width() for patch in page.sheet.patches]
    np.testing.assert_allclose(np.array(wide) / wide[0], [1, 44 / 84, 576 / 84])
    assert "padded: 84 + 44 zeros columns, divided by the root of 84" in alt


def test_a_lost_score_has_no_place_on_the_line():
    page, alt = lost_product.draw({"after": (40, np.inf), "before": (5, 12800)})
    assert {"∞", "12,800"} <= set(words_on(page))
    assert "after: lost beyond the end; before: arrives at 12,800" in alt


def test_a_ruler_says_how_many_numbers_there_are():
    _, alt = coarse_rulers.draw([("far", 126, 130, [126, 127, 128, 129, 130], 128.6, 129.0)])
    assert "far: 5 numbers between 126 and 130, and 128.6 is rounded to 129" in alt


def test_cards_say_which_are_bugs():
    cards = [("one", "1.0", np.array([0.3, 0.7]), True), ("two", "64", np.array([0.0, 1.0]), False)]
    page, alt = wild_gallery.draw(cards)
    assert {"fine", "a bug", "variance 64"} <= set(words_on(page))
    assert "one: variance 1.0, largest weight 0.70, fine; two: variance 64, largest weight 1.00, a bug" in alt


def test_a_table_counts_what_each_check_catches():
    page, alt = who_notices.draw(["twice", "late"], ["shape", "odd\nsizes"], [[False, True], [False, True]])
    assert words_on(page).count("caught") == 2
    assert "each check on its own: 0, 2 of 2 bugs" in words_on(page)
    assert "shape catches nothing; odd sizes catches twice, late" in alt


@pytest.mark.parametrize("right", "ad")
def test_the_fine_one_and_the_bug_are_found_by_their_formulas(right):
    formulas = dict.fromkeys("abcd", "1/d_k") | {right: "1/√d_k"}
    assert reveals.one_is_fine(formulas).answer == right
    others = dict.fromkeys("abcd", "1/√d_k") | {"b": "8", right: "1/√heads"}
    assert reveals.one_is_not(others).answer == right


def test_the_bits_are_named_as_they_were_found():
    truth = reveals.same_bits({16: True, 32: False, 64: True, 80: False, 256: True})
    assert "Equal bits at 16, 64, 256, other last bits at 32, 80" in truth.words


def test_one_step_is_answered_by_its_ratio():
    truth = reveals.one_step_each({"SGD": 64.0, "Adam": 8.0, "Adafactor": 1.0}, 64)
    assert truth.answer == "64 times as far"
    assert "8 times as large" in truth.words
