"""Drive JupyterLab through a browser, the way a reader uses it.

`Lab` starts a server on 127.0.0.1 with a token and a fresh profile, `NotebookPage` opens and runs a notebook in it, and
`Slider` is one slider on that page: its controls, its picture and its numbers.
"""

import base64
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import ipywidgets as widgets

SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},  # render every cell, on screen or not
}


class Lab:
    """A JupyterLab that keeps everything in one folder: it neither reads nor changes the user's own settings."""

    def __init__(self, folder: Path):
        self.folder, self.token = Path(folder), secrets.token_hex(16)
        (self.folder / "notebooks").mkdir(parents=True)
        for name, values in SETTINGS.items():
            path = self.folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(values))
        self.port = free_port()
        self.log = open(self.folder / "server.log", "w")  # noqa: SIM115, closed in `stop`
        environment = {
            **os.environ,
            "JUPYTERLAB_SETTINGS_DIR": str(self.folder / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(self.folder / "workspaces"),
            "JUPYTER_CONFIG_DIR": str(self.folder / "config"),
            "JUPYTER_DATA_DIR": str(self.folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.folder / "runtime"),
            "IPYTHONDIR": str(self.folder / "ipython"),
            "SDPA_GUESSES": str(self.folder / "guesses.json"),
        }
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
        command += [f"--port={self.port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={self.token}"]
        command += [f"--ServerApp.root_dir={self.folder / 'notebooks'}", "--LabApp.expose_app_in_browser=True"]
        self.server = subprocess.Popen(command, env=environment, stdout=self.log, stderr=subprocess.STDOUT)
        self.wait()

    def wait(self, seconds: float = 60) -> None:
        """Wait until the server answers."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.server.poll() is not None:
                break
            try:
                urllib.request.urlopen(self.address("api"), timeout=5).close()
                return
            except OSError:
                time.sleep(0.2)
        self.stop()
        raise RuntimeError(f"JupyterLab didn't start:\n{(self.folder / 'server.log').read_text()[-2000:]}")

    def address(self, path: str) -> str:
        """The address of a page, token included."""
        return f"http://127.0.0.1:{self.port}/{path}?token={self.token}"

    def add(self, notebook: Path) -> str:
        """Copy a notebook into the lab's folder and return its name there."""
        shutil.copy(notebook, self.folder / "notebooks")
        return Path(notebook).name

    def stop(self) -> None:
        """Stop the server and its kernels."""
        self.server.terminate()
        try:
            self.server.wait(20)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
        self.log.close()


def free_port() -> int:
    """A port that's free right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class NotebookPage:
    """A notebook in its own browser tab."""

    def __init__(self, browser, lab: Lab, name: str):
        self.page = browser.new_page(viewport={"width": 1400, "height": 1000})
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.hear(message.type, message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        self.page.goto(lab.address(f"lab/tree/{name}") + "&reset")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        self.page.wait_for_function(
            "() => { const panel = window.jupyterapp?.shell.currentWidget;"
            " return panel?.sessionContext?.session?.kernel?.status === 'idle'; }",
            timeout=60_000,
        )

    def hear(self, kind: str, text: str) -> None:
        """Keep the errors from the browser's console.

        Except one: the extra `site` installs JupyterLite's kernel, which looks for JupyterLite in every JupyterLab.
        """
        if kind == "error" and "Shared module @jupyterlite/services" not in text:
            self.complaints.append(f"console error: {text}")

    def run_all(self, seconds: float = 240) -> None:
        """Run every cell and wait for the last one to finish."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        self.page.wait_for_function(
            """() => {
                const {widgets} = window.jupyterapp.shell.currentWidget.content;
                const cells = widgets.filter(cell => cell.model.type === 'code');
                // Not by their prompts: a folded cell has none.
                return cells.length && cells.every(
                    c => c.model.executionCount !== null && c.model.executionState !== 'running');
            }""",
            timeout=1000 * seconds,
        )
        self.page.wait_for_function(
            "() => [...document.querySelectorAll('.widget-image img, img.widget-image')].every(i => i.complete)"
        )
        self.page.wait_for_timeout(500)

    def outputs_of(self, kind: str) -> list[str]:
        """The text of all outputs of one kind: `stderr` or `error`."""
        selector = f'[data-mime-type="application/vnd.jupyter.{kind}"]'
        return [element.inner_text() for element in self.page.query_selector_all(selector)]

    def scrolling(self) -> list[str]:
        """Outputs that don't fit and got their own scroll bar."""
        return self.page.evaluate(
            """() => [...document.querySelectorAll('.jp-OutputArea-output')].filter(
                e => (e.scrollHeight > e.clientHeight + 4 && getComputedStyle(e).overflowY != 'visible')
                  || (e.scrollWidth > e.clientWidth + 4)).map(e => e.textContent.slice(0, 80))"""
        )

    def sliders(self) -> list["Slider"]:
        """The sliders on the page, top to bottom."""
        return [Slider(self.page, box) for box in self.page.query_selector_all(".widget-vbox:has(.widget-image)")]

    def close(self) -> None:
        """Shut down the kernel and close the tab."""
        self.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown().catch(() => undefined)"
        )
        self.page.close()


