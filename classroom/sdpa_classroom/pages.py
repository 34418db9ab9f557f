"""What people see of a graded submission: the notebook in nbgrader's formgrader, and the feedback page."""

import functools
import re
from pathlib import Path

import nbformat
import nbgrader
from nbconvert.exporters import HTMLExporter
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor

from .marking import Result

FORMGRADER = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader"
MAX_TEXT = 20_000  # characters of a text cell that are shown
SHORT_CODE = 5_000  # characters of a code cell if a page must be simple
# What a page may load, whatever is in it: the script that typesets mathematics, and nothing else.
MATHJAX = "https://cdnjs.cloudflare.com/ajax/libs/mathjax/"
POLICY = (
    f"default-src 'none'; script-src 'unsafe-eval' {MATHJAX}; style-src 'unsafe-inline' {MATHJAX}; font-src {MATHJAX}; "
    "base-uri 'none'; form-action 'none'"
)
STYLES = FORMGRADER / "static" / "node_modules" / "bootstrap" / "dist" / "css"


def marked(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """The cells that nbgrader knows about."""
    return [cell for cell in notebook.cells if "nbgrader" in cell.metadata]


def assemble(result: Result, release: nbformat.NotebookNode, *, plain: bool = False) -> nbformat.NotebookNode:
    """The student's notebook as the grader saw it: test cells as released, with the verdicts as their outputs.

    Every cell that nbgrader knows about is there exactly once, whatever was deleted, duplicated or edited. `plain` is
    for text that takes too long to typeset: it's shown as it was typed.
    """
    known = {cell.metadata.nbgrader.grade_id: cell for cell in marked(release)}
    notebook = nbformat.v4.new_notebook(metadata=release.metadata)
    summary = f"**{result.state.capitalize()}.** `{' '.join(result.reason.replace('`', ' ').split())}`"
    notebook.cells.append(nbformat.v4.new_markdown_cell(summary, id="grading"))
    used, released = set(), {cell.source for cell in release.cells}
    for number, cell in enumerate(result.cells):
        match = known.get(cell.grade_id)
        if match is not None and (cell.grade_id in used or match.cell_type != cell.kind):
            match = None
        students_text = cell.kind != "code" and cell.source not in released
        source = sanitize_markdown(cell.source) if students_text else cell.source
        if plain:
            source = as_typed(source) if students_text else source[:SHORT_CODE]
        made = nbformat.v4.__dict__[f"new_{cell.kind}_cell"](source, id=f"cell-{number}")
        if match is not None:
            used.add(cell.grade_id)
            made.metadata = nbformat.from_dict(match.metadata)
            if match.metadata.nbgrader.locked:
                made.source = match.source
        notebook.cells.append(made)
        if cell.kind == "code":
            made.outputs = outputs(result, number, cell.grade_id if match is not None else "")
    for grade_id, cell in known.items():
        if grade_id not in used:
            copy = nbformat.from_dict(cell)
            copy.id = f"released-{len(notebook.cells)}"
            if copy.cell_type == "code":
                copy.outputs = outputs(result, -1, grade_id)
            notebook.cells.append(copy)
    return notebook


def outputs(result: Result, number: int, grade_id: str) -> list:
    """What a cell shows: the verdict for a test cell, the printed text for any other."""
    task = grade_id.removesuffix("-test")
    if grade_id.endswith("-test") and task in result.messages:
        text = f"{result.messages[task]}\n{result.marks[task]:g} points\n"
    elif number in result.printed:
        text = result.printed[number].text
    else:
        return []
    return [nbformat.v4.new_output("stream", name="stdout", text=text)] if text else []


def sanitize_markdown(text: str) -> str:
    """A student's Markdown without HTML and unusual links: it's shown in the instructor's browser.

    By hand, because an HTML sanitizer would take the `<` of a formula for a tag.
    """
    text = text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "\n\n… (the rest is cut off)"
    text = re.sub(r"<(?=[a-zA-Z/!?])", "< ", text)  # no tag begins with a space, and a < b reads the same
    text = re.sub(r"\\(?=(href|style|class|cssId|require|url|includegraphics)\b)", r"\\ ", text)  # MathJax's
    text = re.sub(r"(\]\([ \t\n]{0,9})(?!https?://|#)[^\s)]*", r"\1#", text)
    text = re.sub(r"\]:(?![ \t\n]{0,9}(?:https?://|#))", "] :", text)  # nor a link defined elsewhere
    return re.sub(r"!+(?=\[)", "", text)  # a link to click, not a picture that is fetched


def as_typed(text: str) -> str:
    """Markdown that shows this text letter by letter, which takes no time to typeset."""
    return "\n".join(f"    {line}" for line in text.splitlines() if line.strip())


class FeedbackExporter(HTMLExporter):
    """nbconvert's pages, except that the browser is told to load nothing but MathJax."""

    def from_notebook_node(self, nb, resources=None, **kwargs):
        page, resources = super().from_notebook_node(nb, resources=resources, **kwargs)
        policy = f'<head>\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        return page.replace("<head>", policy, 1), resources


@functools.cache
def exporter() -> FeedbackExporter:
    """One for all pages: making it takes longer than a page."""
    made = FeedbackExporter(
        template_name="feedback",
        extra_template_basedirs=[str(FORMGRADER / "templates")],
        extra_template_paths=[str(STYLES)],
        sanitize_html=True,
        default_preprocessors=[],
    )
    made.register_preprocessor(CSSHTMLHeaderPreprocessor, enabled=True)
    return made


def feedback(notebook: nbformat.NotebookNode, scores: dict) -> str:
    """nbgrader's feedback page, without any HTML or scripts of the student's own."""
    name = scores["notebook"]
    resources = {"unique_key": name, "output_files_dir": f"{name}_files", "nbgrader": scores}
    page, _ = exporter().from_notebook_node(notebook, resources=resources)
    return page
