"""What a reader would see as a mistake: marks or words off the page, words too small or on top of each other."""

from matplotlib.text import Text

from .page import Page
from .papers import POINT, on_paper


@on_paper
def defects(page: Page) -> list[str]:
    """The mistakes of a picture, each in a few words."""
    renderer = page.figure.canvas.get_renderer()
    page.figure.draw(renderer)
    texts = [
        (text, text.get_window_extent(renderer))
        for text in page.figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and is_drawn(text)
    ]
    sheet = page.figure.bbox
    found = [f"“{words}” doesn't fit its box or its arrow" for words in page.tight]
    marks = [*page.sheet.patches, *(line for line in page.sheet.lines if len(line.get_xdata()))]
    outside = sum(off_page(mark.get_window_extent(renderer), sheet) for mark in marks)
    if outside:
        found.append(
            f"{outside} {'box, line or arrow runs' if outside == 1 else 'boxes, lines or arrows run'} off the page"
        )
    for i, (text, box) in enumerate(texts):
        words = named(text)
        size = text.get_fontsize() / POINT * page.scale
        if size < page.paper.smallest - 0.01:
            found.append(f"{words} is {size:.1f} px high, and readers need {page.paper.smallest}")
        if off_page(box, sheet):
            found.append(f"{words} runs off the page")
        found += [
            f"{words} and {named(other)} overlap" for other, its_box in texts[i + 1 :] if overlap(box, its_box) > 1
        ]
    return found


def off_page(box, sheet) -> bool:
    """Whether something reaches over an edge of the page by more than a pixel."""
    return box.x0 < -1 or box.y0 < -1 or box.x1 > sheet.x1 + 1 or box.y1 > sheet.y1 + 1


def named(text: Text) -> str:
    """The words of a text, in quotes and on one line."""
    return f"“{' '.join(text.get_text().split())}”"


def is_drawn(text: Text) -> bool:
    """Whether a text is drawn at all: axes keep labels for ticks out of sight, and for frames that are off."""
    ax = text.axes
    if ax is None or text in ax.texts:
        return True
    ticks = [
        label for axis in (ax.xaxis, ax.yaxis) for tick in axis._update_ticks() for label in (tick.label1, tick.label2)
    ]
    return ax.axison and any(text is each for each in (*ticks, ax.xaxis.label, ax.yaxis.label, ax.title))


def overlap(one, other) -> float:
    """How far two boxes reach into each other, in pixels; below 0, the distance between them."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    along = min(one.y1, other.y1) - max(one.y0, other.y0)
    return min(across, along)
