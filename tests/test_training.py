"""Training: gradients of both models, the layers they are made of, optimisers, tasks, and what a run records."""

import json
import math

import numpy as np
import pytest

from sdpa_course.experiments import brief, models, optimisers, tasks, training
from sdpa_course.experiments.models import INITS, LEARNED, Model
from sdpa_course.experiments.training import TrainingSettings
from sdpa_course.kernels.layernorm import layer_norm_backward, layer_norm_forward
from sdpa_course.kernels.loss import cross_entropy_backward, cross_entropy_forward
from sdpa_course.kernels.mlp import mlp_backward, mlp_forward
from sdpa_course.kernels.scores import SCALES
from sdpa_course.kernels.sdpa import attention_forward
from sdpa_course.verify.gradcheck import check_gradients, numerical_gradient


@pytest.fixture
def rng():
    return np.random.default_rng(9)


# The layers


def test_layer_norm_against_torch(rng, torch):
    x, gain, bias, dy = (rng.standard_normal(shape) for shape in ((2, 3, 7), 7, 7, (2, 3, 7)))
    y, cache = layer_norm_forward(x, gain, bias)
    tensors = [torch.tensor(a, requires_grad=True) for a in (x, gain, bias)]
    expected = torch.nn.functional.layer_norm(tensors[0], (7,), *tensors[1:])
    expected.backward(torch.tensor(dy))
    np.testing.assert_allclose(y, expected.detach().numpy(), rtol=1e-10)
    for ours, tensor in zip(layer_norm_backward(dy, cache), tensors, strict=True):
        np.testing.assert_allclose(ours, tensor.grad.numpy(), rtol=1e-9, atol=1e-12)


def test_mlp_gradients(rng):
    shapes = ((2, 3, 5), (5, 11), (11,), (11, 4), (4,))
    inputs = [rng.standard_normal(shape) for shape in shapes]
    check_gradients(mlp_forward, mlp_backward, inputs, rng=rng)


def test_cross_entropy_against_torch(rng, torch):
    logits, targets = 30 * rng.standard_normal((3, 4, 6)), rng.integers(0, 6, (3, 4))
    loss, cache = cross_entropy_forward(logits, targets)
    tensor = torch.tensor(logits, requires_grad=True)
    expected = torch.nn.functional.cross_entropy(tensor.reshape(-1, 6), torch.tensor(targets).reshape(-1))
    expected.backward()
    assert loss == pytest.approx(expected.item(), rel=1e-12)
    np.testing.assert_allclose(cross_entropy_backward(cache), tensor.grad.numpy(), atol=1e-15)


def test_cross_entropy_of_a_hopeless_answer_is_finite():
    assert cross_entropy_forward(np.array([[0.0, 5000.0]]), np.array([0]))[0] == 5000


# The models


def small_task(name, rng):
    e = lambda *shape: tasks.embeddings(*shape, rng=rng)  # noqa: E731
    return tasks.Reverse(e(5, 6), e(7, 6)) if name == "reverse" else tasks.Recall(e(9, 6), e(5, 6), 4)


@pytest.mark.parametrize("task", ["reverse", "recall"])
@pytest.mark.parametrize("layers", [0, 2])
@pytest.mark.parametrize("scale", [*SCALES, *LEARNED])
def test_gradients_of_every_parameter(task, layers, scale, rng):
    """One random direction in each parameter on its own, against central differences in float64."""
    task = small_task(task, rng)
    model = Model(6, 4, task.classes, scale, layers, heads=3 if layers else 1, d_v=2 if layers else 5)
    params = models.init_params(model, "hot", rng=rng, dtype=np.float64)
    batch = task.draw(3, rng=rng)
    loss, gradients, *_ = training.loss_and_gradients(model, params, batch)
    assert gradients.keys() == params.keys()
    assert ("log_scale" in " ".join(params)) == (scale in LEARNED)
    for name, value in params.items():
        direction = rng.standard_normal(value.shape)

        def along(t, name=name, value=value, direction=direction):
            return training.loss_and_gradients(model, {**params, name: value + t * direction}, batch)[0]

        numeric = (along(1e-5) - along(-1e-5)) / 2e-5
        assert (gradients[name] * direction).sum() == pytest.approx(numeric, rel=2e-6, abs=1e-9), name
    assert loss == pytest.approx(math.log(task.classes), abs=2)


