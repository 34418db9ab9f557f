"""The homework checks: each wrong answer gets its own hint, and right ones pass however they're written."""

import ast
import math
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import nbformat
import numpy as np
import pytest

from sdpa_course.homework.answers import Answer, ask
from sdpa_course.homework.checks import UNSEEN, try_out
from sdpa_course.homework.judging import judge, solve
from sdpa_course.homework.tasks import NOTEBOOKS, PROBLEM_SETS, all_tasks, find_task, tasks_of

SHOWN = ((0, np.float64, False), (7, np.float64, False), (8, np.float32, False))
DRAWS = SHOWN + UNSEEN
ROOT = Path(__file__).parent.parent
TASKS = list(all_tasks())


def bank(problem_set):
    """The module tests/wrong_answers/psNN.py."""
    path = Path(__file__).parent / "wrong_answers" / f"{problem_set}.py"
    spec = spec_from_file_location(f"wrong_answers_{problem_set}", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BANK = {name: bank(name) for name in PROBLEM_SETS + NOTEBOOKS}


def entries(kind):
    """(task, answer, …) for every entry of the bank."""
    for problem_set, module in BANK.items():
        tasks = tasks_of(problem_set)
        for short_name, answers in getattr(module, kind).items():
            for number, entry in enumerate(answers):
                yield pytest.param(tasks[short_name], entry, id=f"{problem_set}.{short_name}-{number}")


def by_name(task):
    return task.name


@pytest.mark.parametrize(("task", "entry"), list(entries("WRONG")))
def test_a_wrong_answer_fails_with_its_own_hint(task, entry):
    answer, mistake = entry
    for draw in DRAWS:
        verdict = try_out(task, answer, [draw])
        assert not verdict.passed
        assert verdict.mistake == mistake or (draw in UNSEEN and not verdict.mistake)
        assert (verdict.mistake == "") == ("Hint" not in verdict.message)
        for title in ("Got", "Expected", "Read"):
            assert f"\n  {title}" in verdict.message
        assert ("\n  Tried" in verdict.message) != task.wants_number


@pytest.mark.parametrize(("task", "answer"), list(entries("RIGHT")))
def test_a_right_answer_passes_however_it_is_written(task, answer):
    for draw in DRAWS:
        assert try_out(task, answer, [draw]).passed, try_out(task, answer, [draw]).message


@pytest.mark.parametrize(("task", "answer"), list(entries("RIGHT")))
def test_a_right_answer_passes_in_float32(task, answer):
    """A function that computes in float32, whatever comes in."""
    if task.hunt:
        answer = answer if len(task.hunt.inputs) > 1 else (answer,)
        narrow = tuple(np.asarray(part, dtype=np.float32) for part in answer)
    elif task.wants_number:
        narrow = np.float32(answer)
    else:

        def narrow(*inputs):
            result = answer(*(x.astype(np.float32) if np.ndim(x) and x.dtype.kind == "f" else x for x in inputs))
            parts = result if isinstance(result, tuple) else (result,)
            parts = tuple(np.asarray(part, dtype=np.float32) for part in parts)
            return parts if isinstance(result, tuple) else parts[0]

    assert try_out(task, narrow).passed, try_out(task, narrow).message


@pytest.mark.parametrize("task", TASKS, ids=by_name)
def test_every_task_has_its_bank(task):
    problem_set = task.name.partition(".")[0]
    wrong = [name for _, name in BANK[problem_set].WRONG[task.short_name]]
    assert len(set(wrong) - {""}) >= 3
    assert set(wrong) - {""} == {mistake.name for mistake in task.mistakes}  # every hint was seen to be given
    assert len(BANK[problem_set].RIGHT[task.short_name]) >= 2


@pytest.mark.parametrize("task", TASKS, ids=by_name)
def test_every_mistake_is_one_and_no_other(task):
    assert len({mistake.hint for mistake in task.mistakes}) == len(task.mistakes)
    for seed, dtype, hidden in DRAWS:
        cases = task.draw(seed, dtype, hidden=hidden)
        for mistake in task.mistakes:
            verdict = judge(task, cases, [solve(mistake.gives, case) for case in cases])
            assert verdict.mistake == mistake.name, (seed, dtype)


@pytest.mark.parametrize("task", TASKS, ids=by_name)
def test_the_sizes_of_an_input_are_all_different(task):
    for case in task.draw(0):
        for name, value in case.items():
            sizes = [n for n in np.shape(value) if n > 1]
            assert len(set(sizes)) == len(sizes), (name, np.shape(value))


@pytest.mark.parametrize("task", TASKS, ids=by_name)
def test_what_is_no_answer_is_told_apart_from_a_wrong_one(task):
    for nothing in (None, ..., lambda *inputs: None):
        assert try_out(task, nothing).state == "unanswered"
    assert "got text, expected a number" in try_out(task, "42").message
    assert try_out(task, np.full((2, 3, 5), np.nan)).state == "wrong"
    assert try_out(task, 1j).state == "wrong"
    assert try_out(task, 1e9).state == "wrong"


@pytest.mark.parametrize("task", [task for task in TASKS if not task.wants_number], ids=by_name)
def test_a_wrong_shape_is_told_apart_from_wrong_values(task):
    cases = task.draw(0)
    rights = [solve(task.right, case) for case in cases]
    deeper = [right._replace(arrays=tuple(array[None] for array in right.arrays)) for right in rights]
    shifted = [right._replace(arrays=tuple(array + 0.37 for array in right.arrays)) for right in rights]
    assert "shape (1," in judge(task, cases, deeper).message
    _, got, rest = judge(task, cases, shifted).message.partition("\n  Got")
    assert got
    assert "shape" not in rest.partition("\n  Expected")[0]


@pytest.mark.parametrize("task", [task for task in TASKS if not task.wants_number], ids=by_name)
def test_an_answer_that_raises_or_writes_into_its_inputs(task):
    def raising(*inputs):
        raise RuntimeError("no such luck")

    verdict = try_out(task, raising)
    said = " ".join(verdict.message.split())
    assert "RuntimeError: no such luck (in the line: raise RuntimeError" in said

    def writing(*inputs):
        for x in inputs:
            if np.ndim(x):
                x[...] = 0
        return 1.0

    assert "changed its argument" in try_out(task, writing).message

    def forgetful(*inputs):
        result = task.right(*inputs)  # noqa: F841

    assert "does it end with a return statement?" in try_out(task, forgetful).message
    assert "got a tuple" in try_out(task, lambda *inputs: (np.ones((2, 3)), [[1.0], [2.0, 3.0]])).message
    assert ask(lambda *inputs: object(), task.draw(0)[:1])[0].problem.startswith("the result isn't an array")


@pytest.mark.parametrize("task", [task for task in TASKS if task.wants_number and not task.hunt], ids=by_name)
def test_a_number_is_not_given_away(task):
    right = float(solve(task.right, {}).arrays[0])
    assert try_out(task, [right]).passed
    verdict = judge(task, [{}], [Answer((np.array(right + 1e6),))])
    said = verdict.message.replace(f"{right + 1e6:.6g}", "")
    for digits in (3, 4, 6):
        assert f"{right:.{digits}g}" not in said.split("notebook")[0].split(), task.name


HUNTS = [task for task in TASKS if task.hunt]


@pytest.mark.parametrize("task", HUNTS, ids=by_name)
def test_a_counterexample_is_tried_on_the_function_in_the_notebook(task):
    """The given function that's run on it does what the notebook's does, on good examples and on traps."""
    name = task.name.partition(".")[0]
    names = {"np": np}
    for cell in nbformat.read(ROOT / "solutions" / name / f"{name}.ipynb", as_version=4).cells:
        if cell.cell_type == "code" and re.search(r"^def \w+_given\(|^def split\(", cell.source, flags=re.MULTILINE):
            tree = ast.parse(cell.source)
            tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
            exec(ast.unparse(tree), names)
    (given,) = [function for title, function in names.items() if title.endswith("_given")]
    for example in (task.right, *(trap.gives for trap in task.mistakes)):
        inputs, problem = task.hunt.read(solve(example, {}))
        assert not problem
        with np.errstate(all="ignore"):
            assert np.allclose(given(*inputs), task.hunt.given(*inputs), equal_nan=True)


@pytest.mark.parametrize("task", HUNTS, ids=by_name)
def test_nothing_random_that_is_no_input_counts_as_a_counterexample(task):
    """Arrays of wrong shapes, and inputs that the text doesn't allow, are refused in a sentence."""
    rng = np.random.default_rng(0)
    good = solve(task.right, {}).arrays
    for place in range(len(good)):
        empty = np.ones((0,) * (good[place].ndim or 1))
        for bad in (good[place][None], good[place] * np.nan, good[place] + 1e9, empty):
            verdict = try_out(task, (*good[:place], bad, *good[place + 1 :]))
            assert verdict.state == "wrong"
            assert "right, or nearly" not in " ".join(verdict.message.split())
    assert try_out(task, tuple(rng.normal(size=(9, 9)) for _ in good)).state == "wrong"


def test_two_different_inputs_that_show_nothing_are_two_tries():
    """The solution opens after three different results, so these have to differ."""
    task = find_task("ps03.counterexample")
    one, other = (try_out(task, [[2.0, 1.0], [0.0, top]]) for top in (1.0, 2.0))
    assert one.mistake == other.mistake == "small scores"
    assert one != other


def test_the_six_classic_mistakes_are_known_each_by_its_own_hint():
    """Left out or wrong scale, wrong axis, no maximum, mask too late, only the diagonal: never the same hint twice."""
    classics = ("no scale", "1/d_k", "wrong axis", "no maximum", "mask after softmax", "diagonal only")
    hints = {name: {m.hint for task in TASKS for m in task.mistakes if m.name == name} for name in classics}
    assert all(hints.values())
    assert sum(len(found) for found in hints.values()) == len(set().union(*hints.values()))


@pytest.mark.parametrize("task", [task for task in TASKS if task.outputs], ids=by_name)
def test_a_list_is_as_good_as_a_tuple(task):
    assert try_out(task, lambda *inputs: list(task.right(*inputs))).passed


@pytest.mark.parametrize("name", ["ps03.softmax_large", "ps05.attention"])
def test_an_overflow_that_raises_is_recognised_too(name):
    def with_math(scores, *rest):
        scores = scores if not rest else scores @ rest[0].T / math.sqrt(scores.shape[1])
        return [[math.exp(score) for score in row] for row in scores]

    task = find_task(name)
    cases = [case for case in task.draw(0) if not rest_is_small(case)]
    assert judge(task, cases, ask(with_math, cases)).mistake == "no maximum"


def rest_is_small(case):
    return all(np.abs(value).max() < 100 for value in case.values())
