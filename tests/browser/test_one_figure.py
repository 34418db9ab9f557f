"""A slider and its stored picture are one figure: the reader sees one of them, never both and never neither."""

import nbformat
import pytest
from lab import NotebookPage

SOURCE = """from sdpa_course.explore import temperature_explorer

temperature_explorer().show(caption=r"Notice $e^{1/\\tau}$.")"""


@pytest.fixture
def notebook(lab, tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SOURCE)])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, tmp_path / "one.ipynb")
    return lab.add(tmp_path / "one.ipynb")


def seen(page) -> dict[str, bool]:
    """What of the cell's output is on the page; `error` is what JupyterLab says of a widget without its kernel."""
    kinds = {
        "picture": ".jp-RenderedImage img",
        "caption": ".jp-RenderedMarkdown em",
        "slider": ".explorer .noUi-handle",
        "error": ".jp-OutputArea-output:text('Error displaying widget')",
    }
    page.page.wait_for_timeout(1000)
    return {kind: page.page.locator(selector).first.is_visible() for kind, selector in kinds.items()}


STORED = {"picture": True, "caption": True, "slider": False, "error": False}


def test_the_slider_replaces_the_picture_while_its_kernel_lives(browser, lab, notebook):
    page = NotebookPage(browser, lab, notebook)
    page.run_all()
    assert seen(page) == {"picture": False, "caption": False, "slider": True, "error": False}
    assert page.page.locator(".explorer mjx-container").count() == 1  # the formula in its own caption
    page.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    assert seen(page) == STORED
    page.close()
    again = NotebookPage(browser, lab, notebook)  # as the reader saved it, with the widget's output in it
    assert seen(again) == STORED
    again.close()
