"""The page about a class, as HTML that loads nothing from anywhere. Jinja escapes whatever it's given."""

from base64 import b64encode
from collections.abc import Callable
from datetime import date

from jinja2 import Environment, PackageLoader, StrictUndefined

from sdpa_course.figures.kit import Page
from sdpa_course.figures.kit.palette import ROOMS, colour
from sdpa_course.figures.kit.rendering import png

from .charts import points_chart, points_words, slide, slide_words
from .counts import Points, SetCounts

MOST_MISTAKES = 8  # in a table
COLOURS = ("paper", "ink", "grey", "line")
WIDTHS = {"phone": "(max-width: 520px)", "book": ""}  # when a browser takes the picture that's drawn for this paper


def make_page(sets: list[SetCounts], shown: SetCounts | None, slide_name: str) -> str:
    """The page about these problem sets, with the slide about one of them, if there's one."""
    templates = Environment(loader=PackageLoader(__package__, ""), autoescape=True, undefined=StrictUndefined)
    today = date.today()
    return templates.get_template("report.html").render(
        sets=sets,
        date=f"{today.day} {today:%B %Y}",
        colours={name: [colour(name, room) for room in ROOMS] for name in COLOURS},
        charts={one.name: (chart_pictures(one.points), points_words(one.points)) for one in sets if one.points},
        shown=shown,
        slide=(pictures(lambda _, room: slide(shown, room=room), papers=("book",)), slide_words(shown))
        if shown
        else (),
        slide_name=slide_name,
        most=MOST_MISTAKES,
    )


def chart_pictures(points: list[Points]) -> list[tuple[str, str]]:
    """The chart of the points, for every width and room."""
    return pictures(lambda paper, room: points_chart(points, paper=paper, room=room))


def pictures(draw: Callable[[str, str], Page], papers=tuple(WIDTHS)) -> list[tuple[str, str]]:
    """A picture for every width and room: when a browser takes it, and what it is. The last one is for all others."""
    made = []
    for paper in papers:
        for room, when in (("dark", "screen and (prefers-color-scheme: dark)"), ("light", "")):
            media = " and ".join(filter(None, (when, WIDTHS[paper])))
            made.append((media, b64encode(png(draw(paper, room))).decode("ascii")))
    return made
