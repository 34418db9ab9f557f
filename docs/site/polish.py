"""What the theme leaves to be wished for in each page: names that a screen reader can trust, and nothing in the way.

Each change names what it replaces, and a page without it stops the build: a new version of the theme is looked at.
"""

import re
from pathlib import Path

SEARCH_SCRIPTS = re.compile(r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js"></script>')
HEADS = re.compile(r'<script src="([^"]*(?:doctools|sphinx_highlight|sphinx-book-theme)\.js[^"]*)"></script>')
EMPTY_HEAD = re.compile(r'<th(?: scope="col")?( [^>]*)?>(?:<p></p>)?</th>')
NAMES = {  # a label that hides the words one can see
    '<summary aria-label="Toggle hidden content">': "<summary>",
    '<div id="pst-primary-sidebar" ': '<div id="pst-primary-sidebar" role="region" aria-label="The course" ',
}
SEARCH_BUTTON = re.compile(r'(<button class="btn search-button-field[^>]*?) aria-label="Search"')


def polish(site: Path) -> None:
    """Change every page of the theme; the landing page is our own."""
    pages = [
        path for path in site.rglob("*.html") if path.relative_to(site).parts[0] not in ("_static", "slides", "lite")
    ]
    for path in pages:
        if path != site / "index.html":
            path.write_text(polished(path.read_text(encoding="utf-8"), path.name), encoding="utf-8")


def polished(html: str, name: str) -> str:
    """One page."""
    for before, after in NAMES.items():
        html = html.replace(before, after)
    html, found = SEARCH_BUTTON.subn(r"\1", html)
    if not found or 'role="region"' not in html:
        raise ValueError(f"{name}: expected the theme's search button and sidebar; has it a new version?")
    html = EMPTY_HEAD.sub(r"<td\1></td>", html)
    if name == "search.html":  # which needs them, in this order
        return html
    return SEARCH_SCRIPTS.sub("", HEADS.sub(r'<script defer src="\1"></script>', html))
