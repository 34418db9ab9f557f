"""Notebook 12: verdicts follow from measured parts, agree with the other notebooks, and change with the code."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from sdpa_course.experiments.ablation import Cell
from sdpa_course.experiments.estimates import Estimate
from sdpa_course.experiments.row_gradients import Ratios, WithoutScale, ratios, without_scale
from sdpa_course.explore import folk_explorer
from sdpa_course.figures import new
from sdpa_course.figures.claims import LOWEST, folk_claims
from sdpa_course.kernels import _arguments, scores
from sdpa_course.trial import (
    CLAIMS,
    THEMES,
    always,
    count_verdicts,
    decide,
    gradients,
    happens,
    reason,
    shapes,
    show_parts,
    show_verdicts,
    training,
    try_claims,
    variance,
)
from sdpa_course.trial import softmax as trial_softmax
from sdpa_course.trial.claims import Trial, Verdict, claim, describe_gap
from sdpa_course.trial.tables import markdown_table, plain_table

ROOT = Path(__file__).parent.parent
VERDICTS = {
    "holds": {"C01", "C05", "C10", "C28"},
    "not shown": {"C06", "C18", "C30"},
    "fails": {"C09", "C12", "C13", "C14", "C22", "C23", "C24", "C25", "C26", "C27"},
}
QUOTED = re.compile(r"\((C\d\d): ([a-z ]+)\)")  # how a text quotes a verdict: (C08: holds if)
TEXTS = [
    *(ROOT / "docs").glob("*.md"),
    ROOT / "README.md",
    *(ROOT / f"notebooks/{name}.ipynb" for name in ("00_start_here", "06_attention_gradient", "12_verdict")),
]


@pytest.fixture(scope="module")
def trials() -> dict[str, Trial]:
    return {trial.claim.id: trial for theme in THEMES for trial in try_claims(theme)}


# the register


def test_every_claim_is_there_once_and_knows_where_it_was_decided():
    assert sorted(CLAIMS) == [f"C{number:02d}" for number in range(1, 33)]
    assert {claim.theme for claim in CLAIMS.values()} == set(THEMES)
    assert all(len(of_theme(theme)) <= 10 for theme in THEMES)
    for id, registered in CLAIMS.items():
        assert (ROOT / "notebooks" / f"{registered.notebook}.ipynb").exists()
        assert len(registered.statement.split()) >= 5, id
        assert registered.instead.endswith("."), id
        assert registered.number, id


def of_theme(theme):
    return [claim for claim in CLAIMS.values() if claim.theme == theme]


def test_an_id_that_is_taken_is_refused():
    with pytest.raises(ValueError, match="id: got 'C02', which scaled_variance_is_1 already has"):
        claim("C02", "02_variance", short="twice", number="", instead="")(lambda seed: ([], {}))


def test_unknown_theme_is_refused():
    with pytest.raises(ValueError, match="theme: got 'colour', expected one of variance"):
        try_claims("colour")


# verdicts


def parts(happened=True, explained=True, remains=True):
    return [happens("a", happened, "1"), reason("b", explained, "1"), always("c", remains, "1")]


def test_the_first_no_decides():
    assert decide(parts()) is Verdict.HOLDS
    assert decide(parts(remains=False)) is Verdict.HOLDS_IF
    assert decide(parts(explained=False, remains=False)) is Verdict.NOT_SHOWN
    assert decide(parts(happened=False, explained=False)) is Verdict.FAILS
    assert decide(part for part in reversed(parts(explained=False))) is Verdict.NOT_SHOWN
    for nothing in ([], parts()[1:]):
        with pytest.raises(ValueError, match="parts: got none that says what happens"):
            decide(nothing)


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_verdict_is_what_the_course_found(trials, name):
    expected = next((verdict for verdict, names in VERDICTS.items() if name in names), "holds if")
    assert trials[name].verdict == expected


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_a_trial_is_told_with_numbers(trials, name):
    trial = trials[name]
    for part in trial.parts:
        assert isinstance(part.met, bool)  # not np.bool: `is` and JSON shall work
        assert re.search(r"\d", part.evidence), part
    assert re.search(r"\d", trial.number)
    assert "{" not in trial.number + trial.instead
    assert len(trial.instead.split()) <= 60
    assert bool(trial.claim.condition) == (trial.verdict == "holds if")
    assert trial.ruling == f"{trial.verdict} {trial.claim.condition}".strip()
    assert all(math.isfinite(number) for number in trial.numbers.values())


def test_quoted_verdicts_are_those_of_the_trials(trials):
    """Wherever a text quotes one as (C08: holds if); and the old words are gone."""
    quoted = {}
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        assert "half true" not in text, path.name
        for name, verdict in QUOTED.findall(text):
            assert verdict == trials[name].verdict, f"{name} in {path.name}"
            quoted.setdefault(path.name, set()).add(name)
    assert len(quoted["instructor-guide.md"]) >= 4
    assert len(quoted["questions.md"]) >= 4


def test_the_guide_counts_as_the_trials_do(trials):
    counts = count_verdicts(list(trials.values()))
    guide = " ".join((ROOT / "docs" / "instructor-guide.md").read_text(encoding="utf-8").split())
    pattern = r"Of (\d+) things .*?, (\d+) hold, (\d+) hold on a condition, (\d+) aren't shown and (\d+) fail"
    said = re.search(pattern, guide)
    assert [int(number) for number in said.groups()] == [len(trials), *counts.values()]


def test_numbers_in_the_text_of_a_claim_are_those_measured(trials):
    trial = trials["C04"]
    assert f"{trial.numbers['variance_8']:.4f}" in trial.number
    assert trials["C09"].number.endswith("−0.45")  # a real minus sign
    assert "29 %" not in trials["C15"].number
    assert "89 %" in trials["C15"].number


@pytest.mark.parametrize("name", sorted(set(CLAIMS) - {"C18", "C19", "C20", "C30", "C31"}))
def test_another_seed_gives_the_same_verdict(trials, name):
    assert CLAIMS[name].try_it(77).verdict == trials[name].verdict


# a wrong kernel changes a verdict


def try_again(name: str) -> Trial:
    """The trial of a claim from its own seed."""
    return CLAIMS[name].try_it()


@pytest.mark.parametrize("wrong", [lambda d_k: 1 / d_k, lambda d_k: 1.0, lambda d_k: 1.05 / math.sqrt(d_k)])
def test_wrong_default_scale_breaks_c02(monkeypatch, wrong):
    right = _arguments.check_scale
    monkeypatch.setattr(scores, "check_scale", lambda s, d_k, dtype: wrong(d_k) if s is None else right(s, d_k, dtype))
    assert try_again("C02").verdict == "fails"


def test_dot_product_that_forgets_an_entry_breaks_c01(monkeypatch):
    forward = scores.dot_scores_forward
    monkeypatch.setattr(
        variance, "dot_scores_forward", lambda q, k, **kw: forward(q * (np.arange(q.shape[-1]) > 0), k, **kw)
    )
    assert try_again("C01").verdict == "fails"


def test_softmax_without_the_maximum_makes_c06_hold(monkeypatch):
    monkeypatch.setattr(trial_softmax, "softmax_forward", trial_softmax.softmax_naive)
    assert try_again("C06").verdict == "holds"


def test_weights_that_do_not_sum_to_one_make_c25_hold(monkeypatch):
    monkeypatch.setattr(shapes, "softmax_forward", lambda s: np.exp(s - s.max(axis=-1, keepdims=True)))
    trial = try_again("C25")
    assert trial.verdict == "holds"
    assert "equal" not in trial.parts[0].evidence


def test_diagonal_jacobian_makes_c09_hold(monkeypatch):
    """If softmax did not tie the weights together, p(1 − p) would be all there is."""
    monkeypatch.setattr(gradients, "softmax_forward", lambda s: 1 / (1 + np.exp(-s)))
    assert try_again("C09").verdict == "holds"


def changed_accounts(monkeypatch, **changes):
    """The unscaled account at d_k = 4096 with some numbers replaced."""
    right = gradients.accounts

    def wrong(scale, seed):
        found = dict(right(scale, seed))
        if scale == "1":
            found[4096] = found[4096]._replace(**changes)
        return found

    monkeypatch.setattr(gradients, "accounts", wrong)


def test_c07_softmax_is_blamed_if_the_ratio_outgrows_the_missing_factor(monkeypatch):
    assert [part.met for part in try_again("C07").parts] == [True, True, False, False]
    changed_accounts(monkeypatch, rms=Estimate(100.0, 1.0))
    assert try_again("C07").verdict == "holds"


def test_c08_is_no_close_call_and_fails_if_the_typical_row_lives(monkeypatch):
    numbers = try_again("C08").numbers
    assert numbers["scaled_4096"] > 1000 * numbers["median_4096"]
    changed_accounts(monkeypatch, median=Estimate(numbers["scaled_4096"] / 50, 0.0))
    assert try_again("C08").verdict == "fails"


def test_described_gaps_tell_rounding_from_error():
    assert describe_gap(0.0) == describe_gap(9e-13) == "equal to 12 digits"
    assert describe_gap(2e-12) == "off by up to 2e-12"


# stored runs


def test_cells_have_the_seeds_asked_for():
    found = training.stored_cell("reverse", d_k=64, scale="1/sqrt(d_k)")
    assert isinstance(found, Cell)
    assert [run.seed for run in found.runs] == list(range(10))
    assert found.runs[0].setting["d_k"] == 64


@pytest.mark.parametrize(("values", "count"), [({"d_k": 7}, 0), ({"d_k": 64}, 2)])
def test_values_that_do_not_name_one_cell_are_refused(values, count):
    with pytest.raises(ValueError, match=rf"values: got {values}, which {count} cells of 'reverse' have; expected one"):
        training.stored_cell("reverse", **values)


def scale_instead(monkeypatch, widths):
    """Give C19 the scaled runs of reverse in place of the unscaled ones, at these widths."""
    plain = training.stored_cell

    def changed(grid, **values):
        replaced = grid in training.REVERSE_GRIDS.values() and values["d_k"] in widths
        return plain(grid, **values | {"scale": "1/sqrt(d_k)"} if replaced else values)

    monkeypatch.setattr(training, "stored_cell", changed)


def test_c19_turns_if_unscaled_models_learn(monkeypatch):
    scale_instead(monkeypatch, {8, 16, 64, 512})
    assert try_again("C19").verdict == "fails"


def test_c19_asks_for_64_too(monkeypatch):
    """If only 512 suffers, one part of the claim is lost."""
    met = [part.met for part in try_again("C19").parts]
    scale_instead(monkeypatch, {64})
    assert (met[:2], [part.met for part in try_again("C19").parts[:2]]) == ([True, True], [True, False])


def test_c30_holds_if_nothing_else_would_do(monkeypatch):
    """A head that can't learn with smaller weights, and learns with larger ones, would need the division."""
    plain = training.stored_cell

    def swapped(grid, **values):
        other = {"folded": ("hot", "1/sqrt(d_k)"), "hot": ("folded", "1")}.get(values.get("init"))
        return plain(grid, **values | ({"init": other[0], "scale": other[1]} if other else {}))

    monkeypatch.setattr(training, "stored_cell", swapped)
    assert [part.met for part in try_again("C30").parts] == [True, True, True, False]