def test_row_gradients_are_those_of_the_queries(rng):
    """dq of the single head, against differences in q itself."""
    task = small_task("reverse", rng)
    model = Model(6, 4, task.classes, d_v=5)
    params = models.init_params(model, rng=rng, dtype=np.float64)
    batch = task.draw(2, rng=rng)
    _, _, (dq,), _, cache = training.loss_and_gradients(model, params, batch)
    attention = cache.attention[0]

    def loss(q):
        out, _ = attention_forward(q, attention.k, attention.v)
        return cross_entropy_forward(out[:, 0] @ params["w_u"], batch.targets)[0]

    np.testing.assert_allclose(dq, numerical_gradient(loss, attention.q), atol=1e-9)


@pytest.mark.parametrize(("init", "scale", "variance"), [
    ("unit", "1", 256), ("unit", "1/sqrt(d_k)", 1), ("folded", "1", 1), ("hot", "1/sqrt(d_k)", 256),
    ("unit", "learned", 1), ("unit", "learned from 1", 256), ("unit", "QK-norm", 1), ("unit", "1/d_k", 1 / 256),
    ("unit", "1/sqrt(d_model)", 4),
])  # fmt: skip
def test_variance_of_the_scores_at_the_start(init, scale, variance):
    measured = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        task = tasks.make_task("recall", 64, rng=rng)
        model = Model(64, 256, task.classes, scale)
        params = models.init_params(model, init, rng=rng, dtype=np.float64)
        attention = models.model_forward(model, params, task.draw(2, rng=rng))[1].attention[0]
        measured.append((attention.q @ attention.k.swapaxes(-1, -2)).var() * attention.scale**2)
    error = np.std(measured, ddof=1) / math.sqrt(8)
    assert abs(np.mean(measured) - variance) < 4 * error + 0.05 * variance


def test_bad_names_are_one_sentence(rng):
    model = Model(6, 4, 5)
    with pytest.raises(ValueError, match="init: got 'warm', expected one of unit, folded, hot"):
        models.init_params(model, "warm", rng=rng)
    with pytest.raises(ValueError, match="scale: got 'sqrt', expected one of 1, 1/sqrt"):
        models.init_params(model._replace(scale="sqrt"), rng=rng)
    with pytest.raises(ValueError, match="task: got 'sort', expected one of 'reverse'"):
        tasks.make_task("sort", 64, rng=rng)
    with pytest.raises(ValueError, match="optimiser: got 'sgd', expected one of SGD"):
        optimisers.make_optimiser("sgd", 0.1)
    assert set(INITS) == {"unit", "folded", "hot"}


# The optimisers


@pytest.mark.parametrize("name", list(optimisers.OPTIMISERS))
def test_optimisers_against_torch(name, rng, torch):
    make = {
        "SGD": lambda p: torch.optim.SGD(p, lr=0.03),
        "momentum": lambda p: torch.optim.SGD(p, lr=0.03, momentum=0.9),
        "Adam": lambda p: torch.optim.Adam(p, lr=0.03),
    }[name]
    params = {"w": rng.standard_normal((3, 4)), "log_scale": rng.standard_normal(1)}
    tensors = {key: torch.tensor(value, requires_grad=True) for key, value in params.items()}
    ours, theirs = optimisers.make_optimiser(name, 0.03), make(tensors.values())
    for _ in range(7):
        gradients = {key: rng.standard_normal(value.shape) for key, value in params.items()}
        ours.step(params, gradients)
        for key, tensor in tensors.items():
            tensor.grad = torch.tensor(gradients[key])
        theirs.step()
    for key, tensor in tensors.items():
        np.testing.assert_allclose(params[key], tensor.detach().numpy(), rtol=1e-9)


# The tasks


def test_reverse_asks_for_the_mirrored_token(rng):
    task = tasks.make_task("reverse", 64, rng=rng)
    batch = task.draw(3, rng=rng)
    assert batch.queries.shape == (3, 64, 64)
    assert batch.queries is batch.keys is batch.values
    what = np.rint((batch.queries * math.sqrt(2) - task.position) @ np.linalg.pinv(task.token)).argmax(axis=-1)
    np.testing.assert_array_equal(batch.targets, what[:, ::-1])
    np.testing.assert_array_equal(batch.targets, np.take_along_axis(what, batch.match, axis=1))


