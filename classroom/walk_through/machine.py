"""What the machine must have, and commands of the system."""

import importlib.util
import os
import pwd
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]  # of the repository
BIN = Path(sys.executable).parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Problem(Exception):
    """A step failed, or cannot be tried here; the message is one sentence."""


def need(condition, sentence: str) -> None:
    """Go on only if the condition holds."""
    if not condition:
        raise Problem(sentence)


def say(text: str) -> None:
    """One line of the transcript."""
    print(text, flush=True)


def run(*command: str, text: str | None = None) -> None:
    """A command of the system, as root."""
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    need(not done.returncode, f"{command[0]} failed: {done.stderr.strip()}")


def check_machine(names: list[str]) -> str:
    """Refuse in one sentence if something is missing; gives the browser's path."""
    need(os.name == "posix" and sys.platform == "linux", "a hub with Unix accounts needs Linux")
    need(os.getuid() == 0, "run this as root: the hub starts a server as each of its students")
    for module in ("jupyterhub", "playwright", "sdpa_course", "sdpa_classroom"):
        found = importlib.util.find_spec(module) is not None
        need(found, f"{module} is not installed in {sys.prefix}; docs/classroom.md has the pip command")
    for command, package in (("bwrap", "apt-get install bubblewrap"), ("node", "apt-get install nodejs npm")):
        need(shutil.which(command), f"{command} was not found: {package}")
    proxy = "npm install -g configurable-http-proxy"
    need(shutil.which("configurable-http-proxy"), f"configurable-http-proxy was not found: {proxy}")
    browser = os.environ.get("CHROME") or next(filter(shutil.which, BROWSERS), None)
    need(browser and shutil.which(browser), "no Chrome or Chromium was found: apt-get install chromium")
    loose = "JupyterLab's debugger opens a port that asks other accounts for no password"
    need(not importlib.util.find_spec("debugpy"), f"{loose}: {BIN}/pip uninstall debugpy")
    need(shutil.which("openssl"), "openssl was not found: apt-get install openssl")
    need(all(re.fullmatch("[a-z][a-z0-9-]*", name) for name in names), "--names takes names in small letters")
    taken = sorted(set(names) & {account.pw_name for account in pwd.getpwall()})
    need(not taken, f"there is an account {', '.join(taken)} already, and it is left alone; choose others with --names")
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "HOME=/nonexistent", sys.executable]
    probe = subprocess.run([*nobody, "-c", "import sdpa_course.homework"], cwd="/", capture_output=True)
    need(not probe.returncode, f"students cannot use {sys.prefix}; make it with Debian's /usr/bin/python3 below /opt")
    return shutil.which(browser)
