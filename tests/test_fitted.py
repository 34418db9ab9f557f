"""Answers that fit only the visible check earn nothing, and right ones earn their points in whatever form they come."""

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from sdpa_course import attention_forward, softmax_forward
from sdpa_course.homework import check
from sdpa_course.homework.answers import ask
from sdpa_course.homework.checks import SEEN, UNSEEN, try_out
from sdpa_course.homework.judging import solve
from sdpa_course.homework.tasks import PROBLEM_SETS, find_task, tasks_of

from .test_wrong_answers import entries

FUNCTIONS = [task for name in PROBLEM_SETS for task in tasks_of(name).values() if not task.wants_number]
ARRAYS = [task for task in FUNCTIONS if solve(task.right, task.draw(0)[0]).arrays[-1].ndim]


def softmax(scores):
    return softmax_forward(scores)


def whole_root(dout, Q, K, V):
    """1/int(√d_k): every visible d_k is a square."""
    scale = 1 / int(np.sqrt(Q.shape[1]))
    weights = softmax(Q @ K.T * scale)
    dweights = dout @ V.T
    ddots = weights * (dweights - (weights * dweights).sum(axis=1, keepdims=True)) * scale
    return ddots @ K, ddots.T @ Q, weights.T @ dout


def second_query_is_blind(Q, K, V, mask):
    scores = np.where(mask, Q @ K.T / np.sqrt(Q.shape[1]), -1e9)
    out = softmax(scores) @ V
    out[1] = 0
    return out


def only_one_is_blind(Q, K, V, mask):
    out = attention_forward(Q, K, V, mask=mask | ~mask.any(axis=1, keepdims=True))[0]
    out[np.argmin(mask.any(axis=1))] = 0
    return out


def each_target_once(logits, targets):
    """A dictionary from target to row forgets all but one of the rows that share a target."""
    row_of = {target: row for row, target in enumerate(targets)}
    log_p, hot = np.log(softmax(logits)), np.zeros_like(logits)
    for target, row in row_of.items():
        hot[row, target] = 1
    return -(hot * log_p).sum() / len(logits), (np.exp(log_p) - hot) / len(logits)


def three_heads_at_most(X, W_Q, W_K, W_V, W_O, heads):
    out = []
    for i in range(min(heads, 3)):
        Q, K, V = (np.split(X @ W, heads, axis=1)[i] for W in (W_Q, W_K, W_V))
        out.append(softmax(Q @ K.T / np.sqrt(Q.shape[1])) @ V)
    return np.hstack(out) @ W_O[: sum(part.shape[1] for part in out)]


def groups_by_heart(Q, K, V):
    owner = {6: [0, 0, 0, 1, 1, 1], 8: [0, 0, 1, 1, 2, 2, 3, 3]}[len(Q)]
    return attention_forward(Q, K[owner], V[owner])[0]


def fewer_heads_than_three(q, k, a):
    unit = [x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (q, k)]
    g = np.exp(np.array([*a, 0.0, 0.0])[:3])[: len(q), None, None]
    return softmax(g * (unit[0] @ unit[1].swapaxes(1, 2)))


def seven_by_seven_at_most(W_Q, W_K):
    """Tables as large as the visible ones."""
    return ((W_Q.T @ W_Q)[:7, :7] * (W_K.T @ W_K)[:7, :7]).sum()


def never_square(Q, K):
    """Whichever way round fits."""
    return Q @ K if Q.shape[1] == len(K) else Q @ K.T


FITTED = [
    ("ps01.all_scores", never_square),
    ("ps02.mended_variance", seven_by_seven_at_most),
    ("ps05.masked_attention_blind", second_query_is_blind),
    ("ps05.masked_attention_blind", only_one_is_blind),
    ("ps06.attention_backward", whole_root),
    ("ps10.qk_norm_weights", fewer_heads_than_three),
    ("ps08.multihead", three_heads_at_most),
    ("ps08.mended_grouped", groups_by_heart),
    ("ps09.cross_entropy", each_target_once),
]


def by_name(task):
    return task.name


@pytest.mark.parametrize(("name", "answer"), FITTED, ids=lambda part: getattr(part, "__name__", part))
def test_an_answer_that_fits_only_the_visible_check_earns_nothing(name, answer):
    assert try_out(find_task(name), answer, SEEN).passed
    for draw in UNSEEN:
        assert not try_out(find_task(name), answer, [draw]).passed, draw


@pytest.mark.parametrize("task", FUNCTIONS, ids=by_name)
def test_learning_the_visible_sizes_by_heart_earns_nothing(task):
    known = {str([np.shape(value) for value in case.values()]) for case in task.draw(0)}

    def by_heart(*inputs):
        assert str([np.shape(value) for value in inputs]) in known
        return task.right(*inputs)

    assert try_out(task, by_heart, SEEN).passed
    for draw in UNSEEN:
        assert not try_out(task, by_heart, [draw]).passed


