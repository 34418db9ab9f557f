"""Find Chrome or Chromium on this machine and start it without a window."""

import os
import shutil
import sys
from contextlib import contextmanager

CANDIDATES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
)
QUIET = (  # no news, no updates, and no sandbox, which Chrome can't set up for root
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
NOT_FOUND = (
    "no Chrome or Chromium was found; install one (on Debian and Ubuntu: apt-get install chromium) "
    "or set CHROME=/path/to/chrome"
)


def find_browser() -> str | None:
    """The path of a browser: $CHROME if it's set, otherwise the first one that's installed."""
    named = os.environ.get("CHROME")
    found = (shutil.which(name) for name in ([named] if named else CANDIDATES))
    return next((path for path in found if path), None)


@contextmanager
def open_browser():
    """A browser for the duration of the `with` block. If none is installed, exit with one sentence."""
    path = find_browser()
    if path is None:
        sys.exit(f"sdpa-course: {NOT_FOUND}")
    from playwright.sync_api import sync_playwright  # here, so that looking for a browser doesn't need Playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        try:
            yield browser
        finally:
            browser.close()
