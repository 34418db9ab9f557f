"""Notebooks are stored executed, in order, with clean metadata and described pictures.

What their cells print is compared by nbval; this looks at what nbval does not.
"""

import re
from html import escape
from pathlib import Path

import nbformat
import pytest

from sdpa_course.figures.acts import ACTS

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    notebook = nbformat.read(request.param, as_version=4)
    nbformat.validate(notebook)
    return notebook


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def text_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "markdown"]


def outputs(notebook):
    return [output for cell in code_cells(notebook) for output in cell.outputs]


def test_there_are_notebooks():
    assert (ROOT / "notebooks" / "00_start_here.ipynb") in NOTEBOOKS


def test_the_acts_are_the_notebooks_there_are():
    numbers = [path.name[:2] for path in NOTEBOOKS if path.name[0] != "A"]
    assert [number for inside in ACTS.values() for number in inside] == numbers
    (table,) = [
        cell.source for cell in text_cells(nbformat.read(NOTEBOOKS[0], 4)) if "| act | notebooks |" in cell.source
    ]
    for path in NOTEBOOKS[1:]:
        assert f"({path.name})" in table, path.name


def test_executed_in_order_from_a_fresh_kernel(notebook):
    counts = [cell.execution_count for cell in code_cells(notebook)]
    assert counts == list(range(1, len(counts) + 1))  # nbval does not compare a cell without a count


def test_no_errors_and_no_warnings_are_stored(notebook):
    for output in outputs(notebook):
        assert output.output_type != "error"
        assert output.get("name") != "stderr"
        assert not any("widget" in mime for mime in output.get("data", {}))  # no kernel, no widget: an error box


def test_metadata_is_clean(notebook):
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    for cell in notebook.cells:
        assert set(cell.metadata) <= {"tags", "jupyter"}  # slides are marks in the text, not types of cells
        folded = "hide-input" in cell.metadata.get("tags", [])  # on the site, and so in JupyterLab
        assert cell.metadata.get("jupyter") == ({"source_hidden": True} if folded else None)


def test_every_picture_is_described(notebook):
    shown = outputs(notebook)
    for output, following in zip(shown, [*shown[1:], None], strict=True):
        if "image/png" in output.get("data", {}):
            alt = output.metadata["image/png"]["alt"]
            assert len(alt.split()) >= 15
            assert "$" not in alt  # it is read out, not typeset
            assert following is not None
            assert escape(alt) in following.data["text/markdown"]  # JupyterLab shows no alt text: words to unfold


def test_code_cells_are_short(notebook):
    for cell in code_cells(notebook):
        assert cell.source.strip(), "an empty cell"
        assert len(cell.source.splitlines()) <= 30


PACKAGES = {"kernels", "verify", "model", "experiments", "tables", "figures", "explore", "homework", "environment"}
PLACES = {"sdpa_course"} | {f"sdpa_course.{package}" for package in PACKAGES}


def test_imports_come_from_a_handful_of_places(notebook):
    for cell in code_cells(notebook):
        for place in re.findall(r"^\s*(?:from|import) (sdpa_course[\w.]*)", cell.source, flags=re.MULTILINE):
            assert place in PLACES or place.startswith("sdpa_course.trial"), place


NUMBER = re.compile(r"(?<![\w.])(?!100 ?%)(?:\d+\.\d+(?![\w.]*\d)|\d+(?= ?%))(?: ?%)?")


def test_every_number_in_the_prose_is_printed_or_asserted(notebook):
    """A decimal number or a percentage in the text is in some cell's code or output, digit for digit."""
    backing = ""
    for cell in code_cells(notebook):
        backing += cell.source
        for output in cell.outputs:
            backing += output.get("text", "") + str(output.get("data", {}).get("text/plain", ""))
    for cell in text_cells(notebook):
        for number in NUMBER.findall(re.sub(r"\]\(.*?\)", "]", cell.source)):  # an address is no result
            found = rf"(?<![\d.]){re.escape(number).replace(' ', ' ?')}"
            assert re.search(found, backing), f"{number} in: {cell.source[:60]!r}"


