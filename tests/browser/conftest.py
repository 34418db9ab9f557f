"""A JupyterLab for the tests of this folder."""

import pytest

from tools.lab import Lab


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):
    """A JupyterLab with an empty folder."""
    lab = Lab(tmp_path_factory.mktemp("lab") / "home")
    yield lab
    lab.stop()
