"""A site with one page, for what no notebook of the course is sure to have."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from docs.site import gather
from docs.site.pictures import Pictures
from lectures import paper
from tools import run_notebooks

INDEX = "# One page\n\n```{{toctree}}\n{}\n```\n"


def small_site(root: Path, name: str, notebook) -> Path:
    """Run the notebook, and make its page in site/ as Sphinx does. `name` is its path, such as notebooks/a.ipynb."""
    path = root / name
    path.parent.mkdir()
    notebook.cells.insert(0, nbformat.v4.new_markdown_cell("# The page"))
    nbformat.write(notebook, path)
    run_notebooks.run(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gather, "ROOT", root)
        patch.setattr(paper, "KEPT", root / "wall")
        gathering = gather.Gathering(root / "source", Pictures(root / "site"), {}, runnable=False)
        gathering.write(name, gathering.notebook(path, set()))
        gathering.write("index.md", INDEX.format(name.removesuffix(".ipynb")))
    code = "import sys, pathlib, docs.site.build as build; build.run_sphinx(*map(pathlib.Path, sys.argv[1:]))"
    subprocess.run([sys.executable, "-c", code, root / "source", root / "site"], check=True, cwd=gather.ROOT)
    return root
