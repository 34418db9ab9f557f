"""Pages made from what's there: the papers that the course links to, and the public names with their docstrings."""

import inspect
import re
import tomllib
from collections import defaultdict
from pathlib import Path

import nbformat

import sdpa_course

from .landing import lessons
from .typesetting import typeset

PAPER = re.compile(r"\[([^\]]+)\]\(https?://arxiv\.org/abs/(\d{4}\.\d{4,5})(?:v\d+)?\)")
SECTION = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)
TITLES = Path(__file__).with_name("references.toml")


def references_page() -> str:
    """Every paper that a notebook links to, and further reading, as Markdown."""
    titles = tomllib.loads(TITLES.read_text(encoding="utf-8"))
    linked: dict[str, list[str]] = defaultdict(list)
    for number, path in lessons().items():
        text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
        for words, paper in PAPER.findall(text):
            titles.setdefault(paper, words)  # a paper that the list doesn't have yet
            if number not in linked[paper]:
                linked[paper].append(number)
    lines = ["# References", "", "The papers that the course reads, oldest first, and where it does.", ""]
    lines += [entry(paper, titles[paper], linked[paper]) for paper in sorted(titles) if linked[paper]]
    others = [entry(paper, titles[paper], []) for paper in sorted(titles) if not linked[paper]]
    if others:
        lines += ["", "## Further reading", "", *others]
    lines += ["", "What isn't a paper, such as issues, posts and documentation, is linked where it's quoted."]
    return "\n".join(lines) + "\n"


def entry(paper: str, words: str, numbers: list[str]) -> str:
    """One paper with its notebooks."""
    authors, stop, name = words.rpartition("). ")
    where = ", ".join(f"[{number}](/notebooks/{lessons()[number].name})" for number in numbers)
    line = f"- {authors}{stop}[{name}](https://arxiv.org/abs/{paper})"
    return f"{line}: notebook{'s' * (len(numbers) > 1)} {where}" if numbers else line


def api_page() -> str:
    """The names of `sdpa_course`, with signatures and docstrings, as Markdown."""
    lines = [
        "# The public names",
        "",
        f"What `from sdpa_course import …` gives you, version {sdpa_course.__version__}.",
    ]
    lines += ["Everything else is imported from where it lives; see [how it's built](docs/architecture.md).", ""]
    for name in sdpa_course.__all__:
        lines += [f"## {name}", "", *described(name, getattr(sdpa_course, name)), ""]
    return "\n".join(lines)


def described(name: str, thing: object) -> list[str]:
    """A signature, what it does, and the sections of the docstring, which keep their layout."""
    parameters = inspect.signature(thing).parameters.values()
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    text, *sections = SECTION.split(inspect.getdoc(thing))
    text, doctest, example = text.strip().partition("\n>>> ")
    signature = re.sub(r"<class '(.*?)'>", r"\1", str(inspect.Signature(plain)))
    lines = ["```python", f"{name}{signature}", "```", "", typeset(text)]
    if doctest:
        sections += ["Examples", f">>> {example}"]
    for heading, body in zip(sections[::2], sections[1::2], strict=True):
        language = "pycon" if heading == "Examples" else "text"
        lines += ["", f"**{heading}**", "", f"```{language}", body.strip(), "```"]
    return lines
