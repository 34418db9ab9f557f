"""Notebook 10: the head with its cures, the stored runs, width and length, and the list of models."""

import json
import math

import numpy as np
import pytest

from sdpa_course.experiments import cures, lengths
from sdpa_course.experiments.ablation import RECALL
from sdpa_course.experiments.cures import CURES, beyond_grids, cure_cells, follow, followed, head_backward, head_forward
from sdpa_course.experiments.shipped import SHIPPED
from sdpa_course.experiments.sweeps import load_runs
from sdpa_course.experiments.tasks import make_task
from sdpa_course.experiments.training import train
from sdpa_course.figures.beyond import every_model, held_up
from sdpa_course.figures.cures import CURE_LOOKS, edge_map, three_curves
from sdpa_course.kernels.loss import cross_entropy_backward, cross_entropy_forward


@pytest.mark.parametrize("rule", CURES)
def test_gradients_by_nudging_along_a_direction(rule):
    rng = np.random.default_rng(3)
    cure, task, params = cures.start(RECALL._replace(scale=rule, d_k=5, d_model=8), rng=rng)
    params = {name: value + 0.1 * rng.standard_normal(value.shape) for name, value in params.items()}
    batch = make_task("recall, small", 8, rng=rng).draw(2, rng=rng)

    def loss(at):
        logits, cache = head_forward(cure, at, batch)
        value, loss_cache = cross_entropy_forward(logits, batch.targets)
        return value, head_backward(cross_entropy_backward(loss_cache), cache)

    _, gradients = loss(params)
    assert set(gradients) == set(params)
    assert task.classes == params["w_u"].shape[1]
    for name, value in params.items():
        way, step = rng.standard_normal(value.shape), 1e-5
        ahead, behind = (loss({**params, name: value + sign * step * way})[0] for sign in (1, -1))
        assert (gradients[name] * way).sum() == pytest.approx((ahead - behind) / (2 * step), rel=1e-4, abs=1e-7), name


def test_without_a_cure_it_is_the_head_of_notebook_09():
    setting = RECALL._replace(d_k=8, steps=40)
    ours, theirs = follow(setting, 3), train(setting, 3).history
    np.testing.assert_allclose(ours["loss"], theirs.loss, rtol=1e-2)
    np.testing.assert_allclose(ours["largest"], theirs.max_logit, rtol=1e-2)
    np.testing.assert_allclose(ours["entropy"], theirs.entropy, rtol=1e-2)


def test_the_stored_runs_are_those_of_the_grids():
    runs = load_runs(cures.STORED)
    names = [json.dumps([run.setting, run.seed]) for run in runs]
    assert len(set(names)) == len(names) == sum(len(grid.settings) * grid.seeds for grid in beyond_grids().values())
    for name, grid in beyond_grids().items():
        assert all(len(cell.runs) == grid.seeds for cell in cure_cells(name).values())


def test_a_stored_run_can_be_made_again():
    setting = RECALL._replace(scale="QK-norm", d_k=16, learning_rate=0.003)
    stored = cure_cells()["QK-norm", 16, 0.003].runs[1].result
    again = follow(setting, 1)
    assert again["accuracy"] == pytest.approx(stored["accuracy"], abs=0.02)
    np.testing.assert_allclose(again["largest"], stored["largest"], rtol=0.1)


def test_bounds_hold_in_every_stored_run():
    """A cap bounds scores, and so does QK-norm without gains, whatever the learning rate."""
    for d_k in cures.WIDTHS:
        for rate in cures.RATES:
            assert np.nanmax(followed("cap 5", rate, d_k).largest) <= 5
            assert np.nanmax(followed("QK-norm, no gains", rate, d_k).largest) <= 1.01 * math.sqrt(d_k)


def test_products_grow_as_the_two_laws_say():
    narrow, wide = lengths.products_by_width((64, 1024), rng=np.random.default_rng(0))
    assert wide.unrelated / narrow.unrelated == pytest.approx(4, rel=0.05)
    assert wide.aligned / narrow.aligned == pytest.approx(16, rel=0.07)
    assert wide.aligned == pytest.approx(512, rel=0.02)


@pytest.mark.parametrize("rule", lengths.LENGTH_RULES)
def test_the_weight_of_a_match_follows_its_formula(rule):
    """With a score of mean μ against n − 1 scores of N(0, f²): e^(fμ) / (e^(fμ) + (n − 1) e^(f²/2)), about."""
    n, factor = 4096, lengths.LENGTH_RULES[rule](4096)
    odds = math.exp(factor * 0.9 * 8) / ((n - 1) * math.exp(factor**2 / 2))
    assert lengths.match_weight(n, rule) == pytest.approx(odds / (1 + odds), abs=0.1)


def test_models_have_sources_and_the_variances_that_the_text_tells():
    assert all(model.source.startswith("https://github.com/") and model.formula for model in SHIPPED)
    found = {model.model: round(model.variance, 2) for model in SHIPPED}
    told = {
        "GPT-2": 1.0,
        "Gemma 2 27B": 0.89,
        "Gemma 3 27B": 0.76,
        "DeepSeek-V3": 3.51,
        "Gemma 4": 256.0,
        "nanochat": 2.07,
    }
    assert {name: found[name] for name in told} == told


def test_pictures_say_their_numbers():
    runs = {name: followed(name, 0.1) for name in ("1/sqrt(d_k)", "QK-norm")}
    assert "right answers 2 %; QK-norm" in three_curves.draw(runs, "x")[1]
    assert "one: 100, 3; two: 50, 0" in edge_map.draw(["one", "two"], ["a", "b"], [[1, 0.03], [0.5, 0]], "x")[1]
    shares = {name: {64: 0.5, 128: 0.25} for name in ("a", "b", "c", "d", "e")}
    assert "a, 50 % to 25 %" in held_up.draw(shares)[1]
    assert f"of {len(SHIPPED)} lie on" in every_model.draw(SHIPPED)[1]
    assert set(CURE_LOOKS) == set(CURES)
