"""Execute notebooks from a fresh kernel and store them with clean metadata.

python tools/run_notebooks.py                    all of notebooks/
python tools/run_notebooks.py notebooks/03*      these
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parent.parent
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
WIDGET = "application/vnd.jupyter.widget-view+json"  # refers to a kernel that's gone
FOLDED = "hide-input"  # the tag that folds a cell's code on the site; JupyterLab folds it by other metadata
CELL_METADATA = {"tags", "editable", "deletable", "nbgrader"}


def run(path: Path) -> None:
    """Execute one notebook in its own folder and write it back."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    ).execute()
    clean(notebook)
    nbformat.validate(notebook)
    nbformat.write(notebook, path)


def clean(notebook) -> None:
    """Keep only the metadata that the course uses, drop widgets, and merge output that was printed in pieces."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k in CELL_METADATA})
        if FOLDED in cell.metadata.get("tags", []):
            cell.metadata.jupyter = {"source_hidden": True}
        if cell.cell_type == "code":
            for output in cell.outputs:
                output.get("data", {}).pop(WIDGET, None)
            cell.outputs = merge_streams([output for output in cell.outputs if output.get("data") != {}])


def merge_streams(outputs: list) -> list:
    """One stream output where the kernel sent the same stream in pieces."""
    merged = []
    for output in outputs:
        last = merged[-1] if merged else None
        if last is not None and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
        else:
            merged.append(output)
    return merged


if __name__ == "__main__":
    paths = [Path(name) for name in sys.argv[1:]] or sorted((ROOT / "notebooks").glob("*.ipynb"))
    for path in paths:
        print(f"executing {path.name}", flush=True)
        run(path)
