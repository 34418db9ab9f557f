"""JupyterLite in the built site: notebooks run in the browser with the numbers they were stored with, work is kept.

Nothing may come from another machine: the site that is tested is built with `--offline`. `make test-site ALL=1` runs
every notebook and problem set there, which takes half an hour; without it, notebooks 00–08 and one problem set.
"""

import contextvars
import json
import os
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell

from docs.site import lite, pyodide_bundle
from lectures.cut import sliders_of
from sdpa_course.browser import adapt
from sdpa_course.explore import all_explorers
from tests.site.lite_page import LitePage, Reader, code_cells, differences, seconds_of
from tests.site.serving import Serving
from tools.lab import there_and_back

ROOT = Path(__file__).parents[2]
ALL = os.environ.get("SDPA_LITE") == "all"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb" if ALL else "0[0-8]_*.ipynb"))
SOLVED = sorted((ROOT / "solutions").glob("*/*.ipynb" if ALL else "ps03/*.ipynb"))
RELEASED = sorted((ROOT / "exercises").glob("*/*.ipynb" if ALL else "ps03/*.ipynb"))
WITH_TORCH = "A1_pytorch"  # stored with what PyTorch says; the browser has none
PATIENCE = 1200 if ALL else 400  # seconds for one notebook, with Python's start; the machine may be busy
KEPT = "notebooks/03_softmax.ipynb"
OTHER = "notebooks/04_softmax_gradient.ipynb"


@pytest.fixture(scope="module")
def reader(browser, address):
    """Somebody who opens one notebook after the other."""
    reader = Reader(browser, f"{address}/lite")
    yield reader
    reader.close()


def read(path: Path):
    return nbformat.read(path, as_version=4)


def link_targets(path: Path) -> list[str]:
    """Files that a notebook's text links to."""
    text = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    return re.findall(r"\]\(([^)#:\s]+)[^):]*\)", text)


def test_it_says_how_far_python_is(reader):
    page = reader.open(KEPT).page
    page.wait_for_selector("#starting:has-text('Step')", timeout=60_000)
    page.wait_for_selector("#starting:has-text('Python is ready')", timeout=1000 * PATIENCE)
    assert page.evaluate("jupyterapp.shell.currentWidget.sessionContext.session.kernel.status") in ("idle", "busy")
    page.wait_for_selector("#starting", state="detached")
    page.close()


def test_every_link_of_a_notebook_leads_to_a_file_that_is_there_too():
    contents = {path for pattern in lite.CONTENTS for path in ROOT.glob(pattern)}
    notebooks = sorted(path for path in contents if path.suffix == ".ipynb")
    assert len(notebooks) > 20
    for path in notebooks:
        for target in link_targets(path):
            assert (path.parent / target).resolve() in contents, f"{path.name} links to {target}"


def test_the_bundled_pyodide_is_the_one_that_the_kernel_loads_otherwise():
    constants = pytest.importorskip("jupyterlite_pyodide_kernel.constants")
    assert pyodide_bundle.VERSION == constants.PYODIDE_VERSION


def test_without_wheels_for_the_browser_one_sentence_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("SDPA_WASM_WHEELS", str(tmp_path))
    with pytest.raises(SystemExit, match=r"^sdpa-course: .* of kiwisolver, matplotlib, numpy, pillow, and .* has none"):
        pyodide_bundle.wasm_wheels()


def test_print_options_hold_from_cell_to_cell(capsys):
    shell = InteractiveShell()
    adapt(shell)
    for cell in ("import numpy as np; np.set_printoptions(precision=3)", "print(np.array([1 / 3]))"):
        contextvars.copy_context().run(shell.run_cell, cell)
    assert capsys.readouterr().out == "[0.333]\n"


