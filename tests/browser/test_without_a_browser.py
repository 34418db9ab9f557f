"""Without a browser its tests are skipped and the last line says so; in CI that's a failure."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ONE_TEST = "tests/browser/test_detects.py::test_a_good_slider_passes"


def run_without_browser(tmp_path, **extra):
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "CHROME")}
    environment |= {"CHROME": str(tmp_path / "no-such-browser"), **extra}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", ONE_TEST]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_they_are_skipped_and_the_last_line_says_how_to_get_one(tmp_path):
    run = run_without_browser(tmp_path)
    assert run.returncode == 0
    assert "1 skipped" in run.stdout
    last = run.stdout.splitlines()[-1]
    assert last.startswith("sdpa-course: skipped: no Chrome or Chromium was found")
    assert "apt-get install chromium" in last


def test_in_ci_it_is_a_failure(tmp_path):
    run = run_without_browser(tmp_path, CI="true")
    assert run.returncode == 1
    assert "no Chrome or Chromium was found" in run.stdout