def test_c31_would_hold_for_a_model_that_stayed_where_it_started(monkeypatch):
    heads = {"variance": np.ones((3, 4)), "top": np.full((3, 4), 0.2)}
    monkeypatch.setattr(training, "stored_reading", lambda: {"heads": heads})
    assert [part.met for part in try_again("C31").parts] == [True, True, True, False]


def test_c04_is_late_where_the_model_is_wider_than_the_head():
    numbers = try_again("C04").numbers
    assert numbers["model"] > 1.5 * numbers["root"]


def test_c18_needs_a_sharp_model(monkeypatch):
    blunt = training.stored_cell("recall", d_k=16, scale="1/d_k", learning_rate=0.003)
    plain = training.stored_cell
    monkeypatch.setattr(
        training, "stored_cell", lambda grid, **values: blunt if grid == "recall" else plain(grid, **values)
    )
    with pytest.raises(ValueError, match=r"top: got a mean top weight of 0\.88, expected a sharp model"):
        try_again("C18")


def test_steps_of_recall_are_those_of_notebook_09():
    steps = [
        training.stored_cell(grid, d_k=512, scale=scale).mean("steps_to_90")
        for grid in ("after training", "after training, SGD")
        for scale in ("1/d_k", "1/sqrt(d_k)")
    ]
    assert steps == pytest.approx([72, 44, 328, 40], abs=0.5)


