"""The browser tests can fail: sliders that are broken on purpose are found out."""

import nbformat
import pytest

from sdpa_course.explore import collapse_explorer
from tests.browser import driving
from tools.lab import NotebookPage

GOOD = "from sdpa_course.explore import collapse_explorer\n\nexplorer = collapse_explorer()\n"
BROKEN = {
    "a callback raises": (
        GOOD + "explorer.view = lambda **values: 1 / 0\nexplorer",
        "the picture on the page is not the one",
    ),
    "a slider is disconnected": (
        GOOD + "for control in explorer.controls.values():\n    control.unobserve_all()\nexplorer",
        "the picture on the page is not the one",
    ),
    "a second picture stacks": (
        GOOD + "import ipywidgets\n\n\ndef stack(change):\n"
        "    explorer.children += (ipywidgets.Image(value=explorer.picture.value),)\n\n\n"
        "for control in explorer.controls.values():\n    control.observe(stack, names='value')\nexplorer",
        r"\d pictures are shown",
    ),
    "the numbers stand still": (
        GOOD + "import ipywidgets\n\nfirst = explorer.numbers.value\nexplorer.numbers = ipywidgets.HTML()\nexplorer",
        "the page does not say",
    ),
    "nothing is shown": (GOOD, None),
}


def open_notebook(browser, lab, tmp_path, source):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = tmp_path / "broken.ipynb"
    nbformat.write(notebook, path)
    page = NotebookPage(browser, lab, lab.add(path))
    page.run_all()
    return page


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_slider_is_found_out(browser, lab, tmp_path, monkeypatch, name):
    monkeypatch.setattr(driving, "PATIENCE", 4)  # what never comes need not be waited for so long
    source, complaint = BROKEN[name]
    page = open_notebook(browser, lab, tmp_path, source)
    if complaint is None:
        assert page.sliders() == []
    else:
        with pytest.raises(AssertionError, match=complaint):
            driving.drive(page.sliders()[0], collapse_explorer())
    page.close()


def test_errors_warnings_and_console_errors_are_heard(browser, lab, tmp_path):
    page = open_notebook(browser, lab, tmp_path, "import sys\n\nprint('a warning', file=sys.stderr)")
    assert [text.strip() for text in page.outputs_of("stderr")] == ["a warning"]
    page.page.evaluate("() => console.error('a complaint')")
    page.page.wait_for_timeout(200)
    assert any("a complaint" in text for text in page.complaints)
    page.close()


def test_a_good_slider_passes(browser, lab, tmp_path):
    page = open_notebook(browser, lab, tmp_path, GOOD + "explorer")
    driving.drive(page.sliders()[0], collapse_explorer())
    assert page.complaints == []
    page.close()
