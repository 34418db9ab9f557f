"""Slides as HTML: a deck is one file, and nothing in it is fetched."""

import itertools
import re
from base64 import b64encode
from html import escape
from importlib.metadata import distribution
from pathlib import Path

from nbconvert.filters import Highlight2HTML, markdown2html

from sdpa_course.explore import all_explorers
from sdpa_course.explore.prediction import typeset
from sdpa_course.figures.acts import ACTS
from sdpa_course.figures.kit.palette import COLOURS, ROOMS, colour
from sdpa_course.figures.kit.picture import SLIDE

from .cut import PAUSE, Code, Slide, is_table, slider_of
from .frames import frames_html

DECK = Path(__file__).parent / "deck"
REVEAL = "sphinx_revealjs/_static/revealjs"
FACES = {"regular": (400, "normal"), "italic": (400, "italic"), "semibold": (600, "normal")}
numbers = itertools.count()  # so that the parts of two pictures don't share a name


def shipped(package: str, path: str) -> Path:
    """A file that comes with an installed package."""
    return Path(distribution(package).locate_file(path))


def deck_html(slides: list[Slide], title: str) -> str:
    """The whole deck. The first slide carries its title."""
    reveal = [shipped("sphinx-revealjs", f"{REVEAL}/{file}") for file in ("dist/reveal.js", "plugin/notes/notes.js")]
    mathjax = shipped("sphinx-mathjax-offline", "sphinx-mathjax-offline/static/mathjax/tex-svg.js")
    scripts = [DECK / "frames.js", DECK / "deck.js", mathjax, *reveal]
    css = [shipped("sphinx-revealjs", f"{REVEAL}/dist/reveal.css"), DECK / "deck.css"]
    rooms = [f':root[data-room="{room}"] {{ color-scheme: {room}; {colours(room)}}}' for room in ROOMS]
    style = "\n".join([fonts(), *rooms, *(file.read_text(encoding="utf-8") for file in css)])
    pages = "\n".join(section(slide, title if slide is slides[0] else "") for slide in slides)
    run = "\n".join(f"<script>{file.read_text(encoding='utf-8')}</script>" for file in scripts)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title.replace("$", ""))}</title>
<style>{style}</style>
</head>
<body>
<div class="reveal"><div class="slides">
{pages}
</div></div>
{run}
</body>
</html>
"""


def fonts() -> str:
    """The pictures' typeface, for the slides around them."""
    rules = []
    for name, (weight, slope) in FACES.items():
        file = shipped("sphinx-revealjs", f"{REVEAL}/dist/theme/fonts/source-sans-pro/source-sans-pro-{name}.woff")
        source = f"url(data:font/woff;base64,{b64encode(file.read_bytes()).decode()})"
        looks = f"font-family: Source; font-style: {slope}; font-weight: {weight}"
        rules.append(f"@font-face {{ {looks}; src: {source} }}")
    return "\n".join(rules)


def colours(room: str) -> str:
    """The pictures' palette in one room, as CSS variables."""
    values = {name: pair[ROOMS.index(room)] for name, pair in COLOURS.items()}
    values["glow"] = colour("lit", room, tint=0.38)
    return "".join(f"--{name.replace(' ', '-')}: {value}; " for name, value in values.items())


def section(slide: Slide, kicker: str) -> str:
    """One slide, with the speaker's notes."""
    title = inline(slide.title)
    head, body = f"<h2>{title}</h2>", "".join(parts(slide))
    notes = [markdown(re.sub(r"\[([^\]]*)\]\((?!http)[^)]*\)", r"\1", note)) for note in slide.notes]
    if asked := slide.question:
        curve = asked["kind"] == "curve"  # its picture waits for the click by itself
        head = f'<h2 class="ask">{typeset(asked["question"])}</h2><h2 class="told">{title}</h2>'
        body = body if curve else f'{options(asked)}<div class="truth">{body}</div>'
        body += f'<i class="fragment unveil" data-fragment-index="{int(curve)}"></i>'
    if kicker:
        head = f'<p class="kicker">{inline(kicker)}</p>{head}'
    kind = " predict" * bool(asked) + " text" * (not slide.code)
    return (
        f'<section><div class="page{kind}"><header>{head}</header><div class="body">{body}</div>'
        f'{footer(slide.notebook)}</div><aside class="notes">{"".join(notes)}</aside></section>'
    )


