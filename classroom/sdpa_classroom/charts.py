"""The two pictures of a report: points by task, and the slide with the most common mistakes. Neither names anybody."""

from sdpa_course.figures.kit import Page
from sdpa_course.figures.kit.papers import on_paper
from sdpa_course.homework.judging import AS_GIVEN

from .counts import Named, Points, SetCounts

MOST_BARS = 4  # on the slide
ROW, BAR = 46, 18  # pixels: one task, and its bar
PARTS = {  # what a task's bar is made of, from left to right
    "all points": {"fill": "score"},
    "some": {"fill": "score", "tint": 0.45},
    "none": {"fill": "score", "tint": 0.1},
    "not read yet": {"fill": "paper", "dash": (0, (2, 2))},
}
EDGE = {"edge": "score", "width": 1}


@on_paper
def points_chart(points: list[Points], *, paper: str = "book", room: str = "light") -> Page:
    """One bar a task, as wide as the class: who got all the points, some, none, and who is still waiting."""
    page = Page(26 + ROW * len(points), paper=paper, room=room)
    page.headline(lowest(points))
    x = 0.0
    for words, looks in PARTS.items():
        page.box(x, 2, 12, 12, corner=2, **EDGE, **looks)
        page.text(x + 17, 8, words, size=13, colour="grey", at="left")
        x += 17 + page.measure(words, 13)[0] + 14
    for i, each in enumerate(points):
        y = 26 + ROW * i
        words = f"{each.mean:.2f} of {each.most:g}" if each.scores else "not read yet"
        page.text(page.width, y + 10, words, weight="bold", at="right")
        room_left = page.width - page.measure(words, weight="bold")[0] - 12
        page.text(0, y + 10, shortened(page, label(each), room_left), at="left")
        stack(page, y + 21, each)
    return page


def label(points: Points) -> str:
    """A task's name, and who gives its points if that's a person."""
    return f"{plain(points.title)} (written)" if points.written else plain(points.title)


def stack(page: Page, y: float, points: Points) -> None:
    """One task's bar, with the number of students on each of its parts that has room for it."""
    counts = (points.full, points.some, points.none, points.waiting)
    unit, x = page.width / sum(counts), 0.0
    for count, looks in zip(counts, PARTS.values(), strict=True):
        if count:
            wide = unit * count
            fits = page.measure(str(count), 13)[0] + 6 <= wide
            words = str(count) if fits else ""
            page.box(x, y, wide, BAR, words, corner=0, size=13, **EDGE, **looks)
            x += wide


def lowest(points: list[Points]) -> str:
    """The task with the smallest share of points, as a sentence."""
    marked = [each for each in points if each.scores]
    if not marked:
        return "Nothing has been marked yet"
    least = min(marked, key=lambda each: each.mean / each.most)
    so_far = ", so far" if any(each.waiting for each in points) else ""
    if least.mean >= least.most:
        return f"Everybody got all the points{so_far}"
    share = f"{least.mean / least.most:.0%}".replace("%", " %")
    return f"The smallest share of points is in {label(least)}: {share} on average{so_far}"


def points_words(points: list[Points]) -> str:
    """The same in words, for who can't see it."""
    rows = "; ".join(
        f"{label(each)}: {each.full} got all {each.most:g} points, {each.some} some, {each.none} none"
        + (f", {each.waiting} not read yet" if each.waiting else "")
        for each in points
    )
    return f"{lowest(points)}. {rows}."


def for_slide(sets: list[SetCounts]) -> SetCounts | None:
    """The last problem set in which two students made the same mistake; what only one got wrong isn't for the room."""
    return next((one for one in reversed(sets) if one.mistakes and one.mistakes[0].count > 1), None)


def assertion(one: SetCounts) -> str:
    """The slide's title."""
    first = one.mistakes[0]
    if first.name == AS_GIVEN:
        return f"{first.count} of {one.recorded} left the bug in {first.task} as it was"
    return f"{first.count} of {one.recorded} made the same mistake in {first.task}: “{first.name}”"


@on_paper
def slide(one: SetCounts, *, room: str = "light") -> Page:
    """A slide of 1280 × 720 with the most common mistakes, and what the check says about the first."""
    page = Page(340, paper="slide", room=room, width=620)
    title = page.wrap(plain(assertion(one)), 21, "bold")
    page.text(8, 4, "\n".join(title), size=21, weight="bold", at="top left")
    hint = page.fill(f"What they were told: {plain(one.mistakes[0].hint)}", 15, "normal", 600)
    page.text(8, 336, "\n".join(hint), at="bottom left", colour="grey", size=15)
    top, bottom = 14 + 31 * len(title), 322 - 22 * len(hint)
    shown = shared(one)[: int((bottom - top) // 46)]
    for i, each in enumerate(shown):
        mistake_bar(page, top + (bottom - top) / len(shown) * i, each, one.recorded, lit=i == 0)
    return page


def mistake_bar(page: Page, y: float, mistake: Named, of: int, *, lit: bool) -> None:
    """A mistake's name, and below it as much of a bar as students made it."""
    weight, looks = ("bold", {"fill": "lit"}) if lit else ("normal", {"fill": "score", "tint": 0.6})
    page.text(8, y + 10, f"{plain(mistake.name)} · {plain(mistake.task)}", at="left", weight=weight, size=16)
    page.box(8, y + 22, 604, 20, fill="pale", edge=None, corner=0)
    end, words = 8 + 604 * mistake.count / of, f"{mistake.count} of {of}"
    page.box(8, y + 22, end - 8, 20, edge=None, corner=0, **looks)
    inside = end + 12 + page.measure(words, 16, "bold")[0] > 612
    ink = page.ink_on(page.colour(looks["fill"], looks.get("tint", 1))) if inside else "ink"
    end += -6 if inside else 6
    page.text(end, y + 32, words, at="right" if inside else "left", weight="bold", size=16, colour=ink)


def shared(one: SetCounts) -> list[Named]:
    """The mistakes on the slide: the most common ones that more than one student made."""
    return [each for each in one.mistakes if each.count > 1][:MOST_BARS]


def slide_words(one: SetCounts) -> str:
    """The slide in words."""
    rows = "; ".join(f"{each.name} in {each.task}, {each.count}" for each in shared(one))
    return f"{assertion(one)}. The most common mistakes in {one.name}: {rows}. {one.mistakes[0].hint}"


def shortened(page: Page, words: str, room: float) -> str:
    """As much of the words as there's room for."""
    while len(words) > 1 and page.measure(words)[0] > room:
        words = f"{words[:-2]}…"
    return words


def plain(words: str) -> str:
    """Words that matplotlib doesn't take for mathematics."""
    return words.replace("`", "").replace("$", r"\$")
