"""The hub: a process with the class's own configuration, on ports that are free."""

import contextlib
import importlib.metadata
import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

from machine import BIN, Problem, say


class Hub:
    """JupyterHub, for a folder that has config/ and hub/ in it."""

    def __init__(self, folder: Path):
        self.folder, self.log, self.process = folder, folder / "hub" / "hub.log", None

    def start(self) -> None:
        """The class's own configuration; only ports differ, and the browser may call JupyterLab's commands."""
        front, hub, proxy = free_ports(3)
        self.address = f"http://127.0.0.1:{front}"
        (self.folder / "walk_through_config.py").write_text(
            "c = get_config()\n"
            f"load_subconfig({str(self.folder / 'config' / 'jupyterhub_config.py')!r})\n"
            f"c.JupyterHub.bind_url = {self.address!r}\n"
            f"c.JupyterHub.hub_bind_url = 'http://127.0.0.1:{hub}'\n"
            f"c.ConfigurableHTTPProxy.api_url = 'http://127.0.0.1:{proxy}'\n"
            "c.Spawner.args = [*c.Spawner.args, '--LabApp.expose_app_in_browser=True']\n"
        )
        environment = {**os.environ, "SDPA_CLASS": str(self.folder), "PATH": f"{BIN}:{os.environ['PATH']}"}
        with open(self.log, "w") as log:
            command = [str(BIN / "jupyterhub"), "-f", str(self.folder / "walk_through_config.py")]
            options = {"cwd": self.folder / "hub", "env": environment, "start_new_session": True}
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, **options)
        end = time.monotonic() + 60
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{self.address}/hub/health", timeout=5).close()
                versions = ("jupyterhub", "nbgrader", "jupyterlab")
                say("The hub answers: " + ", ".join(f"{n} {importlib.metadata.version(n)}" for n in versions) + ".")
                return
            time.sleep(0.3)
        raise Problem(f"the hub did not start; its last words: {self.last_words()}")

    def last_words(self) -> str:
        """The end of the hub's log, in one line."""
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "(none)"

    def stop(self) -> None:
        """The hub stops its servers and its proxy; what is left after that is ended."""
        if self.process is None:
            return
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses just now."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
