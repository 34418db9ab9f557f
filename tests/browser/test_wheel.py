"""From the built wheel alone: one command, in an empty folder, opens notebook 00; it works, and nothing is lost."""

import json
import os
import re
import subprocess
import sys
import time
import venv
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tools.lab import NotebookPage

ROOT = Path(__file__).parents[2]
SET_SOURCE = """([word, source]) => {
  const cells = window.jupyterapp.shell.currentWidget.content.widgets.filter(cell => cell.model.type === 'code');
  cells.find(cell => cell.model.sharedModel.getSource().includes(word)).model.sharedModel.setSource(source);
}"""


class Course:
    """`sdpa-course lab`, running; it has the two things that a page asks of a lab."""

    def __init__(self, python: Path, folder: Path):
        home = {"HOME": str(folder), "SDPA_GUESSES": str(folder / "guesses.json")}
        home["JUPYTER_PATH"] = str(Path(sys.prefix) / "share" / "jupyter")  # the widgets of these tests
        tracker = folder / ".jupyter/lab/user-settings/@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
        tracker.parent.mkdir(parents=True, exist_ok=True)
        tracker.write_text('{"windowingMode": "none"}')  # shows every cell, on screen or not
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "XDG", "PYTHON"))}
        command = [python.with_name("sdpa-course"), "lab", "course", "--no-browser", "--port=0"]
        command += ["--LabApp.expose_app_in_browser=True"]
        self.log = folder / "log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, cwd=folder, env=kept | home, stdout=log, stderr=subprocess.STDOUT)
        self.server = self.wait()

    def wait(self) -> re.Match:
        """The address that a reader would click, once it's printed."""
        for _ in range(240):
            if found := re.search(r"(http://127\.0\.0\.1:\d+)/lab/tree/(\S+)\?token=(\w+)", self.log.read_text()):
                return found
            time.sleep(0.25)
        self.stop()
        raise RuntimeError(self.log.read_text()[-2000:])

    def address(self, path: str) -> str:
        return f"{self.server[1]}/{path}?token={self.server[3]}"

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A Python that has the built wheel, beside everything that these tests have anyway."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT], check=True)
    venv.create(folder / "env", with_pip=False)
    python = folder / "env" / "bin" / "python"
    (wheel,) = folder.glob("*.whl")
    subprocess.run([*pip, "--python", python, "install", "--no-deps", "--no-index", wheel], check=True)
    (packages,) = (folder / "env" / "lib").glob("python*/site-packages")
    (others,) = {path for path in sys.path if path.endswith("site-packages")}
    (packages / "others.pth").write_text(others)  # without the link to this clone: a .pth isn't read from there
    return python


def test_one_command_from_the_wheel(browser, python, tmp_path):
    course = Course(python, tmp_path)
    try:
        assert course.server[2] == "notebooks/00_start_here.ipynb"
        check_notebook_00(browser, course)
        check_ps01(browser, course)
    finally:
        course.stop()
    edited = tmp_path / "course" / "exercises" / "ps01" / "ps01.ipynb"
    mine = edited.read_bytes()
    assert b"Q @ K.T" in mine
    again = Course(python, tmp_path)
    again.stop()
    with pytest.raises(URLError):
        urlopen(again.address("api"), timeout=5)  # JupyterLab has stopped with the command
    assert edited.read_bytes() == mine
    assert "your copy is" in again.log.read_text()


def check_notebook_00(browser, course):
    """It opens with its pictures, asks about nothing, and its slider moves."""
    page = NotebookPage(browser, course, "notebooks/00_start_here.ipynb")
    assert page.page.locator("img[src^='data:image/png']").count() > 0
    page.run_all()
    assert page.outputs_of("error") == []
    (slider,) = page.sliders()
    before = slider.pictures()
    slider.press("d_k", "ArrowRight")
    page.page.wait_for_timeout(1500)
    assert slider.pictures() != before
    assert page.page.locator(".Toastify__toast").count() == 0  # nor is there a question about news
    page.close()


def check_ps01(browser, course):
    """A check says what's missing, then what's right; the answer is saved."""
    page = NotebookPage(browser, course, "exercises/ps01/ps01.ipynb")
    page.run_all()
    assert "not answered yet" in page.page.inner_text(".jp-Notebook")
    page.page.evaluate(SET_SOURCE, ["def all_scores", "def all_scores(Q, K):\n    return Q @ K.T"])
    page.run_all()
    page.page.wait_for_selector("text=/all_scores: .*right/i", timeout=20_000)
    page.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.page.wait_for_timeout(1500)
    page.close()


def test_the_package_is_the_wheels(python):
    code = "import json, sdpa_course; print(json.dumps(sdpa_course.__file__))"
    found = json.loads(subprocess.run([python, "-c", code], capture_output=True, text=True, check=True, cwd="/").stdout)
    assert Path(found).is_relative_to(python.parents[1])
