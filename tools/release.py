"""Make the files of a release in build/release/: the wheel, the notebooks, the lectures, and what's in downloads/.

python -m tools.release
"""

import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from docs.site.downloads import bundle_notebooks, put_decks
from sdpa_course import __version__

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "build" / "release"


def main() -> None:
    """Make them anew and list them."""
    shutil.rmtree(OUTPUT, ignore_errors=True)
    OUTPUT.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--wheel-dir", OUTPUT, ROOT], check=True)
    bundle_notebooks(OUTPUT / f"sdpa-course-{__version__}-notebooks.zip")
    with ProcessPoolExecutor() as pool:
        put_decks(OUTPUT, pool)
    shutil.make_archive(str(OUTPUT / f"sdpa-course-{__version__}-lectures"), "zip", OUTPUT, "slides")
    shutil.rmtree(OUTPUT / "slides")
    for path in (ROOT / "downloads").iterdir():
        shutil.copy(path, OUTPUT)
    for path in sorted(OUTPUT.iterdir()):
        print(f"{path.stat().st_size / 1e6:6.2f} MB  {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
