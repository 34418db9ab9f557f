"""The built site, served on this machine, and a browser. `make test-site` builds it and names its folder, SDPA_SITE."""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "browser")]
from browsers import chromium  # noqa: E402
from lab import QUIET  # noqa: E402
from serving import Serving  # noqa: E402

NOT_BUILT = "the site's tests need a built site: make test-site"


def built_site() -> Path | None:
    """The folder of the site that is to be tested, if there is one."""
    named = os.environ.get("SDPA_SITE")
    return Path(named).resolve() if named else None


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site."""
    folder = built_site()
    if folder is None:
        pytest.skip(NOT_BUILT)
    assert (folder / "index.html").exists(), f"SDPA_SITE: {folder} holds no site"
    return folder


@pytest.fixture(scope="session")
def address(site):
    """Where the site is served, without a slash at the end: below the top of a server, where many sites live."""
    with Serving(site.parent) as address:
        yield f"{address}/{site.name}"


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window."""
    yield from chromium(QUIET)
