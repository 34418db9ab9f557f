"""`diagnose` names real bugs and planted ones, alone and two at once, and says nothing against what's right."""

import itertools
import math
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from sdpa_course import attention, attention_forward, command, diagnose
from sdpa_course.kernels.scores import additive_scores_forward, cosine_scores_forward
from sdpa_course.kernels.softmax import softmax_forward

from .diagnosis.bugs import RIGHT, WILD, dots, scaled, softmax, unit


def named(report, row, expected):
    """Whether a row is marked as a problem, with this formula or these words."""
    finding = report.findings[row]
    return finding.problem and (finding.formula == expected if row == "scale" else expected in finding.text)


@pytest.mark.parametrize("bug", WILD)
def test_real_bugs_are_named(bug):
    function, row, expected = WILD[bug]
    report = diagnose(function)
    assert named(report, row, expected), report
    rows = {other for f, other, _ in WILD.values() if f is function}
    allowed = rows | ({"options", "mask"} if bug in ("B14 SKaiNET", "B19 tt-metal") else set())
    assert {name for name, finding in report.findings.items() if finding.problem} <= allowed, report


@pytest.mark.parametrize("function", [*RIGHT.values()], ids=RIGHT)
def test_what_looked_wrong_and_is_right(function):
    assert not diagnose(function).problems


def causal_bottom_right(q, k, v):
    hidden = np.arange(k.shape[-2]) > np.arange(q.shape[-2])[:, None] + k.shape[-2] - q.shape[-2]
    return softmax(np.where(hidden, -np.inf, dots(q, k) / q.shape[-1] ** 0.5)) @ v


def by_loops(q, k, v):
    out = []
    for query in q:
        exps = [math.exp(sum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(len(query))) for key in k]
        out.append(sum(e * value for e, value in zip(exps, v, strict=True)) / sum(exps))
    return np.array(out)


def online(q, k, v):
    """One key at a time, with a running maximum."""
    top, total, out = np.full(q.shape[:-1], -np.inf), np.zeros(q.shape[:-1]), np.zeros((*q.shape[:-1], v.shape[-1]))
    for j in range(k.shape[-2]):
        score = (q * k[..., j : j + 1, :]).sum(axis=-1) / math.sqrt(q.shape[-1])
        new = np.maximum(top, score)
        keep, e = np.exp(top - new), np.exp(score - new)
        total, out, top = total * keep + e, out * keep[..., None] + e[..., None] * v[..., j : j + 1, :], new
    return out / total[..., None]


def heads_last(q, k, v):
    weights = softmax(np.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5)
    return np.einsum("bhqk,bkhd->bqhd", weights, v)


def packed(q, k, v, num_heads):
    q, k, v = (x.reshape(*x.shape[:2], num_heads, -1).swapaxes(1, 2) for x in (q, k, v))
    out = softmax(dots(q, k) / math.sqrt(q.shape[-1])) @ v
    return out.swapaxes(1, 2).reshape(len(out), out.shape[2], -1)


def textbook(query, key, value, mask=None):
    scores = dots(query, key) / math.sqrt(query.shape[-1])
    weights = softmax(scores if mask is None else np.where(mask == 0, -1e9, scores))
    return weights @ value, weights


def only_float32(q, k, v):
    if q.dtype != np.float32:
        raise TypeError("float32, please")
    return softmax(dots(q, k) / np.float32(math.sqrt(q.shape[-1]))) @ v


def wants_mask(q, k, v, mask):
    return softmax(np.where(mask, dots(q, k) / math.sqrt(q.shape[-1]), -np.inf)) @ v


def by_keyword(*, queries, keys, values):
    return softmax(dots(queries, keys) / math.sqrt(keys.shape[-1])) @ values


def two_heads_only(q, k, v):
    if q.shape[1:] != k.shape[1:] or q.shape[-1] != v.shape[-1]:
        raise ValueError("square, please")
    return heads_last(q, k, v)


FINE = [
    attention, attention_forward, causal_bottom_right, by_loops, online, heads_last, packed, textbook, only_float32,
    wants_mask, by_keyword, two_heads_only, lambda q, k, v: textbook(q, k, v)[0].tolist(),
    lambda q, k, v: textbook(q, k, v)[0].swapaxes(1, 2),
]  # fmt: skip


@pytest.mark.parametrize("function", FINE, ids=lambda f: f.__name__)
def test_no_false_alarm(function):
    report = diagnose(function)
    assert not report.problems, report
    assert report.scale.formula == "1/√d_k"


