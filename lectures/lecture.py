"""Lecture live: show a notebook's slides in the browser, with a kernel running behind them.

python -m lectures.lecture 03 [options for JupyterLab]

You talk from a notebook in my_lectures/ that's made of the slides, so nothing you type or run changes the course. One
left over from an earlier talk is kept under another name.
"""

import os
import sys
from datetime import datetime
from pathlib import Path

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

from .cut import PAUSE, Slide, cut
from .pages import colours, fonts
from .slides import ROOT, notebooks

LIVE = ROOT / "lectures" / "live"
TALKS = ROOT / "my_lectures"
RISE = {  # settings of the slideshow, stored in the talk
    "theme": "white",
    "transition": "none",
    "center": False,
    "scroll": True,
    "slideNumber": "c/t",
    "margin": 0,
}


def prepare(path: Path, folder: Path = TALKS) -> Path:
    """Make a talk of a notebook: its slides, cell by cell, and in between, unseen, the code that they need to run."""
    folder.mkdir(exist_ok=True)
    talk = folder / path.name
    if talk.exists():
        written = datetime.fromtimestamp(talk.stat().st_mtime)
        talk.rename(folder / f"{path.stem}.{written:%Y-%m-%d-%H%M%S}.ipynb")
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for slide in cut(notebook) for cell in cells_of(slide)]
    nbformat.write(new_notebook(cells=cells, metadata=notebook.metadata | {"rise": RISE}), talk)
    style = (LIVE / "rise.css").read_text(encoding="utf-8")
    (folder / "rise.css").write_text(f"{fonts()}\n:root {{ {colours('light')}}}\n{style}", encoding="utf-8")
    return talk


def cells_of(slide: Slide) -> list:
    """The cells of one slide. A prediction comes before the title, which tells its answer, and what else there is."""
    cells, asked, kind = [], 0, "-"
    for part in slide.wall:
        if part == PAUSE:
            kind = "fragment"
        elif isinstance(part, str):
            cells.append(typed(new_markdown_cell(part), kind))
            kind = "-"
        elif slide.title and part.seen:
            part.cell.metadata.jupyter = {"source_hidden": not part.lines}  # until the lecturer unfolds it
            cells.append(typed(part.cell, kind))
            asked, kind = len(cells) if part.question else asked, "-"
        else:
            cells.append(typed(part.cell, "skip"))
    if slide.title is None:
        return cells
    seen = [cell for cell in cells if cell.metadata.slideshow.slide_type != "skip"]
    if asked:
        typed(seen[0], "slide")
    told = "fragment" if asked and seen[-1] is cells[asked - 1] else "slide"
    cells.insert(asked, typed(new_markdown_cell(f"## {slide.title}"), told))
    return cells + [typed(new_markdown_cell(note), "notes") for note in slide.notes]


def typed(cell, kind: str):
    """The cell, as this part of a slide."""
    cell.metadata.slideshow = {"slide_type": kind}
    return cell


def main() -> None:
    """Make the talk, then start JupyterLab in place of this process."""
    number, options = sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]
    if number not in notebooks():
        sys.exit(f"sdpa-course: got {number!r}, expected a notebook (make lecture NB=03): {', '.join(notebooks())}")
    place = prepare(notebooks()[number]).relative_to(ROOT).as_posix()
    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [str(LIVE), os.environ.get("JUPYTER_PATH")]))
    os.environ["SDPA_PAPER"] = "slide"  # the kernel draws for the wall
    print(f"sdpa-course: your talk is {place}; open the address printed below, stop with Ctrl-C", flush=True)
    command = [sys.executable, "-m", "jupyterlab", "--ip=127.0.0.1", f"--ServerApp.root_dir={ROOT}"]
    command += [f"--LabApp.default_url=/rise/{place}", *options]
    os.execv(sys.executable, command)


if __name__ == "__main__":
    main()
