"""Appendix A1: it runs without PyTorch too, and its pictures draw and say what they're given."""

from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from numpy.testing import assert_allclose

from sdpa_course.figures.pytorch import LEAST, below, drift, forgetful, gaps_apart, parting, size, stacked

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "A1_pytorch.ipynb"
BLOCK = "import sys\n\nsys.modules['torch'] = None  # from here on `import torch` is an ImportError"


def said(cell) -> str:
    """What a cell prints, and its tables as text."""
    outputs = cell.get("outputs", [])
    return "".join(out.get("text", "") + str(out.get("data", {}).get("text/plain", "")) for out in outputs)


# Without PyTorch


@pytest.fixture(scope="module")
def without_torch():
    """The notebook, executed where PyTorch can't be imported."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(BLOCK))
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": NOTEBOOK.parent}}
    )
    return client.execute()  # a cell with an error ends it


@pytest.mark.full
def test_without_torch_it_runs_to_the_end_and_says_so(without_torch):
    texts = [said(cell) for cell in without_torch.cells if cell.cell_type == "code"]
    assert texts[1].startswith("PyTorch is not installed:")
    assert "pip install torch" in texts[1]
    assert sum("not installed" in text for text in texts) == 1  # once is enough
    assert not any("NumPy and PyTorch" in text for text in texts)


@pytest.mark.full
def test_without_torch_nothing_is_an_error_or_a_warning_and_pictures_are_drawn(without_torch):
    outputs = [output for cell in without_torch.cells for output in cell.get("outputs", [])]
    assert all(output.output_type != "error" and output.get("name") != "stderr" for output in outputs)
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 5


def test_stored_results_are_those_with_torch():
    texts = [said(cell) for cell in nbformat.read(NOTEBOOK, as_version=4).cells]
    assert not any("not installed" in text for text in texts)
    for words in ("NumPy and PyTorch: below 1e-12 at first, above 0.01 at the end", "double precision", "PyTorch 2"):
        assert any(words in text for text in texts), words


# The pictures


def test_curves_are_the_largest_differences_so_far():
    losses = np.linspace(3, 0.25, 101)
    close, apart = losses + 1e-14, losses + np.linspace(0, 0.5, 101)
    pairs = {"1/sqrt(d_k)": {"theirs": (losses, close)}, "1": {"theirs": (losses, apart), "nudged": (losses, apart)}}
    page, alt = parting.draw(pairs, {"theirs": "two programs", "nudged": "one bit"})
    lines = page.charts[0][0].lines
    assert_allclose(lines[1].get_ydata(), np.log10(drift(losses, apart)))
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == len(lines) == 3
    assert "101 training steps" in alt
    assert "÷ √d_k, two programs: below 1e-12 at first, below 1e-12 at the end" in alt
    assert "no scale, one bit: below 1e-12 at first, above 0.01 at the end" in alt


def test_drift_never_falls_and_has_a_floor():
    assert_allclose(drift([1.0, 2.0, 3.0], [1.0, 2.5, 3.0]), [LEAST, 0.5, 0.5])


def test_coarse_words():
    assert [size(x) for x in (1e-15, 1e-7, 0.02)] == ["below 1e-12", "between 1e-12 and 0.01", "above 0.01"]
    assert [below(x) for x in (0.0, 3e-16, 4e-7)] == ["all below 1e-12", "all below 1e-12", "all below 1e-5"]


def test_rounding_gets_a_bound_and_mistakes_get_their_size():
    _, alt = gaps_apart.draw({"right": ("two calls", "score", [1e-16, 3e-16]), "wrong": ("one", "nothing", [0.77])})
    assert "right, two calls: all below 1e-12; wrong, one: from 0.8 to 0.8" in alt


def test_small_inputs_and_their_two_gaps():
    page, alt = forgetful.draw((1, 0.1, 0.01), (0.86, 0.04, 0.0004), (2.24, 3.03, 3.0))
    assert_allclose([line.get_ydata()[-1] for line in page.charts[0][0].lines], (0.0004, 3.0))
    assert "size 0.1: 0.04 and 3.03" in alt


def test_the_rows_of_a_head_in_the_tall_matrix():
    _, alt = stacked.draw(12, 4, 3)
    assert "36 by 12" in alt
    assert "become rows 12 to 15" in alt
