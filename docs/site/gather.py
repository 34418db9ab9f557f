"""Gather what Sphinx reads: every page keeps its path in the repository, so that links between pages still work.

Notebooks are copied with a few changes: a line of links under the title, pictures as files with their alt text,
sliders that move without a kernel instead of the stored picture, and plain symbols typeset as mathematics.
"""

import os
import re
import shutil
from base64 import b64decode
from html import escape, unescape
from pathlib import Path

import nbformat
from nbformat.v4 import new_output

from lectures.cut import slider_of, sliders_of
from lectures.paper import drawn_for_the_wall
from sdpa_course.figures.kit.picture import PAGE

from .address import ADDRESS
from .gallery import gallery_page
from .lite import link as place_in_lite
from .pictures import Pictures, compact, drawing_html, picture_html
from .reference import api_page, references_page
from .sliders import slider_html
from .typesetting import mathematics_in_html, typeset, typeset_headings

SITE = Path(__file__).parent
ROOT = SITE.parent.parent
INLINE = re.compile(r'<img alt="([^"]*)" width="(\d+)" height="(\d+)" src="data:image/png;base64,([^"]+)">')  # in HTML
TO_BE_ANSWERED = "Your answer here."
SLOW = "In the browser this notebook takes about {} minutes, because NumPy has no fast matrix product there."
IN_THE_BROWSER = {  # what to expect when a notebook runs there
    "09_training": SLOW.format("four"),
    "A2_speed": f"{SLOW.format('two')} The times it measures are then the browser's.",
    "12_verdict": SLOW.format("three"),
    "A1_pytorch": "There is no PyTorch in the browser, so the cells that need it are skipped.",
}


def lessons() -> list[Path]:
    """The notebooks without the problem sets, which can't run before somebody solves them."""
    return sorted((ROOT / "notebooks").glob("*.ipynb"))


def notebooks() -> list[Path]:
    """The notebooks and the problem sets, in reading order."""
    return [*lessons(), *sorted((ROOT / "exercises").glob("*/*.ipynb"))]


def address(place: Path) -> str:
    """Where a notebook runs, relative to the root of the site."""
    return escape(f"lite/{place_in_lite(place.as_posix())}")


def run_button(place: Path, root: str = "", words: str = "Run this page in your browser") -> str:
    """The link to where a notebook runs. `root` leads from the page to the root of the site."""
    return f'<a class="run" href="{root}{address(place)}">{words}</a>'


def pages_of_docs() -> list[Path]:
    """The pages of docs/ and CONTRIBUTING."""
    return [*sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]


def page_of_docs(path: Path) -> str:
    """A page of docs/ as the site shows it; the exam without its answers, if solutions are left out."""
    text = path.read_text(encoding="utf-8")
    if path.name == "exam.md" and os.environ.get("SDPA_SOLUTIONS") == "off":
        text = re.sub(r"<details>.*?</details>\n", "", text, flags=re.DOTALL)
    return titled_links(text)


def slider_names() -> list[str]:
    """The sliders of all notebooks."""
    return sorted({name for path in notebooks() for name in sliders_of(nbformat.read(path, as_version=4))})


class Gathering:
    """One build: where its pages go and what they show besides the text."""

    def __init__(self, source: Path, pictures: Pictures, sliders: dict, runnable: bool):
        self.source, self.pictures, self.sliders, self.runnable = source, pictures, sliders, runnable
        shutil.rmtree(source, ignore_errors=True)

    def write(self, name: str, text: str) -> None:
        """Write a page, named by its path from the root, and copy the files it links to."""
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            file = (ROOT / name).parent / link
            if file.is_file() and file.suffix not in (".md", ".ipynb"):  # not a page, so it's a download
                copy = path.parent / link
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, copy)

    def everything(self, claims: str, downloads: str, decks: set[str]) -> None:
        """Write all pages. `decks` are the addresses of the slides and handouts that exist."""
        for path in notebooks():
            self.write(path.relative_to(ROOT).as_posix(), self.notebook(path, decks))
        for path in pages_of_docs():
            self.write(path.relative_to(ROOT).as_posix(), page_of_docs(path))
        trials, start = (Path(f"notebooks/{name}.ipynb") for name in ("12_verdict", "00_start_here"))
        words = "Run the course in your browser"
        self.write("claims.md", under_title(claims, line_of([run_button(trials)] * self.runnable)))
        self.write("downloads.md", downloads)
        self.write("gallery.md", gallery_page(self.pictures))
        self.write(
            "contents.md", under_title(contents_page(), line_of([run_button(start, words=words)] * self.runnable))
        )
        self.write("index.md", index_page())
        self.write("references.md", references_page())
        self.write("api.md", api_page())

    def notebook(self, path: Path, decks: set[str]) -> str:
        """A notebook the way its page shows it."""
        notebook = nbformat.read(path, as_version=4)
        place = path.relative_to(ROOT)
        root = "../" * len(place.parts[:-1])
        run = root + address(place) if self.runnable else None
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        for cell in code:
            if slider := slider_of(cell):
                html = slider_html(self.sliders[slider], self.pictures, root, run)
                cell.outputs = [html_output(html), *caption_of(cell)]
        for cell, again in zip(code, drawn_again(path), strict=True):
            cell.outputs = [self.output(output, again, root) for output in cell.outputs]
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = text_of(cell)
        notebook.cells[0].source = under_title(notebook.cells[0].source, self.links(place, root, decks))
        return nbformat.writes(notebook)

    def output(self, output, again: dict[str, dict], root: str):
        """An output with its picture as files or its symbols typeset; any other output as it is."""
        data = output.get("data", {})
        forms = again.get(data.get("text/plain"), {})
        if "text/html" in data:
            data["text/html"] = INLINE.sub(lambda found: self.inline(found, forms, root), data["text/html"])
        if "text/markdown" in data:
            data["text/markdown"] = mathematics_in_html(typeset(data["text/markdown"]))
        if "image/png" not in data:
            return output
        words = output.metadata["image/png"]
        size = words["width"], words["height"]
        return html_output(self.picture(data["image/png"], words["alt"], size, forms, root))

    def inline(self, found: re.Match, forms: dict, root: str) -> str:
        """A picture that's part of an output's HTML."""
        alt, width, height, data = found.groups()
        return self.picture(data, unescape(alt), (int(width), int(height)), forms, root)

    def picture(self, stored: str, alt: str, size: tuple[int, int], forms: dict, root: str) -> str:
        """A picture in every form it was drawn in, or as it's stored."""
        if forms:
            drawn = {name: b64decode(data) for name, data in forms.items()}
            return drawing_html(drawn, alt, self.pictures, root)
        return picture_html(compact(b64decode(stored)), alt, size, self.pictures, root)

    def links(self, place: Path, root: str, decks: set[str]) -> str:
        """The line under a title: links to run it, download it, and open its slides."""
        links = [run_button(place, root)] if self.runnable else []
        links.append(f'<a href="{place.name}" download>Notebook (.ipynb)</a>')
        for kind, words in (("html", "Slides"), ("pdf", "Handout (PDF)")):
            deck = f"slides/{place.stem}.{kind}"
            links += [f'<a href="{root}{deck}">{words}</a>'] * (deck in decks)
        expect = IN_THE_BROWSER.get(place.stem) if self.runnable else None
        return line_of(links) + (f'<p class="expect">{expect}</p>' if expect else "")


