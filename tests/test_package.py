"""The packages as a whole: what they export and load, and how long their modules are."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sdpa_course

ROOT = Path(__file__).parent.parent
GRADER = ROOT / "classroom" / "sdpa_classroom"
MODULES = sorted([*(ROOT / "sdpa_course").rglob("*.py"), *GRADER.rglob("*.py")])
BROUGHT = {"IPython", "traitlets", "PIL", "packaging"}  # by ipywidgets and matplotlib
DEPENDENCIES = {"numpy", "matplotlib", "ipywidgets", "anywidget", "tqdm", "threadpoolctl"} | BROUGHT
GRADING = {"nbgrader", "psutil", "pyseccomp"} | {"nbconvert", "nbformat", "sqlalchemy", "traitlets"}  # nbgrader's own
EXTRAS = {"lab", "check", "tests", "homework", "lectures", "torch", "dask", "site", "model"}


def test_public_names_exist_and_are_sorted():
    assert sorted(sdpa_course.__all__) == sdpa_course.__all__
    for name in sdpa_course.__all__:
        assert getattr(sdpa_course, name).__doc__, name


@pytest.mark.parametrize("statement", ["import sdpa_course", "from sdpa_course import *"])
def test_import_loads_numpy_and_no_more(statement):
    code = f"import sys, numpy; before = set(sys.modules); {statement}; print(*set(sys.modules) - before)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    foreign = {name.split(".")[0] for name in run.stdout.split()} - {"sdpa_course"} - set(sys.stdlib_module_names)
    assert foreign <= {"numpy"}
    assert "numpy.random" not in run.stdout.split()  # a tenth of NumPy's own import time, and kernels don't need it


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_are_short_and_import_only_what_is_declared(path):
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= (
        430 if path.match("homework/ps*.py") else 250
    )  # hints in whole sentences are data
    tree = ast.parse(source)
    assert ast.get_docstring(tree), "a module starts by saying what lives in it"
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            imported.add(node.module.split(".")[0])
    allowed = DEPENDENCIES | {"sdpa_course"} | (GRADING | {"sdpa_classroom"} if path.parent == GRADER else set())
    allowed |= {"gguf", "tokenizers"} if path.parent.name == "model" else set()  # the extra `model`
    allowed |= {"distributed"} if path == GRADER / "cluster.py" else set()  # the extra `dask`
    assert imported - set(sys.stdlib_module_names) - allowed == set()


@pytest.mark.parametrize("package", ["", "kernels", "verify", "experiments", "figures", "explore"])
def test_no_module_replaces_a_function_that_its_package_imports(package):
    """Importing the module figures/crowd.py would put it where `from .walks import crowd` had put a function."""
    folder = ROOT / "sdpa_course" / package
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    names = {name.asname or name.name for node in imports for name in node.names}
    modules = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    assert names & modules == set()


def test_pyproject_declares_what_the_package_imports():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {line.split(">")[0] for line in project["dependencies"]} == DEPENDENCIES - BROUGHT
    assert set(project["optional-dependencies"]) == EXTRAS


def test_kernels_know_nothing_of_what_is_built_on_them():
    for path in (ROOT / "sdpa_course" / "kernels").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert node.level <= 1, f"{path.name} imports from outside kernels/"
