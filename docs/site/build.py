"""Build the course as a web site that any server can host: pages to read, sliders to move, notebooks to run.

python -m docs.site.build              into build/site/; readers load Python from Pyodide's public distribution
python -m docs.site.build --offline    with Python included: no request leaves the site
python -m docs.site.build --no-lite    only the pages, in a minute; keeps lite/ from an earlier build
"""

import argparse
import os
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from lectures.paper import drawn_for_the_wall

from . import lite
from .assets import drop_leftovers, put_mathjax, trim_icons
from .claims import claims_page
from .downloads import downloads_page, put_decks, put_files
from .gather import ROOT, SITE, Gathering, lessons, slider_names
from .landing import landing_page
from .pictures import Pictures
from .polish import polish
from .sliders import draw_all

OUTPUT = ROOT / "build" / "site"
SOURCE = ROOT / "build" / "site-source"
LITE = "lite"


def empty(site: Path, *, but: str | None) -> None:
    """Remove an earlier build, except for one folder."""
    site.mkdir(parents=True, exist_ok=True)
    for path in site.iterdir():
        if path.name != but:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def build_pages(site: Path, *, runnable: bool) -> None:
    """Everything but JupyterLite."""
    with ThreadPoolExecutor(os.cpu_count()) as kernels:  # decks and pages then find every notebook drawn
        list(kernels.map(drawn_for_the_wall, lessons()))
    with ProcessPoolExecutor() as pool:
        sliders = draw_all(slider_names(), pool)
        claims = claims_page(pool)
        decks = put_decks(site, pool)
    views = sum(len(slider.frames.views) for slider in sliders.values())
    say(f"{views} views of {len(sliders)} sliders, {len(decks)} decks and handouts")
    put_files(site)
    gathering = Gathering(SOURCE, Pictures(site), sliders, runnable)
    gathering.everything(claims, downloads_page(decks), decks)
    run_sphinx(SOURCE, site)
    polish(site)
    (site / "index.html").write_text(landing_page(runnable=runnable), encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", site / "LICENSE.txt")
    put_mathjax(site)
    trim_icons(site)
    drop_leftovers(site)


def run_sphinx(source: Path, site: Path) -> None:
    """Run Sphinx and treat every warning as an error: a dead link, a heading at the wrong level."""
    trees = source.parent / "site-trees"
    shutil.rmtree(trees, ignore_errors=True)
    options = ["-q", "-W", "--keep-going", "-j", "auto", "-c", str(SITE), "-d", str(trees)]
    if sphinx(["-b", "html", *options, str(source), str(site)]):
        sys.exit("sdpa-course: Sphinx found problems in the pages; see the lines above")


def say(words: str) -> None:
    """Report progress."""
    print(f"sdpa-course: {words}", flush=True)


def size_of(folder: Path) -> float:
    """The size of a folder in MB."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main() -> None:
    """Build the site, then report how long it took and how large it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--offline", action="store_true", help="include the Python that runs in the browser")
    parser.add_argument("--no-lite", action="store_true", help="don't build the part that runs notebooks")
    arguments = parser.parse_args()
    begun = time.monotonic()
    empty(OUTPUT, but=LITE if arguments.no_lite else None)
    there = (OUTPUT / LITE / "lab" / "index.html").exists()
    build_pages(OUTPUT, runnable=there or not arguments.no_lite)
    pages = time.monotonic() - begun
    say(f"the pages: {pages:.0f} s")
    if not arguments.no_lite:
        lite.build(OUTPUT / LITE, offline=arguments.offline)
        say(f"the notebooks that run in the browser: {time.monotonic() - begun - pages:.0f} s")
    whole, runs = size_of(OUTPUT), size_of(OUTPUT / LITE) if (OUTPUT / LITE).exists() else 0
    took = time.monotonic() - begun
    say(f"built {OUTPUT.relative_to(ROOT)} in {took:.0f} s: {whole:.0f} MB, of which {LITE}/ {runs:.0f} MB")


if __name__ == "__main__":
    main()
