"""JupyterLite as a reader has it: a browser, a folder of files behind it, and Python in the page.

`Reader` is one person's browser, with the storage that goes with it; `LitePage` is a notebook open in it.
"""

import re
from collections import defaultdict
from datetime import datetime

import nbformat
from nbval.plugin import coalesce_streams, find_comment_markers, find_metadata_tags, transform_streams_for_comparison

from docs.site.lite import link
from tools.lab import Slider

SETTINGS = {
    "@jupyterlab/notebook-extension:tracker": '{"recordTiming": true, "windowingMode": "none"}',
}
PICTURE = re.compile('data:image/png;base64,[^"]+')  # in HTML; tools/nbval.cfg tells nbval
NOT_COMPARED = {  # as nbval has it
    *("metadata", "traceback", "prompt_number", "output_type", "name", "execution_count", "image/png", "image/jpeg"),
    "application/vnd.jupyter.widget-view+json",
}


class Reader:
    """A browser's storage, and ears for every complaint and every request to another machine."""

    def __init__(self, browser, address: str):
        self.address = address  # of JupyterLite, without a slash at the end
        self.origin = "/".join(address.split("/")[:3]) + "/"
        self.context = browser.new_context(viewport={"width": 1400, "height": 1000})
        self.complaints: list[str] = []
        self.outside: list[str] = []
        self.context.on("request", self.see)
        self.context.on("console", self.hear)
        self.context.on("weberror", lambda error: self.complaints.append(f"page error: {error.error}"))
        self.prepare()

    def see(self, request) -> None:
        """Keep requests that do not go to this server."""
        if not request.url.startswith((self.origin, "data:", "blob:")):
            self.outside.append(request.url)

    def hear(self, message) -> None:
        """Keep what the console complains about; a browser asks every server for a favicon, unbidden."""
        if message.type == "error" and not message.location["url"].endswith("/favicon.ico"):
            self.complaints.append(f"console error: {message.text} ({message.location['url']})")

    def prepare(self) -> None:
        """Settings for the tests: all cells on the page, and how long each took."""
        page = self.lab()
        for name, values in SETTINGS.items():
            page.evaluate("([name, values]) => jupyterapp.serviceManager.settings.save(name, values)", [name, values])
        page.close()

    def upload(self, path: str, notebook) -> None:
        """Put a notebook into the reader's storage, as drag and drop would."""
        page = self.lab()
        model = {"type": "notebook", "format": "json", "content": notebook}
        page.evaluate("([path, model]) => jupyterapp.serviceManager.contents.save(path, model)", [path, model])
        page.close()

    def lab(self):
        """The lab without a notebook."""
        page = self.context.new_page()
        page.goto(f"{self.address}/lab/index.html?workspace=none")
        page.wait_for_function("() => window.jupyterapp?.serviceManager")
        page.evaluate("() => Promise.all([jupyterapp.restored, jupyterapp.serviceManager.ready])")
        return page

    def come_back_later(self) -> None:
        """Let time pass: files that the browser keeps for a while are asked for again. What the reader saved stays."""
        page = self.context.new_page()
        self.context.new_cdp_session(page).send("Network.clearBrowserCache")
        page.close()

    def open(self, path: str) -> "LitePage":
        """A notebook, by the address that the site's pages link to."""
        page = self.context.new_page()
        page.goto(f"{self.address}/{link(path)}")
        return LitePage(page)

    def close(self) -> None:
        """Leave, and forget what was stored."""
        self.context.close()


class LitePage:
    """A notebook open in JupyterLite."""

    def __init__(self, page):
        self.page = page
        self.wait()

    def wait(self) -> None:
        """Until the cells are shown."""
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=120_000)
        self.page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.context", timeout=60_000)
        self.page.evaluate("() => jupyterapp.shell.currentWidget.revealed")  # with all its cells

    def reload(self) -> None:
        """As F5 does."""
        self.page.reload()
        self.wait()

    def run_all(self, seconds: float) -> None:
        """Run every cell as soon as Python has started, and wait for the last one."""
        self.page.evaluate(
            """() => { jupyterapp.shell.currentWidget.sessionContext.ready
                .then(() => jupyterapp.commands.execute('notebook:run-all-cells'))
                .finally(() => { window.ran = true; }); }"""
        )
        self.page.wait_for_function("() => window.ran", timeout=1000 * seconds)

    def notebook(self):
        """What stands in the notebook now, outputs too."""
        content = self.page.evaluate("() => jupyterapp.shell.currentWidget.context.model.toJSON()")
        return nbformat.from_dict(content)

    def changed(self) -> bool:
        """Is there something to save?"""
        return self.page.evaluate("() => jupyterapp.shell.currentWidget.context.model.dirty")

    def append(self, text: str) -> None:
        """Type at the end of the first cell, and save with the keys that a reader uses."""
        first = self.page.locator(".jp-Notebook .jp-Cell").first
        first.dblclick()
        editor = first.locator(".cm-content")
        editor.wait_for()
        editor.focus()
        self.page.wait_for_selector(".jp-Notebook.jp-mod-editMode")  # before it, letters are commands
        self.page.keyboard.press("Control+End")
        self.page.keyboard.type(text)
        assert self.changed()
        self.page.keyboard.press("Control+s")
        self.page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty", timeout=30_000)

    def sliders(self) -> list[Slider]:
        """Those of the page, from the top down."""
        return [Slider(self.page, box) for box in self.page.query_selector_all(".widget-vbox:has(.widget-image)")]

    def broken_pictures(self) -> int:
        """Pictures that the browser could not show."""
        return self.page.evaluate(
            "() => [...document.querySelectorAll('.jp-Notebook img')].filter(i => i.complete && !i.naturalWidth).length"
        )

    def close(self) -> None:
        """Stop Python and leave."""
        self.page.close()


def differences(found, stored) -> list[str]:
    """Where outputs differ from the stored ones, in nbval's sense."""
    lines = []
    pairs = zip(code_cells(found), code_cells(stored), strict=True)
    for number, (new, old) in enumerate(pairs):
        marks = dict([*find_comment_markers(old.source), *find_metadata_tags(old.metadata)])
        if marks.get("check") is False or old.execution_count is None:
            continue
        new_values, old_values = comparable(new.outputs), comparable(old.outputs)
        for key in sorted(new_values.keys() | old_values.keys()):
            if new_values[key] != old_values[key]:
                lines.append(f"code cell {number}, {key}: {new_values[key]} instead of {old_values[key]}")
    return lines


def comparable(outputs) -> dict[str, list]:
    """What nbval compares of a cell's outputs: the values under each kind, in order."""
    found = defaultdict(list)
    for output in transform_streams_for_comparison(coalesce_streams(outputs)):
        for kind, value in {**output, **output.get("data", {})}.items():
            if kind not in NOT_COMPARED | {"data"}:
                found[kind].append(PICTURE.sub("", value) if kind == "text/html" else value)
    return found


def code_cells(notebook) -> list:
    """The cells that run."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def seconds_of(cell) -> float:
    """How long a cell ran."""
    times = cell.metadata.get("execution", {})
    begin, end = times.get("iopub.execute_input"), times.get("shell.execute_reply")
    return (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds() if begin and end else 0.0