# tables and figures


def test_the_table_has_verdict_number_and_what_to_say(trials):
    chosen = [trials["C08"], trials["C28"]]
    table, text = markdown_table(chosen), plain_table(chosen)
    rows = table.splitlines()
    assert len(rows) == 6  # a head, a rule, and for each of two themes a title and a claim
    assert {row.count("|") for row in rows} == {6}  # nothing inside a cell breaks the table
    assert "| ◐ **holds if** the head is wide" in rows[3]
    assert "| [06](06_attention_gradient.ipynb) |" in rows[3]
    for trial in chosen:
        for words in (trial.number, trial.instead):
            assert words in table
            assert words in text
        assert trial.ruling in text


def test_no_table_is_broken_by_its_text(trials):
    for row in markdown_table(list(trials.values())).splitlines():
        assert row.count("|") == 6, row


def test_verdicts_and_parts_are_shown_as_markdown_and_as_text(monkeypatch, trials):
    shown = []
    monkeypatch.setattr("sdpa_course.trial.tables.display", lambda data, raw: shown.append(data))
    show_verdicts([trials["C10"]])
    show_parts(trials["C18"])
    show_verdicts([trials["C10"], trials["C08"]], first=["C08"])
    folded = shown.pop()
    assert folded["text/markdown"].index("C08") < folded["text/markdown"].index("<details>")
    assert folded["text/markdown"].index("<details>") < folded["text/markdown"].index("C10")
    assert "C10" in folded["text/plain"]
    assert [set(data) for data in shown] == [{"text/markdown", "text/plain"}] * 2
    assert "0.9820" in shown[0]["text/plain"]
    assert shown[1]["text/plain"].endswith("So it not shown.") is False
    for part in trials["C18"].parts:
        for data in shown[1].values():
            assert part.says in data
            assert part.evidence in data
            assert part.asks in data


