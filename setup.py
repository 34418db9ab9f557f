"""Put the course itself into the wheel: what `sdpa-course lab` copies for a reader. All else is in pyproject.toml."""

import json
import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
COURSE = ("notebooks/*.ipynb", "exercises/*/*.ipynb", "solutions/*/*.ipynb", "downloads/flashcards.*", "LICENSE")
COURSE += tuple(f"docs/{name}.md" for name in ("homework", "benchmarks", "diagnose", "refresher"))
HIDDEN = re.compile(r"^### BEGIN HIDDEN TESTS\n.*?^### END HIDDEN TESTS\n?|^ *### (BEGIN|END) SOLUTION\n?", re.S | re.M)


def put_course(target: Path) -> None:
    """Copy what a reader works with; solutions without the marks that only the grader reads."""
    shutil.rmtree(target, ignore_errors=True)
    for path in (path for pattern in COURSE for path in sorted(ROOT.glob(pattern))):
        copy = target / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.parts[-3] != "solutions":
            shutil.copyfile(path, copy)
            continue
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            cell["source"] = HIDDEN.sub("", "".join(cell["source"])).rstrip("\n")
        copy.write_text(json.dumps(notebook, ensure_ascii=False, indent=1), encoding="utf-8")


class WithCourse(build_py):
    """Build the package, then put the course beside its modules, unless it's installed from where it lies."""

    def run(self):
        super().run()
        if not self.editable_mode:
            put_course(Path(self.build_lib) / "sdpa_course" / "course")


setup(cmdclass={"build_py": WithCourse})
