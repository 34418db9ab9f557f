"""The landing page: every number on it comes from the package, the notebooks or the stored measurements."""

import json
import math
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from string import Template

import nbformat
import numpy as np

from sdpa_course import __version__, softmax_forward
from sdpa_course.experiments import one_collapse, pool_rows, rms
from sdpa_course.experiments.language import stored_language
from sdpa_course.experiments.layers import row_statistics
from sdpa_course.experiments.row_gradients import row_lengths
from sdpa_course.experiments.saturation import collapse, lost_rows
from sdpa_course.figures.acts import ACTS
from sdpa_course.figures.kit.matrices import percent
from sdpa_course.figures.kit.palette import COLOURS, ROOMS, colour, text_colour
from sdpa_course.trial import CLAIMS
from tools.minutes import Count, count

from ..address import ADDRESS
from .drawings import bars_of_rows, float16_lines, loss_curve, shipped_bars

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
DK = '<span class="dk"><i>d</i><sub>k</sub></span>'
MARK = re.sub(
    r"<svg ", '<svg aria-hidden="true" ', (HERE.parent / "static" / "favicon.svg").read_text(encoding="utf-8")
)
DESCRIPTION = (
    "In 2017 eight people put a division into a formula and explained it with the words “we suspect”. "
    "Were they right? A free course that measures it, with pictures you can move."
)
PATH = {  # the short way through, and what each step is for
    "00": "the collapse", "02": "why a root", "03": "what softmax makes of it", "06": "what reaches the queries",
    "09": "does a model mind", "12": "the verdict",
}  # fmt: skip
QUESTIONS = {
    "I": "“The dot products grow.” Do they? How fast, and why?",
    "II": "“Extremely small gradients.” Not quite. Something stranger happens.",
    "III": "“We scale by the root.” Why a root, why of the head’s width, and what else works?",
    "IV": "“We suspect.” Train with it and without it. Then the verdict.",
}


def root(inside: str = DK, words: str = "the square root of d k") -> str:
    """A square root as HTML, with a bar over what's inside."""
    return f'<span class="root" role="img" aria-label="{words}"><span aria-hidden="true">{inside}</span></span>'


def lessons() -> dict[str, Path]:
    """The notebooks by number, appendices last."""
    return {path.name.partition("_")[0]: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}


def landing_page(*, runnable: bool) -> str:
    """The page as HTML. `runnable` says whether there is a part of the site in which notebooks run."""
    run = '<a class="button second" href="{}">Run it in your browser</a>'
    start = "lite/lab/index.html?path=notebooks/00_start_here.ipynb&amp;workspace=00_start_here"
    words = {
        "description": escape(DESCRIPTION), "mark": MARK, "dk": DK, "root": root(),
        "sqrt64": root("64", "the root of 64"), "run": run.format(start) if runnable else "",
        "css": (HERE / "landing.css").read_text(encoding="utf-8"),
        "js": (HERE / "landing.js").read_text(encoding="utf-8"), "palette": palette(),
        **addresses(), **citation(), **counts(), **collapsed(), **heard(), **model(),
    }  # fmt: skip
    return Template((HERE / "page.html").read_text(encoding="utf-8")).substitute(words)


def palette() -> str:
    """The kit's colours as variables, for a light and a dark room."""
    rooms = []
    for room in ROOMS:
        values = {name.replace(" ", "-"): colour(name, room) for name in COLOURS}
        values |= {f"{name}-text": text_colour(name, room) for name in ("nothing", "root")}
        values |= {f"{name}-pale": colour(name, room, tint=0.35) for name in ("nothing", "root")}
        values |= {"mark": colour("lit", room, tint=0.35 if room == "light" else 0.4)}
        values |= {"card": colour("paper" if room == "light" else "pale", room)}
        values |= {"button": values["ink" if room == "light" else "lit"], "on-button": values["paper"]}
        rooms.append("".join(f"--{name}:{value};" for name, value in values.items()))
    light, dark = rooms
    return f":root{{color-scheme:light dark;{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"