def test_what_isn_t_a_dot_product_is_described():
    assert "cosine" in diagnose(lambda q, k, v: softmax(10 * dots(unit(q), unit(k))) @ v).score.text
    ours = diagnose(lambda q, k, v: softmax_forward(cosine_scores_forward(q, k)[0]) @ v)
    assert "cosine" in ours.score.text
    assert ours.scale.formula == "1"
    assert not ours.problems

    def normalised(q, k, v):
        q, k = (x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) for x in (q, k))
        return softmax(dots(q, k) / math.sqrt(q.shape[-1])) @ v

    report = diagnose(normalised)
    assert "QK-norm" in report.score.text
    assert report.scale.formula == "√d_k"
    assert not report.problems

    def additive(q, k, v):
        rng = np.random.default_rng(0)
        matrices = [rng.standard_normal((q.shape[-1], 8)) for _ in range(2)]
        return softmax_forward(additive_scores_forward(q, k, *matrices, rng.standard_normal(8))[0]) @ v

    report = diagnose(additive)
    assert "isn't a function of q·k alone" in report.score.text
    assert not report.problems
    assert report.scale.formula is None
    assert report.scale.text == "not determined"
    slopes = 0.5 ** np.arange(1, 8)

    def alibi(q, k, v):
        far = np.abs(np.arange(q.shape[-2])[:, None] - np.arange(k.shape[-2]))
        return softmax(dots(q, k) / math.sqrt(q.shape[-1]) - slopes[: q.shape[1], None, None] * far) @ v

    report = diagnose(alibi)
    assert "by position" in report.built_in.text
    assert report.scale.formula == "1/√d_k"
    assert not report.problems


SCALES = {
    "1": lambda q, k, v: 1.0,
    "1/d_k": lambda q, k, v: 1 / q.shape[-1],
    "√d_k": lambda q, k, v: q.shape[-1] ** 0.5,
    "1/√d_model": lambda q, k, v: (q.shape[1] * q.shape[-1]) ** -0.5,
    "1/√heads": lambda q, k, v: q.shape[1] ** -0.5,
    "1/√d_v": lambda q, k, v: v.shape[-1] ** -0.5,
    "1/√keys": lambda q, k, v: k.shape[-2] ** -0.5,
    "0.125": lambda q, k, v: 0.125,
    "1/√d_k times 0.577": lambda q, k, v: 0.577 * q.shape[-1] ** -0.5,
    "−1/√d_k": lambda q, k, v: -(q.shape[-1] ** -0.5),
    "1/d_k^¼": lambda q, k, v: q.shape[-1] ** -0.25,
    "1/√d_k": lambda q, k, v: q.shape[-1] ** -0.5,
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("formula", SCALES)
def test_formulas(formula, dtype):
    function = scaled(SCALES[formula])
    report = diagnose(lambda q, k, v: function(*(x.astype(dtype) for x in (q, k, v))))
    assert report.scale.formula == formula, report
    assert len(report.problems) == (formula != "1/√d_k"), report


def hidden_by(how, scores, shows):
    """Weights for the scores, with a mask applied in one of the wrong ways, or the right one."""
    if how == "after softmax":
        return softmax(scores) * shows
    filled = {"score becomes 0": scores * shows, "replaced by -5": np.where(shows, scores, -5.0)}
    return softmax(filled.get(how, np.where(shows, scores, -np.inf)))


@pytest.mark.parametrize(
    ("formula", "how"),
    [*itertools.product(["1", "1/d_k", "1/√d_model"], ["after softmax", "score becomes 0", "replaced by -5"])],
)
def test_two_bugs_at_once(formula, how):
    def function(q, k, v, mask=None):
        scores = SCALES[formula](q, k, v) * dots(q, k)
        return (softmax(scores) if mask is None else hidden_by(how, scores, mask)) @ v

    report = diagnose(function)
    assert named(report, "scale", formula), report
    assert named(report, "mask", how), report
    assert len(report.problems) == 2


@pytest.mark.parametrize(("axis", "name"), [(-2, "queries"), (1, "heads"), (0, "batch"), ((-2, -1), "together")])
def test_wrong_axis_and_wrong_scale(axis, name):
    def function(q, k, v, mask=None):
        exps = np.exp(dots(q, k) / q.shape[-1])
        return exps / exps.sum(axis=axis, keepdims=True) @ v

    report = diagnose(function)
    assert named(report, "softmax", name), report
    assert named(report, "scale", "1/d_k"), report
    assert "mask= wasn't probed, because softmax runs over" in report.mask.text


CAUSAL = {
    "no effect": lambda i, j, s: s,
    "become 0": lambda i, j, s: s * (j <= i),
    "the past": lambda i, j, s: np.where(j < i, -np.inf, s),
    "the present": lambda i, j, s: np.where(j >= i, -np.inf, s),
    "next key": lambda i, j, s: np.where(j > i + 1, -1e9, s),
    "replaced by -3": lambda i, j, s: np.where(j > i, -3, s),
}


@pytest.mark.parametrize("words", CAUSAL)
def test_causal_on_request(words):
    def function(q, k, v, is_causal=False):
        scores = dots(q, k) / math.sqrt(q.shape[-1])
        i, j = np.arange(q.shape[-2])[:, None], np.arange(k.shape[-2])
        return softmax(CAUSAL[words](i, j, scores) if is_causal else scores) @ v

    report = diagnose(function)
    assert named(report, "causal", words), report
    assert len(report.problems) == 1, report


def causal_or_not(q, k, v, mask=None, causal=True, heads=slice(None), always=False):
    scores, future = dots(q, k) / math.sqrt(q.shape[-1]), np.arange(k.shape[-2]) > np.arange(q.shape[-2])[:, None]
    scores = np.where(future, -np.inf, scores) if always else scores
    if mask is not None:
        scores[:, heads] = np.where(mask, scores[:, heads], -np.inf)
    if causal:
        scores[:, heads] = np.where(future, -np.inf, scores[:, heads])
    return softmax(scores) @ v


def test_causal_by_default_or_always():
    report = diagnose(causal_or_not)
    assert "Hides the future" in report.built_in.text
    assert "hides the future exactly" in report.causal.text
    assert "True = may attend; hidden keys get exactly 0" in report.mask.text
    assert not report.problems, report
    always = diagnose(lambda q, k, v, mask=None: causal_or_not(q, k, v, mask, False, always=True))
    assert "True = may attend; hidden keys get exactly 0" in always.mask.text
    assert not always.problems, always


def test_wrong_masks_behind_a_built_in_causal_mask():
    def function(q, k, v, mask=None, put=lambda scores, mask: scores):
        scores = dots(q, k) / math.sqrt(q.shape[-1])
        scores = scores if mask is None else put(scores, mask)
        return softmax(np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)) @ v

    multiplied = diagnose(lambda q, k, v, mask=None: function(q, k, v, mask, np.multiply))
    assert named(multiplied, "mask", "becomes 0 instead of −∞"), multiplied
    assert named(diagnose(lambda q, k, v, mask=None: function(q, k, v, mask)), "mask", "has no effect")


