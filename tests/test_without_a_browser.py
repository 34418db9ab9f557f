"""Without a browser its tests are left out and the last line says so; in CI they fail."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
ONE_TEST = "tests/browser/test_detects.py::test_a_good_slider_passes"


def run_without_browser(tmp_path, **extra):
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "CHROME")}
    environment |= {"CHROME": str(tmp_path / "no-such-browser"), **extra}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", ONE_TEST]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def test_they_are_left_out_and_the_reader_is_told_how_to_get_one(tmp_path):
    run = run_without_browser(tmp_path)
    assert run.returncode == 0
    assert "1 skipped" in run.stdout
    assert "sdpa-course: no Chrome or Chromium was found" in run.stdout
    assert "apt-get install chromium" in run.stdout


def test_in_ci_it_is_a_failure(tmp_path):
    run = run_without_browser(tmp_path, CI="true")
    assert run.returncode == 1
    assert "no Chrome or Chromium was found" in run.stdout
