"""Every notebook run in a real JupyterLab, every slider in it moved by keyboard."""

import pkgutil
from importlib import import_module
from pathlib import Path

import nbformat
import pytest
from driving import drive, fresh
from lab import ROOT, NotebookPage, explorers_of

from sdpa_course import explore

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MODULES = [import_module(f"sdpa_course.explore.{module.name}") for module in pkgutil.iter_modules(explore.__path__)]
EXPLORERS = {name: value for module in MODULES for name, value in vars(module).items() if name.endswith("_explorer")}


def names_in(path: Path) -> list[str]:
    return explorers_of(nbformat.read(path, as_version=4).cells)


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
        drive(slider, fresh(EXPLORERS[name]))
    assert len(page.sliders()) == len(names)
    assert page.outputs_of("error") == []
    assert page.outputs_of("stderr") == []
    assert page.complaints == []
    page.close()
