"""Build the lectures: for each notebook, a deck in one HTML file that works offline, and a PDF handout.

python -m lectures.slides                    every notebook but the appendix, and the guest lecture, in build/slides/
python -m lectures.slides 03 07              only these notebooks
python -m lectures.slides guest              only the guest lecture
python -m lectures.slides --no-handouts 03   without the PDF, which needs Chrome or Chromium
"""

import argparse
import json
import sys
from pathlib import Path

from nbformat.v4 import new_markdown_cell, new_notebook

from tools.chrome import NOT_FOUND, find_browser, open_browser

from .cut import Slide, complaints, on_the_wall
from .pages import deck_html
from .paper import ROOT, drawn_for_the_wall

GUEST = ROOT / "lectures" / "guest_lecture.json"
SLIDES = ROOT / "build" / "slides"


def notebooks() -> dict[str, Path]:
    """The notebooks that have a lecture, by number: all but the appendices, which are for reading."""
    paths = {path.name[:2]: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    return {number: path for number, path in paths.items() if not number.startswith("A")}


def deck(path: Path) -> str:
    """The deck of one notebook as HTML. What a lecturer would complain about is printed."""
    notebook = drawn_for_the_wall(path)
    slides = on_the_wall(notebook)
    for number, slide in enumerate(slides, 1):
        for complaint in complaints(slide, notebook):
            print(f"  {path.name[:2]}, slide {number}, “{slide.title}”: {complaint}", file=sys.stderr)
    return deck_html(slides, notebook.cells[0].source.splitlines()[0].lstrip("# "))


def guest_lecture() -> str:
    """The guest lecture as HTML: slides of several notebooks, with notes for this talk, between slides of its own."""
    plan = json.loads(GUEST.read_text(encoding="utf-8"))
    there = {number: slides_by_title(number) for number, *_ in plan["slides"]}
    picked = [for_the_talk(there[number][title], plan["title"], *own) for number, title, *own in plan["slides"]]
    return deck_html(own_slides(plan["opening"]) + picked + own_slides(plan["closing"]), plan["title"])


def slides_by_title(number: str) -> dict[str, Slide]:
    """The slides of a notebook, drawn for the wall, by their titles."""
    return {slide.title: slide for slide in on_the_wall(drawn_for_the_wall(notebooks()[number]))}


def for_the_talk(slide: Slide, talk: str, said: str, wall: str = "") -> Slide:
    """A notebook's slide in a talk, with the talk's notes and the answer to its question, or with a wall of its own."""
    if wall:
        return slide._replace(notebook=talk, notes=[said], wall=[wall])
    asked = f"*{slide.question['question']}*" if slide.question else None
    answer = [note for note in slide.notes if asked and note.startswith(asked)]
    return slide._replace(notebook=talk, notes=[said, *answer])


def own_slides(lines: list[str]) -> list[Slide]:
    """Slides that no notebook has, from lines of text with marks."""
    return on_the_wall(new_notebook(cells=[new_markdown_cell("\n".join(lines))]))


def print_handouts(decks: list[Path]) -> None:
    """Print each deck to a PDF next to it: three slides a page, with their notes beside them."""
    if find_browser() is None:
        sys.exit(f"sdpa-course: built the decks, but can't print the PDF handouts: {NOT_FOUND}")
    with open_browser() as browser:
        for path in decks:
            page = browser.new_page(color_scheme="light")
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
    parser.add_argument("numbers", nargs="*", metavar="NB", help="such as 03, or guest; all by default")
    parser.add_argument("--no-handouts", action="store_true", help="don't print the PDF handouts")
    arguments = parser.parse_args()
    there = notebooks()
    numbers = [number for number in arguments.numbers if number != "guest"]
    for number in numbers:
        if number not in there:
            sys.exit(f"sdpa-course: got {number!r}, expected a notebook: {', '.join(there)}")
    SLIDES.mkdir(parents=True, exist_ok=True)
    built = [store(there[number].stem, deck(there[number])) for number in (numbers if arguments.numbers else there)]
    if not arguments.numbers or "guest" in arguments.numbers:
        built.append(store("guest_lecture", guest_lecture()))
    if not arguments.no_handouts:
        print_handouts(built)


if __name__ == "__main__":
    main()
