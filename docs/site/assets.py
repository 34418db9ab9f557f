"""Keep the site's scripts small: only the parts of MathJax and the icons that pages use."""

import re
import shutil
from importlib.metadata import distribution
from pathlib import Path

MATHJAX = "sphinx-mathjax-offline/static/mathjax"
PARTS = ("startup.js", "core.js", "input/tex.js", "input/tex/extensions", "output/chtml.js", "output/chtml/fonts")
PARTS += ("a11y/assistive-mml.js",)
ICON = re.compile(r'"?([a-z0-9-]+)"?:\[\d+,\d+,\[[^\]]*\],"[0-9a-f]+",(?:"[^"]*"|\["[^"]*","[^"]*"\])\],?')


def put_mathjax(site: Path) -> None:
    """Copy MathJax from the package that ships it."""
    folder = Path(distribution("sphinx-mathjax-offline").locate_file(MATHJAX))
    for part in PARTS:
        target = site / "_static" / "mathjax" / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (folder / part).is_dir():
            shutil.copytree(folder / part, target, dirs_exist_ok=True)
        else:
            shutil.copy(folder / part, target)


def trim_icons(site: Path) -> None:
    """Reduce the theme's 1.5 MB of icons to those that a page or a script names."""
    script = site / "_static" / "scripts" / "fontawesome.js"
    texts = [*site.glob("*.html"), *site.glob("notebooks/*.html"), *(site / "_static" / "scripts").glob("pydata*.js")]
    texts += (site / "_static" / "scripts").glob("sphinx-book*.js")
    used = {name for path in texts for name in re.findall(r"\bfa-([a-z0-9-]+)", path.read_text(encoding="utf-8"))}
    trimmed = ICON.sub(lambda icon: icon[0] if icon[1] in used else "", script.read_text(encoding="utf-8"))
    if len(trimmed) > 300_000 or '"M' not in trimmed:
        raise ValueError(f"{script}: got {len(trimmed)} characters after trimming, expected only a few icons")
    script.write_text(trimmed.replace(",}", "}"), encoding="utf-8")


def drop_leftovers(site: Path) -> None:
    """Remove the theme's source maps and Sphinx's own files, which readers don't need."""
    shutil.rmtree(site / "_sources", ignore_errors=True)
    (site / ".buildinfo").unlink(missing_ok=True)
    for path in (site / "_static").rglob("*.map"):
        path.unlink()
