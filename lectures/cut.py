"""Cut a notebook into slides, at marks that no reader sees: HTML comments between the paragraphs of a markdown cell.

    <!-- slide: A dot product is **a walk** -->   a slide begins; **…** is the lit part of its title
    <!-- slide: off -->                           nothing goes on the wall from here to the next slide
    <!-- show --> … <!-- /show -->                this piece of the book is also on the wall
    <!-- wall … -->                               markdown for the wall alone; a line ". . ." waits for a click
    <!-- code: 1-4 -->                            lines 1 to 4 of the next code cell, and what it prints
    <!-- output -->                               what the next code cell prints, without its code
    <!-- note: … -->                              for the speaker alone

Without any further mark, prose becomes the speaker's notes, pictures, sliders and predictions go on the wall, and code
and what it prints stay in the book. CONTRIBUTING.md ("Slides") shows how to use them.
"""

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

MARK = re.compile(r"<!--\s*(slide|show|/show|wall|code|output|note)\b:?(.*?)-->", re.DOTALL)
PAUSE = ". . ."
PAUSES = re.compile(r"^(\. \. \.)$", re.MULTILINE)
HEADING = re.compile(r"^(#{1,2}) (.+)$", re.MULTILINE)
WORD = re.compile(r"[^\W\d_][\w'’]+")
NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*")
MOST_WORDS, MOST_LINES = 25, 8


class Code(NamedTuple):
    """A code cell on its way to a slide."""

    cell: dict
    lines: str | None = None  # of its code on the wall, such as "1-4"
    prints: bool = False  # its text and its tables are on the wall

    @property
    def shown_code(self) -> str:
        """The lines that are on the wall."""
        first, _, last = (self.lines or "1-0").partition("-")
        return "\n".join(self.cell.source.splitlines()[int(first) - 1 : int(last or first)])

    @property
    def question(self) -> dict | None:
        """The prediction that the cell asks for: its question, options, answer; the truth in words; its picture."""
        for output in self.cell.outputs:
            html = output.get("data", {}).get("text/html", "")
            stored = re.search(r'class="predict-stored" data-predict="([^"]*)"', html)
            if stored and "question" in (asked := json.loads(unescape(stored[1]))):
                truth = html.partition("</summary>")[2]
                words = re.search(r"<p>((?:(?!<p).)*)</p>(?:<div[^>]*>)?(<img[^>]*>)?", truth)
                return asked | {"words": words[1], "image": words[2], "output": output}
        return None

    @property
    def pictures(self) -> list:
        """The outputs that are pictures."""
        return [output for output in self.cell.outputs if "image/png" in output.get("data", {})]

    @property
    def printed(self) -> list:
        """The outputs that are on the wall because a mark says so: tables, or text if there are none."""
        tables = list(filter(is_table, self.cell.outputs))
        return (tables or [output for output in self.cell.outputs if "text" in output]) if self.prints else []

    @property
    def seen(self) -> bool:
        """Whether anything of it is on the wall."""
        return bool(self.lines or self.pictures or slider_of(self.cell) or self.question or self.printed)


class Slide(NamedTuple):
    """What's between two slide marks. Without a title it's off the wall, and only a live talk needs its code."""

    title: str | None
    section: str  # the heading it's under
    notebook: str  # the notebook's title
    wall: list  # pieces of markdown, pauses between them, and code cells, in order
    notes: list[str]

    @property
    def code(self) -> list[Code]:
        """The code cells with something on the wall."""
        return [part for part in self.wall if isinstance(part, Code) and part.seen]

    @property
    def texts(self) -> list[str]:
        """The pieces of markdown on the wall."""
        return [part for part in self.wall if isinstance(part, str) and part != PAUSE]

    @property
    def question(self) -> dict | None:
        """The prediction that the slide asks for."""
        return next((part.question for part in self.code if part.question), None)


