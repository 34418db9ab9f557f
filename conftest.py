"""Shared by the tests and the doctests."""

import os
import shutil

import numpy as np
import pytest

import sdpa_course
from tools.chrome import NOT_FOUND, find_browser, open_browser


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace):
    """Doctests may use NumPy and the package's public names without importing them."""
    doctest_namespace["np"] = np
    doctest_namespace.update({name: getattr(sdpa_course, name) for name in sdpa_course.__all__})


@pytest.fixture(scope="session")
def torch():
    """PyTorch, the outside oracle: it takes seconds to load, so only the tests that ask it wait for it."""
    import torch

    return torch


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window. If none is installed, its tests are skipped; in CI they fail."""
    if find_browser() is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(NOT_FOUND)
    with open_browser() as browser:
        yield browser


def pytest_collection_modifyitems(items):
    """The browser's tests first: they take longest, and the other worker does the rest meanwhile."""
    items.sort(key=lambda item: item.path.parent.name != "browser")


def pytest_terminal_summary(terminalreporter):
    """Say what was left out, in one line: a check must not be skipped in silence."""
    if find_browser() is None and not os.environ.get("CI"):
        words = f"{NOT_FOUND}; the tests that drive a browser were left out"
        terminalreporter.write_line(f"sdpa-course: {words}", yellow=True)
    if shutil.which("bwrap") is None and not os.environ.get("CI"):
        words = "no bubblewrap (apt-get install bubblewrap): the tests that grade submissions were left out"
        terminalreporter.write_line(f"sdpa-course: {words}", yellow=True)
