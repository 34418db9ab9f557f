"""The capstone: its model against finite differences, and no stage of ps12 that depends on an earlier answer."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import nbformat
import numpy as np
import pytest

from sdpa_course.experiments import capstone
from sdpa_course.homework import carry_on, check
from sdpa_course.homework.checks import try_out
from sdpa_course.homework.tasks import tasks_of
from sdpa_course.kernels.loss import cross_entropy_forward
from sdpa_course.verify import numerical_gradient

ROOT = Path(__file__).parent.parent
STAGES = [name for name, task in tasks_of("ps12").items() if not task.wants_number]


def small():
    weights = capstone.fresh_weights(1, 5, positions=4, width=6, heads=2, d_k=3, hidden=7)
    return weights, np.array([[0, 3, 3], [1, 0, 2]]), np.array([[3, 3, 4], [0, 2, 1]])


@pytest.mark.parametrize("name", capstone.Weights._fields)
@pytest.mark.parametrize("scaled", [True, False])
def test_gradients_are_those_of_the_loss(name, scaled):
    weights, x, y = small()

    def loss(array):
        return cross_entropy_forward(capstone.forward(x, *weights._replace(**{name: array}), 2, scaled), y)[0]

    found = capstone.gradients(x, y, *weights, 2, scaled)
    assert found[0] == pytest.approx(loss(getattr(weights, name)))
    slope = found[1 + weights._fields.index(name)]
    assert np.abs(slope - numerical_gradient(loss, getattr(weights, name))).max() < 1e-7
    assert np.abs(slope).max() > 1e-3


def test_a_later_character_changes_no_earlier_logits():
    weights, x, _ = small()
    later = x.copy()
    later[:, -1] = 4
    gap = np.abs(capstone.forward(x, *weights, 2, True) - capstone.forward(later, *weights, 2, True)).max(axis=(0, 2))
    assert (gap[:-1] == 0).all()
    assert gap[-1] > 0.01


def test_every_window_and_its_last_target_lie_in_the_text():
    ids = np.arange(60)
    starts = capstone.random_starts(3, ids, steps=200)
    x, y = capstone.windows(ids, starts.ravel(), 32)
    assert (y == x + 1).all()
    assert (x.min(), y.max()) == (0, 59)


def test_the_rhyme_is_as_printed():
    text = capstone.rhyme()
    assert text.count("this is ") == 11
    assert text.count("the house that jack built.") == 11
    assert text.count("the cow with the crumpled horn") == 6
    assert len(set(text)) == 27


# no stage depends on another


def unmasked(X, *rest):
    """A wrong stage 2 that doesn't even keep the causal order."""
    return capstone.causal_heads(X[:, ::-1], *rest)[:, ::-1]


def solved(**instead):
    """What the solution's notebook defines, with some functions exchanged."""
    names = {}
    for cell in nbformat.read(ROOT / "solutions/ps12/ps12.ipynb", as_version=4).cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name in STAGES or cell.source.startswith(("import ", "parts = ")):
            exec(cell.source, names)
            names |= {name: instead[name]} if name in instead else {}
    return names


@pytest.mark.parametrize("name", STAGES)
def test_a_mistake_in_one_stage_costs_no_other(name, capsys):
    wrong = {"causal_heads": unmasked}.get(name, lambda *inputs: 0.0)
    names = solved(**{name: wrong})
    for stage, task in tasks_of("ps12").items():
        if stage in STAGES:
            assert try_out(task, names[stage]).passed == (stage != name), stage
    said = capsys.readouterr().out.rsplit("  yours  ", 1)[1]
    assert name in said.partition("the course's")[2]
    assert "Once yours is right, run this cell again." in said
    assert getattr(names["parts"], name) is getattr(capstone, name)


def test_carry_on_takes_what_is_right_and_says_so(capsys):
    def windows(ids, starts, length):
        return capstone.windows(ids, starts, length)

    parts = carry_on("ps12", {"windows": windows, "causal_heads": unmasked})
    said = capsys.readouterr().out
    assert "yours        windows\n" in said
    assert "the course's causal_heads, forward, gradients, train, write\n" in said
    assert parts.windows is windows
    assert parts.causal_heads is capstone.causal_heads


def test_in_grading_every_stage_is_there_without_the_answers():
    path = ROOT / "classroom/sdpa_classroom/homework_stub.py"
    spec = spec_from_file_location("homework_stub", path)
    stub = module_from_spec(spec)
    spec.loader.exec_module(stub)
    parts = stub.carry_on("ps12", {})
    for name in STAGES:
        assert getattr(parts, name) is tasks_of("ps12")[name].right


def test_the_course_s_kernels_are_allowed_and_its_answers_are_noted(capsys):
    names = solved()
    check("ps12.gradients", names["gradients"])
    check("ps12.train", names["train"])
    assert "Note" not in capsys.readouterr().out
    check("ps12.gradients", capstone.gradients)
    check("ps12.forward", lambda *inputs: capstone.run(inputs[0], capstone.Weights(*inputs[1:10]), *inputs[10:]).logits)
    assert capsys.readouterr().out.count("your answer calls the course's own") == 2