def test_wrong_masks_beside_a_built_in_bias():
    def function(q, k, v, mask=None, causal=False, put=lambda scores, mask: scores):
        far = np.abs(np.arange(q.shape[-2])[:, None] - np.arange(k.shape[-2]))
        scores = dots(q, k) / math.sqrt(q.shape[-1]) - far / 3
        return softmax(scores if mask is None else put(scores, mask)) @ v

    report = diagnose(function)
    assert named(report, "causal", "has no effect"), report
    assert named(report, "mask", "has no effect"), report
    for put, words in ((np.multiply, "keeps a weight, which no longer depends on q and k"), (np.add, "added to")):
        text = diagnose(lambda q, k, v, mask=None, put=put: function(q, k, v, mask, put=put)).mask.text
        assert words in text, text


def test_masks_that_reach_only_some_heads():
    some = slice(0, 1)
    report = diagnose(lambda q, k, v, mask=None, causal=False: causal_or_not(q, k, v, mask, causal, some))
    for row in ("mask", "causal"):
        assert named(report, row, "the same in all heads"), report


def test_masks_are_read_from_outside():
    report = diagnose(textbook)
    assert "True = may attend" in report.mask.text
    assert "replaced by -1e+09" in report.mask.text
    assert report.mask.value == pytest.approx(-1e9, rel=0.01)
    assert "plain average" in report.mask.text

    def upside_down(q, k, v, attn_mask=None):
        scores = dots(q, k) / math.sqrt(q.shape[-1])
        return softmax(scores if attn_mask is None else scores + -1e6 * attn_mask) @ v

    report = diagnose(upside_down)
    assert "True = hidden" in report.mask.text
    assert "adding -1e+06" in report.mask.text
    assert "Numbers are added" in diagnose(attention).mask.text


