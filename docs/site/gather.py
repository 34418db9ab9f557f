"""Gather what Sphinx reads: every page keeps its path in the repository, so that links between pages still work.

Notebooks are copied with a few changes: a line of links under the title, pictures as files with their alt text,
sliders that move without a kernel instead of the stored picture, and plain symbols typeset as mathematics.
"""

import re
import shutil
from base64 import b64decode
from html import escape
from pathlib import Path

import nbformat
from nbformat.v4 import new_output

from lectures.lecture import slider_of, sliders_of

from .lite import link as place_in_lite
from .sliders import Pictures, compact, picture_html, slider_html
from .typesetting import mathematics_in_html, typeset, typeset_headings

SITE = Path(__file__).parent
ROOT = SITE.parent.parent
TO_BE_ANSWERED = "Your answer here."
SLOW = "In the browser this notebook takes about {} minutes, because NumPy has no fast matrix product there."
IN_THE_BROWSER = {  # what to expect when a notebook runs there
    "09_training": SLOW.format("four"),
    "10_speed": f"{SLOW.format('two')} The times it measures are then the browser's.",
    "11_claims": SLOW.format("three"),
    "A1_pytorch": "There is no PyTorch in the browser, so the cells that need it are skipped.",
}


def notebooks() -> list[Path]:
    """The notebooks and the problem sets, in reading order."""
    return [*sorted((ROOT / "notebooks").glob("*.ipynb")), *sorted((ROOT / "exercises").glob("*/*.ipynb"))]


def address(place: Path) -> str:
    """Where a notebook runs, relative to the root of the site."""
    return escape(f"lite/{place_in_lite(place.as_posix())}")


def run_button(place: Path, root: str = "", words: str = "Run this page in your browser") -> str:
    """The link to where a notebook runs. `root` leads from the page to the root of the site."""
    return f'<a class="run" href="{root}{address(place)}">{words}</a>'


def pages_of_docs() -> list[Path]:
    """The pages of docs/ and CONTRIBUTING."""
    return [*sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]


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
            self.write(path.relative_to(ROOT).as_posix(), titled_links(path.read_text(encoding="utf-8")))
        trials, start = (Path(f"notebooks/{name}.ipynb") for name in ("11_claims", "00_start_here"))
        words = "Run the course in your browser"
        self.write("claims.md", under_title(claims, line_of([run_button(trials)] * self.runnable)))
        self.write("downloads.md", downloads)
        self.write("index.md", under_title(start_page(), line_of([run_button(start, words=words)] * self.runnable)))

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
        for cell in code:
            cell.outputs = [self.output(output, root) for output in cell.outputs]
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = text_of(cell)
        notebook.cells[0].source = under_title(notebook.cells[0].source, self.links(place, root, decks))
        return nbformat.writes(notebook)

    def output(self, output, root: str):
        """An output with its picture as a file or its symbols typeset; any other output as it is."""
        if "text/markdown" in output.get("data", {}):
            output.data["text/markdown"] = mathematics_in_html(typeset(output.data["text/markdown"]))
        if "image/png" not in output.get("data", {}):
            return output
        words = output.metadata["image/png"]
        picture = compact(b64decode(output.data["image/png"]))
        return html_output(picture_html(picture, words["alt"], (words["width"], words["height"]), self.pictures, root))

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


def start_page() -> str:
    """The start page: sections of the README around what only the site has."""
    parts = readme()
    page = (SITE / "index.md").read_text(encoding="utf-8")
    names = {
        name: "\n".join(path.relative_to(ROOT).with_suffix("").as_posix() for path in paths)
        for name, paths in {
            "notebooks": [path for path in notebooks() if path.parent.name == "notebooks"],
            "exercises": [path for path in notebooks() if path.parent.name != "notebooks"],
            "docs": [path for path in pages_of_docs() if path.name != "homework.md"],
        }.items()
    }
    return page.format(
        introduction=parts["introduction"].replace("√d_k", "√dₖ"),
        map=the_map(parts["The map"]),
        homework=parts["Homework"],
        lectures=parts["Lectures"] + "\n\nThe decks and handouts are among the [downloads](downloads.md).",
        documentation=parts["The documentation"],
        start=parts["Start"],
        package=parts["The package"],
        **names,
    )


def readme() -> dict[str, str]:
    """The README by heading; the title and the text before the first heading are its introduction."""
    text = titled_links((ROOT / "README.md").read_text(encoding="utf-8"))
    introduction, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    parts = {"introduction": introduction.strip()}
    return parts | {heading: body.strip() for heading, _, body in (section.partition("\n") for section in sections)}


def the_map(section: str) -> str:
    """The README's table, without the remarks on kernels below it, which don't apply here."""
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


def html_output(html: str):
    """HTML as a cell's output."""
    return new_output("display_data", {"text/html": html})
