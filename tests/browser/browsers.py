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