def cut(notebook) -> list[Slide]:
    """The slides of a notebook, in order. Those without a title aren't for the wall."""
    name, section, showing, waiting = "", "Title", False, {}
    slides = [Slide(None, section, name, [], [])]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            part, waiting = Code(cell, **waiting), {}
            slides[-1].wall.append(part)
            if asked := part.question:
                slides[-1].notes.append(f"*{asked['question']}* {asked['words']}")
            continue
        for text, mark, argument in pieces(cell.source):
            for level, heading in HEADING.findall(text):
                name, section = (heading, section) if level == "#" else (name, heading)
            text = HEADING.sub("", text).strip()
            if text and slides[-1].title:
                slides[-1].notes.append(text)
                slides[-1].wall.extend([text] * showing)
            if mark == "slide":
                slides.append(Slide(None if argument == "off" else argument, section, name, [], []))
            elif mark in ("show", "/show"):
                showing = mark == "show"
            elif mark == "code":
                waiting = {"lines": argument, "prints": True}
            elif mark == "output":
                waiting = {"prints": True}
            elif mark == "wall":
                slides[-1].wall.extend(text for part in PAUSES.split(argument) if (text := part.strip()))
            elif mark:
                slides[-1].notes.append(argument)
    return slides


def pieces(source: str) -> Iterator[tuple[str, str, str]]:
    """`(text, the mark after it, the mark's argument)`, from top to bottom; no mark comes after the last text."""
    split = [*MARK.split(source), "", ""]
    return ((text, mark, argument.strip()) for text, mark, argument in zip(*[iter(split)] * 3, strict=True))


def on_the_wall(notebook) -> list[Slide]:
    """The slides that a room sees."""
    return [slide for slide in cut(notebook) if slide.title]


def slider_of(cell) -> str | None:
    """The slider that a cell shows, such as `collapse_explorer`."""
    found = re.search(r"^(\w+_explorer)\(\)", cell.source, re.MULTILINE)
    return found and found[1]


def sliders_of(notebook) -> list[str]:
    """The sliders of a notebook, top to bottom."""
    return [name for cell in notebook.cells if cell.cell_type == "code" and (name := slider_of(cell))]


def is_table(output) -> bool:
    """Whether an output is a table."""
    return "<table" in output.get("data", {}).get("text/html", "")


def complaints(slide: Slide, notebook) -> Iterator[str]:
    """What a lecturer would complain about."""
    if (words := words_of(slide)) > MOST_WORDS:
        yield f"{words} words are on the wall; {MOST_WORDS} are enough"
    if not (slide.texts or slide.code):
        yield "nothing is on the wall"
    pictures = sum(len(part.pictures) + bool(part.question and part.question["image"]) for part in slide.code)
    if pictures > 1:
        yield f"{pictures} pictures are on the wall; give each a slide"
    if not slide.notes:
        yield "the speaker has nothing to say"
    for lines in (part.shown_code.count("\n") + 1 for part in slide.code):
        if lines > MOST_LINES:
            yield f"{lines} lines of code are on the wall; {MOST_LINES} are enough"
    told = "\n".join(output_text(cell) for cell in notebook.cells if cell.cell_type == "code")
    for number in NUMBER.findall(slide.title):
        if not re.search(rf"(?<![\d.,]){re.escape(number)}(?![.,]?\d)", told):
            yield f"no output of the notebook says {number}"


def words_of(slide: Slide) -> int:
    """The words on the wall, outside pictures, code and formulas; in a prediction, before or after it's answered."""
    tables = [output.data["text/plain"] for part in slide.code for output in part.printed if is_table(output)]
    after = " ".join([slide.title, *slide.texts, *tables])
    asked = slide.question or {"question": ""}
    before = " ".join([asked["question"], *asked.get("options", [])])
    return max(
        len(WORD.findall(re.sub(r"```.*?```|\$\$.*?\$\$|\$.*?\$", " ", text, flags=re.DOTALL)))
        for text in (before, after)
    )


def output_text(cell) -> str:
    """What a code cell prints, and what its pictures say in words."""
    return "\n".join(output.get("text", "") + output.get("data", {}).get("text/plain", "") for output in cell.outputs)
