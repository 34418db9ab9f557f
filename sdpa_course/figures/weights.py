"""Figures of notebook 05: the flow of shapes through attention, weights as heat maps, what "it" looks at."""

import numpy as np
from matplotlib.patches import Rectangle

from .cells import write_in_cells
from .drawing import styled
from .rules import RULES

MAP = "Blues"
STEPS = ("1 · project", "2 · compare", "3 · scale", "4 · mask, softmax", "5 · average")
# name -> (column, height) of its box; an arrow from the first to the second of each pair.
PLACES = {
    "X": (0, 1),
    "Q": (1, 2),
    "K": (1, 1),
    "V": (1, 0),
    "scores": (2, 1.5),
    "scaled": (3, 1.5),
    "weights": (4, 1.5),
    "out": (5, 0.75),
}
ARROWS = (
    ("X", "Q"),
    ("X", "K"),
    ("X", "V"),
    ("Q", "scores"),
    ("K", "scores"),
    ("scores", "scaled"),
    ("scaled", "weights"),
    ("weights", "out"),
    ("V", "out"),
)
HALF_WIDTH, HALF_HEIGHT = 0.39, 0.27  # of a box
HATCHES = (("C0", ""), ("C1", "//"), ("C2", ".."))


@styled
def attention_flow(ax, shapes: dict) -> str:
    """The five steps from left to right: a box for each array with its shape, arrows from what it is made of.

    Parameters
    ----------
    ax : matplotlib axes
    shapes : dict of name -> shape
        One for each name in `PLACES`.
    """
    for column, step in enumerate(STEPS, start=1):
        ax.text(column, 2.62, step, ha="center", weight="bold", fontsize=12)
        ax.axvline(column - 0.5, color="0.85", linewidth=1, zorder=0)
    for name, (x, y) in PLACES.items():
        label = {"X": "tokens X", "scaled": "scores ÷ √$d_k$"}.get(name, name)
        colour = "#fbe3d2" if name == "out" else "#d7e9f5"
        corner = (x - HALF_WIDTH, y - HALF_HEIGHT)
        ax.add_patch(Rectangle(corner, 2 * HALF_WIDTH, 2 * HALF_HEIGHT, facecolor=colour, edgecolor="C0"))
        ax.text(x, y, f"{label}\n{size(shapes[name])}", ha="center", va="center")
    for start, end in ARROWS:
        (x, y), (to_x, to_y) = PLACES[start], PLACES[end]
        tip = (to_x - HALF_WIDTH, to_y + 0.1 * np.sign(y - to_y))  # two arrows into one box: one above the other
        style = {"arrowstyle": "-|>", "color": "0.25", "linewidth": 1.6, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", tip, (x + HALF_WIDTH, y), arrowprops=style)
    ax.set(xlim=(-0.5, 5.5), ylim=(-0.4, 2.85))
    ax.axis("off")
    made = "; ".join(f"{name} {size(shapes[name])}" for name in PLACES)
    return (
        f"A flow diagram from left to right in five steps ({', '.join(STEPS)}), with the shape in each box: {made}. X "
        "goes into Q, K and V; Q and K into the scores, which are scaled and turned into weights; weights and V into "
        "out."
    )


def size(shape) -> str:
    """A shape as it is read: 3 × 64."""
    return " × ".join(map(str, shape))


@styled
def weight_maps(axes, panels: dict, tokens, allowed=None) -> str:
    """Attention weights as heat maps with the numbers written in; one panel for each title.

    Parameters
    ----------
    axes : as many matplotlib axes as there are panels
    panels : dict of title -> (n, n) array
    tokens : n names
    allowed : dict of title -> (n, n) array of bool, optional
        Cells that are hidden get a cross in place of their zero.
    """
    words = []
    for ax, (title, weights) in zip(np.ravel(axes), panels.items(), strict=True):
        seen = (allowed or {}).get(title)
        draw_map(ax, np.asarray(weights), tokens, seen)
        ax.set_title(title)
        cells = cell_texts(weights, seen, "hidden").tolist()
        rows = (f"{token}: {', '.join(row)}" for token, row in zip(tokens, cells, strict=True))
        words.append(f"{title}. {'; '.join(rows)}")
    return (
        f"Attention weights as a heat map, {len(tokens)} by {len(tokens)}; rows are queries, columns keys in the order "
        f"{', '.join(tokens)}. {'. '.join(words)}."
    )


@styled
def weight_map(ax, result) -> str:
    """One heat map of weights, described by its sharpest row: what a slider redraws.

    Parameters
    ----------
    ax : matplotlib axes
    result : experiments.sentence.RandomAttention
    """
    weights, words, rule = result.weights, result.words, RULES[result.scale]
    draw_map(ax, weights, words, result.allowed)
    ax.set_title(f"weights, $d_k$ = {result.d_k}, {rule.title}")
    row, column = np.unravel_index(np.argmax(weights), weights.shape)
    tops = weights.max(axis=-1)
    hidden = "" if result.allowed is None else f" {int((~result.allowed).sum())} cells above the diagonal are hidden."
    return (
        f"weights, d_k = {result.d_k}, {rule.words}: attention weights as a {len(words)} by {len(words)} heat map, a "
        f"row for each query. The largest weight of a row lies between {tops.min():.2f} and {tops.max():.2f}; the "
        f"largest of all is that of {words[row]} on {words[column]}.{hidden}"
    )


def draw_map(ax, weights: np.ndarray, tokens, allowed) -> None:
    """Cells, numbers and ticks of one heat map, from white at 0 to dark at 1."""
    n = len(tokens)
    # Many words: cells as wide as there is room, so that no label needs turning.
    ax.imshow(weights, cmap=MAP, vmin=0, vmax=1, aspect="equal" if n <= 4 else "auto")
    write_in_cells(ax, cell_texts(weights, allowed, "×"), weights, MAP, 16 if n <= 4 else 12)
    ax.set_xticks(range(n), tokens)
    ax.set_yticks(range(n), tokens)
    ax.grid(False)
    ax.set(xlabel="key", ylabel="query")


def cell_texts(weights, allowed, hidden: str) -> np.ndarray:
    """Each weight with two decimals; a word or sign in place of the weights that are not allowed."""
    texts = np.array([[f"{weight:.2f}" for weight in row] for row in weights])
    return texts if allowed is None else np.where(allowed, texts, hidden)


@styled
def what_it_looks_at(axes, rows: dict, words) -> str:
    """One query's weights over the words, as bars for several last words: one panel for each pass.

    Parameters
    ----------
    axes : matplotlib axes that share their y axis
    rows : dict of title -> dict of last word -> (n,) array
    words : n - 1 names
        All but the last word, which differs.
    """
    told = []
    for ax, (title, by_last) in zip(axes, rows.items(), strict=True):
        places, width = np.arange(len(words) + 1), 0.8 / len(by_last)
        for i, ((last, weights), (colour, hatch)) in enumerate(zip(by_last.items(), HATCHES, strict=False)):
            shift = (i - (len(by_last) - 1) / 2) * width
            ax.bar(places + shift, weights, width, color=colour, hatch=hatch, edgecolor="white", label=f"… was {last}")
            best = np.max(weights)
            names = [name for name, w in zip([*words, last], weights, strict=True) if np.isclose(w, best)]  # ties
            told.append(
                f"{title}, last word {last}: most on {' and '.join(names)}, {best:.2f}{' each' * (len(names) > 1)}"
            )
        ax.set(title=title, xlabel="word that is looked at", ylim=(0, 1.05))
        ax.set_xticks(places, [*words, "(last)"], rotation=40)
    axes[0].set_ylabel("weight in the row of “it”")
    axes[0].legend(loc="upper left")
    return f"Bar charts of the weights of “it” over {len(words) + 1} words. {'; '.join(told)}."


@styled
def choice_shares(ax, words, shares, error: float) -> str:
    """How often each word was preferred, with the expectation 1/n dashed and a band of two standard errors.

    Parameters
    ----------
    ax : matplotlib axes
    words : n names
    shares : (n,) array
    error : float
        Standard error of one share.
    """
    n = len(words)
    places = np.arange(n)
    ax.axhspan(1 / n - 2 * error, 1 / n + 2 * error, color="0.85", label="± 2 standard errors")
    ax.axhline(1 / n, color="black", linestyle="--", label=f"theory, 1/{n}")
    ax.plot(places, shares, "C0o", markersize=10, label="share of draws")
    ax.set(xlabel="word with the largest weight", ylabel="share of draws", ylim=(0, 0.2))
    ax.set_xticks(places, words)
    ax.legend(loc="lower right", ncols=3)
    return (
        f"One point for each of {n} words: the share of random draws in which it gets the largest weight, between "
        f"{np.min(shares):.3f} and {np.max(shares):.3f}, around a dashed line at 1/{n} = {1 / n:.3f} with a band of "
        f"two standard errors, {2 * error:.3f} either way."
    )
