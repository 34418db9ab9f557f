"""Notebooks are stored executed, in order, with clean metadata and described pictures.

What their cells print is compared by nbval; this looks at what nbval does not.
"""

import re
from html import escape
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    notebook = nbformat.read(request.param, as_version=4)
    nbformat.validate(notebook)
    return notebook


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outputs(notebook):
    return [output for cell in code_cells(notebook) for output in cell.outputs]


def test_there_are_notebooks():
    assert (ROOT / "notebooks" / "00_start_here.ipynb") in NOTEBOOKS


def test_executed_in_order_from_a_fresh_kernel(notebook):
    counts = [cell.execution_count for cell in code_cells(notebook)]
    assert counts == list(range(1, len(counts) + 1))  # nbval does not compare a cell without a count


def test_no_errors_and_no_warnings_are_stored(notebook):
    for output in outputs(notebook):
        assert output.output_type != "error"
        assert output.get("name") != "stderr"
        assert not any("widget" in mime for mime in output.get("data", {}))  # no kernel, no widget: an error box


def test_metadata_is_clean(notebook):
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    for cell in notebook.cells:
        assert set(cell.metadata) <= {"tags", "slideshow"}


def test_every_picture_is_described_and_has_a_caption(notebook):
    shown = outputs(notebook)
    for output, following in zip(shown, [*shown[1:], None], strict=True):
        if "image/png" in output.get("data", {}):
            alt = output.metadata["image/png"]["alt"]
            assert len(alt.split()) >= 15
            assert "$" not in alt  # it is read out, not typeset
            assert following is not None
            assert following.data["text/markdown"].startswith("*")
            assert escape(alt) in following.data["text/markdown"]  # JupyterLab shows no alt text: words to unfold


def test_code_cells_are_short(notebook):
    for cell in code_cells(notebook):
        assert cell.source.strip(), "an empty cell"
        assert len(cell.source.splitlines()) <= 30


PACKAGES = {"kernels", "verify", "experiments", "figures", "explore", "environment"}
PLACES = {"sdpa_course"} | {f"sdpa_course.{package}" for package in PACKAGES}


def test_imports_come_from_a_handful_of_places(notebook):
    for cell in code_cells(notebook):
        for place in re.findall(r"^\s*(?:from|import) (sdpa_course[\w.]*)", cell.source, flags=re.MULTILINE):
            assert place in PLACES or place.startswith("sdpa_course.trial"), place


NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.]*\d)")


def test_every_number_in_the_prose_is_printed_or_asserted(notebook):
    """A decimal number in the text stands in some cell's code or output, digit for digit."""
    backing = ""
    for cell in code_cells(notebook):
        backing += cell.source
        for output in cell.outputs:
            backing += output.get("text", "") + str(output.get("data", {}).get("text/plain", ""))
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for number in NUMBER.findall(cell.source):
                assert number in backing, f"{number} in: {cell.source[:60]!r}"


def test_head_and_end(notebook):
    """What you'll do, learn and need at the start; a summary at the end; every link to a notebook leads to one."""
    text = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    first_code = next(i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code")
    head = "\n".join(cell.source for cell in notebook.cells[:first_code])
    assert head.startswith("# ")
    for words in ("**What you'll do.**", "**What you'll learn.**", "**What you'll need.**", "minutes"):
        assert words in head, words
    headings = re.findall(r"^## .+", "\n".join(text), flags=re.MULTILINE)
    assert any("Summary" in heading for heading in headings[-3:])
    for source in text:
        for target in re.findall(r"\]\(([\w./-]+\.ipynb)\)", source):
            assert (ROOT / "notebooks" / target).is_file(), target
