"""Measure every slider in a real JupyterLab, from key press to new picture. Part of `make bench`."""

import statistics
import tempfile
import time
from pathlib import Path

import ipywidgets as widgets
import nbformat

from sdpa_course.explore import all_explorers

from .chrome import open_browser
from .lab import Lab, NotebookPage, there_and_back

MOVES, WARM_UP = 40, 20


def kernel_times(explorer) -> list[float]:
    """Seconds to compute and draw, for the same moves, without a browser.

    The first moves don't count: they fill caches, and the processor may still be clocked down.
    """
    name, control = first_control(explorer)
    other, *_ = there_and_back(control)
    times = []
    for value in (other, control.value) * (MOVES // 2 + WARM_UP // 2):
        start = time.perf_counter()
        explorer.view(**{name: value})
        times.append(time.perf_counter() - start)
    return times[WARM_UP:]


def first_control(explorer):
    return next((n, c) for n, c in explorer.controls.items() if not isinstance(c, widgets.Checkbox))


def screen_times(browser, lab: Lab, function, explorer) -> list[float]:
    """Seconds from key press to picture, in a notebook with only this slider."""
    name = function.__name__
    source = f"from {function.__module__} import {name}\n\n{name}()"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = lab.folder / f"{name}.ipynb"
    nbformat.write(notebook, path)
    page = NotebookPage(browser, lab, lab.add(path))
    page.run_all()
    _, control = first_control(explorer)
    _, there, back = there_and_back(control)
    slider = page.sliders()[0]
    times = [slider.latency(control.description, key) for key in (there, back) * (MOVES // 2)]
    page.close()
    return times[2:]


def late(values) -> float:
    """The 95th percentile."""
    return sorted(values)[round(0.95 * (len(values) - 1))]


def slider_times():
    """Rows `(name, median on screen, in the kernel, 95th percentile on screen, in the kernel)`, in seconds."""
    kernel = {name: kernel_times(function()) for name, function in all_explorers().items()}  # before the browser starts
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser:
        lab = Lab(Path(folder) / "home")
        try:
            for name, function in all_explorers().items():
                both = screen_times(browser, lab, function, function()), kernel[name]
                yield name, *(summary(values) for summary in (statistics.median, late) for values in both)
        finally:
            lab.stop()


if __name__ == "__main__":
    for row in slider_times():
        print(row[0], *(f"{1000 * seconds:.0f} ms" for seconds in row[1:]), flush=True)
