"""Q, K and V cut into heads by their columns, a map for each head, and the outputs side by side again. Notebook 08."""

from .kit import Block, Page, picture
from .kit.matrices import matrix
from .kit.ribbons import cut, ribbon

TALL, GAP = 50, 5  # of Q, K, V and out; between two heads of them
MAP, UPPER, LOWER = 62, 142, 250  # side of a map, its top, the top of the outputs


@picture(height={"book": 324, "phone": 324})
def heads_as_ribbons(page: Page, cache, out) -> str:
    """What multi-head attention does between its projections, a click for each head on a slide.

    Parameters
    ----------
    cache : kernels.sdpa.AttentionCache
        With q, k and v of (heads, n, d_k), and weights.
    out : (heads, n, d_k) array
    """
    heads, n, d_k = cache.q.shape
    third = page.width / 3
    column = (third - 30 - (heads - 1) * GAP) / (heads * d_k)
    looks = {"cell": (column, TALL / n), "numbers": False, "shade": True}
    across = heads * d_k * column
    parts = {name: cut(Block(15 + i * third, 26, across, TALL), heads, GAP) for i, name in enumerate("qkv")}
    ends = cut(Block(15 + third, LOWER, across, TALL), heads, GAP)
    for i, name in enumerate("qkv"):
        for part, values in zip(parts[name], getattr(cache, name), strict=True):
            matrix(page, part.x, part.y, values, colour=name, **looks)
        page.text((i + 0.5) * third, 20, name.upper(), at="bottom", colour=name, weight="bold", size=16)
    for h in range(heads):
        x = page.width * (h + 0.5) / heads - MAP / 2
        with page.step(h + 1):
            for slot, name in zip(cut(Block(x, UPPER, MAP, MAP), 3), "qkv", strict=True):
                ribbon(page, parts[name][h], slot, colour=name)
            ribbon(page, Block(x, UPPER, MAP, MAP), ends[h], colour="out")
            matrix(page, x, UPPER, cache.weights[h], colour="weight", cell=MAP / n, numbers=False, shade=True)
            matrix(page, ends[h].x, LOWER, out[h], colour="out", **looks)
            at = (x + MAP / 2, UPPER + MAP + 13, "centre") if page.narrow else (x - 7, UPPER + MAP / 2, "right")
            page.text(*at[:2], f"head {h + 1}", at=at[2], colour="ink", size=13)
    page.text(page.width / 2, LOWER + TALL + 5, "out, side by side again", at="top", colour="out", weight="bold")
    page.caption("It’s the columns of Q, K and V that are cut, not the tokens: every head sees every token.")
    return (
        f"Q, K and V, {n} rows of {heads * d_k} columns each, are cut into {heads} heads of {d_k} columns. Ribbons "
        f"carry each head's columns to its {n} by {n} map of weights, and its output to its place beside the others."
    )
