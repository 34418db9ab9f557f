"""Notebook 11: verdicts follow from measured parts, agree with the other notebooks, and change with the code."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from sdpa_course.experiments.ablation import Cell
from sdpa_course.experiments.estimates import Estimate
from sdpa_course.experiments.row_gradients import Learned, Ratios, WithoutScale, ratios, without_scale
from sdpa_course.figures import new
from sdpa_course.figures.claims import LOOKS, LOWEST, folk_claims, verdict_grid
from sdpa_course.kernels import _arguments, scores
from sdpa_course.trial import (
    CLAIMS,
    THEMES,
    count_verdicts,
    decide,
    gradients,
    shapes,
    show_verdicts,
    training,
    try_claims,
    variance,
)
from sdpa_course.trial import softmax as trial_softmax
from sdpa_course.trial.claims import Part, Trial, Verdict, claim, describe_gap
from sdpa_course.trial.tables import markdown_table, plain_table

ROOT = Path(__file__).parent.parent
HOLDS = {"C01", "C02", "C05", "C10", "C28"}
FAILS = {"C13", "C16", "C22", "C23", "C24", "C25", "C26", "C27"}
PARTIAL = {("04", "C07")}  # "as far as softmax goes": a part of the claim, decided in notebook 06
SAID = re.compile(r"\bC[0-2]\d\b|Verdict: \*\*(holds|half true|fails)\*\*")


@pytest.fixture(scope="module")
def trials() -> dict[str, Trial]:
    return {trial.claim.id: trial for theme in THEMES for trial in try_claims(theme)}


def printed_verdicts(path: Path) -> dict[str, set[str]]:
    """claim -> verdicts that stand in a notebook's text: each belongs to the claim that was named last before it."""
    found = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            last = None
            for match in SAID.finditer("".join(cell["source"])):
                if match[1] is None:
                    last = match[0]
                elif last:
                    found.setdefault(last, set()).add(match[1])
    return found


# the register


def test_every_claim_is_there_once_and_knows_where_it_was_decided():
    assert sorted(CLAIMS) == [f"C{number:02d}" for number in range(1, 30)]
    assert {claim.theme for claim in CLAIMS.values()} == set(THEMES)
    assert all(len(of_theme(theme)) <= 10 for theme in THEMES)
    for id, registered in CLAIMS.items():
        assert (ROOT / "notebooks" / f"{registered.notebook}.ipynb").exists()
        assert len(registered.statement.split()) >= 5, id


def of_theme(theme):
    return [claim for claim in CLAIMS.values() if claim.theme == theme]


def test_an_id_that_is_taken_is_refused():
    with pytest.raises(ValueError, match="id: got 'C02', which scaled_variance_is_1 already has"):
        claim("C02", "02_variance", short="twice")(lambda seed: ({}, {}))


def test_unknown_theme_is_refused():
    with pytest.raises(ValueError, match="theme: got 'colour', expected one of variance"):
        try_claims("colour")


# verdicts


def test_verdict_follows_from_the_parts():
    assert decide([True, True]) is Verdict.HOLDS
    assert decide([False]) is Verdict.FAILS
    assert decide(part for part in (True, False, False)) is Verdict.HALF_TRUE
    with pytest.raises(ValueError, match="met: got no part"):
        decide([])


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_verdict_is_what_the_course_found(trials, name):
    expected = "holds" if name in HOLDS else "fails" if name in FAILS else "half true"
    assert trials[name].verdict == expected


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_parts_are_told_with_numbers(trials, name):
    trial = trials[name]
    for part in trial.parts:
        assert isinstance(part.met, bool)  # not np.bool: `is` and JSON shall work
        assert re.search(r"\d", part.evidence), part
    if trial.verdict == "half true":
        assert {part.met for part in trial.parts} == {True, False}
    assert all(math.isfinite(number) for number in trial.numbers.values())


def test_verdicts_are_those_printed_in_the_other_notebooks(trials):
    """Of every notebook that gives one; the one that decided a claim must give it."""
    decided = set()
    for path in sorted((ROOT / "notebooks").glob("[01]*.ipynb")):
        if path.name.startswith("11"):
            continue
        for name, verdicts in printed_verdicts(path).items():
            if (path.name[:2], name) not in PARTIAL:
                assert verdicts == {str(trials[name].verdict)}, f"{name} in {path.name}"
                if CLAIMS[name].notebook == path.stem:
                    decided.add(name)
    assert decided == set(CLAIMS)


def test_the_reader_of_verdicts_can_read():
    path = ROOT / "notebooks" / "00_start_here.ipynb"
    assert printed_verdicts(path)["C23"] == {"fails"}
    assert printed_verdicts(path)["C10"] == {"holds"}


@pytest.mark.parametrize("name", sorted(set(CLAIMS) - {"C18", "C19", "C20"}))
def test_another_seed_gives_the_same_verdict(trials, name):
    assert CLAIMS[name].try_it(77).verdict == trials[name].verdict


