"""The hub: a process with the class's own configuration, on ports that are free."""

import contextlib
import importlib.metadata
import os
import signal
import socket
import ssl
import subprocess
import time
import urllib.request
from pathlib import Path

from machine import BIN, Problem, run, say

# The class's own configuration; only ports differ, the browser may call JupyterLab's commands, and for one account
# idle times are seconds.
CONFIGURATION = """
c = get_config()
load_subconfig({config!r})
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{hub}"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy}"
c.Spawner.args = [*c.Spawner.args, "--LabApp.expose_app_in_browser=True"]

before = c.Spawner.pre_spawn_hook
SHORT = {{"cull_idle_timeout": 10, "cull_interval": 2, "shutdown_no_activity_timeout": 20}}


def hook(spawner):
    before(spawner)
    if spawner.user.name == {idle!r}:
        for name, seconds in SHORT.items():
            spawner.args = [f"{{a.split('=')[0]}}={{seconds}}" if f".{{name}}=" in a else a for a in spawner.args]


c.Spawner.pre_spawn_hook = hook
"""


class Hub:
    """JupyterHub, for a folder that has config/ and hub/ in it; `idle` is the account that's soon taken for idle."""

    def __init__(self, folder: Path, idle: str):
        self.folder, self.idle, self.log, self.process = folder, idle, folder / "hub" / "hub.log", None
        self.certificate = folder / "certificate.pem"  # for those who check it; the hub has its own copy

    def certify(self) -> None:
        """A certificate that nobody but us vouches for."""
        private = self.folder / "hub"
        files = ("-keyout", str(private / "key.pem"), "-out", str(private / "certificate.pem"))
        whom = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *files, *whom)
        self.certificate.write_bytes((private / "certificate.pem").read_bytes())

    def start(self) -> None:
        """With https, on ports that are free."""
        self.certify()
        front, hub, proxy = free_ports(3)
        self.address = f"https://127.0.0.1:{front}"
        config = str(self.folder / "config" / "jupyterhub_config.py")
        (self.folder / "walk_through_config.py").write_text(
            CONFIGURATION.format(config=config, hub=hub, proxy=proxy, idle=self.idle)
        )
        environment = {
            **os.environ,
            "SDPA_CLASS": str(self.folder),
            "SDPA_ADDRESS": self.address,
            "PATH": f"{BIN}:{os.environ['PATH']}",
        }
        with open(self.log, "w") as log:
            command = [str(BIN / "jupyterhub"), "-f", str(self.folder / "walk_through_config.py")]
            options = {"cwd": self.folder / "hub", "env": environment, "start_new_session": True}
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, **options)
        end, trusted = time.monotonic() + 60, ssl.create_default_context(cafile=self.certificate)
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{self.address}/hub/health", timeout=5, context=trusted).close()
                versions = ("jupyterhub", "nbgrader", "jupyterlab")
                say(
                    "The hub answers over https: "
                    + ", ".join(f"{n} {importlib.metadata.version(n)}" for n in versions)
                    + "."
                )
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
