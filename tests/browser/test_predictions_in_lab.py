"""Predictions in a real JupyterLab: made by mouse and by keyboard alone, remembered when the kernel restarts."""

import json

import nbformat
import pytest

from tests.predictions import KINDS, Prediction, notebook, use_by_keyboard, use_by_mouse, use_scores
from tools import run_notebooks
from tools.lab import NotebookPage

FOLD = ".predict-fold > summary:visible"
RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
RUN = """code => jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestExecute({ code }).done
    .then(reply => reply.content.status)"""
ACTIVATE = """number => {
  const notebook = jupyterapp.shell.currentWidget.content;
  Object.assign(notebook, { mode: 'command', activeCellIndex: number });
  notebook.activate();
}"""


@pytest.fixture
def name(lab, tmp_path):
    nbformat.write(notebook(), tmp_path / "predictions.ipynb")
    return lab.add(tmp_path / "predictions.ipynb")


def test_a_reader_predicts(browser, lab, name):
    page = NotebookPage(browser, lab, name)
    page.run_all()
    shown = page.page.locator(".jp-Cell-outputArea").all_inner_texts()
    assert "SECRET" not in "".join(shown)
    assert page.page.locator(FOLD).count() == 0  # the form stands in its place
    for cell, kind in enumerate(KINDS, start=1):
        use_by_mouse(Prediction(page.page, kind))
        page.page.evaluate(ACTIVATE, cell)
        use_by_keyboard(Prediction(page.page, kind))
    assert page.scrolling() == []
    stored = json.loads((lab.folder / "guesses.json").read_text(encoding="utf-8"))["guesses"]
    assert stored["test/number"]["guess"] == 51
    assert stored["test/number"]["gap"] == pytest.approx((51 - 22.6) / 100)
    assert stored["test/pick"]["gap"] == 1
    assert 0.2 < stored["test/curve"]["gap"] < 0.4

    page.page.evaluate(RESTART)
    page.page.locator(FOLD).nth(2).wait_for()
    assert page.page.locator(".predict:visible").count() == 0
    assert "SECRET" not in "".join(page.page.locator(".jp-Cell-outputArea").all_inner_texts())
    page.run_all()
    assert all(Prediction(page.page, kind).committed() for kind in KINDS)

    use_scores(page.page)
    for kind in KINDS:
        Prediction(page.page, kind).press("Just show me")
    assert page.page.evaluate(RUN, "forget('test/pick')") == "ok"
    page.page.get_by_text("Just show me").wait_for()
    assert [Prediction(page.page, kind).committed() for kind in KINDS] == [False, True, True]
    assert page.page.evaluate(RUN, "forget()") == "ok"
    page.page.get_by_text("Just show me").nth(2).wait_for()
    assert not any(Prediction(page.page, kind).committed() for kind in KINDS)
    assert page.complaints + page.outputs_of("error") + page.outputs_of("stderr") == []
    page.close()


def test_a_saved_copy_shows_the_fold_and_no_error(browser, lab, name):
    page = NotebookPage(browser, lab, name)
    page.run_all()
    page.page.evaluate("() => jupyterapp.commands.execute('docmanager:save')")
    page.close()
    again = NotebookPage(browser, lab, name)
    again.page.locator(FOLD).nth(2).wait_for()
    again.page.wait_for_timeout(1000)
    texts = "".join(again.page.locator(".jp-Cell-outputArea").all_inner_texts())
    assert "Error displaying widget" not in texts
    assert "SECRET" not in texts
    again.page.locator(FOLD).first.click()
    assert "SECRET: steps cancel" in again.page.locator(".predict-stored").first.inner_text()
    again.close()


def test_a_fresh_clone_has_the_answers_folded(browser, lab, tmp_path):
    """JupyterLab doesn't trust a notebook that somebody else has run, and takes scripts and styles out of it."""
    path = tmp_path / "cloned.ipynb"
    nbformat.write(notebook(), path)
    run_notebooks.run(path)
    page = NotebookPage(browser, lab, lab.add(path))
    assert "SECRET" not in "".join(page.page.locator(".jp-Cell-outputArea").all_inner_texts())
    for fold in page.page.locator(FOLD).all():
        fold.click()
    told = page.page.locator(".predict-stored").all_inner_texts()
    assert [text.count("SECRET:") for text in told] == [1, 1, 1, 0]
    widths = page.page.locator(".predict-stored img:visible").evaluate_all("images => images.map(i => i.naturalWidth)")
    assert len(widths) == 2
    assert min(widths) > 100
    page.close()
