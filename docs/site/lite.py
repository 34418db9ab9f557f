"""Build the part of the site that runs: JupyterLite with every notebook and exercise, and the package installed.

python -m docs.site.lite              into build/site/lite/; readers load Python from Pyodide's public distribution
python -m docs.site.lite --offline    with Pyodide included, for a room without a network
"""

import argparse
import json
import os
import shutil
import sys
import time
from importlib.metadata import version
from pathlib import Path

import nbformat

from .pyodide_bundle import ROOT, bundle, digest, download, find, run

SETTINGS = ROOT / "docs" / "site" / "lite"
WORK = ROOT / "build" / "lite"  # keeps downloads from one build to the next
OUTPUT = ROOT / "build" / "site" / "lite"
DOCS = ("benchmarks", "diagnose", "homework", "questions")  # those that notebooks link to
CONTENTS = ("notebooks/*.ipynb", "exercises/*/*.ipynb", "downloads/*", *(f"docs/{name}.md" for name in DOCS))
if os.environ.get("SDPA_SOLUTIONS") != "off":
    CONTENTS += ("solutions/*/*.ipynb",)  # `solution(…)` reads them, one task at a time
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
METADATA = {  # what the browser's kernel would write, so that opening a notebook doesn't mark it as changed
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
EXTENSIONS = ("@jupyterlite/pyodide-kernel-extension", "@jupyter-widgets/jupyterlab-manager", "anywidget")
NOT_IN_PYODIDE = (
    "anywidget",
    "comm",
    "ipywidgets",
    "psygnal",
)  # pure Python that the package needs and Pyodide doesn't have
APPS = ("lab", "notebooks")  # the lab and, for phones, single notebooks
STARTING = '<script type="module" src="../starting.js"></script>'
FROM_WORKER = "../../../../"  # the kernel's worker is four folders below the site


def build(output: Path, *, offline: bool) -> None:
    """Write a complete JupyterLite into a folder."""
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
    run([sys.executable, "-m", "jupyterlite_core", "build"], stage, "JupyterLite couldn't be built")
    shutil.copyfile(SETTINGS / "starting.js", output / "starting.js")
    for app in APPS:
        page = output / app / "index.html"
        html = page.read_text(encoding="utf-8")
        page.write_text(html.replace("</body>", STARTING + "</body>"), encoding="utf-8")
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

    Each notebook gets its own workspace: in a shared one, the lab would reopen every notebook that was open before,
    each with its own Python.
    """
    return f"lab/index.html?path={path}&workspace={Path(path).stem}"


def stage_contents(folder: Path) -> None:
    """Copy the files a reader can open; notebooks get the browser's kernel."""
    for path in (path for pattern in CONTENTS for path in sorted(ROOT.glob(pattern))):
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".ipynb":
            notebook = nbformat.read(path, as_version=4)
            notebook.metadata = METADATA
            target.write_text(json.dumps(notebook, ensure_ascii=False), encoding="utf-8")  # cells as strings
        else:
            shutil.copyfile(path, target)


def wheels(stage: Path) -> list[Path]:
    """The course's own wheel, freshly built, and those of the packages that Pyodide doesn't have."""
    source, own = stage / "package", stage / "wheel"  # built from a copy, free of what earlier builds left
    shutil.copytree(ROOT / "sdpa_course", source / "sdpa_course", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(ROOT / name, source / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    run([*command, f"--wheel-dir={own}", str(source)], ROOT, "pip couldn't build the package's wheel")
    others = WORK / "wheels"
    download([f"{name}=={version(name)}" for name in NOT_IN_PYODIDE], others)
    return [*(find(others, name, version(name)) for name in NOT_IN_PYODIDE), *own.glob("*.whl")]


def place(wheel: Path) -> str:
    """A wheel's place on the site: it depends on the contents, so that no cache serves an old one."""
    return f"wheels/{digest(wheel)[:12]}/{wheel.name}"


def lite_config(stage: Path, output: Path) -> dict:
    """Settings for `jupyter lite build`: the lab and, for phones, single notebooks, with widgets and the kernel."""
    extensions = Path(sys.prefix) / "share" / "jupyter" / "labextensions"
    return {
        "LiteBuildConfig": {
            "apps": list(APPS),
            "contents": [str(stage / "files")],
            "output_dir": str(output.resolve()),
            "ignore_sys_prefix": ["federated_extensions"],
            "federated_extensions": [str(extensions / name) for name in EXTENSIONS],
            "no_sourcemaps": True,
            "no_unused_shared_packages": True,
        }
    }


def main() -> None:
    """Build JupyterLite from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--offline", action="store_true", help="include Pyodide, so that it runs without a network")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="the folder to write to; replaced if it exists")
    arguments = parser.parse_args()
    build(arguments.output, offline=arguments.offline)


if __name__ == "__main__":
    main()
