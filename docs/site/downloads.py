"""The downloads and their page: notebooks, flashcards, and the decks and handouts of the lectures."""

import re
import shutil
import sys
import zipfile
from concurrent.futures import Executor
from pathlib import Path

from lectures import slides
from lectures.pages import DECK
from tools.chrome import NOT_FOUND, find_browser

from .gather import ROOT, notebooks

BUNDLE = "downloads/sdpa-course-notebooks.zip"
TITLES = {"guest_lecture": "A guest lecture of 50 minutes"}


def put_decks(site: Path, pool: Executor) -> set[str]:
    """Copy decks and handouts to slides/, first building those that are missing or out of date."""
    lectures = {path.stem: path for path in slides.notebooks().values()}
    wanted = [*lectures, "guest_lecture"]
    sources = [*(ROOT / "lectures").glob("*.*"), *DECK.iterdir(), *(ROOT / "sdpa_course").rglob("*.py")]
    own = {name: [lectures[name]] if name in lectures else list(lectures.values()) for name in wanted}
    slides.SLIDES.mkdir(parents=True, exist_ok=True)
    stale = [name for name in wanted if older(slides.SLIDES / f"{name}.html", sources + own[name])]
    list(pool.map(build_deck, stale))
    decks = [slides.SLIDES / f"{name}.html" for name in wanted]
    unprinted = [deck for deck in decks if older(deck.with_suffix(".pdf"), [deck])]
    if unprinted and find_browser() is None:
        print(f"sdpa-course: the site gets no PDF handouts: {NOT_FOUND}", file=sys.stderr)
        unprinted = []
    if unprinted:
        slides.print_handouts(unprinted)
    return {address for deck in decks for address in put_deck(deck, site)}


def build_deck(name: str) -> None:
    """Build one deck into build/slides/."""
    guest = name == "guest_lecture"
    slides.store(name, slides.guest_lecture() if guest else slides.deck(ROOT / "notebooks" / f"{name}.ipynb"))


def older(path: Path, sources: list[Path]) -> bool:
    """Whether a file is missing or older than one of its sources."""
    return not path.exists() or path.stat().st_mtime < max(source.stat().st_mtime for source in sources)


def put_deck(deck: Path, site: Path) -> list[str]:
    """Copy one deck and its handout, with links to notebooks turned into links to their pages."""
    folder = site / "slides"
    folder.mkdir(parents=True, exist_ok=True)
    html = deck.read_text(encoding="utf-8")
    (folder / deck.name).write_text(re.sub(r'href="([\w./-]+\.(?:ipynb|md))"', on_the_site, html), encoding="utf-8")
    handout = deck.with_suffix(".pdf")
    if older(handout, [deck]):
        return [f"slides/{deck.name}"]
    shutil.copy(handout, folder)
    return [f"slides/{deck.name}", f"slides/{handout.name}"]


def on_the_site(link: re.Match) -> str:
    """A notebook's link as seen from slides/, which is next to notebooks/."""
    place = re.sub(r"\.(ipynb|md)$", ".html", link[1])
    return f'href="{place if place.startswith("../") else f"../notebooks/{place}"}"'


def put_files(site: Path) -> None:
    """Copy the notebooks next to their pages, an archive of all of them, and what's in downloads/."""
    shutil.copytree(ROOT / "downloads", site / "downloads", dirs_exist_ok=True)
    bundle_notebooks(site / BUNDLE)
    for path in notebooks():
        copy = site / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)


def bundle_notebooks(target: Path) -> None:
    """An archive of all notebooks and problem sets, the same bytes every time."""
    with zipfile.ZipFile(target, "w") as archive:
        for path in notebooks():
            dated = zipfile.ZipInfo(f"sdpa-course/{path.relative_to(ROOT).as_posix()}", (1980, 1, 1, 0, 0, 0))
            dated.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(dated, path.read_bytes())


def downloads_page(decks: set[str]) -> str:
    """The page as Markdown; where a handout is missing, its cell stays empty."""
    lines = ["# Downloads", "", "## Lectures and notebooks", ""]
    lines += [
        "A deck is one file that works without a network and without a kernel, sliders included. A handout has the",
        "slides with their notes. A notebook needs the package: [how to install it](contents.md#start).",
        "",
        "| | notebook | slides | handout |",
        "|---|---|---|---|",
    ]
    stems = {path.stem: path for path in notebooks() if path.parent.name == "notebooks"}
    for stem in [*stems, "guest_lecture"]:
        page = f"[](notebooks/{stem}.ipynb)" if stem in stems else TITLES[stem]
        cells = [file_link(f"notebooks/{stem}.ipynb", "ipynb") if stem in stems else ""]
        for kind, words in (("html", "open"), ("pdf", "PDF")):
            deck = f"slides/{stem}.{kind}"
            cells.append(file_link(deck, words) if deck in decks else "")
        lines.append(f"| {page} | {' | '.join(cells)} |")
    lines += ["", "## Problem sets", "", "| | notebook |", "|---|---|"]
    for path in notebooks():
        place = path.relative_to(ROOT).as_posix()
        if path.stem not in stems:
            lines.append(f"| [](/{place}) | {file_link(place, 'ipynb')} |")
    lines += ["", "## All at once, and flashcards", ""]
    lines += [f"- {file_link(BUNDLE)}: all notebooks and problem sets."]
    lines += [f"- {file_link('downloads/flashcards.apkg')}: flashcards for Anki."]
    lines += [f"- {file_link('downloads/flashcards.csv')}: the same as a table, for other programs."]
    return "\n".join(lines) + "\n"


def file_link(address: str, words: str | None = None) -> str:
    """A link to a file of the site, by default showing its name. Decks open in the browser; other files are saved."""
    name = address.rpartition("/")[2]
    saved = "" if name.endswith("html") else " download"
    return f'<a href="{address}"{saved}>{words or name}</a>'