@pytest.mark.parametrize("path", [*NOTEBOOKS, *SOLVED, *RELEASED], ids=lambda path: "-".join(path.parts[-3:]))
def test_a_notebook_runs_in_the_browser_and_gives_what_is_stored(reader, path):
    stored = read(path)
    place = path.relative_to(ROOT).as_posix()
    if path in SOLVED:
        place = f"{path.stem}_solved.ipynb"
        reader.upload(place, stored)
    page = reader.open(place)
    page.run_all(PATIENCE)
    found = page.notebook()
    tell(path, found)
    assert [output for cell in code_cells(found) for output in cell.outputs if output.output_type == "error"] == []
    if path.stem != WITH_TORCH:
        assert differences(found, stored) == []
    names, sliders = sliders_of(stored), page.sliders()
    assert len(sliders) == len(names)
    for name, slider in zip(names, sliders, strict=True):
        move_twice(slider, all_explorers()[name]())
    assert page.broken_pictures() == 0
    page.close()
    assert reader.complaints == []
    assert reader.outside == []


def tell(path: Path, notebook) -> None:
    """Print how long it ran, and which cell longest; with `pytest -s` it is seen."""
    times = {cell.source.strip().splitlines()[0]: seconds_of(cell) for cell in code_cells(notebook) if cell.source}
    slowest = max(times, key=times.get)
    print(f"\n{path.stem}: {sum(times.values()):.1f} s, of which {times[slowest]:.1f} s in {slowest!r}", flush=True)


def move_twice(slider, explorer) -> None:
    """One step there and one back: each brings another picture, and the numbers that the package computes."""
    name, control = next(iter(explorer.controls.items()))
    another, there, back = there_and_back(control)
    before = slider.pictures()
    for value, key in ((another, there), (control.value, back)):
        slider.press(control.description, key)
        numbers = explorer.view(**{name: value}).numbers
        slider.page.wait_for_function(
            "([box, wanted]) => wanted.every(words => box.textContent.includes(words))",
            arg=[slider.box, [f"{name}: {number}" for name, number in numbers.items()]],
            timeout=60_000,
        )
        slider.page.wait_for_timeout(200)
        after = slider.pictures()
        assert len(after) == 1
        assert after != before
        before = after


def test_on_a_phone_the_notebook_opens_alone_and_runs(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page = context.new_page()
    page.goto(f"{address}/notebooks/00_start_here.html")
    page.tap("a.run")
    phone = LitePage(page)
    assert page.evaluate("() => document.querySelector('.jp-Notebook').clientWidth") > 350
    phone.run_all(PATIENCE)
    assert differences(phone.notebook(), read(ROOT / "notebooks" / "00_start_here.ipynb")) == []
    with context.expect_page() as opened:
        page.locator("a[href*='01_dot_products']:visible").first.tap()
    opened.value.wait_for_selector(".jp-Notebook h1:has-text('01 ·')", timeout=60_000)
    context.close()


def test_work_is_kept_after_a_reload_and_after_a_new_version_of_the_site(browser, site, tmp_path):
    copy = tmp_path / "lite"
    shutil.copytree(site / "lite", copy, copy_function=os.link)
    with Serving(tmp_path) as address:
        reader = Reader(browser, f"{address}/lite")
        page = reader.open(KEPT)
        page.append(" A reader wrote this.")
        page.reload()
        assert page.notebook().cells[0].source.endswith("A reader wrote this.")
        page.close()
        page = reader.open(OTHER)
        assert not page.changed()  # to look at a notebook is not to change it
        page.close()
        for place in (KEPT, OTHER):
            publish_anew(copy, place)
        reader.come_back_later()
        mine, new = (reader.open(place) for place in (KEPT, OTHER))
        assert mine.notebook().cells[0].source.endswith("A reader wrote this.")
        assert new.notebook().cells[0].source.endswith("A new version.")
        assert reader.complaints == []
        assert reader.outside == []
        reader.close()


def publish_anew(site: Path, place: str) -> None:
    """Change a notebook of a built site, as a new build does."""
    notebook = json.loads((site / "files" / place).read_text(encoding="utf-8"))
    notebook["cells"][0]["source"] += " A new version."
    replace(site / "files" / place, json.dumps(notebook))
    listing = site / "api" / "contents" / Path(place).parent / "all.json"
    contents = json.loads(listing.read_text(encoding="utf-8"))
    for entry in contents["content"]:
        if entry["path"] == place:
            entry["last_modified"] = entry["created"] = "2099-01-01T00:00:00Z"
    replace(listing, json.dumps(contents))


def replace(path: Path, text: str) -> None:
    """Write a new file: the old one is also that of the site."""
    path.unlink()
    path.write_text(text, encoding="utf-8")