# a wrong kernel changes a verdict


def try_again(name: str) -> Trial:
    """The trial of a claim from its own seed."""
    return CLAIMS[name].try_it(CLAIMS[name].seed)


@pytest.mark.parametrize("wrong", [lambda d_k: 1 / d_k, lambda d_k: 1.0, lambda d_k: 1.05 / math.sqrt(d_k)])
def test_wrong_default_scale_breaks_c02(monkeypatch, wrong):
    right = _arguments.check_scale
    monkeypatch.setattr(scores, "check_scale", lambda s, d_k, dtype: wrong(d_k) if s is None else right(s, d_k, dtype))
    assert try_again("C02").verdict != "holds"


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
    assert [part.met for part in try_again("C07").parts] == [True, False, False]
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
        replaced = grid in training.GRIDS.values() and values["d_k"] in widths
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
        training.stored_mean(grid, "steps_to_90", d_k=512, scale=scale)
        for grid in ("after training", "after training, SGD")
        for scale in ("1/d_k", "1/sqrt(d_k)")
    ]
    assert steps == pytest.approx([72, 44, 328, 40], abs=0.5)


# tables and figures


def test_tables_show_every_part_and_link_to_the_notebook(trials):
    chosen = [trials["C08"], trials["C28"]]
    table, text = markdown_table(chosen), plain_table(chosen)
    rows = table.splitlines()
    assert len(rows) == 4
    assert {row.count("|") for row in rows} == {6}  # nothing inside a cell breaks the table
    assert "| ◐\N{NO-BREAK SPACE}**half\N{NO-BREAK SPACE}true** | [06](06_attention_gradient.ipynb) |" in rows[2]
    for trial in chosen:
        for part in trial.parts:
            assert f"{'✓' if part.met else '✗'} *{part.says}*: {part.evidence}" in table
            assert f"{'✓' if part.met else '✗'} {part.says}: {part.evidence}" in text


def test_no_table_is_broken_by_its_text(trials):
    for row in markdown_table(list(trials.values())).splitlines():
        assert row.count("|") == 6, row


def test_verdicts_are_shown_as_markdown_and_as_text(monkeypatch, trials):
    shown = []
    monkeypatch.setattr("sdpa_course.trial.tables.display", lambda data, raw: shown.append(data))
    show_verdicts([trials["C10"]])
    assert set(shown[0]) == {"text/markdown", "text/plain"}
    assert "0.9820" in shown[0]["text/plain"]


def test_counts(trials):
    assert count_verdicts(list(trials.values())) == {"holds": 5, "half true": 16, "fails": 8}


def test_grid_has_a_tile_for_each_claim():
    groups = {"one": [("C01", "a", "holds"), ("C02", "b", "fails")], "two": [("C03", "c", "half true")]}
    _, ax = new()
    alt = verdict_grid(ax, groups)
    assert len(ax.patches) == 3
    texts = [text.get_text() for text in ax.texts]
    for word in ("one", "two", "C01", "C03", "holds", "half true", "fails", *(LOOKS[v][0] for v in LOOKS)):
        assert word in texts
    assert "1 holds, 1 half true, 1 fails" in alt
    assert "fails: C02" in alt


def test_folk_claims_draws_what_it_is_given():
    _, axes = new(1, 2)
    pairs = [(optimiser, scale) for optimiser in ("SGD", "Adam") for scale in ("1", "1/sqrt(d_k)")]
    lines = tuple(Learned(*pair, (8, 64), (0.9, 0.1 * i)) for i, pair in enumerate(pairs))
    alt = folk_claims(axes, WithoutScale(64, 32, 3, Ratios(100.0, 1e-9, 1.2, 0.5), lines, False, False, False))
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
    wide = without_scale(512)
    assert (wide.norm_explodes, wide.norm_vanishes, wide.median_vanishes) == (True, False, True)
    narrow = without_scale(1, 8, 1.5)
    assert (narrow.norm_explodes, narrow.norm_vanishes, narrow.median_vanishes) == (False, False, False)
    assert not without_scale(64).median_vanishes
    for line in wide.learned:
        grid = training.GRIDS[line.optimiser]
        cells = [training.stored_cell(grid, d_k=d_k, scale=line.scale) for d_k in line.widths]
        assert line.accuracies == tuple(cell.values("accuracy").mean() for cell in cells)


def test_ratios_are_about_those_of_the_trials(trials):
    """Another draw: the rms within a quarter, the spread of the scores exactly √d_k."""
    found = ratios(64, 64)
    assert found.score_std == pytest.approx(8)
    assert found.rms == pytest.approx(trials["C07"].numbers["ratio_64"], rel=0.25)


def test_a_trial_without_parts_has_no_verdict():
    with pytest.raises(ValueError, match="no part"):
        _ = Trial(CLAIMS["C01"], [], {}).verdict
    assert Trial(CLAIMS["C01"], [Part("a", True, "1")], {}).verdict == "holds"
