"""A browser and a JupyterLab for the tests of this folder; without a browser they are skipped, in CI they fail."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from browsers import MISSING, find_browser
from lab import QUIET, Lab


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window."""
    path = find_browser()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):
    """A JupyterLab with an empty folder."""
    lab = Lab(tmp_path_factory.mktemp("lab") / "home")
    yield lab
    lab.stop()
