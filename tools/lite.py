"""Build the part of the site that runs: JupyterLite with all notebooks and exercises, and the package in its kernel.

python tools/lite.py                  into build/site/lite/, Python comes from Pyodide's public distribution
python tools/lite.py --offline        with Pyodide in it, for a room without a network
"""

import argparse
import json
import shutil
import sys
import time
from importlib.metadata import version
from pathlib import Path

import nbformat

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from pyodide_bundle import bundle, digest, download, find, run  # noqa: E402

SETTINGS = ROOT / "docs" / "site" / "lite"
WORK = ROOT / "build" / "lite"  # what is fetched stays here, and is not fetched again
OUTPUT = ROOT / "build" / "site" / "lite"
CONTENTS = ("notebooks/*.ipynb", "exercises/*/*.ipynb", "downloads/*", "docs/benchmarks.md", "docs/homework.md")
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
METADATA = {  # as the browser's kernel has it: opening a notebook does not change it, so it is not stored there
    "kernelspec": {"display_name": "Python (Pyodide)", "language": "python", "name": "python"},
    "language_info": {
        "codemirror_mode": {"name": "python", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": "3.8",
    },
}
EXTENSIONS = ("@jupyterlite/pyodide-kernel-extension", "@jupyter-widgets/jupyterlab-manager")
WITHOUT_PYODIDE = ("comm", "ipywidgets")  # pure Python that the package needs and Pyodide does not have
FROM_WORKER = "../../../../"  # the kernel's worker stands four folders below the site


def build(output: Path, *, offline: bool) -> None:
    """Write a complete JupyterLite into a folder of its own."""
    begin = time.monotonic()
    stage = WORK / "stage"
    for folder in (stage, output):
        shutil.rmtree(folder, ignore_errors=True)
    stage_contents(stage / "files")
    settings = json.loads((SETTINGS / "jupyter-lite.json").read_text(encoding="utf-8"))
    options = settings["jupyter-config-data"]["litePluginSettings"][KERNEL]["loadPyodideOptions"]
    if offline:
        bundle(stage / "static" / "pyodide", options["packages"], WORK)
    places = {place(wheel): wheel for wheel in wheels(stage)}
    options["packages"] += [FROM_WORKER + place for place in places]
    (stage / "jupyter-lite.json").write_text(json.dumps(settings, indent=1), encoding="utf-8")
    shutil.copyfile(SETTINGS / "overrides.json", stage / "overrides.json")
    (stage / "jupyter_lite_config.json").write_text(json.dumps(lite_config(stage, output)))
    run([sys.executable, "-m", "jupyterlite_core", "build"], stage, "JupyterLite could not be built")
    (output / "tree").mkdir()
    shutil.copyfile(SETTINGS / "tree.html", output / "tree" / "index.html")
    for name, wheel in places.items():
        (output / name).parent.mkdir(parents=True)
        shutil.copyfile(wheel, output / name)
    files = [path for path in output.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"built {output}: {len(files)} files, {size:.0f} MB, in {time.monotonic() - begin:.0f} s", flush=True)


def link(path: str) -> str:
    """The address of a notebook below the built folder.

    Each has a workspace of its own: in a common one, the lab opens all notebooks that were open before, each with
    its own Python.
    """
    return f"lab/index.html?path={path}&workspace={Path(path).stem}"


def stage_contents(folder: Path) -> None:
    """Copy what a reader opens; the notebooks name the browser's kernel."""
    for path in (path for pattern in CONTENTS for path in sorted(ROOT.glob(pattern))):
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".ipynb":
            notebook = nbformat.read(path, as_version=4)
            notebook.metadata = METADATA
            target.write_text(json.dumps(notebook, ensure_ascii=False), encoding="utf-8")  # text whole, not in lines
        else:
            shutil.copyfile(path, target)


def wheels(stage: Path) -> list[Path]:
    """The course's own wheel, built now, and those of packages that Pyodide does not have."""
    source, own = stage / "package", stage / "wheel"  # from a copy: what an earlier build left behind is not in it
    shutil.copytree(ROOT / "sdpa_course", source / "sdpa_course", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(ROOT / name, source / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    run([*command, f"--wheel-dir={own}", str(source)], ROOT, "the package's wheel could not be built")
    others = WORK / "wheels"
    download([f"{name}=={version(name)}" for name in WITHOUT_PYODIDE], others)
    return [*(find(others, name, version(name)) for name in WITHOUT_PYODIDE), *own.glob("*.whl")]


def place(wheel: Path) -> str:
    """Where a wheel stands on the site: a changed one has another address, so that no cache confuses the two."""
    return f"wheels/{digest(wheel)[:12]}/{wheel.name}"


def lite_config(stage: Path, output: Path) -> dict:
    """What `jupyter lite build` builds: the lab and, for phones, single notebooks; with sliders and the kernel."""
    extensions = Path(sys.prefix) / "share" / "jupyter" / "labextensions"
    return {
        "LiteBuildConfig": {
            "apps": ["lab", "notebooks"],
            "contents": [str(stage / "files")],
            "output_dir": str(output.resolve()),
            "ignore_sys_prefix": ["federated_extensions"],
            "federated_extensions": [str(extensions / name) for name in EXTENSIONS],
            "no_sourcemaps": True,
            "no_unused_shared_packages": True,
        }
    }


def main() -> None:
    """Build what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--offline", action="store_true", help="with Pyodide in it: no network is needed to run it")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="the folder, made anew")
    arguments = parser.parse_args()
    build(arguments.output, offline=arguments.offline)


if __name__ == "__main__":
    main()
