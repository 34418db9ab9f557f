"""Shared by the tests and the doctests."""

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import sdpa_course

sys.path.insert(0, str(Path(__file__).parent / "tests" / "browser"))
from browsers import MISSING, find_browser


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


def pytest_collection_modifyitems(items):
    """The browser's tests first: they take longest, and the other worker does the rest meanwhile."""
    items.sort(key=lambda item: item.path.parent.name != "browser")


def pytest_terminal_summary(terminalreporter):
    """Say what was left out, in one line: a check must not be skipped in silence."""
    if find_browser() is None and not os.environ.get("CI"):
        terminalreporter.write_line(f"sdpa-course: {MISSING}", yellow=True)
    if shutil.which("bwrap") is None and not os.environ.get("CI"):
        words = "no bubblewrap (apt-get install bubblewrap): the tests that grade submissions were left out"
        terminalreporter.write_line(f"sdpa-course: {words}", yellow=True)