class Slider:
    """Controls, a picture and numbers under it, as the reader sees them."""

    def __init__(self, page, box):
        self.page, self.box = page, box

    def control(self, description: str):
        """The handle or checkbox with this label: the element that takes key presses."""
        for row in self.box.query_selector_all(".widget-inline-hbox, .widget-hbox, .widget-checkbox"):
            if description in [label.inner_text().strip() for label in row.query_selector_all("label")]:
                return row.query_selector(".noUi-handle, input[type=checkbox]")
        raise AssertionError(f"no control is labelled {description!r}")

    def press(self, description: str, *keys: str) -> None:
        """Press keys on a control in quick succession, like a reader without a mouse."""
        handle = self.control(description)
        handle.scroll_into_view_if_needed()
        handle.focus()
        for key in keys:
            self.page.keyboard.press(key)

    def pictures(self) -> list[bytes]:
        """Every picture in the box; there should be exactly one."""
        found = self.box.evaluate(
            """async box => Promise.all([...box.querySelectorAll('img')].map(async image => {
                const bytes = new Uint8Array(await (await fetch(image.src)).arrayBuffer());
                let text = '';
                for (const byte of bytes) text += String.fromCharCode(byte);
                return btoa(text);
            }))"""
        )
        return [base64.b64decode(picture) for picture in found]

    def text(self) -> str:
        """The live numbers and the description of the picture below them."""
        return " ".join(html.text_content() for html in self.box.query_selector_all(".widget-html-content"))

    def latency(self, description: str, key: str, seconds: float = 10) -> float:
        """Seconds from a key press until the new picture has been loaded into the page."""
        handle = self.control(description)
        handle.focus()
        self.box.evaluate(
            """(box, patience) => { window.moved = new Promise(resolve => {
                const image = box.querySelector('img');
                document.addEventListener('keydown', () => { window.pressed = performance.now(); },
                                          { capture: true, once: true });
                image.addEventListener('load', () => requestAnimationFrame(
                    () => resolve(performance.now() - window.pressed)), { once: true });
                setTimeout(() => resolve(null), patience);
            }); }""",
            1000 * seconds,
        )
        self.page.keyboard.press(key)
        took = self.page.evaluate("() => window.moved")
        if took is None:
            raise AssertionError(f"no new picture within {seconds} s of {key} on {description!r}")
        return took / 1000


def options_of(control) -> list:
    """The values of a control that has a list of options."""
    return [option[1] if isinstance(option, tuple) else option for option in control.options]


def there_and_back(control) -> tuple[object, str, str]:
    """`(a value one step away, key that leads there, key that leads back)`."""
    value = control.value
    if isinstance(control, widgets.Checkbox):
        return not value, "Space", "Space"
    forward, backward = "ArrowRight", "ArrowLeft"
    if hasattr(control, "options"):
        values = options_of(control)
        at = values.index(value)
        return (values[at + 1], forward, backward) if at + 1 < len(values) else (values[at - 1], backward, forward)
    if value + control.step <= control.max:
        return value + control.step, forward, backward
    return value - control.step, backward, forward
