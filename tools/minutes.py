"""How long a notebook takes to read: the honest count, next to the minutes that its first lines promise.

python tools/minutes.py                      all of notebooks/
python tools/minutes.py notebooks/03*        these

A minute for 200 words, 20 s for a line of code that isn't folded, 15 s for a picture with its caption, 45 s for a
prediction, and what an exercise says itself: "**Exercise (5 minutes).**". Running the code isn't counted, nor reading
what it prints. What's promised is the count rounded up to the next 5 minutes; a test allows up to 10 above it and
nothing below.

A word is whatever stands between two spaces and has a letter or digit in it. In a formula the TeX commands are dropped
first, so $\\mathrm{Var}(q \\cdot k) = d_k$ counts as three words: Var(q, k) and d_k. HTML comments and tags, the
addresses of links and code blocks aren't words.
"""

import json
import math
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
NOT_WORDS = re.compile(r"<!--.*?-->|```.*?```|<[a-zA-Z/][^>]*>|(?<=\])\([^)]*\)|\\[a-zA-Z]+|https?://\S+", re.DOTALL)
EXERCISE = re.compile(r"\*\*Exercise \((\d+) minutes?\)")
PROMISE = re.compile(r"(\d+) minutes")


class Count(NamedTuple):
    """What a notebook has for its reader to do."""

    words: int
    lines: int  # of code that isn't folded
    pictures: int
    predictions: int
    exercises: list[int]  # the minutes of each
    promised: int | None  # the minutes it states before its first section, or None if it doesn't

    @property
    def minutes(self) -> float:
        """How long all that takes."""
        seconds = 20 * self.lines + 15 * self.pictures + 45 * self.predictions
        return self.words / 200 + seconds / 60 + sum(self.exercises)

    @property
    def rounded(self) -> int:
        """The minutes to promise: up to the next 5."""
        return 5 * math.ceil(self.minutes / 5)


def count(path: Path) -> Count:
    """Count one notebook."""
    return count_cells(cells_of(path))


def cells_of(path: Path) -> list[dict]:
    """A notebook's cells."""
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def sections(cells: list[dict]) -> dict[str, list[dict]]:
    """Heading -> its cells; those before the first heading are the "Title"."""
    found = {"Title": []}
    for cell in cells:
        heading = re.search(r"^## (.+)$", source(cell), re.MULTILINE) if cell["cell_type"] == "markdown" else None
        heading = heading[1] if heading else list(found)[-1]
        found.setdefault(heading, []).append(cell)
    return found


def count_cells(cells: list[dict]) -> Count:
    """Count some cells of a notebook."""
    prose = [source(cell) for cell in cells if cell["cell_type"] == "markdown"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    text = "\n\n".join(prose)
    promise = PROMISE.search(text.partition("\n## ")[0])
    return Count(
        words=count_words(text),
        lines=sum(count_lines(source(cell)) for cell in code if not folded(cell)),
        pictures=sum(map(count_pictures, code)) + text.count("!["),
        predictions=sum(bool(re.search(r"\bpredict\(", source(cell))) for cell in code),
        exercises=[int(minutes) for minutes in EXERCISE.findall(text)],
        promised=int(promise[1]) if promise else None,
    )


def source(cell: dict) -> str:
    """A cell's text."""
    return "".join(cell["source"])


def count_words(text: str) -> int:
    """The words of a Markdown text."""
    return sum(bool(re.search(r"\w", word)) for word in NOT_WORDS.sub(" ", text).split())


def count_lines(code: str) -> int:
    """The lines of code that aren't blank and aren't only a comment."""
    return sum(not line.lstrip().startswith("#") for line in code.splitlines() if line.strip())


def folded(cell: dict) -> bool:
    """Whether the reader sees a cell's output without its code."""
    hidden = cell["metadata"].get("jupyter", {}).get("source_hidden", False)
    return hidden or "hide-input" in cell["metadata"].get("tags", [])


def count_pictures(cell: dict) -> int:
    """The pictures among a cell's outputs."""
    return sum(any(kind.startswith("image/") for kind in output.get("data", {})) for output in cell["outputs"])


if __name__ == "__main__":
    for path in [Path(name) for name in sys.argv[1:]] or sorted((ROOT / "notebooks").glob("*.ipynb")):
        found = count(path)
        parts = f"{found.words:5d} words   {found.lines:3d} lines   {found.pictures:2d} pictures"
        parts += f"   {found.predictions} predictions   {sum(found.exercises):2d} min of exercises"
        print(f"{path.stem:22} {found.minutes:4.0f} minutes, promised {found.promised or '-':>3}   {parts}")
