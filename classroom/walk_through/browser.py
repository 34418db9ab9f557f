"""Somebody in front of a browser: the hub's login, JupyterLab, nbgrader's list, a notebook, a terminal."""

import re
import secrets
import time

from answers import PROBLEM_SET
from machine import need, say
from room import Classroom

PATIENCE = 120_000  # milliseconds for anything in the browser: the machine may be busy


class Person:
    """Somebody in front of a browser of their own."""

    def __init__(self, browser, classroom: Classroom, name: str):
        self.classroom, self.name = classroom, name
        self.context = browser.new_context(viewport={"width": 1300, "height": 950}, ignore_https_errors=True)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()

    @classmethod
    def beside(cls, other: "Person") -> "Person":
        """The same person with another tab."""
        person = cls.__new__(cls)
        person.__dict__.update(other.__dict__, page=other.context.new_page())
        return person

    def log_in(self, password: str | None = None) -> None:
        """With the password of the Unix account."""
        self.page.goto(f"{self.classroom.hub.address}/hub/login")
        self.page.fill("#username_input", self.name)
        self.page.fill("#password_input", password or self.classroom.passwords[self.name])
        self.page.click("#login_submit")

    def wait_for_lab(self) -> None:
        """Until JupyterLab stands."""
        self.page.wait_for_url("**/lab**")
        self.page.wait_for_function("() => window.jupyterapp?.restored")
        self.page.evaluate("async () => { await window.jupyterapp.restored; }")

    def command(self, name: str, **arguments) -> None:
        """One of JupyterLab's commands."""
        script = "async ([name, arguments]) => { await window.jupyterapp.commands.execute(name, arguments); }"
        self.page.evaluate(script, [name, arguments])

    def status(self, path: str) -> int:
        """Of a page of the hub, as this person gets it."""
        return self.context.request.get(f"{self.classroom.hub.address}{path}").status

    def picture(self, name: str) -> None:
        """For a person to look at."""
        if self.classroom.pictures:
            self.page.screenshot(path=self.classroom.pictures / f"{self.name}-{name}.png")

    # nbgrader's list of assignments

    def open_list(self) -> None:
        """Open it, or go back to it and read it anew."""
        self.command("nbgrader:open-assignment-list")
        self.page.locator("#refresh_assignments_list").click()

    def press(self, section: str, button: str) -> None:
        """A button in one section of the list: released, fetched or submitted."""
        self.page.locator(f"#{section}_assignments_list").get_by_role("button", name=button, exact=True).first.click()

    # A notebook

    def open_notebook(self) -> None:
        """The one that was fetched, and a kernel that is ready."""
        self.command("docmanager:open", path=f"sdpa-course/{PROBLEM_SET}/{PROBLEM_SET}.ipynb", factory="Notebook")
        self.page.wait_for_function(
            "() => window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
        )

    def select(self, grade_id: str, mode: str) -> None:
        """Make a cell the active one, by the name that nbgrader gave it."""
        found = self.page.evaluate(
            """([id, mode]) => {
                const notebook = window.jupyterapp.shell.currentWidget.content;
                const at = notebook.widgets.findIndex(c => c.model.getMetadata('nbgrader')?.grade_id === id);
                if (at < 0) return false;
                notebook.activeCellIndex = at;
                notebook.mode = mode;
                notebook.scrollToItem(at);
                notebook.activate();
                return true;
            }""",
            [grade_id, mode],
        )
        need(found, f"the notebook of {self.name} has no cell {grade_id}")
        self.page.wait_for_timeout(300)

    def write(self, grade_id: str, source: str) -> None:
        """Put an answer into a cell by keyboard."""
        self.select(grade_id, "edit")
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(source)
        kept = self.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel.source"
        )
        need(kept.strip() == source.strip(), f"the answer {grade_id} did not arrive as {self.name} typed it")

    def run_and_save(self) -> None:
        """Every cell, then the file."""
        self.command("notebook:run-all-cells")
        self.page.wait_for_function(
            "() => window.jupyterapp.shell.currentWidget.content.widgets"
            ".every(c => c.model.type !== 'code' || c.model.executionCount)"
        )
        self.command("docmanager:save")

    def printed(self, grade_id: str) -> str:
        """What a cell printed, as it stands on the page."""
        self.select(grade_id, "command")
        return self.page.locator(".jp-Cell.jp-mod-active .jp-OutputArea-output").first.inner_text()

    # A terminal

    def type_command(self, command: str) -> str:
        """Type a command into a terminal of JupyterLab; gives what it said."""
        said = self.classroom.home(self.name) / f".said-{secrets.token_hex(4)}"
        done = said.with_suffix(".status")
        say(f"    $ {command}")
        self.page.locator(".jp-Terminal .xterm-helper-textarea:visible").focus()
        self.page.keyboard.insert_text(f"({command}) > {said} 2>&1; echo $? > {done}")
        self.page.keyboard.press("Enter")
        end = time.monotonic() + PATIENCE / 1000
        while not (done.exists() and done.read_text().strip()):
            need(time.monotonic() < end, f"the command did not end: {command}")
            time.sleep(0.2)
        text = re.sub(r"\x1b\[[0-9;]*m", "", said.read_text(errors="replace"))
        lines = [line.strip() for line in re.split(r"[\r\n]", text) if line.strip()]
        need(done.read_text().strip() == "0", f"`{command}` failed: {lines[-1] if lines else 'without a word'}")
        return text