def test_recall_asks_for_the_value_of_a_key_that_was_shown_once(rng):
    task = tasks.make_task("recall", 64, rng=rng)
    batch = task.draw(5, rng=rng)
    assert batch.keys.shape == (5, 32, 64)
    for b in range(5):
        assert len(np.unique(batch.keys[b], axis=0)) == 32
        np.testing.assert_array_equal(batch.queries[b], batch.keys[b][batch.match[b]])
        np.testing.assert_array_equal(task.value[batch.targets[b]], batch.values[b][batch.match[b]])
        np.testing.assert_array_equal(task.key[batch.asked[b]], batch.queries[b])


def test_examples_stay_together_when_they_are_picked(rng):
    for name in ("reverse", "recall"):
        examples = small_task(name, rng).draw(6, rng=rng)
        picked = training.sample(examples, 20, rng=rng)
        for part in range(20):
            at = [i for i in range(6) if np.array_equal(picked.queries[part], examples.queries[i])]
            assert any(all(np.array_equal(a[part], b[i]) for a, b in zip(picked, examples, strict=True)) for i in at)
        assert (picked.keys is picked.queries) == (name == "reverse")


# Runs


def test_a_run_is_the_same_again_and_another_seed_is_not():
    setting = TrainingSettings(steps=25, d_k=8)
    first, again, other = (training.train(setting, seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.history.loss, again.history.loss)
    assert (first.history.loss != other.history.loss).all()
    assert first.history.step.tolist() == [0, 20, 25]
    assert first.snapshots.shape == (3, 64, 64)
    np.testing.assert_allclose(first.snapshots.sum(axis=-1), 1, atol=1e-5)


def test_the_start_of_a_run_is_what_earlier_notebooks_predict():
    """At d_k = 64 without a scale: Var(q·k) = d_k, entropy near 0.14; with it entropy near 0.89 (notebook 03)."""
    starts = {
        scale: [training.train(TrainingSettings(scale=scale, steps=0), seed).history for seed in range(5)]
        for scale in ("1", "1/sqrt(d_k)")
    }
    for histories, entropy in zip(starts.values(), (0.14, 0.89), strict=True):
        assert np.mean([h.entropy[0] for h in histories]) == pytest.approx(entropy, abs=0.03)
        assert np.mean([h.dot_variance[0] for h in histories]) == pytest.approx(1, abs=0.15)
        assert abs(np.mean([h.alignment[0] for h in histories])) < 0.05
    rms = {scale: np.mean([h.rms_row[0] for h in histories]) for scale, histories in starts.items()}
    assert rms["1"] > 5 * rms["1/sqrt(d_k)"]  # the larger gradient, and the one that trains worse


def test_training_with_the_scale_learns_and_without_it_does_not():
    """The demonstration at d_k = 64, one seed: 0.997 ± 0.007 against 0.587 ± 0.056 over seeds."""
    scaled, unscaled = (training.train(TrainingSettings(scale=scale), 1) for scale in ("1/sqrt(d_k)", "1"))
    assert scaled.accuracy > 0.95
    assert unscaled.accuracy < 0.8
    assert scaled.history.alignment[-1] > 0.3


def test_a_run_that_diverges_says_so_and_stops_quietly():
    result = training.summarise(TrainingSettings(learning_rate=1e30, steps=40, d_k=8), 0)
    assert result["finite"] is False
    assert result["loss"][1] is None
    json.dumps(result, allow_nan=False)  # so that a sweep can store it


def test_the_transformer_trains():
    setting = TrainingSettings(layers=2, heads=2, d_k=16, optimiser="Adam", learning_rate=3e-3, steps=40)
    history = training.train(setting, 0).history
    assert history.loss[-1] < history.loss[0] - 0.2


def test_training_examples_can_be_learnt_by_heart():
    setting = TrainingSettings(examples=4, d_k=16, optimiser="Adam", learning_rate=3e-3, steps=200)
    run = training.train(setting, 0)
    assert run.train_accuracy > run.accuracy + 0.05


def test_stuck_rows_are_counted():
    setting = TrainingSettings("recall", 512, "1", optimiser="Adam", learning_rate=3e-3, batch=8, steps=100)
    run = training.train(setting, 0)
    rows = training.inspect_queries(run.model, run.params, run.probe)
    assert run.history.stuck[-1] == pytest.approx((rows.jacobian < training.STUCK).mean())
    assert run.history.stuck[-1] > 0.5 > run.history.stuck[0]
    assert np.median(rows.top[~rows.right]) > 0.999


# What the fair ablation adds


def test_gradients_of_the_additive_head(rng):
    """One random direction in each parameter, against central differences in float64."""
    task = small_task("reverse", rng)
    model = Model(6, 4, task.classes, "additive", d_v=5)
    params = models.init_params(model, rng=rng, dtype=np.float64)
    batch = task.draw(3, rng=rng)
    _, gradients, *_ = training.loss_and_gradients(model, params, batch)
    assert gradients.keys() == params.keys() == {"w_q", "w_k", "w_v", "w_a", "w_u"}
    for name, value in params.items():
        direction = rng.standard_normal(value.shape)

        def along(t, name=name, value=value, direction=direction):
            return training.loss_and_gradients(model, {**params, name: value + t * direction}, batch)[0]

        numeric = (along(1e-5) - along(-1e-5)) / 2e-5
        assert (gradients[name] * direction).sum() == pytest.approx(numeric, rel=2e-6, abs=1e-9), name


def test_the_additive_head_is_the_formula(rng):
    task = small_task("reverse", rng)
    model = Model(6, 4, task.classes, "additive", d_v=5)
    params, batch = models.init_params(model, rng=rng, dtype=np.float64), task.draw(1, rng=rng)
    logits, cache = models.model_forward(model, params, batch)
    x = batch.queries[0].astype(float)
    scores = [[params["w_a"] @ np.tanh(a @ params["w_q"] + b @ params["w_k"]) for b in x] for a in x]
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(cache.attention[0].weights[0, 0], weights, atol=1e-12)
    np.testing.assert_allclose(logits[0], weights @ x @ params["w_v"] @ params["w_u"], atol=1e-12)
    with pytest.raises(ValueError, match="got 'additive' with 2 layers, expected a single head"):
        models.init_params(model._replace(layers=2), rng=rng)


@pytest.mark.parametrize(("scale", "variance"), models.STARTS.items())
def test_other_starts_have_their_variance(scale, variance, rng):
    task = tasks.make_task("recall", 64, rng=rng)
    found = []
    for _ in range(8):
        model = Model(64, 128, task.classes, scale)
        params = models.init_params(model, rng=rng, dtype=np.float64)
        attention = models.model_forward(model, params, task.draw(2, rng=rng))[1].attention[0]
        found.append((attention.q @ attention.k.swapaxes(-1, -2)).var() * attention.scale**2)
    assert np.mean(found) == pytest.approx(variance, rel=0.2)


def test_a_scale_that_is_swapped_in_after_training():
    """With its own scale a head scores what it scored; the factor twice is 1/d_k; the run itself stays as it is."""
    run = training.train(TrainingSettings(), 1)
    none, root, full = brief.swap_scales(run, 1)
    assert root == pytest.approx(run.accuracy, abs=0.01)
    assert none > 0.95 > 0.5 > full
    assert run.model.scale == "1/sqrt(d_k)"
    again = training.train(TrainingSettings(), 1)
    np.testing.assert_array_equal(run.params["w_q"], again.params["w_q"])


def test_a_short_line_says_only_what_is_special():
    setting = brief.ShortSettings(scale="1", d_k=16)
    assert setting._asdict() == {"d_k": 16, "scale": "1"}
    assert TrainingSettings(**setting._asdict()) == setting == setting._replace(steps=600)
    told = brief.summarise_briefly(setting._replace(steps=40), 3)
    long = training.summarise(TrainingSettings(scale="1", d_k=16, steps=40), 3)
    assert told["accuracy"] == pytest.approx(long["accuracy"], abs=0.001)
    assert told["entropy"] == pytest.approx(long["entropy"], abs=0.001)
    assert told["steps_to_90"] == long["steps_to_90"]