def parts(slide: Slide) -> list[str]:
    """What's on the wall, in the book's order. What comes after a pause waits for its click."""
    found, clicks = [], 0
    for part in slide.wall:
        if part == PAUSE:
            clicks += 1
        else:
            found += [step(html, clicks) for html in (code_parts(part) if isinstance(part, Code) else [markdown(part)])]
    return found


def step(html: str, clicks: int) -> str:
    """A part of the wall that appears with the given click."""
    waits = f' fragment" data-fragment-index="{clicks}' if clicks else ""
    return f'<div class="part{waits}">{html}</div>'


def code_parts(part: Code) -> list[str]:
    """What a code cell has on the wall."""
    if name := slider_of(part.cell):
        return [frames_html(all_explorers()[name]())]
    found = [Highlight2HTML()(part.shown_code)] if part.lines else []
    for output in part.printed:
        found.append(
            output.data["text/html"] if is_table(output) else f'<pre class="printed">{escape(output.text)}</pre>'
        )
    found += [picture(output) for output in part.pictures]
    if asked := part.question:
        found += [picture(asked["output"], asked["image"])] if asked["image"] else []
    return found


def picture(output, image: str = "") -> str:
    """A picture: one SVG for each room if it was drawn for the wall, otherwise the stored one, on a light card."""
    stored = output.data.get(SLIDE)
    alt = escape(output.metadata.get("image/png", {}).get("alt", output.data["text/plain"]))
    if stored:
        rooms = "".join(svg(stored[room], room, stored["scale"], alt) for room in ROOMS)
        return f'<div class="picture">{rooms}</div>'
    image = image or f'<img alt="{alt}" src="data:image/png;base64,{output.data["image/png"].strip()}">'
    return f'<div class="picture card">{image}</div>'


def svg(text: str, room: str, scale: float, alt: str) -> str:
    """An SVG whose names are its own, so that several fit on one page."""
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>p{next(numbers)}-", text)
    return text.replace("<svg ", f'<svg class="{room}" data-scale="{scale}" role="img" aria-label="{alt}" ', 1)


def options(asked: dict) -> str:
    """What the room chooses from, large enough for a show of hands."""
    if asked["kind"] == "number":
        answer = f'<p class="answer">{asked["answer"]:g}</p>'  # where no picture tells it
        return f'<p class="between">between {asked["low"]:g} and {asked["high"]:g}</p>{answer}'
    cards = []
    for letter, option in zip("ABCDEFGH", asked["options"], strict=False):
        right = "right" if option == asked["answer"] else "wrong"
        cards.append(f'<li class="{right}"><b>{letter}</b><span>{typeset(option)}</span></li>')
    return f'<ol class="options">{"".join(cards)}</ol>'


def footer(notebook: str) -> str:
    """Where we are: the four acts, this one lit, and the notebook. A talk that isn't of the course has no acts."""
    if not any(notebook[:2] in inside for inside in ACTS.values()):
        return f"<footer><span hidden></span><span>{inline(notebook)}</span></footer>"
    acts = ""
    for name, inside in ACTS.items():
        numeral, _, words = name.partition("  ")
        here = notebook[:2] in inside
        acts += f'<span class="here">{numeral} {words}</span>' if here else f"<span>{numeral}</span>"
    return f'<footer><span class="acts">{acts}</span><span>{inline(notebook)}</span></footer>'


def markdown(text: str) -> str:
    """Markdown as HTML; mathematics is left to MathJax."""
    return re.sub(r'<a class="anchor-link" [^>]*>.*?</a>', "", markdown2html(text))  # a slide's heading links nowhere


def inline(text: str) -> str:
    """A line of markdown as HTML, without a paragraph around it."""
    return markdown(text).strip().removeprefix("<p>").removesuffix("</p>")