def test_head_and_end(notebook):
    """The map of the acts (in an appendix, any picture; until it's retold, what you'll do, learn and need) and the
    minutes at the start; a summary at the end; every link to a notebook leads to one."""
    text = [cell.source for cell in text_cells(notebook)]
    head = "\n".join(text).partition("\n## ")[0]
    assert head.startswith("# ")
    assert "minutes" in head
    opening = code_cells(notebook)[:2]  # 00 opens with its question, A1 with its set-up
    drawn = any("image/png" in output.get("data", {}) for cell in opening for output in cell.outputs)
    pictured = head.startswith("# A") and drawn
    if not any("act_map(" in cell.source for cell in opening) and not pictured:
        for words in ("**What you'll do.**", "**What you'll learn.**", "**What you'll need.**"):
            assert words in head, words
    headings = re.findall(r"^## .+", "\n".join(text), flags=re.MULTILINE)
    assert any("Summary" in heading for heading in headings[-3:])
    for source in text:
        for target in re.findall(r"\]\(([\w./-]+\.ipynb)\)", source):
            assert (ROOT / "notebooks" / target).is_file(), target


COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
MARK = re.compile(
    r"<!-- (?:slide: (?P<slide>\S.*)|(?P<show>/?show)|wall\n(?P<wall>.+)\n|code: (?P<code>\d+-\d+)|(?P<output>output)"
    r"|note: (?P<note>.+)) ?-->",
    re.DOTALL,
)
WHOLE = re.compile(  # how a text may end: a sentence, a link, a formula, a table, an answer, code, a heading, a list
    r"[.?!:]|[.?!:)]?[)\"*_`]+|\$\$|\||</details>|```|^#+ .+|^(?:- |\d+\. ).+", re.MULTILINE
)


def ends_whole(text):
    """Whether a text doesn't break off in mid-paragraph."""
    last = text.rstrip().splitlines()[-1]
    return any(found.end() == len(last) for found in WHOLE.finditer(last))


def test_text_is_whole(notebook):
    """One cell of text between two cells of code, or one for each section, and none breaks off or is all marks."""
    for cell, following in zip(notebook.cells, [*notebook.cells[1:], None], strict=True):
        if cell.cell_type == "markdown":
            text = COMMENT.sub("", cell.source).strip()
            assert text, f"nothing to read in: {cell.source!r}"
            assert ends_whole(text), f"breaks off: {text[-60:]!r}"
            assert "\n## " not in cell.source, "a section begins a cell"
            if following is not None and following.cell_type == "markdown":
                assert following.source.startswith("## "), f"belongs to the cell before: {following.source[:60]!r}"


def test_marks_are_well_formed(notebook):
    """A mark stands alone between blank lines; what it shows is there; `show` ends in the cell where it begins."""
    on_wall = False  # is there a slide to show something on?
    for cell, following in zip(notebook.cells, [*notebook.cells[1:], None], strict=True):
        if cell.cell_type != "markdown":
            continue
        assert cell.source.count("<!--") == cell.source.count("-->") == len(COMMENT.findall(cell.source))
        showing, about_code = False, 0
        for comment in COMMENT.finditer(cell.source):
            mark = MARK.fullmatch(comment[0])
            assert mark, f"not a mark: {comment[0]!r}"
            assert cell.source[: comment.start()].endswith("\n\n") or not comment.start(), comment[0]
            assert cell.source[comment.end() :].startswith("\n\n") or comment.end() == len(cell.source), comment[0]
            if mark["slide"]:
                on_wall = mark["slide"].strip() != "off"
            assert on_wall or mark["slide"], f"no slide for {comment[0]!r}"
            assert showing == (mark["show"] == "/show"), f"{comment[0]!r} where `show` is {showing}"
            showing = mark["show"] == "show"
            if mark["code"] or mark["output"]:
                about_code += 1
                assert following, f"nothing follows {comment[0]!r}"
                assert following.cell_type == "code", f"no code follows {comment[0]!r}"
            if mark["code"]:
                first, last = map(int, mark["code"].split("-"))
                assert 1 <= first <= last <= len(following.source.splitlines()), comment[0]
            assert not mark["output"] or following.outputs, f"nothing to show: {following.source[:60]!r}"
        assert not showing, f"`show` doesn't end: {cell.source[:60]!r}"
        assert about_code <= 1, f"two marks for one cell of code: {cell.source[-60:]!r}"


@pytest.mark.parametrize(("text", "whole"), [("It is 3.", True), ("so that\n\n$$x$$", True), ("So A gives", False)])
def test_a_text_that_breaks_off_is_noticed(text, whole):
    assert ends_whole(text) == whole
