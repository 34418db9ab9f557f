"""Put Pyodide into a folder, so that JupyterLite's kernel starts without a network.

Its core comes from npm and its packages from PyPI. Four packages have no WebAssembly wheels on PyPI; they come from the
folder that SDPA_WASM_WHEELS names, or ../shared/wasm.
"""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
VERSION = "314.0.6"  # the version that the kernel loads when it's online
INTEGRITY = "sha512-BKDTJyIqFxC4BExLqeRS3f5xvXZIjOt8C3zGLN/Cc7tFxSwvKVhVkchQQ2AGLOtR4YrVOIFxbV8poyDOOmWwxQ=="
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
PLATFORM = "pyemscripten_2026_0_wasm32"
NEWER = {"contourpy": "1.4.0"}  # the locked version has no wheel for WebAssembly on PyPI
VARIABLE = "SDPA_WASM_WHEELS"


def bundle(output: Path, names, cache: Path) -> None:
    """Write Pyodide's core, the named packages and everything they depend on."""
    wasm = wasm_wheels()
    package = unpack_core(cache)
    lock = json.loads((package / LOCK).read_text())
    wanted = closure(lock["packages"], names)
    output.mkdir(parents=True)
    for name in CORE:
        shutil.copyfile(package / name, output / name)
    wheels = cache / "wheels"
    entries = {name: lock["packages"][name] for name in sorted(wanted)}
    missing = {name: entry for name, entry in entries.items() if name not in wasm}
    download([f"{name}=={NEWER.get(name, entry['version'])}" for name, entry in missing.items()], wheels, PLATFORM)
    for name, entry in entries.items():
        wheel = wasm.get(name) or find(wheels, name, NEWER.get(name, entry["version"]))
        shutil.copyfile(wheel, output / wheel.name)
        entry |= {"file_name": wheel.name, "version": version_of(wheel), "sha256": digest(wheel)}
    (output / LOCK).write_text(json.dumps({**lock, "packages": entries}, indent=1))


def wasm_wheels() -> dict[str, Path]:
    """The WebAssembly wheels provided, by package name."""
    folder = Path(os.environ.get(VARIABLE) or ROOT.parent / "shared" / "wasm")
    found = {normal(path.name.split("-")[0]): path for path in sorted(folder.glob(f"*-{PLATFORM}.whl"))}
    needed = {"numpy", "matplotlib", "pillow", "kiwisolver"}
    if not needed <= set(found):
        names = ", ".join(sorted(needed - set(found)))
        sys.exit(
            f"sdpa-course: the offline site needs WebAssembly wheels ({PLATFORM}) of {names}, and {folder} has none; "
            f"if you have them elsewhere: {VARIABLE}=/path/to/wheels make site OFFLINE=1"
        )
    return found


def unpack_core(cache: Path) -> Path:
    """Fetch Pyodide's npm package once, check it and unpack it."""
    cache.mkdir(parents=True, exist_ok=True)
    archive = cache / f"pyodide-{VERSION}.tgz"
    if not archive.exists():
        if shutil.which("npm") is None:
            sys.exit("sdpa-course: the offline site needs npm to fetch Pyodide (on Debian: apt-get install npm)")
        run(["npm", "pack", "--silent", f"pyodide@{VERSION}"], cache, "npm couldn't fetch Pyodide")
    found = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != INTEGRITY:
        archive.unlink()
        sys.exit(f"sdpa-course: pyodide {VERSION} from npm has the wrong checksum and was removed; try again")
    folder = cache / f"pyodide-{VERSION}"
    if not folder.exists():
        with tarfile.open(archive) as file:
            file.extractall(folder, filter="data")
    return folder / "package"


def closure(packages: dict, names) -> set[str]:
    """The named packages and everything they depend on, spelled as in the lock file."""
    spelled = {normal(name): name for name in packages}
    found, waiting = set(), list(names)
    while waiting:
        name = spelled[normal(waiting.pop())]
        if name not in found:
            found.add(name)
            waiting += packages[name]["depends"]
    return found


def download(requirements: list[str], folder: Path, platform: str = "any") -> None:
    """Fetch the wheels for the browser's Python from PyPI that aren't there yet, without their dependencies."""
    folder.mkdir(parents=True, exist_ok=True)
    needed = [line for line in requirements if find(folder, *line.split("==")) is None]
    if needed:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary=:all:", "--python-version=3.14", "--implementation=cp", "--abi=cp314", "--abi=none"]
        command += [f"--platform={platform}", "--platform=any", f"--dest={folder}", *needed]
        run(command, ROOT, "pip couldn't fetch the wheels for the browser")


def find(folder: Path, name: str, version: str) -> Path | None:
    """The wheel of this name and version, if there is one."""
    for path in sorted(folder.glob("*.whl")):
        if normal(path.name.split("-")[0]) == normal(name) and version_of(path) == version:
            return path
    return None


def run(command: list[str], folder: Path, problem: str) -> None:
    """Run a command; if it fails, print the end of its output and exit."""
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.stderr.write("\n".join(done.stdout.splitlines()[-15:]) + "\n")
        sys.exit(f"sdpa-course: {problem}; see the lines above")


def normal(name: str) -> str:
    """A package's name in the form used for comparison."""
    return re.sub(r"[-_.]+", "-", name).lower()


def version_of(wheel: Path) -> str:
    """The version in a wheel's file name."""
    return wheel.name.split("-")[1]


def digest(path: Path) -> str:
    """The checksum that the browser verifies a file against."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