@pytest.mark.parametrize(("cap", "words"), [(5.0, "b = 5"), (50.0, "b = 50")])
def test_caps(cap, words):
    report = diagnose(lambda q, k, v: softmax(cap * np.tanh(dots(q, k) / math.sqrt(q.shape[-1]) / cap)) @ v)
    assert words in report.cap.text
    assert report.cap.value == pytest.approx(cap, rel=0.01)
    assert not report.problems
    early = diagnose(lambda q, k, v: softmax(cap * np.tanh(dots(q, k) / cap) / math.sqrt(q.shape[-1])) @ v)
    assert early.scale.formula == "1/√d_k"
    assert named(early, "cap", f"at {cap:g} on q·k before the scale")
    assert "none below about 600" in diagnose(attention).cap.text
    assert "cut off at 10" in diagnose(lambda q, k, v: softmax(np.clip(dots(q, k), -10, 10)) @ v).cap.text


def test_sinks_and_what_isn_t_a_softmax():
    def sink(size, shift=0.0):
        def function(q, k, v):
            scores = dots(q, k) / math.sqrt(q.shape[-1])
            exps = np.exp(scores - shift * scores.max(axis=-1, keepdims=True))
            return exps / (exps.sum(axis=-1, keepdims=True) + math.exp(size)) @ v

        return diagnose(function)

    assert sink(0.0).softmax.value == pytest.approx(0, abs=1e-6)
    assert "a sink with the score 0 (" in sink(0.0).softmax.text
    assert "a score of 20" in sink(0.0).float16.text
    assert not sink(0.0).problems
    assert sink(1.5).softmax.value == pytest.approx(1.5)
    assert named(sink(0.0, shift=1.0), "softmax", "after the row's maximum was subtracted")
    for words, function in {
        "the scores themselves": lambda s: s, "max(score, 0)": lambda s: np.maximum(s, 0), "exp(score)": np.exp,
    }.items():  # fmt: skip
        assert named(diagnose(lambda q, k, v, f=function: f(dots(q, k)) @ v), "softmax", words)
    for shift in (0.0, 2.0):
        report = diagnose(lambda q, k, v, shift=shift: 1 / (1 + np.exp(shift - dots(q, k))) @ v)
        assert "sigmoid" in report.softmax.text
        assert not report.problems
        assert report.scale.formula is None


def weighted(weigh):
    return lambda q, k, v: weigh(dots(q, k) / math.sqrt(q.shape[-1]), q, k) @ v


def test_scores_that_are_no_multiple_of_anything():
    """Never a wrong name: only what was seen is said."""
    of_dots = diagnose(weighted(lambda s, q, k: softmax(np.abs(s))))
    assert "a function of q·k but no multiple of it" in of_dots.score.text
    across = diagnose(weighted(lambda s, q, k: softmax(dots(q, k / (np.linalg.norm(k, axis=-2, keepdims=True) + 1)))))
    assert named(across, "score", "changes with the other keys")
    assert named(diagnose(weighted(lambda s, q, k: softmax(s)[..., ::-1])), "score", "paired wrongly")
    averaged = diagnose(weighted(lambda s, q, k: softmax(s.mean(axis=-2, keepdims=True) + 0 * s)))
    assert named(averaged, "score", "change with the other queries")
    twice = diagnose(weighted(lambda s, q, k: softmax(softmax(s))))
    assert named(twice, "check", "doesn't explain the weights")
    chosen = diagnose(weighted(lambda s, q, k: softmax(np.where(s < np.sort(s)[..., [-2]], -np.inf, s))))
    assert "depending on the scores" in chosen.score.text
    squared = diagnose(weighted(lambda s, q, k: np.maximum(s, 0) ** 2))
    assert named(squared, "softmax", "Rows sum to between"), squared
    for report in (of_dots, across, averaged, chosen):
        assert report.scale.formula is None
    assert "not everything could be determined" in str(of_dots)


def test_scores_that_lack_q_or_mix_heads():
    own = diagnose(weighted(lambda s, q, k: softmax(dots(k, k)[..., : q.shape[-2], :])))
    assert named(own, "score", "depend on k alone"), own
    mixed = diagnose(weighted(lambda s, q, k: 0.7 * softmax(s) + 0.3 * softmax(np.roll(s, 1, axis=1))))
    assert named(mixed, "score", "those of other heads"), mixed


