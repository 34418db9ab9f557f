"""`sdpa-course lab`: give the reader a copy of the course to write in, and open it in JupyterLab.

The copy is the reader's. A file that's there is never written again, whatever is in it, and another version of the
course goes into a folder of its own beside it.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from . import __version__

PACKAGE = Path(__file__).parent
MARK = ".sdpa-course"  # says which course is in a folder
FIRST = "notebooks/00_start_here.ipynb"


def lab(arguments: list[str]) -> int:
    """Copy the course into a folder, or what isn't there yet of it, and open it. Returns the exit status."""
    if arguments[:1] in (["-h"], ["--help"]):
        print("sdpa-course lab [folder] [options of JupyterLab, such as --no-browser]\n\nCopy the course into a folder")
        print("(sdpa-course, if none is named) and open it in JupyterLab. What's already there is left as it is.")
        return 0
    if find_spec("jupyterlab") is None:
        print(
            'sdpa-course: JupyterLab is missing; to install it, run `pip install "sdpa-course[lab]"`', file=sys.stderr
        )
        return 2
    named = bool(arguments) and not arguments[0].startswith("-")
    folder = Path(arguments[0] if named else "sdpa-course")
    course = PACKAGE / "course"
    if course.is_dir():
        folder = place(course, folder.expanduser().resolve(), __version__)
    else:  # a clone, installed from where it lies: there's nothing to copy
        folder = PACKAGE.parent
        trust(sorted(path for name in ("notebooks", "exercises") for path in (folder / name).rglob("*.ipynb")))
    return open_lab(folder, arguments[named:])


def place(course: Path, folder: Path, version: str) -> Path:
    """Where the reader's copy of this course is; files that it doesn't have yet are copied and trusted."""
    mark = f"{version} {digest(course)}\n"
    if holds(folder) == "":
        folder = folder / "sdpa-course"  # what's in there belongs to something else
    target = next(each for each in candidates(folder, version) if holds(each) in (None, mark))
    target.mkdir(parents=True, exist_ok=True)
    (target / MARK).write_text(mark, encoding="utf-8")
    copied = [path for path in files(course) if copy(course / path, target / path)]
    print(f"sdpa-course: {len(copied)} files copied to {target}" if copied else f"sdpa-course: your copy is {target}")
    trust([target / path for path in copied if path.suffix == ".ipynb"])
    return target


def candidates(folder: Path, version: str) -> Iterator[Path]:
    """The folder itself, then names beside it that tell versions apart."""
    yield folder
    yield folder.with_name(f"{folder.name}-{version}")
    yield from (folder.with_name(f"{folder.name}-{version}-{again}") for again in count(2))


def holds(folder: Path) -> str | None:
    """Which course is in a folder: its mark, "" if it holds something else, None if there's nothing in it."""
    if (folder / MARK).is_file():
        return (folder / MARK).read_text(encoding="utf-8")
    return "" if folder.exists() and any(folder.iterdir()) else None


def files(course: Path) -> list[Path]:
    """The files of a course, relative to its folder."""
    return sorted(path.relative_to(course) for path in course.rglob("*") if path.is_file())


def digest(course: Path) -> str:
    """A fingerprint of a course, because a version under development keeps its number."""
    found = hashlib.sha256()
    for path in files(course):
        found.update(path.as_posix().encode() + (course / path).read_bytes())
    return found.hexdigest()[:16]


def copy(source: Path, target: Path) -> bool:
    """Copy one file, unless there's something in its place. Whether it was copied."""
    target.parent.mkdir(parents=True, exist_ok=True)
    content = source.read_bytes()
    try:
        with target.open("xb") as file:  # fails if it exists
            file.write(content)
    except FileExistsError:
        return False
    return True


def trust(notebooks: list[Path]) -> None:
    """Tell Jupyter that these notebooks come from here, so that it shows all of what's stored in them."""
    if notebooks:
        command = [sys.executable, "-m", "nbformat.sign", *map(str, notebooks)]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)  # without trust, everything still works


def open_lab(folder: Path, options: list[str]) -> int:
    """Run JupyterLab on the first notebook until the reader stops it; it doesn't ask about news."""
    paths = [str(PACKAGE / "jupyter"), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    environment = os.environ | {"JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-m", "jupyterlab", "--ip=127.0.0.1", f"--ServerApp.root_dir={folder}"]
    command += [f"--LabApp.default_url=/lab/tree/{FIRST}"]
    command += ["--allow-root"] * (hasattr(os, "geteuid") and os.geteuid() == 0)  # as in many containers
    print("sdpa-course: starting JupyterLab; its address with the token is printed below, Ctrl-C stops it", flush=True)
    command += options
    if os.name == "posix":
        os.execve(sys.executable, command, environment)  # whoever stops this process then stops JupyterLab
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    except KeyboardInterrupt:
        return 0
