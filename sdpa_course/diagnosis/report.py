"""What `diagnose` found: one row for each question, in words and as data."""

from collections import namedtuple
from functools import cache
from pathlib import Path
from textwrap import wrap


@cache
def words(table: str) -> dict:
    """The usual names of arguments ("names"), what can be said ("sentences") or in which order: all from one file."""
    import tomllib

    return tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))[table]


def first(cases: dict) -> str:
    """The name of the first case that's true, or ""."""
    return next((name for name, true in cases.items() if true), "")


# One row. The formula is that of a factor, such as "1/√d_k"; the value that of a constant, a cap, a sink, a stand-in.
Finding = namedtuple("Finding", "text problem formula value", defaults=(False, None, None))


class Report:
    """Findings by name (`report.scale.formula`), what's wrong (`report.problems`), and a picture in a notebook."""

    def __init__(self):
        self.findings: dict[str, Finding] = {}
        self.weights = None  # (yours, the right ones), (queries, keys) each

    def say(self, key: str, formula: str | None = None, value: float | None = None, **numbers) -> None:
        """Add a sentence to its row."""
        row, verdict, text = words("sentences")[key]
        old, text = self.findings.get(row, Finding("")), text.format(formula=formula, value=value, **numbers)
        text = f"{old.text.removesuffix('.')}. {text}" if old.text else text
        kept = old.value if value is None else float(value)
        self.findings[row] = Finding(text, old.problem or verdict == "problem", formula or old.formula, kept)
        self.findings = {row: self.findings[row] for row in words("rows") if row in self.findings}

    def __getattr__(self, name: str) -> Finding:
        row = name.replace("_", "-")
        if row not in words("rows"):
            raise AttributeError(name)
        return self.findings.get(row, Finding("not determined"))

    @property
    def problems(self) -> list[str]:
        """What's wrong, in words."""
        return [f"{name}: {finding.text}" for name, finding in self.findings.items() if finding.problem]

    def __str__(self) -> str:
        lines, count = [], len(self.problems)
        for name, finding in self.findings.items():
            first, *rest = wrap(finding.text, 100)
            lines += [f"{'!' if finding.problem else ' '} {name:9} {first}", *(" " * 12 + line for line in rest)]
        fine = "No problems found" + ("." if self.scale.formula else ", but not everything could be determined.")
        return "\n".join([*lines, f"{count} problem{'s' * (count > 1)}, marked !" if count else fine])

    __repr__ = __str__

    def _ipython_display_(self) -> None:
        if self.weights is not None:
            from ..figures.diagnosed import two_weights

            two_weights(*self.weights)
        print(self)
