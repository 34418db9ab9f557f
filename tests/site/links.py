"""The links of the built site: each leads to a page, a place on it or a file that is there."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

LITE = "lite/lab/index.html"


class Page(HTMLParser):
    """What a file of HTML links to, what it loads, what can be linked to on it, and its text."""

    def __init__(self, path: Path):
        super().__init__()
        self.links, self.loads, self.places, self.alts, self.texts = [], [], set(), [], []
        self.other_room = False
        self.feed(path.read_text(encoding="utf-8"))
        self.text = "".join(self.texts)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.places |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a":
            self.other_room = "only-dark" in values.get("class", "")  # the same picture once more
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "link" and values.get("rel") not in ("canonical", "index", "search", "next", "prev"):
            self.loads.append(values["href"])
        elif "src" in values:
            self.loads.append(values["src"])
        self.loads += [values[name] for name in ("data-views", "srcset") if name in values]
        if tag == "img" and not self.other_room:
            self.alts.append(values.get("alt"))

    def handle_data(self, data):
        self.texts.append(data)


def broken_links(site: Path) -> list[str]:
    """One sentence for each link that leads nowhere and each file that another machine would have to send."""
    paths = [
        path for path in sorted(site.rglob("*.html")) if path.relative_to(site).parts[0] not in ("lite", "_static")
    ]
    read = {path.resolve(): Page(path) for path in paths}
    found = []
    for path, page in read.items():
        here = path.relative_to(site.resolve()).as_posix()
        found += [f"{here} loads {link}" for link in page.loads if outside(link)]
        for link in {*page.links, *page.loads}:
            if not outside(link) and not leads(link, path, site.resolve(), read):
                found.append(f"{here}: {link}")
    return found


def outside(link: str) -> bool:
    """Whether it leaves the site."""
    parts = urlsplit(link)
    return bool(parts.netloc) or parts.scheme in ("http", "https", "mailto")


def leads(link: str, path: Path, site: Path, read: dict) -> bool:
    """Whether something is there."""
    parts = urlsplit(link)
    if parts.scheme in ("data", "javascript"):
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if parts.path.startswith("/") or site not in target.parents or not target.exists():
        return False
    if parts.path.endswith(LITE):  # opens a notebook: it must be among the files of JupyterLite
        return all((site / "lite" / "files" / name).exists() for name in parse_qs(parts.query).get("path", []))
    place = unquote(parts.fragment)
    return not place or target not in read or place in read[target].places or place.startswith("/")
