"""Sparse, not small: the gradient that reaches Q as a product of three factors, and row by row. Notebook 06."""

import numpy as np

from ..experiments.layers import DEAD
from ..experiments.metrics import rms, top_share
from .kit import Block, Page, picture
from .kit.bands import band
from .kit.matrices import percent
from .kit.palette import SCALES
from .kit.squares import squares

UNIT = 21  # pixels of a blame of size 1


def two_digits(value: float) -> str:
    """A number to two digits that count.

    Examples
    --------
    >>> two_digits(22.63), two_digits(0.00818), two_digits(4.02), two_digits(1)
    ('23', '0.0082', '4.0', '1')
    """
    return f"{value:.0f}" if value == 1 or value >= 10 else f"{value:#.2g}"


@picture(height={"book": 264, "phone": 264})
def three_factors(page: Page, *results) -> str:
    """What's left of a blame of size 1 on the weights after softmax, the scale and the keys: bands drawn to scale.

    Parameters
    ----------
    results : experiments.gradients.PooledRows
        One band for each, for instance without and with the scale.
    """
    gates, half = [page.width * part for part in (0.75, 0.475, 0.2)], page.width * 0.066
    for x, name in zip(gates, ("softmax", "the scale", "the keys"), strict=True):
        page.box(x - half, 0, 2 * half, page.height, fill="pale", edge=None, corner=6)
        page.text(x, 14, name, weight="bold")
    page.text(0, 14, "Q", at="left", colour="q", weight="bold")
    page.text(page.width, 14, "weights", at="right", colour="weight", weight="bold")
    stretches = list(zip([page.width, *(x - half for x in gates)], [*(x + half for x in gates), 34], strict=True))
    told = []
    for i, result in enumerate(results):
        (name, colour), y = SCALES[result.scale], 98 + 110 * i
        factors = (rms(result.slopes), result.factor, rms(result.keys))
        sizes = (1.0, factors[0], factors[0] * factors[1], rms(result.lengths))
        highs = [y - UNIT * size / 2 - 5 for size in sizes]  # just above the band
        with page.step(i):
            band(
                page, y, [(*ends, size) for ends, size in zip(stretches, sizes, strict=True)], unit=UNIT, colour=colour
            )
            for x, factor, *around in zip(gates, factors, sizes, sizes[1:], strict=False):
                low = y + UNIT * max(around) / 2 + 6
                page.text(x, low, f"× {two_digits(factor)}", at="top", size=13, colour=colour)
            page.text(sum(stretches[0]) / 2, y, "1", colour=page.ink_on(page.colour(colour, 0.75)), weight="bold")
            for ends, high, size in list(zip(stretches, highs, sizes, strict=True))[1:3]:
                page.text(sum(ends) / 2, high, two_digits(size), at="bottom", size=13, colour=colour)
            page.text(page.width, highs[0], name, at="bottom right", weight="bold", colour=colour, size=15)
            page.text(0, highs[3] - 4, two_digits(sizes[3]), at="bottom left", weight="bold", size=20, colour=colour)
        steps = " times ".join(two_digits(factor) for factor in factors)
        told.append(f"{name.replace('$', '')}: {steps} makes {two_digits(sizes[3])}")
    first = results[0]
    page.key(f"a blame of 1 on its way from the weights to Q, bands to scale; rms, $d_k$ = {first.d_k}, {first.n} keys")
    return (
        f"Bands whose width is the size of the gradient, from the weights on the right to Q on the left, at d_k = "
        f"{first.d_k}. A blame of 1 is multiplied by softmax's slope, by the scale and by the length of the keys. "
        f"{'; '.join(told)}."
    )


@picture(height={"book": 342, "phone": 740})
def gradient_squares(page: Page, lengths, *, ordered: bool = False) -> str:
    """The rows of dQ as squares to scale, a panel for each scale, all magnified to the same total.

    Parameters
    ----------
    lengths : dict of scale -> (rows,) array
        Lengths of the rows, for scales in `kit.palette.SCALES`; a square number of rows fills its panel.
    ordered : bool
        The longest first.
    """
    told = []
    side = min(292, (page.width - 24 * (len(lengths) - 1)) / len(lengths)) if not page.narrow else 316
    for block, (scale, rows) in zip(page.panels(len(lengths), high=side + 46, top=24), lengths.items(), strict=True):
        name, colour = SCALES[scale]
        size, median = rms(rows), np.median(rows)
        dead = np.asarray(rows) < DEAD * size
        place = Block(block.x + (block.wide - side) / 2, block.y, side, side)
        x, y = place.bottom
        filled = 0.5 if ordered else 0.36
        with page.step(len(told)):
            squares(page, place, np.square(rows), colour=colour, dead=dead, ordered=ordered, filled=filled)
            page.text(place.x, place.y - 6, name, at="bottom left", colour=colour, weight="bold", size=16)
            page.text(x, y + 7, f"rms {two_digits(size)}   median {two_digits(median)}", at="top")
            page.text(place.x + side, place.y - 6, f"{percent(dead.mean())} dead", at="bottom right")
        told.append(
            f"{name.replace('$', '')}: root mean square {two_digits(size)}, median {two_digits(median)}, "
            f"{percent(dead.mean())} dead"
        )
    page.height = place.y + side + 26
    if "1" in lengths:
        share = percent(top_share(lengths["1"]))
        page.headline(f"Without the scale, a tenth of the queries gets {share} of the squared gradient")
    page.key(
        f"side = length of a query’s gradient, panels to one total; crosses, dead: under {percent(DEAD)} of the rms"
    )
    return f"Panels of {len(rows)} squares, one for each row of dQ, whose side is its length. {'; '.join(told)}."
