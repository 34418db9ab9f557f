"""Where scores stand among the numbers a computer has: what overflows, and from where on. Notebooks 03 and 07."""

import numpy as np

from .kit import Page, picture
from .kit.numberlines import NumberLine, mark, number_line, span
from .kit.palette import SCALES

EXP = {  # exp overflows past the logarithm of the largest number; bfloat16 has float32's range
    "float16": float(np.log(float(np.finfo(np.float16).max))),
    "float32, bfloat16": float(np.log(float(np.finfo(np.float32).max))),
    "float64": float(np.log(np.finfo(np.float64).max)),
}
LARGEST = int(np.finfo(np.float16).max)


@picture(height={"book": 238, "phone": 238})
def float_line(page: Page, largest, keys: int = 64) -> str:
    """A row's largest score on a logarithmic line, with where exp overflows and where float16 itself ends.

    Parameters
    ----------
    largest : dict of d_k -> (without the scale, with it)
        The largest of `keys` random scores, on average.
    """
    line = NumberLine(8, 144, page.width - 34, 1, 200_000, log=True)
    end = line.at(LARGEST)
    page.box(end, 8, page.width - end, line.y - 8, "∞", fill="lit", tint=0.25, edge=None, corner=0, size=20)
    number_line(page, line, (1, 10, 100, 1_000, 10_000), names=("1", "10", "100", "1,000", "10,000"))
    page.text(line.x, 18, "exp overflows past", at="left", weight="bold")
    for i, (name, limit) in enumerate(EXP.items()):
        mark(page, line, limit, f"{limit:.1f}  {name}", rise=88 - 29 * i)
    mark(page, line, LARGEST, rise=line.y - 8, colour="lit edge")
    page.text(end - 7, 18, f"float16 ends: {LARGEST:,}", at="right", colour="lit text", weight="bold")
    told = []
    for i, scale in enumerate(("1", "1/sqrt(d_k)")):
        (name, colour), found = SCALES[scale], {d_k: pair[i] for d_k, pair in largest.items()}
        first, last = min(found), max(found)
        words = f"{name}, $d_k$ = {first} to {last}"
        with page.step(i):
            span(page, line, min(found.values()), max(found.values()), words, colour=colour, rise=-46 - 30 * i)
        told.append(f"{name.replace('$', '')}, from {found[first]:.1f} at d_k = {first} to {found[last]:.1f} at {last}")
    page.key(f"bands: the largest of {keys} random scores, on average; bfloat16: float32's range, fewer digits")
    page.caption("Subtracting it from the whole row first cures exp. Nothing cures a score that is ∞ already.")
    limits = "; ".join(f"{limit:.1f} in {name}" for name, limit in EXP.items())
    return (
        f"A logarithmic line of scores. exp overflows past {limits}; float16 ends at {LARGEST:,}. Bands show the "
        f"largest score among {keys} keys: {'; '.join(told)}."
    )
