"""*love Apple phones* with all its numbers: attention as matrices, from Q and K to the output. Notebooks 00 and 05."""

from .kit import Block, Page, picture
from .kit.matrices import frame, matrix, number

HIGH, GAP = 30, 12  # of a cell; between a product and its factors
# Name: title, colour, digits, and notebook 05's steps that it counts in. It's made in the first of them.
LOOKS = {
    "q": ("Q", "q", None, (1, 2)),
    "k": ("Kᵀ", "k", None, (1, 2)),
    "v": ("V", "v", None, (1, 5)),
    "products": ("dot products", "score", None, (2, 3)),
    "scores": ("scores", "score", 1, (3, 4)),
    "weights": ("weights", "weight", 2, (4, 5)),
    "out": ("out", "out", 2, (5,)),
}


@picture(height={"book": 278, "phone": 576})
def attention_matrices(page: Page, steps, *, query: int = 1, key: int = 2, now: int | None = None) -> str:
    """Attention from Q and K to its output. A product stands where its factors' rows and columns meet.

    Parameters
    ----------
    steps : experiments.tiny.Steps
    query, key : int
        The pair whose numbers are lit.
    now : int, optional
        The step to look at, from 1 (Q, K and V) to 5 (out); the rest is pale. By default, everything shows.
    """
    lit = dict.fromkeys(("products", "scores", "weights"), (query, key)) | {"out": (query, 0)}
    wide = 30 if page.narrow else 32
    places, blocks = corners(page, wide, *steps.k.shape), {}

    def click(step: int):
        return page.step(step - 1 if now is None else 0)

    for name, (title, colour, digits, counts) in LOOKS.items():
        bright, above = now is None or now in counts, name in "kv"
        named = name == "q" or (page.narrow and name in ("scores", "weights"))
        with click(counts[0]):
            blocks[name] = block = matrix(
                page, *places[name], steps.k.T if name == "k" else getattr(steps, name), colour=colour,
                cell=(wide, HIGH), digits=digits, rows=steps.tokens if named else (), faint=not bright,
                lit=[lit[name]] if name in lit and bright else (),
            )  # fmt: skip
            (x, y), at = (block.top, "bottom") if above else (block.bottom, "top")
            ink = colour if bright else "grey"
            page.text(x, y + (-6 if above else 6), title, at=at, colour=ink, weight="bold", size=15)
    for step, start, end, words in (
        (3, "products", "scores", f"÷ √{steps.k.shape[1]}"),
        (4, "scores", "weights", "softmax"),
    ):
        with click(step):
            join(page, blocks[start], blocks[end], words, "ink" if now in (None, step) else "grey")
    sums = (  # step, the factors' rows and columns that meet in a lit number, and where their sum is written
        (
            2,
            "q",
            "k",
            steps.products[query, key],
            steps.k[key],
            key,
            (blocks["k"].x + blocks["k"].wide + 14, 84),
            "left",
        ),
        (5, "weights", "v", steps.out[query, 0], steps.v[:, 0], 0, (blocks["v"].x - 14, 116), "right"),
    )
    for step, left, right, total, column, at, place, side in sums:
        if now in (None, step):
            with click(step):
                row, digits = getattr(steps, left)[query], LOOKS[left][2]
                frame(page, blocks[left], (len(steps.tokens), len(row)), rows=(query, query))
                frame(page, blocks[right], (len(row), round(blocks[right].wide / wide)), columns=(at, at))
                terms = " + ".join(f"{number(a, digits)}·{number(b)}" for a, b in zip(row, column, strict=True))
                if not page.narrow:
                    page.text(*place, f"{number(total, digits)} = {terms}", at=side, colour="lit text", size=15)
    asks, answers = steps.tokens[query], steps.tokens[key]
    words, alt = told(steps, query, key, now)
    page.caption(
        words
        or f"every product is where a row meets a column; lit: {asks}’s query and the key of {answers}; weights rounded"
    )
    return alt


def told(steps, query: int, key: int, now: int | None) -> tuple[str, str]:
    """What to see in one step, if there's one to look at, and the picture in words."""
    asks, answers, d_k = steps.tokens[query], steps.tokens[key], steps.k.shape[1]
    scores, weights, out = (
        ", ".join(number(value, digits) for value in row[query])
        for row, digits in ((steps.scores, 1), (steps.weights, 2), (steps.out, 2))
    )
    product, score, weight = (row[query, key] for row in (steps.products, steps.scores, steps.weights))
    each = {
        2: f"step 2: {asks}’s query meets the key of {answers}, and their dot product is {number(product)}",
        3: f"step 3: {number(product)} divided by √{d_k} is {number(score, 1)}, and the same for all the others",
        4: f"step 4: {asks}’s scores, {scores}, become its weights, {weights}",
        5: f"step 5: {asks}’s weights mix the values, one column after the other, into {out}",
    }
    if now in each:
        return each[now], f"Attention as matrices, most of them pale. Lit, {each[now]}."
    return "", (
        f"Attention as matrices. Q ({len(steps.q)} by {d_k}) and K transposed meet in the dot products; divided by the "
        f"root of {d_k} they are the scores, softmax makes them weights, and the weights meet V in the output. Lit: "
        f"{asks} with {answers}, dot product {product:g}, score {score:.1f}, weight {weight:.2f}. {asks} has the "
        f"weights {weights} and the output {out}."
    )


def corners(page: Page, wide: float, n: int, d_k: int) -> dict[str, tuple[float, float]]:
    """The top left corner of every matrix: from left to right, or down a phone."""
    left, top, side = 48, 26 + d_k * HIGH + GAP, n * wide
    across = left + d_k * wide + GAP
    last = page.width - 2 * wide  # where V and out stand
    down, room = (n * HIGH + 64, 0) if page.narrow else (0, (last - GAP - across - side) / 2)
    places = {"q": (left, top), "k": (across, 26), "products": (across, top)}
    places |= {"scores": (across + room, top + down), "weights": (across + 2 * room, top + 2 * down)}
    x, y = across + 2 * room + side + GAP, top + 2 * down
    return places | {"out": (x, y), "v": (x, y - GAP - n * HIGH)}


def join(page: Page, start: Block, end: Block, words: str, colour: str) -> None:
    """The arrow of a step, to the right or down."""
    if page.narrow:
        (x, y0), (_, y1) = start.bottom, end.top
        page.arrow((x, y0 + 28), (x, y1 - 5), words, colour=colour, below=True)
    else:
        page.arrow((start.right[0] + 7, start.right[1]), (end.left[0] - 7, end.left[1]), words, colour=colour)
