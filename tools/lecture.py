"""Lecture live: a notebook as slides in the browser, with a kernel behind it.

python tools/lecture.py 03 [options for JupyterLab]

The talk is given from a copy in my_lectures/, so whatever is typed or run in it leaves the course alone. A copy from an
earlier talk is kept under another name.
"""

import os
import re
import shutil
import sys
from datetime import datetime
from pathlib import Path

import nbformat

ROOT = Path(__file__).parent.parent
LIVE = ROOT / "lectures" / "live"
TALKS = ROOT / "my_lectures"
OUTPUT_ONLY = "slide-output"  # tag of a cell whose code is not shown on its slide
RISE = {  # settings of the slideshow, stored in the copy
    "theme": "white",
    "transition": "none",
    "center": False,
    "scroll": True,
    "slideNumber": "c/t",
    "margin": 0,
}


def notebooks() -> dict[str, Path]:
    """The notebooks that are lectured on, by number: all but the appendix."""
    return {path.name[:2]: path for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))}


def prepare(path: Path, folder: Path = TALKS) -> Path:
    """A copy for the talk: the code of figures and sliders folded away, the slideshow's settings in it."""
    folder.mkdir(exist_ok=True)
    copy = folder / path.name
    if copy.exists():
        written = datetime.fromtimestamp(copy.stat().st_mtime)
        copy.rename(folder / f"{path.stem}.{written:%Y-%m-%d-%H%M%S}.ipynb")
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata.rise = RISE
    for cell in notebook.cells:
        if only_output(cell):
            cell.metadata.jupyter = {"source_hidden": True}
    nbformat.write(notebook, copy)
    shutil.copy(LIVE / "rise.css", folder)
    return copy


def only_output(cell) -> bool:
    """Whether a slide shows what the cell gives and not its code: figures, sliders, and cells that are tagged so."""
    if cell.cell_type != "code":
        return False
    pictured = any("image/png" in output.get("data", {}) for output in cell.outputs)
    return pictured or slider_of(cell) is not None or OUTPUT_ONLY in cell.metadata.get("tags", [])


def slider_of(cell) -> str | None:
    """The slider that a cell shows, such as `collapse_explorer`."""
    found = re.search(r"^(\w+_explorer)\(\)", cell.source, re.MULTILINE)
    return found and found[1]


def main() -> None:
    """Prepare the copy, then become JupyterLab."""
    number, options = sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]
    if number not in notebooks():
        sys.exit(f"sdpa-course: say which notebook: make lecture NB=03; there are {', '.join(notebooks())}")
    copy = prepare(notebooks()[number])
    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [str(LIVE), os.environ.get("JUPYTER_PATH")]))
    place = copy.relative_to(ROOT).as_posix()
    print(f"sdpa-course: the talk is {place}; its address with the token is printed below, Ctrl-C stops it", flush=True)
    command = [sys.executable, "-m", "jupyterlab", "--ip=127.0.0.1", f"--ServerApp.root_dir={ROOT}"]
    command += [f"--LabApp.default_url=/rise/{place}", *options]
    os.execv(sys.executable, command)


if __name__ == "__main__":
    main()
