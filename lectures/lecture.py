"""Lecture live: show a notebook as slides in the browser, with a kernel running behind it.

python -m lectures.lecture 03 [options for JupyterLab]

You talk from a copy in my_lectures/, so nothing you type or run changes the course. A copy left over from an earlier
talk is kept under another name.
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
OUTPUT_ONLY = "slide-output"  # tag of a cell whose slide shows its output without its code
RISE = {  # settings of the slideshow, stored in the copy
    "theme": "white",
    "transition": "none",
    "center": False,
    "scroll": True,
    "slideNumber": "c/t",
    "margin": 0,
}


def notebooks() -> dict[str, Path]:
    """The notebooks that have a lecture, by number: all but the appendices."""
    return {path.name[:2]: path for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))}


def prepare(path: Path, folder: Path = TALKS) -> Path:
    """Copy a notebook for the talk, with the code of figures and sliders folded away and the slideshow's settings."""
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
    """Whether a slide shows a cell's output without its code: figures, sliders, and cells tagged for it."""
    if cell.cell_type != "code":
        return False
    pictured = any("image/png" in output.get("data", {}) for output in cell.outputs)
    return pictured or slider_of(cell) is not None or OUTPUT_ONLY in cell.metadata.get("tags", [])


def slider_of(cell) -> str | None:
    """The slider that a cell shows, such as `collapse_explorer`."""
    found = re.search(r"^(\w+_explorer)\(\)", cell.source, re.MULTILINE)
    return found and found[1]


def sliders_of(notebook) -> list[str]:
    """The sliders of a notebook, top to bottom."""
    return [name for cell in notebook.cells if cell.cell_type == "code" and (name := slider_of(cell))]


def main() -> None:
    """Prepare the copy, then start JupyterLab in place of this process."""
    number, options = sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]
    if number not in notebooks():
        sys.exit(f"sdpa-course: got {number!r}, expected a notebook (make lecture NB=03): {', '.join(notebooks())}")
    copy = prepare(notebooks()[number])
    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [str(LIVE), os.environ.get("JUPYTER_PATH")]))
    place = copy.relative_to(ROOT).as_posix()
    print(f"sdpa-course: your talk is {place}; open the address printed below, stop with Ctrl-C", flush=True)
    command = [sys.executable, "-m", "jupyterlab", "--ip=127.0.0.1", f"--ServerApp.root_dir={ROOT}"]
    command += [f"--LabApp.default_url=/rise/{place}", *options]
    os.execv(sys.executable, command)


if __name__ == "__main__":
    main()