def test_rounded_queries_and_keys_aren_t_taken_for_a_scale_of_0():
    def steps(x):
        return np.round(x / np.abs(x).max() * 127) * np.abs(x).max() / 127

    report = diagnose(lambda q, k, v: softmax(dots(steps(q), steps(k)) / math.sqrt(q.shape[-1])) @ v)
    assert named(report, "scale", None)
    assert "as if q and k were rounded" in report.scale.text


def test_masks_of_scores_that_are_no_dot_product():
    def additive(q, k, v, mask=None, late=False):
        scores = np.tanh(q[..., :, None, :] + k[..., None, :, :]).sum(axis=-1)
        hides = mask is not None and not late
        weights = softmax(np.where(mask, scores, -np.inf) if hides else scores)
        return (weights if mask is None or hides else weights * mask) @ v

    report = diagnose(additive)
    assert "True = may attend; hidden keys get exactly 0" in report.mask.text
    assert not report.problems, report
    late = diagnose(lambda q, k, v, mask=None: additive(q, k, v, mask, late=True))
    assert named(late, "mask", "applied after softmax"), late


def test_half_precision_inside_hides_no_wrong_width(torch):
    def function(q, k, v, more=0):
        scores = torch.from_numpy(q).bfloat16() @ torch.from_numpy(k).bfloat16().mT
        return (scores.float() * (q.shape[-1] + more) ** -0.5).softmax(-1).bfloat16().double().numpy() @ v

    assert diagnose(function).scale.formula == "1/√d_k"
    assert named(diagnose(lambda q, k, v: function(q, k, v, more=1)), "scale", None)


def test_what_overflows_in_float16():
    def exp_of_the_score(s, q, k):
        exps = np.exp(s)
        return exps / exps.sum(axis=-1, keepdims=True)

    far = -np.abs(np.arange(5)[:, None] - np.arange(7))
    for words, weigh in {
        "a score of 20, as exp does": exp_of_the_score,
        "the scale comes too late": lambda s, q, k: softmax(dots(q, k) / q.dtype.type(math.sqrt(q.shape[-1]))),
        "66,000, where": lambda s, q, k: softmax(dots(q, k) / 4 + far[: q.shape[-2], : k.shape[-2]].astype(q.dtype)),
        "150,000": lambda s, q, k: softmax(dots(q / q.dtype.type(math.sqrt(q.shape[-1])), k)),
        "holds": lambda s, q, k: softmax(dots(q.astype(float), k) / math.sqrt(q.shape[-1])),
    }.items():
        assert words in diagnose(weighted(weigh), keys=7, queries=5).float16.text


def test_a_factor_of_its_own_in_each_row():
    report = diagnose(weighted(lambda s, q, k: softmax(s * (1 + np.arange(q.shape[-2]))[:, None])))
    assert "each row of scores is q·k times a number of its own" in report.scale.text
    assert report.scale.formula is None
    assert len(report.problems) == 1, report


ADDED = {
    "q is added": lambda q, k, v: q,
    "v is added": lambda q, k, v: v,
    "Something is added": lambda q, k, v: 0.5,
}


@pytest.mark.parametrize("words", ADDED)
def test_a_wrong_scale_behind_something_added(words):
    report = diagnose(lambda q, k, v: scaled(SCALES["1/d_k"])(q, k, v) + ADDED[words](q, k, v))
    assert named(report, "values", words), report
    assert named(report, "scale", "1/d_k"), report
    assert len(report.problems) == 2, report