def test_counts(trials):
    assert count_verdicts(list(trials.values())) == {"holds": 4, "holds if": 15, "not shown": 3, "fails": 10}


def test_folk_claims_draws_what_it_is_given():
    _, axes = new(1, 2)
    pairs = [(optimiser, scale) for optimiser in ("SGD", "Adam") for scale in ("1", "1/sqrt(d_k)")]
    lines = {pair: {8: 0.9, 64: 0.1 * i} for i, pair in enumerate(pairs)}
    alt = folk_claims(axes, WithoutScale(64, 32, 3, Ratios(100.0, 1e-9, 1.2, 0.5), lines))
    marks = {line.get_marker(): line.get_xydata() for line in axes[0].lines}
    np.testing.assert_allclose(marks["o"], [(2, 4), (math.log10(1.2), 2), (math.log10(0.5), 1)])
    np.testing.assert_allclose(marks["<"], [(LOWEST, 3)])  # lies beyond
    assert [line.get_ydata()[1] for line in axes[1].lines[:4]] == pytest.approx([0, 0.1, 0.2, 0.3])
    assert "● SGD, no scale\n■ SGD, 1/√dₖ\n▲ Adam, no scale\n▼ Adam, 1/√dₖ" in [t.get_text() for t in axes[1].texts]
    for words in (
        "spread of the scores times 100, grows",
        "mean norm of J times 1e-09, shrinks",
        "rms row of dQ times 1.2, neither",
        "d_k = 64 with 32",
        "SGD, no scale 0.90, 0.00; SGD, 1/√d_k 0.90, 0.10",
    ):
        assert words in alt


def test_the_slider_agrees_with_the_claims():
    explorer, wide = folk_explorer(), without_scale(512)
    assert list(explorer.view(d_k=512).numbers.values()) == ["yes", "no", "yes"]
    assert list(explorer.view(d_k=1, n=8, factor=1.5).numbers.values()) == ["no", "no", "no"]
    assert explorer.view(d_k=64).numbers["The typical query's vanishes"] == "no"
    assert list(wide.learned) == [(name, scale) for name in ("SGD", "Adam") for scale in ("1", "1/sqrt(d_k)")]
    for (name, scale), accuracies in wide.learned.items():
        grid = training.REVERSE_GRIDS[name]
        cells = {d_k: training.stored_cell(grid, d_k=d_k, scale=scale) for d_k in (8, 16, 64, 512)}
        assert accuracies == {d_k: cell.values("accuracy").mean() for d_k, cell in cells.items()}


def test_ratios_are_about_those_of_the_trials(trials):
    """Another draw: the rms within a quarter, the spread of the scores exactly √d_k."""
    found = ratios(64, 64)
    assert found.score_std == pytest.approx(8)
    assert found.rms == pytest.approx(trials["C07"].numbers["ratio_64"], rel=0.25)


def test_a_trial_without_parts_has_no_verdict():
    with pytest.raises(ValueError, match="got none"):
        _ = Trial(CLAIMS["C01"], [], {}).verdict
    assert Trial(CLAIMS["C01"], [happens("a", True, "1")], {}).verdict == "holds"
