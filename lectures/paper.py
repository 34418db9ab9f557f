"""A notebook drawn for the wall and for the site: its code runs again, once, and what came out is kept in build/."""

import hashlib
import json
import os
import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from sdpa_course.figures.kit.picture import ALL

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "build" / "wall"


def drawn_for_the_wall(path: Path):
    """The notebook with the kit's pictures as slides and the site need them. One that calls none stays as it is."""
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    code = [cell.source for cell in cells]
    if not re.search(rf"\b({'|'.join(ALL)})\(", "\n".join(code)):
        return notebook
    kept = KEPT / f"{path.stem}-{key(code)}.json"
    if not kept.exists():
        copy = nbformat.from_dict(notebook)
        place = {"metadata": {"path": path.parent}}
        client = NotebookClient(copy, timeout=600, kernel_name="python3", coalesce_streams=True, resources=place)
        client.execute(env=os.environ | {"SDPA_PAPER": "slide page"})
        outputs = [cell.outputs for cell in copy.cells if cell.cell_type == "code"]
        KEPT.mkdir(parents=True, exist_ok=True)
        for old in KEPT.glob(f"{path.stem}-*.json"):
            old.unlink()
        kept.write_text(json.dumps(outputs), encoding="utf-8")
    for cell, outputs in zip(cells, json.loads(kept.read_text(encoding="utf-8")), strict=True):
        cell.outputs = [nbformat.from_dict(output) for output in outputs]
    return notebook


def key(code: list[str]) -> str:
    """A short hash of the notebook's code and of the package."""
    package = [file.read_bytes() for file in sorted((ROOT / "sdpa_course").rglob("*.py"))]
    return hashlib.sha256(b"\0".join([json.dumps(code).encode(), *package])).hexdigest()[:16]
