"""Find a browser on this machine: any Chrome or Chromium will do."""

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
)
MISSING = (
    "no Chrome or Chromium was found, so the sliders were not driven in a browser (tests/browser); install one "
    "(on Debian and Ubuntu: apt-get install chromium), or name it: CHROME=/path/to/chrome make test"
)


def find_browser() -> str | None:
    """The path of a browser: $CHROME if it is set, else the first one that is installed."""
    named = os.environ.get("CHROME")
    if named:
        return shutil.which(named)
    found = (shutil.which(name) for name in (*NAMES, *(place for place in PLACES if Path(place).exists())))
    return next((path for path in found if path), None)


def chromium(arguments):
    """The body of a fixture: a browser without a window. Without one installed, tests are skipped; in CI they fail."""
    import pytest
    from playwright.sync_api import sync_playwright

    path = find_browser()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(arguments))
        yield browser
        browser.close()