def test_grouped_heads():
    def grouped(repeat):
        def function(q, k, v):
            k, v = (repeat(x, q.shape[1] // x.shape[1]) for x in (k, v))
            return textbook(q, k, v)[0]

        return diagnose(function)

    assert "in blocks" in grouped(lambda x, n: np.repeat(x, n, axis=1)).groups.text
    assert named(grouped(lambda x, n: np.tile(x, (1, n, 1, 1))), "groups", "in turn")


def changes_its_input(q, k, v):
    q /= math.sqrt(q.shape[-1])
    return softmax(dots(q, k)) @ v


def drops(q, k, v):
    weights = textbook(q, k, v)[1]
    return weights * (np.random.default_rng().random(weights.shape) > 0.2) / 0.8 @ v


@pytest.mark.parametrize(
    ("function", "row", "words"),
    [
        (lambda q, k, v: 1 / 0, "call", "raised ZeroDivisionError (division by zero) for q (2, 3, 5, 16), k (2, 3,"),
        (lambda q, k, v: textbook(q, k, v)[0][..., :2], "call", "returned (2, 3, 5, 2); expected an output of shape"),
        (lambda q, k, v: None, "call", "returned NoneType"),
        (lambda q, k, v, rotary_table: q, "call", "asks for rotary_table"),
        (lambda q, k, v: textbook(q, k, v)[0] * np.nan, "values", "NaN"),
        (lambda q, k, v: textbook(q, k, k)[0] + 0 * v.sum(), "values", "doesn't depend on v"),
        (lambda q, k, v: textbook(q, k, v)[0] + q, "values", "q is added"),
        (lambda q, k, v: textbook(q, k, v)[0] + v, "values", "v is added"),
        (lambda q, k, v: np.tanh(textbook(q, k, v)[0]), "values", "isn't weights times values"),
        (lambda q, k, v: textbook(q, k, v)[0].swapaxes(1, 2).reshape(*q.shape[:3], -1), "heads", "a reshape where"),
        (changes_its_input, "inputs", "changed"),
        (drops, "random", "dropout"),
        (lambda q, k, v: textbook(q, k, v)[0] + np.random.default_rng().random(), "random", "different outputs"),
    ],
)  # fmt: skip
def test_what_can_t_be_probed_gets_a_sentence(function, row, words):
    assert named(diagnose(function), row, words), diagnose(function)


def test_sizes_a_factory_and_a_scale_that_s_meant():
    def make(d_model, heads):
        return lambda q, k, v: softmax(dots(q, k) / math.sqrt(d_model)) @ v

    assert diagnose(make=make).scale.formula == "1/√d_model"

    def fixed(q, k, v):
        if q.shape[1] != 8 or q.shape[-1] != 64:
            raise ValueError("8 heads of width 64")
        return softmax(dots(q, k) / 8) @ v

    report = diagnose(fixed, d_k=64, heads=8)
    assert "1/√d_k" in report.scale.text
    assert "1/heads" in report.scale.text
    assert report.scale.formula is None
    assert "raised ValueError" in diagnose(fixed).call.text
    assert not diagnose(scaled(SCALES["1/d_k"]), scale="1/d_k").problems
    assert diagnose(scaled(SCALES["0.125"])).scale.value == pytest.approx(0.125)


def test_a_report_is_text_data_and_a_picture(capsys):
    report = diagnose(WILD["B1 OPT"][0])
    scale, *_ = [line for line in str(report).splitlines() if "scale" in line]
    assert scale.startswith("! scale     1/d_k at every size tried")
    assert "OPT in transformers 4.52.0–4.52.3" in str(report)
    assert "variance 1/64 instead of 1" in " ".join(str(report).split())
    assert max(map(len, str(report).splitlines())) <= 112
    assert repr(report) == str(report)
    yours, right = report.weights
    assert yours.shape == right.shape == (5, 7)
    assert np.allclose(right.sum(axis=-1), 1)
    report._ipython_display_()
    assert "1 problem" in capsys.readouterr().out
    with pytest.raises(AttributeError):
        report.nonsense  # noqa: B018


def test_it_takes_less_than_two_seconds():
    start = time.perf_counter()
    diagnose(attention)
    assert time.perf_counter() - start < 2


def test_the_command(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(command.__file__.rsplit("sdpa_course", 1)[0])]))
    (tmp_path / "mine.py").write_text(
        "import time\n"
        "from sdpa_course import attention as right\n"
        "def wrong(q, k, v): return right(q, k, v, scale=1.0)\n"
        "def make(d_k): return lambda q, k, v: right(q, k, v, scale=1 / d_k)\n"
        "def slow(q, k, v): time.sleep(60)\n"
    )
    assert command.main(["diagnose", "mine:right"]) == 0
    assert "No problems found" in capfd.readouterr().out
    assert command.main(["diagnose", "mine:wrong"]) == 1
    assert "1 problem" in capfd.readouterr().out
    assert command.main(["diagnose", "mine:make", "--make", "--scale", "1/d_k"]) == 0
    assert command.main(["diagnose", "mine:nothing"]) == 2
    assert "mine:nothing: expected package.module:function" in capfd.readouterr().err
    assert command.main(["diagnose", "mine:slow", "--seconds", "3"]) == 3
    assert "mine:slow gave no answer within 3 seconds" in capfd.readouterr().err


def test_nothing_but_numpy_is_loaded():
    code = "import sys; from sdpa_course import attention, diagnose; diagnose(attention); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"torch", "matplotlib", "IPython"} & set(run.stdout.split())
