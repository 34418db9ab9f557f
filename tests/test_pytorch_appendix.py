"""Appendix A1: it runs without PyTorch too, what it says of training holds, and its figure draws what it is given."""

from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from numpy.testing import assert_allclose

from sdpa_course.figures import new
from sdpa_course.figures.pytorch import EVERY, LEAST, drift, halves, runs_and_drift, size

pytestmark = pytest.mark.full
NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "A1_pytorch.ipynb"
BLOCK = "import sys\n\nsys.modules['torch'] = None  # from here on `import torch` is an ImportError"


def printed(cell) -> str:
    return "".join(output.get("text", "") for output in cell.get("outputs", []))


# Without PyTorch


@pytest.fixture(scope="module")
def without_torch():
    """The notebook, executed where PyTorch cannot be imported."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(BLOCK))
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": NOTEBOOK.parent}}
    )
    return client.execute()  # a cell with an error ends it


def test_without_torch_it_runs_to_the_end_and_says_so(without_torch):
    texts = [printed(cell) for cell in without_torch.cells if cell.cell_type == "code"]
    assert texts[1].startswith("PyTorch is not installed:")
    assert "pip install torch" in texts[1]
    assert sum("not installed" in text for text in texts) == 1  # once is enough
    assert not any("by PyTorch" in text or "agree to" in text for text in texts)


def test_without_torch_nothing_is_an_error_or_a_warning_and_the_figure_is_drawn(without_torch):
    outputs = [output for cell in without_torch.cells for output in cell.get("outputs", [])]
    assert all(output.output_type != "error" and output.get("name") != "stderr" for output in outputs)
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 1


def test_stored_results_are_those_with_torch():
    texts = [printed(cell) for cell in nbformat.read(NOTEBOOK, as_version=4).cells]
    assert not any("not installed" in text for text in texts)
    for words in ("by PyTorch:", "all eight parameters agree", "is_causal=True is offset = 0: True"):
        assert any(words in text for text in texts), words


# The figure


def runs(end=0.25):
    """Made-up losses of 101 steps, and the same a little off."""
    losses = {"1/sqrt(d_k)": np.linspace(3, end, 101), "1": np.full(101, 1.75)}
    return losses, {scale: x + 1e-14 for scale, x in losses.items()}, {scale: x + 0.5 for scale, x in losses.items()}


def test_lines_are_ours_and_markers_are_theirs():
    ours, theirs, nudged = runs()
    _, axes = new(1, 2)
    runs_and_drift(axes, ours, theirs, nudged)
    left, right = axes
    assert len(left.lines) == len(right.lines) == 4
    for i, scale in enumerate(ours):
        assert_allclose(left.lines[2 * i].get_ydata(), ours[scale])
        assert_allclose(left.lines[2 * i + 1].get_xdata(), np.arange(0, 101, EVERY))
        assert_allclose(left.lines[2 * i + 1].get_ydata(), theirs[scale][::EVERY])
        assert_allclose(right.lines[2 * i].get_ydata(), drift(ours[scale], theirs[scale]))
        assert_allclose(right.lines[2 * i + 1].get_ydata(), 0.5)
    assert len({(line.get_color(), line.get_linestyle()) for line in right.lines}) == 4


def test_the_description_says_where_each_run_ends():
    ours, theirs, nudged = runs()
    _, axes = new(1, 2)
    alt = runs_and_drift(axes, ours, theirs, nudged)
    scaled, unscaled = alt.split(". no scale:")
    assert "101 training steps" in scaled
    assert "from 3.0 to between 0.5 and 1.0" in scaled  # the mean of the last 50 of a line down to 0.25
    assert "from 1.8 to between 1.5 and 2.0, PyTorch's to between 1.5 and 2.0" in unscaled
    assert "starts below 1e-12, ends below 1e-12" in unscaled
    assert "changed the difference ends above 0.01" in unscaled


def test_without_torch_only_numpy_is_drawn():
    ours, _, nudged = runs()
    _, axes = new(1, 2)
    alt = runs_and_drift(axes, ours, {}, nudged)
    assert [len(ax.lines) for ax in axes] == [2, 2]
    assert "PyTorch's" not in alt


def test_drift_never_falls_and_has_a_floor():
    assert_allclose(drift([1.0, 2.0, 3.0], [1.0, 2.5, 3.0]), [LEAST, 0.5, 0.5])


def test_coarse_words():
    assert halves(np.full(60, 1.2)) == "between 1.0 and 1.5"
    assert halves(np.r_[np.full(10, 9.0), np.zeros(50)]) == "between 0.0 and 0.5"
    assert [size(x) for x in (1e-15, 1e-7, 0.02)] == ["below 1e-12", "between 1e-12 and 0.01", "above 0.01"]