@pytest.mark.parametrize("task", ARRAYS, ids=by_name)
def test_an_answer_that_loses_axes_of_size_1_earns_nothing(task):
    def squeezed(*inputs):
        result = task.right(*inputs)
        return tuple(map(np.squeeze, result)) if isinstance(result, tuple) else np.squeeze(result)

    for draw in UNSEEN:
        assert not try_out(task, squeezed, [draw]).passed


@pytest.mark.parametrize("task", FUNCTIONS, ids=by_name)
def test_hidden_inputs_have_other_sizes_for_another_submission(task):
    def sizes(seed):
        return str([[np.shape(value) for value in case.values()] for case in task.draw(seed, hidden=True)])

    assert len({sizes(seed) for seed in range(8)}) > 4
    assert sizes(3) == sizes(3)


# right answers in every form


def exact(kind):
    """Every number as an object of this kind."""
    return lambda array: np.vectorize(lambda number: kind(float(number)), otypes=[object])(array)


FORMS = {
    "lists": lambda array: array.tolist(),
    "fractions": exact(Fraction),
    "decimals": exact(Decimal),
    "objects": lambda array: array.astype(object),
    "long double": lambda array: array.astype(np.longdouble),
    "matrix": lambda array: np.matrix(array) if array.ndim == 2 else array,
    "column order": lambda array: array.copy(order="F"),
    "masked": np.ma.array,
}


@pytest.mark.parametrize("form", FORMS)
def test_a_right_answer_passes_in_every_form(form):
    for entry in entries("RIGHT"):
        task, answer = entry.values
        if task.wants_number:
            if task.hunt:
                parts = answer if len(task.hunt.inputs) > 1 else (answer,)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", PendingDeprecationWarning)  # np.matrix
                    value = tuple(FORMS[form](np.array(part, dtype=float)) for part in parts)
            else:
                value = FORMS[form](np.array(float(answer)))
            assert try_out(task, value).passed, task.name
            continue

        def formed(*inputs, task=task, answer=answer):
            result = answer(*inputs)
            parts = result if task.outputs else (result,)
            made = tuple(
                FORMS[form](np.array(part, dtype=float)) if np.all(np.isfinite(part)) else part for part in parts
            )
            return made if task.outputs else made[0]

        verdict = try_out(task, formed)
        assert verdict.passed, verdict.message


# what an answer called


def renamed(scores):
    helper = softmax_forward
    return [helper(row) for row in scores]


def test_calling_the_package_is_noticed_under_any_name_and_nothing_else_is():
    cases = find_task("ps03.softmax").draw(0)
    assert {one.called for one in ask(softmax_forward, cases)} == {("softmax_forward",)}
    assert {one.called for one in ask(renamed, cases)} == {("softmax_forward",)}
    text_only = lambda scores: np.exp(scores)  # softmax_forward  # noqa: E731
    assert {one.called for one in ask(text_only, cases)} == {()}


def test_the_student_is_told_and_keeps_the_points(capsys):
    assert check("ps03.softmax", softmax_forward).earned == 3
    assert "softmax: right.\n  Note      your answer calls the course's own softmax_forward." in capsys.readouterr().out
    check("nb02.within_row", lambda scores: softmax_forward(scores).var())
    assert "Note" not in capsys.readouterr().out


# hints


def test_half_an_answer_is_told_so(capsys):
    check("ps06.matmul_backward", lambda dC, A, B: (dC @ B.T, None))
    assert "Got       result 2 of 2 is None" in capsys.readouterr().out
    check("ps06.matmul_backward", lambda dC, A, B: (dC @ B.T)[:2])  # as many rows as there should be results
    assert "Got       one result, of shape (2, 4)\n  Expected  2 results: dA, dB" in capsys.readouterr().out


def test_one_number_or_one_nan_is_not_enough_for_a_hint():
    """A function that agrees with a known mistake in one case and in no other made a different mistake."""

    def mean_for_width_7(*moments):
        task = find_task("ps02.predicted_variance")
        return task.right(*moments) / 7 if len(moments[0]) == 7 else 0.0

    verdict = try_out(find_task("ps02.predicted_variance"), mean_for_width_7, SEEN)
    assert (verdict.state, verdict.mistake) == ("wrong", "")

    def without_maximum(Q, K, V, mask):
        exps = np.exp(Q @ K.T / np.sqrt(Q.shape[1])) * mask
        return exps / exps.sum(axis=1, keepdims=True) @ V

    verdict = try_out(find_task("ps05.masked_attention"), without_maximum, SEEN)
    assert verdict.mistake == "no maximum, mask afterwards"
