"""The built site, served on this machine. `make test-all` builds it and names its folder in SDPA_SITE."""

import os
from pathlib import Path

import pytest

from tests.site.serving import Serving

NOT_BUILT = "the site's tests need a built site: make test-all"


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
