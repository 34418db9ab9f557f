"""A quantity that passes through factors, as a band whose width it is."""

from .page import Page


def band(page: Page, y: float, stops, *, unit: float, colour: str, thinnest: float = 1.5) -> None:
    """A band around the line at `y` that ends in an arrowhead. Between two stretches it widens or narrows evenly.

    Parameters
    ----------
    stops : list of (start, end, size)
        Stretches along x, in the order in which they're passed, to the left or to the right.
    unit : float
        Width in pixels of size 1.
    thinnest : float
        Pixels that are left of a size too small to see.
    """
    points = [(x, max(unit * size, thinnest) / 2) for start, end, size in stops for x in (start, end)]
    tip, last = points[-1]
    ahead = 1 if stops[-1][1] > stops[-1][0] else -1
    head = last + 7
    upper = [(x, y - half) for x, half in points]
    lower = [(x, y + half) for x, half in reversed(points)]
    page.shape(
        *upper, (tip, y - head), (tip + ahead * (8 + 0.45 * last), y), (tip, y + head), *lower, fill=colour, tint=0.75
    )
