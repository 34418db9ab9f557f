"""A browser and a JupyterLab for the tests of this folder; without a browser they are skipped, in CI they fail."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from browsers import chromium
from lab import QUIET, Lab


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window."""
    yield from chromium(QUIET)


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):
    """A JupyterLab with an empty folder."""
    lab = Lab(tmp_path_factory.mktemp("lab") / "home")
    yield lab
    lab.stop()