def addresses() -> dict[str, str]:
    """What depends on where the course is published; nothing, as long as nobody has said so."""
    site = f"{ADDRESS.site}/" if ADDRESS.site else ""
    source = f'<p><a href="{ADDRESS.repository}">The source</a>, version {__version__}.</p>'
    return {
        "site": site,
        "canonical": f'<link rel="canonical" href="{site}">\n' if site else "",
        "repository": source if ADDRESS.repository else f"<p>Version {__version__}.</p>",
    }


def citation() -> dict[str, str]:
    """How to cite the course: the title as CITATION.cff has it, the authors and the year as LICENSE names them."""
    named = re.search(r'^title: "(.*)"$', (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)[1]
    year, authors = re.search(r"\(c\) (\d+) (.*)", (ROOT / "LICENSE").read_text(encoding="utf-8")).groups()
    fields = {
        "title": named.replace("√d_k", r"$\sqrt{d_k}$"), "author": "{" + authors.replace("_", r"\_") + "}",
        "year": year, "note": f"Version {__version__}",
    }  # fmt: skip
    lines = ",\n".join(f"  {name:6} = {{{value}}}" for name, value in fields.items())
    who, name = authors[0].upper() + authors[1:], named.replace("_k", "ₖ")
    return {
        "cite": f"{who} ({year}). <i>{name}</i> Version {__version__}.",
        "bibtex": escape(f"@misc{{sdpa_course,\n{lines}\n}}"),
    }


def counts() -> dict[str, object]:
    """How much there is, and how long it takes."""
    found = {number: (path, count(path)) for number, path in lessons().items()}
    course = {number: pair for number, pair in found.items() if number[0] != "A"}
    minutes = [counted.promised or 0 for _, counted in course.values()]
    short = [(number, *course[number]) for number in PATH]
    reading = sum(to_read(counted) for *_, counted in short)
    return {
        "notebooks": len(course), "appendices": len(found) - len(course), "longest": max(minutes),
        "hours": round(sum(minutes) / 60), "predictions": sum(counted.predictions for _, counted in found.values()),
        "sets": len(list((ROOT / "exercises").glob("ps*"))), "claims": len(CLAIMS), "decks": len(course),
        "path_hours": words_for(math.ceil(reading / 60)), "path_minutes": 5 * round(reading / 5),
        "path": "\n".join(
            f'<li><a href="notebooks/{path.stem}.html"><b>{number}</b> {title(path)}<span>{PATH[number]}, '
            f"{round(to_read(counted))} min</span></a></li>"
            for number, path, counted in short
        ),
        "acts": acts(course),
    }  # fmt: skip


def to_read(counted: Count) -> float:
    """Minutes for a notebook's words and pictures alone."""
    return counted._replace(lines=0, predictions=0, exercises=[]).minutes


def words_for(hours: int) -> str:
    """A small number in words."""
    return ("no", "one", "two", "three", "four")[hours]


def title(path: Path) -> str:
    """A notebook's title without its number."""
    return nbformat.read(path, as_version=4).cells[0].source.partition("\n")[0].partition("· ")[2] or path.stem


def acts(course: dict[str, tuple]) -> str:
    """The four acts, each with links to its notebooks."""
    items = []
    for name, numbers in ACTS.items():
        number, _, words = name.partition("  ")
        links = "".join(
            f'<a href="notebooks/{course[each][0].stem}.html" title="{escape(title(course[each][0]))}">{each}</a> '
            for each in numbers
        )
        items.append(f'<li><h3>{number} · {words}</h3><p class="aside">{QUESTIONS[number]}</p>{links}</li>')
    return "\n".join(items)


def collapsed() -> dict[str, str]:
    """The picture at the top as it stands without JavaScript, and the numbers that move it."""
    widths = sorted({round(2 ** (place / 6)) for place in range(55)})
    start, averages = one_collapse(64), collapse(64)
    sides = (("raw", "undivided", start.raw), ("divided", f"÷ {root()}", start.divided))
    raw, divided = (percent(weights.max()) for weights in start.weights)
    measured = stored_language()
    told = dict(map(tuple, measured["text_by_factor"]))
    losses = dict(map(tuple, measured["loss_by_factor"]))
    numbers = {
        "scores": {width: one_collapse(width).raw.round(3).tolist() for width in widths},
        "factors": [f"{factor:g}" for factor in told],
        "losses": [losses[factor] for factor in told],
        "texts": list(told.values()),
    }
    return {
        "panels": "\n".join(panel(name, words, scores) for name, words, scores in sides),
        "raw64": percent_html(raw), "divided64": percent_html(divided),
        "mean_raw": percent(averages.unscaled.largest), "mean_divided": percent(averages.scaled.largest),
        "numbers": json.dumps(numbers, ensure_ascii=False).replace("<", r"\u003c"),
    }  # fmt: skip


def percent_html(text: str) -> str:
    """A percentage that isn't torn apart at the end of a line."""
    return text.replace(" ", "\u00a0")


def panel(name: str, words: str, scores: np.ndarray) -> str:
    """One half of the picture: a column for each key."""
    weights = softmax_forward(scores)
    best = int(weights.argmax())
    columns = "".join(
        f'<i{" class=best" if key == best else ""} style="--score:{score / 46:.4f};--weight:{weight:.4f}"></i>'
        for key, (score, weight) in enumerate(zip(scores, weights, strict=True))
    )
    share = percent_html(percent(weights[best]))
    return (
        f'<div class="panel {name}"><h2>{words}</h2><div class="keys">{columns}'
        f'<b style="--key:{best};--weight:{weights[best]:.4f}">{share}</b></div>'
        '<p class="label scores">scores</p><p class="label weights">weights</p></div>'
    )


def heard() -> dict[str, str]:
    """The three cards, measured as notebooks 06 and 03 measure them."""
    pools = pool_rows(512, ("1", "1/sqrt(d_k)", "1/d_k"), rng=np.random.default_rng(6), draws=40)
    plain, rooted = pools["1"], pools["1/sqrt(d_k)"]
    statistics = row_statistics(plain.lengths)
    return {
        "gradient": f"{rms(plain.lengths) / rms(rooted.lengths):.0f}",
        "tenth": percent_html(percent(statistics["top_tenth"])),
        "dead": share_in_words(statistics["dead"]),
        "sparse": bars_of_rows(*(row_lengths(512, scale, 64)[:24] for scale in ("1", "1/sqrt(d_k)"))),
        "lost": f"{lost_rows(textbook, 64, dtype=np.float16):.1%}",
        "kept": percent_html(percent(lost_rows(softmax_forward, 64, dtype=np.float16))),
        "overflow": float16_lines(one_collapse(512).raw),
        "shipped": shipped_bars(0.3788, 0.0004),  # LAMBADA accuracy, as the issue reports it
    }


def textbook(scores: np.ndarray) -> np.ndarray:
    """Softmax as it's written down, without subtracting the maximum."""
    exps = np.exp(scores)
    return exps / exps.sum(axis=-1, keepdims=True)


def share_in_words(share: float) -> str:
    """A share as you'd say it."""
    return "half" if 0.48 < share < 0.52 else percent_html(percent(share))


def model() -> dict[str, object]:
    """What a real model loses when its scores are multiplied."""
    measured = stored_language()
    losses, texts = dict(map(tuple, measured["loss_by_factor"])), dict(map(tuple, measured["text_by_factor"]))
    variance = measured["heads"]["variance"]
    return {
        "heads": sum(map(len, variance)), "tokens": measured["tokens"], "curve": loss_curve(losses),
        "loss": f"{losses[1]:.2f}", "undivided": f"{losses[8]:.2f}", "prompt": escape(measured["prompt"]),
        "torn": two_digits(math.exp(losses[1])), "lost_tokens": two_digits(math.exp(losses[8])),
        "last": len(texts) - 1, "trained": list(texts).index(1), "text": escape(texts[1]), "stops": ticks(texts),
    }  # fmt: skip


def ticks(factors: Iterable[float]) -> str:
    """The stops of the knob."""
    fractions = {0.25: "¼", 0.5: "½", 1: "1, as trained", 8: "8, undivided"}
    return "".join(f"<span>{fractions.get(factor, f'{factor:g}')}</span>" for factor in factors)


def two_digits(value: float) -> str:
    """A number to two digits: 37, 2,500."""
    return f"{float(f'{value:.1e}'):,.0f}"