def line_of(links: list[str]) -> str:
    """The line under a title."""
    return f'<p class="page-links">{" ".join(links)}</p>' if links else ""


def under_title(text: str, html: str) -> str:
    """Markdown with a line of HTML under its title."""
    title, _, rest = text.partition("\n")
    return f"{title}\n\n{html}\n\n{rest}"


def index_page() -> str:
    """Sphinx's first page: only the order of the others. The landing page takes its place."""
    names = {
        name: "\n".join(path.relative_to(ROOT).with_suffix("").as_posix() for path in paths)
        for name, paths in {
            "notebooks": [path for path in notebooks() if path.parent.name == "notebooks"],
            "exercises": [path for path in notebooks() if path.parent.name != "notebooks"],
            "docs": [path for path in pages_of_docs() if path.name not in ("homework.md", "refresher.md")],
        }.items()
    }
    return (SITE / "index.md").read_text(encoding="utf-8").format(**names)


def contents_page() -> str:
    """Everything there is: sections of the README around what only the site has."""
    parts = readme()
    return (
        (SITE / "contents.md")
        .read_text(encoding="utf-8")
        .format(
            elsewhere=elsewhere(),
            map=the_map(parts["The map"]),
            start=parts["Start"],
            engineers=parts["For engineers"],
            teachers=parts["For teachers"] + "\n\nThe decks and handouts are among the [downloads](downloads.md).",
        )
    )


def elsewhere() -> str:
    """Where else notebooks run, if the repository has an address."""
    links = ADDRESS.elsewhere("notebooks/00_start_here.ipynb")
    named = ", or ".join(f"[{name}]({link})" for name, link in links.items())
    install = f"`%pip install 'sdpa-course @ git+{ADDRESS.repository}'`"
    words = f"- **Somewhere else**: {named}; in Colab, make {install} your first cell. Nobody has tried either yet.\n"
    return words if links else ""


def readme() -> dict[str, str]:
    """The README by heading; the title and the text before the first heading are its introduction."""
    text = titled_links((ROOT / "README.md").read_text(encoding="utf-8"))
    introduction, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    parts = {"introduction": introduction.strip()}
    return parts | {heading: body.strip() for heading, _, body in (section.partition("\n") for section in sections)}


def the_map(section: str) -> str:
    """The README's table, without the remarks around it, which don't apply here."""
    table = [line for line in section.splitlines() if line.startswith("|")]
    return typeset("\n".join(table).replace("](downloads/)", "](downloads.md)"))


def titled_links(text: str) -> str:
    """Make links whose text is a file name show the title of that page instead."""
    return re.sub(r"\[`?[\w/.-]+\.md`?\](\([^)\s]+\.md(#[^)\s]*)?\))", r"[]\1", text)


def text_of(cell) -> str:
    """A cell of text the way its page shows it."""
    if cell.source.strip() == TO_BE_ANSWERED:
        return f'<p class="answer">{TO_BE_ANSWERED}</p>'
    return mathematics_in_html(typeset_headings(titled_links(cell.source)))


def caption_of(cell) -> list:
    """A slider's caption, without the stored numbers and description, because those change as it moves."""
    texts = [output.data["text/markdown"] for output in cell.outputs if "text/markdown" in output.get("data", {})]
    captions = [text.partition("\n\n")[0] for text in texts if text.startswith("*")]
    return [new_output("display_data", {"text/markdown": caption}) for caption in captions]


def drawn_again(path: Path) -> list[dict[str, dict]]:
    """For each code cell, its pictures of the drawing kit as a page shows them, by the text that stands for them."""
    notebook = drawn_for_the_wall(path) if path in lessons() else nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    drawn = [[output.data for output in cell.outputs if PAGE in output.get("data", {})] for cell in cells]
    return [{data["text/plain"]: data[PAGE] for data in found} for found in drawn]


def html_output(html: str):
    """HTML as a cell's output."""
    return new_output("display_data", {"text/html": html})
