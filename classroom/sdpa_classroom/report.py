"""Write one HTML page about a class: points by task, mistakes by name, and a slide for the next lecture."""

import argparse
import sys
from pathlib import Path

from .files import private_files, write_atomically


def main(arguments: list[str]) -> int:
    """Run `sdpa-course report` with these arguments."""
    options = make_parser().parse_args(arguments)
    try:
        print(report(options.gradebook, options.problem_set, options.out))
    except (ValueError, OSError) as problem:
        print(f"sdpa-course: {problem}", file=sys.stderr)
        return 2
    return 0


def make_parser() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(prog="sdpa-course report", description=__doc__)
    parser.add_argument(
        "gradebook", nargs="?", default=".", type=Path, help="gradebook.db, or the folder it's in (default: here)"
    )
    parser.add_argument("--problem-set", help="only this one, such as ps03 (default: all that were handed in)")
    parser.add_argument("--out", default="report.html", type=Path, help="the page; the slide is saved beside it")
    return parser


def report(gradebook: Path, problem_set: str | None, out: Path) -> str:
    """Write the page and the slide, and say so."""
    if out.suffix != ".html":
        raise ValueError(f"--out: got {out}, expected a name that ends in .html")
    from sdpa_course.figures.kit.rendering import png  # matplotlib and nbgrader take seconds to load

    from .charts import for_slide, slide
    from .counts import count
    from .report_page import make_page

    folder = gradebook.resolve()
    database = folder / "gradebook.db" if folder.is_dir() else folder
    if folder.name == "submitted" and not database.exists():
        database = folder.parent / "gradebook.db"
    sets = count(database, problem_set)
    shown, picture = for_slide(sets), out.with_name(f"{out.stem}-slide.png")
    written = {out: make_page(sets, shown, picture.name)} | ({picture: png(slide(shown))} if shown else {})
    for path, data in written.items():
        try:
            with private_files():
                write_atomically(path, data)
        except OSError as error:
            raise ValueError(f"{path} can't be written ({error.strerror})") from None
    if not shown:
        return f"sdpa-course: wrote {out}; there's no slide, because no two students made the same mistake"
    return f"sdpa-course: wrote {out} and {picture}"
