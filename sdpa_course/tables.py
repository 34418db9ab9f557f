"""Results as a table: HTML where it can be shown, and the same as aligned text, which nbval compares."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

import numpy as np
from IPython.display import display

NO_BREAK = "\N{NO-BREAK SPACE}"  # keeps 64.0 ± 0.7 on one line
MATHEMATICS = re.compile(r"\$(.+?)\$")
COLUMN, ROW = 'th scope="col"', 'th scope="row"'


class Column(NamedTuple):
    """One column: its header, its cells as text, and whether they line up on the right, as numbers do."""

    header: str
    cells: list[str]
    right: bool


def table(
    rows: Iterable, columns: Sequence[str] | Mapping[str, str] | None = None, *, caption: str = "", fold: str = ""
) -> None:
    r"""Show results as a table in the notebook.

    Parameters
    ----------
    rows : iterable
        A dict or NamedTuple is picked from by the columns' names; a list or tuple goes by position.
    columns : list of names, or dict of name -> format, optional
        A format is what follows the colon in an f-string: ".3f", "+.1f", ".0%". It serves an `Estimate` too, which
        comes out as mean ± standard error. Without one, floats get three digits. Text goes left, numbers go right;
        ">" sends text to the right as well. Left out: the names that the rows have themselves.
    caption : str
        One line above the table.
    fold : str
        What to click to see a table that few readers need. Without it the table stands open.

    Notes
    -----
    Text may have mathematics, $d_k$ or $\sqrt{d_k}$. The plain text shows d_k and √d_k: it knows \sqrt and no other
    command, so write σ rather than \sigma. The first column names the rows.
    """
    filled = make_columns(list(rows), columns)
    html = html_table(filled, caption)
    if fold:
        html = f"<details><summary>{markup(fold)}</summary>\n{html}\n</details>"
    display({"text/html": html, "text/plain": plain_table(filled, caption)}, raw=True)


def make_columns(rows: list, columns: Sequence[str] | Mapping[str, str] | None) -> list[Column]:
    """The columns with their cells formatted."""
    if not rows:
        raise ValueError("rows: got none, expected at least one")
    names = list(columns or names_of(rows[0]))
    if not names:
        raise ValueError("columns: got none, expected their names, because these rows have no names of their own")
    formats = columns if isinstance(columns, Mapping) else {}
    picked = zip(*(pick(row, names, number) for number, row in enumerate(rows)), strict=True)
    return [make_column(name, values, formats.get(name, "")) for name, values in zip(names, picked, strict=True)]


def names_of(row) -> Sequence[str]:
    """The names that a row brings along, if it's a dict or NamedTuple."""
    return list(row) if isinstance(row, Mapping) else getattr(row, "_fields", ())


def pick(row, names: list[str], number: int) -> list:
    """The row's values in the order of the columns."""
    own = names_of(row)
    if own:
        missing = [name for name in names if name not in own]
        if missing:
            raise ValueError(f"columns: got {missing[0]!r}, expected names that row {number} has: {', '.join(own)}")
        return [row[name] if isinstance(row, Mapping) else getattr(row, name) for name in names]
    if len(row) != len(names):
        raise ValueError(f"row {number}: got {len(row)} values, expected {len(names)}, one for each column")
    return list(row)


def make_column(name: str, values: Sequence, spec: str) -> Column:
    """Format one column."""
    right = spec.startswith(">") or not any(isinstance(value, str) for value in values)
    return Column(name, ["" if value is None else written(value, spec) for value in values], right)


def written(value, spec: str) -> str:
    """A value as text; a number with a true minus sign, and no minus before a zero, whose sign is only rounding."""
    if isinstance(value, str):
        return value
    text = format(value, spec or ("" if isinstance(value, int | np.integer) else ".3g"))
    return re.sub(r"-(0(?:\.0*)?)(?![\d.e])", r"\1", text).replace("-", "−")


def html_table(columns: list[Column], caption: str) -> str:
    """The table as HTML. Its meaning is in the tags; the styles, which JupyterLab lets through, only line it up."""

    def cell(tag: str, text: str, column: Column) -> str:
        side = "right" if column.right else "left"
        return f'<{tag} style="text-align: {side}">{markup(text)}</{tag.split()[0]}>'

    def row(texts: Iterable[str], first: str, other: str) -> str:
        tags = [first, *[other] * (len(columns) - 1)]
        return f"<tr>{''.join(map(cell, tags, texts, columns))}</tr>"

    kept = [[text.replace(" ", NO_BREAK) if column.right else text for text in column.cells] for column in columns]
    return "\n".join(
        [
            '<table class="results">',  # the site styles it by this name
            *([f"<caption>{markup(caption)}</caption>"] if caption else []),
            f"<thead>{row((column.header for column in columns), COLUMN, COLUMN)}</thead>",
            "<tbody>",
            *(row(texts, ROW, "td") for texts in zip(*kept, strict=True)),
            "</tbody>",
            "</table>",
        ]
    )


def plain_table(columns: list[Column], caption: str) -> str:
    """The table as text: one line for each row, three spaces between columns."""
    padded = []
    for column in columns:
        texts = [without_tex(text) for text in (column.header, *column.cells)]
        width = max(map(len, texts))
        padded.append([text.rjust(width) if column.right else text.ljust(width) for text in texts])
    lines = ["   ".join(texts).rstrip() for texts in zip(*padded, strict=True)]
    return "\n".join([*([without_tex(caption)] if caption else []), *lines])


def markup(text: str) -> str:
    r"""Text as HTML. Formulas get the brackets \(…\) and the class that every place of the course typesets."""
    return MATHEMATICS.sub(r'<span class="math">\\(\1\\)</span>', escape(text, quote=False))


def without_tex(text: str) -> str:
    r"""$\sqrt{d_k}$ as √d_k."""
    return MATHEMATICS.sub(lambda found: re.sub(r"[{}]", "", found[1].replace(r"\sqrt", "√")), text)
