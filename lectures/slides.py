"""Build the lectures: for each notebook, a deck in one HTML file that works offline, and a PDF handout.

python -m lectures.slides                    every notebook but the appendix, and the guest lecture, in build/slides/
python -m lectures.slides 03 07              only these notebooks
python -m lectures.slides --no-handouts 03   without the PDF, which needs Chrome or Chromium
"""

import argparse
import json
import re
import sys
from importlib.metadata import distribution
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat.v4 import new_markdown_cell, new_notebook, new_output
from traitlets.config import Config

from lectures.frames import frames_html
from sdpa_course.explore import all_explorers
from tools.chrome import NOT_FOUND, find_browser, open_browser

from .lecture import OUTPUT_ONLY, ROOT, notebooks, only_output, slider_of

DECK = ROOT / "lectures" / "deck"
GUEST = ROOT / "lectures" / "guest_lecture.json"
SLIDES = ROOT / "build" / "slides"


def shipped(package: str, path: str) -> str:
    """The text of a file that comes with an installed package."""
    return Path(distribution(package).locate_file(path)).read_text(encoding="utf-8")


def parts(title: str) -> dict:
    """What the template puts in every deck."""
    reveal = "sphinx_revealjs/_static/revealjs"
    return {
        "title": title,
        "css": (DECK / "deck.css").read_text(encoding="utf-8"),
        "frames": (DECK / "frames.js").read_text(encoding="utf-8"),
        "script": (DECK / "deck.js").read_text(encoding="utf-8"),
        "reveal_css": shipped("sphinx-revealjs", f"{reveal}/dist/reveal.css"),
        "reveal": shipped("sphinx-revealjs", f"{reveal}/dist/reveal.js"),
        "notes": shipped("sphinx-revealjs", f"{reveal}/plugin/notes/notes.js"),
        "mathjax": shipped("sphinx-mathjax-offline", "sphinx-mathjax-offline/static/mathjax/tex-svg.js"),
    }


def read(path: Path):
    """Read a notebook."""
    return nbformat.read(path, as_version=4)


def prepare(notebook) -> None:
    """Turn a notebook into slides: figures without code, sliders with their frames, the section at the top."""
    explorers = all_explorers()
    section = ""
    for cell in notebook.cells:
        heading = re.match(r"##? (.+)", cell.source) if cell.cell_type == "markdown" else None
        if heading:
            section = re.sub(r"[*`]", "", heading[1])
        elif slide_type(cell) in ("slide", "subslide"):
            cell.metadata.section = section
        if only_output(cell):
            cell.metadata.tags = [OUTPUT_ONLY]
        slider = slider_of(cell)
        if slider:
            cell.outputs = [new_output("display_data", {"text/html": frames_html(explorers[slider]())})]


def slide_type(cell) -> str:
    """`slide`, `subslide`, `fragment`, `skip`, `notes`, or `-` for a cell that continues the slide before it."""
    return cell.metadata.get("slideshow", {}).get("slide_type", "-")


def deck(path: Path) -> str:
    """The deck of one notebook as HTML."""
    notebook = read(path)
    return export(notebook, notebook.cells[0].source.splitlines()[0].lstrip("# "))


def guest_lecture() -> str:
    """The guest lecture as HTML: sections of several notebooks, with its own opening, closing and notes."""
    plan = json.loads(GUEST.read_text(encoding="utf-8"))
    opening, closing = plan["opening"], plan["closing"]
    cells = [marked(f"# {plan['title']}\n\n{opening['slide']}", "slide"), marked(opening["notes"], "notes")]
    for number, heading, said in plan["sections"]:
        first, *rest = sections(read(notebooks()[number]))[heading]
        first.source = re.sub(r"^## \d+\. ", "## ", first.source)  # its number belongs to its notebook
        cells += [first, marked(said, "notes"), *rest]
    cells += [marked(closing["slide"], "slide"), marked(closing["notes"], "notes")]
    return export(new_notebook(cells=cells), "Why does attention divide by √d_k?")


def marked(text: str, kind: str):
    """A cell of text for a slide or for its notes."""
    return new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}})


def sections(notebook) -> dict[str, list]:
    """The cells of each section by heading; those before the first heading go under "Title"."""
    found, heading = {"Title": []}, "Title"
    for cell in notebook.cells:
        begins = re.match(r"## (.+)", cell.source) if cell.cell_type == "markdown" else None
        if begins:
            heading = begins[1]
            found[heading] = []
        found[heading].append(cell)
    return found


def export(notebook, title: str) -> str:
    """A notebook as slides in one HTML file."""
    prepare(notebook)
    settings = Config(
        SlidesExporter={"exclude_input_prompt": True, "exclude_output_prompt": True, "exclude_anchor_links": True},
        TagRemovePreprocessor={"enabled": True, "remove_input_tags": {OUTPUT_ONLY}},
    )
    exporter = SlidesExporter(template_name="deck", extra_template_basedirs=[str(DECK.parent)], config=settings)
    html, _ = exporter.from_notebook_node(notebook, {"deck": parts(title)})
    return html


def print_handouts(decks: list[Path]) -> None:
    """Print each deck to a PDF next to it: every slide, reduced, with its notes underneath."""
    if find_browser() is None:
        sys.exit(f"sdpa-course: built the decks, but can't print the PDF handouts: {NOT_FOUND}")
    with open_browser() as browser:
        for path in decks:
            page = browser.new_page()
            page.emulate_media(media="screen")  # reveal.js has its own rules for paper
            page.goto(f"{path.as_uri()}?handout")
            page.wait_for_selector("html[data-ready=yes]", state="attached", timeout=120_000)
            page.pdf(path=path.with_suffix(".pdf"), prefer_css_page_size=True, print_background=True)
            page.close()
            print(f"printed {path.with_suffix('.pdf').relative_to(ROOT)}", flush=True)


def store(name: str, html: str) -> Path:
    """Write a deck and report it."""
    path = SLIDES / f"{name}.html"
    path.write_text(html, encoding="utf-8")
    print(f"built {path.relative_to(ROOT)}", flush=True)
    return path


def main() -> None:
    """Build the decks that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", nargs="*", metavar="NB", help="numbers of notebooks, such as 03; all by default")
    parser.add_argument("--no-handouts", action="store_true", help="don't print the PDF handouts")
    arguments = parser.parse_args()
    there = notebooks()
    for number in arguments.numbers:
        if number not in there:
            sys.exit(f"sdpa-course: got {number!r}, expected a notebook: {', '.join(there)}")
    SLIDES.mkdir(parents=True, exist_ok=True)
    built = [store(there[number].stem, deck(there[number])) for number in arguments.numbers or there]
    if not arguments.numbers:
        built.append(store("guest_lecture", guest_lecture()))
    if not arguments.no_handouts:
        print_handouts(built)


if __name__ == "__main__":
    main()
