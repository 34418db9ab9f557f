"""Notebook 02, second half: steps that agree, and the variance that softmax sees."""

import numpy as np
import pytest

from sdpa_course.experiments.bending import bend
from sdpa_course.experiments.rows import draw_rows, measure_aligned, measure_rows, predicted_within
from sdpa_course.experiments.variance import Assumptions, predicted
from sdpa_course.figures.bending import bent_steps
from sdpa_course.figures.drawing import new

CASES = {
    "plain": Assumptions(12),
    "mean of k": Assumptions(12, mean_k=1.0),
    "mean of q": Assumptions(12, mean_q=1.0),
    "both": Assumptions(12, mean_q=0.5, mean_k=0.7, sigma_q=1.2, sigma_k=0.8),
    "follows": Assumptions(12, correlation=0.9),
    "follows, with means": Assumptions(12, correlation=0.5, mean_q=0.5, mean_k=0.5, sigma_k=2.0),
    "factors": Assumptions(12, factor_q=0.3, factor_k=0.2),
    "factor of k and a mean of q": Assumptions(12, mean_q=0.5, factor_k=0.2),
}


@pytest.fixture(scope="module")
def found():
    return measure_rows(CASES, rng=np.random.default_rng(5), queries=6000, keys=9)


@pytest.mark.parametrize("name", CASES)
def test_measured_variances_are_the_predicted_ones(found, name):
    row = found[name]
    assert row.within == pytest.approx(row.predicted_within, rel=0.06)
    assert row.total == pytest.approx(row.predicted_total, rel=0.08)
    assert row.predicted_between == pytest.approx(row.predicted_total - row.predicted_within)
    assert row.predicted_between >= -1e-9


def test_the_numbers_of_the_notebook():
    """Total and within at d_k = 64, from the closed forms."""
    pairs = {
        (128, 64): Assumptions(64, mean_k=1.0),
        (128, 128): Assumptions(64, mean_q=1.0),
        (96, 80): Assumptions(64, mean_q=0.5, mean_k=0.5),
        (115.84, 12.16): Assumptions(64, correlation=0.9),
    }
    for (total, within), case in pairs.items():
        assert (predicted(case)[1], predicted_within(case)) == pytest.approx((total, within))


def test_a_mean_of_the_keys_moves_no_weight(found):
    """Draws are paired, so it's the same to the last digits and not only on average."""
    assert found["mean of k"].top.mean == pytest.approx(found["plain"].top.mean, abs=1e-12)
    assert found["follows"].top.mean < found["plain"].top.mean < found["mean of q"].top.mean


def test_rows_don_t_depend_on_what_else_is_drawn():
    alone, together = (
        draw_rows(cases, rng=np.random.default_rng(1), queries=7, keys=3)["plain"]
        for cases in ({"plain": Assumptions(5)}, {"other": Assumptions(5, factor_q=0.5), "plain": Assumptions(5)})
    )
    np.testing.assert_array_equal(alone, together)
    assert alone.shape == (7, 3)


def test_one_input_for_both_has_no_rows():
    with pytest.raises(ValueError, match="shared_input: got it switched on"):
        predicted_within(Assumptions(4, shared_input=8))


@pytest.mark.parametrize(("d_k", "correlation"), [(16, 0.5), (49, 0.3)])
def test_an_aligned_key_stands_rho_root_d_k_above_the_others(d_k, correlation):
    result = measure_aligned(d_k, correlation, rng=np.random.default_rng(3), queries=2000, keys=20)
    assert abs(result.gap.z(correlation * np.sqrt(d_k))) < 4
    assert result.others.std() == pytest.approx(1, rel=0.03)
    assert result.weight.mean > 3 / 20


@pytest.mark.parametrize("correlation", [0.0, 0.3, 1.0])
def test_steps_have_the_correlation_and_walkers_the_spread(correlation):
    result = bend(correlation, 9, walkers=40_000)
    steps = np.diff(result.positions, axis=1, prepend=0)
    table = np.where(np.eye(9) == 1, 1, correlation)
    np.testing.assert_allclose(steps.T @ steps / len(steps), table, atol=0.03)
    np.testing.assert_array_equal(np.abs(steps), 1)  # still a coin
    assert (result.positions[:, -1] ** 2).mean() == pytest.approx(table.sum(), rel=0.03)
    assert result.variance == pytest.approx(table.sum())


@pytest.mark.parametrize("correlation", [0.0, 0.1, 0.35, 1.0])
def test_sides_have_length_1_and_reach_as_far_as_the_table_says(correlation):
    corners = bend(correlation, 16).corners
    np.testing.assert_allclose(np.linalg.norm(np.diff(corners, axis=0), axis=1), 1)
    reach = [np.sqrt(c + c * (c - 1) * correlation) for c in range(17)]
    np.testing.assert_allclose(np.linalg.norm(corners, axis=1), reach, atol=1e-12)


def test_a_correlation_below_0_is_refused():
    with pytest.raises(ValueError, match=r"correlation: got -0\.1, expected 0 to 1"):
        bend(-0.1)


def test_bent_steps_describes_what_it_draws():
    _, axes = new(1, 3)
    alt = bent_steps(axes, bend(0.2, 16))
    assert "adds up to 64.0" in alt
    assert "reach 8.0 of 16" in alt
    np.testing.assert_allclose(axes[1].lines[-1].get_xdata(), [0, 8])
