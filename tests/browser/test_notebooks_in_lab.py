"""Every notebook run in a real JupyterLab, every slider in it moved by keyboard."""

from pathlib import Path

import nbformat
import pytest

from lectures.cut import sliders_of
from sdpa_course.explore import all_explorers
from tests.browser.driving import drive
from tools.lab import NotebookPage

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
EXPLORERS = all_explorers()


def names_in(path: Path) -> list[str]:
    return sliders_of(nbformat.read(path, as_version=4))


def test_every_slider_stands_in_a_notebook():
    assert sorted(name for path in NOTEBOOKS for name in names_in(path)) == sorted(EXPLORERS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_its_sliders_move(browser, lab, path):
    page = NotebookPage(browser, lab, lab.add(path))
    page.run_all()
    assert page.outputs_of("error") == []
    assert page.outputs_of("stderr") == []
    assert page.scrolling() == []
    names, sliders = names_in(path), page.sliders()
    assert len(sliders) == len(names)
    for name, slider in zip(names, sliders, strict=True):
        drive(slider, EXPLORERS[name]())
    assert len(page.sliders()) == len(names)
    assert page.outputs_of("error") == []
    assert page.outputs_of("stderr") == []
    assert page.complaints == []
    page.close()
